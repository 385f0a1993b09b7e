package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Options of a runner. Consumer, Service and Attempts must be given.
type Options struct {
	Consumer   string        // one of the consumers (contracts#stream-table)
	Service    string        // whose events these are: ce-source /colophon/{service}
	Workers    int           // how many messages (or batches) are in hand at once, default 1
	Deadline   time.Duration // of one handling; 0: none
	Attempts   Attempts
	Probe      func(ctx context.Context) error // whether the stage's stores are there; the bus is asked anyway
	Quarantine *Quarantine                     // shared by the runners of one process; nil: its own
	Logger     *slog.Logger                    // nil: quiet
	Tracer     trace.Tracer                    // nil: none
	Meter      metric.Meter                    // nil: none
	// Emitted is told of each event that a handling has published, also again. May be nil.
	Emitted func(ctx context.Context, data event.Data)
}

// Runner pulls the messages of one consumer, hands them to a stage and decides
// what becomes of them: the only place that acks (contracts#decide). What a stage's
// error means is documented with the kinds of pkg/fault; the table is decide.
type Runner struct {
	conn       *Conn
	spec       spec
	own        consumerSpec
	consumer   string
	workers    int
	batch      int // messages of one pull
	ackWait    time.Duration
	deadline   time.Duration
	attempts   Attempts
	probe      func(ctx context.Context) error
	quarantine *Quarantine
	failer     Failer
	work       work // decorated
	publisher  *Publisher
	logger     *slog.Logger
	tracer     trace.Tracer
	meters     *meters
	emitted    func(ctx context.Context, data event.Data)
	gate       *gate            // shut while un-ready
	turn       chan struct{}    // held by the worker that fills a batch
	begin      func()           // opens gate when the consumer is found
	queue      jetstream.Stream // of a work queue, whose files are swept
	sweeping   sync.Mutex
	swept      sweptQueue
}

// NewRunner returns a runner for a stage that handles one event at a time.
// Each worker pulls one message when it is free and never ahead, since what is
// buffered has no keep-alive.
func NewRunner(conn *Conn, h Handler, o Options) (*Runner, error) {
	r, err := newRunner(conn, h, o)
	if err != nil {
		return nil, err
	}
	r.batch = 1
	r.work = r.guard(r.consumer, func(ctx context.Context, ds []*delivery) ([]error, error) {
		return []error{h.Handle(ctx, ds[0].event, r.emit(ds))}, nil
	})
	return r, nil
}

// NewBatchRunner returns a runner for a stage that handles events together.
// Each worker pulls up to Config.BatchSize messages or waits Config.BatchWait
// for more after the first; each has its own keep-alive and its own result.
// Workers pull one after the other: two that wait at once would share what
// belongs together.
func NewBatchRunner(conn *Conn, h BatchHandler, o Options) (*Runner, error) {
	r, err := newRunner(conn, h, o)
	if err != nil {
		return nil, err
	}
	r.batch = conn.cfg.BatchSize
	r.work = r.guard(r.consumer, func(ctx context.Context, ds []*delivery) ([]error, error) {
		events := make([]event.Event, len(ds))
		for i, d := range ds {
			events[i] = d.event
		}
		results := h.HandleBatch(ctx, events, r.emit(ds))
		if len(results) != len(ds) {
			return nil, fault.TransientFor(fault.Internal, 0, fmt.Errorf("the stage gave %d results for %d events", len(results), len(ds)))
		}
		return results, nil
	})
	return r, nil
}

