package stream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// outcome is what became of a handling, as the metrics count it.
type outcome string

const (
	outcomeDone        outcome = "done"
	outcomeRetried     outcome = "retried"     // failed, will be tried again
	outcomeDeferred    outcome = "deferred"    // handed back without an attempt
	outcomeFailed      outcome = "failed"      // for good
	outcomeUnavailable outcome = "unavailable" // kept until what is away is back
	outcomeLeft        outcome = "left"        // the context ended
)

// meters are the instruments of one runner.
type meters struct {
	consumer     attribute.KeyValue
	all          metric.MeasurementOption // the labels of what has no other
	outcomes     instrument.Sets[outcome]
	results      instrument.Sets[string]
	age          metric.Float64Histogram
	duration     metric.Float64Histogram
	work         metric.Int64Counter
	failures     metric.Int64Counter
	redeliveries metric.Int64Counter
	running      atomic.Bool // whether Run was called: a consumer may be left to others
}

func newMeters(m metric.Meter, consumer string) *meters {
	label := attribute.String("consumer", consumer)
	made := &meters{
		consumer: label, all: metric.WithAttributeSet(attribute.NewSet(label)),
		age: instrument.Histogram(m, instrument.QueueAge), duration: instrument.Histogram(m, instrument.WorkDuration),
		work: instrument.Counter(m, instrument.Work), failures: instrument.Counter(m, instrument.Failures),
		redeliveries: instrument.Counter(m, instrument.Redeliveries),
	}
	made.outcomes.Labels = func(o outcome) []attribute.KeyValue {
		return []attribute.KeyValue{label, attribute.String("outcome", string(o))}
	}
	made.results.Labels = func(result string) []attribute.KeyValue {
		return []attribute.KeyValue{label, attribute.String("result", result)}
	}
	instrument.BeginAtZero(made.work, "outcome", instrument.Values(instrument.Work, "outcome"), made.consumer)
	instrument.BeginAtZero(made.failures, "reason", instrument.Reasons(), made.consumer)
	instrument.BeginAtZero(made.redeliveries, "consumer", []string{consumer})
	return made
}

// pulled measures the age of first deliveries, and counts later ones, which waited on
// purpose.
func (m *meters) pulled(ctx context.Context, d *delivery) {
	if d.meta.NumDelivered > 1 {
		m.redeliveries.Add(ctx, 1, m.all)
		return
	}
	m.age.Record(extract(ctx, d.event.Trace), d.age().Seconds(), m.all)
}

func (m *meters) ended(ctx context.Context, o outcome) {
	m.work.Add(ctx, 1, m.outcomes.Of(o))
}

func (m *meters) failed(ctx context.Context, reason fault.Reason) {
	m.ended(ctx, outcomeFailed)
	m.failures.Add(ctx, 1, metric.WithAttributes(m.consumer, attribute.String("reason", string(reason))))
}

// timed measures how long handlings take.
func timed(m *meters, next work) work {
	return func(ctx context.Context, ds []*delivery) ([]error, error) {
		start := time.Now()
		results, whole := next(ctx, ds)
		result := "ok"
		if whole != nil || slices.ContainsFunc(results, func(err error) bool { return err != nil }) {
			result = "error"
		}
		m.duration.Record(ctx, instrument.Since(start), m.results.Of(result))
		return results, whole
	}
}

// tellHeld exports whether a running runner waits for something.
func (r *Runner) tellHeld(m metric.Meter) error {
	return instrument.Read(m, instrument.ConsumerHeld, func() []instrument.Reading {
		if !r.meters.running.Load() {
			return nil
		}
		held := r.gate.why() != nil || r.conn.gate.why() != nil
		return []instrument.Reading{{Value: instrument.Truth(held), Labels: []attribute.KeyValue{r.meters.consumer}}}
	})
}

// connMeters are the instruments of a connection.
type connMeters struct {
	requests  *instrument.Requests
	published metric.Int64Counter
	types     *instrument.Sets[string] // of published
	dead      metric.Int64Counter
}

func newConnMeters(m metric.Meter) connMeters {
	made := connMeters{
		requests: instrument.NewRequests(m, instrument.StoreBus), published: instrument.Counter(m, instrument.Published),
		dead: instrument.Counter(m, instrument.DeadLetters),
		types: &instrument.Sets[string]{Labels: func(kind string) []attribute.KeyValue {
			return []attribute.KeyValue{attribute.String("type", kind)}
		}},
	}
	instrument.BeginAtZero(made.published, "type", instrument.EventTypes())
	return made
}

// tellLink exports whether the connection stands, and how often it was made again.
func (c *Conn) tellLink(m metric.Meter) error {
	return errors.Join(
		instrument.Read(m, instrument.BusConnected, func() []instrument.Reading {
			return instrument.One(instrument.Truth(c.nc.IsConnected()))
		}),
		instrument.Read(m, instrument.BusReconnects, func() []instrument.Reading {
			return instrument.One(float64(c.nc.Stats().Reconnects))
		}))
}

// mayBury begins the counts of the dead letters of a consumer.
func (m connMeters) mayBury(consumer string) {
	for _, reason := range fault.Reasons() {
		if reason.DeadLetter() {
			instrument.BeginAtZero(m.dead, "reason", []string{string(reason)}, attribute.String("consumer", consumer))
		}
	}
}

// buried counts a dead letter.
func (m connMeters) buried(ctx context.Context, consumer string, reason fault.Reason) {
	m.dead.Add(ctx, 1, metric.WithAttributes(attribute.String("consumer", consumer), attribute.String("reason", string(reason))))
}

// sent measures one publish, with all its tries, and counts it where it was stored.
func (m connMeters) sent(ctx context.Context, message *nats.Msg, start time.Time, err error) {
	m.requests.Done(ctx, "publish", publishOutcome(err), time.Since(start))
	if err != nil || strings.Contains(message.Subject, ".dlq.") {
		return
	}
	kind := strings.TrimSuffix(strings.TrimPrefix(message.Header.Get(event.HeaderType), "colophon."), ".v1")
	if !slices.Contains(instrument.EventTypes(), kind) {
		kind = "other"
	}
	m.published.Add(ctx, 1, m.types.Of(kind))
}

func publishOutcome(err error) instrument.Outcome {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return instrument.OutcomeOK
	case errors.Is(err, context.Canceled):
		return instrument.OutcomeCancelled
	case errors.Is(err, ErrFull):
		return instrument.OutcomeFull
	case errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization):
		return instrument.OutcomeDenied
	case fault.KindOf(err) == fault.KindPermanent, errors.As(err, &api) && api.Code < 500:
		return instrument.OutcomeRefused
	}
	return instrument.OutcomeUnavailable
}
