//go:build ocr && cgo

package reading

import (
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
	"github.com/colophon-dev/colophon/pkg/ocr/tesseract"
)

// The engine itself reads a page that is turned, skew and small, every word of
// it, twice alike.
func TestTesseract(t *testing.T) {
	e, err := tesseract.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	want := strings.Fields(strings.Join(drawn.Text(), " "))
	for _, c := range []struct {
		dpi, turn int
		skew      float64
	}{{200, 0, 0}, {200, 180, -2}, {150, 90, 3}, {300, 270, 0}, {200, 0, 15}, {200, 0, -15}, {200, 90, -8}, {200, 180, 11}, {200, 270, 6}} {
		g, err := drawn.Page(drawn.Text(), c.dpi, 7, 4)
		if err != nil {
			t.Fatal(err)
		}
		source := &still{g: picture.Turn(drawn.Skewed(g, c.skew), (360-c.turn)%360), dpi: c.dpi}
		var stored []byte
		for range 1 + c.turn/180 { // of each turn by 180 and more, twice
			r, err := Read(e, source, ocr.Request{Page: 1, Languages: []string{"en"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := textOf(r); r.Rotation != c.turn || !slices.Equal(got, want) {
				t.Errorf("%+v: turned by %d, read %q", c, r.Rotation, got)
			}
			data, err := ocr.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			if stored != nil && string(stored) != string(data) {
				t.Errorf("%+v: two readings differ", c)
			}
			stored = data
		}
	}
}

func textOf(r ocr.Result) []string {
	var out []string
	for _, w := range r.Words {
		out = append(out, w.Text)
	}
	return out
}

func TestNothingToRead(t *testing.T) {
	e, err := tesseract.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for _, g := range []*image.Gray{image.NewGray(image.Rect(0, 0, 1, 1)), image.NewGray(image.Rect(0, 0, 900, 2))} {
		r, err := Read(e, &still{g: g}, ocr.Request{Page: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ocr.Encode(r); err != nil || len(r.Words) > 0 {
			t.Errorf("%v: %v, %v", g.Rect, r.Words, err)
		}
	}
}

// A page in a script for which nothing is installed fails and says what to install; a part of
// a page in one has no words, and a warning.
func TestScriptsWithoutTrainedData(t *testing.T) {
	e, err := tesseract.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, c := range map[string]struct{ lines, models []string }{
		"Greek": {[]string{
			"Το δημοτικό συμβούλιο συνεδρίασε την πρώτη Δευτέρα του", "Μαρτίου και άκουσε την έκθεση της υπηρεσίας υδάτων για",
			"τα δύο φράγματα του ποταμού και τα νερά της κοιλάδας.", "Δώδεκα σπίτια πάνω από το φράγμα έμειναν χωρίς νερό.",
		}, []string{"ell", "grc", "script/Greek"}},
		"Cyrillic": {[]string{
			"Городской совет собрался в первый понедельник марта и", "заслушал доклад водной службы о двух плотинах реки и о",
			"воде долины. Двенадцать домов выше плотины остались без", "воды до начала осени, как говорится в этом докладе.",
		}, []string{"rus", "ukr", "bul", "bel", "srp", "mkd", "script/Cyrillic"}},
	} {
		if slices.ContainsFunc(c.models, func(m string) bool { return slices.Contains(e.Engine().Languages, m) }) {
			continue // this machine reads it
		}
		g, err := drawn.Page(c.lines, 200, 7, 4)
		if err != nil {
			t.Fatal(err)
		}
		source := &still{g: g, dpi: 200}
		_, err = Read(e, source, ocr.Request{Page: 1})
		var bad *picture.Error
		if !errors.As(err, &bad) || bad.Reason != fault.OCRFailed || !strings.Contains(bad.Message, name+" script") || !strings.Contains(bad.Message, "tesseract-ocr-"+c.models[0]) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := Read(e, source, ocr.Request{Page: 1, Region: model.BBox{X: 0.1, Y: 0.1, W: 0.5, H: 0.5}})
		if err != nil || len(r.Words) != 0 || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, name+" script") }) {
			t.Errorf("a part in %s: %d words, warnings %q, %v", name, len(r.Words), r.Warnings, err)
		}
	}
}
