package table

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// openHead makes the head of a net anew when rulings leave it open: a cell of
// it holds the heads of several columns side by side. It returns the head's
// cells, its rows and the first row of the net below it; zeros when the net
// says it all.
func openHead(l *lattice, pieces []piece) (head []piece, levels, below int) {
	data := make([]int, l.rows())
	cells := make([]int, l.rows())
	for i := range pieces {
		p := &pieces[i]
		cells[p.row]++
		data[p.row] += layout.CountIf(slices.ContainsFunc(p.lines, func(line layout.Line) bool { return isData(&line) && !year(line.Glyphs) }))
	}
	for below < l.rows() && (data[below] < 2 || 3*data[below] < cells[below]) {
		below++
	}
	if below == 0 || below == l.rows() {
		return nil, 0, 0
	}
	c := l.columns(pieces, below)
	var lines []layout.Line
	open := false
	for i := range pieces {
		p := &pieces[i]
		if p.row >= below {
			continue
		}
		if p.row+p.rowSpan > below {
			return nil, 0, 0
		}
		lines = append(lines, p.lines...)
		open = open || p.colSpan > 1 && (sideBySide(p.lines) || len(c.cut(p.lines)) > len(p.lines))
	}
	if !open {
		return nil, 0, 0
	}
	var partial []ruling
	for _, r := range l.across {
		if r.pos < l.ys[below]-snap && r.to-r.from < 0.95*l.box().Width() {
			partial = append(partial, r)
		}
	}
	head, levels = c.head(rowsOf(lines), partial)
	return head, levels, below
}

// columns are those of the net, with what its text takes from row first on.
func (l *lattice) columns(pieces []piece, first int) *columns {
	c := &columns{xs: l.xs, text: make([]extent, l.cols())}
	for k := range c.text {
		c.text[k] = extent{l.xs[k+1], l.xs[k]}
	}
	for i := range pieces {
		p := &pieces[i]
		for k := range p.lines {
			line := &p.lines[k]
			c.em = max(c.em, line.Size)
			if at := p.placed(l, *line); p.row >= first && at.span == 1 {
				t := &c.text[at.col]
				t.from, t.to = min(t.from, line.At.Left), max(t.to, line.At.Right)
			}
		}
	}
	for k, t := range c.text {
		if t.from > t.to {
			c.text[k] = extent{l.xs[k] + 1, l.xs[k+1] - 1}
		}
	}
	return c
}
