package prepare

import (
	"image"
	"math"
)

// inkSide is how many pixels wide and high at most the copy is in which the
// direction of text is looked for.
const inkSide = 1200

// ink is the mask of a small copy.
func ink(g *image.Gray) Mask {
	if by := float64(max(g.Rect.Dx(), g.Rect.Dy())) / inkSide; by > 1 {
		g = shrink(g, by)
	}
	return maskOf(g)
}

// otsu is the brightness that divides dark from bright with the least variance
// on both sides (Otsu 1979).
func otsu(g *image.Gray) int {
	var histogram [256]int
	for y := range g.Rect.Dy() {
		for _, v := range g.Pix[y*g.Stride : y*g.Stride+g.Rect.Dx()] {
			histogram[v]++
		}
	}
	total, sum := 0, 0
	for v, n := range histogram {
		total, sum = total+n, sum+v*n
	}
	best, at := -1.0, 128
	below, darkSum := 0, 0
	for v, n := range histogram[:255] {
		below, darkSum = below+n, darkSum+v*n
		if below == 0 || below == total {
			continue
		}
		apart := float64(darkSum)/float64(below) - float64(sum-darkSum)/float64(total-below)
		if between := float64(float64(below)*float64(total-below)) * float64(apart*apart); between > best {
			best, at = between, v+1
		}
	}
	return at
}

// maxSkew is how far from level text is looked for, in degrees.
const maxSkew = 16

// skew is the angle in degrees, clockwise, at which the lines of text run: that
// at which the rows of dark points differ most from each other. sharp is how
// much they differ there, for one point.
func (m Mask) skew(points []point) (angle, sharp float64) {
	if len(points) < 50 {
		return 0, 0
	}
	width := float64(maxSkew)
	for _, step := range []float64{1, 0.25, 0.05} {
		centre, high := angle, -1.0
		for k := -int(math.Round(width / step)); k <= int(math.Round(width/step)); k++ {
			at := centre + float64(float64(k)*step)
			if v := sharpness(points, at, m.Width, m.Height); v > high {
				angle, high = at, v
			}
		}
		width, sharp = step, high
	}
	return math.Round(float64(angle*20)) / 20, sharp / float64(len(points))
}

// Sideways reports whether the lines of text run up or down the picture, rather
// than across.
func Sideways(g *image.Gray) bool {
	m := ink(g)
	_, across := m.skew(m.edges())
	t := m.turned()
	_, along := t.skew(t.edges())
	return along > sidewaysBy*across
}

// sidewaysBy is how much sharper the lines must be down than across.
const sidewaysBy = 1.15

type point struct{ x, y int32 }

// edges are the points where dark begins below white, so that thick strokes and
// pictures count no more than thin ones.
func (m Mask) edges() []point {
	var out []point
	for y := 1; y < m.Height; y++ {
		for x := range m.Width {
			if m.Dark[y*m.Width+x] && !m.Dark[(y-1)*m.Width+x] {
				out = append(out, point{int32(x), int32(y)})
			}
		}
	}
	return out
}

// sharpness adds the squares of the number of points in each row, when rows run
// at an angle.
func sharpness(points []point, angle float64, w, h int) float64 {
	tan := math.Tan(angle * math.Pi / 180)
	slope := int32(math.Round(float64(tan * (1 << 14))))
	offset := int32(float64(w)*math.Abs(tan)) + 1
	rows := make([]int32, h+2*int(offset)+2)
	for _, p := range points {
		rows[p.y+offset-(p.x*slope)>>14]++
	}
	sum := 0.0
	for _, n := range rows {
		sum += float64(n) * float64(n)
	}
	return sum
}
