package pdf

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/ocrblocks"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// FlagOCR marks a page that was read by OCR.
const FlagOCR = "ocr"

// needOCR decides whether the page needs OCR, as a whole or in parts, records
// the decision with its numbers, and looks up what OCR has said. The failure is
// that of a page whose text layer is of no use, for want of OCR.
func (r *reader) needOCR(glyphs []layout.Glyph, g pdfium.Graphics) *block.Failure {
	need := needOCR(r.sheet.width, r.sheet.height, glyphs, r.sheet.images(g), letterShapes(g))
	if !need.Needed() {
		return nil
	}
	why := need.String()
	if need.Page {
		r.ask(model.PageOCR{Why: why})
	}
	for _, region := range need.Regions {
		box := model.BBox(digest.RoundBBox(digest.BBox(r.sheet.box(region.Box))))
		r.ask(model.PageOCR{Region: &box, Why: why})
	}
	switch {
	case !need.Page:
		return nil
	case r.read[0] != nil:
		r.out.Flags = append(r.out.Flags, FlagOCR)
	default:
		r.out.Flags = append(r.out.Flags, FlagNeedsOCR)
		r.out.Warnings = append(r.out.Warnings, "needs OCR: "+why)
	}
	if need.Usable {
		return nil
	}
	return r.unread(glyphs, why)
}

// ask records a part that needs OCR, with the answer that there is.
func (r *reader) ask(part model.PageOCR) {
	use, result := r.in.Read(r.pageNo, part)
	if use.Reason != "" {
		r.out.Warnings = append(r.out.Warnings, "OCR failed: "+use.Message)
	}
	r.out.OCR, r.read = append(r.out.OCR, use), append(r.read, result)
}

// unread is the failure of a page that has no text but what OCR finds: that OCR
// failed, or was not asked.
func (r *reader) unread(glyphs []layout.Glyph, why string) *block.Failure {
	var b strings.Builder
	for i := range glyphs {
		if glyphs[i].Space != 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(glyphs[i].Rune)
	}
	f := &block.Failure{
		Reason:       fault.OCRFailed,
		Message:      fmt.Sprintf("page %d: %s; the page needs OCR, and OCR is not configured", r.pageNo, why),
		FallbackText: strings.ToValidUTF8(b.String(), "\uFFFD"), OCR: r.out.OCR,
	}
	if use := r.out.OCR[0]; use.Reason != "" {
		f.Reason, f.Message = fault.Reason(use.Reason), use.Message
	}
	return f
}

// scanned is a page whose only text is what OCR read; unread says why there is
// none when it did not. Notes, links and the like, which are found already, stay.
func (r *reader) scanned(unread *block.Failure) (block.Page, error) {
	if r.read[0] == nil {
		return block.Page{}, unread
	}
	others, result := r.out.Blocks, r.read[0]
	r.out.Blocks = ocrblocks.Blocks(*result, r.page.Rotation)
	r.out.Rotation = (r.page.Rotation + result.Rotation) % 360 // which makes the words upright
	r.out.Width, r.out.Height = result.Width, result.Height
	if len(r.out.Blocks)+len(others) == 0 {
		return block.Page{}, &block.Failure{Reason: fault.EmptyContent, OCR: r.out.OCR,
			Message: fmt.Sprintf("page %d: a picture in which OCR found no words", r.pageNo)}
	}
	r.out.Blocks = append(r.out.Blocks, others...)
	return r.out, nil
}

// addRead adds what OCR read to the blocks of the text layer: all of a page
// before them, a picture's words behind the picture. Pictures that hold nothing
// but noise are left as they are.
func (r *reader) addRead() {
	for i, result := range r.read {
		if result == nil {
			continue
		}
		at := 0
		if region := r.out.OCR[i].Region; region != nil {
			if result.Confidence < ocr.LowConfidence {
				continue
			}
			at = r.behind(*region)
		}
		found := ocrblocks.Blocks(*result, r.page.Rotation)
		for _, b := range found {
			r.out.Visible += coverage.Characters(b.Text)
		}
		r.out.Blocks = slices.Insert(r.out.Blocks, at, found...)
	}
}

