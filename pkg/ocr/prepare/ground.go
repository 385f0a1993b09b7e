package prepare

import (
	"image"
	"slices"
)

const (
	// same is how bright a tile of paper is at least, as a share of the one beside
	// it: shadows grow, and boxes have an edge. bright is that of the tiles that
	// are paper whatever is beside them, as a share of the brightest.
	same   = 0.75
	bright = 0.9
	// table is the brightness up to which what lies around a photographed page is
	// no paper, and tableSides how many sides of the picture it reaches at least.
	table      = 110
	tableSides = 3
)

// ground sets the background of what is no paper to that of the paper beside it:
// boxes with light text, so that they are not divided away, and what a page was
// photographed on, whose tiles it returns.
func (b *background) ground(g *image.Gray) (around []int) {
	paper := b.paper()
	seen := slices.Clone(paper)
	filled := false
	for start := range seen {
		if seen[start] {
			continue
		}
		part := b.spread([]int{start}, seen, func(_, to int) bool { return !seen[to] })
		deep, light := lightText(g, b.inner(part, smoothReach, g))
		if !light && deep.ground <= table && b.sides(part) >= tableSides {
			around, filled = append(around, part...), true
		} else if _, light := lightText(g, b.inner(part, 1, g)); light {
			filled = true
		} else { // as good as paper: a shadow with an edge, or a picture
			for _, k := range part {
				paper[k] = true
			}
		}
	}
	if filled {
		b.spread(b.all(paper), paper, func(from, to int) bool {
			b.own[to] = b.own[from]
			return true
		})
		b.smooth()
	}
	return around
}

// paper marks the tiles that are paper.
func (b *background) paper() []bool {
	out := make([]bool, len(b.of))
	for k, v := range b.most {
		out[k] = float64(v) >= bright*float64(b.high)
	}
	b.spread(b.all(out), out, func(from, to int) bool { return float64(b.most[to]) >= same*float64(b.most[from]) })
	return out
}

// all are the tiles that are marked.
func (b *background) all(marked []bool) []int {
	var out []int
	for k, is := range marked {
		if is {
			out = append(out, k)
		}
	}
	return out
}

// spread marks the tiles that can be reached from the first ones, of two
// neighbours by their test, and returns all of them in the order in which they
// were reached.
func (b *background) spread(tiles []int, marked []bool, reaches func(from, to int) bool) []int {
	for _, k := range tiles {
		marked[k] = true
	}
	for i := 0; i < len(tiles); i++ {
		x, y := tiles[i]%b.cols, tiles[i]/b.cols
		for _, next := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
			k := next.Y*b.cols + next.X
			if next.X >= 0 && next.Y >= 0 && next.X < b.cols && next.Y < b.rows && !marked[k] && reaches(tiles[i], k) {
				marked[k] = true
				tiles = append(tiles, k)
			}
		}
	}
	return tiles
}

// tile is the place of a tile in the picture.
func (b *background) tile(k int, g *image.Gray) image.Rectangle {
	x, y := k%b.cols*tile, k/b.cols*tile
	return image.Rect(x, y, x+tile, y+tile).Intersect(g.Rect)
}

// inner are the places of the tiles that have none but these around them, as far
// as reach, so that no paper is among them; of all, where there are no such.
func (b *background) inner(tiles []int, reach int, g *image.Gray) []image.Rectangle {
	in := make([]bool, len(b.of))
	for _, k := range tiles {
		in[k] = true
	}
	among := func(x, y int) bool {
		for v := max(0, y-reach); v <= min(b.rows-1, y+reach); v++ {
			for u := max(0, x-reach); u <= min(b.cols-1, x+reach); u++ {
				if !in[v*b.cols+u] {
					return false
				}
			}
		}
		return true
	}
	var all, out []image.Rectangle
	for _, k := range tiles {
		all = append(all, b.tile(k, g))
		if among(k%b.cols, k/b.cols) {
			out = append(out, b.tile(k, g))
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// sides counts the sides of the picture that tiles reach.
func (b *background) sides(tiles []int) int {
	var at [4]bool
	for _, k := range tiles {
		x, y := k%b.cols, k/b.cols
		at = [4]bool{at[0] || x == 0, at[1] || x == b.cols-1, at[2] || y == 0, at[3] || y == b.rows-1}
	}
	n := 0
	for _, is := range at {
		if is {
			n++
		}
	}
	return n
}

// clearAround makes white what is dark in tiles around a page and, up to where the
// page begins, what hangs together with it. The picture's own
// background must be white already.
func (b *background) clearAround(g *image.Gray, around []int) {
	const dark = 160
	near := make([]bool, len(b.of)) // the tiles around, and those whose median may be wrong by them
	for _, k := range around {
		x, y := k%b.cols, k/b.cols
		for v := max(0, y-smoothReach); v <= min(b.rows-1, y+smoothReach); v++ {
			for u := max(0, x-smoothReach); u <= min(b.cols-1, x+smoothReach); u++ {
				near[v*b.cols+u] = true
			}
		}
	}
	var open []int
	for _, k := range around {
		r := b.tile(k, g)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if at := y*g.Stride + x; g.Pix[at] < dark {
					g.Pix[at] = 255
					if x == r.Min.X || x == r.Max.X-1 || y == r.Min.Y || y == r.Max.Y-1 { // beside another tile
						open = append(open, at)
					}
				}
			}
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		x, y := at%g.Stride, at/g.Stride
		for _, p := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
			if next := p.Y*g.Stride + p.X; p.In(g.Rect) && g.Pix[next] < dark && near[p.Y/tile*b.cols+p.X/tile] {
				g.Pix[next] = 255
				open = append(open, next)
			}
		}
	}
}
