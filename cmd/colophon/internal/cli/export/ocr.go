package export

import (
	"context"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	ocrexport "github.com/colophon-dev/colophon/pkg/ocr/export"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// ocr writes what OCR read, of the newest run of each snapshot, as hOCR and as
// ALTO XML. Documents of which nothing was read have no file.
func (e *exporter) ocr(ctx context.Context) error {
	read := 0
	err := e.snapshots(ctx, func(s model.Snapshot) error {
		results, err := e.results(ctx, s)
		if err != nil || len(results) == 0 {
			return err
		}
		read++
		for _, f := range []struct{ suffix, text string }{
			{".hocr.html", ocrexport.HOCR(results, s.Filename)}, {".alto.xml", ocrexport.ALTO(results, s.Filename)},
		} {
			path := filepath.Join(e.out, "ocr", s.Slug+f.suffix)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return cli.Usage(err)
			}
			if err := cli.WriteFile(path, []byte(f.text)); err != nil {
				return err
			}
		}
		return nil
	})
	e.count = read
	return err
}

// results are the stored OCR results that the pages of a snapshot's newest run
// were made of.
func (e *exporter) results(ctx context.Context, s model.Snapshot) ([]ocr.Result, error) {
	var results []ocr.Result
	err := LastFrames(ctx, e.db, e.blobs, s.SnapshotID, func(f segment.Frame) error {
		read, err := ReadOf(ctx, e.blobs, s, f.Page)
		results = append(results, read...)
		return err
	})
	return results, err
}

// ReadOf are the stored OCR results that a page was made of.
func ReadOf(ctx context.Context, blobs *blobstore.Store, s model.Snapshot, page model.Page) ([]ocr.Result, error) {
	var results []ocr.Result
	for _, use := range page.OCR {
		read, err := child.ReadOCR(page.PageNo, use, func(use model.PageOCR) ([]byte, error) { return blobs.GetOCR(ctx, s.SourceID, use) })
		if err != nil {
			return nil, err
		}
		if read.Result != nil {
			results = append(results, *read.Result)
		}
	}
	return results, nil
}
