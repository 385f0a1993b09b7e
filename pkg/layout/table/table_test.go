package table

import (
	"math"
	"testing"

	"github.com/colophon-dev/colophon/pkg/layout"
)

func stroke(x0, y0, x1, y1 float64) Shape {
	return Shape{Points: []Point{{x0, y0}, {x1, y1}}, Stroke: true}
}

// thinBox is the same line as a filled box.
func thinBox(x0, y0, x1, y1 float64) Shape {
	x1, y1 = math.Max(x1, x0+0.5), math.Max(y1, y0+0.5)
	return Shape{Points: []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, Closed: true, Fill: true}
}

// words sets each word at its place.
func words(at map[Point]string, order []Point) []layout.Glyph {
	var out []layout.Glyph
	for _, p := range order {
		x := p.X
		for _, r := range at[p] {
			box := layout.Rect{Left: x, Right: x + 5, Top: p.Y - 8, Bottom: p.Y + 2}
			out = append(out, layout.Glyph{Seq: len(out), Index: len(out), End: len(out) + 1, Rune: r, Box: box, At: box, Base: p.Y, Size: 10})
			x += 5
		}
	}
	return out
}

// grid draws a net of 3 columns and 3 rows of 100 x 20 from (0, 0), with a word
// in each cell.
func grid(draw func(x0, y0, x1, y1 float64) Shape) ([]Shape, []layout.Glyph) {
	var shapes []Shape
	for i := range 4 {
		shapes = append(shapes, draw(0, 20*float64(i), 300, 20*float64(i)), draw(100*float64(i), 0, 100*float64(i), 60))
	}
	at := map[Point]string{}
	var order []Point
	for r := range 3 {
		for c := range 3 {
			p := Point{100*float64(c) + 10, 20*float64(r) + 14}
			at[p] = string([]rune{rune('a' + c), rune('0' + r)})
			order = append(order, p)
		}
	}
	return shapes, words(at, order)
}

func TestGrid(t *testing.T) {
	for name, draw := range map[string]func(x0, y0, x1, y1 float64) Shape{"strokes": stroke, "thin boxes": thinBox} {
		shapes, glyphs := grid(draw)
		tables, rest := Find(shapes, glyphs)
		if len(tables) != 1 || len(rest) != 0 {
			t.Fatalf("%s: %d tables, %d characters left", name, len(tables), len(rest))
		}
		if got := tables[0]; got.Rows != 3 || got.Cols != 3 || len(got.Cells) != 9 {
			t.Errorf("%s: %d rows, %d columns, %d cells", name, got.Rows, got.Cols, len(got.Cells))
		}
	}
}

func TestSpans(t *testing.T) {
	shapes, glyphs := grid(stroke)
	// Without the ruling between the first two cells of the first row.
	shapes = append(shapes[:3:3], shapes[4:]...)
	shapes = append(shapes, stroke(100, 20, 100, 60))
	head := append(glyphs[:2:2], glyphs[4:]...)
	tables, _ := Find(shapes, head)
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	if c := tables[0].Cells[0]; c.ColSpan != 2 || c.RowSpan != 1 || len(c.Glyphs) != 2 {
		t.Errorf("first cell spans %d columns, %d rows", c.ColSpan, c.RowSpan)
	}
	tables, _ = Find(shapes, glyphs)
	if c := tables[0].Cells[0]; c.ColSpan != 1 || len(tables[0].Cells) != 9 {
		t.Errorf("two texts side by side are two cells, whatever rulings are missing: %d", len(tables[0].Cells))
	}
}

func TestRefused(t *testing.T) {
	box := Shape{Points: []Point{{0, 0}, {300, 0}, {300, 200}, {0, 200}}, Closed: true, Stroke: true}
	frame := words(map[Point]string{{10, 14}: "text in a frame"}, []Point{{10, 14}})
	if tables, rest := Find([]Shape{box}, frame); len(tables) != 0 || len(rest) != len(frame) {
		t.Errorf("a frame is no table: %d", len(tables))
	}
	shapes, glyphs := grid(stroke)
	if tables, rest := Find(shapes, glyphs[:6]); len(tables) != 0 || len(rest) != 6 {
		t.Errorf("a chart's grid with three labels is no table: %d", len(tables))
	}
}

// A list of names in which few places are marked.
func TestFewMarksInANet(t *testing.T) {
	var s sheet
	for i := range 7 {
		s.rule(0, 10+20*float64(i), 400, 10+20*float64(i))
	}
	for _, x := range []float64{0, 100, 200, 300, 400} {
		s.rule(x, 10, x, 130)
	}
	xs := []float64{10, 110, 210, 310}
	for i, row := range [][]string{{"Name", "For", "Against", "Abstained"}, {"Emma Rossi", "", "", "X"}, {"Pedro Weber", "", "", ""}, {"Ina Leca", "X", "", ""}, {"Paulo Abreu", "", "", ""}, {"Marie Fabre", "", "", "X"}} {
		s.text(24+20*float64(i), xs, row...)
	}
	s.want(t, "Name|For|Against|Abstained\nEmma Rossi|||X\nPedro Weber|||\nIna Leca|X||\nPaulo Abreu|||\nMarie Fabre|||X")
}
