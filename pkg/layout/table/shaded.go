package table

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

const (
	// wideText and widestText are the shares of a frame's width that a text in it
	// takes at most, by itself and beside others.
	wideText, widestText = 0.6, 0.9
	// shadedCols is how many columns a shaded row of names heads at least, and
	// shadedRows how many lines stand below it.
	shadedCols = 2
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
func underShades(shades []ruling, cells []layout.Rect, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	rest = glyphs
	chains := chainsOf(bars(joined(slices.Clone(shades))))
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
			f.cells = meeting(cells, f.rules[1], f.left, f.right)
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
	last, bottom, n := names[len(names)-1], f.rules[1], 0
	for _, row := range f.rowsBelow(lines, last, limit) {
		n++
		for i := range row {
			bottom = math.Max(bottom, row[i].At.Bottom)
		}
	}
	f.rules = append(f.rules, bottom+1)
	return n >= shadedRows
}

// rowsBelow returns the rows that stand under the last of the head, no further
// from each other than they are, down to one that is no row of a table.
func (f *frame) rowsBelow(lines *stack, last []layout.Line, limit float64) [][]layout.Line {
	var out [][]layout.Line
	most := 0.0
	for _, row := range rowsOf(lines.between(f.rules[1], limit, f.left-2*sameEnd, f.right+2*sameEnd)) {
		row = cutAll(row, f.cells)
		step := row[0].Base - last[0].Base
		if !near(last, row, rowStep) || len(out) > 1 && step > stepSlack*most || layout.BeginsCaption(row[0].String()) || f.outside(row) || sentence(row) {
			break
		}
		if len(out) > 0 {
			most = math.Max(most, step)
		}
		last, out = row, append(out, row)
	}
	for len(out) > 0 && f.follows(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}

// follows reports a row that is a heading, or a note, below a table: one text at
// the left edge that does not go on from above.
func (f *frame) follows(row []layout.Line) bool {
	return len(row) == 1 && !lower(&row[0]) && row[0].At.Left < f.left+float64(2*row[0].Size)
}

// outside reports a row that is none of the frame: it reaches out of it, or is one
// text across most of it, or nearly all beside others, that begins at its left edge.
func (f *frame) outside(row []layout.Line) bool {
	return slices.ContainsFunc(row, func(l layout.Line) bool {
		most := float64(widestText)
		if len(row) == 1 {
			most = wideText
		}
		wide := l.At.Width() > most*(f.right-f.left)
		return l.At.Left < f.left-2*sameEnd || l.At.Right > f.right+2*sameEnd || wide && l.At.Left < f.left+float64(2*l.Size)
	})
}

// leastSentence is how many words a row has at least that a full stop makes a
// sentence: fewer are as often an abbreviation.
const leastSentence = 4

// sentence reports a row that is one text and ends as a sentence does.
func sentence(row []layout.Line) bool {
	if len(row) != 1 || len(row[0].Glyphs) == 0 {
		return false
	}
	last := row[0].Glyphs[len(row[0].Glyphs)-1].Rune
	return (last == '.' || last == '!' || last == '?') && len(wordsOf(&row[0])) >= leastSentence
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
