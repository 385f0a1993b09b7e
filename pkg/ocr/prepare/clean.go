package prepare

import (
	"image"
	"slices"
)

const (
	// tile is the side of the squares in which the background is measured.
	tile = 32
	// paper is the brightness of a background that is as good as white, and
	// uneven how far its parts may differ.
	paper  = 225
	uneven = 24
)

// negative is the brightness below which half of a page is one of white text on
// black, as microfilm is, and TIFF files whose writers and readers disagree; unless what
// stands out is darker still: a page that was taken in the dark.
const negative = 96

// level returns the picture on a background that is white everywhere: negatives
// are made positive, and shadows, yellow paper and the vignette of a camera are
// divided out, but not boxes with light text. What a page was photographed on is
// cleared. A picture that is even and bright already comes back as it is.
func level(g *image.Gray) *image.Gray {
	b := backgroundOf(g)
	if b.middle < negative && b.lighter >= b.darker {
		g = positive(g)
		b = backgroundOf(g)
	}
	around := b.ground(g)
	if len(around) == 0 && (b.low >= paper || b.high-b.low < uneven && b.low >= 200) {
		return g
	}
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	row := make([]int32, w)
	for y := range h {
		b.row(y, row)
		from, to := g.Pix[y*g.Stride:], out.Pix[y*out.Stride:]
		for x := range w {
			to[x] = byte(min(int32(from[x])*255/max(row[x], 1), 255))
		}
	}
	b.clearAround(out, around)
	return out
}

func positive(g *image.Gray) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		for x, v := range g.Pix[y*g.Stride : y*g.Stride+g.Rect.Dx()] {
			out.Pix[y*out.Stride+x] = 255 - v
		}
	}
	return out
}

// background is the brightness of the paper by tiles.
type background struct {
	cols, rows int
	own        []int32 // of the brighter part of each tile by itself
	most       []int32 // of most of it
	of         []int32 // the median of own and those around it
	// low, middle and high are the 5th, 50th and 95th percentile of the tiles.
	low, middle, high int32
	// lighter and darker are how many tiles have something on them that is lighter, or
	// darker, than most of them, and more of it than of the other.
	lighter, darker int
}

func backgroundOf(g *image.Gray) background {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	b := background{cols: (w + tile - 1) / tile, rows: (h + tile - 1) / tile}
	b.own, b.most = make([]int32, b.cols*b.rows), make([]int32, b.cols*b.rows)
	var histogram [256]int
	for ty := range b.rows {
		for tx := range b.cols {
			clear(histogram[:])
			n := 0
			for y := ty * tile; y < min(ty*tile+tile, h); y += 2 {
				row := g.Pix[y*g.Stride:]
				for x := tx * tile; x < min(tx*tile+tile, w); x += 2 {
					histogram[row[x]]++
					n++
				}
			}
			k, most := ty*b.cols+tx, percentile(&histogram, n, 50)
			b.own[k], b.most[k] = percentile(&histogram, n, 85), most
			switch up, down := percentile(&histogram, n, 98)-most, most-percentile(&histogram, n, 2); {
			case max(up, down) <= noise:
			case up > down:
				b.lighter++
			case down > up:
				b.darker++
			}
		}
	}
	b.smooth()
	return b
}

// smooth takes the median of each tile and its neighbours, and so leaves out
// what is smaller than a tile or two: heavy type, small pictures.
func (b *background) smooth() {
	b.of = make([]int32, len(b.own))
	var around []int32
	for y := range b.rows {
		for x := range b.cols {
			around = around[:0]
			for v := max(0, y-smoothReach); v <= min(b.rows-1, y+smoothReach); v++ {
				around = append(around, b.own[v*b.cols+max(0, x-smoothReach):v*b.cols+min(b.cols, x+smoothReach+1)]...)
			}
			slices.Sort(around)
			b.of[y*b.cols+x] = around[len(around)/2]
		}
	}
	sorted := slices.Sorted(slices.Values(b.of))
	b.middle = sorted[len(sorted)/2]
	b.low, b.high = sorted[len(sorted)/20], sorted[len(sorted)*19/20]
}

func percentile(histogram *[256]int, n, percent int) int32 {
	left := n * percent / 100
	for v, k := range histogram {
		if left -= k; left < 0 {
			return int32(v)
		}
	}
	return 255
}

// smoothReach is how many tiles on each side count for the median of one.
const smoothReach = 2

// row fills in the background of a row of pixels, between the tiles' centres.
func (b *background) row(y int, out []int32) {
	ty, fy := b.between(y, b.rows)
	below := min(ty+1, b.rows-1)
	for x := range out {
		tx, fx := b.between(x, b.cols)
		right := min(tx+1, b.cols-1)
		top := b.of[ty*b.cols+tx]*(tile-fx) + b.of[ty*b.cols+right]*fx
		bottom := b.of[below*b.cols+tx]*(tile-fx) + b.of[below*b.cols+right]*fx
		out[x] = (top*(tile-fy) + bottom*fy) / (tile * tile)
	}
}

func (b *background) between(at, n int) (first int, part int32) {
	at -= tile / 2
	if at < 0 {
		return 0, 0
	}
	return min(at/tile, n-1), int32(at % tile)
}

const (
	// specks is the share of single dark pixels from which on a page is speckled:
	// print has next to none.
	specks = 0.0004
	// clump is how many dark pixels that hang together are a speck on such a page.
	clump = 3
)

// despeckle removes single dark pixels on white, and few that hang together, and
// single white ones in dark, from a page that has many of them.
func despeckle(g *image.Gray) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	var out *image.Gray
	n := 0
	for _, change := range []bool{false, true} {
		if change {
			if float64(n) < specks*float64(w)*float64(h) {
				return g
			}
			out = image.NewGray(image.Rect(0, 0, w, h))
			for y := range h {
				copy(out.Pix[y*out.Stride:], g.Pix[y*g.Stride:y*g.Stride+w])
			}
		}
		for y := 1; y < h-1; y++ {
			k := y*g.Stride + 1
			for x := 1; x < w-1; x, k = x+1, k+1 {
				dark := g.Pix[k] < 96
				if dark == (g.Pix[k-1] < 160) || dark == (g.Pix[k+1] < 160) || !lone(g.Pix, k, g.Stride, dark) {
					continue
				}
				n++
				if change {
					out.Pix[y*out.Stride+x] = g.Pix[k-1]
				}
			}
		}
	}
	clearClumps(out)
	return out
}

// clearClumps makes white what is dark in clumps.
func clearClumps(g *image.Gray) {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	dark := maskOf(g).Dark
	var open []int
	for start, is := range dark {
		if !is {
			continue
		}
		dark[start] = false
		open = append(open[:0], start)
		for i := 0; i < len(open); i++ {
			x, y := open[i]%w, open[i]/w
			for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, w-1); u++ {
					if k := v*w + u; dark[k] {
						dark[k] = false
						open = append(open, k)
					}
				}
			}
		}
		if len(open) <= clump {
			for _, k := range open {
				g.Pix[k] = 255
			}
		}
	}
}

// lone reports whether the pixel differs from the six of its neighbours above
// and below.
func lone(pix []byte, k, stride int, dark bool) bool {
	for _, row := range [2]int{k - stride, k + stride} {
		for _, v := range pix[row-1 : row+2] {
			if dark == (v < 160) {
				return false
			}
		}
	}
	return true
}
