package table

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/colophon-dev/colophon/pkg/layout"
)

const (
	// fewRows is how many rows of data it takes to tell columns from text.
	fewRows = 4
	// columnGap is how wide the white space between two columns is at least, in
	// ems, after all rows are laid over one another.
	columnGap = 0.3
	// headGap is how wide a gap in a line of words must be to divide it,
	// monoGap the same when all letters, and the space, have one width.
	headGap = 0.5
	monoGap = 0.9
)

// subdivide adds edges to the lattice where a ruled column holds several
// columns of figures: strips of white space that hardly a row of data crosses.
// The lines of the pieces are cut there.
func subdivide(l *lattice, pieces []piece) (*lattice, []piece) {
	added := make([][]float64, l.cols())
	found := false
	for c := range added {
		var lines []layout.Line
		for i := range pieces {
			if p := &pieces[i]; p.col == c && p.colSpan == 1 {
				lines = append(lines, p.lines...)
			}
		}
		added[c] = textEdges(lines)
		found = found || len(added[c]) > 0
	}
	if !found {
		return l, pieces
	}
	wide := &lattice{ys: l.ys, across: l.across, xs: []float64{l.xs[0]}}
	offset := make([]int, l.cols()+1)
	for c := range added {
		wide.xs = append(append(wide.xs, added[c]...), l.xs[c+1])
		offset[c+1] = offset[c] + len(added[c]) + 1
	}
	out := make([]piece, len(pieces))
	for i, p := range pieces {
		end := offset[p.col+p.colSpan]
		edges := wide.xs[offset[p.col]+1 : end]
		out[i] = piece{cell{p.row, offset[p.col], p.rowSpan, end - offset[p.col]}, cutAll(p.lines, edges)}
	}
	return wide, out
}

// textEdges returns where columns of figures meet, nil when the lines are one
// column.
func textEdges(lines []layout.Line) []float64 {
	var rows [][]layout.Line
	for _, row := range rowsOf(lines) {
		data := 0
		for i := range row {
			data += layout.CountIf(isData(&row[i]))
		}
		if 2*data >= len(row) && data > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) < fewRows || 2*len(rows) < len(rowsOf(lines)) {
		return nil
	}
	return gaps(rows)
}

// The knobs of seeds#extraction, in its pixels of 1/96 inch: how far baselines of a row and
// texts of a column differ, and how high text is at least that tells columns.
const (
	px                         = 0.75 // points
	rowSnapLeast, rowSnapMost  = 3 * px, 6 * px
	colSnapLeast, colSnapMost  = 4 * px, 8 * px
	minTextHeight              = 6 * px
	rowSnapShare, colSnapShare = 0.4, 0.6 // ems
)

// rowSnap is how far baselines of one row differ in text of this size.
func rowSnap(size float64) float64 {
	return math.Min(math.Max(rowSnapShare*size, rowSnapLeast), rowSnapMost)
}

// colSnap is how far texts of one column differ in text of this size.
func colSnap(size float64) float64 {
	return math.Min(math.Max(colSnapShare*size, colSnapLeast), colSnapMost)
}

// rowsOf divides lines by their rows, from top to bottom.
func rowsOf(lines []layout.Line) [][]layout.Line {
	sorted := layout.Rows(lines)
	var rows [][]layout.Line
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && math.Abs(sorted[end].Base-sorted[start].Base) <= rowSnap(math.Max(sorted[start].Size, sorted[end].Size)) {
			end++
		}
		rows = append(rows, sorted[start:end])
		start = end
	}
	return rows
}

// extent is a stretch of a row that is taken by a word.
type extent struct{ from, to float64 }

