package scanset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"math"
)

// dim is a page that was taken in the dark.
func (s *sheet) dim() {
	most, least := s.between(55, 140), s.between(0, 25)
	s.each(func(_, _ int, v float64) float64 { return least + v*(most-least)/white })
	s.note("dim=%.0f", most)
}

// light falls on the page from a side, or leaves its corners dark.
func (s *sheet) light() {
	w, h := float64(s.g.Rect.Dx()), float64(s.g.Rect.Dy())
	deep, angle, corners := s.between(0.3, 0.75), s.between(0, 2*math.Pi), s.rand.IntN(3) == 0
	sin, cos := math.Sincos(angle)
	s.each(func(x, y int, v float64) float64 {
		u, t := float64(x)/w-0.5, float64(y)/h-0.5
		shadow := (u*cos+t*sin)/1.4142 + 0.5
		if corners {
			shadow = 2 * (u*u + t*t)
		}
		return v * (1 - deep*math.Min(math.Max(shadow, 0), 1))
	})
	s.note("light=%.2f corners=%v", deep, corners)
}

// fold is a crease down the page, across it, or both: a dark band with a bright edge, at which
// the paper is moved a little.
func (s *sheet) fold() {
	way := s.rand.IntN(3)
	if way != 1 {
		s.crease(false)
	}
	if way != 0 {
		s.crease(true)
	}
	s.note("fold=%d", way)
}

func (s *sheet) crease(across bool) {
	long, wide := s.g.Rect.Dx(), s.g.Rect.Dy()
	if across {
		long, wide = wide, long
	}
	at, lean := s.between(0.35, 0.65)*float64(long), s.between(-0.01, 0.01)
	deep, reach, jump := s.between(40, 170), s.between(0.01, 0.06)*float64(s.dpi), s.between(-0.012, 0.012)*float64(s.dpi)
	far := func(x, y float64) float64 { // from the crease
		if across {
			x, y = y, x
		}
		return x - at - lean*(y-float64(wide)/2)
	}
	s.moved(func(x, y float64) (float64, float64) {
		if far(x, y) < 0 {
			return x, y
		}
		if across {
			return x + jump, y
		}
		return x, y + jump
	})
	s.each(func(x, y int, v float64) float64 {
		d := far(float64(x), float64(y)) / reach
		shadow := math.Exp(-d * d)
		if d < 0 {
			shadow = math.Exp(-d * d / 9)
		}
		return v - deep*shadow
	})
	s.note("crease=%.0f/%.1fpx", deep, reach)
}

// defocus blurs the page.
func (s *sheet) defocus() {
	spread := s.between(0.0045, 0.011) * float64(s.dpi)
	s.smooth(spread)
	s.note("blur=%.1fpx", spread)
}

// fade makes the ink grey, more in some places than in others.
func (s *sheet) fade() {
	tone, wave, size := s.between(120, 195), s.between(0, 35), s.between(0.5, 2)*float64(s.dpi)
	s.each(func(x, y int, v float64) float64 {
		ink := math.Min(tone+wave*math.Sin(float64(x)/size)*math.Cos(float64(y)/size), 225)
		return ink + v*(white-ink)/white
	})
	s.note("ink=%.0f", tone)
}

// invert makes a negative.
func (s *sheet) invert() {
	s.each(func(_, _ int, v float64) float64 { return white - v })
}

// fax leaves black and white alone, in fewer dots, with dirt from the line.
func (s *sheet) fax() {
	limit := s.between(90, 190)
	s.smooth(s.between(0.4, 0.9))
	s.each(func(_, _ int, v float64) float64 {
		if v+12*s.rand.NormFloat64() < limit {
			return 0
		}
		return white
	})
	s.note("limit=%.0f", limit)
}

// thicken lets ink run, as photocopies do.
func (s *sheet) thicken() {
	spread := s.between(0.003, 0.006) * float64(s.dpi)
	s.smooth(spread)
	limit := s.between(200, 240)
	s.each(func(_, _ int, v float64) float64 { return (v-limit)*6 + 128 })
	s.note("run=%.1fpx/%.0f", spread, limit)
}

// bend makes lines curve as in an open book.
func (s *sheet) bend() {
	w := float64(s.g.Rect.Dx())
	deep, begins := s.between(0.03, 0.12)*float64(s.dpi), s.between(0.55, 0.8)
	mirrored := s.rand.IntN(2) == 0
	s.moved(func(x, y float64) (float64, float64) {
		u := x / w
		if mirrored {
			u = 1 - u
		}
		k := math.Max(u-begins, 0) / (1 - begins)
		return x, y + deep*k*k
	})
	s.note("bent=%.1fpx", deep)
}

// encode writes a PNG with its resolution.
func encode(g *image.Gray, dpi int) ([]byte, error) {
	tight := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		copy(tight.Pix[y*tight.Stride:(y+1)*tight.Stride], g.Pix[y*g.Stride:])
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, tight); err != nil {
		return nil, err
	}
	const header = 8 + 25 // signature and IHDR
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(chunk, perMetre), perMetre)
	chunk = append(chunk, 1)
	out := append([]byte{}, b.Bytes()[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, b.Bytes()[header:]...), nil
}
