package instrument_test

import (
	"regexp"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/instrument"
)

// TestTheTableIsWhole: each row has a name that is its own, in the forms of OpenTelemetry
// and of Prometheus, says what it means and what to do, and has a bounded number of
// series.
func TestTheTableIsWhole(t *testing.T) {
	seen := make(map[string]bool)
	for _, i := range instrument.All() {
		name := i.Prometheus()
		if seen[name] || !regexp.MustCompile(`^[a-z][a-z._]*[a-z]$`).MatchString(string(i.Name)) {
			t.Errorf("%s: the name is another's, or no name", i.Name)
		}
		seen[name] = true
		if i.Meaning == "" || i.Bad == "" || len(i.Writers) == 0 {
			t.Errorf("%s: no meaning, no advice or no writer", i.Name)
		}
		if (i.Kind == instrument.KindHistogram) != (len(i.Bounds) > 0) || !slices.IsSorted(i.Bounds) {
			t.Errorf("%s: bounds %v of a %s", i.Name, i.Bounds, i.Kind)
		}
		for _, l := range i.Labels {
			sorted := slices.Clone(l.Values)
			slices.Sort(sorted)
			if len(sorted) == 0 || len(slices.Compact(sorted)) != len(l.Values) {
				t.Errorf("%s: values of %s: %v", i.Name, l.Name, l.Values)
			}
		}
		// All combinations; most never occur, as an operation has one store.
		if n := countSeries(i); n > 25_000 {
			t.Errorf("%s may have %d series", i.Name, n)
		}
	}
}

// countSeries returns how many time series one process may have of an instrument: all
// values of its labels, times the buckets of a histogram.
func countSeries(i instrument.Instrument) int {
	n := 1
	for _, l := range i.Labels {
		n *= len(l.Values)
	}
	if i.Kind == instrument.KindHistogram {
		n *= len(i.Bounds) + 3 // +Inf, sum and count
	}
	return n
}

// TestNamesForPrometheus: a unit is named once, and what only grows ends in _total.
func TestNamesForPrometheus(t *testing.T) {
	for name, want := range map[instrument.Name]string{
		instrument.ConsumerPending: "colophon_consumer_pending_messages", instrument.ConsumerAckPending: "colophon_consumer_ack_pending_messages",
		instrument.ConsumerOldest: "colophon_consumer_oldest_age_seconds", instrument.ObjectIO: "colophon_object_io_bytes_total",
		instrument.Work: "colophon_work_total", instrument.Ready: "colophon_ready", instrument.HTTPDuration: "http_server_request_duration_seconds",
	} {
		if row, found := instrument.Of(name); !found || row.Prometheus() != want {
			t.Errorf("%s is %s, want %s", name, row.Prometheus(), want)
		}
	}
	if _, found := instrument.Of("colophon.nothing"); found {
		t.Error("there is no such row")
	}
}

// TestListsAreThoseOfTheirOwners: reasons and types of events are the ones that there are.
func TestListsAreThoseOfTheirOwners(t *testing.T) {
	var reasons []string
	for _, r := range fault.Reasons() {
		reasons = append(reasons, string(r))
	}
	if !slices.Equal(reasons, instrument.Reasons()) {
		t.Errorf("reasons %v, of pkg/fault %v", instrument.Reasons(), reasons)
	}
	for _, full := range []string{event.TypeCaptureRequested, event.TypeRunRequested, event.TypePageOCRCompleted, event.TypeVectorRemoved} {
		if short := full[len("colophon.") : len(full)-len(".v1")]; !slices.Contains(instrument.EventTypes(), short) {
			t.Errorf("%s is not among the types", short)
		}
	}
}

// TestTwoReadForOneName: both are told, each with its own labels.
func TestTwoReadForOneName(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)).Meter("test")
	for _, role := range []string{"extract", "ocr"} {
		if err := instrument.Read(meter, instrument.Children, func() []instrument.Reading {
			return []instrument.Reading{{Value: 2, Labels: []attribute.KeyValue{attribute.String("role", role)}}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	if points := data.ScopeMetrics[0].Metrics[0].Data.(metricdata.Gauge[float64]).DataPoints; len(points) != 2 {
		t.Errorf("%d series, want 2", len(points))
	}
	if instrument.Read(meter, "colophon.nothing", nil) == nil {
		t.Error("a name that is in no table was read")
	}
}
