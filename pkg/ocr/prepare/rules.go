package prepare

import "image"

const (
	// ruleInches is how long a drawn line is at least, sideInches when both its
	// ends are at others; thinInches is how thick it is at most, and gapInches
	// what may be missing in it.
	ruleInches = 0.5
	sideInches = 0.15
	thinInches = 0.04
	gapInches  = 0.02
)

// Mask says which pixels of a level picture are ink.
type Mask struct {
	Width, Height int
	Dark          []bool // by rows
}

// Mask divides the picture in ink and paper.
func (s *Sheet) Mask() Mask { return maskOf(s.Gray) }

func maskOf(g *image.Gray) Mask {
	w, h := g.Rect.Dx(), g.Rect.Dy()
	limit := otsu(g)
	m := Mask{Width: w, Height: h, Dark: make([]bool, w*h)}
	for y := range h {
		row := m.Dark[y*w : (y+1)*w]
		for x, v := range g.Pix[y*g.Stride : y*g.Stride+w] {
			row[x] = int(v) < limit
		}
	}
	return m
}

// turned is the mask with rows for columns.
func (m Mask) turned() Mask {
	out := Mask{Width: m.Height, Height: m.Width, Dark: make([]bool, len(m.Dark))}
	const tile = 64 // both masks stay in the cache
	for ty := 0; ty < m.Height; ty += tile {
		for tx := 0; tx < m.Width; tx += tile {
			for y := ty; y < min(ty+tile, m.Height); y++ {
				for x := tx; x < min(tx+tile, m.Width); x++ {
					out.Dark[x*m.Height+y] = m.Dark[y*m.Width+x]
				}
			}
		}
	}
	return out
}

// Rules takes the drawn lines out of the mask and returns them: first those
// across, from the top, then those down, from the left.
func (m Mask) Rules(dpi int) []image.Rectangle {
	inch := float64(dpi)
	f := finder{long: max(int(sideInches*inch), 8), thin: max(int(thinInches*inch), 3), gap: max(int(gapInches*inch), 2)}
	across, down := f.find(m), f.find(m.turned())
	for i, r := range down {
		down[i] = image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
	}
	out := f.joined(across, down, max(int(ruleInches*inch), 8))
	for _, r := range out {
		r = r.Inset(-1).Intersect(image.Rect(0, 0, m.Width, m.Height))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			clear(m.Dark[y*m.Width+r.Min.X : y*m.Width+r.Max.X])
		}
	}
	return out
}

type finder struct{ long, thin, gap int }

// find returns the lines along the rows.
func (f finder) find(m Mask) []image.Rectangle {
	var out []image.Rectangle
	var open []int // lines that may go on in the next row
	for y := range m.Height {
		var still []int
		row := m.Dark[y*m.Width : (y+1)*m.Width]
		for x := 0; x < len(row); {
			if !row[x] {
				x++
				continue
			}
			from, last, ink := x, x, 0
			for ; x < len(row) && x-last <= f.gap; x++ {
				if row[x] {
					last, ink = x, ink+1
				}
			}
			if last+1-from < f.long || ink*10 < (last+1-from)*9 {
				continue
			}
			still = append(still, f.add(&out, open, image.Rect(from, y, last+1, y+1)))
		}
		open = still
	}
	kept := out[:0]
	for _, r := range out {
		if r.Dy() <= f.thin {
			kept = append(kept, r)
		}
	}
	return kept
}

// joined returns the lines that are long, and those between two others that
// cross them.
func (f finder) joined(across, down []image.Rectangle, long int) []image.Rectangle {
	held := func(lines, others []image.Rectangle) (out []image.Rectangle) {
		for _, r := range lines {
			if max(r.Dx(), r.Dy()) >= long || f.ends(r, others, long) {
				out = append(out, r)
			}
		}
		return out
	}
	return append(held(across, down), held(down, across)...)
}

// ends reports whether both ends of a line are at long ones among others.
func (f finder) ends(r image.Rectangle, others []image.Rectangle, long int) bool {
	first, last := r, r
	if r.Dx() > r.Dy() {
		first.Max.X, last.Min.X = r.Min.X+1, r.Max.X-1
	} else {
		first.Max.Y, last.Min.Y = r.Min.Y+1, r.Max.Y-1
	}
	var at [2]bool
	for _, o := range others {
		if max(o.Dx(), o.Dy()) < long {
			continue
		}
		o = o.Inset(-f.gap)
		at[0], at[1] = at[0] || o.Overlaps(first), at[1] || o.Overlaps(last)
	}
	return at[0] && at[1]
}

// add puts a run to the line above it, or begins one, and returns its index.
func (f finder) add(out *[]image.Rectangle, open []int, run image.Rectangle) int {
	for _, i := range open {
		r := &(*out)[i]
		if run.Min.X < r.Max.X && run.Max.X > r.Min.X && run.Min.Y <= r.Max.Y {
			*r = r.Union(run)
			return i
		}
	}
	*out = append(*out, run)
	return len(*out) - 1
}
