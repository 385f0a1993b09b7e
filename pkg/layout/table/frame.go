package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Books set tables with rules across and none down: one above, one below, one
// under the head, short ones under heads of several columns. Between the rules
// the text alone tells rows and columns.

const (
	// sameEnd is how far, in points, the ends of the rules of one table differ.
	sameEnd = 6
	// barGap is how far apart, in points, parts of one rule stand: a rule may be
	// drawn for each column.
	barGap = 14
	// leastBar is how long, in points, the rules of a table are at least.
	leastBar = 72
	// toldWidth is the share of the width of a frame that a sentence between
	// tables takes at least: shorter ones are names and notes in cells.
	toldWidth = 0.4
)

// bar is a rule across, maybe in parts.
type bar struct{ pos, left, right float64 }

// frame is the rules of one table, from the top down.
type frame struct {
	left, right float64
	rules       []float64
	// partial are the rules that are shorter, between the first and the last.
	partial []ruling
	// top is where the table begins: above the first rule when a head stands
	// over it that only shorter rules close.
	top float64
	// shaded and openEnd: the first rule, and the last one, is the edge of a shaded
	// row.
	shaded, openEnd bool
	// cells are the places where shaded cells of the head meet.
	cells []float64
}

// bars puts parts of one rule together.
func bars(across []ruling) []bar {
	sorted := slices.Clone(across)
	slices.SortFunc(sorted, func(a, b ruling) int { return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.from, b.from)) })
	var out []bar
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end].pos-sorted[start].pos <= 1 {
			end++
		}
		row := slices.Clone(sorted[start:end])
		slices.SortFunc(row, func(a, b ruling) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
		last := bar{row[0].pos, row[0].from, row[0].to}
		for _, r := range row[1:] {
			if r.from-last.right > barGap {
				out = append(out, last)
				last = bar{r.pos, r.from, r.to}
				continue
			}
			last.right = math.Max(last.right, r.to)
		}
		out = append(out, last)
		start = end
	}
	return out
}

// leastCross is how far, in points, a rule down reaches at least on both sides of
// the one rule across that it meets.
const leastCross = 8

// ends returns where tables begin and end that have one rule across, under their
// head, and rules down through it: where those end.
func ends(nets []net) []ruling {
	var out []ruling
	for _, n := range nets {
		if len(n.across) != 1 || len(n.down) == 0 {
			continue
		}
		a, box := n.across[0], n.box()
		whole := !slices.ContainsFunc(n.down, func(d ruling) bool {
			return d.from > a.pos-leastCross || d.to < a.pos+leastCross || d.pos < a.from+leastCross || d.pos > a.to-leastCross
		})
		if whole {
			out = append(out, ruling{box.Top, a.from, a.to}, ruling{box.Bottom, a.from, a.to})
		}
	}
	return out
}

// framed returns the tables between rules across, and the glyphs that are in
// none of them, in the order given. The edges of shaded rows do for rules. What
// is inside of the boxes taken is not looked at.
func framed(across, shades []ruling, taken []layout.Rect, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	inTable := func(r ruling) bool {
		return slices.ContainsFunc(taken, func(b layout.Rect) bool {
			return b.Holds((r.from+r.to)/2, math.Max(b.Top, math.Min(r.pos, b.Bottom))) && r.pos > b.Top-2*snap && r.pos < b.Bottom+2*snap
		})
	}
	free := slices.DeleteFunc(slices.Clone(across), inTable)
	chains := chainsOf(bars(joined(slices.Concat(free, slices.DeleteFunc(slices.Clone(shades), inTable)))))
	if len(chains) == 0 {
		return nil, glyphs
	}
	lines := stacked.of(glyphs)
	if len(lines.lines) > maxLines {
		return nil, glyphs
	}
	rest = glyphs
	for _, chain := range chains {
		for _, f := range split(chain, lines) {
			f.partials(free)
			f.shaded = !anyAt(free, f.rules[0])
			f.openEnd = !anyAt(free, f.rules[len(f.rules)-1])
			f.reachUp(lines)
			t, own, ok := f.table(lines, drawn)
			if !ok {
				continue
			}
			inside, outside := own.take(rest)
			if len(inside) != own.size() {
				continue // another table has a part of it
			}
			tables, rest = append(tables, t), outside
		}
	}
	return tables, rest
}

