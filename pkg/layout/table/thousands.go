package table

import (
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Many languages divide long figures into groups of three digits by a space:
// "64 195". Right-aligned figures have these spaces one below the other, as if
// columns met there.

const (
	// groupGap is how wide such a space is at most, in ems.
	groupGap = 0.6
	// groupSlack is how far its ends may be off, in ems.
	groupSlack = 0.2
)

// inFigures reports whether a strip of white space parts the groups of digits of
// figures: where a word ends at it, that is the beginning of a figure, and three
// digits follow right behind the strip.
func inFigures(rows [][]word, s extent, em float64) bool {
	if s.to-s.from > groupGap*em {
		return false
	}
	good, bad := 0, 0
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			left, right := &row[i-1], &row[i]
			if middle := (s.from + s.to) / 2; left.to > middle || right.from < middle || left.to < s.from-float64(groupSlack*em) {
				continue
			}
			if left.opens && right.group && right.from <= s.to+float64(groupSlack*em) {
				good++
			} else {
				bad++
			}
		}
	}
	return good > 0 && 10*bad <= good
}

// opensFigure reports whether glyphs are what stands before a group of digits: one
// to three digits, signs before them.
func opensFigure(glyphs []layout.Glyph) bool {
	digits := 0
	for i := range glyphs {
		r := glyphs[i].Rune
		if unicode.IsDigit(r) {
			digits++
		} else if digits > 0 || unicode.IsLetter(r) {
			return false
		}
	}
	return digits >= 1 && digits <= 3
}

// isGroup reports whether glyphs begin with three digits that no fourth follows:
// "195", "195,2", "195*".
func isGroup(glyphs []layout.Glyph) bool {
	digit := func(i int) bool { return i < len(glyphs) && unicode.IsDigit(glyphs[i].Rune) }
	return digit(0) && digit(1) && digit(2) && !digit(3) && isFigure(glyphs)
}
