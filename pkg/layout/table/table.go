package table

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Table is a table as found. Its cells are in order of rows, then columns.
type Table struct {
	Box        layout.Rect
	Cells      []Cell
	Rows, Cols int
	HeaderRows int
	Ruled      bool // else its columns are told from the text alone
	// Turn is the direction of writing; but for 0 there are no edges.
	Turn       int
	Confidence float64
	// Drift is how many of the rows have a text that stands across columns told
	// from the text; Body is how many rows that is of.
	Drift, Body int
	// Held is the share of the texts that stand in line with their column.
	Held float64
	// Edges are the left edges of the columns and the right one of the last.
	Edges []float64
}

// Cell is one cell; a span of rows or columns stands at its first.
type Cell struct {
	Row, Col, RowSpan, ColSpan int
	Glyphs                     []layout.Glyph // in reading order
	Lines                      []layout.Line
	Bold                       bool
}

// upTables returns the tables of text that runs to the right, and the glyphs that
// are in none of them, in the order given.
func upTables(shapes []Shape, glyphs []layout.Glyph) (tables []Table, rest []layout.Glyph) {
	across, down := rulings(shapes)
	drawn := drawings(shapes)
	var lattices []lattice
	drawnNet := across
	var lines stacker
	if len(across) > 0 {
		drawnNet = withoutUnderlines(across, lines.of(glyphs).lines)
	}
	drawnNets := nets(drawnNet, down)
	for _, n := range stacked(drawnNets) {
		if l, ok := newLattice(n); ok && l.cols() > 1 && !isChart(l.box(), drawn) {
			lattices = append(lattices, l)
		}
	}
	area := func(l *lattice) float64 { b := l.box(); return b.Width() * b.Height() }
	sort.SliceStable(lattices, func(i, k int) bool { return area(&lattices[i]) < area(&lattices[k]) })
	rest = glyphs
	for i := range lattices {
		t, left, ok := fill(&lattices[i], rest)
		if ok {
			tables = append(tables, t)
			rest = left
		}
	}
	var taken []layout.Rect
	for i := range tables {
		taken = append(taken, tables[i].Box)
	}
	more, rest := framed(slices.Concat(across, ends(drawnNets)), shadesOf(shapes), taken, drawn, rest, &lines)
	tables = append(tables, more...)
	for i := range more {
		taken = append(taken, more[i].Box)
	}
	more, rest = underRules(across, taken, drawn, rest, &lines)
	tables = append(tables, more...)
	more, rest = underShades(slices.Concat(shadesOf(shapes), shadedHeads(shapes)), filledBoxes(shapes), drawn, rest, &lines)
	tables = append(tables, more...)
	more, rest = striped(shapes, drawn, rest, &lines)
	tables = append(tables, more...)
	more, rest = underBold(shapes, drawn, rest, &lines)
	tables = append(tables, more...)
	more, rest = aligned(rest, barsOf(shapes), drawn, &lines)
	tables = append(tables, more...)
	return tables, rest
}

// isChart reports whether curves or slanted lines are drawn in the box, or a
// line that is both is drawn across it.
func isChart(box layout.Rect, drawn []drawing) bool {
	n := 0
	for _, d := range drawn {
		n += layout.CountIf(box.Holds((d.Left+d.Right)/2, (d.Top+d.Bottom)/2))
		wide := math.Min(d.Right, box.Right) - math.Max(d.Left, box.Left)
		high := math.Min(d.Bottom, box.Bottom) - math.Max(d.Top, box.Top)
		if d.plot && wide > 0 && high > 0 && 2*wide*high > box.Width()*box.Height() {
			return true
		}
	}
	return n >= 2
}

