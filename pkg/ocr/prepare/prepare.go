// Package prepare makes of a grey picture what an engine reads best: text that
// runs level, on an even background, in a size that it knows. It is pure: the
// same pixels give the same pixels. Whatever it does is undone for the boxes of
// the words (Sheet.Box).
package prepare

import (
	"image"
	"math"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
)

// Sheet is a picture that is ready to be read.
type Sheet struct {
	Gray *image.Gray
	DPI  int     // of Gray
	Turn int     // clockwise, in right angles, of the picture as given
	Skew float64 // clockwise degrees by which the text was askew in the middle, and is no more

	Leaders []Leader // of Gray, which has them

	fan           float64 // by how much the slope of lines grows with each pixel down the picture turned, undone too
	scale         float64 // pixels of Gray for one of the picture turned
	width, height float64 // of the picture turned
}

// Options say what to make.
type Options struct {
	DPI    int // of the picture as given; 0: not known
	Target int // dots per inch to read at
	Turn   int // clockwise, in right angles
}

const (
	// minSkew is the angle in degrees below which text is level enough.
	minSkew = 0.25
	// maxPixels is what an engine is given at most: A3 at 300 dpi.
	maxPixels = 18_000_000
	// page sizes: what a picture without a resolution is taken for.
	pageInches = 11.69
)

// New prepares a picture. g is not changed.
func New(g *image.Gray, o Options) Sheet {
	g = picture.Turn(g, o.Turn)
	s := Sheet{Turn: o.Turn, scale: 1, width: float64(g.Rect.Dx()), height: float64(g.Rect.Dy())}
	s.DPI = o.DPI
	if s.DPI == 0 {
		s.DPI = guessDPI(g.Rect.Dx(), g.Rect.Dy())
	}
	g = despeckle(level(g))
	m := ink(g)
	s.Skew, s.fan = m.lean(m.edges())
	if s.fan *= float64(m.Height) / s.height; math.Abs(s.Skew) < minSkew {
		s.Skew = 0
	}
	if s.scale = scaleFor(s.DPI, o.Target, g.Rect.Dx(), g.Rect.Dy()); s.scale != 1 || s.Skew != 0 || s.fan != 0 {
		g = s.draw(g)
		s.DPI = int(math.Round(float64(float64(s.DPI) * s.scale)))
	}
	g = uncrease(g, s.DPI, math.Tan(s.Skew*math.Pi/180))
	s.Gray, s.Leaders = leaders(brighten(g), s.DPI) // shaded boxes and rows of dots are level now
	return s
}

// guessDPI takes the picture for a page of common size.
func guessDPI(w, h int) int {
	dpi := float64(max(w, h)) / pageInches
	for _, common := range []int{72, 96, 100, 150, 200, 240, 250, 300, 400, 600} {
		if math.Abs(dpi-float64(common)) < 0.06*float64(common) {
			return common
		}
	}
	return int(math.Min(math.Max(math.Round(dpi), 70), 600))
}

// scaleFor is how much the picture is made larger or smaller: not at all near
// the target, since each drawing costs sharpness.
func scaleFor(dpi, target, w, h int) float64 {
	scale := float64(target) / float64(dpi)
	if scale > 0.6 && scale < 1.25 {
		scale = 1
	}
	scale = math.Min(scale, 3)
	if most := math.Sqrt(maxPixels / (float64(w) * float64(h))); scale > most {
		scale = most
	}
	return scale
}

// frame returns the sine and cosine of the skew, and the size of the level
// picture that holds all of the skew one.
func (s *Sheet) frame() (sin, cos float64, w, h int) {
	sin, cos = math.Sincos(s.Skew * math.Pi / 180)
	wide := float64(s.width*cos) + float64(s.height*math.Abs(sin))
	high := float64(s.width*math.Abs(sin)) + float64(s.height*cos)
	return sin, cos, max(1, int(math.Round(float64(wide*s.scale)))), max(1, int(math.Round(float64(high*s.scale))))
}

