package table

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// withAbove returns the rows of the table with those over the first rule that
// belong to it, and how many of them are heads. A head stands over the first rule
// when the rows of the body are shaded, or each has a rule below it.
func (f *frame) withAbove(lines *stack, rows [][]layout.Line, box layout.Rect) (all [][]layout.Line, heads int) {
	heads = f.heads(rows)
	c := columnsOf(rows[heads:], extent{f.left, f.right})
	if c == nil {
		return rows, heads
	}
	above := rowsOf(lines.between(f.top-float64(2*headStep*maxHeads*rows[0][0].Size), f.top, f.left, f.right))
	above = c.headsAbove(above, rows, box)
	n := len(above)
	if n == 0 {
		return rows, heads
	}
	last, own := above[n-1], c.withoutLabels(above, n)
	for k := 1; k < own; k++ {
		if c.likeBody(above[k], rows[heads:]) {
			own = k
		}
	}
	all = append(above, rows...)
	switch {
	case heads == 0 || f.shaded:
		return all, own
	case f.top < f.rules[0] && c.names(last, 2): // a part of the head
		return all, n + heads
	case c.names(above[own-1], c.most()), c.named(above[:own]) >= c.most():
		return all, own
	case c.apart(last, c.most()) && slices.EqualFunc(last, rows[0], func(a, b layout.Line) bool { return isData(&a) == isData(&b) }):
		return append([][]layout.Line{last}, rows...), 0 // a row like the others
	}
	return rows, heads
}

// likeBody reports whether a row is one of the body rather than a head: it begins
// in the first column and has figures in most of the columns in which the body has
// hardly anything else.
func (c *columns) likeBody(row []layout.Line, body [][]layout.Line) bool {
	own, figures, texts := make([]bool, len(c.text)), make([]int, len(c.text)), make([]int, len(c.text))
	for _, r := range body {
		for _, l := range c.cut(r) {
			if from, to := c.taken(l.At.Left, l.At.Right); from == to {
				texts[from]++
				figures[from] += layout.CountIf(isData(&l))
			}
		}
	}
	for _, l := range c.cut(row) {
		if from, to := c.taken(l.At.Left, l.At.Right); from == to && isNumber(&l) {
			own[from] = true
		}
	}
	all, both := 0, 0
	for k := 1; k < len(texts); k++ {
		if figures[k] > 1 && 5*figures[k] >= 4*texts[k] {
			all++
			both += layout.CountIf(own[k])
		}
	}
	return all > 0 && 2*both > all && c.begins(row)
}

// named returns how many columns the texts of the rows, from the lowest on, stand
// over, each over its own: a head may take several lines.
func (c *columns) named(rows [][]layout.Line) int {
	found := make([]bool, len(c.text))
	n := 0
	for i := len(rows) - 1; i >= 0; i-- {
		if !c.names(rows[i], 1) {
			break
		}
		for _, l := range c.cut(rows[i]) {
			if from, to := c.taken(l.At.Left, l.At.Right); from == to && !found[from] {
				found[from] = true
				n++
			}
		}
	}
	return n
}

// most is how many columns are most of them.
func (c *columns) most() int { return max(2, (2*len(c.text)+2)/3) }

// withBelow returns the rows with the one below the last shaded row, which is not
// shaded, if it stands in the columns.
func (f *frame) withBelow(lines *stack, rows [][]layout.Line, heads int) [][]layout.Line {
	c := columnsOf(rows[heads:], extent{f.left, f.right})
	if !f.openEnd || c == nil {
		return rows
	}
	last, bottom := rows[len(rows)-1], f.rules[len(f.rules)-1]
	step := math.Max(headStep, pitchSlack*pitch(rows[heads:]))
	below := rowsOf(lines.between(bottom, bottom+float64(step*last[0].Size), f.left, f.right))
	if len(below) == 0 || !near(last, below[0], step) {
		return rows
	}
	if row := below[0]; c.apart(row, c.most()) || c.apart(row, 2) && isNumber(&row[len(row)-1]) {
		return append(append(rows, row), c.rests(lines, row, rows, extent{f.left, f.right})...)
	}
	return rows
}

// maxRests is how many lines of a row's cells are looked for below its first.
const maxRests = 12

// rests returns the rows of lines that go on in the cells of a row, as there was no
// room in the lines above them.
func (c *columns) rests(lines *stack, row []layout.Line, rows [][]layout.Line, width extent) [][]layout.Line {
	widest, last := make([]float64, len(c.text)), make([]*layout.Line, len(c.text))
	into := func(row []layout.Line, do func(k int, l *layout.Line)) {
		for _, l := range c.cut(row) {
			if from, to := c.taken(l.At.Left, l.At.Right); from == to {
				do(from, &l)
			}
		}
	}
	for _, r := range rows {
		into(r, func(k int, l *layout.Line) { widest[k] = math.Max(widest[k], l.At.Width()) })
	}
	into(row, func(k int, l *layout.Line) { widest[k], last[k] = math.Max(widest[k], l.At.Width()), l })
	at, size := row[0].Base, row[0].Size
	var out [][]layout.Line
	for _, r := range rowsOf(lines.between(at+1, at+float64(maxRests*wrapStep*size), width.from, width.to)) {
		if r[0].Base <= at+1 {
			continue
		}
		goes := r[0].Base-at <= wrapStep*size && len(r) <= len(row) && c.apart(r, 1)
		into(r, func(k int, l *layout.Line) {
			goes = goes && last[k] != nil && (lower(l) || hasNoRoom(last[k], l, widest[k]))
			last[k] = l
		})
		if !goes {
			break
		}
		out, at = append(out, r), r[0].Base
	}
	return out
}

// names reports whether the texts of a row stand over columns, at least so many,
// each over its own, and none is a figure.
func (c *columns) names(row []layout.Line, least int) bool {
	return c.apart(row, least) && !slices.ContainsFunc(c.cut(row), func(l layout.Line) bool { return isNumber(&l) })
}

// apart reports whether a row has at least so many texts, each in columns of its
// own.
func (c *columns) apart(row []layout.Line, least int) bool {
	cut := c.cut(row)
	next := 0
	for i := range cut {
		from, to := c.taken(cut[i].At.Left, cut[i].At.Right)
		if from < next {
			return false
		}
		next = to + 1
	}
	return len(cut) >= least
}
