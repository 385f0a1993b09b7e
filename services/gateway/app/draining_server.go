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

// drainingServer is where requests come in, from the first to the last.
type drainingServer struct {
	server   *http.Server
	listener *drainingListener
	drain    time.Duration // for which requests are still taken when it is told to stop
	grace    time.Duration // for which answers under way are waited for after that
	stopping atomic.Bool

	mu     sync.Mutex
	asking map[net.Conn]bool // connections on which a request is read or answered
}

// newDrainingServer lets a server serve a TCP listener, c.Conns connections at once; more wait.
func newDrainingServer(listener net.Listener, server *http.Server, c HTTP) *drainingServer {
	d := &drainingServer{
		listener: &drainingListener{Listener: netutil.LimitListener(listener, c.Conns), below: listener},
		server:   server, drain: c.Drain, grace: c.Grace, asking: map[net.Conn]bool{},
	}
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.stopping.Load() {
			w.Header().Set("Connection", "close") // the client makes its next one elsewhere
		}
		handler.ServeHTTP(w, r)
	})
	server.ConnState = d.noteConnection
	return d
}

// noteConnection is told what becomes of each connection.
func (d *drainingServer) noteConnection(conn net.Conn, state http.ConnState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		d.asking[conn] = true
	} else {
		delete(d.asking, conn)
	}
}

// isIdle reports whether no request is read or answered.
func (d *drainingServer) isIdle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.asking) == 0
}

// serveUntilStopped answers requests until ctx ends. Then it goes on for the time of drain, in which
// whoever hands out requests notices that this process is not ready, and says goodbye with
// each answer; it closes the listener, answers all who have come before, and returns nil.
func (d *drainingServer) serveUntilStopped(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- d.serveListener() }()
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
	d.awaitIdle()
	return errors.Join(err, d.server.Close()) // connections that nobody uses, and answers that the grace has cut
}

// serveListener answers requests until the listener is closed, with TLS where there is a
// certificate.
func (d *drainingServer) serveListener() error {
	if d.server.TLSConfig == nil {
		return d.server.Serve(d.listener)
	}
	return d.server.ServeTLS(d.listener, "", "")
}

// quietLook is the time between two looks whether all answers have been given.
const quietLook = 5 * time.Millisecond

// awaitIdle waits for answers under way, as long as the grace. The server's own Shutdown
// would not do: it drops who has connected and whose request it has not read yet.
func (d *drainingServer) awaitIdle() {
	grace := time.NewTimer(d.grace)
	defer grace.Stop()
	look := time.NewTicker(quietLook)
	defer look.Stop()
	for !d.isIdle() {
		select {
		case <-look.C:
		case <-grace.C:
			return
		}
	}
}

// drainingListener is a listener that loses nobody when it is closed: who has connected, and was
// not accepted yet, would be reset by the kernel. Accept returns them after Close, before
// it returns an error.
type drainingListener struct {
	net.Listener
	below net.Listener // of the system, where connections wait
	left  atomic.Pointer[[]net.Conn]
}

// Accept implements net.Listener.
func (l *drainingListener) Accept() (net.Conn, error) {
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
func (l *drainingListener) Close() error {
	none := []net.Conn{}
	if l.left.CompareAndSwap(nil, &none) {
		left := acceptPending(l.below)
		l.left.Store(&left)
	}
	return l.Listener.Close()
}
