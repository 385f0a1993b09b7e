package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// heads reports whether a text stands between two heights in the middle of e.
func (p *placed) heads(above, bottom float64, e extent) bool {
	return p.line.Base > above && p.line.Base <= bottom && p.middle() >= e.from-1 && p.middle() <= e.to+1
}

// merged returns both lists in the order of their heights; what ends at one
// height is one level.
func merged(a, b []level, em float64) []level {
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, func(a, b level) int { return cmp.Compare(a.bottom, b.bottom) })
	var out []level
	for _, l := range all {
		if n := len(out); n > 0 && l.bottom-out[n-1].bottom <= 0.5*em {
			out[n-1].spans = append(out[n-1].spans, l.spans...)
			out[n-1].bottom = l.bottom
			continue
		}
		out = append(out, l)
	}
	return out
}

// divide returns the lines that do and those that do not.
func divide(lines []placed, does func(placed) bool) (yes, no []placed) {
	for _, p := range lines {
		if does(p) {
			yes = append(yes, p)
		} else {
			no = append(no, p)
		}
	}
	return yes, no
}

// level is a row of heads over several columns: where it ends, and what it
// heads.
type level struct {
	bottom float64
	spans  []extent
}

// head makes the cells of the heads, and says how many rows they take. A short
// rule heads the columns below it; without one, a text that stands over several
// columns with heads of their own.
func (c *columns) head(rows [][]layout.Line, partial []ruling) (pieces []piece, levels int) {
	if len(rows) == 0 {
		return nil, 0
	}
	var lines []placed
	for _, row := range rows {
		cut := c.cut(row)
		for i := range cut {
			from, to := c.taken(cut[i].At.Left, cut[i].At.Right)
			lines = append(lines, placed{cut[i], from, to - from + 1})
		}
	}
	spans := levelsOf(partial, rows)
	above := math.Inf(-1)
	rest := lines
	for _, s := range spans {
		for _, e := range s.spans {
			_, rest = divide(rest, func(p placed) bool { return p.heads(above, s.bottom, e) })
		}
		above = s.bottom
	}
	spans = merged(spans, c.guessed(rows, rest), c.em)
	levels = len(spans) + 1
	below := make([]int, len(c.text)) // the first row that is a column's own
	above = math.Inf(-1)
	for k, s := range spans {
		for _, e := range s.spans {
			over, others := divide(lines, func(p placed) bool { return p.heads(above, s.bottom, e) })
			from, to := c.under(e)
			if len(over) == 0 || to < from {
				continue
			}
			lines = others
			for _, p := range c.shared(over, from, to) {
				p.row = k
				pieces = append(pieces, p)
			}
			for i := from; i <= to; i++ {
				below[i] = k + 1
			}
		}
		above = s.bottom
	}
	for _, p := range cellsOf(lines, 0) {
		first := 0
		for i := p.col; i < p.col+p.colSpan; i++ {
			first = max(first, below[i])
		}
		p.row, p.rowSpan = first, levels-first
		pieces = append(pieces, p)
	}
	return pieces, levels
}

// shared divides the columns from..to among the texts above a rule: each is
// headed by the nearest.
func (c *columns) shared(over []placed, from, to int) []piece {
	cells := cellsOf(over, 0)
	texts := make([]placed, len(cells))
	for i := range cells {
		box := cells[i].lines[0].At
		for _, l := range cells[i].lines {
			box = box.Union(l.At)
		}
		texts[i].line.At = box
	}
	for i := range cells {
		cells[i].col, cells[i].colSpan = to+1, 0
	}
	for k := from; k <= to; k++ {
		p := &cells[c.nearest(texts, k)]
		p.col = min(p.col, k)
		p.colSpan = k - p.col + 1
	}
	for i := range cells { // a text without a column of its own stands where it is
		if p := &cells[i]; p.colSpan == 0 {
			p.col, p.colSpan = over[i].col, 1
		}
	}
	return cells
}

// under returns the columns whose text stands below e, none when to < from.
func (c *columns) under(e extent) (from, to int) {
	from, to = 0, -1
	for k, t := range c.text {
		if middle := (t.from + t.to) / 2; middle >= e.from && middle <= e.to || t.from >= e.from-2 && t.to <= e.to+2 {
			if to < from {
				from = k
			}
			to = k
		}
	}
	return from, to
}

