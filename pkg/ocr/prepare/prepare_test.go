package prepare

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/ocr/internal/drawn"
	"github.com/colophon-dev/colophon/pkg/ocr/picture"
)

// page is a page of text of 8.5 by 6 inches at 150 dpi.
func page(t testing.TB) *image.Gray {
	t.Helper()
	g, err := drawn.Page(append(drawn.Text(), drawn.Text()...), 150, 8.5, 6)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSkewIsFound(t *testing.T) {
	g := page(t)
	for _, want := range []float64{-15, -7.3, -2, -0.5, 0, 0.3, 1.3, 5, 10, 15} {
		m := ink(drawn.Skewed(g, want))
		if got, _ := m.skew(m.edges()); math.Abs(got-want) > 0.15 {
			t.Errorf("skew of %v degrees found as %v", want, got)
		}
	}
}

func TestSideways(t *testing.T) {
	g := drawn.Skewed(page(t), 3)
	for _, turn := range []int{0, 90, 180, 270} {
		if got := Sideways(picture.Turn(g, turn)); got != (turn%180 == 90) {
			t.Errorf("turned by %d: %v", turn, got)
		}
	}
	if empty := image.NewGray(image.Rect(0, 0, 300, 200)); Sideways(empty) {
		t.Error("an empty picture has lines")
	}
}

// A mark on the picture has its place on the level picture, and Box leads back.
func TestBoxesAreUndone(t *testing.T) {
	for _, degrees := range []float64{0, -9, 4} {
		for _, target := range []int{75, 150, 300} {
			g, err := drawn.Page(drawn.Text(), 150, 8.5, 6)
			if err != nil {
				t.Fatal(err)
			}
			g = drawn.Skewed(g, degrees)
			mark := image.Rect(700, 640, 724, 664)
			for y := mark.Min.Y; y < mark.Max.Y; y++ {
				for x := mark.Min.X; x < mark.Max.X; x++ {
					g.Pix[y*g.Stride+x] = 1
				}
			}
			s := New(g, Options{DPI: 150, Target: target})
			if math.Abs(s.Skew-degrees) > 0.15 {
				t.Fatalf("skew %v", s.Skew)
			}
			found := image.Rectangle{}
			for y := s.Gray.Rect.Dy() * 6 / 10; y < s.Gray.Rect.Dy(); y++ { // below the text
				for x := s.Gray.Rect.Dx() / 3; x < s.Gray.Rect.Dx()*2/3; x++ {
					if s.Gray.Pix[y*s.Gray.Stride+x] < 128 {
						found = found.Union(image.Rect(x, y, x+1, y+1))
					}
				}
			}
			b := s.Box(found)
			x, y := (b.X+b.W/2)*float64(g.Rect.Dx()), (b.Y+b.H/2)*float64(g.Rect.Dy())
			if math.Abs(x-712) > 2 || math.Abs(y-652) > 2 {
				t.Errorf("%v degrees at %d dpi: the mark at (712, 652) comes out at (%.1f, %.1f)", degrees, target, x, y)
			}
		}
	}
}

// fanned is a page as it is when photographed from the side: its lines go up above
// its middle and down below it, the more the farther from it.
func fanned(g *image.Gray, by float64) *image.Gray {
	out := filled(g.Rect.Dx(), g.Rect.Dy(), 255)
	cx, cy := float64(g.Rect.Dx())/2, float64(g.Rect.Dy())/2
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			dx, dy := float64(x)-cx, float64(y)-cy
			if from := int(math.Round(dy/(1+by*dx) + cy)); from >= 0 && from < g.Rect.Dy() {
				out.Pix[y*out.Stride+x] = g.Pix[from*g.Stride+x]
			}
		}
	}
	return out
}

