package stream_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestKeepAliveOutlastsAckWait(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.AckWait = 600 * time.Millisecond })
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		<-time.After(2 * time.Second) // the work itself
		return nil
	}}
	r.run(s)
	r.say("slow")
	eventually(t, "it is handled", func() bool { return s.handled.Load() > 0 })
	r.settled(stream.ConsumerSplit)
	if n := s.handled.Load(); n != 1 {
		t.Errorf("handled %d times, want once", n)
	}
}

func TestAWorkerHoldsOneMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	release := make(chan struct{})
	s := &stage{handle: func(context.Context, string, stream.Emit) error { <-release; return nil }}
	r.say("a", "b", "c", "d", "e")
	r.run(s)
	eventually(t, "both workers are busy", func() bool { return s.handled.Load() == 2 })
	if q := r.queue(stream.ConsumerSplit); q.AckPending != 2 || q.Pending != 3 || q.Oldest == nil {
		t.Errorf("queue %+v, want two in hand, three waiting and an oldest", q)
	}
	close(release)
	r.settled(stream.ConsumerSplit)
	if n := s.handled.Load(); n != 5 {
		t.Errorf("%d handlings, want 5", n)
	}
}

func TestDrainLetsHandlersFinish(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	release, started := make(chan struct{}), make(chan struct{}, 2)
	var ended atomic.Int64
	s := &stage{handle: func(ctx context.Context, _ string, _ stream.Emit) error {
		started <- struct{}{}
		<-release
		ended.Add(1)
		return ctx.Err()
	}}
	stop := r.run(s)
	r.say("a", "b", "c")
	receive(t, "a start", started)
	receive(t, "a start", started)
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	select {
	case <-stopped:
		t.Error("stopped with two messages in hand")
	case <-time.After(500 * time.Millisecond): // time enough to be told on a busy machine
	}
	close(release)
	receive(t, "the end", stopped)
	if q := r.queue(stream.ConsumerSplit); ended.Load() != 2 || q.Pending+uint64(q.AckPending) != 1 {
		t.Errorf("%d ended, queue %+v, want two and one left", ended.Load(), q)
	}
}

func TestDrainEndsHandlersAfterGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.Grace = 30 * time.Millisecond; c.AckWait = 300 * time.Millisecond })
	started := make(chan struct{}, 1)
	s := &stage{handle: func(ctx context.Context, _ string, _ stream.Emit) error {
		started <- struct{}{}
		<-ctx.Done()
		return fault.Permanent(fault.Internal, errors.New("cut off"))
	}}
	stop := r.run(s)
	r.say("a")
	receive(t, "the start", started)
	stop()
	if len(s.failed()) != 0 || len(r.dead()) != 0 {
		t.Errorf("a handling that was told to stop has failed: %v", s.failed())
	}
	next := &stage{}
	r.run(next)
	eventually(t, "the server delivers again", func() bool { return next.handled.Load() == 1 })
	r.settled(stream.ConsumerSplit)
}

func TestADrainDoesNotWaitForWhatIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.Grace = time.Hour })
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		return fault.Unavailable(errors.New("away"))
	}}
	stop := r.run(s, func(o *stream.Options) { o.Probe = func(context.Context) error { return errors.New("away") } })
	r.say("a")
	eventually(t, "it is handled", func() bool { return s.handled.Load() == 1 })
	stop()
}

func TestARedeliveredMessagePublishesAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{}
	s.handle = func(ctx context.Context, name string, emit stream.Emit) error {
		if err := emit(ctx, page(name)); err != nil {
			return err
		}
		if s.handled.Load() == 1 {
			return fault.Defer(time.Millisecond, errors.New("the ack is lost"))
		}
		return nil
	}
	r.run(s)
	r.say("snap")
	eventually(t, "it is handled twice", func() bool { return s.handled.Load() == 2 })
	r.settled(stream.ConsumerSplit)
	if n := r.stored("PAGES"); n != 1 {
		t.Errorf("%d events within the duplicate window, want 1", n)
	}
}

func TestDuplicatesAreSwallowedWithinTheWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.say("snap", "snap", "other")
	if n := r.stored("SNAPSHOTS"); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

