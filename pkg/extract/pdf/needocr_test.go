package pdf

import (
	"fmt"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/model"
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

func TestNeedOCR(t *testing.T) {
	whole := []layout.Rect{{Right: 600, Bottom: 800}}
	strips := []layout.Rect{{Right: 600, Bottom: 400}, {Top: 400, Right: 600, Bottom: 800}}
	unclearly := func(g *layout.Glyph) { g.Unclear = true }
	tests := []struct {
		name     string
		glyphs   []layout.Glyph
		pictures []layout.Rect
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
		{"scan with a text layer", glyphsFrom(900, 'a', func(g *layout.Glyph) { g.Hidden = true }), whole, 0, false, false, 0, nil},
		{"private use", glyphsFrom(300, '\uE041', nil), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"control characters", glyphsFrom(300, '\x05', nil), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"codes of a font with its own order", glyphsFrom(300, '#', unclearly), nil, 0, true, false, 0, []OCRReason{OCRBrokenEncoding}},
		{"codes that are letters", glyphsFrom(300, 'e', unclearly), nil, 0, false, false, 0, nil},
		{"a tenth unreadable", append(glyphsFrom(270, 'a', nil), glyphsFrom(30, '\uFFFD', nil)...), nil, 0, true, true, 0, []OCRReason{OCRBrokenEncoding}},
		{"one bullet from a symbol font", append(glyphsFrom(270, 'a', nil), glyphsFrom(5, '\uF0B7', nil)...), nil, 0, false, false, 0, nil},
		{"a large picture in a text", glyphsFrom(900, 'a', nil), []layout.Rect{{Left: 50, Top: 400, Right: 550, Bottom: 700}}, 0, false, false, 1, []OCRReason{OCRPicture}},
		{"text over a picture", glyphsFrom(900, 'a', nil), []layout.Rect{{Left: 40, Top: 40, Right: 560, Bottom: 300}}, 0, false, false, 0, nil},
		{"ornaments", glyphsFrom(900, 'a', nil), []layout.Rect{{Left: 50, Top: 400, Right: 100, Bottom: 450}}, 0, false, false, 0, nil},
	}
	for _, test := range tests {
		n := NeedOCR(600, 800, test.glyphs, test.pictures, test.shapes)
		if n.Page != test.page || n.Usable != test.usable || len(n.Regions) != test.regions || !slices.Equal(n.Reasons, test.reasons) {
			t.Errorf("%s: %+v", test.name, n)
		}
		if n.Needed() != (len(test.reasons) > 0) {
			t.Errorf("%s: needed %v", test.name, n.Needed())
		}
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
		if got := covered(600, 800, test.boxes); got != test.want {
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
	raw := w.bytes()
	in := block.Input{Raw: raw, Snapshot: model.Snapshot{ContentHash: digest.Content(raw)}}
	x := New(engine)
	defer x.Release()
	need, err := x.NeedOCR(t.Context(), in, 1)
	if err != nil || !need.Page || !need.Usable || need.Signals.Glyphs != 4 || need.Signals.Covered != 1 {
		t.Errorf("%+v, %v", need, err)
	}
	page, err := x.Page(t.Context(), in, 1)
	if err != nil || !slices.Contains(page.Flags, FlagNeedsOCR) || len(page.Warnings) != 1 {
		t.Errorf("%v %v %v", page.Flags, page.Warnings, err)
	}
}
