package table

import "github.com/colophon-dev/colophon/pkg/layout"

// leastTurned is how many characters of one direction can make a table.
const leastTurned = 24

// Find returns the tables of a page from the top down, and the glyphs that are
// in none of them, in the order given. Each direction of writing has tables of
// its own.
func Find(shapes []Shape, glyphs []layout.Glyph) (tables []Table, rest []layout.Glyph) {
	tables, rest = upTables(shapes, glyphs)
	count := map[int]int{}
	for i := range glyphs {
		count[glyphs[i].Turn]++
	}
	for _, turn := range []int{90, 180, 270} {
		if count[turn] >= leastTurned {
			var more []Table
			more, rest = findTurned(shapes, rest, turn)
			tables = append(tables, more...)
		}
	}
	sortByPlace(tables)
	return tables, rest
}

// findTurned finds the tables in a direction of writing: those of the page
// turned so that its text runs to the right.
func findTurned(shapes []Shape, glyphs []layout.Glyph, turn int) (tables []Table, rest []layout.Glyph) {
	turned := make([]Shape, len(shapes))
	for i, s := range shapes {
		points := make([]Point, len(s.Points))
		for k, p := range s.Points {
			points[k] = p.turned(turn)
		}
		s.Points = points
		turned[i] = s
	}
	var framed []layout.Glyph
	origin := map[int]layout.Glyph{}
	for _, g := range glyphs {
		if g.Turn == turn {
			origin[g.Seq] = g
			g.Turn, g.Box = 0, g.At
			framed = append(framed, g)
		}
	}
	tables, left := upTables(turned, framed)
	free := make(map[int]bool, len(left))
	for i := range left {
		free[left[i].Seq] = true
	}
	rest = make([]layout.Glyph, 0, len(glyphs))
	for i := range glyphs {
		if g := &glyphs[i]; g.Turn != turn || free[g.Seq] {
			rest = append(rest, *g)
		}
	}
	for i := range tables {
		t := &tables[i]
		t.Turn, t.Edges = turn, nil
		a, b := Point{t.Box.Left, t.Box.Top}.turned(360-turn), Point{t.Box.Right, t.Box.Bottom}.turned(360-turn)
		t.Box = layout.Rect{Left: min(a.X, b.X), Right: max(a.X, b.X), Top: min(a.Y, b.Y), Bottom: max(a.Y, b.Y)}
		for k := range t.Cells {
			for n, g := range t.Cells[k].Glyphs {
				t.Cells[k].Glyphs[n] = origin[g.Seq]
			}
		}
	}
	return tables, rest
}

// turned is the place when the page is turned about its origin so that text in
// that direction runs to the right.
func (p Point) turned(turn int) Point {
	switch turn {
	case 90:
		return Point{-p.Y, p.X}
	case 180:
		return Point{-p.X, -p.Y}
	case 270:
		return Point{p.Y, -p.X}
	}
	return p
}
