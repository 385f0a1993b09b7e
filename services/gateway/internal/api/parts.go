package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// defaultWidth is how wide the picture of a page is when no one asks for more.
const defaultWidth = 320

// errNoPicture is what cannot be drawn: a file of another kind than PDF, a page
// above the limits. Its text is told.
var errNoPicture = errors.New("there is no picture")

// undrawn turns a fault of the document, or of the request, into an answer.
func undrawn(err error) error {
	switch {
	case fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) == fault.Internal:
		return err
	case fault.ReasonOf(err) == fault.Malformed:
		return badRequest{err}
	default:
		return fmt.Errorf("%w: %w", errNoPicture, err)
	}
}

// servePNG answers with a picture, which is the same for as long as there is one.
func (a *API) servePNG(w http.ResponseWriter, r *http.Request, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("ETag", strconv.Quote(digest.Hex(data)))
	h.Set("Cache-Control", "private, max-age=3600")
	b := &body{dir: a.TempDir}
	defer func() { _ = b.Close() }()
	if _, err := b.Write(data); err != nil {
		return err
	}
	content, err := b.content()
	if err != nil {
		return err
	}
	a.serveContent(w, r, content)
	return nil
}

// figure answers with a figure of a page, cut out of it.
func (a *API) figure(w http.ResponseWriter, r *http.Request) error {
	name, isPNG := strings.CutSuffix(r.PathValue("figure"), ".png")
	if !isPNG {
		return bad("a figure is named by its id and .png, as in fig-3-1.png")
	}
	var of model.Snapshot
	var page model.Page
	var found *model.Unit
	if err := a.usePage(r, r.PathValue("n"), func(s model.Snapshot, f segment.Frame) error {
		of, page = s, f.Page
		page.HTML = ""
		ids, figures := pictures.Figures(page.PageNo, f.Units)
		if i := slices.Index(ids, name); i >= 0 {
			u := figures[i]
			found = &u
		}
		return nil
	}); err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("figure %s of page %d: %w", clip(name), page.PageNo, catalog.ErrNotFound)
	}
	data, err := a.Pictures.Figure(r.Context(), of, page, *found)
	if err != nil {
		return undrawn(err)
	}
	return a.servePNG(w, r, data)
}

// table answers with a table of a page as CSV (seeds#extraction, tables/{table id}.csv).
func (a *API) table(w http.ResponseWriter, r *http.Request) error {
	name, isCSV := strings.CutSuffix(r.PathValue("table"), ".csv")
	if !isCSV {
		return bad("a table is named by its id and .csv, as in tbl-3-1.csv")
	}
	return a.compose(w, func(b io.Writer) error {
		return a.usePage(r, r.PathValue("n"), func(_ model.Snapshot, f segment.Frame) error {
			n := 0
			for _, u := range f.Units {
				if u.Type != model.UnitTable {
					continue
				}
				n++
				if digest.TableID(f.Page.PageNo, n) == name && u.FieldsRaw.Table != nil {
					w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
					w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(name+".csv"))
					_, err := io.WriteString(b, u.FieldsRaw.Table.CSV)
					return err
				}
			}
			return fmt.Errorf("table %s of page %d: %w", clip(name), f.Page.PageNo, catalog.ErrNotFound)
		})
	})
}
