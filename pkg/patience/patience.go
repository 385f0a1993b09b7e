// Package patience ends connections whose other side has gone silent: one that
// neither answers nor closes, as after a cable was pulled or a machine has
// stopped, would else be waited for until the kernel gives it up, a quarter of an
// hour later or never.
package patience

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrSilent says that a connection was closed because nothing came or went on it
// for too long. It is no timeout of the caller: the connection is of no use any
// more.
var ErrSilent = errors.New("the other side was silent for too long")

// Dial is what makes a connection.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Limit returns a Dial whose connections are closed when a read or a write is
// under way and for the whole of silence none made progress, in either direction.
// Where nobody reads or writes a connection may stay silent for as long as it
// likes. Reads and writes that are ended so, and those after it, fail with a
// *net.OpError of ErrSilent.
func Limit(dial Dial, silence time.Duration) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		limited := &conn{Conn: c, silence: silence}
		limited.timer = time.AfterFunc(silence, limited.giveUp)
		limited.timer.Stop()
		return limited, nil
	}
}

// conn is a connection with a limit on its silence.
type conn struct {
	net.Conn
	silence time.Duration
	timer   *time.Timer // runs while something is under way

	mu       sync.Mutex
	underWay int // reads and writes
	silent   bool
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	c.begin()
	n, err := c.Conn.Read(p)
	return n, c.end("read", err)
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	c.begin()
	n, err := c.Conn.Write(p)
	return n, c.end("write", err)
}

func (c *conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay++
	c.timer.Reset(c.silence)
}

func (c *conn) end(what string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay--; c.underWay == 0 {
		c.timer.Stop()
	} else {
		c.timer.Reset(c.silence)
	}
	if err != nil && c.silent {
		return &net.OpError{Op: what, Net: c.RemoteAddr().Network(), Addr: c.RemoteAddr(), Err: ErrSilent}
	}
	return err
}

// giveUp closes the connection, unless what was waited for has just come.
func (c *conn) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay == 0 {
		return
	}
	c.silent = true
	_ = c.Conn.Close() // whoever reads or writes hears of it
}
