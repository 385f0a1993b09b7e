package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
)

// openTestDoor serves a handler on an address of its own until stop, which returns what
// serve returned.
func openTestDoor(t *testing.T, handler http.HandlerFunc, c HTTP) (d *drainingServer, addr string, stop func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.Conns = 64
	d = newDrainingServer(listener, &http.Server{Handler: handler}, c)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.serveUntilStopped(ctx) }()
	return d, listener.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// TestAStopAnswersAllWhoCame closes a door on clients who never pause until they see that
// it stops, as who hands out requests sees by its readiness: each request has a whole
// answer. None is cut or reset.
func TestAStopAnswersAllWhoCame(t *testing.T) {
	const rounds, clients, drain = 40, 8, 100 * time.Millisecond
	for round := range rounds {
		d, addr, stop := openTestDoor(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") },
			HTTP{Drain: drain, Grace: devtest.Patience})
		var asking sync.WaitGroup
		var answers atomic.Int64
		for n := range clients {
			asking.Go(func() {
				client := &http.Client{Timeout: devtest.Patience, Transport: &http.Transport{DisableKeepAlives: n%2 == 0}}
				defer client.CloseIdleConnections()
				for {
					looked := time.Now()
					if d.stopping.Load() {
						return
					}
					resp, err := client.Get("http://" + addr)
					if errors.Is(err, syscall.ECONNREFUSED) && time.Since(looked) > drain {
						return // on a busy machine it came when the door was closed
					}
					if err != nil {
						t.Errorf("round %d, client %d: %v", round, n, err)
						return
					}
					body, err := io.ReadAll(resp.Body)
					_ = resp.Body.Close()
					if err != nil || resp.StatusCode != http.StatusOK || string(body) != "answer" {
						t.Errorf("round %d, client %d: %s %q %v", round, n, resp.Status, body, err)
						return
					}
					answers.Add(1)
				}
			})
		}
		for answers.Load() < int64(20+round) {
			if t.Failed() {
				break
			}
		}
		if err := stop(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		asking.Wait()
	}
}

// TestLastCalls: who has connected before the listener was closed is answered, however
// many they are.
func TestLastCalls(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := newDrainingServer(listener, &http.Server{Handler: http.NotFoundHandler()}, HTTP{Conns: 4})
	const waiting = 20
	var conns []net.Conn
	for range waiting { // whom nobody accepts
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		conns = append(conns, conn)
	}
	for range 2 {
		_ = d.listener.Close()
	}
	for n := range waiting {
		conn, err := d.listener.Accept()
		if err != nil {
			t.Fatalf("%d of %d were accepted: %v", n, waiting, err)
		}
		if _, err := io.WriteString(conn, "hello\n"); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	if conn, err := d.listener.Accept(); err == nil {
		t.Errorf("one more was accepted: %v", conn)
	}
	for n, conn := range conns {
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "hello\n" {
			t.Errorf("connection %d: %q %v", n, line, err)
		}
	}
}

// TestADoorSaysGoodbye: while it drains requests are answered, also over new connections,
// and each answer asks the client to make its next connection elsewhere; then the address
// is closed.
func TestADoorSaysGoodbye(t *testing.T) {
	d, addr, stop := openTestDoor(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") },
		HTTP{Drain: 500 * time.Millisecond, Grace: devtest.Patience})
	kept, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	ask := func(conn net.Conn) string {
		t.Helper()
		if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || string(body) != "answer" {
			t.Fatalf("%s %q %v", resp.Status, body, err)
		}
		return strings.Join(resp.Header["Connection"], ",") + fmt.Sprint(resp.Close)
	}
	if got := ask(kept); got != "false" {
		t.Errorf("a connection is closed that may be kept: %s", got)
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for !d.stopping.Load() {
		if t.Context().Err() != nil {
			return
		}
	}
	if got := ask(kept); got != "closetrue" && got != "true" {
		t.Errorf("a connection is kept: %s", got)
	}
	fresh, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatalf("nobody is let in while it drains: %v", err)
	}
	defer func() { _ = fresh.Close() }()
	ask(fresh)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after it has stopped: %v", err)
	}
}
