package scan

import (
	"context"
	"image"
	"math"

	"golang.org/x/image/draw"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Draw draws a page of a picture: upright, by what its file says and, where OCR has
// found out more, by v.Rotation.
func Draw(ctx context.Context, engine *pdfium.Starter, raw []byte, v block.View) (*image.RGBA, error) {
	grey, page, err := picture.Decode(raw, v.Page, renderBy(ctx, engine))
	if err != nil {
		return nil, err
	}
	if v.Rotation != nil {
		_, turned := page.Turn()
		grey = turn(grey, *v.Rotation-turned)
	}
	size, region := grey.Rect.Size(), v.Whole()
	at := func(v float64, of int) int { return int(math.Round(v * float64(of))) }
	from := image.Rect(at(region.X, size.X), at(region.Y, size.Y), at(region.X+region.W, size.X), at(region.Y+region.H, size.Y)).Intersect(grey.Rect)
	if from.Empty() {
		return nil, &picture.Error{Reason: fault.Malformed, Message: "the region holds no pixel of the picture"}
	}
	height := max(at(float64(from.Dy())/float64(from.Dx()), v.Width), 1)
	if v.Width*height > picture.MaxPixels {
		return nil, &picture.Error{Reason: fault.LimitExceeded, Message: "the picture of the page would be too large"}
	}
	out := image.NewRGBA(image.Rect(0, 0, v.Width, height))
	draw.ApproxBiLinear.Scale(out, out.Rect, grey, from, draw.Src, nil)
	return out, nil
}

// renderBy draws by the engine what it alone can decode.
func renderBy(ctx context.Context, engine *pdfium.Starter) picture.Render {
	return func(file []byte) (image.Image, error) {
		document, err := engine.Load(ctx, file)
		if err != nil {
			return nil, err
		}
		defer document.Close()
		return document.Picture(0)
	}
}

// turn turns a picture clockwise by a multiple of 90 degrees.
func turn(g *image.Gray, degrees int) *image.Gray {
	degrees = (degrees%360 + 360) % 360
	if degrees == 0 {
		return g
	}
	w, h := g.Rect.Dx(), g.Rect.Dy()
	size := image.Rect(0, 0, h, w)
	if degrees == 180 {
		size = image.Rect(0, 0, w, h)
	}
	out := image.NewGray(size)
	for y := range h {
		for x := range w {
			to := image.Pt(w-1-x, h-1-y)
			switch degrees {
			case 90:
				to = image.Pt(h-1-y, x)
			case 270:
				to = image.Pt(y, w-1-x)
			}
			out.Pix[to.Y*out.Stride+to.X] = g.Pix[y*g.Stride+x]
		}
	}
	return out
}