// fill puts the glyphs inside of the net into its cells. ok is false when it
// is no table.
func fill(l *lattice, glyphs []layout.Glyph) (t Table, rest []layout.Glyph, ok bool) {
	cells := l.cells()
	owner := make([]int, l.rows()*l.cols())
	for i, c := range cells {
		for r := c.row; r < c.row+c.rowSpan; r++ {
			for k := c.col; k < c.col+c.colSpan; k++ {
				owner[r*l.cols()+k] = i
			}
		}
	}
	inside := make([][]layout.Glyph, len(cells))
	var taken []bool // made when the first glyph is
	for i := range glyphs {
		g := &glyphs[i]
		x, y := (g.Box.Left+g.Box.Right)/2, (g.Box.Top+g.Box.Bottom)/2
		r, c := between(l.ys, y), between(l.xs, x)
		if g.Turn != 0 || g.Hidden || g.Outside || r < 0 || c < 0 {
			continue
		}
		if taken == nil {
			taken = make([]bool, len(glyphs))
		}
		taken[i] = true
		k := owner[r*l.cols()+c]
		inside[k] = append(inside[k], *g)
	}
	var pieces []piece
	for i, c := range cells {
		if len(inside[i]) > 0 {
			pieces = append(pieces, piece{c, layout.Stack(inside[i])})
		}
	}
	if 2*len(pieces) < len(cells) && !listed(l, pieces) {
		return Table{}, nil, false
	}
	t = Table{Box: l.box(), Ruled: true, Confidence: 0.95}
	wide, cut := subdivide(l, pieces)
	head, levels, below := openHead(wide, cut)
	refined, rows := refine(&lattice{xs: wide.xs, ys: wide.ys[below:]}, bodyOf(cut, below))
	rows += levels
	for i := range refined {
		refined[i].row += levels
	}
	refined = append(head, refined...)
	if len(refined) != len(pieces) {
		t.Confidence = 0.85
	}
	for _, p := range refined {
		t.Cells = append(t.Cells, newCell(p.cell, p.lines))
	}
	t.compact(rows, wide)
	if t.Rows < 2 || t.Cols < 2 || len(t.Cells) < 4 || t.lopsided() {
		return Table{}, nil, false
	}
	t.HeaderRows = t.headers()
	if levels > 0 {
		t.HeaderRows = min(levels, t.Rows-1)
	}
	rest = make([]layout.Glyph, 0, len(glyphs))
	for i := range glyphs {
		if !taken[i] {
			rest = append(rest, glyphs[i])
		}
	}
	return t, rest, true
}

// leastListed is how many rows a net with few marks in it has at least.
const leastListed = 4

// listed reports whether all rows of a net have a name in the first column, and all
// columns one in the first row, as where few places of a list are marked.
func listed(l *lattice, pieces []piece) bool {
	rows, cols := 0, 0
	for i := range pieces {
		p := &pieces[i]
		rows += layout.CountIf(p.col == 0) * p.rowSpan
		cols += layout.CountIf(p.row == 0) * p.colSpan
	}
	return l.rows() >= leastListed && rows == l.rows() && cols >= l.cols()-1 && len(pieces) > rows+cols-1
}

// bodyOf returns the cells from row first on, which is row 0 of them.
func bodyOf(pieces []piece, first int) []piece {
	var out []piece
	for _, p := range pieces {
		if p.row >= first {
			p.row -= first
			out = append(out, p)
		}
	}
	return out
}

func newCell(c cell, lines []layout.Line) Cell {
	out := Cell{Row: c.row, Col: c.col, RowSpan: c.rowSpan, ColSpan: c.colSpan, Lines: lines, Bold: true}
	for i := range lines {
		out.Glyphs = append(out.Glyphs, lines[i].Glyphs...)
		out.Bold = out.Bold && lines[i].Bold
	}
	return out
}

// between returns the interval of the sorted positions that v lies in, -1 for
// none.
func between(edges []float64, v float64) int {
	i := sort.SearchFloat64s(edges, v)
	if i == 0 || i == len(edges) {
		return -1
	}
	return i - 1
}

// compact drops rows and columns in which no cell with text begins: doubled
// rulings, and the space beside a span that nothing divides.
func (t *Table) compact(height int, l *lattice) {
	rows, cols := make([]bool, height), make([]bool, l.cols())
	for i := range t.Cells {
		rows[t.Cells[i].Row], cols[t.Cells[i].Col] = true, true
	}
	rowAt, colAt := places(rows), places(cols)
	t.Rows, t.Cols = rowAt[len(rows)], colAt[len(cols)]
	for i := range t.Cells {
		c := &t.Cells[i]
		endRow, endCol := rowAt[c.Row+c.RowSpan], colAt[c.Col+c.ColSpan]
		c.Row, c.Col = rowAt[c.Row], colAt[c.Col]
		c.RowSpan, c.ColSpan = max(endRow-c.Row, 1), max(endCol-c.Col, 1)
	}
	for c, kept := range cols {
		if kept {
			t.Edges = append(t.Edges, l.xs[c])
		}
	}
	t.Edges = append(t.Edges, l.xs[len(l.xs)-1])
	t.settle()
}

