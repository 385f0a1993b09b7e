package table

import (
	"cmp"
	"slices"
	"sort"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// maxLines bounds the lines that are looked at for tables without a net: a page
// with more is a drawing.
const maxLines = 30_000

// stack is the lines of a page, to be found by their height.
type stack struct {
	lines    []layout.Line // by rows
	byMiddle []int         // of lines
}

func newStack(lines []layout.Line) *stack {
	s := &stack{lines: lines, byMiddle: make([]int, len(lines))}
	for i := range lines {
		s.byMiddle[i] = i
	}
	slices.SortStableFunc(s.byMiddle, func(a, b int) int { return cmp.Compare(s.middle(a), s.middle(b)) })
	return s
}

func (s *stack) middle(i int) float64 { return (s.lines[i].At.Top + s.lines[i].At.Bottom) / 2 }

// between returns the lines whose middles stand between two heights and that have
// a part between two places along the line, by rows.
func (s *stack) between(top, bottom, left, right float64) []layout.Line {
	var found []int
	first := sort.Search(len(s.byMiddle), func(k int) bool { return s.middle(s.byMiddle[k]) >= top })
	for _, i := range s.byMiddle[first:] {
		if s.middle(i) > bottom {
			break
		}
		if at := s.lines[i].At; at.Right >= left && at.Left <= right {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	out := make([]layout.Line, len(found))
	for k, i := range found {
		out[k] = s.lines[i]
	}
	return out
}

// stacker puts the upright glyphs of a page into lines, anew only when a table
// has taken some of them.
type stacker struct {
	last   *stack
	glyphs int // of which it was made
}

// of returns the lines of the glyphs, which nobody changes.
func (s *stacker) of(glyphs []layout.Glyph) *stack {
	if s.last == nil || s.glyphs != len(glyphs) {
		s.last, s.glyphs = newStack(dividedFigures(layout.Stack(upright(glyphs)))), len(glyphs)
	}
	return s.last
}

// upright returns the visible glyphs that run to the right.
func upright(glyphs []layout.Glyph) []layout.Glyph {
	out, start := []layout.Glyph(nil), 0
	for i := range glyphs {
		if g := &glyphs[i]; g.Turn == 0 && !g.Hidden && !g.Outside {
			continue
		}
		if out == nil {
			out = make([]layout.Glyph, 0, len(glyphs)-1)
		}
		out, start = append(out, glyphs[start:i]...), i+1
	}
	return append(out, glyphs[start:]...)
}
