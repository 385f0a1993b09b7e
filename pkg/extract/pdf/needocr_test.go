package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
)

// glyphsFrom sets runes beside each other, 60 in a line.
func glyphsFrom(n int, r rune, mark func(*layout.Glyph)) []layout.Glyph {
	out := make([]layout.Glyph, n)
	for i := range out {
		x, y := 50+8*float64(i%60), 50+12*float64(i/60)
		out[i] = layout.Glyph{Seq: i, Rune: r, Box: layout.Rect{Left: x, Right: x + 6, Top: y, Bottom: y + 10}}
		if mark != nil {
			mark(&out[i])
		}
	}
	return out
}

// wordsFrom sets a text, 60 characters in a line.
func wordsFrom(text string, mark func(*layout.Glyph)) []layout.Glyph {
	var out []layout.Glyph
	space := rune(0)
	for i, c := range text {
		if c == ' ' {
			space = c
			continue
		}
		g := glyphsFrom(1, c, mark)[0]
		x, y := 60+8*float64(i%60), 80+12*float64(i/60)
		g.Box = layout.Rect{Left: x, Right: x + 6, Top: y, Bottom: y + 10}
		g.Space, space = space, 0
		out = append(out, g)
	}
	return out
}

func pictures(boxes ...layout.Rect) []placedPicture {
	out := make([]placedPicture, len(boxes))
	for i, b := range boxes {
		out[i].Box = b
	}
	return out
}

// cut divides a picture into tiles, those of the last row first.
func cut(r layout.Rect, cols, rows int) []placedPicture {
	var out []placedPicture
	for y := rows - 1; y >= 0; y-- {
		for x := range cols {
			w, h := r.Width()/float64(cols), r.Height()/float64(rows)
			out = append(out, placedPicture{Box: layout.Rect{
				Left: r.Left + float64(x)*w, Right: r.Left + float64(x+1)*w, Top: r.Top + float64(y)*h, Bottom: r.Top + float64(y+1)*h,
			}})
		}
	}
	return out
}

