package bench

import (
	"math"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const counted = `# TYPE colophon_catalog_statements_total counter
colophon_catalog_statements_total{service_name="chunker"} 40
colophon_catalog_statements_total{service_name="indexer"} 2
go_memstats_mallocs_total{service_name="chunker"} 1.5e+06
go_memstats_mallocs_total{service_name="indexer"} 1.6e+06
go_goroutines{service_name="indexer"} 7
`

func TestReadMetrics(t *testing.T) {
	statements, allocations, err := readMetrics(strings.NewReader(counted))
	if err != nil || statements != 42 || allocations != 1_600_000 {
		t.Errorf("%d statements, %d allocations, %v", statements, allocations, err)
	}
	if _, _, err := readMetrics(strings.NewReader(metricStatements + "{} many\n")); err == nil {
		t.Error("many is no number")
	}
}

func FuzzReadMetrics(f *testing.F) {
	f.Add(counted)
	f.Add(metricStatements)
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := readMetrics(strings.NewReader(text)); err == nil && strings.HasPrefix(text, metricStatements+"{} x\n") {
			t.Error("x is no number")
		}
	})
}

func TestShareOf(t *testing.T) {
	stack := func(names ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{3}}
		for _, name := range names {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return s
	}
	got := shareOf(&profile.Profile{Sample: []*profile.Sample{
		stack("runtime.mallocgc", "go.opentelemetry.io/otel/sdk/trace.(*tracer).Start", "main.main"),
		stack("runtime.mallocgc", "main.main"), stack("github.com/exaring/otelpgx.(*Tracer).TraceQueryEnd"), stack("main.main"),
	}})
	if wrong := (Telemetry{Samples: 2500, Telemetry: 50, Share: 0.02}).Error(); math.Abs(wrong-0.0028) > 1e-12 {
		t.Errorf("50 of 2500 samples are wrong by %g", wrong)
	}
	if want := (Telemetry{Samples: 12, Telemetry: 6, Share: 0.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
