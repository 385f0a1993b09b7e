package pdf

import (
	"context"
	"image"
	"math"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Draw draws a page of a PDF file for people, in an instance of the engine of its own:
// the picture is the same whatever was drawn before.
func Draw(ctx context.Context, engine *pdfium.Starter, raw []byte, v block.View) (*image.RGBA, error) {
	document, err := engine.Load(ctx, raw)
	if err != nil {
		return nil, err
	}
	defer document.Close()
	region := pdfium.Box(v.Whole())
	if v.Rotation != nil {
		return document.RenderTurned(v.Page-1, region, v.Width, *v.Rotation)
	}
	return document.Render(v.Page-1, region, v.Width)
}

// OpenPage opens a page of a PDF file for OCR. It is a reading.Opener.
func OpenPage(ctx context.Context, engine *pdfium.Starter, raw []byte, r ocr.Request) (reading.Page, error) {
	document, err := engine.Load(ctx, raw)
	if err != nil {
		return nil, err
	}
	p := &openPage{document: document, index: r.Page - 1, region: r.Region}
	if p.region == (model.BBox{}) {
		p.region = model.BBox{W: 1, H: 1}
	}
	if p.width, p.height, err = document.UprightSize(p.index); err != nil {
		document.Close()
		return nil, err
	}
	return p, nil
}

// openPage is a page that is drawn for OCR.
type openPage struct {
	document      *pdfium.Document
	index         int // from 0
	region        model.BBox
	width, height float64 // upright, in points
}

// maxInches is how large a page is drawn at the resolution that is asked for;
// larger ones are drawn as if they were that large. mostPixels is what is drawn at
// most, of the page or its region: an engine is given no more, and what reads a page again at a
// higher resolution must not fail where the first reading did not.
const (
	maxInches  = 24
	mostPixels = 18_000_000
)

// drawWidth is how many pixels wide the region is drawn, and the resolution that this
// is.
func (p *openPage) drawWidth(dpi int) (width, has int) {
	inches := math.Max(p.width, p.height) / 72
	most := math.Sqrt(mostPixels / (float64(p.region.W*p.width) / 72 * float64(p.region.H*p.height) / 72))
	has = int(math.Max(math.Min(math.Min(float64(dpi), float64(dpi)*maxInches/inches), most), 1))
	return max(int(math.Round(float64(p.region.W*p.width/72*float64(has)))), 1), has
}

// Pixels implements reading.Page.
func (p *openPage) Pixels(dpi int) int {
	if dpi == 0 {
		dpi = ocr.DefaultDPI
	}
	w, _ := p.drawWidth(dpi)
	return int(math.Min(float64(w)*float64(w)*(p.region.H*p.height)/(p.region.W*p.width), math.MaxInt32))
}

// Size implements reading.Source: in points.
func (p *openPage) Size() (width, height float64) { return p.width, p.height }

// Draw implements reading.Source.
func (p *openPage) Draw(dpi int) (*image.Gray, int, error) {
	width, has := p.drawWidth(dpi)
	m, err := p.document.Render(p.index, pdfium.Box(p.region), width)
	if err != nil {
		return nil, 0, err
	}
	return picture.Gray(m), has, nil
}

// Undone implements reading.Page: the engine draws pages as their file says.
func (p *openPage) Undone() (mirrored bool, degrees int) { return false, 0 }

// Close implements reading.Page.
func (p *openPage) Close() { p.document.Close() }