func TestNeedOCR(t *testing.T) {
	whole := pictures(layout.Rect{Right: 600, Bottom: 800})
	strips := pictures(layout.Rect{Right: 600, Bottom: 400}, layout.Rect{Top: 400, Right: 600, Bottom: 800})
	small := layout.Rect{Left: 50, Top: 400, Right: 250, Bottom: 550}
	hidden := func(g *layout.Glyph) { g.Hidden = true }
	prose := strings.Repeat("The council met on the first Monday of March and heard the report of the water board. ", 5)
	babble := strings.Repeat("Tlne caxncil rnet oxn tlnc fxrst Mcxndny qf Mxrclr axrd hcxrrd tlxe rcprt xf tlnc wxtcr brd. ", 5)
	unclearly := func(g *layout.Glyph) { g.Unclear = true }
	tests := []struct {
		name     string
		glyphs   []layout.Glyph
		pictures []placedPicture
		shapes   int
		page     bool
		usable   bool
		regions  int
		reasons  []OCRReason
	}{
		{"text", glyphsFrom(900, 'a', nil), nil, 0, false, false, 0, nil},
		{"nothing", nil, nil, 0, false, false, 0, nil},
		{"scan", nil, whole, 0, true, false, 0, []OCRReason{OCRNoText}},
		{"letters drawn as shapes", nil, nil, 400, true, false, 0, []OCRReason{OCRNoText}},
		{"scan in strips with a stamp", glyphsFrom(12, '7', nil), strips, 0, true, true, 0, []OCRReason{OCRPicturePage}},
		{"scan with a text layer", wordsFrom(prose, hidden), whole, 0, false, false, 0, nil},
		{"scan with a bad text layer", wordsFrom(babble, hidden), whole, 0, true, true, 0, []OCRReason{OCRBadLayer}},
		{"bad text that is shown", wordsFrom(babble, nil), whole, 0, false, false, 0, nil},
		{"scan with a long stamp at its head", glyphsFrom(90, '7', func(g *layout.Glyph) { g.Box.Top, g.Box.Bottom = 20, 30 }), whole, 0, true, true, 0, []OCRReason{OCRPicturePage}},
		{"guesses that are words", wordsFrom(prose, unclearly), nil, 0, false, false, 0, nil},
		{"guesses that are none", wordsFrom(babble, unclearly), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"letters drawn as shapes, a page number", glyphsFrom(3, '7', nil), nil, 400, true, true, 0, []OCRReason{OCRNoText}},
		{"private use", glyphsFrom(300, '\uE041', nil), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"control characters", glyphsFrom(300, '\x05', nil), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"codes of a font with its own order", glyphsFrom(300, '#', unclearly), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"codes that are letters", glyphsFrom(300, 'e', unclearly), nil, 0, false, false, 0, nil},
		{"a tenth unreadable", append(glyphsFrom(270, 'a', nil), glyphsFrom(30, '\uFFFD', nil)...), nil, 0, true, true, 0, []OCRReason{OCRBrokenEncoding}},
		{"one bullet from a symbol font", append(glyphsFrom(270, 'a', nil), glyphsFrom(5, '\uF0B7', nil)...), nil, 0, false, false, 0, nil},
		{"a large picture in a text", glyphsFrom(900, 'a', nil), pictures(layout.Rect{Left: 50, Top: 400, Right: 550, Bottom: 700}), 0, false, false, 1, []OCRReason{OCRPicture}},
		{"a large picture in strips", glyphsFrom(900, 'a', nil), cut(layout.Rect{Left: 50, Top: 400, Right: 550, Bottom: 700}, 1, 10), 0, false, false, 1, []OCRReason{OCRPicture}},
		{"a large picture in tiles", glyphsFrom(900, 'a', nil), cut(layout.Rect{Left: 50, Top: 400, Right: 550, Bottom: 700}, 5, 4), 0, false, false, 1, []OCRReason{OCRPicture}},
		{"text over one of the tiles of a picture", glyphsFrom(900, 'a', nil), cut(layout.Rect{Left: 40, Top: 40, Right: 560, Bottom: 300}, 2, 20), 0, false, false, 0, nil},
		{"small pictures in a row", glyphsFrom(900, 'a', nil), pictures(layout.Rect{Left: 50, Top: 400, Right: 250, Bottom: 550}, layout.Rect{Left: 260, Top: 400, Right: 460, Bottom: 550}), 0, false, false, 0, nil},
		{"text over a picture", glyphsFrom(900, 'a', nil), pictures(layout.Rect{Left: 40, Top: 40, Right: 560, Bottom: 300}), 0, false, false, 0, nil},
		{"a small picture in black and white", glyphsFrom(900, 'a', nil), []placedPicture{{Box: small, Bilevel: true}}, 0, false, false, 1, []OCRReason{OCRPicture}},
		{"a small picture", glyphsFrom(900, 'a', nil), pictures(small), 0, false, false, 0, nil},
		{"ornaments", glyphsFrom(900, 'a', nil), pictures(layout.Rect{Left: 50, Top: 400, Right: 100, Bottom: 450}), 0, false, false, 0, nil},
	}
	for _, test := range tests {
		n := needOCR(600, 800, test.glyphs, test.pictures, test.shapes)
		if n.Page != test.page || n.Usable != test.usable || len(n.Regions) != test.regions || !slices.Equal(n.Reasons, test.reasons) {
			t.Errorf("%s: %+v", test.name, n)
		}
		if n.Needed() != (len(test.reasons) > 0) {
			t.Errorf("%s: needed %v", test.name, n.Needed())
		}
	}
}

// A decision takes less than a millisecond: a page of text, and
// one whose text layer is judged.
func BenchmarkNeedOCR(b *testing.B) {
	prose := strings.Repeat("The council met on the first Monday of March and heard the report of the water board. ", 40)
	whole := pictures(layout.Rect{Right: 600, Bottom: 800})
	for name, glyphs := range map[string][]layout.Glyph{
		"text": wordsFrom(prose, nil), "layer": wordsFrom(prose, func(g *layout.Glyph) { g.Hidden = true }),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				needOCR(600, 800, glyphs, whole, 0)
			}
		})
	}
}

