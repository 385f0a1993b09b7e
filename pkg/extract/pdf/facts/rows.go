package facts

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/running"
)

const (
	// partGap is the white space, in ems, that divides the parts of a row.
	partGap = 1
	// sameBase is how far, in ems, the baselines of one row differ at most.
	sameBase = 0.3
	// sideShare is the share of the page's width at its sides in which turned texts
	// are looked at, sideShort how many characters they have at most.
	sideShare, sideShort = 0.1, 120
	// middleShare is the share of the page's height at its upper and lower edge in which
	// what stands upright in a side margin is a part of its row.
	middleShare = 0.22
)

// sheetRows are the rows of a page, with the lines that each is made of.
type sheetRows struct {
	page  running.Page
	lines [][]int // by page.Rows, in the order of the text
	sides []int   // by page.Sides
}

// rowsOf puts the lines of a page, and its tables, into rows from the top down.
// What is not seen on a page counts only where it is most of its text.
func rowsOf(s Sheet, lines []layout.Line, tables []layout.Rect) sheetRows {
	out := sheetRows{page: running.Page{No: s.PageNo, Label: s.Label, Width: s.Width, Height: s.Height}}
	unseen, turns := countOf(lines)
	for i := range lines {
		l := &lines[i]
		switch {
		case (l.Hidden || l.Outside) != unseen:
		case l.Turn == 0 && !isAlone(s, lines, i):
			out.add(lines, i)
		case (l.Turn == 0 || turns[l.Turn] && len(l.Glyphs) <= sideShort) && isAtSide(s, l):
			row := running.Row{Parts: partsOf(lines, []int{i}), Base: l.Base, Size: l.Size, Bold: l.Bold, Turn: l.Turn, Mark: markOf(lines, []int{i}), Chars: len(l.Glyphs)}
			out.page.Sides, out.sides = append(out.page.Sides, row), append(out.sides, i)
		}
	}
	for _, t := range tables {
		out.page.Rows = append(out.page.Rows, running.Row{Solid: true, Top: t.Top, Base: t.Bottom})
		out.lines = append(out.lines, nil)
	}
	out.order(lines)
	return out
}

// isAtSide reports a line in a side margin.
func isAtSide(s Sheet, l *layout.Line) bool {
	return l.Box.Right <= sideShare*s.Width || l.Box.Left >= s.Width-float64(sideShare*s.Width)
}

// isAlone reports an upright line in a side margin, between the heads and the feet, that
// has no other above or below it: marks of paragraphs and lines, and notes, have others.
func isAlone(s Sheet, lines []layout.Line, i int) bool {
	l := &lines[i]
	if !isAtSide(s, l) || len(l.Glyphs) > sideShort || l.Base < middleShare*s.Height || l.Base > s.Height-float64(middleShare*s.Height) {
		return false
	}
	for k := range lines {
		if o := &lines[k]; k != i && o.Box.Left < l.Box.Right && l.Box.Left < o.Box.Right {
			return false
		}
	}
	return true
}

// countOf reports whether most characters are not seen, and which directions but the
// upright one have fewer than half of them: text of a page that lies on its side is
// in no margin.
func countOf(lines []layout.Line) (unseen bool, few map[int]bool) {
	all, hidden, turned := 0, 0, map[int]int{}
	for i := range lines {
		n := len(lines[i].Glyphs)
		all += n
		turned[lines[i].Turn] += n
		if lines[i].Hidden || lines[i].Outside {
			hidden += n
		}
	}
	few = make(map[int]bool, len(turned))
	for turn, n := range turned {
		few[turn] = 2*n < all
	}
	return 2*hidden > all, few
}

// add puts a line into the row that it stands in, or into one of its own.
func (s *sheetRows) add(lines []layout.Line, i int) {
	l := &lines[i]
	for k := len(s.page.Rows) - 1; k >= 0; k-- {
		r := &s.page.Rows[k]
		if math.Abs(r.Base-l.Base) <= sameBase*math.Max(r.Size, l.Size) {
			s.lines[k] = append(s.lines[k], i)
			return
		}
		if len(s.page.Rows)-k > maxBack {
			break
		}
	}
	s.page.Rows = append(s.page.Rows, running.Row{Base: l.Base, Size: l.Size})
	s.lines = append(s.lines, []int{i})
}

// maxBack is how many rows back a line is looked for that stands beside another in
// another column: it bounds the work on a page of many lines.
const maxBack = 200

// order sorts the rows from the top down, and says of each what it is like; those
// that heads can be among get their parts.
func (s *sheetRows) order(lines []layout.Line) {
	at := make([]int, len(s.page.Rows))
	for i := range at {
		at[i] = i
		s.measure(lines, i)
	}
	rows, members := s.page.Rows, s.lines
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(rows[a].Base, rows[b].Base) })
	s.page.Rows, s.lines = make([]running.Row, len(rows)), make([][]int, len(rows))
	for to, from := range at {
		s.page.Rows[to], s.lines[to] = rows[from], members[from]
	}
	var rest []int
	for i := range s.page.Rows {
		if i < running.Reach || i >= len(s.page.Rows)-running.Reach {
			s.page.Rows[i].Parts = partsOf(lines, s.lines[i])
		} else {
			rest = append(rest, s.lines[i]...)
		}
	}
	s.page.Rest = func() []string {
		out := make([]string, len(rest))
		for i, k := range rest {
			out[i] = lines[k].String()
		}
		return out
	}
}

// measure fills in size, weight and mark of a row: those of its widest line.
func (s *sheetRows) measure(lines []layout.Line, i int) {
	r := &s.page.Rows[i]
	if r.Solid {
		return
	}
	r.Top, r.Bold, r.Italic = math.Inf(1), true, true
	widest := -1.0
	for _, k := range s.lines[i] {
		l := &lines[k]
		r.Top, r.Chars = math.Min(r.Top, l.At.Top), r.Chars+len(l.Glyphs)
		r.Bold, r.Italic = r.Bold && l.Bold, r.Italic && l.Italic
		if w := l.At.Width(); w > widest {
			widest, r.Base, r.Size = w, l.Base, l.Size
		}
	}
	r.Mark = markOf(lines, s.lines[i])
}

// markOf is what the file's marked content says about some lines.
func markOf(lines []layout.Line, members []int) running.Mark {
	artifact, orphan := true, true
	for _, k := range members {
		for i := range lines[k].Glyphs {
			g := &lines[k].Glyphs[i]
			if g.Marked {
				return running.Content
			}
			artifact, orphan = artifact && g.Artifact, orphan && g.Orphan
		}
	}
	switch {
	case artifact:
		return running.Artifact
	case orphan:
		return running.Orphan
	}
	return running.Unmarked
}

// partsOf are the texts of some lines of one row, from the left to the right.
func partsOf(lines []layout.Line, members []int) []running.Part {
	var pieces []layout.Piece
	size := 0.0
	for _, k := range members {
		pieces = append(pieces, lines[k].Pieces()...)
		size = math.Max(size, lines[k].Size)
	}
	slices.SortStableFunc(pieces, func(a, b layout.Piece) int { return cmp.Compare(a.At.Left, b.At.Left) })
	var out []running.Part
	for _, p := range pieces {
		if n := len(out); n > 0 && p.At.Left-out[n-1].Right < partGap*size {
			out[n-1].Text += " " + p.Text
			out[n-1].Right = math.Max(out[n-1].Right, p.At.Right)
			continue
		}
		out = append(out, running.Part{Text: p.Text, Left: p.At.Left, Right: p.At.Right})
	}
	return out
}
