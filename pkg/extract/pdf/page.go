package pdf

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/table"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Quality flags of a block or page (contracts 6, quality_flags).
const (
	// FlagHidden: the file draws this text invisible.
	FlagHidden = "invisible_text"
	// FlagOutside: this text lies outside of the part of the page that is shown.
	FlagOutside = "outside_page"
	// FlagUnclear: the font does not say what some characters are (seed 000).
	FlagUnclear = "unclear"
	// FlagMapped: some characters are read by the encoding of their font, where
	// the engine's text has only their codes.
	FlagMapped = "symbols_mapped"
	// FlagTurned: this text does not run to the right on the upright page.
	FlagTurned = "turned_text"
)

// reader makes the blocks of one page.
type reader struct {
	pageNo int
	page   *pdfium.Page
	sheet  sheet
	out    block.Page
	err    error
}

func readPage(d *pdfium.Document, known *facts.Document, pageNo int) (block.Page, error) {
	p, err := d.Page(pageNo - 1)
	if err != nil {
		return block.Page{}, err
	}
	defer p.Close()
	r := &reader{pageNo: pageNo, page: p, sheet: sheetOf(p)}
	return r.read(d, known)
}

func (r *reader) read(d *pdfium.Document, known *facts.Document) (block.Page, error) {
	chars, fonts, err := r.page.Chars()
	if err != nil {
		return block.Page{}, err
	}
	graphics, err := r.page.Graphics()
	if err != nil {
		return block.Page{}, err
	}
	annotations, err := r.page.Annotations()
	if err != nil {
		return block.Page{}, err
	}
	label, err := d.PageLabel(r.pageNo - 1)
	if err != nil {
		return block.Page{}, err
	}
	r.out.Label, r.out.Rotation = label, r.page.Rotation
	r.out.Width, r.out.Height = r.sheet.width, r.sheet.height
	glyphs := glyphsOf(r.page, r.sheet, chars, fonts)
	if failure := r.unreadable(glyphs); failure != nil {
		return block.Page{}, failure
	}
	r.content(known, glyphs, graphics)
	r.annotations(annotations)
	if r.err != nil {
		return block.Page{}, r.err
	}
	if len(glyphs) == 0 && !r.interactive() {
		return block.Page{}, r.empty(graphics)
	}
	if r.pageNo == 1 {
		if r.out.Title, err = title(d); err != nil {
			return block.Page{}, err
		}
	}
	return r.out, nil
}

// content adds the blocks of the text layer, the tables among them, and the
// pictures.
func (r *reader) content(known *facts.Document, glyphs []layout.Glyph, g pdfium.Graphics) {
	tables, rest := table.Find(r.sheet.shapes(g), glyphs)
	pictures := r.pictures(g)
	p := layout.Page{
		Width: r.sheet.width, Height: r.sheet.height, Glyphs: rest,
		Facts: known.Page(r.pageNo, r.sheet.height), Walls: len(tables),
	}
	for i := range tables {
		p.Boxes = append(p.Boxes, tables[i].Box)
	}
	p.Boxes = append(p.Boxes, pictures...)
	blocks, words := layout.Analyze(p)
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Kind != layout.Box:
			r.out.Blocks = append(r.out.Blocks, r.block(b, words))
		case b.Ref < len(tables):
			r.out.Blocks = append(r.out.Blocks, r.table(&tables[b.Ref], captionOf(blocks, i, words), words))
		default:
			r.out.Blocks = append(r.out.Blocks, block.Block{
				Type: model.UnitFigure, Confidence: 1, Evidence: []model.Evidence{r.place(b.Box)},
			})
		}
	}
}

// unitType is the unit type of a block of text.
func unitType(k layout.Kind) model.UnitType {
	switch k {
	case layout.Heading:
		return model.UnitHeading
	case layout.ListItem:
		return model.UnitListItem
	case layout.Caption:
		return model.UnitCaption
	case layout.Footnote:
		return model.UnitFootnote
	case layout.PageHeader:
		return model.UnitPageHeader
	case layout.PageFooter:
		return model.UnitPageFooter
	case layout.Code:
		return model.UnitCode
	default:
		return model.UnitParagraph
	}
}

func (r *reader) block(b *layout.Block, words layout.Words) block.Block {
	text, printed := b.Text(words)
	out := block.Block{
		Type: unitType(b.Kind), Text: text, Confidence: b.Confidence,
		Level: b.Level, Depth: b.Depth, Marker: b.Marker, Continues: b.Continues, Continued: b.Continued,
	}
	if printed != text {
		out.TextPrinted = printed
	}
	if b.Guess != "" {
		out.Notes = "heading " + b.Guess
	}
	n := 0
	for i := range b.Lines {
		n += len(b.Lines[i].Glyphs)
	}
	glyphs := make([]layout.Glyph, 0, n)
	for i := range b.Lines {
		glyphs = append(glyphs, b.Lines[i].Glyphs...)
	}
	out.Evidence = r.evidence(glyphs)
	r.count(glyphs, text)
	out.Flags, out.Confidence = flags(b, glyphs, b.Confidence)
	return out
}

// count adds the characters of a block to what is visible on the page, all but
// the hyphens that are not part of its text.
func (r *reader) count(glyphs []layout.Glyph, text string) {
	said := 0
	for _, c := range text {
		said += visible(c)
	}
	dropped := 0
	for i := range glyphs {
		if glyphs[i].Hyphen || glyphs[i].Rune == '\u00AD' {
			dropped++
		}
	}
	r.out.Visible += max(said, len(glyphs)-dropped)
}

