package prepare

import (
	"image"
	"math"
	"slices"
)

const (
	// dotInches is how high a dot of a leader is at most, dashInches how long a
	// dash, and stepInches how far from one to the next of those across, and
	// those down.
	dotInches      = 0.03
	dashInches     = 0.06
	stepInches     = 0.09
	stepDownInches = 0.06
	// dotShare is how high a dot is at most, as a part of what most ink is as high
	// as: small print on a page that is taken for larger than it is.
	dotShare = 0.5
	// leaderDots is how many make a leader.
	leaderDots = 8
	// mostDots is how many there may be: more are the grid of a print.
	mostDots = 50_000
	// textInches is how far before a leader the text ends at most that it leads on
	// from, and lineInches how high a line of it is.
	textInches = 0.25
	lineInches = 0.12
)

// Leader is a row of dots that leads the eye from a name to its number.
type Leader struct {
	Box  image.Rectangle
	Dots int
}

// leaders finds the leaders of a level picture. Rows of dots and dashes that
// stand for a drawn line are taken away: engines see a picture in what they
// frame.
func leaders(g *image.Gray, dpi int) (*image.Gray, []Leader) {
	f := dotFinder{mask: maskOf(g), dpi: float64(dpi)}
	dots, height := f.mask.dots(max(int(dashInches*f.dpi), 3))
	f.high = max(int(math.Min(dotInches*f.dpi, dotShare*float64(height))), 3)
	if len(dots) > mostDots {
		return g, nil
	}
	var found []Leader
	var lines []image.Rectangle
	for _, chain := range f.chains(dots, stepInches) {
		if box := hull(chain); f.leadsOn(chain, box) {
			found = append(found, Leader{Box: box, Dots: len(chain)})
		} else {
			lines = append(lines, box)
		}
	}
	f.down = true
	for i, d := range dots {
		dots[i] = swapped(d)
	}
	for _, chain := range f.chains(dots, stepDownInches) {
		lines = append(lines, swapped(hull(chain)))
	}
	if len(lines) > 0 {
		g = copyOf(g)
		for _, r := range lines {
			white(g, r.Inset(-1))
		}
	}
	return g, found
}

// Without returns the part of the picture in r without what is in a leader.
func (s *Sheet) Without(l Leader, r image.Rectangle) *image.Gray {
	r = r.Intersect(s.Gray.Rect)
	out := image.NewGray(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		from := s.Gray.PixOffset(r.Min.X, r.Min.Y+y)
		copy(out.Pix[y*out.Stride:(y+1)*out.Stride], s.Gray.Pix[from:])
	}
	white(out, l.Box.Inset(-1).Sub(r.Min))
	return out
}

func white(g *image.Gray, r image.Rectangle) {
	r = r.Intersect(g.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			g.Pix[y*g.Stride+x] = 255
		}
	}
}

func hull(boxes []image.Rectangle) image.Rectangle {
	out := image.Rectangle{}
	for _, b := range boxes {
		out = out.Union(b)
	}
	return out
}

// swapped has the rows of a box for its columns.
func swapped(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
}

// dotFinder finds rows of dots across a mask, or down it, where all boxes are
// swapped.
type dotFinder struct {
	mask Mask
	dpi  float64
	high int // of a dot at most, in pixels
	down bool
}

// leadsOn reports whether a row is of dots, no dashes, and text stands before it.
func (f dotFinder) leadsOn(chain []image.Rectangle, box image.Rectangle) bool {
	wide, high := 0, 0
	for _, dot := range chain {
		wide, high = wide+dot.Dx(), high+dot.Dy()
	}
	if 3*wide > 5*high {
		return false
	}
	before := image.Rect(box.Min.X-int(textInches*f.dpi), box.Max.Y-int(lineInches*f.dpi), box.Min.X-1, box.Max.Y)
	before = before.Intersect(image.Rect(0, 0, f.mask.Width, f.mask.Height))
	for y := before.Min.Y; y < before.Max.Y; y++ {
		if slices.Contains(f.mask.Dark[y*f.mask.Width+before.Min.X:y*f.mask.Width+before.Max.X], true) {
			return true
		}
	}
	return false
}

