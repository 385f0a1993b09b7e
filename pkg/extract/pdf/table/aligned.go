package table

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
)

// Tables without rulings are told from their text alone: rows that follow each
// other closely, each of a few texts with white space between them and figures
// among them, in the same columns. It takes figures: words in columns are too
// often columns of text.

const (
	// maxHeads is how many rows above the figures can be heads.
	maxHeads = 5
	// rowStep is how far apart rows of one table stand at most, in ems, and
	// headStep a head from what is below it.
	rowStep  = 2.8
	headStep = 2.2
)

// aligned returns the tables that figures in columns make, and the glyphs that
// are in none of them, in the order given.
func aligned(glyphs []layout.Glyph) (tables []Table, rest []layout.Glyph) {
	upright := make([]layout.Glyph, 0, len(glyphs))
	for i := range glyphs {
		if g := &glyphs[i]; g.Turn == 0 && !g.Hidden && !g.Outside {
			upright = append(upright, *g)
		}
	}
	if len(upright) == 0 {
		return nil, glyphs
	}
	rest = glyphs
	for _, lines := range layout.Columns(layout.Stack(upright)) {
		for _, r := range regions(rowsOf(lines)) {
			box := r.box()
			l := &lattice{
				xs: []float64{box.Left - 1, box.Right + 1}, ys: []float64{box.Top - 1, box.Bottom + 1},
				right: []bool{true}, under: []bool{true},
			}
			inside, outside := r.take(rest)
			t, _, ok := fill(l, inside)
			if ok && t.plausible() {
				t.Box, t.Ruled, t.Confidence = box, false, 0.7
				tables, rest = append(tables, t), outside
			}
		}
	}
	return tables, rest
}

// region is a run of rows that can be a table.
type region struct{ rows [][]layout.Line }

func (r *region) box() layout.Rect {
	box := r.rows[0][0].Box
	for _, row := range r.rows {
		for i := range row {
			box = box.Union(row[i].Box)
		}
	}
	return box
}

// take divides glyphs into those of the region's lines and the others.
func (r *region) take(glyphs []layout.Glyph) (inside, outside []layout.Glyph) {
	own := map[int]bool{}
	outside = make([]layout.Glyph, 0, len(glyphs))
	for _, row := range r.rows {
		for i := range row {
			for k := range row[i].Glyphs {
				own[row[i].Glyphs[k].Seq] = true
			}
		}
	}
	for i := range glyphs {
		if own[glyphs[i].Seq] {
			inside = append(inside, glyphs[i])
		} else {
			outside = append(outside, glyphs[i])
		}
	}
	return inside, outside
}

// regions returns the runs of rows with figures, with the heads above them.
func regions(rows [][]layout.Line) []region {
	var out []region
	used := 0 // rows before this one belong to a region
	for start := 0; start < len(rows); start++ {
		if !tabular(rows[start]) {
			continue
		}
		end, n := start+1, 1
		for next := end; next < len(rows) && near(rows[next-1], rows[next], rowStep); next++ {
			if tabular(rows[next]) {
				end, n = next+1, n+1
			} else if next-end >= 2 || !label(rows[next]) {
				break
			}
		}
		if n < fewRows || !figures(rows[start:end]) {
			start = end - 1
			continue
		}
		first := withHeads(rows, start, end, used)
		out = append(out, region{rows[first:end]})
		used, start = end, end-1
	}
	return out
}

// tabular reports a row of a few texts of which one that is not the first is a
// figure.
func tabular(row []layout.Line) bool {
	if len(row) < 2 {
		return false
	}
	data, digits := 0, false
	for i := range row[1:] {
		l := &row[i+1]
		data += one(isData(l))
		digits = digits || isData(l) && slices.ContainsFunc(l.Glyphs, func(g layout.Glyph) bool { return unicode.IsDigit(g.Rune) })
	}
	return digits && 2*data >= len(row)-1
}

// figures reports whether most of the figures in the rows are longer than one
// digit: the matrices and axes of mathematics are not.
func figures(rows [][]layout.Line) bool {
	long, all := 0, 0
	for _, row := range rows {
		for i := range row {
			if isData(&row[i]) {
				all++
				long += one(len(row[i].Glyphs) > 1)
			}
		}
	}
	return 2*long >= all
}

// label reports a row that names a group of rows: one short text.
func label(row []layout.Line) bool {
	return len(row) == 1 && row[0].At.Width() < 25*row[0].Size
}

// near reports whether two rows follow each other within so many ems.
func near(a, b []layout.Line, step float64) bool {
	size := math.Max(a[0].Size, b[0].Size)
	return b[0].Base-a[0].Base <= step*size
}

// withHeads returns the first of the rows above start that head the columns:
// short texts that stand within the region's width, the topmost with more than
// one of them.
func withHeads(rows [][]layout.Line, start, end, used int) int {
	body := region{rows[start:end]}
	box := body.box()
	first := start
	for i := start - 1; i >= used && i >= start-maxHeads && near(rows[i], rows[i+1], headStep); i-- {
		row := rows[i]
		fits := slices.IndexFunc(row, func(l layout.Line) bool {
			return l.At.Left < box.Left-float64(2*l.Size) || l.At.Right > box.Right+float64(2*l.Size) || l.At.Width() > 0.6*box.Width()
		}) < 0
		if !fits {
			break
		}
		if len(row) > 1 {
			first = i
		}
	}
	return first
}

// plausible refuses what only looks like a table: lists of contents, and texts
// in columns.
func (t *Table) plausible() bool {
	if t.Rows < fewRows || 5*len(t.Cells) < 2*t.Rows*t.Cols {
		return false
	}
	letters, data := 0, 0
	for i := range t.Cells {
		c := &t.Cells[i]
		letters = max(letters, len(c.Glyphs))
		data += one(len(c.Lines) > 0 && isFigure(c.Glyphs))
	}
	return letters <= 200 && 3*data >= len(t.Cells) && !t.contents()
}

// contents reports a list of contents: two columns, the last one of numbers
// that never fall.
func (t *Table) contents() bool {
	if t.Cols > 3 {
		return false
	}
	last, n := 0, 0
	for i := range t.Cells {
		c := &t.Cells[i]
		if c.Col != t.Cols-1 {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSpace(layout.Join(c.Lines, nil)))
		if err != nil || v < last {
			return false
		}
		last = v
		n++
	}
	return n >= fewRows
}

// sortByPlace puts tables into the order of their places, from the top down.
func sortByPlace(tables []Table) {
	sort.SliceStable(tables, func(i, k int) bool { return tables[i].Box.Top < tables[k].Box.Top })
}