// Lines that lie like a fan become level, and Box leads back; lines that do not,
// are left as they are.
func TestPagesFromTheSide(t *testing.T) {
	plain, err := drawn.Page(append(drawn.Text(), append(drawn.Text(), drawn.Text()...)...), 150, 8.5, 8)
	if err != nil {
		t.Fatal(err)
	}
	mark := image.Rect(900, 1080, 924, 1104)
	fill(plain, mark, 0)
	for _, by := range []float64{4e-5, -6e-5} {
		g := fanned(plain, by)
		s := New(g, Options{DPI: 150, Target: 150})
		if math.Abs(s.fan-by) > math.Abs(by)/5 || math.Abs(s.Skew) > 0.2 {
			t.Errorf("a fan of %v was found as %v, with a skew of %v", by, s.fan, s.Skew)
		}
		m := ink(s.Gray)
		if _, left := m.lean(m.edges()); left != 0 {
			t.Errorf("a fan of %v: %v is left", by, left)
		}
		found := image.Rectangle{}
		for y := 1050; y < 1140; y++ {
			for x := 850; x < 1000; x++ {
				if s.Gray.Pix[y*s.Gray.Stride+x] < 128 {
					found = found.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		b := s.Box(found)
		x, y := (b.X+b.W/2)*float64(g.Rect.Dx()), (b.Y+b.H/2)*float64(g.Rect.Dy())
		wantX, wantY := 912.0, 600+(1092-600)*(1+by*(912-637.5))
		if math.Abs(x-wantX) > 3 || math.Abs(y-wantY) > 3 {
			t.Errorf("a fan of %v: the mark at (%.1f, %.1f) comes out at (%.1f, %.1f)", by, wantX, wantY, x, y)
		}
	}
	for _, degrees := range []float64{0, 5, -12} {
		if s := New(drawn.Skewed(plain, degrees), Options{DPI: 150, Target: 150}); s.fan != 0 {
			t.Errorf("skew by %v: a fan of %v", degrees, s.fan)
		}
	}
}

// In shadow, on yellow paper, as a negative: the same ink comes out.
func TestBackground(t *testing.T) {
	ink := func(g *image.Gray) Mask {
		s := New(g, Options{DPI: 150, Target: 150})
		return s.Mask()
	}
	clean := ink(page(t))
	shadow, negative := page(t), page(t)
	for y := range shadow.Rect.Dy() {
		for x := range shadow.Rect.Dx() {
			k := y*shadow.Stride + x
			bright := 90 + 140*x/shadow.Rect.Dx()
			shadow.Pix[k] = byte(int(shadow.Pix[k])*bright/255 + 10)
			negative.Pix[k] = 255 - negative.Pix[k]
		}
	}
	for name, g := range map[string]*image.Gray{"shadow": shadow, "negative": negative} {
		m := ink(g)
		wrong, all := 0, 0
		for i := range m.Dark {
			if m.Dark[i] != clean.Dark[i] {
				wrong++
			}
			if clean.Dark[i] {
				all++
			}
		}
		if wrong*10 > all {
			t.Errorf("%s: %d of %d dark pixels differ", name, wrong, all)
		}
	}
}

func TestDespeckle(t *testing.T) {
	g := page(t)
	speckled := &image.Gray{Pix: bytes.Clone(g.Pix), Stride: g.Stride, Rect: g.Rect}
	specks := 0
	for y := 3; y < g.Rect.Dy()-3; y += 9 {
		for x := 3 + y%7; x < g.Rect.Dx()-3; x += 11 {
			speckled.Pix[y*g.Stride+x] = 255 - speckled.Pix[y*g.Stride+x]
			if clear := speckled.Pix[(y-2)*g.Stride+x-2 : (y-2)*g.Stride+x+4]; x%4 == 0 && slices.Min(clear) == 255 { // two that touch
				speckled.Pix[(y-1)*g.Stride+x+1] = 255 - speckled.Pix[(y-1)*g.Stride+x+1]
			}
			specks++
		}
	}
	out := despeckle(speckled)
	left := 0
	for i := range g.Pix {
		if (out.Pix[i] < 128) != (g.Pix[i] < 128) {
			left++
		}
	}
	if left*8 > specks { // those that touch letters
		t.Errorf("%d of %d specks left", left, specks)
	}
	if despeckle(g) != g {
		t.Error("a clean page is changed")
	}
}

func TestRules(t *testing.T) {
	g := page(t)
	line := func(r image.Rectangle) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				g.Pix[y*g.Stride+x] = 0
			}
		}
	}
	want := []image.Rectangle{image.Rect(100, 700, 900, 702), image.Rect(100, 800, 900, 802), image.Rect(100, 700, 102, 802), image.Rect(500, 700, 502, 802)}
	for _, r := range want {
		line(r)
	}
	s := New(g, Options{DPI: 150, Target: 150})
	m := s.Mask()
	got := m.Rules(s.DPI)
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i, r := range want {
		if got[i] != r {
			t.Errorf("%v, want %v", got[i], r)
		}
	}
	for x := 100; x < 900; x++ {
		if m.Dark[701*m.Width+x] {
			t.Fatal("a rule is still ink")
		}
	}
}

