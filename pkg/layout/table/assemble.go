package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// leastHeld is the least share of texts in line with their column.
const leastHeld = 0.6

// columns are the columns of a table as its text tells them: the edges, and
// between them what the text takes.
type columns struct {
	xs   []float64
	text []extent
	em   float64
}

// nowhere is an extent without a place.
func nowhere() extent { return extent{math.Inf(1), math.Inf(-1)} }

// placed is a line in the columns that it takes.
type placed struct {
	line      layout.Line
	col, span int
}

// assemble makes a table of rows of text. The heads' short rules say what they
// head; the long ones divide rows. ok is false when it is too small for a table, or its columns hardly hold.
func assemble(c *columns, heads, body [][]layout.Line, partial []ruling, rules []float64) (t Table, ok bool) {
	rows := make([][]placed, len(body))
	for i, row := range body {
		rows[i] = c.place(row)
		t.Drift += layout.CountIf(len(rows[i]) > 1 && slices.ContainsFunc(rows[i], func(p placed) bool { return c.across(&p.line) }))
	}
	t.Body = len(body)
	t.Held = c.held(rows)
	pieces, levels := c.head(heads, partial)
	for k, group := range ruledRows(rows, rules) {
		pieces = append(pieces, cellsOf(group, levels+k)...)
	}
	height := 0
	for _, p := range pieces {
		t.Cells = append(t.Cells, newCell(p.cell, p.lines))
		height = max(height, p.row+p.rowSpan)
	}
	slices.SortStableFunc(t.Cells, func(a, b Cell) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col)) })
	t.compact(height, &lattice{xs: c.xs})
	t.HeaderRows = min(levels, t.Rows-1)
	return t, t.Held >= leastHeld && t.Rows >= 2 && t.Cols >= 2 && len(t.Cells) >= 4
}

// columnsOf finds the columns of rows, nil when there is but one or
// the text is too small.
func columnsOf(rows [][]layout.Line, width extent) *columns {
	edges, em := strips(rows)
	if len(edges) == 0 || em < minTextHeight {
		return nil
	}
	if edges = begun(rows, edges); len(edges) == 0 {
		return nil
	}
	c := &columns{em: em}
	left, right := width.from, width.to
	for _, row := range rows {
		for i := range row {
			left, right = math.Min(left, row[i].At.Left), math.Max(right, row[i].At.Right)
		}
	}
	c.xs = append(append([]float64{left - 1}, edges...), right+1)
	c.text = make([]extent, len(c.xs)-1)
	for k := range c.text {
		c.text[k] = nowhere()
	}
	for _, row := range rows {
		cut := cutAll(row, edges)
		for i := range cut {
			l := &cut[i]
			k := max(0, between(c.xs, (l.At.Left+l.At.Right)/2))
			if l.At.Left >= c.xs[k]-1 && l.At.Right <= c.xs[k+1]+1 {
				c.text[k] = extent{math.Min(c.text[k].from, l.At.Left), math.Max(c.text[k].to, l.At.Right)}
			}
		}
	}
	for k := range c.text {
		if c.text[k].from > c.text[k].to {
			c.text[k] = extent{c.xs[k] + 1, c.xs[k+1] - 1}
		}
	}
	return c
}

// begun returns the edges behind which some text begins: white space in words that
// run on from one column is not between two.
func begun(rows [][]layout.Line, edges []float64) []float64 {
	begins := make([]bool, len(edges)+1)
	for _, row := range rows {
		cut := cutAll(row, edges)
		for i := range cut {
			k, _ := slices.BinarySearch(edges, cut[i].At.Left)
			begins[k] = true
		}
	}
	var out []float64
	for k, x := range edges {
		if begins[k+1] {
			out = append(out, x)
		}
	}
	return out
}

// place puts the lines of a row of the body into the columns. A text that
// begins in the first column stands there however far it runs; one alone in
// its row heads what it stands in the middle of.
func (c *columns) place(row []layout.Line) []placed {
	cut := c.cut(row)
	out := make([]placed, len(cut))
	for i := range cut {
		l := cut[i]
		from, to := c.taken(l.At.Left, l.At.Right)
		switch {
		case from == 0 && (len(cut) > 1 || l.At.Left < c.text[0].from+float64(3*c.em)):
			to = 0
		case len(cut) == 1 && !isData(&l) && math.Abs(l.At.Left-c.text[from].from) > 0.5*c.em:
			from, to = c.spread((l.At.Left+l.At.Right)/2, from, to, 0, len(c.text)-1)
		}
		out[i] = placed{l, from, to - from + 1}
	}
	return out
}

