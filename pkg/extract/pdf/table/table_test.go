package table

import (
	"math"
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
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

// drawn makes a page of bytes, four for a line or a word each: what it is, where
// it begins, and what it says or how long it is. Places are on a coarse net, so
// that much of it is in rows and columns.
func drawn(data []byte) (shapes []Shape, glyphs []layout.Glyph) {
	const runes = "0123456789.,-%ab Zz($:=—"
	for i := 0; i+3 < len(data); i += 4 {
		kind, x, y := data[i], 6*float64(data[i+1]%64), 5*float64(data[i+2]%64)
		long := 12 * float64(data[i+3]%32)
		switch kind % 8 {
		case 0:
			shapes = append(shapes, stroke(x, y, x+long, y))
		case 1:
			shapes = append(shapes, stroke(x, y, x, y+long))
		case 2:
			shapes = append(shapes, Shape{Points: []Point{{x, y}, {x + long, y}, {x + long, y + 9}, {x, y + 9}}, Closed: true, Fill: true, Curved: kind == 2})
		default:
			turn := 0
			if kind > 250 {
				turn = 90 * int(kind-250)
			}
			for k := range int(kind/8)%7 + 1 {
				r := []rune(runes)[(int(data[i+3])+k*k)%len([]rune(runes))]
				at := layout.Rect{Left: x, Right: x + 3, Top: y - 4, Bottom: y + 1}
				if r != ' ' {
					box := at
					if turn == 90 {
						box = layout.Rect{Left: at.Top, Right: at.Bottom, Top: -at.Right, Bottom: -at.Left}
					}
					glyphs = append(glyphs, layout.Glyph{
						Seq: len(glyphs), Index: len(glyphs), End: len(glyphs) + 1, Rune: r, Box: box, At: at, Base: y, Size: 5,
						Turn: turn, Hidden: kind == 250, Style: layout.Style{Bold: kind&16 != 0},
					})
				}
				x += 3
			}
		}
	}
	return shapes, glyphs
}

// Whatever is on the page: each character comes out once, each place of a table
// is one cell's, and a second run says the same.
func FuzzFind(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x1f\x00\x00\x02\x1f\x00\x00\x10\x1f\x23\x01\x01\x0e\x23\x18\x01\x0e\x23\x01\x04\x0e\x23\x18\x04\x01\x23\x01\x07\x0e\x23\x18\x07\x02\x23\x01\x0a\x0e\x23\x18\x0a\x03\x23\x01\x0d\x0e\x23\x18\x0d\x04"))
	f.Add([]byte("\x00\x00\x00\x05\x00\x00\x04\x05\x00\x00\x08\x05\x01\x00\x00\x05\x01\x05\x00\x05\x01\x0a\x00\x05\x23\x01\x02\x0e\x23\x06\x02\x01\x23\x01\x06\x0e\x23\x06\x06\x01"))
	f.Add([]byte("\xfb\x01\x04\x0e\xfb\x18\x04\x01\xfb\x01\x06\x0e\xfb\x18\x06\x01\xfb\x01\x08\x0e\xfb\x18\x08\x01\xfb\x01\x0a\x0e\xfb\x18\x0a\x01\xfb\x01\x0c\x0e\xfb\x18\x0c\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			t.Skip()
		}
		shapes, glyphs := drawn(data)
		tables, rest := Find(shapes, glyphs)
		seen := make([]bool, len(glyphs))
		count := func(g layout.Glyph) {
			if seen[g.Seq] {
				t.Fatalf("character %d is in two places", g.Seq)
			}
			seen[g.Seq] = true
		}
		for i := range tables {
			taken := map[[2]int]bool{}
			for _, c := range tables[i].Cells {
				for r := c.Row; r < c.Row+c.RowSpan; r++ {
					for k := c.Col; k < c.Col+c.ColSpan; k++ {
						if taken[[2]int{r, k}] || r >= tables[i].Rows || k >= tables[i].Cols {
							t.Fatalf("cell %d/%d of %d x %d is taken twice or outside", r, k, tables[i].Rows, tables[i].Cols)
						}
						taken[[2]int{r, k}] = true
					}
				}
				for _, g := range c.Glyphs {
					count(g)
				}
			}
		}
		for _, g := range rest {
			count(g)
		}
		for i, s := range seen {
			if !s {
				t.Fatalf("character %d is gone", i)
			}
		}
		again, _ := Find(shapes, glyphs)
		if !reflect.DeepEqual(tables, again) {
			t.Fatal("two runs differ")
		}
	})
}
