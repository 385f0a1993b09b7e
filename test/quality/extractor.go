package quality

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
)

// extractor is the work of an extraction child, in this process, so that its CPU
// time is that of the extraction alone. It is the extraction of this program,
// whatever binary is measured.
type extractor struct {
	handle func(ctx context.Context, request []byte) ([]byte, error)
}

// newExtractor starts one; done removes what it has on disk.
func newExtractor() (x extractor, done func(), err error) {
	dir, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return extractor{}, nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	setup, err := json.Marshal(map[string]any{"cache_dir": filepath.Join(dir, "engine"), "document_memory": 512 << 20})
	if err == nil {
		x.handle, err = child.Builtin().Role(setup)
	}
	if err != nil {
		done()
		return extractor{}, nil, err
	}
	return x, done, nil
}

// measureExtractor returns the CPU time that the facts and all pages of files of
// one kind take, and the number of pages. The first file runs twice: what starts
// with it does not count. Files that cannot be read are left out.
func measureExtractor(ctx context.Context, files []string, kind model.SnapshotKind) (cpu time.Duration, pages int, err error) {
	x, done, err := newExtractor()
	if err != nil {
		return 0, 0, err
	}
	defer done()
	if len(files) > 0 {
		if _, err := x.run(ctx, files[0], kind); err != nil {
			return 0, 0, err
		}
	}
	began, err := cpuTime()
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		n, err := x.run(ctx, file, kind)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		pages += n
	}
	ended, err := cpuTime()
	return ended - began, pages, err
}

// addExtractor measures the extraction of all PDF files that have a text layer,
// and of all HTML files.
func (c *Cost) addExtractor(ctx context.Context, root string, documents []document) error {
	var pdfs, htmls []string
	var size int64
	for _, d := range documents {
		file := filepath.Join(root, filepath.FromSlash(d.path))
		switch {
		case d.isPDF() && !d.scanned:
			pdfs = append(pdfs, file)
		case d.isHTML():
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			size += info.Size()
			htmls = append(htmls, file)
		}
	}
	cpu, pages, err := measureExtractor(ctx, pdfs, model.KindPDF)
	if err != nil {
		return err
	}
	if pages > 0 {
		c.ExtractPageMS = milliseconds(cpu) / float64(pages)
	}
	if cpu, _, err = measureExtractor(ctx, htmls, model.KindHTML); err == nil && size > 0 {
		c.ExtractMegaMS = milliseconds(cpu) / (float64(size) / 1e6)
	}
	return err
}

// extractedOf is the snapshot of a file, as far as extraction needs one.
func extractedOf(file string, kind model.SnapshotKind) model.Snapshot {
	return model.Snapshot{
		SnapshotID: "snap_x", SourceID: "quality", SnapshotKind: kind, ContentHash: digest.Content([]byte(file)),
		RetrievedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), URL: "https://example.org/", URLCanonical: "https://example.org",
	}
}

// run extracts one file and returns its pages; 0 when it cannot be split.
func (x extractor) run(ctx context.Context, file string, kind model.SnapshotKind) (int, error) {
	request := map[string]any{"op": "split", "path": file, "extraction_id": "x", "snapshot": extractedOf(file, kind)}
	var probed struct {
		PageCount int             `json:"page_count"`
		Facts     json.RawMessage `json:"facts"`
		Reason    string          `json:"reason"`
	}
	if err := x.call(ctx, request, &probed); err != nil || probed.Reason != "" {
		return 0, err
	}
	request["op"] = "pages"
	if len(probed.Facts) > 0 {
		request["facts"] = probed.Facts
	}
	for _, r := range model.Ranges(probed.PageCount) {
		request["from"], request["to"] = r.From, r.To
		if err := x.call(ctx, request, nil); err != nil {
			return 0, err
		}
	}
	return probed.PageCount, nil
}

func (x extractor) call(ctx context.Context, request map[string]any, answer any) error {
	raw, err := json.Marshal(request)
	if err != nil {
		return err
	}
	out, err := x.handle(ctx, raw)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(out, answer)
}
