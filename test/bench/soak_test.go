package bench

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{5}, 0}, {[]float64{3, 3, 3}, 0}, {[]float64{1, 3, 5, 7}, 2},
		{[]float64{10, 10, 900, 10, 10, 10}, 0}, // an outlier is none
	} {
		if got := slope(c.values); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("slope(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestMetricsOf(t *testing.T) {
	log := `{"time":"t","level":"INFO","msg":"health","service":"chunker","addr":"127.0.0.1:7"}
NATS nats://127.0.0.1:4
{"msg":"health","addr":"127.0.0.1:8"}
{"msg":"started","service":"indexer"}
`
	got := metricsOf(log)
	if len(got) != 1 || got["chunker"] != "127.0.0.1:7" {
		t.Errorf("metricsOf = %v", got)
	}
}

const metrics = `# TYPE go_goroutines gauge
go_goroutines{service_name="chunker"} 34
go_gc_heap_live_bytes{service_name="chunker"} 1.2e+07
process_open_fds 12
process_resident_memory_bytes{service_name="chunker"} 4.5e+07
`

func TestParseMetrics(t *testing.T) {
	got, err := parseMetrics(strings.NewReader(metrics))
	if want := (Gauges{Live: 12e6, Resident: 45e6, Goroutines: 34, Files: 12, Processes: 1}); err != nil || got != want {
		t.Errorf("parseMetrics = %+v, %v, want %+v", got, err, want)
	}
	if _, err := parseMetrics(strings.NewReader(strings.Replace(metrics, "process_open_fds 12\n", "", 1))); err == nil {
		t.Error("a missing gauge is no error")
	}
}

func FuzzParseMetrics(f *testing.F) {
	f.Add(metrics)
	f.Add("go_goroutines{} \n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parseMetrics(strings.NewReader(text))
		if err == nil && g.Processes != 1 {
			t.Error("metrics of no process")
		}
	})
}

// soaked returns a report whose chunker has the given live heap and goroutines
// at each sample.
func soaked(live func(i int) int64, goroutines func(i int) int64) SoakReport {
	r := SoakReport{Full: 20, Load: 10}
	for i := range 60 {
		g := Gauges{Live: live(i), Resident: 60 << 20, Goroutines: goroutines(i), Files: 20, Processes: 1}
		r.Samples = append(r.Samples, Sample{
			At: time.Unix(int64(5*i), 0), Services: map[string]Gauges{"chunker": g},
			Store: Stored{Chunks: int64(100 * i), Catalog: int64(i) << 20, Streams: map[string]int64{"CHUNKS": int64(i) << 18}},
		})
	}
	return r
}

func TestSoakFindsGrowth(t *testing.T) {
	steady := func(i int) int64 { return 20<<20 + int64(i%5)<<20 }
	still := func(int) int64 { return 40 }
	if err := soaked(steady, still).Problems(); err != nil {
		t.Errorf("what is steady grows: %v", err)
	}
	if err := soaked(steady, func(i int) int64 { return 40 + int64(i%quiet)*int64(i) }).Problems(); err != nil {
		t.Errorf("what moves with the load grows: %v", err)
	}
	leak := func(i int) int64 { return steady(i) + int64(i)<<17 }
	if err := soaked(leak, still).Problems(); err == nil || !strings.Contains(err.Error(), "chunker: heap in use grew") {
		t.Errorf("a leak of memory: %v", err)
	}
	if err := soaked(steady, func(i int) int64 { return 40 + int64(i)/10 }).Problems(); err == nil || !strings.Contains(err.Error(), "goroutines grew") {
		t.Errorf("a leak of goroutines: %v", err)
	}
	heavy := soaked(steady, still)
	heavy.Samples[59].Store.Catalog = 1 << 30
	if err := heavy.Problems(); err == nil || !strings.Contains(err.Error(), "catalog") {
		t.Errorf("a catalog that is too large: %v", err)
	}
}
