package pdfium

import (
	"fmt"
	"image"
	"math"
	"slices"
)

// MaxPixels bounds one picture: 25 megapixels, 100 MB of the engine's memory.
const MaxPixels = 25_000_000

// What is drawn, and how (fpdfview.h).
const (
	renderAnnotations = 0x01 // FPDF_ANNOT
	renderRGBA        = 0x10 // FPDF_REVERSE_BYTE_ORDER
	bitmapBGRx        = 3    // FPDFBitmap_BGRx
	bitmapBGRA        = 4    // FPDFBitmap_BGRA
	bitmapBytes       = 4    // of a pixel
)

// Render draws a region of page index (from 0) on white: the full page, not
// only its CropBox, upright as a reader sees it (contracts#bbox), width pixels
// wide; the height follows from the page. It fails with ErrLimit above MaxPixels.
//
// Rendering moves the glyph boxes of some documents: an instance that renders
// must not be the one that reads text for units.
func (d *Document) Render(index int, region Box, width int) (*image.RGBA, error) {
	p, err := d.bare(index)
	if err != nil {
		return nil, err
	}
	return p.render(region, width)
}

// RenderTurned is Render as if the file said that the page is turned clockwise by
// rotation, a multiple of 90 degrees.
func (d *Document) RenderTurned(index int, region Box, width, rotation int) (*image.RGBA, error) {
	p, err := d.bare(index)
	if err != nil {
		return nil, err
	}
	p.Rotation = (rotation%360 + 360) % 360
	d.engine.call("FPDFPage_SetRotation", p.handle, uint64(p.Rotation/90))
	return p.render(region, width)
}

// Region is a part of a page, and how many pixels wide it is drawn.
type Region struct {
	Box   Box
	Width int
}

// RenderWithout draws regions as Render does, once as they are and once without the text
// objects of these places in the drawing order (Page.TextOrder). Where both pictures are equal
// a reader sees nothing of them.
func (d *Document) RenderWithout(index int, regions []Region, order []int) (with, without []*image.RGBA, err error) {
	p, err := d.bare(index)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	p.setCropBox(p.MediaBox)
	if with, err = p.drawAll(regions); err != nil {
		return nil, nil, err
	}
	r := newObjectReader(p)
	r.textOnly = true
	r.readPage(p)
	for _, t := range r.texts {
		if slices.Contains(order, t.order) {
			d.engine.call("FPDFTextObj_SetTextRenderMode", t.object, invisibleText)
		}
	}
	without, err = p.drawAll(regions)
	return with, without, err
}

