package export

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pictures"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// page writes the files of one page (seeds#extraction, "Migration Checklist"), whose HTML
// is html but for the addresses of figures, and returns how many there are.
func (e *exporter) page(ctx context.Context, s model.Snapshot, f segment.Frame, html string) (files int, err error) {
	dir := filepath.Join(e.out, "pages", s.Slug)
	write := func(name, data string) error {
		files++
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return cli.Usage(err)
		}
		return cli.WriteFile(path, []byte(data))
	}
	src := e.pictures.FigureAddresses(s, f.Page.PageNo, f.Units, "")
	ids, figures := pictures.Figures(f.Page.PageNo, f.Units)
	for i, id := range ids {
		if src[id] == "" {
			continue // its picture is elsewhere
		}
		data, err := e.pictures.Figure(ctx, s, f.Page, figures[i])
		if fault.KindOf(err) == fault.KindPermanent {
			fmt.Fprintf(e.cli.Err, "%s: figure %s is left out: %v\n", s.URL, id, err)
			delete(src, id)
			continue
		}
		if err != nil {
			return files, err
		}
		if err := write(src[id], string(data)); err != nil {
			return files, err
		}
	}
	n := 0
	for _, u := range f.Units {
		if u.Type != model.UnitTable {
			continue
		}
		if n++; u.FieldsRaw.Table == nil {
			continue
		}
		if err := write("tables/"+digest.TableID(f.Page.PageNo, n)+".csv", u.FieldsRaw.Table.CSV); err != nil {
			return files, err
		}
	}
	return files, write(fmt.Sprintf("page-%d.html", f.Page.PageNo), docxt.FillFigures(html, src))
}
