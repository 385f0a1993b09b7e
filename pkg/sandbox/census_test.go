package sandbox

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// TestChildrenAreCounted: their starts, their ends by cause, how many run, and their
// memory.
func TestChildrenAreCounted(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	w := worker(t, Config{MaxCalls: 2, Meter: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test")})
	count := func(name instrument.Name, cause string) (n float64) {
		var data metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		for _, m := range data.ScopeMetrics[0].Metrics {
			if m.Name != string(name) {
				continue
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					if v, _ := p.Attributes.Value(attribute.Key("cause")); v.AsString() == cause {
						n += float64(p.Value)
					}
				}
			case metricdata.Gauge[float64]:
				for _, p := range d.DataPoints {
					n += p.Value
				}
			}
		}
		return n
	}
	call := func(ctx context.Context) {
		_, _ = w.Call(ctx, []byte("echo"))
	}
	for range 3 { // the third has a new child
		call(t.Context())
	}
	if starts, replaced, running, memory := count(instrument.ChildStarts, ""), count(instrument.ChildEnds, instrument.ChildReplaced), count(instrument.Children, ""), count(instrument.ChildMemory, ""); starts != 2 || replaced != 1 || running != 1 || memory < 1<<20 {
		t.Errorf("%v started, %v replaced, %v run with %v bytes", starts, replaced, running, memory)
	}
	slow, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _ = w.Call(slow, []byte("hang"))
	if n := count(instrument.ChildEnds, instrument.ChildDeadline); n != 1 {
		t.Errorf("%v ended at a deadline, want 1", n)
	}
	_, _ = w.Call(t.Context(), []byte("killed"))
	if n := count(instrument.ChildEnds, instrument.ChildKilled); n != 1 {
		t.Errorf("%v were killed by somebody else, want 1", n)
	}
	w.end(instrument.ChildClosed)
	if n := count(instrument.Children, ""); n != 0 {
		t.Errorf("%v run after the end", n)
	}
}

// TestCausesOfEnds: what a call failed with is why its child was ended.
func TestCausesOfEnds(t *testing.T) {
	for err, want := range map[error]string{
		ErrDeadline: instrument.ChildDeadline, ErrLimit: instrument.ChildLimit, ErrKilled: instrument.ChildKilled,
		ErrCrashed: instrument.ChildCrashed, context.Canceled: instrument.ChildCancelled,
	} {
		if got := causeOf(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
