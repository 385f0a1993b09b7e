package reading

import (
	"fmt"
	"image"

	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/ocr/prepare"
)

// What stands alone on a page, such as its number, engines take for dirt. It is
// looked at again by itself when it is as high as the page's words and far from
// all of them; sizes are in heights of words.
const (
	strayLow   = 0.5
	strayHigh  = 1.6
	strayWide  = 6
	strayApart = 1
	// straySolid and strayThin are the share of its box that ink takes up.
	straySolid = 0.8
	strayThin  = 0.08
	// strayMax is how many there may be; more are no words but dirt.
	strayMax = 6
	// straySure is the confidence that such a word must have.
	straySure = 0.7
	// strayEdge is the part of the page at its edges in which shadows lie.
	strayEdge = 0.01
)

// strays reads what stands alone. Each is a block of its own.
func (r *reader) strays(a attempt, ink prepare.Mask) ([]ocr.Found, error) {
	high, blocks := median(heights(a.words)), 0
	for _, w := range a.words {
		blocks = max(blocks, w.Block)
	}
	boxes := alone(a.words, ink, high)
	if len(boxes) > strayMax {
		return nil, nil
	}
	var out []ocr.Found
	for _, box := range boxes {
		around := box.Inset(-int(high)).Intersect(a.sheet.Gray.Rect)
		g := image.NewGray(image.Rect(0, 0, around.Dx(), around.Dy()))
		for y := range around.Dy() {
			from := a.sheet.Gray.PixOffset(around.Min.X, around.Min.Y+y)
			copy(g.Pix[y*g.Stride:(y+1)*g.Stride], a.sheet.Gray.Pix[from:])
		}
		words, err := r.engine.ReadLine(g, a.sheet.DPI, r.result.Languages)
		if err != nil {
			return nil, fmt.Errorf("page %d: what stands alone: %w", r.result.Page, err)
		}
		if words = legible(words, g.Rect); len(words) == 0 || meanOf(words) < straySure {
			continue
		}
		blocks++
		for _, w := range words {
			w.Box = w.Box.Add(around.Min)
			w.Block, w.Paragraph, w.Line = blocks, 1, 1
			out = append(out, w)
		}
	}
	return out, nil
}

func heights(words []ocr.Found) []float64 {
	out := make([]float64, len(words))
	for i, w := range words {
		out[i] = float64(w.Box.Dy())
	}
	return out
}

// alone returns the boxes of the ink that is far from all words and as high as
// they are, from the top.
func alone(words []ocr.Found, ink prepare.Mask, high float64) []image.Rectangle {
	cell := max(int(high/4), 2)
	cols, rows := ink.Width/cell, ink.Height/cell
	if cols == 0 || rows == 0 {
		return nil
	}
	near := make([]bool, cols*rows) // to a word
	for _, w := range words {
		b := w.Box.Inset(-int(strayApart * high))
		for y := max(b.Min.Y/cell, 0); y <= min(b.Max.Y/cell, rows-1); y++ {
			for x := max(b.Min.X/cell, 0); x <= min(b.Max.X/cell, cols-1); x++ {
				near[y*cols+x] = true
			}
		}
	}
	dark := make([]bool, cols*rows)
	for y := range rows * cell {
		for x, is := range ink.Dark[y*ink.Width : y*ink.Width+cols*cell] {
			if is {
				dark[y/cell*cols+x/cell] = true
			}
		}
	}
	edge := image.Rect(0, 0, ink.Width, ink.Height).Inset(int(strayEdge * float64(max(ink.Width, ink.Height))))
	var out []image.Rectangle
	var cells []int
	for start := range dark {
		if !dark[start] {
			continue
		}
		dark[start] = false
		cells = append(cells[:0], start)
		box, lonely := image.Rectangle{}, true
		for i := 0; i < len(cells); i++ {
			x, y := cells[i]%cols, cells[i]/cols
			box = box.Union(image.Rect(x*cell, y*cell, (x+1)*cell, (y+1)*cell))
			lonely = lonely && !near[cells[i]]
			for v := max(y-1, 0); v <= min(y+1, rows-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, cols-1); u++ {
					if k := v*cols + u; dark[k] {
						dark[k] = false
						cells = append(cells, k)
					}
				}
			}
		}
		if box, ok := wordLike(box, ink, high); ok && lonely && box.In(edge) {
			out = append(out, box)
		}
	}
	return out
}

// wordLike draws a box around the ink in it, and reports whether that has the
// size and the ink of a word.
func wordLike(box image.Rectangle, ink prepare.Mask, high float64) (image.Rectangle, bool) {
	if float64(box.Dy()) > (strayHigh+1)*high || float64(box.Dx()) > (strayWide+1)*high {
		return box, false
	}
	tight, n := image.Rectangle{}, 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if ink.Dark[y*ink.Width+x] {
				tight = tight.Union(image.Rect(x, y, x+1, y+1))
				n++
			}
		}
	}
	tall, share := float64(tight.Dy())/high, float64(n)/float64(tight.Dx()*tight.Dy())
	return tight, tall >= strayLow && tall <= strayHigh && share >= strayThin && share <= straySolid
}
