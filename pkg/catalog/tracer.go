package catalog

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// Traced returns the Config with a tracer for every statement, which also counts and
// measures them, and with instruments of its connections. A nil meter measures nothing.
func (c Config) Traced(p trace.TracerProvider, m metric.Meter) Config {
	c.meter = m
	c.Tracer = &tracer{
		// Details of the connection would cost a copy of its whole configuration with each
		// statement, and a process has one catalog.
		spans: otelpgx.NewTracer(otelpgx.WithTracerProvider(p), otelpgx.WithDisableSQLStatementInAttributes(),
			otelpgx.WithDisableConnectionDetailsInAttributes()),
		statements: instrument.Counter(m, instrument.Statements),
		requests:   instrument.NewRequests(m, instrument.StoreCatalog),
	}
	return c
}

// tracer makes a span of each statement that is part of a trace, and one of those that go
// together; taking a connection, preparing, and what loops ask on their own have none. It
// counts and measures all statements, and knows who waits for a connection.
type tracer struct {
	spans      *otelpgx.Tracer
	statements metric.Int64Counter
	requests   *instrument.Requests
	waiting    atomic.Int64
}

// begun is what a context knows of the statement, or the batch, that is under way.
type begun struct {
	at        time.Time
	operation string
	traced    bool // whether it has a span
}

type begunKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t.statements.Add(ctx, 1)
	traced := trace.SpanContextFromContext(ctx).IsValid()
	ctx = context.WithValue(ctx, begunKey{}, begun{time.Now(), operationOf(data.SQL), traced})
	if !traced {
		return ctx
	}
	return t.spans.TraceQueryStart(ctx, conn, data)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	if t.done(ctx, data.Err) {
		t.spans.TraceQueryEnd(ctx, conn, data)
	}
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	t.statements.Add(ctx, int64(data.Batch.Len()))
	traced := trace.SpanContextFromContext(ctx).IsValid()
	ctx = context.WithValue(ctx, begunKey{}, begun{time.Now(), "batch", traced})
	if !traced {
		return ctx
	}
	return t.spans.TraceBatchStart(ctx, conn, data)
}

// TraceBatchQuery implements pgx.BatchTracer. A statement that fails has a span.
func (t *tracer) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	if b, ok := ctx.Value(begunKey{}).(begun); ok && b.traced && data.Err != nil {
		t.spans.TraceBatchQuery(ctx, conn, data)
	}
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	if t.done(ctx, data.Err) {
		t.spans.TraceBatchEnd(ctx, conn, data)
	}
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (t *tracer) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	t.waiting.Add(1)
	return ctx
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (t *tracer) TraceAcquireEnd(context.Context, *pgxpool.Pool, pgxpool.TraceAcquireEndData) {
	t.waiting.Add(-1)
}

// done measures what has ended, and reports whether it has a span.
func (t *tracer) done(ctx context.Context, err error) (traced bool) {
	b, ok := ctx.Value(begunKey{}).(begun)
	if ok {
		t.requests.Done(ctx, b.operation, outcomeOf(err), time.Since(b.at))
	}
	return b.traced
}

// operationOf is what a statement does: its first word. What begins with WITH may do
// anything.
func operationOf(sql string) string {
	sql = strings.TrimLeft(sql, " \t\n(")
	end := strings.IndexAny(sql, " \t\n;(")
	if end < 0 {
		end = len(sql)
	}
	return strings.ToLower(sql[:end])
}

// outcomeOf is how a statement ended, in the words of the metrics.
func outcomeOf(err error) instrument.Outcome {
	if err == nil {
		return instrument.OutcomeOK
	}
	err = Classify(err)
	switch {
	case errors.Is(err, ErrNotFound):
		return instrument.OutcomeNotFound
	case errors.Is(err, context.Canceled):
		return instrument.OutcomeCancelled
	}
	switch fault.KindOf(err) {
	case fault.KindUnavailable, fault.KindContext:
		return instrument.OutcomeUnavailable
	case fault.KindDeferred:
		return instrument.OutcomeConflict
	}
	return instrument.OutcomeRefused
}

// tellPool exports how many connections there are, and who waits for one.
func tellPool(c Config, pool *pgxpool.Pool) error {
	t, ok := c.Tracer.(*tracer)
	if !ok {
		return nil
	}
	state := func(name string) []attribute.KeyValue { return []attribute.KeyValue{attribute.String("state", name)} }
	return errors.Join(
		instrument.Read(c.meter, instrument.Connections, func() []instrument.Reading {
			s := pool.Stat()
			return []instrument.Reading{{Value: float64(s.AcquiredConns()), Labels: state("used")}, {Value: float64(s.IdleConns()), Labels: state("idle")}}
		}),
		instrument.Read(c.meter, instrument.ConnectionsMax, func() []instrument.Reading {
			return instrument.One(float64(pool.Stat().MaxConns()))
		}),
		instrument.Read(c.meter, instrument.ConnectionsWaiting, func() []instrument.Reading {
			return instrument.One(float64(t.waiting.Load()))
		}),
		instrument.Read(c.meter, instrument.ConnectionWaitTime, func() []instrument.Reading {
			return instrument.One(pool.Stat().EmptyAcquireWaitTime().Seconds())
		}))
}
