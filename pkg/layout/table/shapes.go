// Package table finds the tables on a page, in several ways. Drawn lines are
// snapped into rulings, rulings that touch form a net, the net divides its area
// into cells, and the characters inside fill them; what rulings leave open is
// told from the text. Rules across alone make a frame, in which the text tells
// rows and columns. One rule or shade, under or behind the names of columns, and
// shaded columns say where a table is, too. Without any line, figures in columns do.
// Frames of text and
// charts look alike and are refused: a table has at least two rows and two
// columns, text in its cells, and columns that hold. Coordinates are those of
// package layout.
package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Point is a place on the page.
type Point struct{ X, Y float64 }

// Shape is one drawn outline: points joined by straight lines. Curved: some of
// them are not straight, and the shape divides no cells.
type Shape struct {
	Points []Point
	Closed bool
	Curved bool
	Stroke bool
	Fill   bool
}

const (
	// snap is how far apart, in points, lines may be that are one.
	snap = 3
	// thin is how thick a filled box may be to be a line.
	thin = 3
	// maxRulings bounds the lines that are looked at: a page with more is a
	// drawing.
	maxRulings = 4000
)

// ruling is a line across or down: at pos, from one end to the other.
type ruling struct{ pos, from, to float64 }

// rulings returns the horizontal and the vertical lines of the shapes.
func rulings(shapes []Shape) (across, down []ruling) {
	for i := range shapes {
		s := &shapes[i]
		if s.Curved {
			continue
		}
		if s.Fill && !s.Stroke {
			if box, ok := s.box(); ok {
				switch {
				case box.Height() <= thin && box.Width() > box.Height():
					across = append(across, ruling{(box.Top + box.Bottom) / 2, box.Left, box.Right})
				case box.Width() <= thin && box.Height() > box.Width():
					down = append(down, ruling{(box.Left + box.Right) / 2, box.Top, box.Bottom})
				}
			}
			continue
		}
		if !s.Stroke {
			continue
		}
		for k := range s.Points {
			next := k + 1
			if next == len(s.Points) {
				if !s.Closed {
					break
				}
				next = 0
			}
			a, b := s.Points[k], s.Points[next]
			dx, dy := math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)
			switch {
			case dy <= 1 && dx > dy:
				across = append(across, ruling{(a.Y + b.Y) / 2, math.Min(a.X, b.X), math.Max(a.X, b.X)})
			case dx <= 1 && dy > dx:
				down = append(down, ruling{(a.X + b.X) / 2, math.Min(a.Y, b.Y), math.Max(a.Y, b.Y)})
			}
		}
	}
	if len(across)+len(down) > 8*maxRulings {
		return nil, nil
	}
	across, down = joined(across), joined(down)
	if len(across)+len(down) > maxRulings {
		return nil, nil
	}
	return across, down
}

// manyPoints is how many points make a line that bends little by little.
const manyPoints = 8

// drawing is the place of what divides no cells. plot: it is the line of a
// chart, open and bent.
type drawing struct {
	layout.Rect
	plot bool
}

// drawings returns curves, and lines that run neither across nor down.
func drawings(shapes []Shape) []drawing {
	var out []drawing
	for i := range shapes {
		s := &shapes[i]
		if len(s.Points) < 2 || !s.Stroke {
			continue
		}
		slants, least := 0, 2.0
		if len(s.Points) >= manyPoints {
			least = 0.05
		}
		for k := 1; k < len(s.Points); k++ {
			a, b := s.Points[k-1], s.Points[k]
			slants += layout.CountIf(math.Abs(a.X-b.X) > least && math.Abs(a.Y-b.Y) > least)
		}
		if slants > 0 || s.Curved {
			open := !s.Closed && s.Points[0] != s.Points[len(s.Points)-1]
			out = append(out, drawing{s.bounds(), open && slants >= 3})
		}
	}
	return out
}

// bounds is the box around the shape.
func (s *Shape) bounds() layout.Rect {
	r := layout.Rect{Left: s.Points[0].X, Right: s.Points[0].X, Top: s.Points[0].Y, Bottom: s.Points[0].Y}
	for _, p := range s.Points[1:] {
		r = r.Union(layout.Rect{Left: p.X, Right: p.X, Top: p.Y, Bottom: p.Y})
	}
	return r
}

// box returns the shape's box when the shape is that box.
func (s *Shape) box() (layout.Rect, bool) {
	if len(s.Points) < 4 || len(s.Points) > 6 {
		return layout.Rect{}, false
	}
	r := s.bounds()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.5 }
	for _, p := range s.Points {
		if !(near(p.X, r.Left) || near(p.X, r.Right)) || !(near(p.Y, r.Top) || near(p.Y, r.Bottom)) {
			return layout.Rect{}, false
		}
	}
	return r, true
}

// joined puts lines that lie on one another, or follow each other with hardly a
// gap, together.
func joined(lines []ruling) []ruling {
	slices.SortFunc(lines, func(a, b ruling) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var out []ruling
	for start := 0; start < len(lines); {
		end, sum := start+1, lines[start].pos
		for end < len(lines) && lines[end].pos-lines[end-1].pos <= snap/2 && lines[end].pos-lines[start].pos <= snap {
			sum += lines[end].pos
			end++
		}
		out = append(out, along(lines[start:end], sum/float64(end-start))...)
		start = end
	}
	return out
}

// along joins lines of one position by their ends.
func along(lines []ruling, pos float64) []ruling {
	slices.SortFunc(lines, func(a, b ruling) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	out := []ruling{{pos, lines[0].from, lines[0].to}}
	for _, l := range lines[1:] {
		last := &out[len(out)-1]
		if l.from <= last.to+snap {
			last.to = math.Max(last.to, l.to)
			continue
		}
		out = append(out, ruling{pos, l.from, l.to})
	}
	return out
}
