package child_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
)

// BenchmarkRole is the work of an extraction child on a report and a
// regulation, in this process so that it can be profiled: the facts of a
// document, and its pages in ranges. Both count by the page.
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
		perPage := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*probe.PageCount), "ns/page")
		}
		b.Run(name+"/facts", func(b *testing.B) {
			for b.Loop() {
				call(map[string]any{"op": "probe"})
			}
			perPage(b)
		})
		b.Run(name+"/pages", func(b *testing.B) {
			for b.Loop() {
				for _, r := range model.Ranges(probe.PageCount) {
					call(map[string]any{"op": "pages", "extraction_id": "x", "facts": probe.Facts, "from": r.From, "to": r.To})
				}
			}
			perPage(b)
		})
	}
}