func TestARedriveFlowsThroughTheChain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{handle: func(ctx context.Context, name string, emit stream.Emit) error { return emit(ctx, page(name)) }}
	r.run(s)
	e, err := event.New("gateway", snapshot("snap"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []event.Event{e, e.Redrive(3)} {
		if err := r.conn.Publisher("gateway").Publish(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	r.settled(stream.ConsumerSplit)
	sub, err := r.conn.Subscribe(t.Context(), stream.FollowOptions{Nouns: []string{"page"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	var ids []string
	for range 2 {
		got, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, strings.TrimPrefix(got.Event.MsgID, got.Event.ID))
	}
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"", ";r3"}) {
		t.Errorf("suffixes %q, want none and ;r3", ids)
	}
}

func TestOneTraceThroughAStage(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, span := tracer.Start(t.Context(), "capture")
	if err := r.conn.Publisher("capturer").Emit(ctx, snapshot("snap")); err != nil {
		t.Fatal(err)
	}
	span.End()
	s := &stage{handle: func(ctx context.Context, name string, emit stream.Emit) error { return emit(ctx, page(name)) }}
	r.run(s, func(o *stream.Options) { o.Tracer = tracer })
	sub, err := r.conn.Subscribe(t.Context(), stream.FollowOptions{Types: []string{event.TypePageSplit}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	got, err := sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	trace := span.SpanContext().TraceID().String()
	if parent := got.Event.Trace[event.HeaderTraceParent]; !strings.Contains(parent, trace) {
		t.Errorf("traceparent %q, want trace %s", parent, trace)
	}
	eventually(t, "the span has ended", func() bool { return len(recorder.Ended()) == 2 })
	if got := recorder.Ended()[1]; got.Parent().SpanID() != span.SpanContext().SpanID() || got.Name() != "split" {
		t.Errorf("span %s with parent %s", got.Name(), got.Parent().SpanID())
	}
}

// batchStage is a BatchHandler made of functions.
type batchStage struct {
	stage
	batch func(names []string) []error
	sizes []int
}

func (s *batchStage) HandleBatch(_ context.Context, events []event.Event, _ stream.Emit) []error {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = nameOf(e)
	}
	s.mu.Lock()
	s.sizes = append(s.sizes, len(names))
	s.mu.Unlock()
	return s.batch(names)
}

func TestABatchHasAResultForEachMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.BatchWait = 50 * time.Millisecond })
	var mu sync.Mutex
	handled := make(map[string]int)
	s := &batchStage{batch: func(names []string) []error {
		mu.Lock()
		defer mu.Unlock()
		results := make([]error, len(names))
		for i, name := range names {
			handled[name]++
			switch {
			case name == "locked":
				results[i] = fault.Permanent(fault.Encrypted, errors.New("locked"))
			case name == "flaky" && handled[name] < 3:
				results[i] = fault.Transient(errors.New("flaky"))
			case name == "away" && handled[name] < 3:
				results[i] = fault.Unavailable(errors.New("away"))
			}
		}
		return results
	}}
	r.say("good", "locked", "flaky", "away", "fine")
	r.start(stream.NewBatchRunner(r.conn, s, r.options(func(o *stream.Options) { o.Workers = 1 })))
	r.settled(stream.ConsumerSplit)
	mu.Lock()
	defer mu.Unlock()
	for name, want := range map[string]int{"good": 1, "locked": 1, "flaky": 3, "away": 3, "fine": 1} {
		if handled[name] != want {
			t.Errorf("%s handled %d times, want %d", name, handled[name], want)
		}
	}
	if f := s.failed(); len(f) != 1 || f[0].name != "locked" {
		t.Errorf("failures %v", f)
	}
	if s.sizes[0] < 2 {
		t.Errorf("sizes of batches %v, want more than one in the first", s.sizes)
	}
}

func TestWorkersDoNotDivideABatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.BatchWait, c.BatchSize = time.Minute, 6 })
	s := &batchStage{batch: func(names []string) []error { return make([]error, len(names)) }}
	r.start(stream.NewBatchRunner(r.conn, s, r.options(func(o *stream.Options) { o.Workers = 3 })))
	r.say("a", "b", "c", "d", "e", "f")
	r.settled(stream.ConsumerSplit)
	if !slices.Equal(s.sizes, []int{6}) {
		t.Errorf("sizes of batches %v, want one of all", s.sizes)
	}
}

