package table

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// underline is how far below the baseline, in ems, a line is drawn under words.
const underline = 0.25

// withoutUnderlines leaves out the lines that are drawn under words, from the
// beginning of one to the end of one.
func withoutUnderlines(across []ruling, lines []layout.Line) []ruling {
	byBase, largest := make([]*layout.Line, len(lines)), 0.0
	for i := range lines {
		byBase[i] = &lines[i]
		largest = math.Max(largest, lines[i].Size)
	}
	slices.SortFunc(byBase, func(a, b *layout.Line) int { return cmp.Compare(a.Base, b.Base) })
	return slices.DeleteFunc(slices.Clone(across), func(r ruling) bool {
		from := sort.Search(len(byBase), func(k int) bool { return byBase[k].Base >= r.pos-float64(underline*largest) })
		for _, l := range byBase[from:] {
			if l.Base > r.pos {
				break
			}
			if underlined(l, r) {
				return true
			}
		}
		return false
	})
}

func underlined(l *layout.Line, r ruling) bool {
	near := 1 + float64(0.1*l.Size)
	if r.pos < l.Base || r.pos > l.Base+float64(underline*l.Size) || r.from < l.At.Left-near || r.to > l.At.Right+near {
		return false
	}
	begins, ends := false, false
	for i := range l.Glyphs {
		g := &l.Glyphs[i]
		begins = begins || math.Abs(g.At.Left-r.from) <= near
		ends = ends || math.Abs(g.At.Right-r.to) <= near
	}
	return begins && ends
}

// maxShade is how high, in points, the shade of a row is at most.
const maxShade = 60

// shadesOf returns the upper and lower edges of shaded rows, whose cells may be
// shaded one by one.
func shadesOf(shapes []Shape) []ruling {
	var out []ruling
	for _, b := range stacks(filledBoxes(shapes)) {
		if b.Height() <= maxShade && b.Width() > 2*b.Height() {
			out = append(out, ruling{b.Top, b.Left, b.Right}, ruling{b.Bottom, b.Left, b.Right})
		}
	}
	return out[:min(len(out), maxRulings)]
}

// Charts returns the places of charts: of bars, also of several pieces each, and
// of lines that go up and down, which are decoration as often where no axes are.
func Charts(shapes []Shape) (bars, plots []layout.Rect) {
	boxes := filledBoxes(shapes)
	bars = append(barsOf(shapes), barsFrom(stacks(boxes))...)
	bars = append(bars, turnedBack(barsFrom(stacks(turnedOver(boxes))))...)
	for _, d := range drawings(shapes) {
		if d.plot {
			plots = append(plots, d.Rect)
		}
	}
	return bars, plots
}

// Frame returns the box that the shape draws, if it is one.
func (s *Shape) Frame() (layout.Rect, bool) { return s.box() }

// barsOf returns the places of bar charts: filled boxes that begin, or stand,
// on one line and end at several places where no other begins.
func barsOf(shapes []Shape) []layout.Rect {
	boxes := filledBoxes(shapes)
	return append(barsFrom(boxes), turnedBack(barsFrom(turnedOver(boxes)))...)
}

// filledBoxes returns the filled boxes that are no lines.
func filledBoxes(shapes []Shape) []layout.Rect {
	var out []layout.Rect
	for i := range shapes {
		s := &shapes[i]
		if b, ok := s.box(); ok && s.Fill && b.Width() > thin && b.Height() > thin {
			out = append(out, b)
		}
	}
	return out
}

// turnedOver turns boxes so that those that stand lie; turnedBack is the way back.
func turnedOver(boxes []layout.Rect) []layout.Rect {
	out := make([]layout.Rect, len(boxes))
	for i, b := range boxes {
		out[i] = layout.Rect{Left: -b.Bottom, Right: -b.Top, Top: b.Left, Bottom: b.Right}
	}
	return out
}

func turnedBack(boxes []layout.Rect) []layout.Rect {
	out := make([]layout.Rect, len(boxes))
	for i, b := range boxes {
		out[i] = layout.Rect{Left: b.Top, Right: b.Bottom, Top: -b.Right, Bottom: -b.Left}
	}
	return out
}

// stacks joins boxes of one height that follow each other without a gap, from
// left to right.
func stacks(boxes []layout.Rect) []layout.Rect {
	sorted := slices.Clone(boxes)
	slices.SortFunc(sorted, func(a, b layout.Rect) int {
		return cmp.Or(cmp.Compare(a.Top, b.Top), cmp.Compare(a.Bottom, b.Bottom), cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right))
	})
	var out []layout.Rect
	for _, b := range sorted {
		if n := len(out) - 1; n >= 0 && out[n].Top == b.Top && out[n].Bottom == b.Bottom && math.Abs(b.Left-out[n].Right) <= 1 {
			out[n].Right = b.Right
			continue
		}
		out = append(out, b)
	}
	return out
}

// barsFrom returns the places of bars that lie.
func barsFrom(boxes []layout.Rect) []layout.Rect {
	sorted := slices.Clone(boxes)
	slices.SortFunc(sorted, func(a, b layout.Rect) int {
		return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Right, b.Right), cmp.Compare(a.Top, b.Top))
	})
	var lefts []float64
	for _, b := range sorted {
		lefts = append(lefts, b.Left)
	}
	var out []layout.Rect
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].Left-sorted[start].Left <= 0.5 {
			end++
		}
		group := sorted[start:end]
		ends, last, all := 0, math.Inf(-1), group[0]
		for _, b := range group {
			all = all.Union(b)
			k, _ := slices.BinarySearch(lefts, b.Right-0.5)
			tiled := k < len(lefts) && lefts[k] <= b.Right+0.5
			if b.Right-last > 1 && !tiled {
				ends++
				last = b.Right
			}
		}
		if ends >= 3 {
			out = append(out, all)
		}
		start = end
	}
	return out
}

// onBars reports whether bars take much of the box, or lie beside its text.
func onBars(box layout.Rect, bars []layout.Rect) bool {
	return slices.ContainsFunc(bars, func(b layout.Rect) bool {
		high := math.Min(b.Bottom, box.Bottom) - math.Max(b.Top, box.Top)
		wide := math.Min(b.Right, box.Right) - math.Max(b.Left, box.Left)
		return wide > 0 && high > 0 && wide*high > 0.1*box.Width()*box.Height()
	})
}
