//go:build ocr && cgo

package reading

import (
	"image"
	"slices"
	"strings"
	"testing"

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
