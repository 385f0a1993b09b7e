package ocrblocks

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// sheetPoints is a page of 600 by 800 on which words are set, 6 wide a letter.
type sheetPoints struct {
	r    ocr.Result
	skew float64
}

func newSheet(skew float64) *sheetPoints {
	return &sheetPoints{skew: skew, r: ocr.Result{
		Engine: "tesseract", Version: "5.3.0", Languages: []string{"eng"}, DPI: 200, Preprocessing: "1",
		Page: 2, Width: 600, Height: 800, Skew: skew, Confidence: 0.9,
	}}
}

// box is a box of the level page as the hull of the skew one.
func (s *sheetPoints) box(left, top, width, height float64) model.BBox {
	sin, cos := math.Sincos(s.skew * math.Pi / 180)
	x, y := left+width/2-300, top+height/2-400
	x, y = x*cos-y*sin+300, x*sin+y*cos+400
	w, h := width*cos+height*math.Abs(sin), width*math.Abs(sin)+height*cos
	return model.BBox{X: (x - w/2) / 600, Y: (y - h/2) / 800, W: w / 600, H: h / 800}
}

func (s *sheetPoints) line(block, line int, left, top float64, text string, confidence float64) {
	for _, word := range strings.Fields(text) {
		width := 6 * float64(len(word))
		s.r.Words = append(s.r.Words, ocr.Word{
			Text: word, Box: s.box(left, top, width, 12), Confidence: confidence, Block: block, Paragraph: 1, Line: line,
		})
		left += width + 4
	}
}

func (s *sheetPoints) rule(left, top, width, height float64) {
	s.r.Rules = append(s.r.Rules, ocr.Rule{Box: s.box(left, top, width, height)})
}

func letter(skew float64) *sheetPoints {
	s := newSheet(skew)
	s.line(1, 1, 60, 80, "The council met on Monday and heard the report of the water board. Twelve house-", 0.95)
	s.line(1, 2, 60, 94, "holds upstream of the old mill have asked for a new meter, and the board agrees.", 0.95)
	s.line(2, 1, 60, 140, "Nobody objected to the minutes of the last meeting, which were read aloud to all.", 0.4)
	for i, row := range [][3]string{{"Name", "Meters", "Price"}, {"Old mill", "12", "300"}, {"School", "3", "75"}} {
		top := 300 + 20*float64(i)
		for k, cell := range row {
			s.line(3+k, 1+i, 70+100*float64(k), top, cell, 0.9)
		}
	}
	for i := range 4 {
		s.rule(60, 296+20*float64(i), 300, 1)
		s.rule(60+100*float64(i), 296, 1, 60)
	}
	return s
}

func TestBlocks(t *testing.T) {
	for _, skew := range []float64{0, 2, -6} {
		s := letter(skew)
		blocks := Blocks(s.r, 90)
		if len(blocks) != 3 {
			t.Fatalf("skew %v: %d blocks: %+v", skew, len(blocks), blocks)
		}
		first, doubtful, table := blocks[0], blocks[1], blocks[2]
		if !strings.Contains(first.Text, "Twelve households upstream") || !strings.Contains(first.TextPrinted, "house-") || first.OCRText != first.Text {
			t.Errorf("skew %v: %q, printed %q", skew, first.Text, first.TextPrinted)
		}
		if slices.Contains(first.Flags, FlagLow) || !slices.Contains(doubtful.Flags, FlagLow) || doubtful.Confidence > 0.41 ||
			!strings.Contains(doubtful.Warnings[0], `"Nobody" 0.40`) {
			t.Errorf("skew %v: %v, then %v %v %v", skew, first.Flags, doubtful.Flags, doubtful.Confidence, doubtful.Warnings)
		}
		if table.Type != model.UnitTable || table.Table.Source != "ocr" || table.Table.BBox == nil || table.Text != "Name\tMeters\tPrice\nOld mill\t12\t300\nSchool\t3\t75" {
			t.Errorf("skew %v: %q, %+v", skew, table.Text, table.Table)
		}
		for _, b := range blocks {
			e := b.Evidence[0]
			if b.OCREngine != "tesseract" || b.OCRVersion != "5.3.0" || !strings.Contains(b.Notes, "200 dpi") || e.PageNumber != 2 || *e.RotationDegrees != 90 {
				t.Errorf("skew %v: %+v", skew, b)
			}
		}
	}
}

