package prepare

import (
	"image"
	"math"
)

// inkSide is how many pixels wide and high at most the copy is in which the
// direction of text is looked for.
const inkSide = 1200

// ink is the mask of a small copy.
func ink(g *image.Gray) Mask { return maskOf(small(g)) }

func small(g *image.Gray) *image.Gray {
	if by := float64(max(g.Rect.Dx(), g.Rect.Dy())) / inkSide; by > 1 {
		return shrink(g, by)
	}
	return g
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
		angle = m.sharpest(points, angle, width, step)
		width = step
	}
	sharp = sharpness(points, angle, m.Width, m.Height)
	return math.Round(float64(angle*20)) / 20, sharp / float64(len(points))
}

const (
	// bands is how many parts of a page, one below the other and with as much on
	// them, have an angle each, and bandPoints how many points tell it at least, as
	// far as bandSkew degrees from that of the page.
	bands      = 5
	bandPoints = 150
	bandSkew   = 3
	// minFan is how many degrees the angles of lines differ from the first band to
	// the last on a page that was photographed from the side, and offFan how far an
	// angle is at most from where it should be then.
	minFan = 0.6
	offFan = 0.2
)

// lean is the skew in the middle of the page, and by how much the slope of lines
// grows with each pixel down it; 0 where they do not lie like a fan.
func (m Mask) lean(points []point) (angle, fan float64) {
	angle, _ = m.skew(points)
	var slopes, at [bands]float64
	var n, su, sv, suu, suv float64
	if len(points) < bands*bandPoints {
		return angle, 0
	}
	for b := range bands {
		part := points[len(points)*b/bands : len(points)*(b+1)/bands] // they come by rows
		y := 0
		for _, p := range part {
			y += int(p.y)
		}
		local := m.sharpest(part, angle, bandSkew, 0.25)
		local = m.sharpest(part, local, 0.25, 0.05)
		at[b], slopes[b] = float64(y)/float64(len(part))-float64(m.Height)/2, math.Tan(local*math.Pi/180)
		n, su, sv = n+1, su+at[b], sv+slopes[b]
		suu, suv = suu+float64(at[b]*at[b]), suv+float64(at[b]*slopes[b])
	}
	fan = (float64(n*suv) - float64(su*sv)) / math.Max(float64(n*suu)-float64(su*su), 1)
	middle := (sv - float64(fan*su)) / n
	for b := range bands {
		if off := slopes[b] - middle - float64(fan*at[b]); math.Abs(off) > offFan*math.Pi/180 {
			return angle, 0
		}
	}
	if math.Abs(fan*(at[bands-1]-at[0])) < minFan*math.Pi/180 {
		return angle, 0
	}
	return math.Round(float64(math.Atan(middle)*180/math.Pi*20)) / 20, fan
}

// sharpest is the angle at which the rows of points differ most, as far as width
// from one that is near, in steps.
func (m Mask) sharpest(points []point, centre, width, step float64) float64 {
	angle, high := centre, -1.0
	for k := -int(math.Round(width / step)); k <= int(math.Round(width/step)); k++ {
		at := centre + float64(float64(k)*step)
		if v := sharpness(points, at, m.Width, m.Height); v > high {
			angle, high = at, v
		}
	}
	return angle
}

// Sideways reports whether the lines of text run up or down the picture, rather
// than across.
func Sideways(g *image.Gray) bool {
	m := maskOf(level(small(g))) // the edges of a page, and of what it lies on, are no lines
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
