package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Shades tell columns, too: those of the cells of a head, one beside the other, and
// those of every second column from the head down to the last row.

const (
	// leastStripe is how wide, in points, a shaded column is at least.
	leastStripe = 12
	// stripeRows is how many rows stand in a shaded column at least.
	stripeRows = 3
	// maxStripes bounds the shaded columns of a page.
	maxStripes = 200
	// crossing is how far, in points, text reaches over the edge of a shade that is
	// not its cell's.
	crossing = 2
	// dividedShare: a column is several where one of so many rows says it.
	dividedShare = 5
	// tiled is the share of a head's area that its shaded cells leave free, or take
	// twice, at most.
	tiled = 0.1
)

// columnsAt returns the columns that edges divide, nil when there is no edge or the
// text of rows crosses one.
func columnsAt(rows [][]layout.Line, edges []float64, width extent) *columns {
	if len(edges) == 0 || len(rows) == 0 {
		return nil
	}
	c := &columns{}
	left, right := width.from, width.to
	var words []extent
	for _, row := range rows {
		for i := range row {
			c.em = math.Max(c.em, row[i].Size)
			words = append(words, wordsOf(&row[i])...)
		}
	}
	for _, w := range words {
		left, right = math.Min(left, w.from), math.Max(right, w.to)
	}
	if c.em < minTextHeight || edges[0] <= left+1 || edges[len(edges)-1] >= right-1 {
		return nil
	}
	c.xs = slices.Concat([]float64{left - 1}, edges, []float64{right + 1})
	c.text = make([]extent, len(c.xs)-1)
	for k := range c.text {
		c.text[k] = nowhere()
	}
	for _, w := range words {
		k := max(0, between(c.xs, (w.from+w.to)/2))
		if w.from < c.xs[k]-crossing || w.to > c.xs[k+1]+crossing {
			return nil
		}
		c.text[k] = extent{math.Min(c.text[k].from, w.from), math.Max(c.text[k].to, w.to)}
	}
	for k := range c.text {
		if c.text[k].from > c.text[k].to {
			c.text[k] = extent{c.xs[k] + 1, c.xs[k+1] - 1}
		}
	}
	return c
}

// meeting returns where shaded cells that end at one height meet, from left to right.
func meeting(cells []layout.Rect, bottom, left, right float64) []float64 {
	var row []layout.Rect
	for _, b := range cells {
		if math.Abs(b.Bottom-bottom) <= 1 && b.Left >= left-1 && b.Right <= right+1 {
			row = append(row, b)
		}
	}
	slices.SortFunc(row, func(a, b layout.Rect) int { return cmp.Compare(a.Left, b.Left) })
	var out []float64
	for i := 1; i < len(row); i++ {
		if math.Abs(row[i].Left-row[i-1].Right) > 1 {
			return nil
		}
		out = append(out, row[i].Left)
	}
	return out
}

// stripesOf returns the shaded columns of a page, whose cells may be shaded one by
// one, those of one height together, from left to right.
func stripesOf(shapes []Shape) [][]layout.Rect {
	var tall []layout.Rect
	for _, b := range turnedBack(stacks(turnedOver(filledBoxes(shapes)))) {
		if b.Width() >= leastStripe && b.Height() >= stripeRows*minTextHeight {
			tall = append(tall, b)
		}
	}
	if len(tall) > maxStripes {
		return nil
	}
	var out [][]layout.Rect
	for _, b := range tall {
		same := func(g []layout.Rect) bool {
			return math.Abs(g[0].Top-b.Top) <= 1 && math.Abs(g[0].Bottom-b.Bottom) <= 1
		}
		if k := slices.IndexFunc(out, same); k >= 0 {
			out[k] = append(out[k], b)
		} else {
			out = append(out, []layout.Rect{b})
		}
	}
	for _, g := range out {
		slices.SortFunc(g, func(a, b layout.Rect) int { return cmp.Compare(a.Left, b.Left) })
	}
	return out
}

