package prepare

import (
	"image"
	"slices"
)

const (
	// cell is the side of the squares by which shaded areas are found.
	cell = 4
	// minShaded is how many cells high and wide a shaded area is at least, and
	// reach how wide a gap in it may be that has shade on all sides: a letter.
	minShaded = 6
	reach     = 20
	// shaded is the brightness that most of a shaded cell stays below, on a page
	// whose paper is white.
	shaded = 190
	// apart is how much letters differ from the shade they stand on, and letters
	// the share of an area that they take up at least.
	apart   = 40
	letters = 0.01
	// strong is how much light text differs from a shade that need not be even, and
	// even the part of what is no light that else is within noise of the shade: the
	// words of a blurred page are dark and have light in their letters, too.
	strong = 100
	even   = 0.9
	// minLetters is how many letters a shaded box has at least: a letter that is so
	// large that it is a shaded area itself has up to two counters.
	minLetters = 3
)

// brighten turns light text on shaded boxes, such as the heads of tables, into
// dark text on white: engines read only the latter. Shades with dark text, or
// without any, stay.
func brighten(g *image.Gray) *image.Gray {
	cols, rows := g.Rect.Dx()/cell, g.Rect.Dy()/cell
	mask := make([]bool, cols*rows)
	some := false
	for y := range rows {
		for x := range cols {
			n := 0
			for v := y * cell; v < (y+1)*cell; v++ {
				for _, p := range g.Pix[v*g.Stride+x*cell : v*g.Stride+(x+1)*cell] {
					if p < shaded {
						n++
					}
				}
			}
			mask[y*cols+x] = 2*n > cell*cell
			some = some || mask[y*cols+x]
		}
	}
	if !some {
		return g
	}
	mask = thick(mask, cols, rows)
	out := g
	for _, a := range areas(mask, cols, rows) {
		boxes := a.boxes()
		shade, ok := lightText(g, boxes)
		if !ok || !shade.hasLetters(g, boxes) {
			continue
		}
		if out == g {
			out = copyOf(g)
		}
		for i := range boxes {
			boxes[i] = edges(g, boxes[i])
		}
		shade.turn(out, g, boxes)
	}
	return out
}

// thick leaves out what is one cell wide or high, such as the lines of a table
// that hang together with its shaded head, but not the shade between letters.
func thick(mask []bool, cols, rows int) []bool {
	out := make([][]bool, rows)
	for y := range out {
		out[y] = make([]bool, cols)
	}
	for y := range rows - 1 {
		for x := range cols - 1 {
			k := y*cols + x
			if mask[k] && mask[k+1] && mask[k+cols] && mask[k+cols+1] {
				out[y][x], out[y][x+1], out[y+1][x], out[y+1][x+1] = true, true, true, true
			}
		}
	}
	across, down := gaps(out), gaps(turnedRows(out))
	kept := make([]bool, len(mask))
	for k, shade := range mask {
		x, y := k%cols, k/cols
		kept[k] = out[y][x] || shade && (across[y][x] || down[x][y])
	}
	return kept
}

func copyOf(g *image.Gray) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		copy(out.Pix[y*out.Stride:(y+1)*out.Stride], g.Pix[y*g.Stride:])
	}
	return out
}

// area is a set of connected shaded cells, by rows.
type area struct {
	box  image.Rectangle // in cells
	rows [][]bool        // of the box
}

// areas returns the connected shaded cells that are high and wide enough.
func areas(mask []bool, cols, rows int) []area {
	var out []area
	seen := make([]bool, len(mask))
	var cells []int
	for start := range mask {
		if !mask[start] || seen[start] {
			continue
		}
		seen[start] = true
		box := image.Rectangle{}
		cells = append(cells[:0], start)
		for i := 0; i < len(cells); i++ {
			x, y := cells[i]%cols, cells[i]/cols
			box = box.Union(image.Rect(x, y, x+1, y+1))
			for _, next := range [4]image.Point{{X: x - 1, Y: y}, {X: x + 1, Y: y}, {X: x, Y: y - 1}, {X: x, Y: y + 1}} {
				if k := next.Y*cols + next.X; next.X >= 0 && next.Y >= 0 && next.X < cols && next.Y < rows && mask[k] && !seen[k] {
					seen[k] = true
					cells = append(cells, k)
				}
			}
		}
		if box.Dx() < minShaded || box.Dy() < minShaded {
			continue
		}
		a := area{box: box, rows: make([][]bool, box.Dy())}
		for y := range a.rows {
			a.rows[y] = make([]bool, box.Dx())
		}
		for _, k := range cells {
			a.rows[k/cols-box.Min.Y][k%cols-box.Min.X] = true
		}
		out = append(out, a)
	}
	return out
}

