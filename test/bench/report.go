package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is what Run measured. Durations are nanoseconds, sizes bytes, rates
// pages per second.
type Report struct {
	Machine    string           `json:"machine"`
	Pages      int              `json:"pages"` // of one round
	Rate       float64          `json:"rate"`  // of colophon dev: the median
	Rates      []float64        `json:"rates"`
	RateApart  float64          `json:"rate_apart"` // of colophon dev --separate
	Parts      map[string]Usage `json:"parts"`
	Latency    Latency          `json:"latency"`
	Telemetry  Telemetry        `json:"telemetry"`
	Extraction Extraction       `json:"extraction"`
	Capture    Capture          `json:"capture"`
	OCR        OCR              `json:"ocr"`
	Entities   Entities         `json:"entities"`
	Search     Search           `json:"search"`
	Endpoint   Endpoint         `json:"endpoint"`
	Full       Full             `json:"full"`
	Large      *Growth          `json:"large,omitempty"`
	Growth     []Growth         `json:"growth"`
}

// machine names what the figures were measured on.
func machine() string {
	name := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range bytes.Lines(info) {
			if key, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.TrimSpace(key)) == "model name" {
				name = string(bytes.TrimSpace(value))
				break
			}
		}
	}
	return fmt.Sprintf("%d cores, %s, %s", runtime.NumCPU(), name, runtime.Version())
}

// order is how parts are listed, the way of a document.
func order() []string {
	return []string{
		"capturer", "splitter", "splitter" + childSuffix, "extractor", "extractor" + childSuffix, "chunker", "annotator", "indexer",
		"gateway", "janitor", partServers, partS3, partPostgres,
	}
}

func partsOf(parts map[string]Usage) []string {
	names := make([]string, 0, len(parts))
	for _, name := range order() {
		if _, ok := parts[name]; ok {
			names = append(names, name)
		}
	}
	var others []string
	for name := range parts {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return append(names, others...)
}

// Write prints the report as one table.
func (r Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	row(r.Machine)
	row("")
	if len(r.Rates) > 0 {
		row("whole chain, text PDFs", fmt.Sprintf("%.0f pages/s", r.Rate), fmt.Sprintf("median of %d rounds of %d pages: %s", len(r.Rates), r.Pages, rates(r.Rates)))
	}
	if len(r.Parts) > 0 {
		row("… by separate processes", fmt.Sprintf("%.0f pages/s", r.RateApart), r.share())
	}
	l := r.Latency
	if l.Requests > 0 {
		row("request to first chunk event", fmt.Sprintf("p50 %s", ms(l.FirstP50)), fmt.Sprintf("p99 %s; HTML of %d bytes, %d chunks, one at a time, %d times",
			ms(l.FirstP99), l.Bytes/l.Requests, l.Chunks/l.Requests, l.Requests))
		row("request to last chunk event", fmt.Sprintf("p50 %s", ms(l.LastP50)), fmt.Sprintf("p99 %s", ms(l.LastP99)))
		row("… which waits for the disk", fmt.Sprintf("p50 %s", ms(l.DiskP50)), fmt.Sprintf("p99 %s for one write of 8 KiB between two of them", ms(l.DiskP99)))
	}
	if r.Telemetry.Samples > 0 {
		row("telemetry, of the CPU time of dev", fmt.Sprintf("%.1f %% ± %.1f", 100*r.Telemetry.Share, 100*r.Telemetry.Error()),
			fmt.Sprintf("%d of %d samples, with everything exported", r.Telemetry.Telemetry, r.Telemetry.Samples))
	}
	r.Capture.write(row)
	r.writeExtraction(row)
	r.OCR.write(row)
	r.Entities.write(row)
	r.Search.write(row)
	r.Endpoint.write(row)
	r.Full.write(row)
	r.writeParts(row)
	if g := r.Large; g != nil {
		row("")
		row(fmt.Sprintf("one PDF of %d pages", g.Pages), fmt.Sprintf("%.0f pages/s", float64(g.Pages)/g.Took.Seconds()), "peak of a process")
		for _, name := range partsOf(g.Parts) {
			row(name, perPage(g.Parts[name].CPU, g.Pages), mib(g.Parts[name].Peak))
		}
	}
	r.writeGrowth(row)
	return t.Flush()
}

func (r Report) writeGrowth(row func(...string)) {
	if len(r.Growth) == 0 {
		return
	}
	row("")
	row("one PDF of so many pages", "CPU a page", "a page: "+strings.Join(workNames(), ", "))
	for _, g := range r.Growth {
		row(fmt.Sprint(g.Pages), perPage(g.cpu(), g.Pages), g.Work.perPage(g.Pages))
	}
	for i := 1; i < len(r.Growth); i++ {
		small, large := r.Growth[i-1], r.Growth[i]
		row(fmt.Sprintf("growth: %.4g × the pages", float64(large.Pages)/float64(small.Pages)),
			times(int64(large.cpu()), int64(small.cpu())),
			fmt.Sprintf("statements %s, objects %s, allocations %s", times(large.Work.Statements, small.Work.Statements),
				times(large.Work.Objects, small.Work.Objects), times(large.Work.Allocations, small.Work.Allocations)))
	}
}

func times(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ×", float64(a)/float64(b))
}

func workNames() []string {
	return []string{"statements", "allocations", "transactions", "rows read", "rows written", "messages", "objects"}
}

func (r Report) writeParts(row func(...string)) {
	if len(r.Parts) == 0 {
		return
	}
	row("")
	row("part", "CPU a page", "peak of a process")
	var sum time.Duration
	for _, name := range partsOf(r.Parts) {
		u := r.Parts[name]
		sum += u.CPU
		row(name, perPage(u.CPU, r.Pages), mib(u.Peak))
	}
	row("all", perPage(sum, r.Pages))
}

func (r Report) writeExtraction(row func(...string)) {
	x := r.Extraction
	if x.Pages == 0 {
		return
	}
	row("extraction, CPU a page", perPage(x.Extract+x.Facts, x.Pages),
		fmt.Sprintf("%s for pages, %s before them; %d pages", perPage(x.Extract, x.Pages), perPage(x.Facts, x.Pages), x.Pages))
	if x.Poppler == 0 {
		row("pdftotext -bbox-layout", "-", "not installed: it comes with the package poppler-utils")
		return
	}
	row("pdftotext -bbox-layout", perPage(x.Poppler, x.Pages), fmt.Sprintf("extraction takes %.1f times as much", float64(x.Extract+x.Facts)/float64(x.Poppler)))
}

// share says how much of the machine the separate processes had: the rest was
// idle or busy with other things.
func (r Report) share() string {
	var cpu time.Duration
	for _, u := range r.Parts {
		cpu += u.CPU
	}
	if cpu == 0 {
		return ""
	}
	cores := float64(runtime.NumCPU())
	return fmt.Sprintf("they had %.0f %% of %g cores; with all of them it would be %.0f pages/s",
		100*cpu.Seconds()*r.RateApart/(float64(r.Pages)*cores), cores, float64(r.Pages)*cores/cpu.Seconds())
}

func (w Work) perPage(pages int) string {
	var out []string
	for _, n := range []int64{w.Statements, w.Allocations, w.Transactions, w.RowsRead, w.RowsWritten, w.Messages, w.Objects} {
		out = append(out, fmt.Sprintf("%.2f", float64(n)/float64(pages)))
	}
	return strings.Join(out, ", ")
}

func rates(all []float64) string {
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = fmt.Sprintf("%.0f", r)
	}
	return strings.Join(out, ", ")
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

func perPage(d time.Duration, pages int) string {
	return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(pages))
}

func mib(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
