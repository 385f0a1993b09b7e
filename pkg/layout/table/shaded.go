package table

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

const (
	// shadedCols is how many columns a shaded row of names heads at least, and
	// shadedRows how many lines stand below it.
	shadedCols = 3
	shadedRows = 3
	// stepSlack is how much further below the others a row of the body may stand.
	stepSlack = 1.6
	// maxCell is how many characters a cell of such a table has at most.
	maxCell = 200
	// maxShaded bounds the shaded rows of names that are looked below.
	maxShaded = 100
)

// underShades returns the tables of words below a single shaded row of names, and
// the glyphs that are in none of them, in the order given.
func underShades(shades []ruling, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	rest = glyphs
	chains := chainsOf(bars(joined(shades)))
	if len(chains) == 0 {
		return nil, rest
	}
	lines := stacked.of(glyphs)
	if len(lines.lines) > maxLines {
		return nil, rest
	}
	tried := 0
	for _, chain := range chains {
		for k := 0; k+1 < len(chain.rules); k++ {
			f := frame{left: chain.left, right: chain.right, rules: []float64{chain.rules[k], chain.rules[k+1]}, top: chain.rules[k]}
			below := math.Inf(1)
			if k+2 < len(chain.rules) {
				below = chain.rules[k+2]
			}
			if tried > maxShaded || !f.ofNames(lines) {
				continue
			}
			tried++
			if !f.reachDown(lines, below) {
				continue
			}
			t, own, ok := f.table(lines, drawn)
			if !ok || t.Cols < shadedCols || t.HeaderRows == 0 || t.headed() < t.Cols || t.Rows-t.HeaderRows < 2 || t.longest() > maxCell || !t.short() {
				continue
			}
			inside, outside := own.take(rest)
			if len(inside) != own.size() {
				continue
			}
			t.Confidence = 0.7
			tables, rest = append(tables, t), outside
		}
	}
	return tables, rest
}

// ofNames reports whether several texts stand side by side in a frame of two edges.
func (f *frame) ofNames(lines *stack) bool {
	names, ok := f.within(lines, f.rules[0], f.rules[1])
	return ok && len(names) <= maxHeads && slices.ContainsFunc(names, func(row []layout.Line) bool { return len(row) >= shadedCols })
}

// reachDown adds a rule below the last of the rows that stand under a frame of names,
// no further down than limit. false: there are too few.
func (f *frame) reachDown(lines *stack, limit float64) bool {
	names, _ := f.within(lines, f.rules[0], f.rules[1])
	last, bottom, most, n := names[len(names)-1], f.rules[1], 0.0, 0
	for _, row := range rowsOf(lines.between(f.rules[1], limit, f.left-2*sameEnd, f.right+2*sameEnd)) {
		step := row[0].Base - last[0].Base
		if !near(last, row, rowStep) || n > 1 && step > stepSlack*most || layout.BeginsCaption(row[0].String()) || f.outside(row) {
			break
		}
		if n > 0 {
			most = math.Max(most, step)
		}
		last = row
		n++
		for i := range row {
			bottom = math.Max(bottom, row[i].At.Bottom)
		}
	}
	f.rules = append(f.rules, bottom+1)
	return n >= shadedRows
}

// outside reports a row that is none of the frame: it reaches out of it, or is one
// text across most of it.
func (f *frame) outside(row []layout.Line) bool {
	return slices.ContainsFunc(row, func(l layout.Line) bool {
		return l.At.Left < f.left-2*sameEnd || l.At.Right > f.right+2*sameEnd || l.At.Width() > 0.6*(f.right-f.left)
	})
}

// headed counts the columns that have a text of their own in the head.
func (t *Table) headed() int {
	found := make([]bool, t.Cols)
	n := 0
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Row < t.HeaderRows && c.ColSpan == 1 && !found[c.Col] {
			found[c.Col] = true
			n++
		}
	}
	return n
}

// longest is how many characters the longest cell has.
func (t *Table) longest() int {
	n := 0
	for i := range t.Cells {
		n = max(n, len(t.Cells[i].Glyphs))
	}
	return n
}

// short reports whether all cells of some column of the body have one line: else
// the columns are those of running text.
func (t *Table) short() bool {
	lines := make([]int, t.Cols)
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Row >= t.HeaderRows {
			lines[c.Col] = max(lines[c.Col], len(c.Lines))
		}
	}
	return slices.Contains(lines, 1)
}
