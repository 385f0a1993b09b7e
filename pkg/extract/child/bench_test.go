package child_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		handle, err := child.Builtin().Role([]byte(`{"cache_dir":"` + os.TempDir() + `/colophon-bench-pdfium"}`))
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

// folderVar names a folder whose web pages and texts are read in place of those
// of test/documents.
const folderVar = "COLOPHON_CORPUS"

// BenchmarkFiles is the work of an extraction child on web pages, and on text
// files. Each round has a child of its own, that reads one file first, so that it
// knows the words of no other. ms/MB is CPU time, garbage collection included.
func BenchmarkFiles(b *testing.B) {
	folder := os.Getenv(folderVar)
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "test", "documents")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		b.Fatal(err)
	}
	for _, group := range []struct {
		name  string
		kind  model.SnapshotKind
		files string
	}{{"html", model.KindHTML, ".html .htm"}, {"text", model.KindTextFile, ".txt .md"}} {
		files, size := filesIn(b, folder, strings.Fields(group.files))
		if len(files) == 0 {
			continue
		}
		b.Run(group.name, func(b *testing.B) {
			var used time.Duration
			rounds := 0
			for b.Loop() {
				handle, err := child.Builtin().Role([]byte("{}"))
				if err != nil {
					b.Fatal(err)
				}
				readFiles(b, handle, group.kind, files[:1])
				start := cpuTime(b)
				readFiles(b, handle, group.kind, files)
				used += cpuTime(b) - start
				rounds++
			}
			b.ReportMetric(used.Seconds()*1e3/(float64(size)/1e6*float64(rounds)), "ms/MB")
		})
	}
}

// filesIn returns the files below a folder whose names end so, and their bytes.
func filesIn(b *testing.B, folder string, endings []string) (files []string, size int64) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains(endings, filepath.Ext(path)) {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > 0 {
			files, size = append(files, path), size+info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, size
}

// readFiles asks a child for the only page of each file.
func readFiles(b *testing.B, handle sandbox.Handler, kind model.SnapshotKind, files []string) {
	for _, path := range files {
		raw, err := json.Marshal(map[string]any{"op": "pages", "path": path, "extraction_id": "x", "from": 1, "to": 1, "snapshot": model.Snapshot{
			SnapshotID: "snap_a", SourceID: "bench", SnapshotKind: kind, ContentHash: digest.Content([]byte(path)),
			URL: "https://example.org/", URLCanonical: "https://example.org",
		}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := handle(context.Background(), raw); err != nil {
			b.Fatalf("%s: %v", path, err)
		}
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
