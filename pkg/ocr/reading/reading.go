// Package reading reads one page with an engine: it finds out how the page
// lies and in which language it is, has it prepared and read, reads it again
// where the first reading was poor, and gives the words their places on the
// upright page. It runs in a child that may be killed at any moment.
package reading

import (
	"context"
	"fmt"
	"image"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Source draws the page that is to be read, or its region.
type Source interface {
	// Draw returns the grey pixels as the file shows them, at about dpi dots per
	// inch where that can be chosen, and the resolution that they have; 0 where
	// nobody knows.
	Draw(dpi int) (*image.Gray, int, error)
	// Size is that of the full page as drawn, in the units of Result.Width.
	Size() (width, height float64)
}

// Page is an open page of a document, or its region, that is to be read.
type Page interface {
	Source
	// Pixels is about how many are read at a resolution; 0 dpi: ocr.DefaultDPI.
	Pixels(dpi int) int
	// Undone says what Draw has undone of how the file shows the page: whether it was
	// mirrored, and by how many degrees it was turned clockwise.
	Undone() (mirrored bool, degrees int)
	// Close gives back what the page takes.
	Close()
}

// Opener opens the page of a document that a request names. It draws by the engine
// what it cannot decode. An error that is the document's is a *picture.Error, or one
// that pdfium.Reason knows.
type Opener func(ctx context.Context, engine *pdfium.Starter, raw []byte, request ocr.Request) (Page, error)

// Openers are those of the kinds of files that can be read, by kind of snapshot.
type Openers map[model.SnapshotKind]Opener

const (
	// poor is the confidence below which a page may stand on its head: right ones
	// reach 0.9, wrong ones stay below 0.4.
	poor = 0.6
	// weak is the confidence below which a page is read again: at ocr.HighDPI, or
	// where its words are larger than large, in pixels, so that they are common.
	weak   = 0.75
	large  = 100
	common = 40
	// gain is how much more confidence another reading must bring.
	gain = 0.05
)

// Read reads a page.
func Read(engine ocr.Reader, source Source, request ocr.Request) (ocr.Result, error) {
	e := engine.Engine()
	r := reader{engine: engine, source: source, result: ocr.Result{
		Engine: e.Name, Version: e.Version, Preprocessing: ocr.PreprocessingVersion, Page: request.Page, Region: request.Region,
	}}
	target := request.DPI
	if target == 0 {
		target = ocr.DefaultDPI
	}
	best, err := r.first(target, request.Languages)
	if err != nil {
		return ocr.Result{}, err
	}
	if best.confidence < weak && len(best.words) > 0 && request.DPI == 0 {
		again, err := r.at(second(best), best.sheet.Turn)
		if err != nil {
			return ocr.Result{}, err
		}
		if again.confidence > best.confidence+gain {
			best = again
		}
	}
	if best.confidence < poor && len(best.words) > 0 {
		if best, err = r.inScript(best); err != nil {
			return ocr.Result{}, err
		}
	}
	ink := best.sheet.Mask()
	rules := ink.Rules(best.sheet.DPI)
	if len(best.words) > 0 {
		strays, err := r.strays(best, ink)
		if err != nil {
			return ocr.Result{}, err
		}
		best.words = append(best.words, strays...)
	}
	return r.finish(best, ink, rules), nil
}

// second is the resolution that a page is read at again.
func second(a attempt) int {
	if high := median(heights(a.words)); high > large {
		return max(int(float64(a.sheet.DPI)*common/high), 1)
	}
	return ocr.HighDPI
}

type reader struct {
	engine ocr.Reader
	source Source
	result ocr.Result

	drawn    *image.Gray // as last drawn
	drawnDPI int
	drawnFor int
}

// attempt is one reading of the page.
type attempt struct {
	sheet      prepare.Sheet
	words      []ocr.Found
	confidence float64
}

func (r *reader) draw(dpi int) error {
	if r.drawn != nil && r.drawnFor == dpi {
		return nil
	}
	g, has, err := r.source.Draw(dpi)
	if err != nil {
		return err
	}
	r.drawn, r.drawnDPI, r.drawnFor = g, has, dpi
	return nil
}

// first finds the page's direction and languages and reads it.
func (r *reader) first(dpi int, wanted []string) (attempt, error) {
	if err := r.draw(dpi); err != nil {
		return attempt{}, err
	}
	sideways := prepare.Sideways(r.drawn)
	out, err := r.lying(dpi, sideways, wanted)
	if err != nil || out.confidence >= poor && !standing(out.words) || out.confidence < poor && !sideways {
		return out, err
	}
	// What looks like lines of text may be a drawing or a table, and engines turn
	// lines that run down a page by themselves.
	languages, warnings := r.result.Languages, r.result.Warnings
	other, err := r.lying(dpi, !sideways, wanted)
	if err != nil {
		return attempt{}, err
	}
	if other.confidence > out.confidence+gain || standing(out.words) && !standing(other.words) && other.confidence >= poor {
		return other, nil
	}
	r.result.Languages, r.result.Warnings = languages, warnings
	return out, nil
}

// lying reads the page, whose lines run down the picture or across.
func (r *reader) lying(dpi int, sideways bool, wanted []string) (attempt, error) {
	turn := 0
	if sideways {
		turn = 90
	}
	sheet := r.prepare(dpi, turn)
	sample := prepare.Sample(sheet.Gray)
	r.result.Languages, r.result.Warnings = languagesFor(wanted, r.engine.Engine().Languages)
	if sideways {
		over, err := r.overhead(sample, sheet.DPI)
		if err != nil {
			return attempt{}, err
		}
		if over {
			sheet = r.prepare(dpi, 270)
			sample = picture.Turn(sample, 180)
		}
	}
	if len(wanted) != 1 {
		if err := r.detect(sample, sheet.DPI, wanted); err != nil {
			return attempt{}, err
		}
	}
	out, err := r.read(sheet)
	if err != nil || out.confidence >= poor || sideways {
		return out, err
	}
	if over, err := r.overhead(sample, sheet.DPI); err != nil || !over {
		return out, err
	}
	if len(wanted) != 1 {
		if err := r.detect(picture.Turn(sample, 180), sheet.DPI, wanted); err != nil {
			return attempt{}, err
		}
	}
	turned, err := r.read(r.prepare(dpi, 180))
	if err == nil && turned.confidence > out.confidence {
		return turned, nil
	}
	return out, err
}

// standing reports whether most of the words, but those that may be as high as
// wide, are higher than wide: their lines run down the picture.
func standing(words []ocr.Found) bool {
	n := 0
	for _, w := range words {
		switch {
		case utf8.RuneCountInString(w.Text) < wide:
		case w.Box.Dy() > w.Box.Dx():
			n++
		default:
			n--
		}
	}
	return n > 0
}

// wide is how many letters a word has at least that is wider than high.
const wide = 4

// at reads the page in a direction that is known.
func (r *reader) at(dpi, turn int) (attempt, error) {
	if err := r.draw(dpi); err != nil {
		return attempt{}, err
	}
	return r.read(r.prepare(dpi, turn))
}

func (r *reader) prepare(dpi, turn int) prepare.Sheet {
	return prepare.New(r.drawn, prepare.Options{DPI: r.drawnDPI, Target: dpi, Turn: turn})
}

func (r *reader) read(s prepare.Sheet) (attempt, error) {
	words, err := r.engine.Read(s.Gray, s.DPI, r.result.Languages)
	if err != nil {
		return attempt{}, fmt.Errorf("page %d: %w", r.result.Page, err)
	}
	words = legible(words, s.Gray.Rect)
	for _, l := range s.Leaders {
		if words, err = r.led(words, &s, l); err != nil {
			return attempt{}, fmt.Errorf("page %d: %w", r.result.Page, err)
		}
	}
	return attempt{sheet: s, words: words, confidence: meanOf(words)}, nil
}

// overhead reports whether a part of the page reads better upside down.
func (r *reader) overhead(sample *image.Gray, dpi int) (bool, error) {
	var means [2]float64
	for i, g := range []*image.Gray{sample, picture.Turn(sample, 180)} {
		words, err := r.engine.Read(g, dpi, r.result.Languages)
		if err != nil {
			return false, fmt.Errorf("page %d: its direction: %w", r.result.Page, err)
		}
		means[i] = meanOf(legible(words, g.Rect))
	}
	return means[1] > means[0]+gain, nil
}

// legible leaves out what is no word: boxes that are empty, without end or off
// the picture.
func legible(words []ocr.Found, page image.Rectangle) []ocr.Found {
	out := words[:0]
	for _, w := range words {
		w.Box = w.Box.Intersect(page)
		if w.Text != "" && !w.Box.Empty() && w.Box.Dx()*w.Box.Dy() < page.Dx()*page.Dy()*9/10 {
			out = append(out, w)
		}
	}
	return out
}

func meanOf(words []ocr.Found) float64 {
	all := make([]ocr.Word, len(words))
	for i, w := range words {
		all[i] = ocr.Word{Text: w.Text, Confidence: w.Confidence}
	}
	return ocr.MeanConfidence(all)
}

// finish gives the words of an attempt their places on the upright page.
func (r *reader) finish(a attempt, ink prepare.Mask, rules []image.Rectangle) ocr.Result {
	out := r.result
	out.DPI, out.Confidence, out.Skew, out.Rotation = a.sheet.DPI, a.confidence, a.sheet.Skew, a.sheet.Turn
	out.Width, out.Height = r.source.Size()
	if a.sheet.Turn%180 != 0 {
		out.Width, out.Height = out.Height, out.Width
	}
	region := upright(out.Region, a.sheet.Turn)
	a.words = snap(a.words, ink, rules, a.sheet.DPI)
	boxes := fontBoxes(a.words)
	out.Words = make([]ocr.Word, len(a.words))
	for i, w := range a.words {
		out.Words[i] = ocr.Word{
			Text: w.Text, Box: within(region, a.sheet.Box(boxes[i])), Confidence: w.Confidence,
			Block: w.Block, Paragraph: w.Paragraph, Line: w.Line,
		}
	}
	for _, line := range rules {
		out.Rules = append(out.Rules, ocr.Rule{Box: within(region, a.sheet.Box(line))})
	}
	return out
}

// upright turns a region of the page as shown with the page.
func upright(b model.BBox, turn int) model.BBox {
	if b == (model.BBox{}) {
		return model.BBox{W: 1, H: 1}
	}
	switch turn {
	case 90:
		return model.BBox{X: 1 - b.Y - b.H, Y: b.X, W: b.H, H: b.W}
	case 180:
		return model.BBox{X: 1 - b.X - b.W, Y: 1 - b.Y - b.H, W: b.W, H: b.H}
	case 270:
		return model.BBox{X: b.Y, Y: 1 - b.X - b.W, W: b.H, H: b.W}
	}
	return b
}

// within places a box of the region on the page.
func within(region, b model.BBox) model.BBox {
	return model.BBox{
		X: region.X + float64(b.X*region.W), Y: region.Y + float64(b.Y*region.H),
		W: b.W * region.W, H: b.H * region.H,
	}
}
