package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
)

// errUnheard ends a command whose output nobody reads any more, as behind head.
var errUnheard = errors.New("nobody reads the output")

// heard ends the command by its context when nobody reads what it writes.
type heard struct {
	io.Writer
	cancel context.CancelCauseFunc
}

// Write is io.Writer.
func (w heard) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.cancel(errUnheard)
	}
	return n, err
}

// told remembers that what was written has not arrived: what is printed for people
// is not asked line by line.
type told struct {
	io.Writer
	mu  sync.Mutex
	err error
}

// Write is io.Writer.
func (w *told) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// failed is the first error of writing.
func (w *told) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
