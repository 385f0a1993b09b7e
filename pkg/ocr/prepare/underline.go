package prepare

import "image"

const (
	// underlineInches is how long an underline is at least, and underlineThin how thick at
	// most.
	underlineInches = 0.25
	underlineThin   = 0.035
	// underlineNear is how far above the line its text ends: a line that is further below does
	// engines no harm, and goes through more of the letters. underlineGap is how wide the gaps
	// between its words are: the cells of a table stand further apart. underlineShare is the part of a line that has text above it, with
	// such gaps.
	underlineNear  = 0.02
	underlineGap   = 0.14
	underlineShare = 0.95
	// underlineInk is the share of a run that is ink, and underlineFringe how many rows of
	// grey a line has above and below.
	underlineInk    = 0.9
	underlineFringe = 2
)

// ununderline takes lines away that are drawn close below words, but for where letters go
// through them: engines read what touches a line as one with it. The rules of tables stay.
// The picture must be level; g is not changed.
func ununderline(g *image.Gray, dpi int) *image.Gray {
	m := maskOf(g)
	f := finder{long: max(int(underlineInches*float64(dpi)), 8), thin: max(int(underlineThin*float64(dpi)), 3), gap: 1}
	out := g
	for _, l := range f.lines(m) {
		if !l.underlines(m, f.thin, dpi) {
			continue
		}
		if out == g {
			out = copyOf(g)
		}
		l.wipe(m, g, out, f.thin)
	}
	return out
}

// drawnLine is a line across the page, which need not be quite level.
type drawnLine struct {
	box         image.Rectangle
	top, bottom []int // by columns of the box: its first row, and the first below it
}

// lines returns the long runs of ink, those that touch from row to row as one line.
func (f finder) lines(m Mask) []drawnLine {
	var boxes, runs []image.Rectangle
	var of, open []int
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
			if last+1-from < f.long || float64(ink) < underlineInk*float64(last+1-from) {
				continue
			}
			run := image.Rect(from, y, last+1, y+1)
			at := f.add(&boxes, open, run)
			still, runs, of = append(still, at), append(runs, run), append(of, at)
		}
		open = still
	}
	out := make([]drawnLine, len(boxes))
	for k, run := range runs {
		l := &out[of[k]]
		if l.top == nil {
			l.box = boxes[of[k]]
			l.top, l.bottom = make([]int, l.box.Dx()), make([]int, l.box.Dx())
		}
		for x := run.Min.X - l.box.Min.X; x < run.Max.X-l.box.Min.X; x++ {
			if l.bottom[x] == 0 {
				l.top[x] = run.Min.Y
			}
			l.bottom[x] = run.Max.Y
		}
	}
	return out
}

// underlines reports whether there are words close above all of the line.
func (l drawnLine) underlines(m Mask, thin, dpi int) bool {
	near, widest := max(int(underlineNear*float64(dpi)), 2), int(underlineGap*float64(dpi))
	bare, since, thick := 0, 0, 0
	for x := range l.top {
		if l.bottom[x]-l.top[x] > thin {
			thick++
		}
		text := false
		for y := max(l.top[x]-near, 0); y < l.top[x]; y++ {
			text = text || m.Dark[y*m.Width+l.box.Min.X+x]
		}
		if since++; text {
			since = 0
		} else if since == widest {
			bare += widest
		} else if since > widest {
			bare++
		}
	}
	all := float64(len(l.top))
	return float64(bare) <= (1-underlineShare)*all && float64(thick) <= (1-underlineInk)*all
}

// wipe makes the line as bright as what is below it, but where there is ink above it and
// below: a letter goes through. g is what there was, of which m is the ink.
func (l drawnLine) wipe(m Mask, g, out *image.Gray, thin int) {
	dark := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < m.Width && y < m.Height && m.Dark[y*m.Width+x]
	}
	beside := func(x, y int) bool { return dark(x-1, y) || dark(x, y) || dark(x+1, y) }
	for k := range l.top {
		x, top, bottom := l.box.Min.X+k, l.top[k], l.bottom[k]
		if bottom == 0 || bottom-top > thin || beside(x, top-1) && beside(x, bottom) {
			continue
		}
		paper := byte(255)
		if below := bottom + underlineFringe; below < m.Height && !dark(x, below) {
			paper = g.Pix[below*g.Stride+x]
		}
		for y := max(top-underlineFringe, 0); y < min(bottom+underlineFringe, m.Height); y++ {
			if at := y*out.Stride + x; y >= top && y < bottom || !dark(x, y) && out.Pix[at] < paper {
				out.Pix[at] = paper
			}
		}
	}
}
