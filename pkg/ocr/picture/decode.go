package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Decode returns the grey pixels of a page, from 1, upright by its orientation,
// transparent parts white. Of an animation it is the first picture. JPEG 2000
// pictures and faxes are what render draws, whose errors are wrapped, and may come
// out smaller than their header says; else it fails with an *Error.
func Decode(raw []byte, pageNo int, render Render) (*image.Gray, Page, error) {
	info, err := Probe(raw)
	if err != nil {
		return nil, Page{}, err
	}
	if pageNo < 1 || pageNo > len(info.Pages) {
		return nil, Page{}, malformed("page %d: the picture has %d", pageNo, len(info.Pages))
	}
	page := info.Pages[pageNo-1]
	m, err := pixels(raw, info.Format, page, func(file []byte) (image.Image, error) {
		m, err := render(file)
		if err != nil {
			return nil, engineError{err}
		}
		return m, nil
	})
	if err != nil {
		return nil, page, undecoded(err, info.Format, pageNo)
	}
	if info.Format == GIF { // the first picture may be a part of the whole
		m = onCanvas(m, page)
	}
	if w := m.Bounds().Dx(); w != page.Width { // drawn smaller
		page.DPI = int(math.Round(float64(page.DPI) * float64(w) / float64(page.Width)))
	}
	mirrored, degrees := page.Turn()
	g := Gray(m)
	if mirrored {
		mirror(g)
	}
	return Turn(g, degrees), page, nil
}

// pixels decodes a page as it is stored.
func pixels(raw []byte, format string, page Page, render Render) (image.Image, error) {
	r := bytes.NewReader(raw)
	switch format {
	case PNG:
		return png.Decode(r)
	case JPEG:
		return jpeg.Decode(r)
	case JPEG2000:
		return decodeJPEG2000(raw, render)
	case WebP:
		return webp.Decode(r)
	case GIF:
		return gif.Decode(r)
	case BMP:
		return bmp.Decode(r)
	}
	return tiffPage(raw, page, render)
}

// engineError is what a Render failed with.
type engineError struct{ error }

func (e engineError) Unwrap() error { return e.error }

// undecoded is the error of a page that was not decoded.
func undecoded(err error, format string, pageNo int) error {
	var (
		own    *Error
		tiff   tiff.UnsupportedError
		jpeg   jpeg.UnsupportedError
		png    png.UnsupportedError
		engine engineError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &tiff), errors.As(err, &jpeg), errors.As(err, &png), errors.Is(err, bmp.ErrUnsupported):
		return &Error{fault.UnsupportedType, fmt.Sprintf("page %d of the %s picture: %v", pageNo, format, err)}
	case errors.As(err, &engine):
		return fmt.Errorf("page %d of the %s picture cannot be decoded: %w", pageNo, format, engine.error)
	}
	return malformed("page %d of the %s picture cannot be decoded: %v", pageNo, format, err)
}

// onCanvas is a picture at its place on a page that is white elsewhere.
func onCanvas(m image.Image, p Page) image.Image {
	all := image.Rect(0, 0, p.Width, p.Height)
	if m.Bounds() == all {
		return m
	}
	out := image.NewGray(all)
	draw.Draw(out, all, image.White, image.Point{}, draw.Src)
	draw.Draw(out, m.Bounds(), m, m.Bounds().Min, draw.Over)
	return out
}

// Gray returns the luminance of a picture on white. It may share the pixels.
func Gray(m image.Image) *image.Gray {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.Gray:
		if b.Min == (image.Point{}) && m.Stride == b.Dx() {
			return m
		}
	case *image.YCbCr:
		out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
		for y := range b.Dy() {
			from := m.YOffset(b.Min.X, b.Min.Y+y)
			copy(out.Pix[y*out.Stride:(y+1)*out.Stride], m.Y[from:])
		}
		return out
	case *image.Gray16:
		out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
		for y := range b.Dy() {
			row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
			for x := range b.Dx() {
				out.Pix[y*out.Stride+x] = row[2*x]
			}
		}
		return out
	}
	return flatten(m)
}

// flatten draws on white, in bands so that a large picture is not held twice.
func flatten(m image.Image) *image.Gray {
	b := m.Bounds()
	out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	const band = 64
	colour := image.NewRGBA(image.Rect(0, 0, b.Dx(), band))
	for top := 0; top < b.Dy(); top += band {
		rows := min(band, b.Dy()-top)
		draw.Draw(colour, colour.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(colour, image.Rect(0, 0, b.Dx(), rows), m, image.Pt(b.Min.X, b.Min.Y+top), draw.Over)
		for y := range rows {
			from, to := colour.Pix[y*colour.Stride:], out.Pix[(top+y)*out.Stride:]
			for x := range b.Dx() {
				r, g, b := uint32(from[4*x]), uint32(from[4*x+1]), uint32(from[4*x+2])
				to[x] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
			}
		}
	}
	return out
}

func mirror(g *image.Gray) {
	for y := range g.Rect.Dy() {
		row := g.Pix[y*g.Stride : y*g.Stride+g.Rect.Dx()]
		for i, k := 0, len(row)-1; i < k; i, k = i+1, k-1 {
			row[i], row[k] = row[k], row[i]
		}
	}
}

// Turn turns a picture clockwise by a right angle. It may share the pixels.
func Turn(g *image.Gray, degrees int) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	switch degrees {
	case 90, 270:
		out := image.NewGray(image.Rect(0, 0, h, w))
		const tile = 64 // both pictures stay in the cache
		for ty := 0; ty < h; ty += tile {
			for tx := 0; tx < w; tx += tile {
				for y := ty; y < min(ty+tile, h); y++ {
					for x := tx; x < min(tx+tile, w); x++ {
						to := x*out.Stride + h - 1 - y
						if degrees == 270 {
							to = (w-1-x)*out.Stride + y
						}
						out.Pix[to] = g.Pix[y*g.Stride+x]
					}
				}
			}
		}
		return out
	case 180:
		out := image.NewGray(image.Rect(0, 0, w, h))
		for y := range h {
			from, to := g.Pix[y*g.Stride:y*g.Stride+w], out.Pix[(h-1-y)*out.Stride:]
			for x := range from {
				to[w-1-x] = from[x]
			}
		}
		return out
	}
	return g
}
