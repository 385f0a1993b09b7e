package prepare

import (
	"image"
	"math"
)

const (
	// creaseBands is in how many bands from edge to edge a crease is followed, and
	// creaseLost in how many of them, of those that are no edge, it may be missed.
	creaseBands = 12
	creaseLost  = 2
	// creaseDeep is how much darker than the paper on both sides the paper is in a
	// crease at least; creaseInches is how far that paper is from its middle.
	creaseDeep   = 14
	creaseInches = 0.15
	// creaseLean is how far a crease moves aside from one band to the next, as a
	// share of the height of a band.
	creaseLean = 0.06
	// creasePaper is the percentile of brightness in a strip of a pixel's width that is
	// paper: letters take up less of it than what is left, lines drawn down a page all.
	creasePaper = 80
	// creaseGain bounds by how much a crease is made brighter, in 256ths.
	creaseGain = 6 * 256
	// creaseMost is how many creases are looked for in one direction.
	creaseMost = 3
)

// uncrease takes the shadows of folds out of a picture: bands that are darker than
// the paper on both sides and go on from one edge of the picture to the other, which no
// drawn line does. Engines take a fold down the page for what parts two columns. Of a page
// that was made level by an angle of this slope, the corners are no paper. g is not changed.
func uncrease(g *image.Gray, dpi int, slope float64) *image.Gray {
	for _, down := range []bool{true, false} {
		v := viewOf(g, down, slope)
		strips := v.strips()
		for range creaseMost {
			c, ok := v.crease(strips, dpi)
			if !ok {
				break
			}
			if v.g == g {
				g = copyOf(g)
				v = viewOf(g, down, slope)
			}
			v.clear(c)
			strips = v.strips()
		}
	}
	return g
}

// view is a picture along one of its sides: a crease runs down it.
type view struct {
	g                *image.Gray
	wide, high       int
	across, downward int // steps in Pix
	edge             int // rows at the top and bottom that may be no paper
}

func viewOf(g *image.Gray, down bool, slope float64) view {
	v := view{g: g, wide: g.Rect.Dx(), high: g.Rect.Dy(), across: 1, downward: g.Stride}
	if !down {
		v = view{g: g, wide: g.Rect.Dy(), high: g.Rect.Dx(), across: g.Stride, downward: 1}
	}
	v.edge = min(int(math.Abs(slope)*float64(v.wide)), v.high/4)
	return v
}

// band is where a band begins.
func (v view) band(b int) int { return v.edge + (v.high-2*v.edge)*b/creaseBands }

// strips are the brightness of the paper by bands, and in each by its columns.
func (v view) strips() [][]int32 {
	out := make([][]int32, creaseBands)
	var histogram [256]int
	for b := range out {
		out[b] = make([]int32, v.wide)
		from, to := v.band(b), v.band(b+1)
		for x := range out[b] {
			clear(histogram[:])
			n := 0
			for k := x*v.across + from*v.downward; k < x*v.across+to*v.downward; k += 2 * v.downward {
				histogram[v.g.Pix[k]]++
				n++
			}
			out[b][x] = percentile(&histogram, n, creasePaper)
		}
	}
	return out
}

// crease is where a fold runs.
type crease struct {
	middle [creaseBands]int // of each band
	half   int              // how far it reaches to both sides
	shade  [][]int32        // of the bands, by the distance from middle - half
	paper  []int32          // beside it, of the bands
}

// crease finds the deepest fold.
func (v view) crease(strips [][]int32, dpi int) (crease, bool) {
	half := max(int(creaseInches*float64(dpi)), 3)
	if v.wide < 8*half || v.high-2*v.edge < creaseBands*8 {
		return crease{}, false
	}
	depths, papers := make([][]int32, creaseBands), make([][]int32, creaseBands)
	for b := range strips {
		depths[b], papers[b] = dips(strips[b], half)
	}
	reach := max(int(creaseLean*float64(v.band(1)-v.band(0))), 2)
	best, deepest := crease{half: half}, int32(0)
	for x := 2 * half; x < v.wide-2*half; x++ {
		if depths[0][x] < creaseDeep || depths[0][x] < depths[0][x-1] || depths[0][x] < depths[0][x+1] {
			continue
		}
		middle, sum, ok := follow(depths, x, reach)
		if ok && sum > deepest {
			best.middle, deepest = middle, sum
		}
	}
	if deepest == 0 {
		return crease{}, false
	}
	for b, at := range best.middle {
		best.shade = append(best.shade, strips[b][at-half:at+half+1])
		best.paper = append(best.paper, papers[b][at])
	}
	return best, true
}

// dips are how much darker each column is than the darker of the papers on its two sides,
// and what their mean brightness is.
func dips(strip []int32, half int) (depths, papers []int32) {
	depths, papers = make([]int32, len(strip)), make([]int32, len(strip))
	sums := make([]int32, len(strip)+1)
	for x, v := range strip {
		sums[x+1] = sums[x] + v
	}
	n := int32(half)
	for x := 2 * half; x < len(strip)-2*half; x++ {
		left, right := (sums[x-half]-sums[x-2*half])/n, (sums[x+2*half]-sums[x+half])/n
		depths[x], papers[x] = min(left, right)-strip[x], (left+right)/2
	}
	return depths, papers
}

// follow goes down the bands from a dip in the first one, and reports whether it reaches the
// last. sum is how deep it is in all of them.
func follow(depths [][]int32, x, reach int) (middle [creaseBands]int, sum int32, ok bool) {
	lost, first := 0, depths[0][x]
	for b := range depths {
		best := x
		for u := max(x-reach*(lost+1), 0); u <= min(x+reach*(lost+1), len(depths[b])-1); u++ {
			if depths[b][u] > depths[b][best] {
				best = u
			}
		}
		if deep := depths[b][best]; deep >= creaseDeep && 3*deep >= first {
			x, sum = best, sum+deep
		} else if lost++; lost > creaseLost || b == len(depths)-1 {
			return middle, 0, false
		}
		middle[b] = x
	}
	return middle, sum, true
}

// clear makes the shade of a fold as bright as the paper beside it.
func (v view) clear(c crease) {
	band := float64(v.high-2*v.edge) / creaseBands
	for y := range v.high {
		at := min(max((float64(y-v.edge)+0.5)/band-0.5, 0), creaseBands-1)
		b := min(int(at), creaseBands-2)
		part := int32(float64((at - float64(b)) * 256))
		middle := (int32(c.middle[b])*(256-part) + int32(c.middle[b+1])*part + 128) / 256
		for d := range 2*c.half + 1 {
			x := int(middle) + d - c.half
			if x < 0 || x >= v.wide {
				continue
			}
			shade := (c.shade[b][d]*(256-part) + c.shade[b+1][d]*part) / 256
			paper := (c.paper[b]*(256-part) + c.paper[b+1]*part) / 256
			if shade >= paper {
				continue
			}
			k := x*v.across + y*v.downward
			gain := min(paper*256/max(shade, 1), creaseGain)
			v.g.Pix[k] = byte(min(int32(v.g.Pix[k])*gain/256, 255))
		}
	}
}
