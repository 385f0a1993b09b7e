package vectorstore

import (
	"context"
	"sync"
)

// Lazy is a client that connects when it is first needed, so that a process starts,
// and does what needs no vectors, while the store is away. It is safe for concurrent
// use.
type Lazy struct {
	config Config

	mu     sync.Mutex
	opened *Client
}

// NewLazy returns a client that is not connected yet.
func NewLazy(config Config) *Lazy { return &Lazy{config: config} }

// Client returns the connection, which is made when there is none yet. The errors are
// those of Open; the next call tries again.
func (l *Lazy) Client(ctx context.Context) (*Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		client, err := Open(ctx, l.config)
		if err != nil {
			return nil, err
		}
		l.opened = client
	}
	return l.opened, nil
}

// Ping connects and asks for a sign of life.
func (l *Lazy) Ping(ctx context.Context) error {
	client, err := l.Client(ctx)
	if err == nil {
		_, err = client.Ping(ctx)
	}
	return err
}

// Close closes the connection, if there is one.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	return l.opened.Close()
}