func anyAt(rules []ruling, pos float64) bool {
	return slices.ContainsFunc(rules, func(r ruling) bool { return math.Abs(r.pos-pos) <= snap })
}

// chainsOf returns the bars that have their ends in common, from the top down.
func chainsOf(all []bar) []frame {
	used := make([]bool, len(all))
	var out []frame
	for i := range all {
		b := all[i]
		if used[i] || b.right-b.left < leastBar {
			continue
		}
		f := frame{left: b.left, right: b.right}
		for k := i; k < len(all); k++ {
			if o := all[k]; !used[k] && math.Abs(o.left-b.left) <= sameEnd && math.Abs(o.right-b.right) <= sameEnd {
				used[k] = true
				f.rules = append(f.rules, o.pos)
			}
		}
		if len(f.rules) > 1 {
			out = append(out, f)
		}
	}
	return out
}

// within returns the rows of the lines between two heights of the frame. ok is
// false when text reaches out of it.
func (f *frame) within(lines *stack, top, bottom float64) (rows [][]layout.Line, ok bool) {
	inside := lines.between(top, bottom, f.left, f.right)
	if slices.ContainsFunc(inside, func(l layout.Line) bool { return l.At.Left < f.left-2*sameEnd || l.At.Right > f.right+2*sameEnd }) {
		return nil, false
	}
	return rowsOf(inside), true
}

// Kinds of bands.
const (
	bandNone  = iota // nothing that belongs to a table
	bandEmpty        // two rules for one
	bandLabel        // a short text
	bandRows         // rows of several texts
)

// band says what stands between two rules.
func (f *frame) band(lines *stack, top, bottom float64) int {
	rows, ok := f.within(lines, top, bottom)
	if !ok {
		return bandNone
	}
	if len(rows) == 0 {
		if bottom-top <= 2*snap {
			return bandEmpty
		}
		return bandNone
	}
	several, prose, short := 0, 0, true
	for _, row := range rows {
		if len(row) == 1 && layout.BeginsCaption(row[0].String()) || f.told(row) {
			return bandNone // that of the next table, or text before it
		}
		several += layout.CountIf(len(row) > 1)
		wide := len(row) == 1 && row[0].At.Width() > 0.7*(f.right-f.left)
		prose += layout.CountIf(wide)
		short = short && !wide
	}
	switch {
	case several > 0 && 3*prose <= several:
		return bandRows
	case short && len(rows) <= 2 && several == 0:
		return bandLabel
	}
	return bandNone
}

// told reports a row that is a sentence of text around tables: from the left edge
// on, over a good part of the width.
func (f *frame) told(row []layout.Line) bool {
	return sentence(row) && !lower(&row[0]) && row[0].At.Left < f.left+float64(2*row[0].Size) && row[0].At.Width() > toldWidth*(f.right-f.left)
}

// split divides a chain of rules where something else stands between them.
func split(chain frame, lines *stack) []frame {
	var out []frame
	start, last := -1, -1 // of the rules of one table: the first, the last that rows stand above
	flush := func() {
		if last > start && start >= 0 {
			out = append(out, frame{left: chain.left, right: chain.right, rules: slices.Clone(chain.rules[start : last+1]), top: chain.rules[start]})
		}
		start, last = -1, -1
	}
	for i := 0; i+1 < len(chain.rules); i++ {
		switch chain.band(lines, chain.rules[i], chain.rules[i+1]) {
		case bandRows:
			if start < 0 {
				start = i
			}
			last = i + 1
		case bandNone:
			flush()
		}
	}
	flush()
	return out
}