func flags(b *layout.Block, glyphs []layout.Glyph, confidence float64) ([]string, float64) {
	var out []string
	if b.Hidden {
		out, confidence = append(out, FlagHidden), min(confidence, 0.7)
	}
	if b.Outside {
		out, confidence = append(out, FlagOutside), min(confidence, 0.7)
	}
	if b.Turn != 0 {
		out = append(out, FlagTurned)
	}
	mapped, unclear := false, false
	for i := range glyphs {
		mapped, unclear = mapped || glyphs[i].Mapped, unclear || glyphs[i].Unclear
	}
	if mapped {
		out = append(out, FlagMapped)
	}
	if unclear {
		out, confidence = append(out, FlagUnclear), min(confidence, 0.6)
	}
	return out, confidence
}

// evidence returns the places of the glyphs: one, when they are neighbours in
// the engine's order; else one for each run of neighbours in the order of the
// text, so that the quotes without their white space, one after the other, are
// the text.
func (r *reader) evidence(glyphs []layout.Glyph) []model.Evidence {
	first, last := &glyphs[0], &glyphs[0]
	for i := range glyphs {
		g := &glyphs[i]
		if g.Seq < first.Seq {
			first = g
		}
		if g.Seq > last.Seq {
			last = g
		}
	}
	if last.Seq-first.Seq+1 == len(glyphs) {
		return []model.Evidence{r.quote(first.Index, last.End, glyphs)}
	}
	var out []model.Evidence
	start := 0
	for i := 1; i <= len(glyphs); i++ {
		if i < len(glyphs) && glyphs[i].Seq == glyphs[i-1].Seq+1 {
			continue
		}
		out = append(out, r.quote(glyphs[start].Index, glyphs[i-1].End, glyphs[start:i]))
		start = i
	}
	return out
}

// quote is the evidence of glyphs that fill a range of the engine's characters.
func (r *reader) quote(from, to int, glyphs []layout.Glyph) model.Evidence {
	box := glyphs[0].Box
	for i := range glyphs {
		box = box.Union(glyphs[i].Box)
	}
	e := r.place(box)
	text, err := r.page.Text(from, to-from)
	if err != nil && r.err == nil {
		r.err = err
	}
	e.CharSpan = &model.Span{Start: int64(from), End: int64(to)}
	e.PDFTextQuote = text
	return e
}

// place is evidence of a box alone.
func (r *reader) place(box layout.Rect) model.Evidence {
	b := model.BBox(r.sheet.box(box))
	rotation := r.page.Rotation
	e := model.Evidence{PageNumber: r.pageNo, RotationDegrees: &rotation, BBox: &b}
	if r.page.CropBox != r.page.MediaBox {
		crop := model.BBox(r.page.Upright(r.page.CropBox))
		e.Crop = &crop
	}
	return e
}

// maxTitle is how long a title in the metadata may be to be one.
const maxTitle = 300

// title is the document's own title, unless it is what programs put there: the
// name of a file, or of the program.
func title(d *pdfium.Document) (string, error) {
	t, err := d.Metadata("Title")
	if err != nil {
		return "", err
	}
	t = strings.Join(strings.Fields(t), " ")
	lower := strings.ToLower(t)
	if len(t) > maxTitle || strings.HasPrefix(lower, "microsoft ") || strings.HasPrefix(lower, "untitled") {
		return "", nil
	}
	for _, suffix := range []string{".doc", ".docx", ".odt", ".tex", ".dvi", ".pdf", ".indd", ".qxd", ".xls", ".xlsx", ".ppt", ".pptx", ".rtf", ".txt", ".wpd"} {
		if strings.HasSuffix(lower, suffix) {
			return "", nil
		}
	}
	return t, nil
}

// unreadable is the failure of a page whose text layer says nothing: most of its
// characters are none outside of their fonts.
func (r *reader) unreadable(glyphs []layout.Glyph) *block.Failure {
	bad := 0
	for i := range glyphs {
		if unclear(glyphs[i].Rune) && !glyphs[i].Hyphen {
			bad++
		}
	}
	if bad < 8 || 10*bad < 3*len(glyphs) {
		return nil
	}
	var b strings.Builder
	for i := range glyphs {
		if glyphs[i].Space != 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(glyphs[i].Rune)
	}
	return &block.Failure{
		Reason:       fault.OCRFailed,
		Message:      fmt.Sprintf("page %d: %d of %d characters have no meaning outside of their fonts; the page needs OCR, and OCR is not configured", r.pageNo, bad, len(glyphs)),
		FallbackText: strings.ToValidUTF8(b.String(), "\uFFFD"),
	}
}

// empty is the failure of a page without text.
func (r *reader) empty(g pdfium.Graphics) *block.Failure {
	if len(g.Images) > 0 {
		return &block.Failure{
			Reason:  fault.OCRFailed,
			Message: fmt.Sprintf("page %d: no text, only pictures (%d); the page needs OCR, and OCR is not configured", r.pageNo, len(g.Images)),
		}
	}
	return &block.Failure{Reason: fault.EmptyContent, Message: fmt.Sprintf("page %d: neither text nor pictures on it", r.pageNo)}
}
