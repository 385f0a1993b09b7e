package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/devstack"
)

// serve runs a stack for everybody who holds a lease: a connection to the unix socket, on which the endpoints are
// written once. When nobody has held one for the idle time the stack ends and its folder is removed, so a folder that
// holds something is refused.
func serve(ctx context.Context, options devstack.Options, socket string, idle time.Duration) error {
	entries, err := os.ReadDir(options.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look into the stack's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty, and --serve would remove it at the end", options.Dir)
	}
	stack, err := devstack.Start(ctx, options)
	if err != nil {
		return err
	}
	leases := &leaseCounter{idle: idle, expired: make(chan struct{})}
	leases.timer = time.AfterFunc(idle, func() { close(leases.expired) })
	leasing, cancel := context.WithCancel(ctx)
	defer cancel()
	supervised := make(chan error, 1)
	go func() {
		supervised <- stack.Supervise(leasing, tell)
		cancel() // a part that cannot be kept ends the leases
	}()
	err = leases.run(leasing, socket, announcement(stack)+"\n")
	cancel()
	return errors.Join(err, <-supervised, stack.Close(), devstack.Remove(options.Dir))
}

// leaseCounter counts the leases and runs out when there are none for the idle time.
type leaseCounter struct {
	idle    time.Duration
	expired chan struct{}

	mu    sync.Mutex
	held  int
	timer *time.Timer
}

// run hands out leases until the time has run out or ctx ends.
func (l *leaseCounter) run(ctx context.Context, socket, greeting string) error {
	if err := os.RemoveAll(socket); err != nil {
		return fmt.Errorf("remove the socket of an earlier stack: %w", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("listen for leases: %w", err)
	}
	go func() {
		select {
		case <-l.expired:
		case <-ctx.Done():
		}
		// Closing also removes the socket: from here on nobody finds this stack.
		_ = listener.Close()
	}()
	for {
		connection, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept a lease: %w", err)
		}
		if !l.take() {
			// It came in the moment of the end: without a greeting its holder starts another stack.
			_ = connection.Close()
			continue
		}
		go func() {
			defer l.give()
			defer connection.Close()
			if _, err := io.WriteString(connection, greeting); err == nil {
				_, _ = io.Copy(io.Discard, connection)
			}
		}()
	}
}

// take counts a lease, unless the time has run out.
func (l *leaseCounter) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == 0 && !l.timer.Stop() {
		return false
	}
	l.held++
	return true
}

func (l *leaseCounter) give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held--
	if l.held == 0 {
		l.timer.Reset(l.idle)
	}
}
