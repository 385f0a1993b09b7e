package instrument_test

import (
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
)

// Labels are made once for each key, by whoever comes first, and then cost nothing.
func TestSetsAreMadeOnce(t *testing.T) {
	sets := instrument.Sets[string]{Labels: func(k string) []attribute.KeyValue { return []attribute.KeyValue{attribute.String("outcome", k)} }}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, k := range []string{"ok", "failed"} {
				got := metric.NewAddConfig([]metric.AddOption{sets.Of(k)}).Attributes()
				if v, _ := got.Value("outcome"); v.AsString() != k || got.Len() != 1 {
					t.Errorf("the labels of %s are %v", k, got.ToSlice())
				}
			}
		})
	}
	all.Wait()
	if n := testing.AllocsPerRun(100, func() { sets.Of("ok") }); n != 0 {
		t.Errorf("%.0f allocations for labels that are there", n)
	}
}
