package stream_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

var _ stream.Attempts = (*catalog.DB)(nil)

// rig is a bus with streams of its own and a catalog of its own.
type rig struct {
	t    *testing.T
	env  *devtest.Env
	cfg  stream.Config
	conn *stream.Conn
	db   *catalog.DB
	raw  *nats.Conn
	js   jetstream.JetStream
}

func newRig(t *testing.T, change func(*stream.Config)) *rig {
	t.Helper()
	env := devtest.Start(t)
	r := &rig{t: t, env: env, cfg: stream.Config{
		URL: env.NATSURL, Prefix: env.Prefix, StreamPrefix: env.StreamPrefix,
		AckWait: 5 * time.Second, PublishWait: 2 * time.Second, PublishFor: 200 * time.Millisecond,
		RetryDelays: []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond},
		DeferDelay:  10 * time.Millisecond, ProbeEvery: 10 * time.Millisecond, PullWait: time.Second,
		ReconnectWait: 20 * time.Millisecond, Grace: 5 * time.Second,
	}}
	if change != nil {
		change(&r.cfg)
	}
	r.conn = r.connect()
	if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	db, err := catalog.Open(t.Context(), catalog.Config{URL: env.PostgresURL, Schema: env.Schema, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.db = db
	if r.raw, err = nats.Connect(env.NATSURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.raw.Close)
	if r.js, err = jetstream.New(r.raw); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) connect() *stream.Conn {
	r.t.Helper()
	conn, err := stream.Connect(r.t.Context(), r.cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return conn
}

// start runs a runner and returns how to stop it, which waits until it has drained.
func (r *rig) start(runner *stream.Runner, err error) (stop func()) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runner.Run(ctx); err != nil {
			r.t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	r.t.Cleanup(stop)
	return stop
}

func (r *rig) options(change ...func(*stream.Options)) stream.Options {
	o := stream.Options{Consumer: stream.ConsumerSplit, Service: "splitter", Workers: 2, Attempts: r.db}
	for _, f := range change {
		f(&o)
	}
	return o
}

// run starts a stage on the consumer split.
func (r *rig) run(s *stage, change ...func(*stream.Options)) (stop func()) {
	r.t.Helper()
	return r.start(stream.NewRunner(r.conn, s, r.options(change...)))
}

// say publishes a snapshot.stored for each name.
func (r *rig) say(names ...string) {
	r.t.Helper()
	for _, name := range names {
		if err := r.conn.Publisher("capturer").Emit(r.t.Context(), snapshot(name)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// settled waits until nothing waits for the consumer.
func (r *rig) settled(consumer string) {
	r.t.Helper()
	eventually(r.t, "the queue of "+consumer+" is empty", func() bool {
		q := r.queue(consumer)
		return q.Pending == 0 && q.AckPending == 0
	})
}

func (r *rig) queue(consumer string) stream.Queue {
	r.t.Helper()
	queues, err := r.conn.Queues(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, q := range queues {
		if q.Consumer == consumer {
			return q
		}
	}
	r.t.Fatalf("no queue of %s in %v", consumer, queues)
	return stream.Queue{}
}

// dead returns the dead letters.
func (r *rig) dead() []stream.Dead {
	r.t.Helper()
	var all []stream.Dead
	err := r.conn.ListDead(r.t.Context(), "", "", func(d stream.Dead) error {
		all = append(all, d)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// stored returns how many messages a stream holds.
func (r *rig) stored(name string) uint64 {
	r.t.Helper()
	s, err := r.js.Stream(r.t.Context(), r.env.StreamPrefix+name)
	if err != nil {
		r.t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// spoil delivers the next message of a consumer n times and records nothing,
// as processes do that are killed.
func (r *rig) spoil(streamName, consumer string, n int) {
	r.t.Helper()
	c, err := r.js.Consumer(r.t.Context(), r.env.StreamPrefix+streamName, consumer)
	if err != nil {
		r.t.Fatal(err)
	}
	for range n {
		m, err := c.Next(jetstream.FetchMaxWait(devtest.Patience))
		if err != nil {
			r.t.Fatal(err)
		}
		if err := m.Nak(); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.raw.Flush(); err != nil {
		r.t.Fatal(err)
	}
}

// remembered reports whether the catalog has a row about a message.
func (r *rig) remembered(name string) bool {
	r.t.Helper()
	starts, returned, err := r.db.AttemptSeen(r.t.Context(), stream.ConsumerSplit, msgID(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return returned || starts > 0
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(devtest.Patience)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for !met() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("gave up waiting: %s", what)
		}
	}
}

func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(devtest.Patience):
		t.Fatalf("gave up waiting: %s", what)
		panic("unreachable")
	}
}

// failure is a call of Fail.
type failure struct {
	name     string
	reason   fault.Reason
	sentence string
}

// stage is a handler made of functions; those that are nil do nothing.
type stage struct {
	handle func(ctx context.Context, name string, emit stream.Emit) error
	fail   func(ctx context.Context, f failure, emit stream.Emit) error

	handled  atomic.Int64
	mu       sync.Mutex
	failures []failure
	events   []event.Event
}

func (s *stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	s.handled.Add(1)
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	if s.handle == nil {
		return nil
	}
	return s.handle(ctx, nameOf(e), emit)
}

func (s *stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	f := failure{nameOf(e), reason, sentence}
	s.mu.Lock()
	s.failures = append(s.failures, f)
	s.mu.Unlock()
	if s.fail == nil {
		return nil
	}
	return s.fail(ctx, f, emit)
}

func (s *stage) failed() []failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]failure(nil), s.failures...)
}

func nameOf(e event.Event) string {
	d, err := event.As[event.SnapshotStored](e)
	if err != nil {
		return err.Error()
	}
	return d.SnapshotID
}

func snapshot(name string) event.SnapshotStored {
	return event.SnapshotStored{SnapshotID: name, SourceID: "town", DocumentID: "doc_1", ContentHash: "sha256:00", FinalType: "html"}
}

func page(name string) event.PageSplit {
	return event.PageSplit{SnapshotID: name, SourceID: "town", ExtractionID: "x", Pages: model.PageRange{From: 1, To: 1}, PageCount: 1}
}

func msgID(name string) string { return fmt.Sprintf("%s:%s", event.TypeSnapshotStored, name) }
