package reading

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
)

// still is a source that has one picture.
type still struct {
	g     *image.Gray
	dpi   int
	asked []int
}

func (s *still) Draw(dpi int) (*image.Gray, int, error) {
	s.asked = append(s.asked, dpi)
	return s.g, s.dpi, nil
}

func (s *still) Size() (float64, float64) { return float64(s.g.Rect.Dx()), float64(s.g.Rect.Dy()) }

// engine reads a page that has a block of ink in its upper left quarter when it
// is upright, and is sure of what it read only then.
type engine struct {
	present []string
	text    string
	sure    float64
	read    [][]string // languages of each reading
}

func (e *engine) Engine() ocr.Engine {
	return ocr.Engine{Name: "script", Version: "1", Languages: e.present}
}

func (e *engine) Close() error { return nil }

func (e *engine) Read(g *image.Gray, _ int, languages []string) ([]ocr.Found, error) {
	e.read = append(e.read, languages)
	ink := func(r image.Rectangle) int {
		n := 0
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for _, v := range g.Pix[y*g.Stride+r.Min.X : y*g.Stride+r.Max.X] {
				if v < 128 {
					n++
				}
			}
		}
		return n
	}
	w, h := g.Rect.Dx(), g.Rect.Dy()
	left, right := ink(image.Rect(0, 0, w/2, h)), ink(image.Rect(w/2, 0, w, h))
	sure := e.sure
	if right > left {
		sure = 0.3
	}
	var out []ocr.Found
	for i, text := range strings.Fields(e.text) {
		x, y := 10+i%5*w/8, h/8+i/5*h/16
		out = append(out, ocr.Found{Text: text, Box: image.Rect(x, y, x+w/10, y+h/40), Confidence: sure, Block: 1, Paragraph: 1, Line: 1 + i/5})
	}
	return out, nil
}

// page is text of which the left half is longer than the right.
func page(t *testing.T) *image.Gray {
	t.Helper()
	lines := drawn.Text()
	for i := range lines {
		lines[i] = lines[i][:40]
	}
	g, err := drawn.Page(append(lines, lines...), 100, 8, 6)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestDirections(t *testing.T) {
	upright := page(t)
	for _, turn := range []int{0, 90, 180, 270} {
		source := &still{g: picture.Turn(upright, (360-turn)%360), dpi: 200}
		e := &engine{present: []string{"eng"}, text: "The council met on Monday and heard", sure: 0.95}
		r, err := Read(e, source, ocr.Request{Page: 1, Languages: []string{"en"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Rotation != turn || r.Confidence < 0.9 || r.Width != 800 || r.Height != 600 {
			t.Errorf("turned by %d: %d, confidence %v, %v x %v", turn, r.Rotation, r.Confidence, r.Width, r.Height)
		}
		if _, err := ocr.Encode(r); err != nil {
			t.Error(err)
		}
	}
}

func TestPoorPagesAreReadAgain(t *testing.T) {
	source := &still{g: page(t), dpi: 200}
	e := &engine{present: []string{"eng"}, text: "smudge", sure: 0.65}
	if _, err := Read(e, source, ocr.Request{Page: 1, Languages: []string{"en"}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(source.asked, []int{ocr.DefaultDPI, ocr.HighDPI}) {
		t.Errorf("drawn at %v dpi", source.asked)
	}
	source.asked = nil
	if _, err := Read(e, source, ocr.Request{Page: 1, Languages: []string{"en"}, DPI: 150}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(source.asked, []int{150}) {
		t.Errorf("drawn at %v dpi, 150 was asked for", source.asked)
	}
}

func TestLanguages(t *testing.T) {
	french := "Le conseil municipal de la commune a été convoqué par le maire pour délibérer sur les travaux de la route et de l'école"
	for _, c := range []struct {
		wanted, present, use []string
		text                 string
		warned               bool
	}{
		{[]string{"pt"}, []string{"eng", "por"}, []string{"por"}, french, false},
		{[]string{"br"}, []string{"eng", "fra"}, []string{"eng"}, "x", true},
		{nil, []string{"eng", "fra"}, []string{"fra"}, french, false},
		{nil, []string{"eng"}, []string{"eng"}, french, true},
		{[]string{"it", "fr"}, []string{"eng", "fra", "ita"}, []string{"fra"}, french, false},
		{[]string{"it", "fr"}, []string{"eng", "fra", "ita"}, []string{"ita", "fra"}, "a 1 b", false},
	} {
		e := &engine{present: c.present, text: c.text, sure: 0.95}
		r, err := Read(e, &still{g: page(t), dpi: 200}, ocr.Request{Page: 1, Languages: c.wanted})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Languages, c.use) || (len(r.Warnings) > 0) != c.warned {
			t.Errorf("%v of %v: read as %v, warnings %v", c.wanted, c.present, r.Languages, r.Warnings)
		}
		if last := e.read[len(e.read)-1]; !slices.Equal(last, c.use) {
			t.Errorf("%v of %v: the engine read %v", c.wanted, c.present, last)
		}
	}
}

func TestRegions(t *testing.T) {
	region := model.BBox{X: 0.5, Y: 0.25, W: 0.25, H: 0.5}
	r, err := Read(&engine{present: []string{"eng"}, text: "word", sure: 0.95}, &still{g: page(t), dpi: 200},
		ocr.Request{Page: 1, Languages: []string{"en"}, Region: region})
	if err != nil || len(r.Words) != 1 {
		t.Fatal(r.Words, err)
	}
	if b := r.Words[0].Box; b.X < region.X || b.Y < region.Y || b.X+b.W > region.X+region.W || b.Y+b.H > region.Y+region.H || b.W > 0.1*region.W+0.01 {
		t.Errorf("a word of the region at %v", b)
	}
}

// Words of a line have boxes as high as its font, whatever letters they have.
func TestFontBoxes(t *testing.T) {
	words := []ocr.Found{
		{Text: "aces", Box: image.Rect(0, 20, 40, 30)}, {Text: "Bald", Box: image.Rect(50, 16, 90, 30)},
		{Text: "grape", Box: image.Rect(100, 20, 140, 34)}, {Text: "—", Box: image.Rect(150, 24, 160, 25)},
	}
	for i, b := range fontBoxes(words) {
		if math.Abs(float64(b.Min.Y-14)) > 1 || math.Abs(float64(b.Max.Y-34)) > 1 {
			t.Errorf("%s: %v", words[i].Text, b)
		}
	}
}

func TestEngineErrorsAreNamed(t *testing.T) {
	_, err := Read(broken{}, &still{g: page(t)}, ocr.Request{Page: 7, Languages: []string{"en"}})
	if err == nil || !strings.Contains(err.Error(), "page 7") {
		t.Errorf("%v", err)
	}
}

type broken struct{}

func (broken) Engine() ocr.Engine {
	return ocr.Engine{Name: "broken", Version: "0", Languages: []string{"eng"}}
}
func (broken) Close() error { return nil }
func (broken) Read(*image.Gray, int, []string) ([]ocr.Found, error) {
	return nil, fmt.Errorf("out of order")
}
