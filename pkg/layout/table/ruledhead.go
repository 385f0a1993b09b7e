package table

import (
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Some tables have one rule, under their head, and nothing else that is drawn. The
// names above the rule tell how many columns there are, and the rows below it how
// far down they go.

const (
	// underName is how far below the baseline of the names, in ems, their rule is.
	underName = 1.5
	// ruledBodyRows is how many rows stand below such a rule at least.
	ruledBodyRows = 2
	// maxRuledHeads bounds the rules of a page that are looked below.
	maxRuledHeads = 200
	// fullLine is the share of the widest line of its column that a line of running
	// text takes; fullWords is how many words it has at least.
	fullLine, fullWords = 0.85, 3
)

// underRules returns the tables below a single rule under their heads, and the
// glyphs that are in none of them, in the order given. Rules inside of the boxes
// taken are others' rules.
func underRules(across []ruling, taken []layout.Rect, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	rest = glyphs
	if len(across) == 0 {
		return nil, rest
	}
	lines := stacked.of(glyphs)
	if len(lines.lines) > maxLines {
		return nil, rest
	}
	rules := bars(withoutUnderlines(across, lines.lines))
	if len(rules) > maxRuledHeads {
		return nil, rest
	}
	for i, b := range rules {
		inTable := slices.ContainsFunc(taken, func(t layout.Rect) bool {
			return b.pos > t.Top-2*snap && b.pos < t.Bottom+2*snap && b.right > t.Left && b.left < t.Right
		})
		if inTable || b.right-b.left < leastBar {
			continue
		}
		limit := math.Inf(1)
		for _, next := range rules[i+1:] {
			if next.pos > b.pos+2*snap && next.right > b.left && next.left < b.right {
				limit = next.pos
				break
			}
		}
		t, own, ok := b.table(lines, limit, drawn)
		if !ok || t.Rows-t.HeaderRows < ruledBodyRows {
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

// table makes the table whose head the rule is under. ok is false when it is none.
func (b bar) table(lines *stack, limit float64, drawn []drawing) (t Table, own region, ok bool) {
	above := rowsOf(lines.between(b.pos-2*headStep*maxHeads*minTextHeight, b.pos+1, b.left-2*sameEnd, b.right+2*sameEnd))
	if len(above) == 0 {
		return Table{}, region{}, false
	}
	names := above[len(above)-1]
	f := frame{left: b.left, right: b.right, rules: []float64{names[0].At.Top, b.pos}}
	if len(names) < 2 || b.pos-names[0].Base > underName*names[0].Size || slices.ContainsFunc(names, func(l layout.Line) bool { return isNumber(&l) }) || f.outside(names) {
		return Table{}, region{}, false
	}
	body := f.rowsBelow(lines, names, limit)
	if len(body) < ruledBodyRows || len(body[0]) < 2 {
		return Table{}, region{}, false
	}
	c := columnsOf(body, extent{b.left, b.right})
	if c == nil || c.running(body) {
		return Table{}, region{}, false
	}
	box := (&region{rows: body}).box()
	box.Left, box.Right = math.Min(box.Left, b.left), math.Max(box.Right, b.right)
	heads := c.headsAbove(above, body, box)
	if len(heads) == 0 || c.named(heads) < max(2, len(c.text)-1) {
		return Table{}, region{}, false
	}
	own = region{slices.Concat(heads, body), len(heads)}
	t, ok = assemble(c, heads, body, nil, nil)
	if !ok || t.form() || t.longest() > maxCell || !t.short() || isChart(box, drawn) {
		return Table{}, region{}, false
	}
	t.Box = own.box()
	t.Box.Left, t.Box.Right = math.Min(t.Box.Left, b.left), math.Max(t.Box.Right, b.right)
	t.Confidence = 0.75
	return t, own, true
}

const (
	// boldBodyRows is how many rows stand below names in bold at least.
	boldBodyRows = 3
	// boldHeld is the least share of texts below them in line with their column.
	boldHeld = 0.8
	// boldShare: at most one of so many cells below them is in bold, too.
	boldShare = 5
)

// underBold returns the tables below names in bold, each over its own column, and
// the glyphs that are in none of them, in the order given. Nothing is drawn of them:
// what stands below has to be in line.
func underBold(shapes []Shape, drawn []drawing, glyphs []layout.Glyph, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	all := stacked.of(glyphs).lines
	rest = glyphs
	if len(all) == 0 || len(all) > maxLines || !slices.ContainsFunc(all, func(l layout.Line) bool { return l.Bold }) {
		return nil, rest
	}
	for _, lines := range layout.Columns(all) {
		rows := rowsOf(lines)
		var column *stack
		width := extent{}
		for _, row := range rows {
			if len(row) < 2 || slices.ContainsFunc(row, func(l layout.Line) bool { return !l.Bold }) {
				continue
			}
			if column == nil {
				column = newStack(lines)
				box := (&region{rows: rows}).box()
				width = extent{box.Left, box.Right}
			}
			b := bar{pos: row[0].Base + 1, left: width.from, right: width.to}
			t, own, ok := b.table(column, math.Inf(1), drawn)
			if !ok || !t.boldAlone() || t.Rows-t.HeaderRows < boldBodyRows || t.Held < boldHeld || t.headed() < t.Cols || onBars(t.Box, barsOf(shapes)) {
				continue
			}
			inside, outside := own.take(rest)
			if len(inside) != own.size() {
				continue
			}
			t.Box, t.Confidence = own.box(), 0.65
			tables, rest = append(tables, t), outside
		}
	}
	return tables, rest
}

// boldAlone reports whether hardly a cell below the head is in bold beyond the first
// column.
func (t *Table) boldAlone() bool {
	bold, n := 0, 0
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Row >= t.HeaderRows && c.Col > 0 {
			n++
			bold += layout.CountIf(c.Bold)
		}
	}
	return boldShare*bold <= n
}

// running reports whether the columns are those of running text: in two of them, or
// in all, most lines have several words and reach as far as the others do.
func (c *columns) running(rows [][]layout.Line) bool {
	widths := make([][]float64, len(c.text))
	for _, row := range rows {
		for _, l := range c.cut(row) {
			if from, to := c.taken(l.At.Left, l.At.Right); from == to {
				width := l.At.Width()
				if len(wordsOf(&l)) < fullWords {
					width = 0
				}
				widths[from] = append(widths[from], width)
			}
		}
	}
	n := 0
	for _, w := range widths {
		full := 0
		for _, v := range w {
			full += layout.CountIf(v > 0 && v >= fullLine*slices.Max(w))
		}
		n += layout.CountIf(len(w) > 2 && 3*full > 2*len(w))
	}
	return n > 1
}