// boxes returns the area in pixels as boxes, its gaps filled that have shade on
// all four sides.
func (a area) boxes() []image.Rectangle {
	across := gaps(a.rows)
	down := gaps(turnedRows(a.rows))
	var out, open []image.Rectangle // in cells; open: those that may go on in the next row
	for y, row := range a.rows {
		var still []image.Rectangle
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && (row[x] || across[y][x] && down[x][y]) {
				x++
			}
			if x == from {
				continue
			}
			run := image.Rect(from, y, x, y+1)
			if i := slices.IndexFunc(open, func(r image.Rectangle) bool {
				return max(r.Min.X-from, from-r.Min.X) <= 2 && max(r.Max.X-x, x-r.Max.X) <= 2
			}); i >= 0 {
				run = image.Rect(open[i].Min.X, open[i].Min.Y, open[i].Max.X, y+1)
				open = slices.Delete(open, i, i+1)
			}
			still = append(still, run)
		}
		out = append(out, open...)
		open = still
	}
	out = append(out, open...)
	for i, r := range out {
		out[i] = image.Rect(r.Min.X*cell, r.Min.Y*cell, r.Max.X*cell, r.Max.Y*cell).Add(a.box.Min.Mul(cell))
	}
	return out
}

func turnedRows(rows [][]bool) [][]bool {
	out := make([][]bool, len(rows[0]))
	for x := range out {
		out[x] = make([]bool, len(rows))
		for y := range rows {
			out[x][y] = rows[y][x]
		}
	}
	return out
}

// gaps marks what is not shaded between two shaded cells of a row that are near
// to each other.
func gaps(rows [][]bool) [][]bool {
	out := make([][]bool, len(rows))
	for y, row := range rows {
		out[y] = make([]bool, len(row))
		last := -1
		for x, shade := range row {
			if !shade {
				continue
			}
			if last >= 0 && x-last <= reach {
				for k := last + 1; k < x; k++ {
					out[y][k] = true
				}
			}
			last = x
		}
	}
	return out
}

// shade is the brightness of an area and of the light text on it.
type shade struct{ ground, text int }

// lightText reports whether there is more light on the shade of the boxes than
// dark, of an amount that text has. Their borders do not count, which may be
// drawn.
func lightText(g *image.Gray, boxes []image.Rectangle) (shade, bool) {
	var histogram [256]int
	n := 0
	for _, r := range boxes {
		r = r.Inset(2 * cell)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for _, p := range g.Pix[y*g.Stride+r.Min.X : y*g.Stride+r.Max.X] {
				histogram[p]++
			}
		}
		n += r.Dx() * r.Dy()
	}
	if n == 0 {
		return shade{}, false
	}
	s := shade{ground: int(percentile(&histogram, n, 50))}
	light, dark, flat := 0, 0, 0
	for v, k := range histogram {
		if max(v-s.ground, s.ground-v) <= noise {
			flat += k
		}
		switch {
		case v > s.ground+apart:
			light += k
		case v < s.ground-apart:
			dark += k
		}
	}
	if s.ground >= shaded || float64(light) < letters*float64(n) || 2*light > n || light < 2*dark {
		return s, false
	}
	s.text = int(percentile(&histogram, n, 100-100*light/n/4)) // of the light, the lightest quarter is no edge
	return s, s.text-s.ground >= strong || float64(flat) >= even*float64(n-light)
}