// cut cuts lines at the edges of the columns, and where they gape between the
// texts of columns.
func (c *columns) cut(row []layout.Line) []layout.Line {
	var out []layout.Line
	for _, l := range cutAll(row, c.xs[1:len(c.xs)-1]) {
		out = append(out, c.gaping(l)...)
	}
	return out
}

// gaping divides a line at its widest gap when that is wider than one between
// words and each side stands in columns of its own.
func (c *columns) gaping(l layout.Line) []layout.Line {
	from, to := c.taken(l.At.Left, l.At.Right)
	if from == to {
		return []layout.Line{l}
	}
	at, widest := 0, wideGap*l.Size
	if l.Mono {
		widest = 2 * monoGap * l.Size
	}
	for i := 1; i < len(l.Glyphs); i++ {
		if gap := l.Glyphs[i].At.Left - l.Glyphs[i-1].At.Right; gap > widest {
			at, widest = i, gap
		}
	}
	if at == 0 {
		return []layout.Line{l}
	}
	a, b := layout.LineOf(l.Glyphs[:at]), layout.LineOf(l.Glyphs[at:])
	_, end := c.taken(a.At.Left, a.At.Right)
	if begin, _ := c.taken(b.At.Left, b.At.Right); begin <= end {
		return []layout.Line{l}
	}
	return append(c.gaping(a), c.gaping(b)...)
}

// held is the share of the texts behind the first column that stand in line
// with the others of their column: at the left, at the right or in the middle.
func (c *columns) held(rows [][]placed) float64 {
	places := make([][3][]float64, len(c.text))
	for _, row := range rows {
		for i := range row {
			if p := &row[i]; p.col > 0 && p.span == 1 {
				at := &places[p.col]
				at[0], at[1], at[2] = append(at[0], p.line.At.Left), append(at[1], p.line.At.Right), append(at[2], p.middle())
			}
		}
	}
	in, all := 0, 0
	for k := range places {
		best := 0
		for _, v := range places[k] {
			best = max(best, together(v, colSnap(c.em)))
		}
		in, all = in+best, all+len(places[k][0])
	}
	return float64(in) / float64(max(1, all))
}

// together returns how many of the places are no further apart than within.
func together(v []float64, within float64) int {
	slices.Sort(v)
	best, from := 0, 0
	for i := range v {
		for v[i]-v[from] > within {
			from++
		}
		best = max(best, i-from+1)
	}
	return best
}

// across reports whether a line stands across an edge, a good part of it on
// either side.
func (c *columns) across(l *layout.Line) bool {
	return slices.ContainsFunc(c.xs, func(x float64) bool { return math.Min(x-l.At.Left, l.At.Right-x) > 0.5*c.em })
}

// taken returns the first and the last column of which a text takes some.
func (c *columns) taken(left, right float64) (from, to int) {
	from = -1
	for k, e := range c.text {
		shared := math.Min(right, e.to) - math.Max(left, e.from)
		if shared > math.Min(0.3*c.em, 0.5*(e.to-e.from)) {
			if from < 0 {
				from = k
			}
			to = k
		}
	}
	if from >= 0 {
		return from, to
	}
	k := max(0, between(c.xs, (left+right)/2))
	return k, k
}

// spread widens the columns from..to, no further than lo..hi, so that middle is
// in their middle; the widest such range counts.
func (c *columns) spread(middle float64, from, to, lo, hi int) (int, int) {
	a, b := from, to
	for i := from; i >= lo; i-- {
		for k := to; k <= hi; k++ {
			off := math.Abs((c.text[i].from+c.text[k].to)/2 - middle)
			if off <= c.em && k-i > b-a {
				a, b = i, k
			}
		}
	}
	return a, b
}

// cellsOf makes the cells of row out of lines; what overlaps is one cell.
func cellsOf(lines []placed, row int) []piece {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b placed) int { return cmp.Compare(a.col, b.col) })
	var out []piece
	for _, p := range sorted {
		if n := len(out); n > 0 && p.col < out[n-1].col+out[n-1].colSpan {
			last := &out[n-1]
			last.colSpan = max(last.colSpan, p.col+p.span-last.col)
			last.lines = append(last.lines, p.line)
			continue
		}
		out = append(out, piece{cell{row, p.col, 1, p.span}, []layout.Line{p.line}})
	}
	for i := range out {
		out[i].lines = layout.Rows(out[i].lines)
	}
	return out
}
