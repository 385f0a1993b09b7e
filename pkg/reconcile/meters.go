package reconcile

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// meters are the instruments of a reconciler.
type meters struct {
	passes   metric.Int64Counter
	duration metric.Float64Histogram
	found    metric.Int64Counter
	actions  metric.Int64Counter
	last     atomic.Int64 // Unix seconds; 0 before the first pass
}

func newMeters(m metric.Meter) *meters {
	made := &meters{
		passes: instrument.Counter(m, instrument.ReconcilePasses), duration: instrument.Histogram(m, instrument.ReconcileDuration),
		found: instrument.Counter(m, instrument.ReconcileFound), actions: instrument.Counter(m, instrument.ReconcileActions),
	}
	instrument.BeginAtZero(made.passes, "outcome", instrument.Values(instrument.ReconcilePasses, "outcome"))
	instrument.BeginAtZero(made.found, "what", instrument.Findings())
	return made
}

// Observed returns the reconciler with a span for each pass, whose trace goes on in what
// it publishes, and with instruments of its passes, dry runs apart.
func (r *Reconciler) Observed(t trace.Tracer, m metric.Meter) (*Reconciler, error) {
	measured := *r
	measured.tracer = t
	measured.meters = newMeters(m)
	err := instrument.Read(m, instrument.ReconcileLast, func() []instrument.Reading {
		at := measured.meters.last.Load()
		if at == 0 {
			return nil
		}
		return instrument.One(float64(at))
	})
	return &measured, err
}

// passed counts a pass, what it found and what it did.
func (m *meters) passed(ctx context.Context, start time.Time, report Report, err error) {
	outcome := "done"
	switch {
	case err != nil && ctx.Err() != nil:
		return // told to stop
	case err != nil:
		outcome = "failed"
	case report.Busy:
		outcome = "busy"
	case len(report.Missing) > 0:
		outcome = "missing"
	}
	m.passes.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
	if outcome == "done" || outcome == "busy" {
		m.last.Store(time.Now().Unix())
	}
	if !report.Busy {
		m.duration.Record(ctx, instrument.Since(start))
	}
	for _, c := range report.Counts {
		what := attribute.String("what", instrument.Finding(c.What))
		if c.Found > 0 {
			m.found.Add(ctx, int64(c.Found), metric.WithAttributes(what))
		}
		for _, did := range []struct {
			action string
			n      int
		}{{"redriven", c.Redriven}, {"given_up", c.GivenUp}, {"deleted", c.Deleted}, {"reset", c.Reset}, {"repaired", c.Repaired}} {
			if did.n > 0 {
				m.actions.Add(ctx, int64(did.n), metric.WithAttributes(what, attribute.String("action", did.action)))
			}
		}
	}
}