func newRunner(conn *Conn, f Failer, o Options) (*Runner, error) {
	s, own, found := findConsumer(o.Consumer)
	switch {
	case !found:
		return nil, fmt.Errorf("no stream has a consumer %q", o.Consumer)
	case o.Service == "":
		return nil, errors.New("a runner needs the name of its service")
	case o.Attempts == nil:
		return nil, errors.New("a runner needs a place to count attempts")
	}
	def(&o.Workers, 1)
	if o.Probe == nil {
		o.Probe = func(context.Context) error { return nil }
	}
	if o.Quarantine == nil {
		o.Quarantine = NewQuarantine()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Emitted == nil {
		o.Emitted = func(context.Context, event.Data) {}
	}
	if o.Tracer == nil {
		o.Tracer = tracenoop.NewTracerProvider().Tracer("")
	}
	r := &Runner{
		conn: conn, spec: s, own: own, consumer: o.Consumer, workers: o.Workers, ackWait: conn.cfg.AckWait,
		deadline: o.Deadline, attempts: o.Attempts, probe: o.Probe, quarantine: o.Quarantine,
		failer: f, publisher: conn.Publisher(o.Service), logger: o.Logger, tracer: o.Tracer,
		meters: newMeters(o.Meter, o.Consumer), gate: newGate(), turn: make(chan struct{}, 1),
		emitted: o.Emitted,
	}
	r.begin = r.gate.hold(errors.New("not started"))
	r.conn.meters.mayBury(o.Consumer)
	if err := r.tellHeld(o.Meter); err != nil {
		return nil, err
	}
	return r, nil
}

// guard puts the decorators around work; span names it in traces.
func (r *Runner) guard(span string, next work) work {
	return traced(r.tracer, r.consumer, span, timed(r.meters, recovered(r.logger, deadline(r.deadline, next))))
}

// Ready answers whether the runner works: the bus is there, it does not wait for
// something that is away, its stream is as Provision makes it and its own consumer
// exists, and the stage's stores answer. It asks for them now: both may have been
// deleted since Run found them. The error names all that is missing.
func (r *Runner) Ready(ctx context.Context) error {
	own := r.ownReady(ctx)
	stores := r.probe(ctx)
	if own != nil && stores != nil && strings.Contains(own.Error(), stores.Error()) {
		return own // it waits for just that
	}
	return errors.Join(own, stores)
}

// ownReady is Ready without the stage's stores.
func (r *Runner) ownReady(ctx context.Context) error {
	if err := r.conn.Ready(ctx); err != nil {
		return err
	}
	err := r.gate.why()
	if err == nil {
		err = r.conn.verify(ctx, r.spec, r.own)
	}
	if err != nil {
		return fmt.Errorf("consumer %s: %w", r.consumer, err)
	}
	return nil
}

// Run works until ctx ends, then drains: it pulls no more, lets the handlers
// in flight finish for Config.Grace, ends their contexts, hands back what they had, and
// returns nil. A request for messages that is open ends within Config.PullWait. It
// returns an error when handlers go on all the same. While the stream is not as
// Provision makes it, or the consumer is missing, it stays un-ready and asks again.
func (r *Runner) Run(ctx context.Context) error {
	r.meters.running.Store(true)
	defer r.meters.running.Store(false)
	consumer, ok := r.find(ctx)
	if !ok {
		return nil
	}
	defer func() { r.gate.hold(errors.New("stopped")) }()
	r.begin()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var workers sync.WaitGroup
	for range r.workers {
		workers.Go(func() { r.pullAll(ctx, work, consumer) })
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		workers.Wait()
	}()
	<-ctx.Done()
	if within(ended, r.conn.cfg.Grace) {
		r.sweep(work)
		return nil
	}
	cancel()
	if within(ended, r.conn.cfg.PullWait+ackTries*r.conn.cfg.PublishWait) {
		return nil
	}
	return fmt.Errorf("handlers of %s did not end within %s", r.consumer, r.conn.cfg.Grace)
}

func within(ended <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// find asks for the consumer until it is there and its stream is as it must be.
func (r *Runner) find(ctx context.Context) (jetstream.Consumer, bool) {
	for {
		err := r.conn.verify(ctx, r.spec, r.own)
		if err == nil {
			var consumer jetstream.Consumer
			consumer, err = r.conn.js.Consumer(ctx, r.conn.streamName(r.spec.name), r.consumer)
			if err == nil && r.spec.queue {
				r.queue, err = r.conn.js.Stream(ctx, r.conn.streamName(r.spec.name))
			}
			if err == nil {
				r.ackWait = consumer.CachedInfo().Config.AckWait
				return consumer, true
			}
		}
		release := r.gate.hold(err)
		r.begin() // says less than err
		r.logger.WarnContext(ctx, "consumer cannot be used", "consumer", r.consumer, "error", err)
		ok := wait(ctx, r.conn.cfg.ProbeEvery)
		r.begin = release
		if !ok {
			return nil, false
		}
	}
}

// pullAll is one worker. ctx ends its pulling, work its handling.
func (r *Runner) pullAll(ctx, work context.Context, consumer jetstream.Consumer) {
	for {
		open, done, ok := through(ctx, r.conn.gate, r.quarantine.gate, r.gate)
		if !ok {
			return
		}
		messages, err := r.pull(ctx, open, consumer)
		shut := open.Err() != nil
		done()
		if len(messages) > 0 {
			r.take(work, ctx.Done(), messages)
		} else if err == nil {
			r.sweep(work)
		}
		if err != nil && !shut {
			release := r.gate.hold(unavailable(ctx, err))
			wait(ctx, r.conn.cfg.ProbeEvery)
			release()
		}
	}
}

// pull waits for a message, then, for a batch, a moment for more. Messages
// that came before an error are returned with it. When ctx ends, a request for
// messages that is open is not given up: what the server sends to somebody who has left
// is out, and in nobody's hands, until it misses the acknowledgement. So a stop waits as
// long as Config.PullWait, and what comes is handled. When open ends, a gate was shut,
// and the request is given up at once.
func (r *Runner) pull(ctx, open context.Context, consumer jetstream.Consumer) ([]jetstream.Msg, error) {
	if r.batch > 1 {
		select {
		case r.turn <- struct{}{}:
			defer func() { <-r.turn }()
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, nil
		}
	}
	bounded, cancel := context.WithTimeout(open, r.conn.cfg.PullWait)
	defer cancel()
	messages, err := fetch(consumer.Fetch(1, jetstream.FetchContext(bounded))) // which ends at the server a tenth sooner
	if bounded.Err() != nil {
		err = nil // over, or a gate was shut
	}
	if err != nil || len(messages) == 0 || r.batch == 1 || ctx.Err() != nil {
		return messages, err
	}
	more, err := fetch(consumer.Fetch(r.batch-1, jetstream.FetchMaxWait(r.conn.cfg.BatchWait)))
	return append(messages, more...), err
}

func fetch(batch jetstream.MessageBatch, err error) ([]jetstream.Msg, error) {
	if err != nil {
		return nil, err
	}
	var messages []jetstream.Msg
	for m := range batch.Messages() {
		messages = append(messages, m)
	}
	return messages, batch.Error()
}

// take sees messages through. What was delivered too often without being
// settled is handled after the others, each alone.
func (r *Runner) take(ctx context.Context, drain <-chan struct{}, messages []jetstream.Msg) {
	var usual, suspects []*delivery
	for _, m := range messages {
		d := r.receive(m)
		r.meters.pulled(ctx, d)
		if d.meta.NumDelivered > uint64(r.conn.cfg.QuarantineAfter) {
			suspects = append(suspects, d)
		} else {
			usual = append(usual, d)
		}
	}
	if len(usual) > 0 {
		release, ok := r.quarantine.share(ctx, drain)
		if ok {
			r.settle(ctx, drain, usual)
			release()
		} else {
			for _, d := range usual {
				r.leave(ctx, d)
			}
		}
	}
	for _, d := range suspects {
		r.suspect(ctx, drain, d)
	}
}

// attrs are what a log line about a message names.
func (d *delivery) attrs(more ...any) []any {
	return append([]any{
		"consumer", d.meta.Consumer, "message_id", d.event.MsgID, "event", d.event.ID,
		"source_id", d.event.SourceID, "deliveries", d.meta.NumDelivered,
	}, more...)
}
