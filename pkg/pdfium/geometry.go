package pdfium

import "math"

// Point is a place in user space, in points.
type Point struct{ X, Y float64 }

// Rect is a box in user space, in points: Left <= Right and Bottom <= Top.
type Rect struct{ Left, Bottom, Right, Top float64 }

// Width is never negative.
func (r Rect) Width() float64 { return r.Right - r.Left }

// Height is never negative.
func (r Rect) Height() float64 { return r.Top - r.Bottom }

func (r Rect) normal() Rect {
	return Rect{
		Left: math.Min(r.Left, r.Right), Right: math.Max(r.Left, r.Right),
		Bottom: math.Min(r.Bottom, r.Top), Top: math.Max(r.Bottom, r.Top),
	}
}

// Union is the smallest box around both.
func (r Rect) Union(s Rect) Rect {
	return Rect{
		Left: math.Min(r.Left, s.Left), Right: math.Max(r.Right, s.Right),
		Bottom: math.Min(r.Bottom, s.Bottom), Top: math.Max(r.Top, s.Top),
	}
}

// Box is a place on the upright page: shares of its width and height in [0, 1],
// origin top left (contracts#bbox).
type Box struct{ X, Y, W, H float64 }

// Upright maps r to the page as a reader sees it: the MediaBox turned clockwise
// by rotation degrees (0, 90, 180 or 270). What lies outside the page is cut
// off. Values are rounded to six digits (contracts#fragment-hash); a page
// without area gives a zero box.
func Upright(media Rect, rotation int, r Rect) Box {
	w, h := media.Width(), media.Height()
	if !(w > 0) || !(h > 0) {
		return Box{}
	}
	left, right := share(r.Left-media.Left, w), share(r.Right-media.Left, w)
	top, bottom := share(media.Top-r.Top, h), share(media.Top-r.Bottom, h)
	switch rotation {
	case 90:
		left, right, top, bottom = 1-bottom, 1-top, left, right
	case 180:
		left, right, top, bottom = 1-right, 1-left, 1-bottom, 1-top
	case 270:
		left, right, top, bottom = top, bottom, 1-right, 1-left
	}
	x, y := round6(left), round6(top)
	return Box{X: x, Y: y, W: round6(right - left), H: round6(bottom - top)}
}

func share(v, of float64) float64 {
	s := v / of
	if !(s > 0) { // also not a number
		return 0
	}
	return math.Min(s, 1)
}

func round6(v float64) float64 { return math.Round(float64(v*1e6)) / 1e6 }

// matrix is a PDF transformation [a b c d e f].
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) apply(p Point) Point {
	return Point{
		X: float64(float64(m.a*p.X)+float64(m.c*p.Y)) + m.e,
		Y: float64(float64(m.b*p.X)+float64(m.d*p.Y)) + m.f,
	}
}

// then is m followed by n.
func (m matrix) then(n matrix) matrix {
	origin := n.apply(Point{m.e, m.f})
	return matrix{
		a: float64(m.a*n.a) + float64(m.b*n.c), b: float64(m.a*n.b) + float64(m.b*n.d),
		c: float64(m.c*n.a) + float64(m.d*n.c), d: float64(m.c*n.b) + float64(m.d*n.d),
		e: origin.X, f: origin.Y,
	}
}

// scale is the length that a vertical unit has after m.
func (m matrix) scale() float64 {
	return math.Sqrt(float64(m.c*m.c) + float64(m.d*m.d))
}

// height is how high a vertical unit stands above the baseline after m: letters
// that are slanted are longer than that.
func (m matrix) height() float64 {
	if m.b == 0 {
		return math.Abs(m.d)
	}
	return math.Abs(float64(m.a*m.d)-float64(m.b*m.c)) / math.Hypot(m.a, m.b)
}

// angle is the direction of the baseline after m in radians, anticlockwise, in
// [0, 2π).
func (m matrix) angle() float64 {
	if m.b == 0 && m.a >= 0 {
		return 0
	}
	return math.Mod(2*math.Pi+math.Atan2(m.b, m.a), 2*math.Pi)
}
