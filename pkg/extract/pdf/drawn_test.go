package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/present"
	"github.com/colophon-dev/colophon/pkg/model"
)

// pictured is a page with a line of text and a picture of one pixel.
func pictured(line, pixel, placed string) []byte {
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", pixel)
	var c canvas
	c.text("R", 11, 72, 720, line)
	c.WriteString("q " + placed + " cm /Im Do Q\n")
	w.page(fmt.Sprintf("%s /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, image), c.String())
	return w.bytes()
}

// curves is a page with a line of text and a drawing without words at (x, y), the third of
// its points at (x+100, y+high).
func curves(line string, x, y, high int) []byte {
	var w writer
	var c canvas
	c.text("R", 11, 72, 720, line)
	fmt.Fprintf(&c, "1 0 0 1 %d %d cm 0 0 m 50 150 100 %d 150 0 c S 20 0 m 60 100 l S 30 0 m 80 120 l S 10 0 m 130 60 l S\n", x, y, high)
	return one(&w, c.String())
}

// The digest of a figure without text is of what is drawn: wherever it stands, in whichever
// file, and of another drawing another.
func TestDrawnDigest(t *testing.T) {
	figureOf := func(raw []byte) model.Unit {
		t.Helper()
		blocks := pageOf(t, raw, 1).Blocks
		i := slices.IndexFunc(blocks, func(b block.Block) bool { return b.Type == model.UnitFigure })
		if i < 0 {
			t.Fatalf("no figure: %q", said(blocks))
		}
		return model.Unit{Type: model.UnitFigure, Evidence: blocks[i].Evidence, FieldsRaw: model.Fields{Text: blocks[i].Text, Images: blocks[i].Images}}
	}
	weir, curve := pictured("The weir in winter.", "\x7f", "200 0 0 150 72 400"), curves("How the water rose.", 200, 500, 150)
	for name, c := range map[string]struct {
		one, other []byte
		same       bool
	}{
		"a picture in another file":        {weir, pictured("The same weir, ten years later.", "\x7f", "200 0 0 150 72 400"), true},
		"smaller, elsewhere":               {weir, pictured("The weir in winter.", "\x7f", "100 0 0 75 300 200"), true},
		"another picture at its place":     {weir, pictured("The weir in winter.", "\x80", "200 0 0 150 72 400"), false},
		"a drawing in another file":        {curve, curves("How it fell.", 200, 500, 150), true},
		"a drawing elsewhere":              {curve, curves("How the water rose.", 240, 300, 150), true},
		"another drawing at the old place": {curve, curves("How the water rose.", 200, 500, 140), false},
	} {
		one, other := figureOf(c.one), figureOf(c.other)
		if len(one.FieldsRaw.Images) != 1 || len(one.FieldsRaw.Images[0].SHA256) != 64 {
			t.Fatalf("%s: %+v", name, one.FieldsRaw)
		}
		if same := one.FieldsRaw.Images[0].SHA256 == other.FieldsRaw.Images[0].SHA256; same != c.same {
			t.Errorf("%s: the same digest: %v", name, same)
		}
		if same := present.BlockHash(&one, "sha256:aa") == present.BlockHash(&other, "sha256:bb"); same != c.same {
			t.Errorf("%s: the same block: %v", name, same)
		}
	}
}

// TestDigestsAreBounded: pictures on each other are digested up to a limit, and those behind
// it are figures all the same.
func TestDigestsAreBounded(t *testing.T) {
	const size, placed = 1 << 20, 100
	var w writer
	image := w.stream("/Type /XObject /Subtype /Image /Width 1024 /Height 1024 /ColorSpace /DeviceGray /BitsPerComponent 8", strings.Repeat("a", size))
	var c canvas
	c.text("R", 11, 72, 720, "A hundred pictures in one place.")
	for range placed {
		c.WriteString("q 200 0 0 150 72 400 cm /Im Do Q\n")
	}
	w.page(fmt.Sprintf("%s /Resources << /Font 3 0 R /XObject << /Im %d 0 R >> >>", letter, image), c.String())
	digests, figures := 0, 0
	for _, b := range pageOf(t, w.bytes(), 1).Blocks {
		if b.Type != model.UnitFigure {
			continue
		}
		if figures++; len(b.Images) > 0 && b.Images[0].SHA256 != "" {
			digests++
		}
	}
	if figures != placed || digests*placed*size > maxDigested {
		t.Errorf("%d figures, %d digests of %d pictures each", figures, digests, placed)
	}
}
