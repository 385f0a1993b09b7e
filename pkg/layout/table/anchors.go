package table

import (
	"math"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Rows of words wrap: some of their cells have several lines, others never do.
// A line with a text in every column begins a row then, and the others go on in
// their cells: each begins with a word that had no room in the line above it.

// byAnchors divides printed rows where all columns have a text, when some columns
// have one there alone and all other lines go on in their cells. nil: it is not so.
func byAnchors(rows [][]placed) [][]placed {
	cols := 0
	for _, row := range rows {
		for i := range row {
			cols = max(cols, row[i].col+row[i].span)
		}
	}
	if cols < 2 || len(rows) < 3 || len(rows[0]) < cols {
		return nil
	}
	anchors, elsewhere := 0, make([]bool, cols)
	widest, words := make([]float64, cols), make([]bool, cols)
	beside := false // a cell beyond the first column has several lines
	for _, row := range rows {
		if len(row) == cols {
			anchors++
		}
		for i := range row {
			p := &row[i]
			if p.span > 1 {
				return nil
			}
			widest[p.col] = math.Max(widest[p.col], p.line.At.Width())
			words[p.col] = words[p.col] || !isData(&p.line)
			if len(row) < cols {
				elsewhere[p.col] = true
				beside = beside || p.col > 0
			}
		}
	}
	alone := false
	for k := 1; k < cols; k++ {
		alone = alone || !elsewhere[k]
	}
	if anchors < 2 || !alone || !beside {
		return nil
	}
	var out [][]placed
	last := make([]*layout.Line, cols)
	for n, row := range rows {
		if n > 0 && base(row)-base(rows[n-1]) > wrapStep*row[0].line.Size && len(row) < cols {
			return nil
		}
		anew := false // something here is not the rest of the cell above
		for i := range row {
			p := &row[i]
			goes := last[p.col] != nil && (lower(&p.line) || hasNoRoom(last[p.col], &p.line, widest[p.col]))
			anew = anew || !goes || !words[p.col]
			last[p.col] = &p.line
		}
		if anew != (len(row) == cols) {
			return nil
		}
		if anew {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], row...)
	}
	return out
}

// hasNoRoom reports whether the first word of a line would not have stood in the
// line above it, in a cell that is so wide.
func hasNoRoom(above, l *layout.Line, width float64) bool {
	return above.At.Width()+firstWord(l)+float64(0.2*l.Size) > width
}

// firstWord is the width of the line's first word, in points.
func firstWord(l *layout.Line) float64 {
	words := wordsOf(l)
	return words[0].to - words[0].from
}