func TestABatchThatPanicsTakesNoNeighboursWithIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.BatchWait = 50 * time.Millisecond })
	var done sync.Map
	s := &batchStage{batch: func(names []string) []error {
		if slices.Contains(names, "killer") {
			panic("poison")
		}
		for _, name := range names {
			done.Store(name, true)
		}
		return make([]error, len(names))
	}}
	var names []string
	for i := range 8 {
		names = append(names, fmt.Sprint("n", i))
	}
	r.say(append(names, "killer")...)
	r.start(stream.NewBatchRunner(r.conn, s, r.options(func(o *stream.Options) { o.Workers = 1 })))
	eventually(t, "the killer has failed", func() bool { return len(s.failed()) > 0 })
	r.settled(stream.ConsumerSplit)
	if f := s.failed(); len(f) != 1 || f[0].name != "killer" || f[0].reason != fault.Internal {
		t.Errorf("failures %v, want the killer's only", f)
	}
	for _, name := range names {
		if _, ok := done.Load(name); !ok {
			t.Errorf("%s was not handled", name)
		}
	}
}

func TestARunnerSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, o := range []stream.Options{
		{Service: "splitter", Attempts: r.db},
		{Consumer: "nobody", Service: "splitter", Attempts: r.db},
		{Consumer: stream.ConsumerSplit, Attempts: r.db},
		{Consumer: stream.ConsumerSplit, Service: "splitter"},
	} {
		if _, err := stream.NewRunner(r.conn, &stage{}, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// refusing is a catalog that must not be asked.
type refusing struct{ t *testing.T }

func (a refusing) AttemptFailed(context.Context, string, string, string) (int, error) {
	a.t.Error("AttemptFailed is called")
	return 1, nil
}
func (a refusing) AttemptReturned(context.Context, string, string, string) error {
	a.t.Error("AttemptReturned is called")
	return nil
}
func (a refusing) AttemptSeen(context.Context, string, string) (int, bool, error) {
	a.t.Error("AttemptSeen is called")
	return 0, false, nil
}
func (a refusing) AttemptStarted(context.Context, string, string) (int, error) {
	a.t.Error("AttemptStarted is called")
	return 1, nil
}
func (a refusing) ClearAttempts(context.Context, string, string) error {
	a.t.Error("ClearAttempts is called")
	return nil
}

func TestFirstDeliveriesAskTheCatalogNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{handle: func(_ context.Context, name string, _ stream.Emit) error {
		if name == "locked" {
			return fault.Permanent(fault.Encrypted, errors.New("locked"))
		}
		return nil
	}}
	r.run(s, func(o *stream.Options) { o.Attempts = refusing{t} })
	r.say("a", "b", "locked")
	eventually(t, "all are handled", func() bool { return s.handled.Load() == 3 })
	r.settled(stream.ConsumerSplit)
}

func TestMetricsCountWorkAndFailures(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	reader := sdkmetric.NewManualReader()
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test")
	s := &stage{}
	s.handle = func(_ context.Context, name string, _ stream.Emit) error {
		switch {
		case name == "locked":
			return fault.Permanent(fault.Encrypted, errors.New("locked"))
		case name == "flaky" && s.handled.Load() == 1:
			return fault.Transient(errors.New("flaky"))
		}
		return nil
	}
	stop := r.run(s, func(o *stream.Options) { o.Meter = meter; o.Workers = 1 })
	r.say("flaky", "locked", "good")
	eventually(t, "all are handled", func() bool { return s.handled.Load() == 4 })
	r.settled(stream.ConsumerSplit)
	stop()
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for _, m := range data.ScopeMetrics[0].Metrics {
		switch d := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				name := m.Name
				for _, key := range []string{"outcome", "reason"} {
					if v, ok := p.Attributes.Value(attribute.Key(key)); ok {
						name += " " + v.AsString()
					}
				}
				got[name] = p.Value
			}
		case metricdata.Histogram[float64]:
			for _, p := range d.DataPoints {
				got[m.Name] += int64(p.Count)
			}
		}
	}
	want := map[string]int64{
		"colophon.work done": 2, "colophon.work retried": 1, "colophon.work failed": 1, "colophon.failures encrypted": 1,
		"colophon.queue.age": 3, "colophon.work.duration": 5, // four handlings and one Fail
		"colophon.redeliveries": 1,
	}
	maps.DeleteFunc(got, func(_ string, count int64) bool { return count == 0 }) // what has not happened yet is told, too
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
