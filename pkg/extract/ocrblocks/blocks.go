// Package ocrblocks makes blocks of the words that OCR found, by the same builder
// of lines and paragraphs and the same finder of tables as for text that is in
// the file (contracts#ocr-pages). It is pure: the blocks of a stored result are the
// same whenever they are made. Words stand as they were read; nothing corrects
// them.
package ocrblocks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	shared "github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// Quality flags of a block or page (contracts#coverage).
const (
	// FlagLow: the engine is not sure of what it read.
	FlagLow = "low_confidence"
	// FlagMirrored: the picture's file says that left is right.
	FlagMirrored = "mirrored"
)

// Scan returns the page of a picture. Its evidence is by page_index.
func Scan(r ocr.Result) block.Page {
	b := builder{result: &r, index: true}
	page := block.Page{
		Width: r.Width, Height: r.Height, Rotation: r.Rotation, Warnings: slices.Clone(r.Warnings), Blocks: b.blocks(), Ledger: &model.Ledger{},
	}
	page.Visible = b.visible
	account := &page.Ledger.Characters
	account.Found, account.Placed = b.found, b.placed
	coverage.Close(account)
	page.Visible += account.Failed
	if r.Mirrored {
		page.Flags = append(page.Flags, FlagMirrored)
	}
	if len(r.Words) > 0 && r.Confidence < ocr.LowConfidence {
		page.Flags = append(page.Flags, FlagLow)
	}
	return page
}

// Blocks returns the blocks of a PDF page or a region of it, whose own rotation
// is given. Their evidence is by page_number.
func Blocks(r ocr.Result, rotation int) []block.Block {
	b := builder{result: &r, rotation: rotation}
	return b.blocks()
}

type builder struct {
	result   *ocr.Result
	rotation int  // of the page that was read
	index    bool // pages are counted from 0: those of a picture

	sheet   sheet
	found   int // characters that were read
	placed  int // of these, in blocks
	visible int
}

func (b *builder) blocks() []block.Block {
	b.sheet = sheetOf(b.result)
	glyphs := b.sheet.glyphs(b.result)
	b.found = len(glyphs)
	tables, rest := table.Find(b.sheet.shapes(b.result.Rules), glyphs)
	page := layout.Page{Width: b.sheet.width, Height: b.sheet.height, Glyphs: rest, Walls: len(tables)}
	page.Facts.Running = func(lines []layout.Line, _ []layout.Rect) { markMargins(lines, b.sheet.height) }
	for i := range tables {
		page.Boxes = append(page.Boxes, tables[i].Box)
	}
	found, words := layout.Analyze(page)
	out := make([]block.Block, 0, len(found))
	for i := range found {
		if found[i].Kind == layout.Box {
			out = append(out, b.table(&tables[found[i].Ref], captionOf(found, i, words)))
		} else {
			out = append(out, b.text(&found[i], words))
		}
	}
	return out
}

const (
	// marginShare is the share of the page's height at its edges in which running
	// heads stand, and marginStep how far, in ems, they are from the text.
	marginShare, marginStep = 0.1, 1.9
)

// markMargins marks the rows at the edges of the page that stand apart from all else
// inwards: perhaps running heads, which only all pages together show, so that no
// sentence goes over the page through them.
func markMargins(lines []layout.Line, height float64) {
	for i := range lines {
		l := &lines[i]
		head, foot := l.Base <= marginShare*height, l.Base >= height-float64(marginShare*height)
		if !head && !foot || l.Turn != 0 {
			continue
		}
		l.Doubtful = !slices.ContainsFunc(lines, func(o layout.Line) bool {
			step := o.Base - l.Base
			if foot {
				step = -step
			}
			return step > marginStep/4*l.Size && step < marginStep*l.Size
		})
	}
}

func (b *builder) text(f *layout.Block, words layout.Words) block.Block {
	text, printed := f.Text(words)
	out := block.Block{
		Type: f.Kind.UnitType(), Text: text, OCRText: text, Confidence: f.Confidence,
		Level: f.Level, Depth: f.Depth, Marker: f.Marker, Continues: f.Continues, Continued: f.Continued,
	}
	if len(f.Lines) < maxRowLines && f.OneRow() {
		printed = f.InParts() // a page's number can be told from what it stands beside
	}
	if printed != text {
		out.TextPrinted = printed
	}
	var glyphs []layout.Glyph
	for i := range f.Lines {
		glyphs = append(glyphs, f.Lines[i].Glyphs...)
	}
	b.finish(&out, glyphs)
	return out
}

