package prepare

import "image"

const (
	// cell is the side of the squares by which dark areas are found: wider than
	// the strokes of type.
	cell = 8
	// minDark is how many cells high and wide a dark area is at least, and
	// fullDark the share of its box that is dark.
	minDark  = 4
	fullDark = 0.6
	// darkest is the brightness that most of a dark cell stays below.
	darkest = 112
)

// brighten turns white text on dark boxes, such as the heads of tables, into
// dark text on white: engines read only the latter. Pictures that are dark are
// turned too, and hold no text either way.
func brighten(g *image.Gray) *image.Gray {
	cols, rows := g.Rect.Dx()/cell, g.Rect.Dy()/cell
	dark := make([]bool, cols*rows)
	for y := range rows {
		for x := range cols {
			n := 0
			for v := y * cell; v < (y+1)*cell; v++ {
				for _, p := range g.Pix[v*g.Stride+x*cell : v*g.Stride+(x+1)*cell] {
					if p < darkest {
						n++
					}
				}
			}
			dark[y*cols+x] = 2*n > cell*cell
		}
	}
	var out *image.Gray
	for _, r := range areas(dark, cols, rows) {
		if out == nil {
			out = image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
			for y := range g.Rect.Dy() {
				copy(out.Pix[y*out.Stride:(y+1)*out.Stride], g.Pix[y*g.Stride:])
			}
		}
		r = edges(g, image.Rect(r.Min.X*cell, r.Min.Y*cell, r.Max.X*cell, r.Max.Y*cell))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := out.Pix[y*out.Stride+r.Min.X : y*out.Stride+r.Max.X]
			for x := range row {
				row[x] = 255 - row[x]
			}
		}
	}
	if out == nil {
		return g
	}
	return out
}

// areas returns the boxes of connected dark cells that are large and full.
func areas(dark []bool, cols, rows int) []image.Rectangle {
	var out []image.Rectangle
	seen := make([]bool, len(dark))
	for start := range dark {
		if !dark[start] || seen[start] {
			continue
		}
		seen[start] = true
		box, n := image.Rectangle{}, 0
		for todo := []int{start}; len(todo) > 0; n++ {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			x, y := at%cols, at/cols
			box = box.Union(image.Rect(x, y, x+1, y+1))
			for _, next := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
				if k := next.Y*cols + next.X; next.X >= 0 && next.Y >= 0 && next.X < cols && next.Y < rows && dark[k] && !seen[k] {
					seen[k] = true
					todo = append(todo, k)
				}
			}
		}
		if box.Dx() >= minDark && box.Dy() >= minDark && float64(n) >= fullDark*float64(box.Dx()*box.Dy()) {
			out = append(out, box)
		}
	}
	return out
}

// edges moves the sides of a dark area, by a cell at most, to where it ends.
func edges(g *image.Gray, r image.Rectangle) image.Rectangle {
	full := image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy())
	mostly := func(line image.Rectangle) bool {
		line = line.Intersect(full)
		n := 0
		for y := line.Min.Y; y < line.Max.Y; y++ {
			for _, p := range g.Pix[y*g.Stride+line.Min.X : y*g.Stride+line.Max.X] {
				if p < darkest {
					n++
				}
			}
		}
		return 2*n > line.Dx()*line.Dy()
	}
	for range cell { // cells at the sides may be dark in part only
		if r.Dx() > cell && !mostly(image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y)) {
			r.Min.X++
		}
		if r.Dx() > cell && !mostly(image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y)) {
			r.Max.X--
		}
		if r.Dy() > cell && !mostly(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1)) {
			r.Min.Y++
		}
		if r.Dy() > cell && !mostly(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y)) {
			r.Max.Y--
		}
	}
	for range cell {
		if mostly(image.Rect(r.Min.X-1, r.Min.Y, r.Min.X, r.Max.Y)) {
			r.Min.X--
		}
		if mostly(image.Rect(r.Max.X, r.Min.Y, r.Max.X+1, r.Max.Y)) {
			r.Max.X++
		}
		if mostly(image.Rect(r.Min.X, r.Min.Y-1, r.Max.X, r.Min.Y)) {
			r.Min.Y--
		}
		if mostly(image.Rect(r.Min.X, r.Max.Y, r.Max.X, r.Max.Y+1)) {
			r.Max.Y++
		}
	}
	return r.Intersect(full)
}