// Light text on a shaded box comes out dark on white, also where the box has a
// corner cut out; what is around stays, and so does dark text on a shade.
func TestShadedBoxes(t *testing.T) {
	clean := page(t)
	whole := []image.Rectangle{image.Rect(140, 197, 900, 312)} // between lines
	angle := []image.Rectangle{image.Rect(140, 197, 900, 235), image.Rect(140, 235, 500, 312)}
	for _, c := range []struct {
		name         string
		boxes        []image.Rectangle
		ground, text int
	}{{"black", whole, 0, 255}, {"grey", whole, 150, 250}, {"an angle", angle, 100, 255}} {
		g := copyOf(clean)
		for _, box := range c.boxes {
			for y := box.Min.Y; y < box.Max.Y; y++ {
				for x := box.Min.X; x < box.Max.X; x++ {
					g.Pix[y*g.Stride+x] = byte(c.text + (c.ground-c.text)*int(g.Pix[y*g.Stride+x])/255)
				}
			}
		}
		out := brighten(g)
		wrong := 0
		for i := range out.Pix {
			if (out.Pix[i] < 128) != (clean.Pix[i] < 128) {
				wrong++
			}
		}
		if wrong > whole[0].Dx()/4 {
			t.Errorf("%s: %d pixels are wrong", c.name, wrong)
		}
	}
	if brighten(clean) != clean {
		t.Error("a page without shaded boxes is changed")
	}
	for i, v := range clean.Pix {
		clean.Pix[i] = byte(int(v) * 150 / 255)
	}
	if brighten(clean) != clean {
		t.Error("dark text on grey is changed")
	}
}

// Letters whose strokes are as wide as shaded areas are, with their counters and
// slants, are no boxes with light text.
func TestLargeLetters(t *testing.T) {
	for _, letter := range []struct {
		name string
		ink  func(x, y int) bool // of 160 by 160
	}{
		{"A", func(x, y int) bool {
			in := func(from, to int) bool { return x >= from && x < to }
			half := (160 - y) / 2
			return in(half, half+36) || in(124-half, 160-half) || y >= 100 && y < 124 && in(half, 160-half)
		}},
		{"B", func(x, y int) bool {
			return !(x >= 36 && x < 124 && (y >= 30 && y < 65 || y >= 95 && y < 130))
		}},
	} {
		g := filled(400, 300, 255)
		for y := range 160 {
			for x := range 160 {
				if letter.ink(x, y) {
					g.Pix[(y+70)*g.Stride+x+120] = 0
				}
			}
		}
		if brighten(g) != g {
			t.Errorf("the letter %s is turned", letter.name)
		}
	}
}

func TestSampleHasText(t *testing.T) {
	g := page(t)
	s := Sample(g)
	dark := 0
	for _, v := range s.Pix {
		if v < 128 {
			dark++
		}
	}
	if s.Rect.Dx() != g.Rect.Dx() || s.Rect.Dy() > sampleRows || dark*30 < len(s.Pix) {
		t.Errorf("a sample of %v with %d dark pixels", s.Rect, dark)
	}
}

// FuzzNew: whatever is on a picture, it is prepared, and its places are on it.
func FuzzNew(f *testing.F) {
	f.Add([]byte{0, 255, 90, 90, 0}, uint8(40), uint8(0), false)
	f.Add([]byte{150, 150, 250, 150, 60, 150}, uint8(120), uint8(1), true)
	f.Fuzz(func(t *testing.T, data []byte, width, turn uint8, coarse bool) {
		if len(data) == 0 || len(data) > 4096 {
			return
		}
		g := image.NewGray(image.Rect(0, 0, int(width)+1, 120))
		size := 1
		if coarse {
			size = 24 // areas
		}
		for y := range g.Rect.Dy() {
			for x := range g.Rect.Dx() {
				g.Pix[y*g.Stride+x] = data[(y/size*7+x/size)%len(data)]
			}
		}
		s := New(g, Options{DPI: 100, Target: 200, Turn: int(turn%4) * 90})
		m := s.Mask()
		for _, r := range append(m.Rules(s.DPI), s.Gray.Rect) {
			if b := s.Box(r); !(b.X >= 0 && b.Y >= 0 && b.W >= 0 && b.H >= 0 && b.X+b.W < 1.001 && b.Y+b.H < 1.001) {
				t.Errorf("%v at %v", r, b)
			}
		}
	})
}