func TestCovered(t *testing.T) {
	for _, test := range []struct {
		boxes []layout.Rect
		want  float64
	}{
		{nil, 0},
		{[]layout.Rect{{Right: 600, Bottom: 800}}, 1},
		{[]layout.Rect{{Right: 300, Bottom: 800}, {Right: 300, Bottom: 400}}, 0.5},
		{[]layout.Rect{{Left: -50, Top: -50, Right: 300, Bottom: 400}, {Left: 300, Top: 400, Right: 900, Bottom: 900}}, 0.5},
	} {
		if got := covered(600, 800, pictures(test.boxes...)); got != test.want {
			t.Errorf("%v: %v, want %v", test.boxes, got, test.want)
		}
	}
}

// TestNeedOCROfPages asks for pages of files, and sees what the page says then.
func TestNeedOCROfPages(t *testing.T) {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x7f")
	var c canvas
	c.WriteString("q 612 0 0 792 0 0 cm /Im Do Q\n")
	c.text("R", 9, 300, 30, "- 12 -")
	w.page(fmt.Sprintf("%s /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, image), c.String())
	fax := w.stream("/Type /XObject /Subtype /Image /Width 8 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 /Rows 1 >>", "\x00\x10\x01\x00\x10\x01")
	var notice canvas
	notice.WriteString("q 300 0 0 60 72 300 cm /Im Do Q\n")
	for y := 700; y > 400; y -= 14 {
		notice.text("R", 10, 72, float64(y), "The council met on the first Monday of March and heard the report.")
	}
	w.page(fmt.Sprintf("%s /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, fax), notice.String())
	raw := w.bytes()
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{ContentHash: digest.Content(raw)}}
	x := New(engine)
	defer x.Release()
	need, err := x.NeedOCR(t.Context(), in, 1)
	if err != nil || !need.Page || !need.Usable || need.Signals.Glyphs != 4 || need.Signals.Covered != 1 {
		t.Errorf("%+v, %v", need, err)
	}
	need, err = x.NeedOCR(t.Context(), in, 2)
	if err != nil || need.Page || len(need.Regions) != 1 || need.Regions[0].Reason != OCRPicture {
		t.Errorf("a notice packed as black and white: %+v, %v", need, err)
	}
	page, err := x.Page(t.Context(), in, 1)
	if err != nil || !slices.Contains(page.Flags, FlagNeedsOCR) || len(page.Warnings) != 1 {
		t.Errorf("%v %v %v", page.Flags, page.Warnings, err)
	}
}

// A scan that lies on its side has its places on the upright page, which its
// record says how to make.
func TestAScanOnItsSide(t *testing.T) {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x7f")
	w.page(fmt.Sprintf("%s /Resources << /XObject << /Im %d 0 R >> >>", letter, image), "q 612 0 0 792 0 0 cm /Im Do Q\n")
	raw := w.bytes()
	read := ocr.Result{
		Engine: "e", Version: "1", Languages: []string{"eng"}, DPI: 200, Preprocessing: "1", Page: 1, Width: 792, Height: 612, Rotation: 90, Confidence: 0.9,
		Words: []ocr.Word{{Text: "Minutes", Box: model.BBox{X: 0.1, Y: 0.1, W: 0.2, H: 0.02}, Confidence: 0.9, Block: 1, Paragraph: 1, Line: 1}},
	}
	in := block.Input{
		Raw: raw, Snapshot: model.Snapshot{ContentHash: digest.Content(raw)},
		OCR: []block.OCR{{PageNo: 1, Use: model.PageOCR{Engine: "e", Version: "1", Key: "k", Digest: "d"}, Result: &read}},
	}
	x := New(engine)
	defer x.Release()
	page, err := x.Page(t.Context(), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	if page.Rotation != 90 || page.Width != 792 || page.Height != 612 || len(page.Blocks) != 1 || page.Blocks[0].Text != "Minutes" ||
		*page.Blocks[0].Evidence[0].RotationDegrees != 90 || !slices.Contains(page.Flags, FlagOCR) {
		t.Errorf("%+v", page)
	}
}
