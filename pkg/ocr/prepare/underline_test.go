package prepare

import (
	"image"
	"testing"

	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
)

// A line close below words is taken away, with the letters that go through it left whole; the
// rule of a table, which is further away or has cells far apart above it, stays.
func TestUnderlines(t *testing.T) {
	const dpi = 200
	text := []string{"Twelve households upstream of the mill agree"}
	plain, err := drawn.Page(text, dpi, 8.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	words := maskOf(plain)
	left, right := words.Width, 0
	for k, is := range words.Dark {
		if is {
			left, right = min(left, k%words.Width), max(right, k%words.Width)
		}
	}
	baseline := dpi
	line := image.Rect(left, baseline+2, right+1, baseline+5)
	under := copyOf(plain)
	fill(under, line, 0)
	got := maskOf(ununderline(under, dpi))
	if before, now, want := countDark(maskOf(under)), countDark(got), countDark(words); now > want*21/20 || now < want*19/20 || before < want*5/4 {
		t.Errorf("%d dark pixels of text, %d with the line, %d after it was taken away", want, before, now)
	}
	for name, change := range map[string]func(g *image.Gray){
		"a rule far below": func(g *image.Gray) { fill(g, line.Add(image.Pt(0, 20)), 0) },
		"a rule that goes on where no words are": func(g *image.Gray) {
			fill(g, image.Rect(left, line.Min.Y, right+dpi, line.Max.Y), 0)
		},
		"a dark box": func(g *image.Gray) { fill(g, image.Rect(left, line.Min.Y, right, line.Max.Y+40), 0) },
	} {
		g := copyOf(plain)
		change(g)
		if ununderline(g, dpi) != g {
			t.Errorf("%s was taken for an underline", name)
		}
	}
}
