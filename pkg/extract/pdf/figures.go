package pdf

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// figure is a picture or drawing that is a unit of its own.
type figure struct {
	box   layout.Rect
	alt   string // of the file's tags
	drawn bool   // made of paths; the text on it is part of it
	chart bool   // with axes, whose labels are part of it too

	labels []layout.Block // of the texts that are part of it
}

const (
	// minFigure is the share of the page that a picture must cover to be a
	// figure; smaller ones are ornaments and bullets.
	minFigure = 0.01
	// maxFigures bounds the figures of a page: some files cut a picture into
	// thousands of strips.
	maxFigures = 200
	// maxDrawing is the share of the page from which on a drawing is its
	// background.
	maxDrawing = 0.85
	// minSide is how high and wide a drawing is at least, in points.
	minSide = 24
	// textShare is the share of a drawing that glyphs may fill: with more it is
	// the frame around a text.
	textShare = 0.1
)

// Reasons to leave something out of the units.
const (
	skipSmall    = "small"        // an ornament, a bullet
	skipOutside  = "outside_page" // not shown
	skipMany     = "too_many"     // beyond maxFigures
	skipNoRune   = "no_character" // half of a pair, or a glyph without a meaning of its own
	skipRule     = "lines"        // rules, frames and fills
	skipTable    = "part_of_table"
	skipBackdrop = "background"
)

// figures returns the pictures and drawings of the page that are units, and
// accounts for the others.
func (r *reader) figures(g pdfium.Graphics, charts []figure, tables []table.Table, glyphs []layout.Glyph, alt map[int]string) []figure {
	var out []figure
	area := r.sheet.width * r.sheet.height
	account := &r.ledger.Pictures
	account.Found = len(g.Images)
	for _, image := range g.Images {
		box := r.sheet.shown(r.sheet.rect(image.Box))
		switch {
		case !(box.Width()*box.Height() > 0):
			coverage.Skip(account, skipOutside, 1)
		case box.Width()*box.Height() < minFigure*area:
			coverage.Skip(account, skipSmall, 1)
		case len(out) == maxFigures:
			coverage.Skip(account, skipMany, 1)
		default:
			account.Placed++
			out = append(out, figure{box: box, alt: alt[image.Mark]})
		}
	}
	coverage.Close(account)
	return joined(r.drawings(out, charts, g, tables, glyphs))
}

// shown cuts a box at the edges of the page.
func (s sheet) shown(box layout.Rect) layout.Rect {
	box.Left, box.Right = min(max(box.Left, 0), s.width), min(max(box.Right, 0), s.width)
	box.Top, box.Bottom = min(max(box.Top, 0), s.height), min(max(box.Bottom, 0), s.height)
	return box
}

// drawings adds the charts, and the groups of paths that make a picture:
// neighbours on a grid, with curves or slanted lines among them.
func (r *reader) drawings(out, charts []figure, g pdfium.Graphics, tables []table.Table, glyphs []layout.Glyph) []figure {
	groups, straight := r.groups(g)
	for _, f := range charts {
		if f.addAxes(straight); f.chart {
			out = append(out, f)
		}
	}
	known := len(out)
	account := &r.ledger.Drawings
	account.Found = len(groups)
	area := r.sheet.width * r.sheet.height
	for _, d := range groups {
		size := d.box.Width() * d.box.Height()
		inside := func(box layout.Rect) bool { return overlap(d.box, box) > 0.5*size }
		reason := ""
		switch {
		case slices.ContainsFunc(tables, func(t table.Table) bool { return inside(t.Box) }):
			reason = skipTable
		case slices.ContainsFunc(out, func(f figure) bool { return f.chart && inside(f.box) }):
			account.Placed++ // a part of the chart
			continue
		case size > maxDrawing*area:
			reason = skipBackdrop
		case size < minFigure*area || d.box.Width() < minSide || d.box.Height() < minSide:
			reason = skipSmall
		case d.slanted < 3 || textOn(d.box, glyphs) > textShare*size:
			reason = skipRule
		case slices.ContainsFunc(out, func(f figure) bool { return inside(f.box) }):
			reason = skipBackdrop // the frame of a picture
		case len(out) >= maxFigures:
			reason = skipMany
		}
		if reason != "" {
			coverage.Skip(account, reason, 1)
			continue
		}
		account.Placed++
		out = append(out, figure{box: d.box, drawn: true})
	}
	coverage.Close(account)
	for i := known; i < len(out); i++ {
		out[i].addAxes(straight)
	}
	return out
}

func overlap(a, b layout.Rect) float64 {
	w := math.Min(a.Right, b.Right) - math.Max(a.Left, b.Left)
	h := math.Min(a.Bottom, b.Bottom) - math.Max(a.Top, b.Top)
	return math.Max(w, 0) * math.Max(h, 0)
}

// textOn is the area that the glyphs in the box fill.
func textOn(box layout.Rect, glyphs []layout.Glyph) float64 {
	sum := 0.0
	for i := range glyphs {
		if r := glyphs[i].Box; box.Holds((r.Left+r.Right)/2, (r.Top+r.Bottom)/2) {
			sum += float64(r.Width() * r.Height())
		}
	}
	return sum
}

// drawing is a group of paths that touch each other.
type drawing struct {
	box     layout.Rect
	slanted int // paths with curves or slanted lines
}

