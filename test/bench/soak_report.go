package bench

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// SoakReport is what Soak saw.
type SoakReport struct {
	Machine string   `json:"machine"`
	Full    float64  `json:"full"` // documents per second that the system can do
	Load    float64  `json:"load"` // that it was given
	Samples []Sample `json:"samples"`
}

// Allowed growth over the measured time: what is a part of the value and what
// moves by itself.
const (
	memoryShare    = 0.05
	liveNoise      = 2 << 20
	residentNoise  = 8 << 20
	goroutineNoise = 3
	fileNoise      = 3
)

// What a chunk may cost the stores under the load of a soak, in bytes;
// docs/operations.md gives the same figures to those who plan.
const (
	catalogPerChunk = 16 << 10
	streamPerChunk  = 8 << 10
	objectsPerChunk = 8 << 10
)

// trend is one gauge over the measured time.
type trend struct {
	part, gauge string
	first, last float64 // by the slope
	limit       float64 // of their difference
}

func (t trend) grows() bool { return t.last-t.first > t.limit }

// trends returns the gauges of every process. That of the servers holds the
// vectors and the messages' index in memory, which grow with what is stored: of
// it only descriptors are judged.
func (r SoakReport) trends() []trend {
	var out []trend
	add := func(part, gauge string, noise, share float64, value func(Sample) int64) {
		values := make([]float64, len(r.Samples))
		for i, s := range r.Samples {
			values[i] = float64(value(s))
		}
		values = floors(values)
		step := slope(values)
		slices.Sort(values)
		middle, half := values[len(values)/2], float64(len(values)-1)/2
		t := trend{part: part, gauge: gauge, first: middle - float64(step*half), last: middle + float64(step*half)}
		t.limit = max(noise, t.first*share)
		out = append(out, t)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Samples[0].Services)) {
		of := func(field func(Gauges) int64) func(Sample) int64 {
			return func(s Sample) int64 { return field(s.Services[name]) }
		}
		add(name, "heap in use", liveNoise, memoryShare, of(func(g Gauges) int64 { return g.Live }))
		add(name, "resident", residentNoise, memoryShare, of(func(g Gauges) int64 { return g.Resident }))
		add(name, "goroutines", goroutineNoise, 0, of(func(g Gauges) int64 { return g.Goroutines }))
		add(name, "descriptors", fileNoise, 0, of(func(g Gauges) int64 { return g.Files }))
	}
	children := "extraction" + childSuffix
	add(children, "resident", 4*residentNoise, memoryShare, func(s Sample) int64 { return s.Children.Resident })
	add(children, "descriptors", fileNoise, 0, func(s Sample) int64 { return s.Children.Files })
	add(children, "processes", 1, 0, func(s Sample) int64 { return s.Children.Processes })
	add(partServers, "descriptors", fileNoise, 0, func(s Sample) int64 { return s.Servers.Files })
	return out
}

// quiet is how many samples make one that is judged.
const quiet = 6

// floors returns the least of each six values: what is in use between documents.
// What is in hand moves with the load, what leaks stays.
func floors(values []float64) []float64 {
	if len(values) < 2*quiet {
		return values
	}
	var out []float64
	for i := 0; i+quiet <= len(values); i += quiet {
		out = append(out, slices.Min(values[i:i+quiet]))
	}
	return out
}

// Problems says what grows, and what costs more than it may.
func (r SoakReport) Problems() error {
	if len(r.Samples) < 10 {
		return fmt.Errorf("%d samples are too few to judge by", len(r.Samples))
	}
	var all []error
	for _, t := range r.trends() {
		if t.grows() {
			all = append(all, fmt.Errorf("%s: %s grew from %s to %s", t.part, t.gauge, t.show(t.first), t.show(t.last)))
		}
	}
	for _, c := range r.costs() {
		if c.perChunk > c.limit {
			all = append(all, fmt.Errorf("%s: %.0f bytes a chunk, at most %.0f", c.store, c.perChunk, c.limit))
		}
	}
	if waiting := r.Samples[len(r.Samples)-1].Store.Waiting; waiting > int64(10*r.Load)+10 {
		all = append(all, fmt.Errorf("%d documents wait at the end: the load is more than the system can do", waiting))
	}
	return errors.Join(all...)
}

// cost is what one store grew by.
type cost struct {
	store           string
	perChunk, limit float64
}

func (r SoakReport) costs() []cost {
	first, last := r.Samples[0].Store, r.Samples[len(r.Samples)-1].Store
	chunks := float64(max(last.Chunks-first.Chunks, 1))
	var before, after int64
	for _, n := range first.Streams {
		before += n
	}
	for _, n := range last.Streams {
		after += n
	}
	return []cost{
		{"catalog", float64(last.Catalog-first.Catalog) / chunks, catalogPerChunk},
		{"streams", float64(after-before) / chunks, streamPerChunk},
		{"objects", float64(last.Objects-first.Objects) / chunks, objectsPerChunk},
	}
}

func (t trend) show(v float64) string {
	switch t.gauge {
	case "heap in use", "resident":
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

// Write prints the report as one table.
func (r SoakReport) Write(w io.Writer) error {
	if len(r.Samples) == 0 {
		return errors.New("nothing was measured")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	first, last := r.Samples[0], r.Samples[len(r.Samples)-1]
	row(r.Machine)
	row(fmt.Sprintf("%s at %.1f documents/s, of %.1f that it can do; %d documents, %d chunks", last.At.Sub(first.At).Round(time.Second),
		r.Load, r.Full, last.Store.Snapshots-first.Store.Snapshots, last.Store.Chunks-first.Store.Chunks))
	row("")
	row("process", "", "at the beginning", "at the end", "")
	for _, c := range r.trends() {
		verdict := ""
		if c.grows() {
			verdict = "GROWS"
		}
		row(c.part, c.gauge, c.show(c.first), c.show(c.last), verdict)
	}
	row("")
	row("store", "", "bytes a chunk", "at most")
	for _, c := range r.costs() {
		row(c.store, "", fmt.Sprintf("%.0f", c.perChunk), fmt.Sprintf("%.0f", c.limit))
	}
	for _, name := range slices.Sorted(maps.Keys(last.Store.Streams)) {
		row("stream "+name, "", fmt.Sprintf("%d → %d bytes", first.Store.Streams[name], last.Store.Streams[name]))
	}
	return t.Flush()
}
