package quality

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// DecisionReport is which pages of PDF files are read by OCR, and why.
type DecisionReport struct {
	Pages []Decision `json:"pages"`
	// Unread are files that cannot be opened, with the reason.
	Unread map[string]string `json:"unread,omitempty"`
}

// Decision is what was decided for one page.
type Decision struct {
	Path string      `json:"path"`
	Page int         `json:"page"` // from 1
	Need pdf.OCRNeed `json:"need"`
}

// RunDecisions decides for each page of the PDF files of a folder, those whose
// path in it begins with only, whether it needs OCR. Nothing is read by OCR.
func RunDecisions(ctx context.Context, folder, only string) (DecisionReport, error) {
	r := DecisionReport{Unread: map[string]string{}}
	cache, err := os.MkdirTemp("", "colophon-quality-")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	engine, err := pdfium.Open(ctx, pdfium.Config{CacheDir: cache})
	if err != nil {
		return r, err
	}
	x := pdf.New(engine)
	defer x.Release()
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.EqualFold(filepath.Ext(file), ".pdf") {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); !strings.HasPrefix(name, only) {
			return nil
		}
		return r.decide(ctx, x, file, name)
	})
	return r, err
}

func (r *DecisionReport) decide(ctx context.Context, x *pdf.Extractor, file, name string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{ContentHash: digest.Content(raw)}}
	pages, err := x.Pages(ctx, in)
	for no := 1; no <= pages && err == nil; no++ {
		d := Decision{Path: name, Page: no}
		if d.Need, err = x.NeedOCR(ctx, in, no); err == nil {
			r.Pages = append(r.Pages, d)
		}
	}
	if bad := (*block.Failure)(nil); errors.As(err, &bad) {
		r.Unread[name] = bad.Message
		return nil
	}
	return err
}

// Write prints a line a page, and then how many there are.
func (r DecisionReport) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	read, parts := 0, 0
	for _, d := range r.Pages {
		what := "text"
		switch {
		case d.Need.Page:
			what, read = "OCR", read+1
		case d.Need.Needed():
			what, parts = fmt.Sprintf("text, OCR of %d pictures", len(d.Need.Regions)), parts+1
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", d.Path, d.Page, what, d.Need.String())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d pages: %d are read by OCR, %d in part; %d files cannot be opened\n", len(r.Pages), read, parts, len(r.Unread))
	return err
}
