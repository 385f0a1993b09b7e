// Package instrument is the one table of what Colophon measures: each instrument's
// name, unit, labels with their values, what it means, who writes it, and what to do
// when it looks bad. docs/telemetry.md is made of it, and a test compares it with what
// the running chain serves.
//
// No label holds a URL, a source, a document or anything else that grows with what is
// captured: the values of each are listed here.
package instrument

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// Name is the name of an instrument, as OpenTelemetry writes it.
type Name string

// Kind says how the values of an instrument are read.
type Kind string

// The kinds of instruments.
const (
	KindCounter   Kind = "counter"   // only grows, from 0 at the start of the process
	KindGauge     Kind = "gauge"     // as it is now
	KindHistogram Kind = "histogram" // counts values by size
)

// Units, as UCUM writes them. What is in braces says what is counted, and is no part of
// the name for Prometheus. Truths, which are 1 or 0, have none.
const (
	Seconds = "s"
	Bytes   = "By"
)

// Label is a label of an instrument, with every value that it can have.
type Label struct {
	Name   string
	Values []string
}

// Instrument is one row of the table.
type Instrument struct {
	Name    Name
	Kind    Kind
	Unit    string
	Labels  []Label
	Bounds  []float64 // of a histogram's buckets, in its unit; of others none
	Meaning string    // a sentence
	Writers []string  // the services that have it
	Bad     string    // when it is bad, and what to do; a sentence
	// Rare says that it is written only after something that a chain in good order
	// does not do.
	Rare bool
}

// Calls and Waits are the bounds of histograms, in seconds: of what a person or another
// stage waits for, and of what may lie in a queue for hours.
func calls() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
}

func waits() []float64 {
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600, 3600, 21600}
}

// All returns the table, in the order of the documentation.
func All() []Instrument {
	return slices.Concat(ofTheBus(), ofStores(), ofChildren(), ofServices(), ofQueues(), ofStanding(), ofReconcile())
}

// rowsByName is the table by name, made once: each instrument of each service asks for
// its row.
var rowsByName = sync.OnceValue(func() map[Name]Instrument {
	rows := make(map[Name]Instrument)
	for _, i := range All() {
		rows[i.Name] = i
	}
	return rows
})

// Of returns a row of the table. found is false for a name that is not in it.
func Of(name Name) (row Instrument, found bool) {
	row, found = rowsByName()[name]
	return row, found
}

// Prometheus returns the name under which Prometheus is served the instrument: with
// underscores, its unit once, and _total behind what only grows.
func (i Instrument) Prometheus() string {
	name := strings.ReplaceAll(string(i.Name), ".", "_")
	unit := map[string]string{Seconds: "_seconds", Bytes: "_bytes"}[i.Unit]
	if !strings.HasSuffix(name, unit) {
		name += unit
	}
	if i.Kind == KindCounter {
		name += "_total"
	}
	return name
}

// Meter stands in for a meter that is nil, as in tools and tests: it measures nothing.
func Meter(m metric.Meter) metric.Meter {
	if m == nil {
		return noop.NewMeterProvider().Meter("")
	}
	return m
}

// Counter makes an instrument of the table. The error of the library is one of the
// name, which a test holds to be a good one.
func Counter(m metric.Meter, name Name) metric.Int64Counter {
	row, _ := Of(name)
	c, err := Meter(m).Int64Counter(string(name), metric.WithUnit(row.Unit), metric.WithDescription(row.Meaning))
	if err != nil {
		return noop.Int64Counter{}
	}
	return c
}

// BeginAtZero makes the series of a counter for each of the label values given, so that
// the first event of a kind is seen as a rise: a query cannot tell what was not there.
func BeginAtZero(c metric.Int64Counter, label string, values []string, more ...attribute.KeyValue) {
	for _, value := range values {
		c.Add(context.Background(), 0, metric.WithAttributes(append([]attribute.KeyValue{attribute.String(label, value)}, more...)...))
	}
}

// Values returns the values of a label of an instrument.
func Values(name Name, label string) []string {
	row, _ := Of(name)
	for _, l := range row.Labels {
		if l.Name == label {
			return l.Values
		}
	}
	return nil
}

// Histogram makes an instrument of the table, with its buckets.
func Histogram(m metric.Meter, name Name) metric.Float64Histogram {
	row, _ := Of(name)
	h, err := Meter(m).Float64Histogram(string(name), metric.WithUnit(row.Unit), metric.WithDescription(row.Meaning),
		metric.WithExplicitBucketBoundaries(row.Bounds...))
	if err != nil {
		return noop.Float64Histogram{}
	}
	return h
}

// Reading is one value of what is read when metrics are asked for.
type Reading struct {
	Value  float64
	Labels []attribute.KeyValue
}

// Read has read called each time that metrics are asked for, for the values that a gauge
// or a counter of the table has then; none are no series. It must not wait for anything.
// Several may read for one name, each for other labels.
func Read(m metric.Meter, name Name, read func() []Reading) error {
	row, found := Of(name)
	if !found {
		return fmt.Errorf("no instrument %s in the table", name)
	}
	var (
		instrument metric.Float64Observable
		err        error
	)
	if row.Kind == KindCounter {
		instrument, err = Meter(m).Float64ObservableCounter(string(name), metric.WithUnit(row.Unit), metric.WithDescription(row.Meaning))
	} else {
		instrument, err = Meter(m).Float64ObservableGauge(string(name), metric.WithUnit(row.Unit), metric.WithDescription(row.Meaning))
	}
	if err != nil {
		return fmt.Errorf("instrument %s: %w", name, err)
	}
	// Not as an option of the instrument: of two with one name only the first would be asked.
	_, err = Meter(m).RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for _, r := range read() {
			o.ObserveFloat64(instrument, r.Value, metric.WithAttributes(r.Labels...))
		}
		return nil
	}, instrument)
	if err != nil {
		return fmt.Errorf("instrument %s: %w", name, err)
	}
	return nil
}

// One is the single reading of an instrument without labels.
func One(value float64) []Reading { return []Reading{{Value: value}} }

// Truth is 1 for what is so, and 0 for what is not.
func Truth(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

// Since returns the seconds that have passed.
func Since(start time.Time) float64 { return time.Since(start).Seconds() }
