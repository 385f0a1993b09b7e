package pdf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/units"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// FlagOCR marks a page that was read by OCR.
const FlagOCR = "ocr"

// needOCR decides whether the page needs OCR, as a whole or in parts, records
// the decision with its numbers, and looks up what OCR has said. The failure is
// that of a page whose text layer is of no use, for want of OCR.
func (r *reader) needOCR(glyphs []layout.Glyph, g pdfium.Graphics) *block.Failure {
	need := NeedOCR(r.sheet.width, r.sheet.height, glyphs, r.images(g), curved(g))
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
	others := r.out.Blocks
	r.out.Blocks = units.Blocks(*r.read[0], r.page.Rotation)
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
		found := units.Blocks(*result, r.page.Rotation)
		for _, b := range found {
			r.out.Visible += coverage.Characters(b.Text)
		}
		r.out.Blocks = slices.Insert(r.out.Blocks, at, found...)
	}
}

// behind returns the place behind the figure that fills a region, else the end.
func (r *reader) behind(region model.BBox) int {
	const slack = 1e-5
	for i := range r.out.Blocks {
		b := &r.out.Blocks[i]
		if b.Type != model.UnitFigure || len(b.Evidence) == 0 || b.Evidence[0].BBox == nil {
			continue
		}
		box := *b.Evidence[0].BBox
		if math.Abs(box.X-region.X) < slack && math.Abs(box.Y-region.Y) < slack &&
			math.Abs(box.W-region.W) < slack && math.Abs(box.H-region.H) < slack {
			return i + 1
		}
	}
	return len(r.out.Blocks)
}
