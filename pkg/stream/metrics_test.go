package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestSizesAndDeadLetters: what the streams hold against their limits, what the account
// takes, and the dead letters by consumer.
func TestSizesAndDeadLetters(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		return fault.Permanent(fault.Internal, errors.New("broken"))
	}}
	r.run(s)
	r.say("a", "b")
	r.settled(stream.ConsumerSplit)
	sizes, err := r.conn.Sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, size := range sizes {
		names = append(names, size.Stream)
		switch size.Stream {
		case "REQUESTS":
			if size.Limit <= 0 {
				t.Errorf("%+v, want a limit", size)
			}
		case "SNAPSHOTS":
			if size.Messages != 2 || size.Bytes == 0 || size.Limit != 0 {
				t.Errorf("%+v, want two messages and no limit", size)
			}
		}
	}
	if !slices.Equal(names, instrument.Streams()) {
		t.Errorf("streams %v, the table of instruments has %v", names, instrument.Streams())
	}
	if used, _, err := r.conn.Storage(t.Context()); err != nil || used == 0 {
		t.Errorf("storage %d, %v", used, err)
	}
	dead, err := r.conn.CountDead(t.Context())
	if err != nil || dead[stream.ConsumerSplit] != 2 || dead[stream.ConsumerChunk] != 0 {
		t.Errorf("dead letters %v, %v", dead, err)
	}
	for _, consumer := range instrument.Consumers() {
		if _, known := dead[consumer]; !known {
			t.Errorf("there is no consumer %s", consumer)
		}
	}
	if len(dead) != len(instrument.Consumers()) {
		t.Errorf("consumers %v, the table of instruments has %v", dead, instrument.Consumers())
	}
}

// batchTraces has one batch handle events of several traces, and returns the spans of the
// stage, and the traces.
func batchTraces(t *testing.T, traces int) (spans []sdktrace.ReadOnlySpan, of []trace.TraceID) {
	t.Helper()
	r := newRig(t, func(c *stream.Config) { c.BatchWait, c.BatchSize = time.Minute, 4 })
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	for i, name := range []string{"a", "b", "c", "d"} {
		var ctx context.Context
		if i < traces {
			started, span := tracer.Start(t.Context(), "capture")
			span.End()
			of = append(of, span.SpanContext().TraceID())
			ctx = started
		} else {
			ctx = trace.ContextWithSpanContext(t.Context(), recorder.Ended()[traces-1].SpanContext())
		}
		if err := r.conn.Publisher("capturer").Emit(ctx, snapshot(name)); err != nil {
			t.Fatal(err)
		}
	}
	s := &batchStage{batch: func(names []string) []error { return make([]error, len(names)) }}
	r.start(stream.NewBatchRunner(r.conn, s, r.options(func(o *stream.Options) { o.Workers, o.Tracer = 1, tracer })))
	r.settled(stream.ConsumerSplit)
	for _, span := range recorder.Ended() {
		if span.Name() == stream.ConsumerSplit {
			spans = append(spans, span)
		}
	}
	return spans, of
}

// TestABatchOfOneTraceContinuesIt: it has one span, in the trace of its events.
func TestABatchOfOneTraceContinuesIt(t *testing.T) {
	t.Parallel()
	spans, of := batchTraces(t, 1)
	if len(spans) != 1 || spans[0].SpanContext().TraceID() != of[0] {
		t.Errorf("%d spans, the first of trace %s, want one of %s", len(spans), spans[0].SpanContext().TraceID(), of[0])
	}
}

// TestABatchOfSeveralTracesHasASpanInEach, and one of its own with a link to each.
func TestABatchOfSeveralTracesHasASpanInEach(t *testing.T) {
	t.Parallel()
	spans, of := batchTraces(t, 3)
	for _, id := range of {
		if !slices.ContainsFunc(spans, func(s sdktrace.ReadOnlySpan) bool { return s.SpanContext().TraceID() == id && len(s.Links()) == 1 }) {
			t.Errorf("trace %s has no span of the batch", id)
		}
	}
	if len(spans) != 4 || !slices.ContainsFunc(spans, func(s sdktrace.ReadOnlySpan) bool { return len(s.Links()) == 3 }) {
		t.Errorf("%d spans, want one in each of three traces and one that links to them", len(spans))
	}
}

// TestContinue: ctx is within the trace of the event, but where it is already, or there is
// none.
func TestContinue(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test").Start(t.Context(), "x")
	defer span.End()
	other := event.Event{Trace: map[string]string{event.HeaderTraceParent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"}}
	if got := trace.SpanContextFromContext(stream.Continue(ctx, other)).TraceID().String(); got != "0123456789abcdef0123456789abcdef" {
		t.Errorf("trace %s", got)
	}
	same := event.Event{Trace: map[string]string{event.HeaderTraceParent: "00-" + span.SpanContext().TraceID().String() + "-0123456789abcdef-01"}}
	for _, e := range []event.Event{{}, same} {
		if trace.SpanContextFromContext(stream.Continue(ctx, e)).SpanID() != span.SpanContext().SpanID() {
			t.Error("the span is another")
		}
	}
}