// partials finds the shorter rules in the frame.
func (f *frame) partials(across []ruling) {
	f.partial = nil
	for _, r := range across {
		whole := r.to-r.from > 0.95*(f.right-f.left)
		if !whole && r.to-r.from > 2*snap && r.from >= f.left-sameEnd && r.to <= f.right+sameEnd && r.pos <= f.rules[len(f.rules)-1] {
			f.partial = append(f.partial, r)
		}
	}
}

// reachUp takes in the heads above the first rule that shorter rules close.
func (f *frame) reachUp(lines *stack) {
	f.top = f.rules[0]
	for i := len(f.partial) - 1; i >= 0; i-- {
		r := f.partial[i]
		if r.pos >= f.top || math.Abs(r.to-f.right) > sameEnd || 3*(r.to-r.from) < f.right-f.left {
			continue
		}
		rows, ok := f.within(lines, r.pos, f.top)
		if !ok || len(rows) == 0 || len(rows) > maxHeads {
			break
		}
		if f.top-r.pos > 2*headStep*float64(len(rows))*rows[0][0].Size {
			break
		}
		f.top = r.pos
	}
	f.partial = slices.DeleteFunc(f.partial, func(r ruling) bool { return r.pos <= f.top+1 })
}

// table makes the table of the frame. ok is false when it is none.
func (f *frame) table(lines *stack, drawn []drawing) (t Table, own region, ok bool) {
	bottom := f.rules[len(f.rules)-1]
	box := layout.Rect{Left: f.left, Right: f.right, Top: f.top, Bottom: bottom}
	rows, fits := f.within(lines, f.top, bottom)
	if !fits || len(rows) < 2 || isChart(box, drawn) {
		return Table{}, region{}, false
	}
	rows, heads := f.withAbove(lines, rows, box)
	rows = f.withBelow(lines, rows, heads)
	own = region{rows, heads}
	c := columnsAt(rows[heads:], f.cells, extent{f.left, f.right})
	if c == nil {
		c = columnsOf(rows[heads:], extent{f.left, f.right})
	}
	if c == nil {
		return Table{}, region{}, false
	}
	t, ok = assemble(c, rows[:heads], rows[heads:], f.partial, f.rules)
	if !ok || t.form() || heads == 0 && !(t.plausible() && figures(rows)) {
		return Table{}, region{}, false
	}
	t.Box = box
	for _, row := range rows {
		for i := range row {
			t.Box = t.Box.Union(row[i].Box)
		}
	}
	t.Confidence = 0.85
	if heads == 0 {
		t.HeaderRows = t.headers()
	}
	return t, own, true
}

// maxNumber is how many characters the number of a column has at most: "(12)".
const maxNumber = 4

// heads returns how many of the rows stand in the head: above the first rule
// when they reach over it, else above the second, with no more than one row of
// figures: they may be numbered.
func (f *frame) heads(rows [][]layout.Line) int {
	at := f.rules[0]
	if f.top >= at {
		k := 1
		for k < len(f.rules) && f.rules[k]-at <= 2*snap {
			k++
		}
		if k >= len(f.rules)-1 {
			return 0
		}
		at = f.rules[k]
	}
	n, data := 0, 0
	for n < len(rows) && rows[n][0].Base <= at+1 {
		figures, long := 0, 0
		for i := range rows[n] {
			if l := &rows[n][i]; isNumber(l) {
				figures++
				long += layout.CountIf(len(l.Glyphs) > maxNumber)
			}
		}
		if figures > 1 && long > 0 && figures+1 >= len(rows[n]) {
			return n // those above the first row of data
		}
		data += layout.CountIf(figures > 1)
		n++
	}
	if n == len(rows) || n > 2*maxHeads || data > 1 || data == 1 && 4*n > len(rows) {
		return 0
	}
	return n
}

// form reports what is to be filled in: labels, most of them with a colon.
func (t *Table) form() bool {
	colons := 0
	for i := range t.Cells {
		g := t.Cells[i].Glyphs
		colons += layout.CountIf(len(g) > 0 && (g[len(g)-1].Rune == ':' || g[len(g)-1].Rune == '_'))
	}
	return 2*colons > len(t.Cells)
}
