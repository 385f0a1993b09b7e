package scanset

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// white is the brightness of empty paper before it is scanned.
const white = 255

// each changes every pixel by its place.
func (s *sheet) each(change func(x, y int, v float64) float64) {
	for y := range s.g.Rect.Dy() {
		row := s.g.Pix[y*s.g.Stride : y*s.g.Stride+s.g.Rect.Dx()]
		for x, v := range row {
			row[x] = uint8(math.Min(math.Max(math.Round(change(x, y, float64(v))), 0), white))
		}
	}
}

// moved draws the page anew: each point is taken from another one, and what lies outside has
// the colour of the paper.
func (s *sheet) moved(from func(x, y float64) (float64, float64)) {
	w, h := s.g.Rect.Dx(), s.g.Rect.Dy()
	at := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return float64(s.g.Pix[0])
		}
		return float64(s.g.Pix[y*s.g.Stride+x])
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := from(float64(x), float64(y))
			iu, iv := int(math.Floor(u)), int(math.Floor(v))
			fu, fv := u-float64(iu), v-float64(iv)
			top := at(iu, iv)*(1-fu) + at(iu+1, iv)*fu
			bottom := at(iu, iv+1)*(1-fu) + at(iu+1, iv+1)*fu
			out.Pix[y*out.Stride+x] = uint8(math.Round(top*(1-fv) + bottom*fv))
		}
	}
	s.g = out
}

func (s *sheet) turn(degrees float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(s.g.Rect.Dx())/2, float64(s.g.Rect.Dy())/2
	s.moved(func(x, y float64) (float64, float64) {
		x, y = x-cx, y-cy
		return x*cos + y*sin + cx, y*cos - x*sin + cy
	})
}

// smooth is a Gaussian blur, of a spread in pixels.
func (s *sheet) smooth(spread float64) {
	reach := int(math.Ceil(3 * spread))
	weights, sum := make([]float64, reach+1), 0.0
	for i := range weights {
		weights[i] = math.Exp(-float64(i*i) / (2 * spread * spread))
		sum += weights[i]
		if i > 0 {
			sum += weights[i]
		}
	}
	w, h := s.g.Rect.Dx(), s.g.Rect.Dy()
	pass := func(from, to []float64, n, stride int) {
		for i := range n {
			v := 0.0
			for k := -reach; k <= reach; k++ {
				v += from[min(max(i+k, 0), n-1)*stride] * weights[max(k, -k)]
			}
			to[i*stride] = v / sum
		}
	}
	a, b := make([]float64, w*h), make([]float64, w*h)
	for y := range h {
		for x := range w {
			a[y*w+x] = float64(s.g.Pix[y*s.g.Stride+x])
		}
	}
	for y := range h {
		pass(a[y*w:], b[y*w:], w, 1)
	}
	for x := range w {
		pass(b[x:], a[x:], h, w)
	}
	s.g = image.NewGray(image.Rect(0, 0, w, h))
	for i, v := range a {
		s.g.Pix[i] = uint8(math.Round(v))
	}
}

// scan is what every page goes through: it lies a little askew, the lens is not quite sharp,
// paper is not white nor ink black, the sensor has noise, and some files are packed with loss.
func (s *sheet) scan() {
	s.turn(s.between(-0.4, 0.4))
	s.smooth(s.between(0.3, 0.5+float64(s.dpi)/800))
	low, high := s.between(0, 45), s.between(225, 255)
	noise := s.between(0, 5)
	s.each(func(_, _ int, v float64) float64 { return low + v*(high-low)/white + noise*s.rand.NormFloat64() })
	if s.rand.IntN(3) == 0 {
		s.pack(40 + s.rand.IntN(50))
	}
}

// pack has the picture go through JPEG.
func (s *sheet) pack(of int) {
	var b bytes.Buffer
	if jpeg.Encode(&b, s.g, &jpeg.Options{Quality: of}) != nil { // it cannot fail on memory
		return
	}
	back, err := jpeg.Decode(&b)
	if g, ok := back.(*image.Gray); err == nil && ok {
		s.g = g
		s.note("jpeg=%d", of)
	}
}

// lean turns the page by up to seven degrees.
func (s *sheet) lean() {
	degrees := s.between(0.6, 7)
	if s.rand.IntN(2) == 0 {
		degrees = -degrees
	}
	s.turn(degrees)
	s.note("turned=%.1f", degrees)
}

// grain is noise of a sensor in bad light.
func (s *sheet) grain() {
	sigma := s.between(10, 45)
	s.each(func(_, _ int, v float64) float64 { return v*0.85 + 20 + sigma*s.rand.NormFloat64() })
	s.note("grain=%.0f", sigma)
}

