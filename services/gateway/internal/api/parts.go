package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
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
	a.serveContent(w, r, bytes.NewReader(data))
	return nil
}

// figure answers with a figure of a page, cut out of it.
func (a *API) figure(w http.ResponseWriter, r *http.Request) error {
	name, isPNG := strings.CutSuffix(r.PathValue("figure"), ".png")
	if !isPNG {
		return bad("a figure is named by its id and .png, as in fig-3-1.png")
	}
	if _, err := query(r); err != nil {
		return err
	}
	s, frame, err := a.frame(r, r.PathValue("n"))
	if err != nil {
		return err
	}
	ids, figures := pictures.Figures(frame.Page.PageNo, frame.Units)
	for i, id := range ids {
		if id != name {
			continue
		}
		data, _, err := a.Pictures.Figure(r.Context(), s, frame.Page, figures[i])
		if err != nil {
			return undrawn(err)
		}
		return a.servePNG(w, r, data)
	}
	return fmt.Errorf("figure %s of page %d: %w", clip(name), frame.Page.PageNo, catalog.ErrNotFound)
}

// table answers with a table of a page as CSV (seed 001, tables/{table id}.csv).
func (a *API) table(w http.ResponseWriter, r *http.Request) error {
	name, isCSV := strings.CutSuffix(r.PathValue("table"), ".csv")
	if !isCSV {
		return bad("a table is named by its id and .csv, as in tbl-3-1.csv")
	}
	if _, err := query(r); err != nil {
		return err
	}
	_, frame, err := a.frame(r, r.PathValue("n"))
	if err != nil {
		return err
	}
	n := 0
	for _, u := range frame.Units {
		if u.Type != model.UnitTable {
			continue
		}
		n++
		if digest.TableID(frame.Page.PageNo, n) == name && u.FieldsRaw.Table != nil {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
			w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(name+".csv"))
			_, _ = io.WriteString(w, u.FieldsRaw.Table.CSV)
			return nil
		}
	}
	return fmt.Errorf("table %s of page %d: %w", clip(name), frame.Page.PageNo, catalog.ErrNotFound)
}
