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
	"github.com/colophon-dev/colophon/pkg/sandbox"
)

// BenchmarkRole is the work of an extraction child on a report and a
// regulation, in this process so that it can be profiled: a document is split,
// and its pages read in ranges. ms/page is CPU time, garbage collection
// included.
func BenchmarkRole(b *testing.B) {
	for _, name := range []string{"watershed-report.pdf", "regulamento-conselho-aguas.pdf"} {
		path, err := filepath.Abs(filepath.Join("..", "..", "..", "test", "documents", name))
		if err != nil {
			b.Fatal(err)
		}
		other := filepath.Join(b.TempDir(), name) // the next document is always another
		if err := os.Symlink(path, other); err != nil {
			b.Fatal(err)
		}
		handle, err := child.Role([]byte(`{"cache_dir":"` + os.TempDir() + `/colophon-bench-pdfium"}`))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			pages := 0
			start := cpuTime(b)
			for b.Loop() {
				pages += readAll(b, handle, path)
				path, other = other, path
			}
			b.ReportMetric(float64((cpuTime(b)-start).Microseconds())/1000/float64(pages), "ms/page")
		})
	}
}

// readAll asks a child for all that there is of a document, and returns its
// number of pages.
func readAll(b *testing.B, handle sandbox.Handler, path string) int {
	type answer struct {
		PageCount int             `json:"page_count"`
		Facts     json.RawMessage `json:"facts"`
	}
	call := func(req map[string]any) (resp answer) {
		req["path"], req["extraction_id"] = path, "x"
		req["snapshot"] = model.Snapshot{
			SnapshotID: "snap_a", SourceID: "bench", SnapshotKind: model.KindPDF, ContentHash: digest.Content([]byte(path)),
		}
		raw, err := json.Marshal(req)
		if err != nil {
			b.Fatal(err)
		}
		out, err := handle(context.Background(), raw)
		if err != nil {
			b.Fatal(err)
		}
		if err := json.Unmarshal(out, &resp); err != nil {
			b.Fatal(err)
		}
		return resp
	}
	split := call(map[string]any{"op": "split"})
	for _, r := range model.Ranges(split.PageCount) {
		req := map[string]any{"op": "pages", "from": r.From, "to": r.To}
		if len(split.Facts) > 0 {
			req["facts"] = split.Facts
		}
		call(req)
	}
	return split.PageCount
}

// cpuTime is the CPU time of this process so far.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
