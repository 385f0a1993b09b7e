package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
)

// door is where requests come in, from the first to the last.
type door struct {
	server   *http.Server
	listener *lastCalls
	drain    time.Duration // for which requests are still taken when it is told to stop
	grace    time.Duration // for which answers under way are waited for after that
	stopping atomic.Bool

	mu     sync.Mutex
	asking map[net.Conn]bool // connections on which a request is read or answered
}

// openDoor lets a server serve a TCP listener, c.Conns connections at once; more wait.
func openDoor(listener net.Listener, server *http.Server, c HTTP) *door {
	d := &door{
		listener: &lastCalls{Listener: netutil.LimitListener(listener, c.Conns), below: listener},
		server:   server, drain: c.Drain, grace: c.Grace, asking: map[net.Conn]bool{},
	}
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.stopping.Load() {
			w.Header().Set("Connection", "close") // the client makes its next one elsewhere
		}
		handler.ServeHTTP(w, r)
	})
	server.ConnState = d.note
	return d
}

// note is told what becomes of each connection.
func (d *door) note(conn net.Conn, state http.ConnState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		d.asking[conn] = true
	} else {
		delete(d.asking, conn)
	}
}

// quiet reports whether no request is read or answered.
func (d *door) quiet() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.asking) == 0
}

// serve answers requests until ctx ends. Then it goes on for the time of drain, in which
// whoever hands out requests notices that this process is not ready, and says goodbye with
// each answer; it closes the listener, answers all who have come before, and returns nil.
func (d *door) serve(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- d.answer() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	d.stopping.Store(true)
	draining := time.NewTimer(d.drain)
	defer draining.Stop()
	select {
	case err := <-ended:
		return err
	case <-draining.C:
	}
	err := d.listener.Close()
	if served := <-ended; !errors.Is(served, net.ErrClosed) {
		err = errors.Join(err, served)
	}
	d.awaitQuiet()
	return errors.Join(err, d.server.Close()) // connections that nobody uses, and answers that the grace has cut
}

// answer answers requests until the listener is closed, with TLS where there is a
// certificate.
func (d *door) answer() error {
	if d.server.TLSConfig == nil {
		return d.server.Serve(d.listener)
	}
	return d.server.ServeTLS(d.listener, "", "")
}

// quietLook is the time between two looks whether all answers have been given.
const quietLook = 5 * time.Millisecond

// awaitQuiet waits for answers under way, as long as the grace. The server's own Shutdown
// would not do: it drops who has connected and whose request it has not read yet.
func (d *door) awaitQuiet() {
	grace := time.NewTimer(d.grace)
	defer grace.Stop()
	look := time.NewTicker(quietLook)
	defer look.Stop()
	for !d.quiet() {
		select {
		case <-look.C:
		case <-grace.C:
			return
		}
	}
}

// lastCalls is a listener that loses nobody when it is closed: who has connected, and was
// not accepted yet, would be reset by the kernel. Accept returns them after Close, before
// it returns an error.
type lastCalls struct {
	net.Listener
	below net.Listener // of the system, where connections wait
	left  atomic.Pointer[[]net.Conn]
}

// Accept implements net.Listener.
func (l *lastCalls) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		return conn, nil
	}
	if left := l.left.Load(); left != nil && len(*left) > 0 {
		conn, rest := (*left)[0], (*left)[1:]
		l.left.Store(&rest)
		return conn, nil
	}
	return nil, err
}

// Close implements net.Listener. Only the first call takes the last connections.
func (l *lastCalls) Close() error {
	none := []net.Conn{}
	if l.left.CompareAndSwap(nil, &none) {
		left := pending(l.below)
		l.left.Store(&left)
	}
	return l.Listener.Close()
}