func (p *Page) drawAll(regions []Region) ([]*image.RGBA, error) {
	out := make([]*image.RGBA, len(regions))
	for i, r := range regions {
		f, err := p.frame(r.Box, r.Width)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", p.index+1, err)
		}
		if out[i], err = p.draw(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// invisibleText is the mode in which text is not drawn (ISO 32000-1, table 106).
const invisibleText = 3

// Picture returns the first picture of page index (from 0), on white, a pixel for
// each point that it is wide and high on the page. It fails with ErrFormat when
// there is none that can be decoded, with ErrLimit above MaxPixels.
func (d *Document) Picture(index int) (*image.RGBA, error) {
	p, err := d.bare(index)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	e := d.engine
	w, h := p.UprightSize()
	if w*h > MaxPixels {
		return nil, fmt.Errorf("page %d: %w: a picture of %.0f x %.0f pixels, limit %d in all", index+1, ErrLimit, w, h, MaxPixels)
	}
	object := e.call("FPDFPage_GetObject", p.handle, 0)
	if object == 0 || e.call("FPDFPageObj_GetType", object) != objectImage {
		return nil, fmt.Errorf("page %d: %w: it has no picture", index+1, ErrFormat)
	}
	bitmap := e.call("FPDFImageObj_GetRenderedBitmap", d.handle, p.handle, object)
	if err := p.failed(); err != nil {
		return nil, err
	}
	if bitmap == 0 {
		return nil, p.undecoded()
	}
	defer e.call("FPDFBitmap_Destroy", bitmap)
	return p.onWhite(bitmap)
}

// onWhite copies a bitmap of pixels with opacity (FPDFBitmap_BGRA).
func (p *Page) onWhite(bitmap uint64) (*image.RGBA, error) {
	e := p.document.engine
	width, height := e.callInt("FPDFBitmap_GetWidth", bitmap), e.callInt("FPDFBitmap_GetHeight", bitmap)
	format, stride := e.callInt("FPDFBitmap_GetFormat", bitmap), e.callInt("FPDFBitmap_GetStride", bitmap)
	pixels, ok := e.memory.Read(uint32(e.call("FPDFBitmap_GetBuffer", bitmap)), uint32(stride*height))
	if err := p.failed(); err != nil {
		return nil, err
	}
	if !ok || format != bitmapBGRA {
		e.fail(fmt.Errorf("a picture of format %d out of range", format))
		return nil, p.failed()
	}
	out, drawn := image.NewRGBA(image.Rect(0, 0, width, height)), false
	for y := range height {
		from, to := pixels[y*stride:], out.Pix[y*out.Stride:(y+1)*out.Stride]
		for x := 0; x < len(to); x += bitmapBytes {
			opacity := int(from[x+3])
			drawn = drawn || opacity > 0
			for c := range 3 {
				to[x+c] = uint8((int(from[x+2-c])*opacity + 255*(255-opacity) + 127) / 255)
			}
			to[x+3] = 0xFF
		}
	}
	if !drawn {
		return nil, p.undecoded()
	}
	return out, p.failed()
}

func (p *Page) undecoded() error {
	return fmt.Errorf("page %d: %w: the engine cannot decode its picture, or there is nothing to see in it", p.index+1, ErrFormat)
}

// render draws the page and closes it.
func (p *Page) render(region Box, width int) (*image.RGBA, error) {
	defer p.Close()
	frame, err := p.frame(region, width)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", p.index+1, err)
	}
	p.setCropBox(p.MediaBox)
	return p.draw(frame)
}

// bare loads a page without its text layer.
func (d *Document) bare(index int) (*Page, error) {
	e := d.engine
	if index < 0 || index >= d.pages {
		return nil, fmt.Errorf("page %d: %w: document has %d pages", index+1, ErrFormat, d.pages)
	}
	p := &Page{document: d, index: index}
	if p.handle = e.call("FPDF_LoadPage", d.handle, uint64(index)); p.handle == 0 {
		if err := p.failed(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("page %d: %w: page cannot be loaded", index+1, ErrFormat)
	}
	p.CropBox = p.bounds()
	p.MediaBox = p.mediaBox()
	p.Rotation = (e.callInt("FPDFPage_GetRotation", p.handle) & 3) * 90
	return p, p.failed()
}

// UprightSize is that of page index (from 0), without loading its text.
func (d *Document) UprightSize(index int) (width, height float64, err error) {
	p, err := d.bare(index)
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()
	width, height = p.UprightSize()
	return width, height, nil
}

// frame is a picture of width by height pixels, cut at left, top out of the
// whole page at this scale.
type frame struct{ left, top, width, height, pageWidth, pageHeight int }

// UprightSize is the width and height of the full page as a reader sees it, in
// points.
func (p *Page) UprightSize() (width, height float64) {
	if p.Rotation%180 == 90 {
		return p.MediaBox.Height(), p.MediaBox.Width()
	}
	return p.MediaBox.Width(), p.MediaBox.Height()
}

func (p *Page) frame(region Box, width int) (frame, error) {
	w, h := p.UprightSize()
	if !(w > 0) || !(h > 0) || !(region.W > 0) || !(region.H > 0) || width < 1 {
		return frame{}, fmt.Errorf("%w: a picture of nothing", ErrFormat)
	}
	pageWidth := math.Round(float64(width) / region.W)
	pageHeight := math.Max(1, math.Round(pageWidth*h/w))
	height := math.Max(1, math.Round(region.H*pageHeight))
	// The engine counts the sides of the whole page in 32-bit integers.
	if float64(width)*height > MaxPixels || pageWidth > 1<<20 || pageHeight > 1<<20 {
		return frame{}, fmt.Errorf("%w: a picture of %d x %.0f pixels of a page of %.0f x %.0f, limit %d in all",
			ErrLimit, width, height, pageWidth, pageHeight, MaxPixels)
	}
	return frame{
		left: int(math.Round(region.X * pageWidth)), top: int(math.Round(region.Y * pageHeight)), width: width, height: int(height),
		pageWidth: int(pageWidth), pageHeight: int(pageHeight),
	}, nil
}

func (p *Page) draw(f frame) (*image.RGBA, error) {
	e := p.document.engine
	bitmap := e.call("FPDFBitmap_CreateEx", uint64(f.width), uint64(f.height), bitmapBGRx, 0, 0)
	if bitmap == 0 {
		if e.err == nil {
			e.fail(fmt.Errorf("no memory for %d x %d pixels", f.width, f.height))
		}
		return nil, p.failed()
	}
	e.call("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(f.width), uint64(f.height), 0xFFFFFFFF)
	e.call("FPDF_RenderPageBitmap", bitmap, p.handle, signed(-f.left), signed(-f.top), uint64(f.pageWidth), uint64(f.pageHeight),
		0, renderAnnotations|renderRGBA)
	at, stride := uint32(e.call("FPDFBitmap_GetBuffer", bitmap)), e.callInt("FPDFBitmap_GetStride", bitmap)
	if err := p.failed(); err != nil {
		return nil, err
	}
	pixels, ok := e.memory.Read(at, uint32(stride*f.height))
	if !ok {
		e.fail(fmt.Errorf("the picture is out of range"))
		return nil, p.failed()
	}
	out := image.NewRGBA(image.Rect(0, 0, f.width, f.height))
	for y := range f.height {
		row := out.Pix[y*out.Stride : (y+1)*out.Stride]
		copy(row, pixels[y*stride:y*stride+f.width*bitmapBytes])
		for x := 3; x < len(row); x += bitmapBytes {
			row[x] = 0xFF
		}
	}
	e.call("FPDFBitmap_Destroy", bitmap)
	return out, p.failed()
}

// signed encodes a 32-bit integer that may be negative.
func signed(n int) uint64 { return uint64(uint32(int32(n))) }