// behind returns the place behind the last figure that is in a region, else the
// end.
func (r *reader) behind(region model.BBox) int {
	const slack = 1e-5
	for i := len(r.out.Blocks) - 1; i >= 0; i-- {
		b := &r.out.Blocks[i]
		if b.Type != model.UnitFigure || len(b.Evidence) == 0 || b.Evidence[0].BBox == nil {
			continue
		}
		box := *b.Evidence[0].BBox
		if box.X > region.X-slack && box.Y > region.Y-slack && box.X+box.W < region.X+region.W+slack && box.Y+box.H < region.Y+region.H+slack {
			return i + 1
		}
	}
	return len(r.out.Blocks)
}

// images are the pictures that are shown, cut at the page's edges.
func (s sheet) images(g pdfium.Graphics) []placedPicture {
	out := make([]placedPicture, 0, len(g.Images))
	for _, image := range g.Images {
		if box := s.shown(s.rect(image.Box)); box.Width() > 0 && box.Height() > 0 {
			out = append(out, placedPicture{Box: box, Bilevel: image.Bilevel})
		}
	}
	return out
}

const (
	// letterHeight is how high a letter is at most, in points, and letterSizes how
	// many sizes letters have at least: the dots of a chart have one.
	letterHeight = 40
	letterSizes  = 8
)

// letterShapes counts the closed curves that may be letters drawn as shapes.
func letterShapes(g pdfium.Graphics) int {
	n := 0
	sizes := map[[2]int]bool{}
	for i := range g.Paths {
		points := g.Paths[i].Points
		for from := 0; from < len(points); {
			to := from + 1
			box, curve := pdfium.Rect{Left: points[from].X, Right: points[from].X, Bottom: points[from].Y, Top: points[from].Y}, false
			for ; to < len(points) && points[to].Kind != pdfium.MoveTo; to++ {
				p := points[to]
				box.Left, box.Right = min(box.Left, p.X), max(box.Right, p.X)
				box.Bottom, box.Top = min(box.Bottom, p.Y), max(box.Top, p.Y)
				curve = curve || p.Kind == pdfium.CurveTo
			}
			if curve && min(box.Width(), box.Height()) <= letterHeight {
				n++
				sizes[[2]int{int(2 * box.Width()), int(2 * box.Height())}] = true
			}
			from = to
		}
	}
	if len(sizes) < letterSizes {
		return 0
	}
	return n
}

// NeedOCR says whether page pageNo, from 1, needs OCR, which parts of it, and
// why.
func (x *Extractor) NeedOCR(ctx context.Context, in block.Input, pageNo int) (OCRNeed, error) {
	if err := ctx.Err(); err != nil {
		return OCRNeed{}, err
	}
	d, err := x.open(in)
	if err != nil {
		return OCRNeed{}, err
	}
	need, err := needOf(d, pageNo)
	if err != nil {
		x.dropBroken(err)
		return OCRNeed{}, failure(err)
	}
	return need, nil
}

func needOf(d *pdfium.Document, pageNo int) (OCRNeed, error) {
	p, err := d.Page(pageNo - 1)
	if err != nil {
		return OCRNeed{}, err
	}
	defer p.Close()
	r := &reader{pageNo: pageNo, page: p, sheet: sheetOf(p)}
	chars, fonts, err := p.Chars()
	if err != nil {
		return OCRNeed{}, err
	}
	graphics, err := p.Graphics()
	if err != nil {
		return OCRNeed{}, err
	}
	return needOCR(r.sheet.width, r.sheet.height, glyphsOf(nil, p, r.sheet, chars, fonts), r.sheet.images(graphics), letterShapes(graphics)), nil
}
