package pdf

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/facts"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Quality flags of a block or page (contracts#coverage).
const (
	// FlagHidden: the file draws this text invisible.
	FlagHidden = "invisible_text"
	// FlagOutside: this text lies outside of the part of the page that is shown.
	FlagOutside = "outside_page"
	// FlagTiny: this text is too small for any reader.
	FlagTiny = "tiny_text"
	// FlagCovered: something is drawn over this text.
	FlagCovered = "covered_text"
	// FlagBackground: this text has the colour of what it stands on.
	FlagBackground = "background_colour"
	// FlagUnclear: the font does not say what some characters are (seeds#conventions).
	FlagUnclear = "unclear"
	// FlagMapped: some characters are read by the encoding of their font, where
	// the engine's text has only their codes.
	FlagMapped = "symbols_mapped"
	// FlagNeedsOCR: the page's text layer does not hold all of its text.
	FlagNeedsOCR = "needs_ocr"
	// FlagTurned: this text does not run to the right on the upright page.
	FlagTurned = "turned_text"
)

// reader makes the blocks of one page.
type reader struct {
	pageNo int
	in     block.Input
	page   *pdfium.Page
	sheet  sheet
	out    block.Page
	read   []*ocr.Result // of the parts of out.OCR, nil for one that is not read
	ledger model.Ledger
	placed []int // by Seq: 1 + the block that the glyph is in
	links  []linked
	memory *memory
	draw   partDrawer
	err    error

	digested int // bytes of what is drawn in figures: maxDigested
}

// readPage reads a page of this content in this memory.
func readPage(d *pdfium.Document, c *content, in block.Input, known *facts.Document, pageNo int, memory *memory, draw partDrawer) (block.Page, error) {
	r := &reader{pageNo: pageNo, in: in, page: c.page, sheet: sheetOf(c.page), memory: memory, draw: draw}
	return r.content(d, c, known)
}

func (r *reader) content(d *pdfium.Document, c *content, known *facts.Document) (block.Page, error) {
	chars := c.chars
	r.memory.chars = chars
	annotations, err := r.page.Annotations()
	if err != nil {
		return block.Page{}, err
	}
	r.out.Label, r.out.Rotation = c.label, r.page.Rotation
	r.out.Width, r.out.Height = r.sheet.width, r.sheet.height
	f := c.found
	if f == nil {
		if f = c.find(r.sheet, r.memory.glyphs, r.draw); len(f.glyphs) <= maxKept {
			r.memory.glyphs = f.glyphs
		}
	}
	glyphs := f.glyphs
	r.annotations(annotations, glyphs)
	if failure := r.needOCR(glyphs, c.graphics); failure != nil && (len(glyphs) > 0 || !r.interactive()) {
		return r.scanned(failure)
	}
	if len(glyphs) == 0 && !r.interactive() {
		return block.Page{}, &block.Failure{Reason: fault.EmptyContent, Message: fmt.Sprintf("page %d: neither text nor pictures on it", r.pageNo)}
	}
	others := r.out.Blocks
	r.out.Blocks = nil
	said := c.tags
	for i := range glyphs {
		if mark := chars[glyphs[i].Index].Mark; i > 0 && mark == chars[glyphs[i-1].Index].Mark {
			glyphs[i].Tag = glyphs[i-1].Tag
		} else {
			glyphs[i].Tag = said.place[mark]
		}
	}
	r.placed = make([]int, len(glyphs))
	r.layer(known, f, c.graphics, said)
	r.account(chars, glyphs)
	r.attachLinks()
	r.addRead()
	r.out.Blocks = append(r.out.Blocks, others...)
	if r.err != nil {
		return block.Page{}, r.err
	}
	if r.pageNo == 1 {
		if r.out.Title, err = title(d); err != nil {
			return block.Page{}, err
		}
	}
	return r.out, nil
}

