package ocrblocks

import (
	"math"

	"github.com/colophon-dev/colophon/pkg/layout"
)

const (
	// fitWords is how many words a line has at least whose slope is looked at, and
	// fitLines how many such lines a page.
	fitWords = 4
	fitLines = 4
	// steep is the slope of a line from which on a page is not as flat as it was
	// printed.
	steep = 0.004
	// bendWords is how many words a line has at least that may bend.
	bendWords = 6
)

// straighten moves the boxes up and down so that lines are level which are not on
// a page that was photographed from the side, where their slopes change down the
// page, and on one that is bent, where they change along the line.
func (s sheet) straighten(lines []line, boxes []layout.Rect) {
	move := func(i int, by float64) { boxes[i].Top, boxes[i].Bottom = boxes[i].Top+by, boxes[i].Bottom+by }
	if slope, ok := s.slopes(lines, boxes); ok {
		for i := range boxes {
			x, y := middle(boxes[i])
			move(i, -float64(slope(y)*(x-s.width/2)))
		}
	}
	for _, l := range lines {
		if l.to-l.from < bendWords {
			continue
		}
		words := boxes[l.from:l.to]
		low, high, bases := math.Inf(1), math.Inf(-1), bend(words)
		for _, at := range bases {
			low, high = math.Min(low, at), math.Max(high, at)
		}
		if !(high-low >= sameBase*words[0].Height()) { // also where all words stand at one place
			continue
		}
		for i, at := range bases {
			move(l.from+i, (low+high)/2-at)
		}
	}
}

// bend returns where the words of a line have their baselines, when they lie on a
// parabola: that with the least squares of distances.
func bend(words []layout.Rect) []float64 {
	left, right := math.Inf(1), math.Inf(-1)
	for _, w := range words {
		left, right = math.Min(left, w.Left), math.Max(right, w.Right)
	}
	var xs, squares, bases, ones []float64
	for _, w := range words {
		x, _ := middle(w)
		x = (x-left)/(right-left) - 0.5
		xs, squares, bases, ones = append(xs, x), append(squares, x*x), append(bases, baseOf(w)), append(ones, 1)
	}
	// The parabola is straight in what its square is not: both are fitted to the
	// straight line, and what is left of one to what is left of the other.
	at, by := fitted(xs, bases, ones)
	squareAt, squareBy := fitted(xs, squares, ones)
	rest, squareRest := make([]float64, len(xs)), make([]float64, len(xs))
	for i, x := range xs {
		rest[i], squareRest[i] = bases[i]-at-float64(by*x), squares[i]-squareAt-float64(squareBy*x)
	}
	_, bent := fitted(squareRest, rest, ones)
	for i, x := range xs {
		bases[i] = at + float64(by*x) + float64(bent*squareRest[i])
	}
	return bases
}

func middle(r layout.Rect) (x, y float64) { return (r.Left + r.Right) / 2, (r.Top + r.Bottom) / 2 }

// slopes returns the slope of lines by their place down the page; ok is false on
// a page that is flat, or of which too little is known.
func (s sheet) slopes(lines []line, boxes []layout.Rect) (slope func(y float64) float64, ok bool) {
	var of, at, weights []float64
	for _, l := range lines {
		if l.to-l.from < fitWords {
			continue
		}
		var xs, bases, ones []float64
		y := 0.0
		for _, box := range boxes[l.from:l.to] {
			x, v := middle(box)
			xs, bases, ones = append(xs, x), append(bases, baseOf(box)), append(ones, 1)
			y += v / float64(l.to-l.from)
		}
		_, m := fitted(xs, bases, ones)
		of, at, weights = append(of, m), append(at, y-s.height/2), append(weights, boxes[l.to-1].Right-boxes[l.from].Left)
	}
	if len(of) < fitLines {
		return nil, false
	}
	mean, change := fitted(at, of, weights)
	slope = func(y float64) float64 { return mean + float64(change*(y-s.height/2)) }
	for _, y := range at {
		ok = ok || math.Abs(slope(y+s.height/2)) > steep
	}
	return slope, ok
}

// fitted returns the straight line with the least squares of weighted distances
// in v: v at u = 0, and by how much it grows with u.
func fitted(u, v, weights []float64) (at, by float64) {
	var n, su, sv, suu, suv float64
	for i, w := range weights {
		if !(w > 0) {
			continue
		}
		n, su, sv = n+w, su+float64(w*u[i]), sv+float64(w*v[i])
		suu, suv = suu+float64(w*float64(u[i]*u[i])), suv+float64(w*float64(u[i]*v[i]))
	}
	if d := float64(n*suu) - float64(su*su); d > 0 {
		by = (float64(n*suv) - float64(su*sv)) / d
	}
	if n > 0 {
		at = (sv - float64(by*su)) / n
	}
	return at, by
}
