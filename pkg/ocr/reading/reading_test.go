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
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
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

func (e *engine) Script(*image.Gray, int) (ocr.Script, error) { return ocr.Script{}, nil }

func (e *engine) ReadLine(*image.Gray, int, []string) ([]ocr.Found, error) { return nil, nil }

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

// turning reads lines that run down the picture as well as others, as engines do
// that find out how lines lie.
type turning struct{ engine }

func (e *turning) Read(g *image.Gray, dpi int, languages []string) ([]ocr.Found, error) {
	words, err := e.engine.Read(g, dpi, languages)
	for i := range words {
		words[i].Confidence = e.sure
		if b := words[i].Box; g.Rect.Dx() < g.Rect.Dy() {
			words[i].Box = image.Rect(b.Min.X, b.Min.Y, b.Min.X+20, b.Min.Y+80)
		}
	}
	return words, err
}

// An engine that turns lines by itself does not make a page lie on its side.
func TestLinesThatTheEngineTurns(t *testing.T) {
	g := image.NewGray(image.Rect(0, 0, 800, 600))
	for i := range g.Pix {
		if g.Pix[i] = 255; i%g.Stride%12 == 0 {
			g.Pix[i] = 0
		}
	}
	if !prepare.Sideways(g) {
		t.Fatal("the lines do not look like text")
	}
	e := &turning{engine{present: []string{"eng", "fra"}, text: "The council heard the report", sure: 0.95}}
	r, err := Read(e, &still{g: g, dpi: 100}, ocr.Request{Page: 1, Languages: []string{"en"}})
	if err != nil || r.Rotation != 0 || r.Words[0].Box.W < r.Words[0].Box.H {
		t.Errorf("turned by %d, %+v, %v", r.Rotation, r.Words, err)
	}
}

// portrait reads what is higher than wide.
type portrait struct{ engine }

func (e *portrait) Read(g *image.Gray, dpi int, languages []string) ([]ocr.Found, error) {
	e.sure = 0.3
	if g.Rect.Dy() > g.Rect.Dx() {
		e.sure = 0.95
	}
	words, err := e.engine.Read(g, dpi, languages)
	for i := range words {
		words[i].Confidence = e.sure
	}
	return words, err
}

// A drawing of lines down the page does not make it lie on its side.
func TestLinesAreNotText(t *testing.T) {
	g := image.NewGray(image.Rect(0, 0, 600, 800))
	for i := range g.Pix {
		if g.Pix[i] = 255; i%g.Stride%12 == 0 {
			g.Pix[i] = 0
		}
	}
	if !prepare.Sideways(g) {
		t.Fatal("the lines do not look like text")
	}
	r, err := Read(&portrait{engine{present: []string{"eng"}, text: "The council met"}}, &still{g: g, dpi: 100}, ocr.Request{Page: 1, Languages: []string{"en"}})
	if err != nil || r.Rotation != 0 || r.Confidence < 0.9 {
		t.Errorf("turned by %d, confidence %v, %v", r.Rotation, r.Confidence, err)
	}
}

// numbers reads a line that has ink as a page number.
type numbers struct {
	engine
	sure  float64
	asked int
}

func (e *numbers) ReadLine(g *image.Gray, _ int, _ []string) ([]ocr.Found, error) {
	e.asked++
	return []ocr.Found{{Text: "7", Box: image.Rect(g.Rect.Dx()/3, g.Rect.Dy()/3, g.Rect.Dx()*2/3, g.Rect.Dy()*2/3), Confidence: e.sure, Block: 1, Paragraph: 1, Line: 1}}, nil
}

// What stands alone and is as high as the words is read by itself: no dirt, no
// picture, nothing beside a word, and nothing that the engine is not sure of.
func TestWhatStandsAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		mark  image.Rectangle // of ink, in pixels
		sure  float64
		asked int
		found bool
	}{
		{"a page number", image.Rect(390, 560, 396, 573), 0.95, 1, true},
		{"one that is not sure", image.Rect(390, 560, 396, 573), 0.5, 1, false},
		{"dirt", image.Rect(390, 560, 393, 563), 0.95, 0, false},
		{"a picture", image.Rect(280, 460, 480, 573), 0.95, 0, false},
		{"beside a word", image.Rect(12, 95, 18, 108), 0.95, 0, false},
		{"a shadow at the edge", image.Rect(0, 560, 6, 573), 0.95, 0, false},
	} {
		g := image.NewGray(image.Rect(0, 0, 800, 600))
		for i := range g.Pix {
			g.Pix[i] = 255
		}
		for y := c.mark.Min.Y; y < c.mark.Max.Y; y++ {
			for x := c.mark.Min.X; x < c.mark.Max.X; x += 2 { // strokes
				g.Pix[y*g.Stride+x] = 0
			}
		}
		e := &numbers{engine: engine{present: []string{"eng"}, text: "The council met", sure: 0.95}, sure: c.sure}
		r, err := Read(e, &still{g: g, dpi: 200}, ocr.Request{Page: 1, Languages: []string{"en"}})
		if err != nil {
			t.Fatal(err)
		}
		last := r.Words[len(r.Words)-1]
		if e.asked != c.asked || (last.Text == "7") != c.found {
			t.Errorf("%s: asked for %d times, the last word is %q", c.name, e.asked, last.Text)
		}
		if c.found && (math.Abs(last.Box.X*800-390) > 12 || math.Abs(last.Box.Y*600-560) > 12 || last.Block != 2) {
			t.Errorf("%s: %+v", c.name, last)
		}
		if _, err := ocr.Encode(r); err != nil {
			t.Error(err)
		}
	}
}

