package stream

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/fault"
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
	consumer attribute.KeyValue
	age      metric.Float64Histogram
	duration metric.Float64Histogram
	work     metric.Int64Counter
	failures metric.Int64Counter
}

func newMeters(m metric.Meter, consumer string) (*meters, error) {
	age, err1 := m.Float64Histogram("colophon.queue.age", metric.WithUnit("s"),
		metric.WithDescription("how long messages had waited in their stream when they were pulled"))
	duration, err2 := m.Float64Histogram("colophon.work.duration", metric.WithUnit("s"),
		metric.WithDescription("duration of handlings"))
	work, err3 := m.Int64Counter("colophon.work",
		metric.WithDescription("handlings by consumer and outcome"))
	failures, err4 := m.Int64Counter("colophon.failures",
		metric.WithDescription("failures for good, by consumer and reason"))
	return &meters{
		consumer: attribute.String("consumer", consumer),
		age:      age, duration: duration, work: work, failures: failures,
	}, errors.Join(err1, err2, err3, err4)
}

// pulled measures first deliveries; later ones waited on purpose.
func (m *meters) pulled(ctx context.Context, d *delivery) {
	if d.meta.NumDelivered > 1 {
		return
	}
	m.age.Record(ctx, d.age().Seconds(), metric.WithAttributes(m.consumer))
}

func (m *meters) ended(ctx context.Context, o outcome) {
	m.work.Add(ctx, 1, metric.WithAttributes(m.consumer, attribute.String("outcome", string(o))))
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
		m.duration.Record(ctx, time.Since(start).Seconds(), metric.WithAttributes(m.consumer))
		return results, whole
	}
}
