package reading

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
)

// lineReader reads a line's picture as a word, and remembers how wide it was.
type lineReader struct {
	engine
	text string
	wide []int
}

func (e *lineReader) Script(*image.Gray, int) (ocr.Script, error) { return ocr.Script{}, nil }

func (e *lineReader) ReadLine(g *image.Gray, _ int, _ []string) ([]ocr.Found, error) {
	e.wide = append(e.wide, g.Rect.Dx())
	return []ocr.Found{{Text: e.text, Box: image.Rect(5, 5, 25, 25), Confidence: 0.9, Block: 1, Paragraph: 1, Line: 1}}, nil
}

// What was read in a leader is dots; what stands beside it is read again only
// where it was read badly, with the dots, or not at all.
func TestLeaders(t *testing.T) {
	sheet := prepare.Sheet{Gray: image.NewGray(image.Rect(0, 0, 1000, 200)), DPI: 200}
	leader := prepare.Leader{Box: image.Rect(300, 117, 800, 120), Dots: 9}
	word := func(text string, from, to int, sure float64) ocr.Found {
		return ocr.Found{Text: text, Box: image.Rect(from, 100, to, 120), Confidence: sure, Block: 2, Paragraph: 1, Line: 3}
	}
	below := ocr.Found{Text: "Below", Box: image.Rect(100, 140, 300, 160), Confidence: 0.9, Block: 2, Paragraph: 1, Line: 4}
	const dots = "........."
	for _, c := range []struct {
		name, want string
		words      []ocr.Found
		asked      int
	}{
		{"babble", "The mill " + dots + " 12", []ocr.Found{word("The", 100, 160, 0.9), word("mill", 170, 290, 0.9), word("eeesss", 305, 790, 0.1), word("12", 810, 840, 0.9)}, 0},
		{"a name read badly", "again " + dots + " 12", []ocr.Found{word("MlLl", 170, 290, 0.2), word("eeesss", 305, 790, 0.1), word("12", 810, 840, 0.9)}, 1},
		{"together with the dots", "again " + dots + " again", []ocr.Found{word("milleeess12", 170, 840, 0.3)}, 2},
		{"not read at all", "mill " + dots + " again", []ocr.Found{word("mill", 170, 290, 0.9)}, 1},
		{"no words beside it", "Top", []ocr.Found{word("Top", 10, 40, 0.9)}, 0},
	} {
		e := &lineReader{text: "again"}
		r := reader{engine: e}
		got, err := r.led(append(slices.Clone(c.words), below), &sheet, leader)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, w := range got {
			texts = append(texts, w.Text)
			if !w.Box.In(sheet.Gray.Rect) || w.Text != "Below" && (w.Block != 2 || w.Line != 3) {
				t.Errorf("%s: %+v", c.name, w)
			}
		}
		if text := strings.Join(texts, " "); text != c.want+" Below" || len(e.wide) != c.asked {
			t.Errorf("%s: %q, lines of %v pixels were read", c.name, text, e.wide)
		}
	}
}