// Words that are much larger than print are read again smaller.
func TestSecondReading(t *testing.T) {
	for height, want := range map[int]int{30: ocr.HighDPI, 250: 32} {
		a := attempt{sheet: prepare.Sheet{DPI: 200}, words: []ocr.Found{{Text: "Page", Box: image.Rect(0, 0, 300, height)}}}
		if got := second(a); got != want {
			t.Errorf("words %d pixels high: again at %d dpi, want %d", height, got, want)
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
		{[]string{"nb", "zh"}, []string{"chi_sim", "eng", "nor"}, []string{"nor", "chi_sim"}, "a 1 b", false},
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

// A letter that is as thin as a line and stands at one is a rest of it; one that
// stands apart is a word.
func TestRestsOfLines(t *testing.T) {
	ink := prepare.Mask{Width: 200, Height: 100, Dark: make([]bool, 200*100)}
	for _, x := range []int{52, 120} {
		for y := 40; y < 52; y++ {
			ink.Dark[y*ink.Width+x] = true
		}
	}
	words := []ocr.Found{
		{Text: "i", Box: image.Rect(50, 38, 56, 54), Block: 1, Paragraph: 1, Line: 1},
		{Text: "I", Box: image.Rect(118, 38, 124, 54), Block: 1, Paragraph: 1, Line: 1},
	}
	got := snap(words, ink, []image.Rectangle{image.Rect(49, 0, 51, 100)}, 100)
	if len(got) != 1 || got[0].Text != "I" {
		t.Errorf("%+v", got)
	}
	for x := 140; x < 162; x++ { // a corner
		ink.Dark[40*ink.Width+x], ink.Dark[41*ink.Width+x] = true, true
	}
	for _, c := range []struct {
		text string
		sure float64
		kept bool
	}{{"ri", 0.3, false}, {"ri", 0.9, true}, {"—", 0.3, true}} {
		line := []ocr.Found{words[1], {Text: c.text, Box: image.Rect(140, 38, 162, 44), Confidence: c.sure, Block: 1, Paragraph: 1, Line: 1}}
		if got := snap(line, ink, nil, 100); len(got) == 2 != c.kept {
			t.Errorf("%q at %.1f: %+v", c.text, c.sure, got)
		}
	}
}

// FuzzSnap: whatever boxes an engine gives, what comes out is on the page.
func FuzzSnap(f *testing.F) {
	f.Add([]byte{10, 10, 30, 20, 200, 5, 40, 30, 0, 0, 90, 90})
	f.Add([]byte("1000y0a01000")) // neighbours that lie beyond each other
	f.Fuzz(func(t *testing.T, data []byte) {
		ink := prepare.Mask{Width: 120, Height: 90, Dark: make([]bool, 120*90)}
		page := image.Rect(0, 0, ink.Width, ink.Height)
		var words []ocr.Found
		for i := 0; i+4 <= len(data); i += 4 {
			x, y := int(data[i])%ink.Width, int(data[i+1])%ink.Height
			box := image.Rect(x, y, x+1+int(data[i+2]), y+1+int(data[i+3])).Intersect(page)
			words = append(words, ocr.Found{Text: "word", Box: box, Block: 1, Paragraph: 1, Line: 1 + int(data[i])%2})
			for v := y; v < min(y+5, ink.Height); v++ {
				ink.Dark[v*ink.Width+x] = true
			}
		}
		for _, w := range snap(words, ink, nil, 100) {
			if w.Box.Empty() || !w.Box.In(page) {
				t.Errorf("%v", w.Box)
			}
		}
	})
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
func (broken) Close() error                                { return nil }
func (broken) Script(*image.Gray, int) (ocr.Script, error) { return ocr.Script{}, nil }

func (broken) ReadLine(*image.Gray, int, []string) ([]ocr.Found, error) {
	return nil, fmt.Errorf("out of order")
}
func (broken) Read(*image.Gray, int, []string) ([]ocr.Found, error) {
	return nil, fmt.Errorf("out of order")
}