// A page photographed from the side, where lines rise above its middle and fall
// below it, and one that is bent, have the blocks of a flat one; so has one on
// which the engine finds a line a bit smaller than the others.
func TestPagesThatAreNotFlat(t *testing.T) {
	text := "The council met on the first Monday of March and heard the report of the water"
	for name, up := range map[string]func(x, y float64) float64{ // of the page's middle, in points
		"flat":     func(x, y float64) float64 { return 0 },
		"fan":      func(x, y float64) float64 { return x * y / 5000 },
		"aslant":   func(x, y float64) float64 { return x / 60 },
		"bent":     func(x, y float64) float64 { return 12 * math.Cos(x/150) },
		"unevenly": func(x, y float64) float64 { return 0 },
	} {
		s := newSheet(0)
		for i := range 12 {
			top := 100 + 14*float64(i) + 150*float64(i/6)
			if i%6 == 0 {
				s.line(1+i/6, 1, 72, top, "In"+text[3:], 0.9)
			} else {
				s.line(1+i/6, 1+i%6, 60, top, strings.ToLower(text), 0.9)
			}
		}
		for i := range s.r.Words {
			b := &s.r.Words[i].Box
			b.Y -= up((b.X+b.W/2)*600-300, 400-b.Y*800) / 800
			if name == "unevenly" && s.r.Words[i].Line == 3 {
				b.Y, b.H = b.Y+0.078*b.H, 0.9*b.H // the same baseline
			}
		}
		if blocks := Blocks(s.r, 0); len(blocks) != 2 || strings.Count(blocks[0].Text, "council met on the first") != 6 {
			t.Errorf("%s: %d blocks", name, len(blocks))
			for _, b := range blocks {
				t.Log(b.Text)
			}
		}
	}
}

// A caption above a table is a unit, and the table's too.
func TestTableCaption(t *testing.T) {
	s := letter(0)
	s.line(9, 1, 60, 276, "Table 1: Meters of the council", 0.9)
	for _, b := range Blocks(s.r, 0) {
		if b.Table != nil && b.Table.Caption != "Table 1: Meters of the council" {
			t.Errorf("the table's caption is %q", b.Table.Caption)
		}
	}
	if n := len(Blocks(s.r, 0)); n != 4 {
		t.Errorf("%d blocks", n)
	}
}

// Each word is in the quote of one block, and lies in its box.
func TestEveryWordHasItsPlace(t *testing.T) {
	s := letter(1)
	page := Scan(s.r)
	var quoted, want []string
	for _, b := range page.Blocks {
		words := strings.Fields(b.Evidence[0].OCRTextQuote)
		quoted = append(quoted, words...)
		if b.Evidence[0].PageIndex == nil || *b.Evidence[0].PageIndex != 1 {
			t.Errorf("%+v", b.Evidence[0])
		}
	}
	for _, w := range s.r.Words {
		want = append(want, w.Text)
		inside := slices.ContainsFunc(page.Blocks, func(b block.Block) bool {
			box := b.Evidence[0].BBox
			const slack = 1e-9
			return w.Box.X >= box.X-slack && w.Box.Y >= box.Y-slack && w.Box.X+w.Box.W <= box.X+box.W+slack && w.Box.Y+w.Box.H <= box.Y+box.H+slack
		})
		if !inside {
			t.Errorf("%q lies in no block", w.Text)
		}
	}
	slices.Sort(quoted)
	slices.Sort(want)
	if !slices.Equal(quoted, want) {
		t.Errorf("quoted %q, read %q", quoted, want)
	}
	if a := page.Ledger.Characters; a.Found == 0 || a.Placed != a.Found || a.Failed != 0 {
		t.Errorf("%+v", a)
	}
	if !reflect.DeepEqual(page, Scan(s.r)) {
		t.Error("twice the same result, two pages")
	}
}

func TestEmptyPage(t *testing.T) {
	s := newSheet(0)
	s.r.Mirrored, s.r.Warnings = true, []string{"no trained data"}
	page := Scan(s.r)
	if len(page.Blocks) != 0 || !slices.Equal(page.Flags, []string{FlagMirrored}) || !slices.Equal(page.Warnings, s.r.Warnings) || page.Width != 600 {
		t.Errorf("%+v", page)
	}
}

func FuzzBlocks(f *testing.F) {
	for _, skew := range []float64{0, 5} {
		data, err := ocr.Encode(letter(skew).r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ocr.Decode(data)
		if err != nil || len(r.Words) > 500 {
			return
		}
		n := 0
		for _, b := range Blocks(r, 0) {
			n += len(strings.Split(b.Evidence[0].OCRTextQuote, " "))
		}
		if n != len(r.Words) {
			t.Errorf("%d words in blocks, %d read", n, len(r.Words))
		}
	})
}
