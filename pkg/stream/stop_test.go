package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestNothingIsDroppedAtAStop stops runners again and again while messages come in: when
// one has stopped no message is out, so that none waits until the server misses its
// acknowledgement, and each was delivered once.
func TestNothingIsDroppedAtAStop(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]bool{"one by one": false, "in batches": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const stops = 25
			r := newRig(t, func(c *stream.Config) { c.AckWait = time.Minute; c.BatchSize = 4; c.BatchWait = time.Millisecond })
			ctx, cancel := context.WithCancel(t.Context())
			var said atomic.Int64
			var saying sync.WaitGroup
			saying.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					if err := r.conn.Publisher("capturer").Emit(t.Context(), snapshot(fmt.Sprint("s", n))); err != nil {
						t.Error(err)
						return
					}
					said.Add(1)
				}
			})
			defer saying.Wait()
			defer cancel()
			s := &stage{}
			start := func() func() {
				if batch {
					return r.start(stream.NewBatchRunner(r.conn, &together{s}, r.options(func(o *stream.Options) { o.Workers = 3 })))
				}
				return r.run(s, func(o *stream.Options) { o.Workers = 3 })
			}
			for n := range stops {
				before := s.handled.Load()
				stop := start()
				eventually(t, "it works", func() bool { return s.handled.Load() > before+int64(n%7) })
				stop()
				if q := r.queue(stream.ConsumerSplit); q.AckPending > 0 {
					t.Fatalf("after stop %d: %d messages are out and in nobody's hands", n, q.AckPending)
				}
			}
			cancel()
			saying.Wait()
			stop := start()
			r.settled(stream.ConsumerSplit)
			stop()
			if s.handled.Load() != said.Load() {
				t.Errorf("%d messages were handled %d times", said.Load(), s.handled.Load())
			}
		})
	}
}

// together handles what a stage does, in batches.
type together struct{ *stage }

func (b *together) HandleBatch(ctx context.Context, events []event.Event, emit stream.Emit) []error {
	results := make([]error, len(events))
	for i, e := range events {
		results[i] = b.Handle(ctx, e, emit)
	}
	return results
}

// TestAStopHandsBack: what cannot be ended within the grace, and what waits for something
// that is away, is another's at once, not when the server misses its acknowledgement.
func TestAStopHandsBack(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(context.Context, string, stream.Emit) error{
		"cut off": func(ctx context.Context, _ string, _ stream.Emit) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"away": func(context.Context, string, stream.Emit) error {
			return fault.Unavailable(errors.New("away"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(c *stream.Config) { c.Grace = 30 * time.Millisecond; c.AckWait = time.Hour })
			first := &stage{handle: handle}
			stop := r.run(first, func(o *stream.Options) { o.Probe = func(context.Context) error { return errors.New("away") } })
			r.say("a")
			eventually(t, "it is in hand", func() bool { return r.queue(stream.ConsumerSplit).AckPending == 1 })
			stop()
			next := &stage{}
			r.run(next)
			eventually(t, "another handles it", func() bool { return next.handled.Load() == 1 })
			r.settled(stream.ConsumerSplit)
		})
	}
}
