package layout

import (
	"math"
	"slices"
	"unicode"
)

const (
	// maxScript is how many characters a raised or lowered text has that is put
	// back into its line.
	maxScript = 3
	// scriptReach is how many lines before and after it in the file's order its
	// own is looked for.
	scriptReach = 12
	// markGap is how far before its line, in ems, the mark of a note may stand.
	markGap = 2.5
	// leastMarked is how many characters the line of a note has at least.
	leastMarked = 12
)

// scripts puts raised and lowered characters that the file draws apart from
// their line back into it: into a gap that was left for them, behind its end,
// or, the marks of notes, before its beginning. Where they had cut a line in two,
// it is one again.
func scripts(lines []Line) []Line {
	lines = withoutLowered(lines)
	var out []Line // nil as long as nothing is moved
	own := func() {
		if out == nil {
			out = slices.Clone(lines)
		}
	}
	for i := 1; i < len(lines); i++ {
		end := i
		for end < len(lines) && lines[end].isScript() {
			end++
		}
		if end == len(lines) {
			break // nothing goes on behind them
		}
		if end == i {
			continue
		}
		if a, b := &lines[i-1], &lines[end]; a.runsInto(b) {
			if whole := newLine(slices.Concat(a.Glyphs, b.Glyphs)); proseLine(&whole) && lines[i].goesInto(&whole) {
				own()
				out[i-1].Glyphs, out[end] = nil, whole
				lines[end] = whole
			}
		}
		i = end
	}
	for i := range lines {
		s := &lines[i]
		if !s.isScript() {
			continue
		}
		from := lines
		if out != nil {
			from = out
		}
		if k := s.host(from, i); k >= 0 {
			own()
			l := &out[k]
			*l = newLine(slices.Insert(slices.Clone(l.Glyphs), s.placeIn(l), s.Glyphs...))
			out[i].Glyphs = nil
		}
	}
	if out == nil {
		return lines
	}
	return slices.DeleteFunc(out, func(l Line) bool { return len(l.Glyphs) == 0 })
}

// withoutLowered cuts off the lowered characters that a line begins with: they
// belong to another one.
func withoutLowered(lines []Line) []Line {
	var out []Line
	for i := range lines {
		l := &lines[i]
		n := 0
		for n < maxScript && n+1 < len(l.Glyphs) && l.Glyphs[n].Size <= scriptSize*l.Size && l.Glyphs[n].Base > l.Base+float64(0.05*l.Size) {
			n++
		}
		if n > 0 && (!proseLine(l) || l.Glyphs[n].At.Left-l.Glyphs[n-1].At.Right <= noGap*l.Size) {
			n = 0
		}
		if n > 0 && out == nil {
			out = slices.Clone(lines[:i])
		}
		if n > 0 {
			out = append(out, newLine(l.Glyphs[:n:n]), newLine(l.Glyphs[n:]))
		} else if out != nil {
			out = append(out, *l)
		}
	}
	if out == nil {
		return lines
	}
	return out
}

// isScript reports whether the line can be a raised or lowered text.
func (l *Line) isScript() bool {
	return len(l.Glyphs) <= maxScript && !rightToLeft(l.first().Rune)
}

// host returns the nearest line in the file's order that line i goes into, -1
// for none.
func (s *Line) host(lines []Line, i int) int {
	for d := 1; d <= scriptReach; d++ {
		if k := i - d; k >= 0 && s.goesInto(&lines[k]) {
			return k
		}
		if k := i + d; k < len(lines) && s.goesInto(&lines[k]) {
			return k
		}
	}
	return -1
}

// runsInto reports whether b goes on where l ends.
func (l *Line) runsInto(b *Line) bool {
	gap := b.first().At.Left - l.last().At.Right
	return l.Turn == b.Turn && l.Hidden == b.Hidden && l.Outside == b.Outside && sameSize(l.Size, b.Size) &&
		math.Abs(l.Base-b.Base) <= sameBase*l.Size && gap > -noGap*l.Size && gap <= cellGap*l.Size && !rightToLeft(b.first().Rune)
}

func (s *Line) goesInto(l *Line) bool {
	if len(l.Glyphs) < 4 || s.Size > scriptSize*l.Size || s.Turn != l.Turn || s.Hidden != l.Hidden || s.Outside != l.Outside {
		return false
	}
	off := math.Abs(s.Base - l.Base)
	return off > 0.05*l.Size && off <= scriptBase*l.Size && s.placeIn(l) >= 0
}

// placeIn returns the place in the line that s has by where it stands, -1 for
// none.
func (s *Line) placeIn(l *Line) int {
	slack := 0.15 * l.Size
	n := len(l.Glyphs)
	switch {
	case rightToLeft(l.first().Rune):
		return -1
	case s.At.Right <= l.first().At.Left+slack:
		if gap := l.first().At.Left - s.At.Right; s.Base < l.Base && gap <= markGap*l.Size && n >= leastMarked && (unicode.IsUpper(l.first().Rune) || l.wordy()) {
			return 0
		}
		return -1
	case !proseLine(l):
		return -1 // a formula, which has an order of its own
	case s.At.Left >= l.last().At.Right-slack:
		if s.At.Left-l.last().At.Right <= wordGap*l.Size {
			return n
		}
		return -1
	}
	for i := 1; i < n; i++ {
		if l.Glyphs[i-1].At.Right-slack <= s.At.Left && s.At.Right <= l.Glyphs[i].At.Left+slack {
			return i
		}
	}
	return -1
}