// gaps returns the middles of the strips that no word of any row takes, with
// words on both sides of them in half of the rows.
func gaps(rows [][]layout.Line) []float64 {
	var words []extent
	var sizes []float64
	var byRow [][]word
	for _, row := range rows {
		byRow = append(byRow, rowWords(row))
		for i := range row {
			words = append(words, wordsOf(&row[i])...)
			sizes = append(sizes, row[i].Size)
		}
	}
	sort.Float64s(sizes)
	em := sizes[len(sizes)/2]
	slices.SortFunc(words, func(a, b extent) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out []float64
	reach := words[0].to
	for _, w := range words[1:] {
		if w.from-reach >= columnGap*em && dividesMost(rows, (reach+w.from)/2) && !inFigures(byRow, extent{reach, w.from}, em) {
			out = append(out, (reach+w.from)/2)
		}
		reach = math.Max(reach, w.to)
	}
	return out
}

// dividesMost reports whether half of the rows have text on both sides of x.
func dividesMost(rows [][]layout.Line, x float64) bool {
	n := 0
	for _, row := range rows {
		left, right := false, false
		for i := range row {
			left, right = left || row[i].At.Left < x, right || row[i].At.Right > x
		}
		n += layout.CountIf(left && right)
	}
	return 2*n >= len(rows)
}

// wordsOf returns what the words of a line take.
func wordsOf(l *layout.Line) []extent {
	var out []extent
	for i := range l.Glyphs {
		g := &l.Glyphs[i]
		if n := len(out); n > 0 && !(i > 0 && layout.Apart(&l.Glyphs[i-1], g)) {
			out[n-1].from, out[n-1].to = math.Min(out[n-1].from, g.At.Left), math.Max(out[n-1].to, g.At.Right)
			continue
		}
		out = append(out, extent{g.At.Left, g.At.Right})
	}
	return out
}

// cutAll cuts lines at the edges, lines of words only where they gape.
func cutAll(lines []layout.Line, edges []float64) []layout.Line {
	for _, x := range edges {
		var out []layout.Line
		for i := range lines {
			out = append(out, cut(&lines[i], x)...)
		}
		lines = out
	}
	return lines
}

// cut divides a line at x when a space is there.
func cut(l *layout.Line, x float64) []layout.Line {
	for i := 1; i < len(l.Glyphs); i++ {
		a, b := &l.Glyphs[i-1], &l.Glyphs[i]
		if a.At.Right > x || b.At.Left < x {
			continue
		}
		gap, least := b.At.Left-a.At.Right, headGap
		if l.Mono {
			least = monoGap
		}
		if !layout.Apart(a, b) || gap < least*l.Size && !(isFigure(l.Glyphs[:i]) && isFigure(l.Glyphs[i:])) {
			break
		}
		return []layout.Line{layout.LineOf(l.Glyphs[:i]), layout.LineOf(l.Glyphs[i:])}
	}
	return []layout.Line{*l}
}

func isFigure(glyphs []layout.Glyph) bool {
	l := layout.Line{Glyphs: glyphs}
	return isData(&l)
}

// dividedFigures cuts lines beside figures where the white space is wider than
// between words: dense tables have no more between their columns.
func dividedFigures(lines []layout.Line) []layout.Line {
	out := make([]layout.Line, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		start := 0
		for k := 1; k < len(l.Glyphs); k++ {
			if besideFigure(l, k) {
				out = append(out, layout.LineOf(l.Glyphs[start:k]))
				start = k
			}
		}
		if start == 0 {
			out = append(out, *l)
		} else {
			out = append(out, layout.LineOf(l.Glyphs[start:]))
		}
	}
	return out
}

// besideFigure reports whether wide white space stands before glyph k, and a
// figure on one side of it that no sign there belongs to.
func besideFigure(l *layout.Line, k int) bool {
	least := wideGap * l.Size
	if l.Mono {
		least = 2 * monoGap * l.Size
	}
	if l.Glyphs[k].At.Left-l.Glyphs[k-1].At.Right <= least || !layout.Apart(&l.Glyphs[k-1], &l.Glyphs[k]) {
		return false
	}
	from, to := k-1, k+1
	for from > 0 && !layout.Apart(&l.Glyphs[from-1], &l.Glyphs[from]) {
		from--
	}
	for to < len(l.Glyphs) && !layout.Apart(&l.Glyphs[to-1], &l.Glyphs[to]) {
		to++
	}
	before, after := l.Glyphs[from:k], l.Glyphs[k:to]
	return (isFigure(before) || isFigure(after)) && !signs(before, signsBefore) && !signs(after, signsAfter)
}
