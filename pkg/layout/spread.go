package layout

import (
	"math"
	"slices"
	"unicode"
)

// spread finds letter-spaced text, such as a heading set "R E P O R T", and
// marks the gaps inside of its words, which are no spaces.
func spread(l *Line) {
	n := len(l.Glyphs)
	if n < 5 {
		return
	}
	gaps := make([]float64, 0, n-1)
	apart, drawn := 0, 0
	for i := 1; i < n; i++ {
		a, b := &l.Glyphs[i-1], &l.Glyphs[i]
		if rightToLeft(b.Rune) {
			return
		}
		gaps = append(gaps, b.At.Left-a.At.Right)
		space := spaceBetween(a, b) != 0
		apart += CountIf(space && unicode.IsLetter(a.Rune) && unicode.IsLetter(b.Rune))
		drawn += CountIf(space && b.Drawn)
	}
	sorted := slices.Clone(gaps)
	slices.Sort(sorted)
	usual := sorted[len(sorted)/2]
	if wide := sorted[len(sorted)/10] >= spreadGap*l.Size && 10*drawn < 3*(n-1) && !l.Mono && l.wordy(); 10*apart < 7*(n-1) && !wide {
		return
	}
	for i, gap := range gaps {
		if gap < float64(1.5*usual)+float64(spreadSlack*l.Size) && math.Abs(gap-usual) < 0.5*l.Size {
			l.Glyphs[i+1].Tight = true
		}
	}
}

const (
	// spreadGap is the gap, in ems, that nine in ten neighbours of letter-spaced
	// text have at least, and spreadSlack how much wider than usual one within a
	// word is.
	spreadGap   = 0.1
	spreadSlack = 0.05

	// capSize is how much larger than the text beside it an initial is, and
	// capGap how far from it that text may begin, in ems of the text.
	capSize = 1.8
	capGap  = 1.2
)

// initials joins large initials that reach down over several lines with the
// line that goes on after them. The lines beside an initial count as beginning
// where it does.
func initials(lines []Line) []Line {
	var out []Line
	for i := range lines {
		l := &lines[i]
		if len(l.Glyphs) != 1 || !unicode.IsUpper(l.Glyphs[0].Rune) {
			continue
		}
		first := -1
		for k := max(i-3, 0); k < min(i+4, len(lines)); k++ {
			if besideInitial(l, &lines[k]) && (first < 0 || lines[k].Base < lines[first].Base) {
				first = k
			}
		}
		if first < 0 || lines[first].At.Top > l.At.Top+float64(0.9*lines[first].Size) {
			continue
		}
		if out == nil {
			out = slices.Clone(lines)
		}
		rest := &out[first]
		box, at, base, size, left := rest.Box, rest.At, rest.Base, rest.Size, rest.At.Left
		glyphs := slices.Concat(l.Glyphs, rest.Glyphs)
		glyphs[1].Tight = glyphs[1].Space == 0 || !glyphs[1].Drawn && left-l.At.Right < 0.6*size
		*rest = newLine(glyphs)
		rest.Box, rest.At, rest.Base, rest.Size = box.Union(l.Box), at, base, size
		for k := first; k < min(first+6, len(lines)) && (k == i || besideInitial(l, &lines[k])); k++ {
			out[k].At.Left = l.At.Left
		}
		out[i].Glyphs = nil
	}
	if out == nil {
		return lines
	}
	return slices.DeleteFunc(out, func(l Line) bool { return len(l.Glyphs) == 0 })
}

// besideInitial reports whether l is a line of text at the right of the initial.
func besideInitial(initial, l *Line) bool {
	gap := l.At.Left - initial.At.Right
	return len(l.Glyphs) > 8 && initial.Turn == l.Turn && initial.Size >= capSize*l.Size &&
		gap >= -0.3*l.Size && gap <= capGap*l.Size && l.Base > initial.At.Top && l.Base <= initial.At.Bottom
}
