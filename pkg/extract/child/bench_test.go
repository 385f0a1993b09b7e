package child_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
)

// BenchmarkRole is the work of an extraction child on a report and a
// regulation, in this process so that it can be profiled: the facts of a
// document, and its pages in ranges. ms/page is CPU time, garbage collection
// included.
func BenchmarkRole(b *testing.B) {
	for _, name := range []string{"watershed-report.pdf", "regulamento-conselho-aguas.pdf"} {
		path, err := filepath.Abs(filepath.Join("..", "..", "..", "test", "documents", name))
		if err != nil {
			b.Fatal(err)
		}
		handle, err := child.Role([]byte(`{"cache_dir":"` + os.TempDir() + `/colophon-bench-pdfium"}`))
		if err != nil {
			b.Fatal(err)
		}
		call := func(req map[string]any) (resp struct {
			PageCount int             `json:"page_count"`
			Facts     json.RawMessage `json:"facts"`
		}) {
			req["path"] = path
			req["snapshot"] = model.Snapshot{
				SnapshotID: "snap_a", SourceID: "bench", SnapshotKind: model.KindPDF, ContentHash: digest.Content([]byte(name)),
			}
			raw, err := json.Marshal(req)
			if err != nil {
				b.Fatal(err)
			}
			answer, err := handle(context.Background(), raw)
			if err != nil {
				b.Fatal(err)
			}
			if err := json.Unmarshal(answer, &resp); err != nil {
				b.Fatal(err)
			}
			return resp
		}
		probe := call(map[string]any{"op": "probe"})
		perPage := func(b *testing.B, start time.Duration) {
			b.ReportMetric(float64((cpuTime(b)-start).Microseconds())/1000/float64(b.N*probe.PageCount), "ms/page")
		}
		b.Run(name+"/facts", func(b *testing.B) {
			start := cpuTime(b)
			for b.Loop() {
				call(map[string]any{"op": "probe"})
			}
			perPage(b, start)
		})
		b.Run(name+"/pages", func(b *testing.B) {
			start := cpuTime(b)
			for b.Loop() {
				for _, r := range model.Ranges(probe.PageCount) {
					call(map[string]any{"op": "pages", "extraction_id": "x", "facts": probe.Facts, "from": r.From, "to": r.To})
				}
			}
			perPage(b, start)
		})
	}
}

// cpuTime is the CPU time of this process so far.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