// layer adds the blocks of the text layer, the tables among them, and the
// pictures.
func (r *reader) layer(known *facts.Document, f *found, g pdfium.Graphics, said tags) {
	glyphs, shapes := f.glyphs, f.shapes
	charts := r.charts(shapes, f.tables, glyphs)
	tables, rest := withoutCharts(f.tables, f.rest, charts)
	for i := range rest {
		rest[i].Tag = glyphs[rest[i].Seq].Tag
	}
	figures := r.figures(g, charts, tables, glyphs, said.alt)
	page := known.Page(facts.Sheet{PageNo: r.pageNo, Label: r.out.Label, Width: r.sheet.width, Height: r.sheet.height, Rotation: r.page.Rotation})
	rest = r.label(figures, shapes, rest, page.BodySize)
	p := layout.Page{
		Width: r.sheet.width, Height: r.sheet.height, Glyphs: rest,
		Facts: page, Walls: len(tables), Tags: said.list,
	}
	for i := range tables {
		p.Boxes, p.Firsts = append(p.Boxes, tables[i].Box), append(p.Firsts, 0)
	}
	for i := range figures {
		p.Boxes, p.Firsts = append(p.Boxes, figures[i].box), append(p.Firsts, figures[i].first())
	}
	blocks, words := layout.Analyze(p)
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Kind != layout.Box:
			r.out.Blocks = append(r.out.Blocks, r.block(b, words))
		case b.Ref < len(tables):
			caption := captionOf(blocks, i, words)
			out := r.table(&tables[b.Ref], caption, words)
			out.Continued, out.Continues = r.runsOver(blocks, i, caption)
			r.out.Blocks = append(r.out.Blocks, out)
		default:
			r.out.Blocks = append(r.out.Blocks, r.figure(&figures[b.Ref-len(tables)], g, figureCaption(blocks, i, words), words))
		}
	}
}

func (r *reader) block(b *layout.Block, words layout.Words) block.Block {
	text, printed := b.Text(words)
	out := block.Block{
		Type: b.Kind.UnitType(), Text: text, Confidence: b.Confidence,
		Level: b.Level, Depth: b.Depth, Marker: b.Marker, Continues: b.Continues, Continued: b.Continued,
	}
	if b.Kind == layout.PageHeader || b.Kind == layout.PageFooter {
		printed = b.InParts() // what sets the page's number off belongs to the proof
	}
	if printed != text {
		out.TextPrinted = printed
	}
	if b.Guess != "" {
		out.Notes = "heading " + b.Guess
	}
	glyphs := r.memory.run[:0]
	for i := range b.Lines {
		glyphs = append(glyphs, b.Lines[i].Glyphs...)
	}
	if len(glyphs) <= maxKept {
		r.memory.run = glyphs
	}
	out.Evidence = r.parts(b, glyphs)
	out.Flags, out.Confidence = flags(b, glyphs, b.Confidence)
	r.put(glyphs)
	if isUnseen(glyphs) {
		hide(&out)
	} else {
		r.count(glyphs, text)
	}
	return out
}

// parts returns the evidence of a block, that of each column by itself.
func (r *reader) parts(b *layout.Block, glyphs []layout.Glyph) []model.Evidence {
	var out []model.Evidence
	from := 0
	for _, to := range append(slices.Clone(b.Parts), len(b.Lines)) {
		n := 0
		for i := from; i < to; i++ {
			n += len(b.Lines[i].Glyphs)
		}
		out = append(out, r.evidence(glyphs[:n])...)
		from, glyphs = to, glyphs[n:]
	}
	return out
}

// put records that the glyphs are in the block that comes next.
func (r *reader) put(glyphs []layout.Glyph) {
	for i := range glyphs {
		r.placed[glyphs[i].Seq] = len(r.out.Blocks) + 1
	}
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
		if g := &glyphs[i]; g.Hyphen || g.Rune == '\u00AD' || g.Rune == '\u2010' {
			dropped++
		}
	}
	r.out.Visible += max(said, len(glyphs)-dropped)
}