// places numbers what is kept; the last element is how many are.
func places(kept []bool) []int {
	out := make([]int, len(kept)+1)
	for i, k := range kept {
		out[i+1] = out[i]
		if k {
			out[i+1]++
		}
	}
	return out
}

// lopsided reports a frame around text rather than a table: one cell holds
// nearly all there is.
func (t *Table) lopsided() bool {
	most, all := 0, 0
	for i := range t.Cells {
		n := len(t.Cells[i].Glyphs)
		most, all = max(most, n), all+n
	}
	return all > 400 && 10*most > 8*all
}

// headers counts the rows at the top that name the columns: bold ones above
// others that are not, those without numbers above numbers, and as far down as
// a cell of the first row spans.
func (t *Table) headers() int {
	bold := make([]bool, t.Rows)
	numbers := make([]int, t.Rows)
	filled := make([]int, t.Rows)
	for i := range bold {
		bold[i] = true
	}
	spanned, heads := 1, 0
	for i := range t.Cells {
		c := &t.Cells[i]
		bold[c.Row] = bold[c.Row] && c.Bold
		filled[c.Row]++
		if c.numeric() {
			numbers[c.Row]++
		}
		if c.Row == 0 {
			spanned = max(spanned, c.RowSpan)
			if c.ColSpan > 1 && c.ColSpan < t.Cols {
				spanned = max(spanned, 2)
			}
		}
	}
	for heads < t.Rows-1 && bold[heads] && filled[heads] > 0 {
		heads++
	}
	later := 0
	for _, b := range bold[heads:] {
		later += layout.CountIf(b)
	}
	if heads > 0 && 3*later < t.Rows-heads {
		return max(heads, min(spanned, t.Rows-1))
	}
	if numbers[0] > 0 {
		return 0
	}
	heads = min(spanned, t.Rows-1)
	for heads > 1 && numbers[heads-1] > 0 {
		heads--
	}
	return heads
}

// numeric reports whether the cell is a number rather than a name.
func (c *Cell) numeric() bool {
	digits, letters := 0, 0
	for i := range c.Glyphs {
		switch r := c.Glyphs[i].Rune; {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > letters && !year(c.Glyphs)
}

// years is a year, or two that follow each other: "2014", "2014/15".
var years = regexp.MustCompile(`^(?:19|20)\d\d(?:[-–—/](?:19|20)?\d\d)?$`)

// year reports a lone year, which heads columns as often as not.
func year(glyphs []layout.Glyph) bool {
	if len(glyphs) < 4 || len(glyphs) > 9 {
		return false
	}
	var b strings.Builder
	for i := range glyphs {
		b.WriteRune(glyphs[i].Rune)
	}
	return years.MatchString(b.String())
}

// Glyphs returns all glyphs of the table in the engine's order.
func (t *Table) Glyphs() []layout.Glyph {
	var out []layout.Glyph
	for i := range t.Cells {
		out = append(out, t.Cells[i].Glyphs...)
	}
	slices.SortFunc(out, func(a, b layout.Glyph) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// RowEdges are the upper edges of the rows and the lower one of the last, halfway
// between the texts of neighbouring rows; none for a turned table.
func (t *Table) RowEdges() []float64 {
	if t.Turn != 0 || t.Rows == 0 {
		return nil
	}
	tops, bottoms := make([]float64, t.Rows), make([]float64, t.Rows)
	for i := range tops {
		tops[i], bottoms[i] = math.Inf(1), math.Inf(-1)
	}
	for i := range t.Cells {
		c := &t.Cells[i]
		last := min(c.Row+c.RowSpan, t.Rows) - 1
		for k := range c.Lines {
			if c.RowSpan == 1 {
				tops[c.Row] = math.Min(tops[c.Row], c.Lines[k].Box.Top)
			}
			bottoms[last] = math.Max(bottoms[last], c.Lines[k].Box.Bottom)
		}
	}
	out := []float64{t.Box.Top}
	for i := 1; i < t.Rows; i++ {
		edge := out[i-1]
		switch above, below := bottoms[i-1], tops[i]; {
		case !math.IsInf(above, 0) && !math.IsInf(below, 0):
			edge = (above + below) / 2
		case !math.IsInf(above, 0):
			edge = above
		case !math.IsInf(below, 0):
			edge = below
		}
		out = append(out, math.Max(edge, out[i-1]))
	}
	return append(out, math.Max(t.Box.Bottom, out[len(out)-1]))
}
