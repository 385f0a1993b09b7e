package export

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

func results() []ocr.Result {
	second := ocr.Result{Engine: "tesseract", Version: "5.5", Page: 2, Width: 100, Height: 200}
	first := ocr.Result{
		Engine: "tesseract", Version: "5", Page: 1, Width: 5000, Height: 4000, Confidence: 0.5,
		Words: []ocr.Word{
			{Text: "R&D", Box: model.BBox{X: 0.1, Y: 0.1, W: 0.1, H: 0.02}, Confidence: 0.9, Block: 1, Paragraph: 1, Line: 1},
			{Text: `"<b>'`, Box: model.BBox{X: 0.3, Y: 0.1, W: 0.1, H: 0.02}, Confidence: 0.25, Block: 1, Paragraph: 1, Line: 1},
			{Text: "below", Box: model.BBox{X: 0.1, Y: 0.2, W: 0.1, H: 0.02}, Confidence: 0.8, Block: 1, Paragraph: 1, Line: 2},
			{Text: "apart", Box: model.BBox{X: 0.5, Y: 0.5, W: 0.1, H: 0.02}, Confidence: 0.8, Block: 2, Paragraph: 1, Line: 1},
		},
	}
	return []ocr.Result{second, first}
}

// wellFormed fails unless the document is, and returns its elements by name.
func wellFormed(t *testing.T, document string) map[string]int {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(document))
	n := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
}

var update = flag.Bool("update", false, "write the golden files again")

// golden compares a document with the file that stands for it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("written again; look at it, then run without -update")
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it, then run with -update:\n%s", name, got)
	}
}

func TestHOCR(t *testing.T) {
	out := HOCR(results(), "a <title>")
	wellFormed(t, out)
	golden(t, "pages.hocr.html", out)
}

func TestALTO(t *testing.T) {
	out := ALTO(results(), "scan & co.tif")
	n := wellFormed(t, out)
	if n["Page"] != 2 || n["TextBlock"] != 2 || n["TextLine"] != 3 || n["String"] != 4 || n["SP"] != 1 || n["Processing"] != 2 {
		t.Errorf("%v", n)
	}
	golden(t, "pages.alto.xml", out)
}

// Parts of one page are one page: two with the same id would be neither hOCR nor
// ALTO. Parts that lie in different directions have their places as the file
// shows the page.
func TestPartsOfAPage(t *testing.T) {
	word := func(text string) []ocr.Word {
		return []ocr.Word{{Text: text, Box: model.BBox{X: 0.5, Y: 0.25, W: 0.25, H: 0.125}, Confidence: 0.8, Block: 1, Paragraph: 1, Line: 1}}
	}
	upright := ocr.Result{Engine: "tesseract", Version: "5", Page: 3, Width: 4000, Height: 8000, Words: word("upright")}
	other := upright
	other.Words = word("other")
	turned := ocr.Result{Engine: "tesseract", Version: "5", Page: 3, Width: 8000, Height: 4000, Rotation: 90, Words: word("turned")}
	for _, c := range []struct {
		parts []ocr.Result
		want  []string
	}{
		{[]ocr.Result{upright, other}, []string{`WIDTH="4000" HEIGHT="8000" PC="0.800"`, `HPOS="2000" VPOS="2000" WIDTH="1000" HEIGHT="1000" WC="0.800" CONTENT="other"`}},
		{[]ocr.Result{upright, turned}, []string{`HPOS="2000" VPOS="2000" WIDTH="1000" HEIGHT="1000" WC="0.800" CONTENT="upright"`, `HPOS="1000" VPOS="2000" WIDTH="500" HEIGHT="2000" WC="0.800" CONTENT="turned"`}},
		{[]ocr.Result{turned, upright}, []string{`WIDTH="4000" HEIGHT="8000"`, `HPOS="1000" VPOS="2000" WIDTH="500" HEIGHT="2000" WC="0.800" CONTENT="turned"`}},
	} {
		out := ALTO(c.parts, "a.pdf")
		if n := wellFormed(t, out); n["Page"] != 1 || n["TextBlock"] != 2 {
			t.Errorf("%v in\n%s", n, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("no %s in\n%s", want, out)
			}
		}
		if n := wellFormed(t, HOCR(c.parts, "a")); n["div"] != 3 {
			t.Errorf("%v", n)
		}
	}
}