// chains returns the rows of dots that are at most so many inches from each other.
func (f dotFinder) chains(dots []image.Rectangle, step float64) [][]image.Rectangle {
	high, end := f.high, f.mask.Height
	if f.down {
		end = f.mask.Width
	}
	dots = slices.DeleteFunc(slices.Clone(dots), func(d image.Rectangle) bool { return d.Dy() > high })
	slices.SortStableFunc(dots, func(a, b image.Rectangle) int { return a.Min.X - b.Min.X })
	var chains [][]image.Rectangle
	last := make([]int, end) // the chain, from 1, whose last dot has its middle there
	for _, d := range dots {
		middle := (d.Min.Y + d.Max.Y) / 2
		found := 0
		for y := max(middle-high/3, 0); y <= min(middle+high/3, end-1) && found == 0; y++ {
			if n := last[y]; n > 0 && f.follows(chains[n-1], d, int(step*f.dpi)) {
				found, last[y] = n, 0
			}
		}
		if found == 0 {
			chains = append(chains, nil)
			found = len(chains)
		}
		chains[found-1] = append(chains[found-1], d)
		last[middle] = found
	}
	return slices.DeleteFunc(chains, func(c []image.Rectangle) bool { return len(c) < leaderDots })
}

// follows reports whether a dot is the next of a row: as far from the last as
// those before it from each other, of its size, and nothing between them.
func (f dotFinder) follows(chain []image.Rectangle, d image.Rectangle, step int) bool {
	last := chain[len(chain)-1]
	far := d.Min.X - last.Min.X
	if far > step || d.Min.X <= last.Max.X || differ(d.Dx(), last.Dx()) > 2 || differ(d.Dy(), last.Dy()) > 2 {
		return false
	}
	if n := len(chain); n > 1 && differ(far, (last.Min.X-chain[0].Min.X)/(n-1)) > 2 {
		return false
	}
	y := (d.Min.Y + d.Max.Y) / 2
	for x := last.Max.X; x < d.Min.X; x++ {
		at := y*f.mask.Width + x
		if f.down {
			at = x*f.mask.Width + y
		}
		if f.mask.Dark[at] {
			return false
		}
	}
	return true
}

func differ(a, b int) int { return max(a-b, b-a) }

// dots returns the boxes of ink that hangs together and is no longer than long,
// and what most ink that hangs together is as high as.
func (m Mask) dots(long int) (out []image.Rectangle, height int) {
	all, heights := 0, make([]int, m.Height+1) // pixels of ink
	seen := make([]bool, len(m.Dark))
	var open []int
	for start, dark := range m.Dark {
		if !dark || seen[start] {
			continue
		}
		seen[start] = true
		open = append(open[:0], start)
		box := image.Rect(start%m.Width, start/m.Width, start%m.Width+1, start/m.Width+1)
		for i := 0; i < len(open); i++ {
			x, y := open[i]%m.Width, open[i]/m.Width
			box.Min.X, box.Max.X, box.Max.Y = min(box.Min.X, x), max(box.Max.X, x+1), max(box.Max.Y, y+1)
			for v := max(y-1, 0); v <= min(y+1, m.Height-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, m.Width-1); u++ {
					if k := v*m.Width + u; m.Dark[k] && !seen[k] {
						seen[k] = true
						open = append(open, k)
					}
				}
			}
		}
		all, heights[box.Dy()] = all+len(open), heights[box.Dy()]+len(open)
		if box.Dx() <= long && box.Dy() <= long && 2*len(open) >= box.Dx()*box.Dy() {
			out = append(out, box)
		}
	}
	for n := heights[0]; 2*n < all; n += heights[height] {
		height++
	}
	return out, height
}
