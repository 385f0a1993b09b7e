package scan

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// OpenPage opens a page of a picture for OCR, by its header: it is decoded when it is
// first drawn. It is a reading.Opener.
func OpenPage(ctx context.Context, engine *pdfium.Starter, raw []byte, r ocr.Request) (reading.Page, error) {
	info, err := picture.Probe(raw)
	if err != nil {
		return nil, err
	}
	if r.Page < 1 || r.Page > len(info.Pages) {
		return nil, &picture.Error{Reason: fault.Malformed, Message: fmt.Sprintf("page %d: the picture has %d", r.Page, len(info.Pages))}
	}
	header := info.Pages[r.Page-1]
	p := &openPage{
		raw: raw, page: r.Page, region: r.Region, render: renderBy(ctx, engine),
		width: float64(header.Width), height: float64(header.Height),
	}
	if p.region == (model.BBox{}) {
		p.region = model.BBox{W: 1, H: 1}
	}
	if p.mirrored, p.turned = header.Turn(); p.turned%180 != 0 {
		p.width, p.height = p.height, p.width
	}
	return p, nil
}

// openPage is a page that is decoded for OCR.
type openPage struct {
	raw           []byte
	page          int // from 1
	region        model.BBox
	render        picture.Render
	width, height float64 // as drawn, in pixels

	mirrored bool // by the picture's orientation, which Draw undoes
	turned   int

	decoded *image.Gray // by the first Draw
	dpi     int
}

// Pixels implements reading.Page: a picture has those that it has.
func (p *openPage) Pixels(int) int { return int(p.width * p.height) }

// Size implements reading.Source: in pixels.
func (p *openPage) Size() (width, height float64) { return p.width, p.height }

// Draw implements reading.Source: it decodes the picture, once, at its own resolution.
func (p *openPage) Draw(int) (*image.Gray, int, error) {
	if p.decoded == nil {
		g, header, err := picture.Decode(p.raw, p.page, p.render)
		if err != nil {
			return nil, 0, err
		}
		p.decoded, p.dpi = cut(g, p.region), header.DPI
	}
	return p.decoded, p.dpi, nil
}

// Undone implements reading.Page: the picture's orientation.
func (p *openPage) Undone() (mirrored bool, degrees int) { return p.mirrored, p.turned }

// Close implements reading.Page.
func (p *openPage) Close() {}

// cut returns a region of a picture.
func cut(g *image.Gray, region model.BBox) *image.Gray {
	if region == (model.BBox{W: 1, H: 1}) {
		return g
	}
	w, h := float64(g.Rect.Dx()), float64(g.Rect.Dy())
	left, top := int(region.X*w), int(region.Y*h)
	r := image.Rect(left, top, max(int(math.Round((region.X+region.W)*w)), left+1), max(int(math.Round((region.Y+region.H)*h)), top+1))
	return picture.Gray(g.SubImage(r))
}
