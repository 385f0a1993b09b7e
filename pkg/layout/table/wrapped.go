package table

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// wrapStep is how far apart the lines of one cell stand at most, in ems.
const wrapStep = 1.7

// ruledRows divides the rows of a body by the rules across it, at these heights.
// When there is one between all rows of the table, what stands between two of
// them is one row.
func ruledRows(rows [][]placed, rules []float64) [][]placed {
	var sections [][][]placed
	next, last := 0, -1
	for _, row := range rows {
		for next < len(rules) && rules[next] < base(row) {
			next++
		}
		if next != last {
			sections = append(sections, nil)
			last = next
		}
		sections[len(sections)-1] = append(sections[len(sections)-1], row)
	}
	each, anew := len(sections) >= 3, 0
	for _, section := range sections {
		each = each && !slices.ContainsFunc(perColumn(section), func(n int) bool { return n > 1 })
		anew += layout.CountIf(beginsAnew(section))
	}
	each = each && (4*len(sections) >= len(rows) || 4*anew <= len(sections))
	var out [][]placed
	for _, section := range sections {
		if each {
			out = append(out, slices.Concat(section...))
		} else {
			out = append(out, grouped(section)...)
		}
	}
	return out
}

// beginsAnew reports whether one of the rows is as full as the first of them.
func beginsAnew(rows [][]placed) bool {
	return slices.ContainsFunc(rows[1:], func(row []placed) bool { return row[0].col == rows[0][0].col && len(row) >= len(rows[0]) })
}

// perColumn counts the figures in each column.
func perColumn(rows [][]placed) []int {
	var out []int
	for _, row := range rows {
		for i := range row {
			for len(out) <= row[i].col {
				out = append(out, 0)
			}
			out[row[i].col] += layout.CountIf(isData(&row[i].line))
		}
	}
	return out
}

// grouped puts the lines of the body into rows of the table: a cell may hold
// several lines.
func grouped(rows [][]placed) [][]placed {
	if out := byGaps(rows); out != nil {
		return out
	}
	if out := byAnchors(rows); out != nil {
		return out
	}
	headed := stubbed(rows)
	var out [][]placed
	ahead := false // the last row goes on in this one
	for i, row := range rows {
		if i > 0 && (ahead || goesOn(out[len(out)-1], row, headed)) {
			out[len(out)-1] = append(out[len(out)-1], row...)
		} else {
			out = append(out, slices.Clone(row))
		}
		ahead = i+1 < len(rows) && labelGoesOn(row, rows[i+1])
	}
	return out
}

func base(row []placed) float64 { return row[0].line.Base }

// stubbed reports whether every row with figures has a text in the first
// column.
func stubbed(rows [][]placed) bool {
	n := 0
	for _, row := range rows {
		if slices.ContainsFunc(row, func(p placed) bool { return isData(&p.line) }) {
			n++
			if row[0].col != 0 {
				return false
			}
		}
	}
	return n >= fewRows
}

// goesOn reports whether a row is the end of the cells of the row above: words
// in small letters, or, when each row begins with a name, words without one.
func goesOn(above, row []placed, stubbed bool) bool {
	step := base(row) - base(above[len(above)-1:])
	if step > wrapStep*row[0].line.Size {
		return false
	}
	unnamed := stubbed && row[0].col > 0
	for _, p := range row {
		if !endsOpen(above, p.col) && (isData(&p.line) || !unnamed && !lower(&p.line)) {
			return false
		}
		if !slices.ContainsFunc(above, func(a placed) bool { return a.col <= p.col && p.col < a.col+a.span }) {
			return false
		}
	}
	return true
}

// endsOpen reports whether the last line in a column ends with a sign that
// something follows.
func endsOpen(above []placed, col int) bool {
	open := false
	for i := range above {
		if a := &above[i]; a.col == col {
			open = strings.ContainsRune("=,(/&+×", a.line.Glyphs[len(a.line.Glyphs)-1].Rune)
		}
	}
	return open
}

// labelGoesOn reports whether a row that has its first cell alone is the
// beginning of that of the row below.
func labelGoesOn(row, below []placed) bool {
	return len(row) == 1 && row[0].col == 0 && len(below) > 1 && below[0].col == 0 && lower(&below[0].line) &&
		base(below)-base(row) <= wrapStep*row[0].line.Size && row[0].line.Glyphs[len(row[0].line.Glyphs)-1].Rune != ':'
}

// lower reports whether a line begins as a sentence goes on.
func lower(l *layout.Line) bool {
	for i := range l.Glyphs {
		switch r := l.Glyphs[i].Rune; {
		case unicode.IsLetter(r):
			return unicode.IsLower(r)
		case unicode.IsDigit(r):
			return false
		case r == '(':
			return true
		}
	}
	return false
}

// byGaps divides the rows by the white space between them, when it is wider
// between rows of the table than between the lines of their cells. nil: it is
// not.
func byGaps(rows [][]placed) [][]placed {
	if len(rows) < 3 {
		return nil
	}
	steps := make([]float64, 0, len(rows)-1)
	for i := 1; i < len(rows); i++ {
		steps = append(steps, base(rows[i])-base(rows[i-1]))
	}
	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	limit, jump := 0.0, 1.25
	for i := 1; i < len(sorted); i++ {
		if r := sorted[i] / math.Max(sorted[i-1], 0.1); r > jump && sorted[i] > 0.9*rows[0][0].line.Size {
			limit, jump = (sorted[i]+sorted[i-1])/2, r
		}
	}
	if limit == 0 {
		return nil
	}
	var out [][]placed
	bounds := []int{0}
	for i, s := range steps {
		if s > limit {
			bounds = append(bounds, i+1)
		}
	}
	bounds = append(bounds, len(rows))
	several := 0
	for i := 0; i+1 < len(bounds); i++ {
		part := rows[bounds[i]:bounds[i+1]]
		if !oneRow(part) {
			return nil
		}
		var all []placed
		for _, r := range part {
			all = append(all, r...)
		}
		several += layout.CountIf(len(part) > 1)
		out = append(out, all)
	}
	if several == 0 {
		return nil
	}
	return out
}

// oneRow reports whether lines can be one row of a table: no column has two
// figures, and beside figures only one column has several lines; words alone
// go on in small letters.
func oneRow(part [][]placed) bool {
	figures := map[int]int{}
	texts, starts := 0, 0
	for i, row := range part {
		for k := range row {
			p := &row[k]
			if isData(&p.line) {
				figures[p.col]++
				if figures[p.col] > 1 {
					return false
				}
				continue
			}
			if i > 0 {
				texts++
				starts += layout.CountIf(!lower(&p.line))
			}
		}
	}
	return texts == 0 || 3*starts <= 2*texts || len(figures) > 0 && starts <= len(part)/2
}
