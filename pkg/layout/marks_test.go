package layout

import (
	"strings"
	"testing"
)

// drawnAt returns the glyphs of texts, each at a place (left, baseline), in the order of the file.
func drawnAt(texts ...struct {
	x, y float64
	text string
}) []Glyph {
	var out []Glyph
	for _, t := range texts {
		for i, r := range []rune(t.text) {
			x := t.x + 6*float64(i)
			box := Rect{Left: x, Top: t.y - 8, Right: x + 5.5, Bottom: t.y + 2}
			out = append(out, Glyph{Rune: r, Box: box, At: box, Base: t.y, Size: 10, Seq: len(out), Index: len(out), End: len(out) + 1})
		}
	}
	return out
}

type drawn = struct {
	x, y float64
	text string
}

func TestMarksThatAreDrawnLast(t *testing.T) {
	lines := Lines(Page{Width: 600, Height: 800, Glyphs: drawnAt(
		drawn{60, 100, "The_weir"}, drawn{70, 114, "–"}, drawn{85, 114, "of_oak"}, drawn{60, 128, "The_mill"}, drawn{40, 100, "•"}, drawn{40, 128, "•"})})
	var got []string
	for i := range lines {
		got = append(got, lines[i].String())
	}
	if text := strings.Join(got, " "); text != "• The_weir – of_oak • The_mill" {
		t.Error(text)
	}
}

func TestHeadingThatHangsBelowItsNumber(t *testing.T) {
	bold := func(l Line) row {
		r := newRow(l)
		r.bold, r.left, r.right = true, 40, 560
		return r
	}
	first := LineOf(drawnAt(drawn{40, 100, "1.2"}, drawn{70, 100, "The_weir"}))
	for x, want := range map[float64]bool{70: true, 55: false, 100: false} {
		a, b := bold(first), bold(LineOf(drawnAt(drawn{x, 113, "of_the_upper_mill"})))
		if got := a.hangs(&b); got != want {
			t.Errorf("begins at %v: %v", x, got)
		}
	}
}
