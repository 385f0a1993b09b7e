package prepare

import (
	"image"
	"testing"

	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
)

// creased lays the soft shadow of a fold over a page, from edge to edge.
func creased(g *image.Gray, at, lean float64, down bool) *image.Gray {
	g = copyOf(g)
	v := viewOf(g, down, 0)
	for y := range v.high {
		for d := -8; d <= 8; d++ {
			x := int(at*float64(v.wide)+lean*float64(y)) + d
			k := x*v.across + y*v.downward
			g.Pix[k] = byte(int(g.Pix[k]) * (100 + 19*max(d, -d)) / 255)
		}
	}
	return g
}

// darkest is the brightness of the darkest paper in a band that has no text.
func darkest(g *image.Gray, r image.Rectangle) uint8 {
	low := uint8(255)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range g.Pix[y*g.Stride+r.Min.X : y*g.Stride+r.Max.X] {
			low = min(low, v)
		}
	}
	return low
}

// The shadow of a fold, down the page or across it, upright or leaning, is as bright as the
// paper beside it afterwards, and letters in it are dark still.
func TestCreases(t *testing.T) {
	for _, down := range []bool{true, false} {
		for _, lean := range []float64{0, 0.01, -0.015} {
			plain := page(t)
			folded := creased(plain, 0.45, lean, down)
			margin := image.Rect(0, 4, plain.Rect.Dx(), 120) // no text above
			if !down {
				margin = image.Rect(4, 0, 120, plain.Rect.Dy())
			}
			if before := darkest(folded, margin); before > 110 {
				t.Fatalf("the test's own fold is as bright as %d", before)
			}
			got := New(folded, Options{DPI: 150, Target: 150}).Gray
			if now := darkest(got, margin); now < 180 {
				t.Errorf("down %v, leaning %v: paper of %d is left", down, lean, now)
			}
			want, have := maskOf(plain), maskOf(got)
			lost := 0
			for k, is := range want.Dark {
				if is && !have.Dark[k] {
					lost++
				}
			}
			if ink := countDark(want); lost*50 > ink {
				t.Errorf("down %v, leaning %v: %d of %d dark pixels are lost", down, lean, lost, ink)
			}
		}
	}
}

func countDark(m Mask) (n int) {
	for _, is := range m.Dark {
		if is {
			n++
		}
	}
	return n
}

// What is drawn stays: a rule between columns, which ends with them, the frame of a page, and
// a bar that is dark from edge to edge but has paper on one side alone.
func TestDrawnLinesAreNoCreases(t *testing.T) {
	g, err := drawn.Page(append(drawn.Text(), drawn.Text()...), 150, 8.5, 6)
	if err != nil {
		t.Fatal(err)
	}
	w, h := g.Rect.Dx(), g.Rect.Dy()
	fill(g, image.Rect(w/2, 120, w/2+3, h-120), 0)
	for _, r := range []image.Rectangle{{image.Pt(20, 20), image.Pt(22, h-20)}, {image.Pt(w-22, 20), image.Pt(w-20, h-20)}, {image.Pt(20, 20), image.Pt(w-20, 22)}} {
		fill(g, r, 0)
	}
	fill(g, image.Rect(w-12, 0, w, h), 60)
	if got := uncrease(g, 150, 0); got != g {
		t.Error("something was taken for a fold")
	}
}