// isUnseen reports whether a reader sees no glyph of a block.
func isUnseen(glyphs []layout.Glyph) bool {
	for i := range glyphs {
		if glyphs[i].Unseen == layout.Seen {
			return false
		}
	}
	return true
}

// hide makes furniture of a block that no reader sees (contracts#furniture).
func hide(b *block.Block) {
	*b = block.Block{
		Type: model.UnitFurniture, Text: b.Text, TextPrinted: b.TextPrinted, Confidence: 1, Evidence: b.Evidence,
		Flags: append([]string{block.FlagHidden}, b.Flags...),
	}
}

// account closes the ledger: what the engine has and no glyph was made of, and
// the glyphs that no block has, which count as visible and not covered.
func (r *reader) account(chars []pdfium.Char, glyphs []layout.Glyph) {
	a := &r.ledger.Characters
	covered, hidden := make([]bool, len(chars)), make([]bool, len(chars))
	for i := range glyphs {
		if r.placed[i] > 0 {
			for k := glyphs[i].Index; k < glyphs[i].End; k++ {
				covered[k], hidden[k] = true, r.out.Blocks[r.placed[i]-1].Type == model.UnitFurniture
			}
		}
	}
	for i := range chars {
		switch {
		case unicode.IsSpace(chars[i].Rune):
			continue
		case hidden[i]:
			coverage.Skip(a, model.ClassHidden, 1)
		case covered[i]:
			a.Placed++
		case chars[i].Rune == 0:
			coverage.Skip(a, skipNoRune, 1)
		}
		a.Found++
	}
	coverage.Close(a)
	r.out.Visible += a.Failed
	r.out.Ledger = &r.ledger
}

func flags(b *layout.Block, glyphs []layout.Glyph, confidence float64) ([]string, float64) {
	out := unseenFlags(b, glyphs)
	if len(out) > 0 {
		confidence = min(confidence, 0.7)
	}
	if b.Turn != 0 {
		out = append(out, FlagTurned)
	}
	if b.Lines[0].Why != "" && b.Kind != layout.Paragraph {
		out = append(out, b.Lines[0].Why)
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

// unseenFlags say why text is not seen, or that it is the text layer of a picture.
func unseenFlags(b *layout.Block, glyphs []layout.Glyph) []string {
	var why [layout.BackgroundColor + 1]bool
	for i := range glyphs {
		why[glyphs[i].Unseen] = true
	}
	var out []string
	for _, f := range []struct {
		is   bool
		flag string
	}{
		{why[layout.Undrawn] || b.Hidden && why[layout.Seen], FlagHidden}, {b.Outside, FlagOutside},
		{why[layout.Tiny], FlagTiny}, {why[layout.Covered], FlagCovered}, {why[layout.BackgroundColor], FlagBackground},
	} {
		if f.is {
			out = append(out, f.flag)
		}
	}
	return out
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
	b := atEdge(model.BBox(r.sheet.box(box)))
	rotation := r.page.Rotation
	e := model.Evidence{PageNumber: r.pageNo, RotationDegrees: &rotation, BBox: &b}
	if r.page.CropBox != r.page.MediaBox {
		crop := model.BBox(r.page.Upright(r.page.CropBox))
		e.Crop = &crop
	}
	return e
}

// edgeStrip is the width of what lies outside of the page, as a share of it.
const edgeStrip = 0.001

// atEdge gives a box of which nothing lies on the page a strip of its nearest edge: a place
// can be shown (contracts#bbox).
func atEdge(b model.BBox) model.BBox {
	if b.W <= 0 {
		b.X, b.W = min(b.X, 1-edgeStrip), edgeStrip
	}
	if b.H <= 0 {
		b.Y, b.H = min(b.Y, 1-edgeStrip), edgeStrip
	}
	return b
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