// striped returns the tables whose columns are shaded by turns, and the glyphs that
// are in none of them, in the order given.
func striped(shapes []Shape, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	rest = glyphs
	for _, group := range stripesOf(shapes) {
		lines := stacked.of(rest)
		if len(lines.lines) > maxLines {
			return tables, rest
		}
		t, own, ok := stripedTable(group, lines, drawn)
		if !ok {
			continue
		}
		inside, outside := own.take(rest)
		if len(inside) != own.size() {
			continue
		}
		tables, rest = append(tables, t), outside
	}
	return tables, rest
}

// stripedTable makes the table of shaded columns. ok is false when it is none.
func stripedTable(stripes []layout.Rect, lines *stack, drawn []drawing) (t Table, own region, ok bool) {
	top, bottom := stripes[0].Top, stripes[0].Bottom
	rows := rowsOf(lines.between(top, bottom, math.Inf(-1), math.Inf(1)))
	if len(rows) < stripeRows {
		return Table{}, region{}, false
	}
	box := (&region{rows: rows}).box()
	var edges []float64
	for _, s := range stripes {
		for _, x := range []float64{s.Left, s.Right} {
			if x > box.Left+1 && x < box.Right-1 && (len(edges) == 0 || x-edges[len(edges)-1] > snap) {
				edges = append(edges, x)
			}
		}
	}
	c := columnsAt(rows, edges, extent{math.Inf(1), math.Inf(-1)})
	if c == nil || isChart(box, drawn) || !c.names(rows[0], 2) {
		return Table{}, region{}, false
	}
	heads := 1
	if len(rows) > stripeRows && !c.begins(rows[1]) && c.names(rows[1], len(c.text)-1) && len(c.cut(rows[0])) < len(c.text) {
		heads = 2
	}
	if c.running(rows[heads:]) || c.divided(rows) {
		return Table{}, region{}, false
	}
	own = region{rows, heads}
	t, ok = assemble(c, rows[:heads], rows[heads:], nil, nil)
	if !ok || t.form() || t.longest() > maxCell || !t.short() {
		return Table{}, region{}, false
	}
	t.Box, t.Confidence = box, 0.8
	for _, s := range stripes {
		t.Box = t.Box.Union(s)
	}
	return t, own, true
}

// divided reports whether two texts stand side by side in one column of some rows: it
// is more than one.
func (c *columns) divided(rows [][]layout.Line) bool {
	n := 0
	for _, row := range rows {
		last := -1
		for _, l := range c.cut(row) {
			from, to := c.taken(l.At.Left, l.At.Right)
			n += layout.CountIf(from == last)
			last = to
		}
	}
	return dividedShare*n > len(rows)
}

// shadedHeads returns the upper and lower edges of heads of several levels whose
// cells are shaded one by one, of several heights.
func shadedHeads(shapes []Shape) []ruling {
	var boxes []layout.Rect
	for _, b := range filledBoxes(shapes) {
		if b.Height() <= 2*maxShade {
			boxes = append(boxes, b)
		}
	}
	if len(boxes) < 3 || len(boxes) > maxRulings {
		return nil
	}
	slices.SortStableFunc(boxes, func(a, b layout.Rect) int { return cmp.Or(cmp.Compare(a.Top, b.Top), cmp.Compare(a.Left, b.Left)) })
	var out []ruling
	for start := 0; start < len(boxes); {
		all, area, end := boxes[start], boxes[start].Width()*boxes[start].Height(), start+1
		low := false // a box ends above the others
		for end < len(boxes) && boxes[end].Top < all.Bottom-1 && boxes[end].Left <= all.Right+1 && boxes[end].Right >= all.Left-1 {
			low = low || math.Abs(boxes[end].Bottom-all.Bottom) > 1
			all, area = all.Union(boxes[end]), area+boxes[end].Width()*boxes[end].Height()
			end++
		}
		if whole := all.Width() * all.Height(); low && all.Height() <= 2*maxShade && math.Abs(area-whole) < tiled*whole {
			out = append(out, ruling{all.Top, all.Left, all.Right}, ruling{all.Bottom, all.Left, all.Right})
		}
		start = end
	}
	return out
}
