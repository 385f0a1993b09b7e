package export

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

func results() []ocr.Result {
	second := ocr.Result{Engine: "tesseract", Version: "5", Page: 2, Width: 100, Height: 200}
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

func TestHOCR(t *testing.T) {
	out := HOCR(results(), "a <title>")
	wellFormed(t, out)
	for _, want := range []string{
		"<span class='ocrx_word' title='bbox 500 400 1000 480; x_wconf 90'>R&amp;D</span> <span class='ocrx_word' title='bbox 1500 400 2000 480; x_wconf 25'>&#34;&lt;b&gt;&#39;</span>",
		"<span class='ocr_line' title='bbox 500 400 2000 480'>",
		"<div class='ocr_carea' id='block_1_1' title='bbox 500 400 2000 880'>",
		"<div class='ocr_page' id='page_2' title='bbox 0 0 1754 3508; ppageno 1'>",
		"<title>a &lt;title&gt;</title>",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Index(out, "page_1") > strings.Index(out, "page_2") {
		t.Error("pages are not in order")
	}
}

func TestALTO(t *testing.T) {
	out := ALTO(results(), "scan & co.tif")
	n := wellFormed(t, out)
	if n["Page"] != 2 || n["TextBlock"] != 2 || n["TextLine"] != 3 || n["String"] != 4 || n["SP"] != 1 {
		t.Errorf("%v", n)
	}
	for _, want := range []string{
		`<String HPOS="500" VPOS="400" WIDTH="500" HEIGHT="80" WC="0.900" CONTENT="R&amp;D"/><SP/>`,
		`<fileName>scan &amp; co.tif</fileName>`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}
