package base

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Door stands between a test and a server. While it is closed the server is
// unavailable: connections are cut, and new ones end as soon as they are made.
type Door struct {
	listener        net.Listener
	network, target string

	mu     sync.Mutex
	closed bool
	links  map[net.Conn]bool
}

func openDoor(t *testing.T, network, target string) *Door {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &Door{listener: listener, network: network, target: target, links: map[net.Conn]bool{}}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go d.pass(client)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		d.Close()
	})
	return d
}

// Address is where the server is reached through the door, as host:port.
func (d *Door) Address() string { return d.listener.Addr().String() }

// Close makes the server unavailable.
func (d *Door) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for link := range d.links {
		_ = link.Close()
	}
}

// Open lets connections pass again.
func (d *Door) Open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = false
}

// pass joins a connection with the server until one of both ends.
func (d *Door) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial(d.network, d.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !d.add(client, server) {
		return
	}
	defer d.remove(client, server)
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (d *Door) add(links ...net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, link := range links {
		d.links[link] = true
	}
	return !d.closed
}

func (d *Door) remove(links ...net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, link := range links {
		delete(d.links, link)
	}
}

// Unavailable lets a stage work on something while the server behind a door is
// unavailable: handle must say so, and nothing else. Then the door is opened, and handle
// is called until it succeeds, as the runner does.
func (w *World) Unavailable(door *Door, handle func() error) {
	w.Helper()
	before := w.Dump()
	door.Close()
	err := handle()
	if fault.KindOf(err) != fault.KindUnavailable {
		w.Errorf("with an unavailable store it said %v, which is of kind %d", err, fault.KindOf(err))
	}
	if said := w.Heard(); len(said) > 0 {
		w.Errorf("with an unavailable store it published %+v", said)
	}
	door.Open()
	for limit := time.Now().Add(devtest.Patience); ; { // connections that were cut are found out by using them
		if err = w.DB.Ready(w.Context()); err == nil || time.Now().After(limit) {
			break
		}
	}
	if after := w.Dump(); err == nil && after != before {
		w.Errorf("with an unavailable store it wrote\n%s\nbefore there was\n%s", after, before)
	}
	for limit := time.Now().Add(devtest.Patience); ; {
		if err = handle(); err == nil {
			return
		}
		if kind := fault.KindOf(err); kind != fault.KindUnavailable && kind != fault.KindDeferred || time.Now().After(limit) {
			w.Fatalf("with the store available again: %v", err)
		}
	}
}
