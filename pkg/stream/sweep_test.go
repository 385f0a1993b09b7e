package stream_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// requests handles capture requests; those of a name that begins with b cannot
// be handled.
type requests struct{ handled chan string }

func (h *requests) Handle(_ context.Context, e event.Event, _ stream.Emit) error {
	r, err := event.As[event.CaptureRequested](e)
	if err != nil {
		return err
	}
	h.handled <- r.RequestID
	if r.RequestID[0] == 'b' {
		return fault.Permanent(fault.Internal, fmt.Errorf("cannot be"))
	}
	return nil
}

func (h *requests) Fail(context.Context, event.Event, fault.Reason, string, stream.Emit) error {
	return nil
}

// TestRequestsAreSwept: what is done is swept out of its queue, and nothing else.
func TestRequestsAreSwept(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	h := &requests{handled: make(chan string, 40)}
	stop := r.start(stream.NewRunner(r.conn, h, r.options(func(o *stream.Options) { o.Consumer = stream.ConsumerCapture })))
	for round := range 3 {
		for n := range 10 {
			for _, name := range []string{"a", "b"} {
				r.emit(event.CaptureRequested{RequestID: fmt.Sprint(name, round, n), SourceID: "town", URL: "https://town.example/"})
			}
		}
		for range 20 {
			receive(t, "a request", h.handled)
		}
		r.settled(stream.ConsumerCapture)
		if round == 1 {
			stop() // as a process that is told to stop
			r.start(stream.NewRunner(r.conn, h, r.options(func(o *stream.Options) { o.Consumer = stream.ConsumerCapture })))
		}
	}
	if n := len(r.dead()); n != 30 {
		t.Errorf("%d dead letters", n)
	}
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"REQUESTS")
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context(), jetstream.WithDeletedDetails(true))
	if err != nil || info.State.LastSeq != 60 {
		t.Errorf("%+v, %v", info, err)
	}
	if len(h.handled) > 0 {
		t.Errorf("%s came twice", <-h.handled)
	}
}