// draw makes the level picture at its scale.
func (s *Sheet) draw(g *image.Gray) *image.Gray {
	sin, cos, w, h := s.frame()
	out := image.NewGray(image.Rect(0, 0, w, h))
	if s.scale < 0.8 {
		g = shrink(g, 1/s.scale)
	}
	// How far the source is from the picture turned, after shrinking.
	fx, fy := float64(g.Rect.Dx())/s.width, float64(g.Rect.Dy())/s.height
	const one = 1 << 16
	for y := range h {
		slope := s.fan * (float64(y) + 0.5 - float64(h)/2) / s.scale
		ux, uy := float64(fx*(cos-float64(sin*slope)))/s.scale, float64(fy*(sin+float64(cos*slope)))/s.scale
		stepX, stepY := int64(math.Round(float64(ux*one))), int64(math.Round(float64(uy*one)))
		x0, y0 := s.back(0.5, float64(y)+0.5, sin, cos, w, h)
		px := int64(math.Round(float64((float64(x0*fx) - 0.5) * one)))
		py := int64(math.Round(float64((float64(y0*fy) - 0.5) * one)))
		bilinear(out.Pix[y*out.Stride:y*out.Stride+w], g, px, py, stepX, stepY)
	}
	return out
}

// back maps a point of the level picture to the picture turned.
func (s *Sheet) back(x, y, sin, cos float64, w, h int) (float64, float64) {
	x, y = (x-float64(w)/2)/s.scale, (y-float64(h)/2)/s.scale
	y += float64(float64(s.fan*x) * y)
	return float64(x*cos) - float64(y*sin) + s.width/2, float64(x*sin) + float64(y*cos) + s.height/2
}

// bilinear fills a row with the pixels along a line of g, from (x, y) in steps,
// all in 65,536ths of a pixel. What lies outside is white.
func bilinear(row []byte, g *image.Gray, x, y, stepX, stepY int64) {
	w, h := int64(g.Rect.Dx()), int64(g.Rect.Dy())
	at := func(x, y int64) int64 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 255
		}
		return int64(g.Pix[y*int64(g.Stride)+x])
	}
	for i := range row {
		ix, iy := x>>16, y>>16
		fx, fy := x&0xFFFF>>8, y&0xFFFF>>8
		var a, b, c, d int64
		if ix >= 0 && iy >= 0 && ix+1 < w && iy+1 < h {
			k := iy*int64(g.Stride) + ix
			a, b = int64(g.Pix[k]), int64(g.Pix[k+1])
			k += int64(g.Stride)
			c, d = int64(g.Pix[k]), int64(g.Pix[k+1])
		} else {
			a, b, c, d = at(ix, iy), at(ix+1, iy), at(ix, iy+1), at(ix+1, iy+1)
		}
		top, bottom := a<<8+(b-a)*fx, c<<8+(d-c)*fx
		row[i] = byte((top<<8 + (bottom-top)*fy + 1<<15) >> 16)
		x, y = x+stepX, y+stepY
	}
}

// shrink takes the mean of boxes of pixels, by times as wide and high.
func shrink(g *image.Gray, by float64) *image.Gray {
	w, h := max(1, int(float64(g.Rect.Dx())/by)), max(1, int(float64(g.Rect.Dy())/by))
	out := image.NewGray(image.Rect(0, 0, w, h))
	sums := make([]uint32, w)
	for y := range h {
		clear(sums)
		from, to := y*g.Rect.Dy()/h, (y+1)*g.Rect.Dy()/h
		for sy := from; sy < to; sy++ {
			row := g.Pix[sy*g.Stride : sy*g.Stride+g.Rect.Dx()]
			for x := range w {
				for _, v := range row[x*g.Rect.Dx()/w : (x+1)*g.Rect.Dx()/w] {
					sums[x] += uint32(v)
				}
			}
		}
		for x := range w {
			n := (to - from) * ((x+1)*g.Rect.Dx()/w - x*g.Rect.Dx()/w)
			out.Pix[y*out.Stride+x] = byte(sums[x] / uint32(n))
		}
	}
	return out
}

// Box maps a box in pixels of Gray to the upright full picture, in [0, 1]: the
// hull of its corners.
func (s *Sheet) Box(r image.Rectangle) model.BBox {
	sin, cos, w, h := s.frame()
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range [4][2]int{{r.Min.X, r.Min.Y}, {r.Max.X, r.Min.Y}, {r.Min.X, r.Max.Y}, {r.Max.X, r.Max.Y}} {
		x, y := s.back(float64(c[0]), float64(c[1]), sin, cos, w, h)
		left, right = math.Min(left, x), math.Max(right, x)
		top, bottom = math.Min(top, y), math.Max(bottom, y)
	}
	clamp := func(v, of float64) float64 { return math.Min(math.Max(v/of, 0), 1) }
	x, y := clamp(left, s.width), clamp(top, s.height)
	return model.BBox{X: x, Y: y, W: clamp(right, s.width) - x, H: clamp(bottom, s.height) - y}
}
