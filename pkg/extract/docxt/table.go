package docxt

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

func tableTitle(t *model.Table) string {
	if t == nil {
		return ""
	}
	return t.Caption
}

// table writes a table between its markers. rows and cols count the whole
// grid, header rows included.
func (w *writer) table(f *model.Fields) {
	w.tables++
	id := digest.TableID(w.pageNo, w.tables)
	t := f.Table
	if t == nil {
		w.line("<p" + w.place() + ">" + w.inline(f.Text, 0) + "</p>")
		return
	}
	rows, cols := t.HeaderRows+len(t.Rows), len(t.Columns)
	title := attr(oneLine(t.Caption))
	w.line(fmt.Sprintf(`<!-- DOCXT:TABLE_START id="%s" title="%s" -->`, id, title))
	w.line(fmt.Sprintf(`<table data-docxt="table" data-id="%s" data-title="%s"%s>`, id, title, w.place()))
	g := newGrid(f.Text, t, rows, cols)
	if t.HeaderRows > 0 {
		w.line("<thead>")
		for r := range t.HeaderRows {
			w.line(w.row(g, r, "th"))
		}
		w.line("</thead>")
	}
	if rows > t.HeaderRows {
		w.line("<tbody>")
		for r := t.HeaderRows; r < rows; r++ {
			w.line(w.row(g, r, "td"))
		}
		w.line("</tbody>")
	}
	w.line("</table>")
	w.line(fmt.Sprintf(`<!-- DOCXT:TABLE_END id="%s" rows=%d cols=%d source="%s" -->`, id, rows, cols, attr(t.Source)))
}

type place struct{ row, col int }

// grid is a table by rows and columns, header rows included.
type grid struct {
	cols  int
	text  map[place]string
	start map[place]int // first byte of a cell in the unit's text
	spans map[place]model.TableSpan
	taken map[place]bool // covered by a span that begins elsewhere
}

// newGrid reads the cells out of the unit's text, where all of them are.
func newGrid(text string, t *model.Table, rows, cols int) grid {
	g := grid{cols: cols, text: map[place]string{}, start: map[place]int{}, spans: map[place]model.TableSpan{}, taken: map[place]bool{}}
	for _, r := range t.CellRanges {
		if r.Start >= 0 && r.Start <= r.End && r.End <= len(text) {
			g.text[place{r.Row, r.Col}], g.start[place{r.Row, r.Col}] = text[r.Start:r.End], r.Start
		}
	}
	for _, s := range t.Spans {
		if g.taken[place{s.Row, s.Col}] {
			continue
		}
		g.spans[place{s.Row, s.Col}] = s
		for r := s.Row; r < min(s.Row+s.RowSpan, rows); r++ {
			for c := s.Col; c < min(s.Col+s.ColSpan, cols); c++ {
				if r != s.Row || c != s.Col {
					g.taken[place{r, c}] = true
				}
			}
		}
	}
	return g
}

// row writes one row. A cell with text is written also where a span covers it:
// no text is lost.
func (w *writer) row(g grid, r int, tag string) string {
	var b strings.Builder
	b.WriteString("<tr>")
	for c := range g.cols {
		at := place{r, c}
		if g.taken[at] && g.text[at] == "" {
			continue
		}
		b.WriteString("<" + tag)
		if s, ok := g.spans[at]; ok {
			if s.ColSpan > 1 {
				fmt.Fprintf(&b, ` colspan="%d"`, s.ColSpan)
			}
			if s.RowSpan > 1 {
				fmt.Fprintf(&b, ` rowspan="%d"`, s.RowSpan)
			}
		}
		b.WriteString(">" + w.inline(g.text[at], g.start[at]) + "</" + tag + ">")
	}
	b.WriteString("</tr>")
	return b.String()
}
