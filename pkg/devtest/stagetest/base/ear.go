package base

import (
	"context"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
)

// Ear hears what a stage says. It may be used by several goroutines.
type Ear struct {
	mu     sync.Mutex
	said   []event.Data
	refuse func(n int, d event.Data) error
}

// Emit is the stage's way to publish.
func (e *Ear) Emit(_ context.Context, d event.Data) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refuse != nil {
		if err := e.refuse(len(e.said), d); err != nil {
			return err
		}
	}
	e.said = append(e.said, d)
	return nil
}

// Refuse asks f from now on before an event counts as published; n is how many were
// since they were last heard. An error is what Emit returns. nil: none is refused.
func (e *Ear) Refuse(f func(n int, d event.Data) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse = f
}

// Heard returns what was said since the last call, in its order.
func (e *Ear) Heard() []event.Data {
	e.mu.Lock()
	defer e.mu.Unlock()
	said := e.said
	e.said = nil
	return said
}

// Event returns d as an event that was published now.
func (w *World) Event(d event.Data) event.Event {
	w.Helper()
	e, err := event.New("test", d, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// Aged returns an event as if it was published so long ago that what it names and is
// not in the catalog does not come any more.
func (w *World) Aged(e event.Event) event.Event {
	e.Time = e.Time.Add(-time.Hour)
	return e
}