// speckle puts dirt of one to three pixels on the page, and holes in the ink.
func (s *sheet) speckle() {
	share := s.between(0.0005, 0.012)
	for range int(share * float64(s.g.Rect.Dx()*s.g.Rect.Dy())) {
		x, y, size := s.rand.IntN(s.g.Rect.Dx()), s.rand.IntN(s.g.Rect.Dy()), 1+s.rand.IntN(2)
		tone := uint8(0)
		if s.rand.IntN(3) == 0 {
			tone = white
		}
		s.fill(image.Rect(x, y, x+size, y+1+s.rand.IntN(size)), tone)
	}
	s.note("specks=%.4f", share)
}

// bleed lets the other side of the sheet show through.
func (s *sheet) bleed() {
	front := s.g
	s.g = image.NewGray(front.Rect)
	s.fill(s.g.Rect, white)
	text, y := s.text.String(), s.y
	s.y = s.inches(s.between(0.5, 0.9))
	for s.room(8) {
		s.block(s.words.paragraph(2), s.left, s.right, 0, nil)
	}
	s.text.Reset()
	s.text.WriteString(text)
	s.y = y
	s.smooth(s.between(0.6, 2))
	back, w := s.g, front.Rect.Dx()
	s.g = front
	through := s.between(0.08, 0.4)
	s.each(func(x, y int, v float64) float64 {
		return v - through*(white-float64(back.Pix[y*back.Stride+w-1-x]))*v/white
	})
	s.note("through=%.2f", through)
}

// mark draws a word in large letters on a picture of its own: where it is dark, there is ink.
func (s *sheet) mark(word string, points float64) *image.Gray {
	out := image.NewGray(s.g.Rect)
	face, err := s.fonts.face(s.font, points, s.dpi)
	if err != nil { // a size that no font has
		return out
	}
	d := font.Drawer{Dst: out, Src: image.White, Face: face}
	d.Dot = fixed.P((out.Rect.Dx()-d.MeasureString(word).Round())/2, out.Rect.Dy()/2)
	d.DrawString(word)
	return out
}

// over lays what was drawn for itself over the page, turned about a point and moved there.
func (s *sheet) over(ink *image.Gray, degrees, x, y, tone, cover float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(ink.Rect.Dx())/2, float64(ink.Rect.Dy())/2
	s.each(func(u, v int, old float64) float64 {
		dx, dy := float64(u)-x, float64(v)-y
		p := image.Pt(int(dx*cos+dy*sin+cx), int(dy*cos-dx*sin+cy))
		if !p.In(ink.Rect) || ink.Pix[p.Y*ink.Stride+p.X] < 128 {
			return old
		}
		return math.Min(old, old*(1-cover)+tone*cover)
	})
}

// stamp sets one or two stamps on the page: a frame or rings around a word, askew.
func (s *sheet) stamp() {
	for range 1 + s.rand.IntN(2) {
		ink := s.mark(s.words.one(s.words.of.stamps), s.between(14, 24))
		cx, cy := float64(ink.Rect.Dx())/2, float64(ink.Rect.Dy())/2
		radius, thick, round := s.between(0.5, 0.95)*float64(s.dpi), s.between(0.015, 0.035)*float64(s.dpi), s.rand.IntN(2) == 0
		for y := range ink.Rect.Dy() {
			for x := range ink.Rect.Dx() {
				dx, dy := math.Abs(float64(x)-cx), math.Abs(float64(y)-cy+0.08*float64(s.dpi))
				far := math.Hypot(dx, dy)
				if !round {
					far = math.Max(dx*0.7, dy*1.8)
				}
				if far > radius-thick && far < radius || round && far > radius*0.8-thick && far < radius*0.8 {
					ink.Pix[y*ink.Stride+x] = white
				}
			}
		}
		degrees, tone := s.between(-30, 30), s.between(60, 170)
		s.over(ink, degrees, s.between(0.2, 0.8)*float64(s.g.Rect.Dx()), s.between(0.2, 0.8)*float64(s.g.Rect.Dy()), tone, s.between(0.5, 0.95))
		s.note("stamp=%.0f@%.0f", tone, degrees)
	}
}

// watermark lays a large grey word across the page.
func (s *sheet) watermark() {
	word := s.words.one(s.words.of.stamps)
	ink := s.mark(word, s.between(420, 620)*float64(s.g.Rect.Dx())/float64(s.dpi)/8.27/float64(len(word)))
	tone, degrees := s.between(150, 228), s.between(-55, 55)
	s.over(ink, degrees, float64(s.g.Rect.Dx())/2, float64(s.g.Rect.Dy())/2, tone, 1)
	s.note("watermark=%.0f@%.0f", tone, degrees)
}
