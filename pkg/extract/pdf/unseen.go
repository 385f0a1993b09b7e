package pdf

import (
	"image"
	"math"

	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// Text that no reader sees is in a file for other reasons than to be read. What says so is
// cheap where it is certain: the mode in which it is drawn, its size, the part of the page that
// is shown. Where only the picture of the page can say it (colour, what was drawn over it), what
// is suspect is drawn twice, with it and without it: what makes no difference is not seen. In
// doubt, text is seen.

// Modes in which text is drawn (ISO 32000-1, table 106).
const (
	modeFill      = 0
	modeInvisible = 3
	modeFillClip  = 4
	modeClip      = 7
)

const (
	// tinySize is the size in points, and the height of a line, below which nobody reads:
	// microprint has a fifth of a millimetre.
	tinySize = 0.5
	// lightChannel is the least of red, green and blue of a colour near that of paper.
	lightChannel = 0xD0
	// sameColor is how far apart two colours may be, by channel, and still look alike.
	sameColor = 0x10
	// opaque is the least opacity of what covers, and faint the opacity of text below
	// which hardly anything shows.
	opaque, faint = 0xF0, 0x10
	// smallCover is the least side, in points, of what may cover text: lines are thinner.
	smallCover = 3
	// unseenDifference is the most by which a channel of a pixel may change where text is
	// not seen: a sixteenth of what divides black from white.
	unseenDifference = 0x10
	// unseenScale is in how many pixels to a point suspect text is drawn, and unseenPixels
	// how many there are at most.
	unseenScale  = 2.0
	unseenPixels = 1_500_000
	// maxParts is how many parts of a page are drawn; sharedPart is how much larger one that
	// two runs share may be than both.
	maxParts, sharedPart = 40, 1.5
	// maxUnseenWork bounds the work of a page: glyphs times what may lie above or below.
	maxUnseenWork = 4_000_000
	// shownShare is the share of the characters of a suspect piece of text from which on it
	// is seen: those at its ends touch what stands beside them.
	shownShare = 0.2
)

// area is something drawn that has a surface.
type area struct {
	box   pdfium.Rect
	color uint32 // 0xRRGGBBAA; of a picture 0
	order int
}

func (a *area) holds(x, y float64) bool {
	return x >= a.box.Left && x <= a.box.Right && y >= a.box.Bottom && y <= a.box.Top
}

// watcher looks for the glyphs of a page that no reader sees.
type watcher struct {
	c        *content
	glyphs   []layout.Glyph
	pictures []area
	fills    []area // of paths
	order    []int  // by Char.Object, once it is asked for
	twins    []int  // text objects without characters: text that is drawn twice in one place is given once
	scan     bool   // pictures cover the page: they show what text lies below them
	outlines int    // of letters drawn as shapes, once they are counted
	counted  bool
	suspects []int
}

// markUnseen sets Hidden and Unseen of the glyphs that no reader sees.
func (c *content) markUnseen(s sheet, glyphs []layout.Glyph, draw partDrawer) {
	w := &watcher{c: c, glyphs: glyphs}
	w.surfaces()
	w.scan = covered(s.width, s.height, s.images(c.graphics)) >= picturePage
	w.markCertain()
	if !c.graphics.Truncated && w.find() {
		w.confirm(s, draw)
	}
}

// surfaces collects what can lie above or below text.
func (w *watcher) surfaces() {
	g := &w.c.graphics
	for i := range g.Images {
		w.pictures = append(w.pictures, area{box: g.Images[i].Box, order: g.Images[i].Order})
	}
	for i := range g.Paths {
		p := &g.Paths[i]
		if p.Fill && p.FillColor&0xFF >= opaque && p.Box.Width() >= smallCover && p.Box.Height() >= smallCover {
			w.fills = append(w.fills, area{box: p.Box, color: p.FillColor, order: p.Order})
		}
	}
}

// markCertain marks the glyphs of which the file itself says that nobody sees them.
func (w *watcher) markCertain() {
	for i := range w.glyphs {
		g := &w.glyphs[i]
		c := &w.c.chars[g.Index]
		switch {
		case g.Outside:
			g.Unseen = layout.OffPage
		case c.RenderMode == modeInvisible || c.RenderMode == modeClip:
			g.Hidden = true
			if !w.isLayer(c) {
				g.Unseen = layout.Undrawn
			}
		case c.FontSize < tinySize && c.FontSize > 0 && g.Box.Height() < tinySize && g.Box.Width() < tinySize:
			g.Hidden, g.Unseen = true, layout.Tiny
		}
	}
}

// isLayer reports whether something is shown where an invisible character is: a picture, or,
// on a page with outlines of letters, those. Its words are then those of what is shown.
func (w *watcher) isLayer(c *pdfium.Char) bool {
	x, y := middle(c.Box)
	for i := range w.pictures {
		if w.pictures[i].holds(x, y) {
			return true
		}
	}
	if !w.counted {
		w.outlines, w.counted = letterShapes(w.c.graphics), true
	}
	return w.outlines >= outlined
}

func middle(r pdfium.Rect) (x, y float64) { return (r.Left + r.Right) / 2, (r.Bottom + r.Top) / 2 }

// find collects the glyphs of which the picture of the page must say whether they are seen.
func (w *watcher) find() bool {
	if len(w.glyphs)*(len(w.fills)+len(w.pictures)) > maxUnseenWork {
		return false
	}
	last := 0
	for _, a := range w.fills {
		last = max(last, a.order)
	}
	for _, a := range w.pictures {
		last = max(last, a.order)
	}
	for i := range w.glyphs {
		g := &w.glyphs[i]
		c := &w.c.chars[g.Index]
		if g.Hidden || g.Outside || c.Object == 0 {
			continue
		}
		if why := w.suspect(c, last); why != layout.Seen {
			g.Unseen = why
			w.suspects = append(w.suspects, i)
		}
	}
	return len(w.suspects) > 0
}

// suspect returns why nothing may be seen of a character, Seen where nothing says so. last
// is the place in the drawing order of the last surface.
func (w *watcher) suspect(c *pdfium.Char, last int) layout.Unseen {
	filled := c.RenderMode == modeFill || c.RenderMode == modeFillClip
	if last == 0 {
		if filled && (isLight(c.Fill) || c.Fill&0xFF < faint) {
			return layout.BackgroundColor
		}
		return layout.Seen
	}
	at := w.orderOf(c.Object)
	if at < 0 {
		return layout.Seen
	}
	x, y := middle(c.Box)
	below := area{color: 0xFFFFFFFF} // paper
	for i := range w.fills {
		a := &w.fills[i]
		if !a.holds(x, y) {
			continue
		}
		if a.order > at {
			return layout.Covered
		}
		if a.order > below.order {
			below = *a
		}
	}
	onPicture := false
	for i := range w.pictures {
		a := &w.pictures[i]
		if !a.holds(x, y) {
			continue
		}
		if a.order > at && !w.scan {
			return layout.Covered
		}
		onPicture = onPicture || a.order > below.order
	}
	if filled && (c.Fill&0xFF < faint || !onPicture && isAlike(c.Fill, below.color) || onPicture && isLight(c.Fill)) {
		return layout.BackgroundColor
	}
	return layout.Seen
}

// isLight reports a colour near that of paper.
func isLight(color uint32) bool {
	return color>>24 >= lightChannel && color>>16&0xFF >= lightChannel && color>>8&0xFF >= lightChannel
}

// isAlike reports whether two colours look alike.
func isAlike(a, b uint32) bool {
	for shift := 8; shift <= 24; shift += 8 {
		if d := int(a>>shift&0xFF) - int(b>>shift&0xFF); d > sameColor || d < -sameColor {
			return false
		}
	}
	return true
}

// textRun is a piece of suspect text: neighbours that are drawn together, and the part of the page
// that shows it.
type textRun struct {
	from, to int // of the suspects
	part     int
}

// confirm draws the suspects, and lets those be seen that make a difference. A page that
// cannot be drawn shows all of them.
func (w *watcher) confirm(s sheet, draw partDrawer) {
	runs, parts := w.runs(s)
	with, without := w.draw(s, parts, draw)
	for _, r := range runs {
		shown := 0
		for k := r.from; k < r.to && with != nil; k++ {
			a, b := with[r.part], without[r.part]
			shown += layout.CountIf(differs(a, b, pixelsOf(parts[r.part], a, w.glyphs[w.suspects[k]].Box)))
		}
		for _, i := range w.suspects[r.from:r.to] {
			g := &w.glyphs[i]
			if g.Hidden = with != nil && float64(shown) < shownShare*float64(r.to-r.from); !g.Hidden {
				g.Unseen = layout.Seen
			}
		}
	}
}

// runs divides the suspects into runs, and says which parts of the page show them: runs side
// by side share one, since drawing a page costs by what stands in the part.
func (w *watcher) runs(s sheet) (runs []textRun, parts []layout.Rect) {
	for from := 0; from < len(w.suspects); {
		to := from + 1
		box := w.glyphs[w.suspects[from]].Box
		for to < len(w.suspects) && w.suspects[to] == w.suspects[to-1]+1 && w.objectOf(to) == w.objectOf(from) {
			box = box.Union(w.glyphs[w.suspects[to]].Box)
			to++
		}
		box = s.shown(layout.Rect{Left: box.Left - 1, Top: box.Top - 1, Right: box.Right + 1, Bottom: box.Bottom + 1})
		last := len(parts) - 1
		if last >= 0 && (len(parts) == maxParts || areaOf(parts[last].Union(box)) <= sharedPart*(areaOf(parts[last])+areaOf(box))) {
			parts[last] = parts[last].Union(box)
		} else {
			parts = append(parts, box)
			last++
		}
		runs = append(runs, textRun{from: from, to: to, part: last})
		from = to
	}
	return runs, parts
}

func areaOf(r layout.Rect) float64 { return r.Width() * r.Height() }

// objectOf is the text object of a suspect.
func (w *watcher) objectOf(suspect int) int {
	return w.c.chars[w.glyphs[w.suspects[suspect]].Index].Object
}

// draw draws parts of the page with and without the text of the suspects; nil where that
// cannot be done.
func (w *watcher) draw(s sheet, parts []layout.Rect, draw partDrawer) (with, without []*image.RGBA) {
	regions, pixels := make([]pdfium.Region, len(parts)), 0.0
	for _, p := range parts {
		if !(p.Width() > 0) || !(p.Height() > 0) {
			return nil, nil
		}
		pixels += areaOf(p)
	}
	scale := math.Min(unseenScale, math.Sqrt(unseenPixels/pixels))
	for i, p := range parts {
		regions[i] = pdfium.Region{Box: s.box(p), Width: max(int(math.Round(float64(p.Width()*scale))), 1)}
	}
	var order []int
	last := 0
	for _, i := range w.suspects {
		if object := w.c.chars[w.glyphs[i].Index].Object; object != last {
			last = object
			order = append(order, w.orderOf(object))
		}
	}
	with, without, err := draw(w.c.pageNo, regions, append(order, w.twins...))
	if err != nil {
		return nil, nil
	}
	return with, without
}

// orderOf is the place of a text object in the drawing order, -1 where it is not known.
func (w *watcher) orderOf(object int) int {
	if w.order == nil {
		w.order, w.twins = w.c.page.TextOrder()
	}
	return w.order[object]
}

// pixelsOf returns the pixels of a box in a picture of a region.
func pixelsOf(region layout.Rect, picture *image.RGBA, box layout.Rect) image.Rectangle {
	size := picture.Bounds()
	across, down := float64(size.Dx())/region.Width(), float64(size.Dy())/region.Height()
	return image.Rect(
		int(math.Floor(float64((box.Left-region.Left)*across))), int(math.Floor(float64((box.Top-region.Top)*down))),
		int(math.Ceil(float64((box.Right-region.Left)*across))), int(math.Ceil(float64((box.Bottom-region.Top)*down))),
	).Intersect(size)
}

// differs reports whether two pictures of one size differ visibly within a part.
func differs(a, b *image.RGBA, part image.Rectangle) bool {
	const channels = 4
	for y := part.Min.Y; y < part.Max.Y; y++ {
		from, to := a.PixOffset(part.Min.X, y), a.PixOffset(part.Max.X-1, y)+channels
		for i := from; i < to; i++ {
			if d := int(a.Pix[i]) - int(b.Pix[i]); d > unseenDifference || d < -unseenDifference {
				return true
			}
		}
	}
	return false
}
