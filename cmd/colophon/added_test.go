package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"strings"
	"sync/atomic"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/extract/ocrblocks"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/reading"
	"github.com/colophon-dev/colophon/pkg/pdfium"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	capturer "github.com/colophon-dev/colophon/services/capturer/app"
)

// What the tests add to a system, a line each: a kind of file with pages, document facts,
// pictures and pages for OCR; a format of text files; an embedder. This file is what
// their folders would be, and added is the lines.

const (
	deckKind model.SnapshotKind = "deck"
	deckType model.FinalType    = "deck"
)

// added are the tables with a line more.
func added() cli.Tables {
	text := child.Builtin()[model.KindTextFile]
	text.Open = func(context.Context, *pdfium.Starter) (extract.Extractor, error) {
		return textfile.Extractor{Formats: append(textfile.Builtin(), textfile.Format{Name: "verse", Exts: []string{"verse"}, Page: versePage})}, nil
	}
	types := capturer.BuiltinTypes()
	for i := range types {
		if types[i].Final == model.TypeText {
			types[i].Exts = append(types[i].Exts, "verse")
		}
	}
	return cli.Tables{
		Types: types.With(capturer.Type{Final: deckType, Kind: deckKind, Exts: []string{"deck"}, Begins: []string{deckMagic}}),
		Kinds: child.Builtin().With(model.KindTextFile, text).With(deckKind, child.Kind{
			Type: deckType, Facts: true, Draw: drawDeck, Read: openDeck,
			Open: func(context.Context, *pdfium.Starter) (extract.Extractor, error) { return new(deck), nil },
		}),
	}
}

// deckMagic begins decks: sheets, which a line of dashes parts. The first line of a sheet
// is its heading, each other one a paragraph; a sheet that is "(picture)" is one.
const (
	deckMagic = "DECK 1\n"
	deckEdge  = "\n----\n"
	picture   = "(picture)"
)

func sheetsOf(raw []byte) []string {
	return strings.Split(strings.TrimPrefix(string(raw), deckMagic), deckEdge)
}

// deck is the extractor. It counts what it was told to release.
type deck struct{ released int }

// deckFacts are what sheets know of their deck.
type deckFacts struct {
	Sheets int    `json:"sheets"`
	Title  string `json:"title"`
}

func (d *deck) Release() { d.released++ }

func (d *deck) Pages(_ context.Context, in block.Input) (int, error) {
	if strings.Contains(string(in.Raw), "BROKEN") {
		return 0, fault.Permanent(fault.Malformed, fmt.Errorf("the deck is broken"))
	}
	return len(sheetsOf(in.Raw)), nil
}

func (d *deck) Facts(_ context.Context, in block.Input) (json.RawMessage, error) {
	sheets := sheetsOf(in.Raw)
	title, _, _ := strings.Cut(sheets[0], "\n")
	return json.Marshal(deckFacts{Sheets: len(sheets), Title: title})
}

func (d *deck) Page(ctx context.Context, in block.Input, pageNo int) (block.Page, error) {
	raw := in.Facts
	if raw == nil { // of a deck of one range
		var err error
		if raw, err = d.Facts(ctx, in); err != nil {
			return block.Page{}, err
		}
	}
	var known deckFacts
	if err := json.Unmarshal(raw, &known); err != nil {
		return block.Page{}, err
	}
	page := block.Page{Label: fmt.Sprintf("%d/%d", pageNo, known.Sheets), Width: 1600, Height: 900, Title: known.Title}
	sheet := sheetsOf(in.Raw)[pageNo-1]
	if sheet == picture {
		use, result := in.Read(pageNo, model.PageOCR{Why: "a sheet that is a picture"})
		if result == nil {
			return block.Page{}, &block.Failure{Reason: fault.OCRFailed, Message: "the sheet is a picture", OCR: []model.PageOCR{use}}
		}
		read := ocrblocks.Scan(*result)
		page.Blocks, page.Visible, page.OCR = read.Blocks, read.Visible, []model.PageOCR{use}
		return page, nil
	}
	for i, line := range strings.Split(sheet, "\n") {
		b := block.Block{
			Type: model.UnitParagraph, Text: line, Confidence: 1,
			Evidence: []model.Evidence{{PageNumber: pageNo, BBox: &model.BBox{X: 0.1, Y: 0.1 * float64(i), W: 0.8, H: 0.05}, PDFTextQuote: line}},
		}
		if i == 0 {
			b.Type, b.Level = model.UnitHeading, 1
		}
		page.Blocks = append(page.Blocks, b)
	}
	return page, nil
}

// drawDeck draws a sheet as one colour, which is its number.
func drawDeck(_ context.Context, _ *pdfium.Starter, raw []byte, v block.View) (*image.RGBA, error) {
	if v.Page > len(sheetsOf(raw)) {
		return nil, fmt.Errorf("sheet %d of %d", v.Page, len(sheetsOf(raw)))
	}
	drawn := image.NewRGBA(image.Rect(0, 0, v.Width, v.Width*9/16))
	for i := range drawn.Pix {
		drawn.Pix[i] = uint8(v.Page)
	}
	return drawn, nil
}

// openDeck opens a sheet for OCR.
func openDeck(_ context.Context, _ *pdfium.Starter, _ []byte, r ocr.Request) (reading.Page, error) {
	return deckSheet{r.Page}, nil
}

type deckSheet struct{ no int }

func (deckSheet) Size() (width, height float64)        { return 1600, 900 }
func (deckSheet) Pixels(int) int                       { return 1600 * 900 }
func (deckSheet) Undone() (mirrored bool, degrees int) { return false, 0 }
func (deckSheet) Close()                               {}
func (s deckSheet) Draw(int) (g *image.Gray, dpi int, e error) {
	g = image.NewGray(image.Rect(0, 0, 1600, 900))
	for i := range g.Pix {
		g.Pix[i] = 0xFF
	}
	return g, 100, nil
}

// versePage is the parser of a format in which each line is a verse, and the first says
// so.
func versePage(f *decoded.File) (block.Page, error) {
	if !strings.HasPrefix(string(f.Bytes), "VERSE\n") {
		return block.Page{}, fmt.Errorf("it does not begin with VERSE")
	}
	var page block.Page
	at := len("VERSE\n")
	for _, line := range strings.SplitAfter(string(f.Bytes[at:]), "\n") {
		if text := strings.TrimRight(line, "\n"); text != "" {
			page.Blocks = append(page.Blocks, f.Block(model.UnitQuote, text, at, at+len(text), 1))
		}
		at += len(line)
	}
	return page, nil
}

// letters is an embedder: a number for each letter of the alphabet. It counts the texts
// of both sides.
type letters struct{ passages, queries atomic.Int64 }

var _ retrieval.Embedder = (*letters)(nil)

func (*letters) Model() string        { return "letters" }
func (*letters) Dimensions() int      { return 26 }
func (*letters) DenseWeight() float64 { return 0.5 }

func (e *letters) Embed(_ context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	if kind == retrieval.Query {
		e.queries.Add(int64(len(texts)))
	} else {
		e.passages.Add(int64(len(texts)))
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v, sum := make([]float32, 26), 0.0
		for _, r := range strings.ToLower(text) {
			if r >= 'a' && r <= 'z' {
				v[r-'a']++
			}
		}
		for _, n := range v {
			sum += float64(n * n)
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(max(sum, 1)))
		}
		out[i] = v
	}
	return out, nil
}