// maxGrouped bounds the paths of a page that are looked at for drawings.
const maxGrouped = 20_000

// gridSide is how many cells the page has across and down for groups.
const gridSide = 96

// groups divides the paths of the page into groups of neighbours: those whose
// boxes share cells of a grid, or lie in cells side by side. Paths that fill most
// of the page, and long straight lines, hold nothing together. straight are the
// boxes of the paths that are neither curved nor slanted.
func (r *reader) groups(g pdfium.Graphics) (out []drawing, straight []layout.Rect) {
	var cells [gridSide * gridSide]int32 // 1 + group
	var parent []int32
	find := func(n int32) int32 {
		for parent[n] != n {
			parent[n] = parent[parent[n]]
			n = parent[n]
		}
		return n
	}
	type placed struct {
		box   layout.Rect
		slant bool
	}
	var paths []placed
	for i := range g.Paths[:min(len(g.Paths), maxGrouped)] {
		box := r.sheet.shown(r.sheet.rect(g.Paths[i].Box))
		w, h := box.Width(), box.Height()
		slant := slanted(&g.Paths[i])
		if !slant && max(w, h) >= minSide {
			straight = append(straight, box)
		}
		if w*h > maxDrawing*r.sheet.width*r.sheet.height || !slant && math.Min(w, h) < 2 && math.Max(w, h) > r.sheet.width/3 || w+h <= 0 {
			continue
		}
		n := int32(len(paths))
		paths, parent = append(paths, placed{box, slant}), append(parent, n)
		cell := func(v, of float64) int { return min(max(int(v/of*gridSide), 0), gridSide-1) }
		for y := cell(box.Top, r.sheet.height); y <= cell(box.Bottom, r.sheet.height); y++ {
			for x := cell(box.Left, r.sheet.width); x <= cell(box.Right, r.sheet.width); x++ {
				if at := cells[y*gridSide+x]; at > 0 {
					parent[find(at-1)] = find(n)
				}
				cells[y*gridSide+x] = n + 1
			}
		}
	}
	joinNeighbours(&cells, parent, find)
	index := map[int32]int{}
	for i := range paths {
		root := find(int32(i))
		k, ok := index[root]
		if !ok {
			k = len(out)
			index[root] = k
			out = append(out, drawing{box: paths[i].box})
		}
		out[k].box = out[k].box.Union(paths[i].box)
		out[k].slanted += layout.CountIf(paths[i].slant)
	}
	return out, straight
}

// joinNeighbours joins the groups of cells that lie side by side.
func joinNeighbours(cells *[gridSide * gridSide]int32, parent []int32, find func(int32) int32) {
	for i, at := range cells {
		if at == 0 {
			continue
		}
		for _, k := range []int{i + 1, i + gridSide} {
			if k < len(cells) && (k != i+1 || k%gridSide != 0) && cells[k] > 0 {
				parent[find(cells[k]-1)] = find(at - 1)
			}
		}
	}
}

// slanted reports whether a path has a curve, or a line that is neither level
// nor upright.
func slanted(p *pdfium.Path) bool {
	for i, point := range p.Points {
		if point.Kind == pdfium.CurveTo {
			return true
		}
		if i > 0 && point.Kind == pdfium.LineTo && math.Abs(point.X-p.Points[i-1].X) > 1 && math.Abs(point.Y-p.Points[i-1].Y) > 1 {
			return true
		}
	}
	return false
}

// figure makes the block of a picture or drawing. Its text are its labels, in
// reading order, one a line; its first evidence is its place. One without text has the
// digest of what is drawn.
func (r *reader) figure(f *figure, g pdfium.Graphics, caption string, words layout.Words) block.Block {
	out := block.Block{Type: model.UnitFigure, Confidence: 1, Evidence: []model.Evidence{r.place(f.box)}}
	image := model.Image{Alt: f.alt}
	if len(f.labels) == 0 && r.err == nil {
		image.SHA256, r.err = r.drawnDigest(f.box, g)
	}
	if image != (model.Image{}) {
		out.Images = []model.Image{image}
	}
	if caption != "" {
		out.Values = map[string][]string{"caption": {caption}}
	}
	if f.drawn {
		out.Notes, out.Confidence = "drawing", 0.8
	}
	for i := range f.labels {
		label := r.block(&f.labels[i], words)
		if i > 0 {
			out.Text += "\n"
		}
		out.Text += label.Text
		out.Evidence = append(out.Evidence, label.Evidence...)
		for _, flag := range label.Flags {
			if !slices.Contains(out.Flags, flag) {
				out.Flags = append(out.Flags, flag)
			}
		}
	}
	return out
}

// figureCaption returns the text of the caption of the figure in block i: the one
// that its place says, else one next to it in the order, below it rather than
// above. Other boxes do not stand between.
func figureCaption(blocks []layout.Block, i int, words layout.Words) string {
	own := 1 + blocks[i].Ref
	at := slices.IndexFunc(blocks, func(b layout.Block) bool { return b.Kind == layout.Caption && b.Ref == own })
	for _, step := range []int{1, -1} {
		for k := i + step; at < 0 && k >= 0 && k < len(blocks); k += step {
			if b := &blocks[k]; b.Kind == layout.Caption && b.Ref == 0 {
				at = k
			} else if b.Kind != layout.Box {
				break
			}
		}
	}
	if at < 0 {
		return ""
	}
	text, _ := blocks[at].Text(words)
	return text
}
