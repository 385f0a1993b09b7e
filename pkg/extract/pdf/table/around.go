package table

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
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
	all = append(above, rows...)
	switch {
	case heads == 0 || f.shaded:
		return all, own
	case f.top < f.rules[0] && c.names(last, 2): // a part of the head
		return all, n + heads
	case c.names(above[own-1], c.most()):
		return all, own
	case c.apart(last, c.most()) && slices.EqualFunc(last, rows[0], func(a, b layout.Line) bool { return isData(&a) == isData(&b) }):
		return append([][]layout.Line{last}, rows...), 0 // a row like the others
	}
	return rows, heads
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
		return append(rows, row)
	}
	return rows
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
