package layout

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// gutters are the strips of white space between columns of running text, as
// places along the line.
type gutters []float64

const (
	// proseWidth is how wide a line of running text is at least, in ems.
	proseWidth = 9
	// proseLines is how many of them make a column, and gutterHang how far, in ems,
	// their beginnings differ: those of heads above columns of figures do more.
	proseLines = 4
	gutterHang = 3
)

// guttersOf finds the places that lines of running text begin right of or end
// left of, a column's worth on each side, and that hardly one crosses.
func guttersOf(lines []Line) gutters {
	var prose []*Line
	for i := range lines {
		if l := &lines[i]; l.At.Width() >= proseWidth*l.Size && l.wordy() {
			prose = append(prose, l)
		}
	}
	if len(prose) < 2*proseLines {
		return nil
	}
	slices.SortStableFunc(prose, func(a, b *Line) int { return cmp.Compare(a.At.Left, b.At.Left) })
	var out gutters
	for i, l := range prose {
		if i > 0 && l.At.Left-prose[i-1].At.Left < l.Size {
			continue // a place is tried once for each left edge
		}
		at := l.At.Left - float64(0.5*l.Size)
		left, right, across, begin := 0, 0, 0, 0
		for _, o := range prose {
			switch {
			case o.At.Right <= at:
				left++
			case o.At.Left >= at:
				right++
				begin += CountIf(o.At.Left <= l.At.Left+float64(gutterHang*l.Size))
			default:
				across++
			}
		}
		if left >= proseLines && begin >= proseLines && 6*across <= left+right {
			out = append(out, at)
		}
	}
	return out
}

// wordy reports whether most of the line is letters.
func (l *Line) wordy() bool {
	letters := 0
	for i := range l.Glyphs {
		letters += CountIf(unicode.IsLetter(l.Glyphs[i].Rune))
	}
	return 3*letters >= 2*len(l.Glyphs)
}

// divide reports whether a gutter lies between two lines of one row.
func (g gutters) divide(a, b *Line) bool {
	for _, at := range g {
		if at > a.At.Right-float64(0.3*a.Size) && at < math.Max(b.At.Left, a.At.Right) {
			return true
		}
	}
	return false
}
