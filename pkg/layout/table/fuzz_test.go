package table

import (
	"reflect"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/layout"
)

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
		case 3: // a row of columns, right- or left-aligned
			for col := range 8 {
				if data[i+3]&(1<<col) == 0 {
					continue
				}
				left := 6*float64(col*8) + float64(x/24)
				for k := range 1 + (int(kind)/8+col*int(data[i+1]))%6 {
					r := []rune(runes)[(col+k+int(data[i+1]))%len([]rune(runes))]
					at := layout.Rect{Left: left + 3*float64(k), Right: left + 3*float64(k+1), Top: y - 4, Bottom: y + 1}
					if r != ' ' {
						glyphs = append(glyphs, layout.Glyph{Seq: len(glyphs), Index: len(glyphs), End: len(glyphs) + 1, Rune: r, Box: at, At: at, Base: y, Size: 5, Style: layout.Style{Bold: kind > 200}})
					}
				}
			}
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

// FuzzFind scatters lines and words over a page.
func FuzzFind(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x1f\x00\x00\x02\x1f\x00\x00\x10\x1f\x23\x01\x01\x0e\x23\x18\x01\x0e\x23\x01\x04\x0e\x23\x18\x04\x01\x23\x01\x07\x0e\x23\x18\x07\x02\x23\x01\x0a\x0e\x23\x18\x0a\x03\x23\x01\x0d\x0e\x23\x18\x0d\x04"))
	f.Add([]byte("\x00\x00\x00\x05\x00\x00\x04\x05\x00\x00\x08\x05\x01\x00\x00\x05\x01\x05\x00\x05\x01\x0a\x00\x05\x23\x01\x02\x0e\x23\x06\x02\x01\x23\x01\x06\x0e\x23\x06\x06\x01"))
	f.Add([]byte("\xfb\x01\x04\x0e\xfb\x18\x04\x01\xfb\x01\x06\x0e\xfb\x18\x06\x01\xfb\x01\x08\x0e\xfb\x18\x08\x01\xfb\x01\x0a\x0e\xfb\x18\x0a\x01\xfb\x01\x0c\x0e\xfb\x18\x0c\x01"))
	var rows []byte // ten rows of five columns, below ruled heads
	for i := range 10 {
		rows = append(rows, byte(3+8*(i%3)), byte(i), byte(2+2*i), 0x1f)
	}
	f.Add(rows)
	f.Add(append(rows, 0, 0, 1, 31, 0, 0, 3, 31, 0, 0, 22, 31))
	f.Fuzz(func(t *testing.T, data []byte) {
		shapes, glyphs := drawn(data[:min(len(data), 2000)])
		divided(t, shapes, glyphs)
	})
}

// divided: whatever is on the page, each character comes out once, each place of
// a table is one cell's, and a second run says the same.
func divided(t *testing.T, shapes []Shape, glyphs []layout.Glyph) {
	t.Helper()
	before := slices.Clone(glyphs)
	tables, rest := Find(shapes, glyphs)
	if !reflect.DeepEqual(before, glyphs) {
		t.Fatal("the characters that it was given are others now")
	}
	seen := make([]bool, len(glyphs))
	count := func(g layout.Glyph) {
		if seen[g.Seq] {
			t.Fatalf("character %d is in two places", g.Seq)
		}
		seen[g.Seq] = true
	}
	for i := range tables {
		taken := map[[2]int]bool{}
		if x := &tables[i]; x.HeaderRows < 0 || x.HeaderRows >= x.Rows || x.Cols < 1 || !(x.Confidence > 0 && x.Confidence <= 1) || !slices.IsSorted(x.Edges) {
			t.Fatalf("%d rows, %d of heads, %d columns, edges %v, confidence %v", x.Rows, x.HeaderRows, x.Cols, x.Edges, x.Confidence)
		}
		for _, c := range tables[i].Cells {
			if c.Row < 0 || c.Col < 0 || c.RowSpan < 1 || c.ColSpan < 1 {
				t.Fatalf("cell %+v", c)
			}
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
}

// printed makes a page with a table as documents have them, by bytes: how it is
// ruled, how its columns stand, how it is turned, then a byte for each cell: what
// it says, whether it is bold, on two lines, or stands off its column.
func printed(data []byte) ([]Shape, []layout.Glyph) {
	texts := []string{
		"", "12", "1,234", "45.5%", "–", "Total", "of which", "Name of it", "(a)", "2024", "$ 12", "3.1", "n/a", "a longer text in a cell", "and", "Region", "1 234 567", "*", "All years", "......... 7",
		"Table 1: Of weirs", "Source: the council", "x", "North and South", "(12)", "€", "12 to 15", "II.", "• item", "- 4",
	}
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	var s sheet
	cols, ruling, pitch, step, turn := 1+next()%7, next(), 40+float64(next()%90), 11+float64(next()%12), next()
	xs := make([]float64, cols)
	for i := range xs {
		xs[i] = 40 + pitch*float64(i)
	}
	y := 60.0
	for row := 0; len(data) > 0 && row < 40; row++ {
		deep := 0.0
		for col := range cols {
			b := next()
			text, from, x := texts[b%len(texts)], len(s.glyphs), xs[col]
			switch b / len(texts) {
			case 1: // set to the right
				x += pitch - 10 - 5*float64(len(text))
			case 2: // over two columns
				x += pitch / 2
			case 3: // on two lines
				s.text(y+11, []float64{x}, "goes on")
				deep = 11
			case 5:
				y += float64(b % 5)
			case 6:
				x += float64(b%7) * 3
			}
			s.text(y, []float64{x}, text)
			for i := from; i < len(s.glyphs); i++ {
				s.glyphs[i].Bold = b/len(texts) == 4
			}
		}
		if ruling&1 != 0 && row < 2 || ruling&2 != 0 {
			s.rule(36, y+3+deep, 36+pitch*float64(cols), y+3+deep)
		}
		if ruling&16 != 0 && row%5 == 4 {
			y += 2 * step
		}
		y += step + deep
	}
	for i := range cols + 1 {
		if x := 36 + pitch*float64(i); ruling&4 != 0 {
			s.rule(x, 50, x, y-8)
		}
	}
	if ruling&8 != 0 {
		s.rule(36, 50, 36+pitch*float64(cols), 50)
		s.rule(36, y-8, 36+pitch*float64(cols), y-8)
	}
	if turn%8 == 7 { // drawn from the foot of the page up
		for i := range s.glyphs {
			g := &s.glyphs[i]
			g.Turn, g.Box = 90, layout.Rect{Left: g.At.Top, Right: g.At.Bottom, Top: 700 - g.At.Right, Bottom: 700 - g.At.Left}
			g.At.Left, g.At.Right = g.At.Left-700, g.At.Right-700
		}
		for _, shape := range s.shapes {
			for k, p := range shape.Points {
				shape.Points[k] = Point{p.Y, 700 - p.X}
			}
		}
	}
	return s.shapes, s.glyphs
}

// FuzzTable prints tables.
func FuzzTable(f *testing.F) {
	for ruling := range 32 {
		data := []byte{byte(ruling), byte(ruling), byte(20 + ruling*7), byte(ruling), byte(ruling)}
		for i := range 60 {
			data = append(data, byte((i*7+ruling)%30+30*(i%7*(ruling%3))))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		shapes, glyphs := printed(data[:min(len(data), 300)])
		divided(t, shapes, glyphs)
	})
}