func BenchmarkPrepare(b *testing.B) {
	g, err := drawn.Page(append(drawn.Text(), drawn.Text()...), 200, 8.27, 11.69)
	if err != nil {
		b.Fatal(err)
	}
	g = drawn.Skewed(g, 1)
	for b.Loop() {
		New(g, Options{DPI: 200, Target: 200})
	}
}

func filled(w, h int, v uint8) *image.Gray {
	g := image.NewGray(image.Rect(0, 0, w, h))
	for i := range g.Pix {
		g.Pix[i] = v
	}
	return g
}

func fill(g *image.Gray, r image.Rectangle, v uint8) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			g.Pix[y*g.Stride+x] = v
		}
	}
}

// stripes draws what has the ink of text.
func stripes(g *image.Gray, r image.Rectangle, v uint8) {
	for x := r.Min.X; x < r.Max.X; x += 8 {
		fill(g, image.Rect(x, r.Min.Y, x+2, r.Max.Y), v)
	}
}

// A large box with light text is no shadow: its text becomes dark, all of it.
func TestLargeShadedBox(t *testing.T) {
	g := filled(1200, 900, 250)
	box := image.Rect(60, 300, 1140, 520)
	fill(g, box, 60)
	text := image.Rect(120, 380, 700, 420)
	stripes(g, text, 255)
	s := New(g, Options{DPI: 200, Target: 200})
	for _, x := range []int{121, 401, 689} {
		if at := s.Gray.GrayAt(x, 400).Y; at > 100 {
			t.Errorf("light text at %d has the brightness %d", x, at)
		}
	}
	for _, p := range []image.Point{{X: 110, Y: 330}, {X: 1000, Y: 400}, {X: 600, Y: 480}, {X: 600, Y: 600}} {
		if at := s.Gray.GrayAt(p.X, p.Y).Y; at < 200 {
			t.Errorf("the shade at %v has the brightness %d", p, at)
		}
	}
}