// levelsOf returns the short rules between the first and the last row of heads,
// by their heights.
func levelsOf(partial []ruling, rows [][]layout.Line) []level {
	first, last := rows[0][0].Base, rows[len(rows)-1][0].Base
	var out []level
	for _, r := range partial {
		if r.pos < first-1 || r.pos > last {
			continue
		}
		if n := len(out); n > 0 && r.pos-out[n-1].bottom <= 2*snap {
			out[n-1].spans = append(out[n-1].spans, extent{r.from, r.to})
			out[n-1].bottom = math.Max(out[n-1].bottom, r.pos)
			continue
		}
		out = append(out, level{r.pos, []extent{{r.from, r.to}}})
	}
	for i := range out {
		slices.SortFunc(out[i].spans, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	}
	return out
}

// guessed returns the levels that heads over several columns make without
// rules: texts in the middle above several columns, each with a head of its own
// in the next line.
func (c *columns) guessed(rows [][]layout.Line, lines []placed) []level {
	var out []level
	for r := 0; r+1 < len(rows); r++ {
		here, next := inRow(lines, rows[r]), inRow(lines, rows[r+1])
		if len(next) == 1 && r+2 < len(rows) { // a head at half the height
			next = append(next, inRow(lines, rows[r+2])...)
		}
		own := c.with(next)
		var l level
		for i, p := range here {
			lo, hi := p.col, p.col+p.span-1
			for lo > 0 && c.nearest(here, lo-1) == i && headed(next, lo-1) {
				lo--
			}
			for hi+1 < len(c.text) && c.nearest(here, hi+1) == i && headed(next, hi+1) {
				hi++
			}
			from, to := own.spread(p.middle(), p.col, p.col+p.span-1, lo, hi)
			all := true
			for k := from; k <= to; k++ {
				all = all && headed(next, k)
			}
			if to > from && all {
				l.spans = append(l.spans, extent{c.text[from].from, c.text[to].to})
			}
		}
		l.spans = c.leveled(here, next, own, l.spans)
		if len(l.spans) > 0 {
			l.bottom = rows[r][0].Base + 1
			out = append(out, l)
		}
	}
	return out
}

// leveled returns the spans of a row of heads, each over the columns up to the next,
// where the head of the first column stands in it and the row below has one for each
// other column: so the row is a level of its own. spans are what was found by the
// middles of its texts; without any of these, texts begin with their first columns.
func (c *columns) leveled(here, next []placed, own *columns, spans []extent) []extent {
	if len(here) < 2 || len(here) >= len(c.text) || here[0].col > 0 || here[0].span > 1 || headed(next, 0) {
		return spans
	}
	for k := 1; k < len(c.text); k++ {
		if !headed(next, k) {
			return spans
		}
	}
	var out []extent
	for i := 1; i < len(here); i++ {
		p := &here[i]
		held := func(e extent) bool { return p.middle() >= e.from-1 && p.middle() <= e.to+1 }
		if k := slices.IndexFunc(spans, held); k >= 0 {
			out = append(out, spans[k])
			continue
		}
		to := p.col
		if len(spans) == 0 {
			if to = len(c.text) - 1; i+1 < len(here) {
				to = here[i+1].col - 1
			}
			if math.Abs(p.line.At.Left-own.text[p.col].from) > colSnap(c.em) {
				return spans
			}
		}
		if to < p.col {
			return spans
		}
		if to == p.col && slices.ContainsFunc(next, func(n placed) bool { return n.col == to && lower(&n.line) }) {
			continue // one head of two lines
		}
		out = append(out, extent{math.Min(c.text[p.col].from, own.text[p.col].from), math.Max(c.text[to].to, own.text[to].to)})
	}
	return out
}

// with returns the columns as these heads make them.
func (c *columns) with(heads []placed) *columns {
	out := *c
	out.text = slices.Clone(c.text)
	for _, p := range heads {
		if p.span == 1 {
			out.text[p.col] = extent{p.line.At.Left, p.line.At.Right}
		}
	}
	return &out
}

// inRow returns those of the lines that stand in a row.
func inRow(lines []placed, row []layout.Line) []placed {
	var out []placed
	for _, p := range lines {
		if math.Abs(p.line.Base-row[0].Base) <= 0.4*p.line.Size {
			out = append(out, p)
		}
	}
	return out
}

func (p *placed) middle() float64 { return (p.line.At.Left + p.line.At.Right) / 2 }

// nearest returns the index of the text whose middle is nearest to that of
// column k.
func (c *columns) nearest(texts []placed, k int) int {
	middle := (c.text[k].from + c.text[k].to) / 2
	best := 0
	for i := range texts {
		if math.Abs(texts[i].middle()-middle) < math.Abs(texts[best].middle()-middle) {
			best = i
		}
	}
	return best
}

// headed reports whether one of the texts stands in column k alone.
func headed(texts []placed, k int) bool {
	return slices.ContainsFunc(texts, func(p placed) bool { return p.span == 1 && p.col == k })
}