// hasLetters reports whether the light on the shade is in as many pieces as text
// is. What goes on outside of the boxes is paper, and what is a row or two of
// pixels high is nothing.
func (s shade) hasLetters(g *image.Gray, boxes []image.Rectangle) bool {
	all := hull(boxes)
	light := func(x, y int) bool { return int(g.Pix[y*g.Stride+x]) > s.ground+apart }
	const (
		outside = iota
		inside
		seen
	)
	place := make([]byte, all.Dx()*all.Dy())
	for _, r := range boxes {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				place[(y-all.Min.Y)*all.Dx()+x-all.Min.X] = inside
			}
		}
	}
	at := func(p image.Point) *byte { return &place[(p.Y-all.Min.Y)*all.Dx()+p.X-all.Min.X] }
	n := 0
	var open []image.Point
	for k := range place {
		first := image.Pt(k%all.Dx(), k/all.Dx()).Add(all.Min)
		if place[k] != inside || !light(first.X, first.Y) {
			continue
		}
		place[k] = seen
		open = append(open[:0], first)
		bottom, paper := first.Y, false
		for len(open) > 0 {
			p := open[len(open)-1]
			open = open[:len(open)-1]
			bottom = max(bottom, p.Y)
			for _, next := range [4]image.Point{{X: p.X - 1, Y: p.Y}, {X: p.X + 1, Y: p.Y}, {X: p.X, Y: p.Y - 1}, {X: p.X, Y: p.Y + 1}} {
				switch {
				case !next.In(g.Rect) || !light(next.X, next.Y):
				case !next.In(all) || *at(next) == outside:
					paper = true
				case *at(next) == inside:
					*at(next) = seen
					open = append(open, next)
				}
			}
		}
		if !paper && bottom-first.Y >= 2 {
			if n++; n == minLetters {
				return true
			}
		}
	}
	return false
}

// noise is the difference from the shade that is still white, and that from the
// text which is black already.
const noise = 20

// border is how far on both sides of its edge a shade goes over into paper.
const border = 3

// turn draws the boxes of g: white where there is the shade, the darker the more
// it differs. Where the shade goes over into paper is no ink; drawn lines, which
// are darker, are.
func (s shade) turn(out, g *image.Gray, boxes []image.Rectangle) {
	all := hull(boxes).Inset(-border).Intersect(g.Rect)
	in := make([]bool, all.Dx()*all.Dy())
	for _, box := range boxes {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				in[(y-all.Min.Y)*all.Dx()+x-all.Min.X] = true
			}
		}
	}
	at := func(x, y int) bool { return image.Pt(x, y).In(all) && in[(y-all.Min.Y)*all.Dx()+x-all.Min.X] }
	above, below := max(s.text-s.ground-2*noise, noise), max(s.ground-2*noise, noise)
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			inside := at(x, y)
			if p := int(g.Pix[y*g.Stride+x]); inside || p > s.ground {
				edge := at(x-border, y) != inside || at(x+border, y) != inside || at(x, y-border) != inside || at(x, y+border) != inside
				switch {
				case edge && p > s.ground:
					p = 255
				case !inside:
					continue
				case p > s.ground:
					p = 255 - 255*(p-s.ground-noise)/above
				default:
					p = 255 - 255*(s.ground-p-noise)/below
				}
				out.Pix[y*out.Stride+x] = byte(min(max(p, 0), 255))
			}
		}
	}
}

// edges moves the sides of a shaded box, by a cell at most, to where it ends.
func edges(g *image.Gray, r image.Rectangle) image.Rectangle {
	full := image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy())
	mostly := func(line image.Rectangle) bool {
		line = line.Intersect(full)
		n := 0
		for y := line.Min.Y; y < line.Max.Y; y++ {
			for _, p := range g.Pix[y*g.Stride+line.Min.X : y*g.Stride+line.Max.X] {
				if p < shaded {
					n++
				}
			}
		}
		return 2*n > line.Dx()*line.Dy()
	}
	for range cell { // cells at the sides may be shaded in part only
		if !mostly(image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y)) {
			r.Min.X++
		}
		if !mostly(image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y)) {
			r.Max.X--
		}
		if !mostly(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1)) {
			r.Min.Y++
		}
		if !mostly(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y)) {
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