// What a page was photographed on is taken away up to the page's edge, and what
// is printed near the edge stays.
func TestAPageOnATable(t *testing.T) {
	g := filled(1200, 900, 50)
	fill(g, image.Rect(103, 77, 1121, 845), 230)
	text := image.Rect(110, 400, 180, 420)
	stripes(g, text, 20)
	s := New(g, Options{DPI: 200, Target: 200})
	dark := image.Rectangle{}
	for y := range s.Gray.Rect.Dy() {
		for x := range s.Gray.Rect.Dx() {
			if s.Gray.GrayAt(x, y).Y < 128 {
				dark = dark.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if !dark.In(text) || dark.Dx() < 60 || dark.Dy() != text.Dy() {
		t.Errorf("dark is %v, want the text at %v", dark, text)
	}
}

// A dark picture on two sides of the page is none, and stays.
func TestADarkSide(t *testing.T) {
	g := filled(1200, 900, 250)
	fill(g, image.Rect(0, 0, 300, 400), 40)
	b := backgroundOf(g)
	if around := b.ground(g); len(around) != 0 {
		t.Errorf("%d tiles are around the page", len(around))
	}
}

// The lines of a table that hang together with its shaded head stay.
func TestLinesBelowAShadedHead(t *testing.T) {
	g := filled(1200, 800, 255)
	fill(g, image.Rect(100, 100, 1100, 156), 0)
	stripes(g, image.Rect(140, 115, 500, 140), 255)
	for x := 100; x <= 1100; x += 200 {
		fill(g, image.Rect(x, 100, x+3, 500), 0)
	}
	for y := 212; y <= 500; y += 48 { // some of them where cells are divided, some not
		fill(g, image.Rect(100, y, 1103, y+3), 0)
	}
	s := New(g, Options{DPI: 200, Target: 200})
	m := s.Mask()
	across, down := 0, 0
	for _, r := range m.Rules(s.DPI) {
		if r.Dx() > 900 && r.Min.Y > 160 {
			across++
		}
		if r.Dy() > 300 {
			down++
		}
	}
	if across != 7 || down != 6 {
		t.Errorf("%d lines across, %d down", across, down)
	}
}

// Dots behind text are a leader; without text before them they are a line, and so
// are dashes, and dots one below the other: these go. Letters, an ellipsis and the
// points of numbers stay.
func TestLeaders(t *testing.T) {
	for _, c := range []struct {
		name    string
		draw    func(g *image.Gray)
		leaders int
		gone    bool
	}{
		{"behind text", func(g *image.Gray) { stripes(g, image.Rect(20, 80, 90, 100), 0); dots(g, 100, 97, 40, 8, 3, 3) }, 1, false},
		{"without text", func(g *image.Gray) { dots(g, 100, 97, 40, 8, 3, 3) }, 0, true},
		{"dashes behind text", func(g *image.Gray) { stripes(g, image.Rect(20, 80, 90, 100), 0); dots(g, 100, 97, 40, 12, 7, 2) }, 0, true},
		{"an ellipsis", func(g *image.Gray) { dots(g, 100, 97, 3, 8, 3, 3) }, 0, false},
		{"points of numbers", func(g *image.Gray) { dots(g, 100, 97, 20, 16, 3, 3); stripes(g, image.Rect(92, 85, 420, 100), 0) }, 0, false},
		{"far from each other", func(g *image.Gray) { dots(g, 100, 97, 20, 24, 3, 3) }, 0, false},
		{"letters", func(g *image.Gray) { stripes(g, image.Rect(92, 85, 420, 100), 0) }, 0, false},
		{"letters of a page smaller than it is said to be", func(g *image.Gray) {
			dots(g, 20, 95, 6, 8, 4, 7)
			dots(g, 100, 96, 40, 8, 5, 5)
			dots(g, 20, 110, 40, 10, 4, 7)
		}, 0, false},
	} {
		g := filled(600, 200, 255)
		c.draw(g)
		out, found := leaders(g, 200)
		if len(found) != c.leaders || c.leaders > 0 && (found[0].Dots != 40 || found[0].Box != image.Rect(100, 97, 100+39*8+3, 100)) {
			t.Errorf("%s: %+v", c.name, found)
		}
		if gone := out.GrayAt(101, 98).Y == 255; gone != c.gone {
			t.Errorf("%s: gone: %v", c.name, gone)
		}
	}
	g := filled(200, 600, 255)
	for y := range 20 {
		fill(g, image.Rect(97, 100+8*y, 99, 104+8*y), 0)
	}
	if out, found := leaders(g, 200); len(found) != 0 || out.GrayAt(98, 102).Y != 255 {
		t.Errorf("dashes down: %+v", found)
	}
	screen := filled(1600, 1600, 255) // the grid of a print
	for y := 0; y < 1600; y += 5 {
		dots(screen, 0, y, 320, 5, 2, 2)
	}
	if out, found := leaders(screen, 200); out != screen || found != nil {
		t.Errorf("%d leaders in a grid", len(found))
	}
}

// dots draws n dots or dashes from (x, y) on.
func dots(g *image.Gray, x, y, n, step, wide, high int) {
	for i := range n {
		fill(g, image.Rect(x+i*step, y, x+i*step+wide, y+high), 0)
	}
}

// A page that was taken in the dark is no negative: what stands out is darker than the paper.
func TestAPageInTheDark(t *testing.T) {
	g := page(t)
	wanted := level(g)
	dim := image.NewGray(g.Rect)
	noise := rand.New(rand.NewPCG(1, 2))
	for k, v := range g.Pix {
		dim.Pix[k] = byte(30 + int(v)/5 + noise.IntN(9) - 4)
	}
	got := level(dim)
	wrong := 0
	for k, v := range got.Pix {
		if (v < 176) != (wanted.Pix[k] < 128) {
			wrong++
		}
	}
	if share := float64(wrong) / float64(len(got.Pix)); share > 0.005 {
		t.Errorf("%.4f of the ink is other than on the same page in the light", share)
	}
}

// The words of a page that is out of focus are dark areas with light in their letters, and no
// shaded boxes.
func TestBlurredWordsAreNoBoxes(t *testing.T) {
	g, err := drawn.Page(drawn.Text(), 300, 8.5, 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, reach := range []int{3, 4, 5} {
		blurred := blur(g, reach)
		if got := brighten(blurred); got != blurred {
			t.Errorf("a page blurred by %d pixels has light text on shaded boxes", reach)
		}
	}
}

// blur takes the mean of all pixels as near as reach, across and down.
func blur(g *image.Gray, reach int) *image.Gray {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	out := image.NewGray(g.Rect)
	for y := range h {
		for x := range w {
			sum, n := 0, 0
			for v := max(0, y-reach); v <= min(h-1, y+reach); v++ {
				for u := max(0, x-reach); u <= min(w-1, x+reach); u++ {
					sum, n = sum+int(g.Pix[v*g.Stride+u]), n+1
				}
			}
			out.Pix[y*out.Stride+x] = byte(sum / n)
		}
	}
	return out
}