// maxRowLines is how many pieces of one row are told apart as printed.
const maxRowLines = 8

// captionOf is the text of the caption before the table in block i, or of one
// behind it that stands before no other.
func captionOf(blocks []layout.Block, i int, words layout.Words) string {
	at := i - 1
	if at < 0 || blocks[at].Kind != layout.Caption {
		at = i + 1
		if at >= len(blocks) || blocks[at].Kind != layout.Caption || at+1 < len(blocks) && blocks[at+1].Kind == layout.Box {
			return ""
		}
	}
	text, _ := blocks[at].Text(words)
	return text
}

func (b *builder) table(t *table.Table, caption string) block.Block {
	cells := make([]shared.Cell, len(t.Cells))
	for i := range t.Cells {
		c := &t.Cells[i]
		cells[i] = shared.Cell{Row: c.Row, Col: c.Col, RowSpan: c.RowSpan, ColSpan: c.ColSpan, Text: layout.Join(c.Lines, nil)}
	}
	found, text := shared.Build(cells, shared.Options{Source: shared.SourceOCR, HeaderRows: t.HeaderRows, Caption: caption, Confidence: t.Confidence})
	out := block.Block{Type: model.UnitTable, Text: text, OCRText: text, Markdown: shared.Markdown(&found), Table: &found, Confidence: t.Confidence}
	b.finish(&out, t.Glyphs())
	if e := &out.Evidence[0]; e.BBox != nil {
		box := *e.BBox
		found.BBox = &box
	}
	found.Confidence = out.Confidence
	return out
}

// finish adds what all blocks have: where their words are, who read them and
// how sure that is.
func (b *builder) finish(out *block.Block, glyphs []layout.Glyph) {
	r := b.result
	words := wordsOf(glyphs)
	found := make([]ocr.Word, len(words))
	quote := make([]string, len(words))
	box := r.Words[words[0]].Box
	var doubts []string
	for i, k := range words {
		w := r.Words[k]
		found[i], quote[i], box = w, w.Text, union(box, w.Box)
		if w.Confidence < ocr.LowConfidence && len(doubts) < maxDoubts {
			doubts = append(doubts, fmt.Sprintf("%q %.2f", w.Text, w.Confidence))
		}
	}
	rotation := (b.rotation + r.Rotation) % 360
	e := model.Evidence{RotationDegrees: &rotation, BBox: &box, OCRTextQuote: strings.Join(quote, " ")}
	if b.index {
		index := r.Page - 1
		e.PageIndex = &index
	} else {
		e.PageNumber = r.Page
	}
	out.Evidence = []model.Evidence{e}
	out.OCREngine, out.OCRVersion = r.Engine, r.Version
	out.Notes = "OCR: " + strings.Join(r.Languages, "+") + ", " + strconv.Itoa(r.DPI) + " dpi, preprocessing " + r.Preprocessing
	sure := ocr.MeanConfidence(found)
	out.Confidence = min(out.Confidence, sure)
	if sure < ocr.LowConfidence {
		out.Flags = append(out.Flags, FlagLow)
	}
	if len(doubts) > 0 {
		out.Warnings = append(out.Warnings, FlagLow+": "+strings.Join(doubts, ", "))
	}
	b.placed += len(glyphs)
	b.visible += utf8.RuneCountInString(strings.Join(strings.Fields(out.Text), ""))
}

// maxDoubts bounds the words of a block that are named as doubtful.
const maxDoubts = 20

// wordsOf are the words of glyphs, each once, in the order of the text.
func wordsOf(glyphs []layout.Glyph) []int {
	var out []int
	seen := map[int]bool{}
	for i := range glyphs {
		if k := glyphs[i].Index; !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func union(a, b model.BBox) model.BBox {
	right, bottom := max(a.X+a.W, b.X+b.W), max(a.Y+a.H, b.Y+b.H)
	out := model.BBox{X: min(a.X, b.X), Y: min(a.Y, b.Y)}
	out.W, out.H = right-out.X, bottom-out.Y
	return out
}
