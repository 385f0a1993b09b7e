package table

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Tables without rulings are told from their text alone: rows that follow each
// other closely, each of a few texts with white space between them and figures
// among them, in the same columns. It takes figures: words in columns are too
// often columns of text.

const (
	// maxHeads is how many rows above the figures can be heads.
	maxHeads = 5
	// rowStep is how far apart rows of one table stand at most, in ems, and
	// headStep a head from what is below it.
	rowStep  = 2.8
	headStep = 2.2
	// maxAbove is how many rows tell the columns for one that has no figures.
	maxAbove = 60
)

// aligned returns the tables that figures in columns make, and the glyphs that
// are in none of them, in the order given.
func aligned(glyphs []layout.Glyph, bars []layout.Rect, drawn []drawing, stacked *stacker) (tables []Table, rest []layout.Glyph) {
	all := stacked.of(glyphs).lines
	if len(all) == 0 || len(all) > maxLines {
		return nil, glyphs
	}
	rest = glyphs
	for _, lines := range layout.Columns(all) {
		for _, r := range regions(rowsOf(lines)) {
			t, ok := r.table()
			if !ok || onBars(t.Box, bars) || isChart(t.Box, drawn) {
				continue
			}
			inside, outside := r.take(rest)
			if len(inside) != r.size() {
				continue // another table has a part of it
			}
			tables, rest = append(tables, t), outside
		}
	}
	return tables, rest
}

// table makes the table of the region, whose heads shrink to those that are
// heads of columns.
func (r *region) table() (t Table, ok bool) {
	c := columnsOf(r.rows[r.heads:], nowhere())
	if c == nil {
		return Table{}, false
	}
	for r.heads > 0 && !slices.ContainsFunc(r.rows[0], func(l layout.Line) bool { _, to := c.taken(l.At.Left, l.At.Right); return to > 0 }) {
		r.rows, r.heads = r.rows[1:], r.heads-1
	}
	r.heads = c.withoutLabels(r.rows, r.heads)
	t, ok = assemble(c, r.rows[:r.heads], r.rows[r.heads:], nil, nil)
	if !ok || !t.plausible() {
		return Table{}, false
	}
	if r.heads == 0 {
		t.HeaderRows = t.headers()
	}
	t.Box, t.Confidence = r.box(), 0.7
	return t, true
}

// withoutLabels returns how many of the heads are left without the names of the
// group of rows below them.
func (c *columns) withoutLabels(rows [][]layout.Line, heads int) int {
	for heads > 1 && c.label(rows[heads-1]) && c.closed(rows[:heads-1], rows[heads-1]) {
		heads--
	}
	return heads
}

// closed reports whether the head of the first column ends in rows, above one that
// stands by itself.
func (c *columns) closed(rows [][]layout.Line, below []layout.Line) bool {
	last := rows[len(rows)-1]
	return c.begins(last) || below[0].Base-last[0].Base >= below[0].Size && slices.ContainsFunc(rows, c.begins)
}

// label reports a row that names the group of rows below it: one text in the
// first column, which does not go on from above.
func (c *columns) label(row []layout.Line) bool {
	return len(row) == 1 && c.begins(row) && !lower(&row[0])
}

// begins reports whether the row has a text in the first column alone.
func (c *columns) begins(row []layout.Line) bool {
	_, to := c.taken(row[0].At.Left, row[0].At.Right)
	return to == 0
}

// region is a run of rows that can be a table, the first of them heads.
type region struct {
	rows  [][]layout.Line
	heads int
}

func (r *region) box() layout.Rect {
	box := r.rows[0][0].Box
	for _, row := range r.rows {
		for i := range row {
			box = box.Union(row[i].Box)
		}
	}
	return box
}

// size is how many glyphs the region has.
func (r *region) size() int {
	n := 0
	for _, row := range r.rows {
		for i := range row {
			n += len(row[i].Glyphs)
		}
	}
	return n
}

// take divides glyphs into those of the region's lines and the others.
func (r *region) take(glyphs []layout.Glyph) (inside, outside []layout.Glyph) {
	own := map[int]bool{}
	outside = make([]layout.Glyph, 0, len(glyphs))
	for _, row := range r.rows {
		for i := range row {
			for k := range row[i].Glyphs {
				own[row[i].Glyphs[k].Seq] = true
			}
		}
	}
	for i := range glyphs {
		if own[glyphs[i].Seq] {
			inside = append(inside, glyphs[i])
		} else {
			outside = append(outside, glyphs[i])
		}
	}
	return inside, outside
}

// regions returns the runs of rows with figures, with the heads above them.
func regions(rows [][]layout.Line) []region {
	var out []region
	used := 0 // rows before this one belong to a region
	for start := 0; start < len(rows); start++ {
		if !tabular(rows[start]) {
			continue
		}
		end, n := start+1, 1
		for next := end; next < len(rows) && near(rows[next-1], rows[next], rowStep); next++ {
			if tabular(rows[next]) {
				end, n = next+1, n+1
			} else if n >= fewRows && next == end && goesOnInColumns(rows[start:end], rows[next]) {
				end = next + 1
			} else if next-end >= 2 || !label(rows[next]) {
				break
			}
		}
		if n < fewRows || !figures(rows[start:end]) {
			start = end - 1
			continue
		}
		for end-start > fewRows && ofYears(rows[start]) {
			start++
		}
		for start > used && near(rows[start-1], rows[start], rowStep) && empty(rows[start-1]) {
			start--
		}
		first := firstHead(rows, used, start, end)
		out = append(out, region{rows[first:end], start - first})
		used, start = end, end-1
	}
	return out
}

// tabular reports a row of a few texts of which one that is not the first is a
// figure.
func tabular(row []layout.Line) bool {
	if len(row) < 2 {
		return false
	}
	data, digits := 0, false
	for i := range row[1:] {
		l := &row[i+1]
		data += layout.CountIf(isData(l))
		digits = digits || isData(l) && hasDigit(l)
	}
	return digits && 2*data >= len(row)-1
}

// ofYears reports a row in which all figures are years: it heads others.
func ofYears(row []layout.Line) bool {
	return !slices.ContainsFunc(row, func(l layout.Line) bool { return isNumber(&l) })
}

// empty reports a row of a name and signs for no figure.
func empty(row []layout.Line) bool {
	return len(row) > 1 && !slices.ContainsFunc(row[1:], func(l layout.Line) bool { return !isData(&l) || hasDigit(&l) })
}

// goesOnInColumns reports whether a row without figures is one of the rows above
// it: it follows them as they do each other, with a text in most of their columns.
func goesOnInColumns(above [][]layout.Line, row []layout.Line) bool {
	if len(row) < 2 || !near(above[len(above)-1], row, pitchSlack*pitch(above)) {
		return false
	}
	c := columnsOf(above[max(0, len(above)-maxAbove):], nowhere())
	return c != nil && c.apart(row, c.most())
}

// isNumber reports a figure that is no lone year.
func isNumber(l *layout.Line) bool { return isData(l) && hasDigit(l) && !year(l.Glyphs) }

func hasDigit(l *layout.Line) bool {
	return slices.ContainsFunc(l.Glyphs, func(g layout.Glyph) bool { return unicode.IsDigit(g.Rune) })
}

// figures reports whether most of the figures in the rows are longer than one
// digit: the matrices and axes of mathematics are not.
func figures(rows [][]layout.Line) bool {
	long, all := 0, 0
	for _, row := range rows {
		for i := range row {
			if isData(&row[i]) && hasDigit(&row[i]) {
				digits := 0
				for k := range row[i].Glyphs {
					digits += layout.CountIf(unicode.IsDigit(row[i].Glyphs[k].Rune))
				}
				all++
				long += layout.CountIf(digits > 1)
			}
		}
	}
	return 2*long >= all
}

// label reports a row that names a group of rows: one short text.
func label(row []layout.Line) bool {
	return len(row) == 1 && row[0].At.Width() < 25*row[0].Size && !sentence(row)
}

// near reports whether two rows follow each other within so many ems.
func near(a, b []layout.Line, step float64) bool {
	size := math.Max(a[0].Size, b[0].Size)
	return b[0].Base-a[0].Base <= step*size
}

// firstHead returns the first of the rows from used on that head the columns of the
// rows from start to end.
func firstHead(rows [][]layout.Line, used, start, end int) int {
	body := rows[start:end]
	c := columnsOf(body, nowhere())
	if c == nil {
		return start
	}
	box := (&region{rows: body}).box()
	return start - len(c.headsAbove(rows[used:start], body, box))
}

// headsAbove returns the last of the rows above a body that head its columns:
// short texts that stand within its box, no further from each other than its own
// rows are, the topmost with more than one of them.
func (c *columns) headsAbove(rows, body [][]layout.Line, box layout.Rect) [][]layout.Line {
	step := math.Max(headStep, pitchSlack*pitch(body))
	n, below := 0, body[0]
	for i := len(rows) - 1; i >= 0 && i >= len(rows)-maxHeads && near(rows[i], below, step); i-- {
		names := c.names(rows[i], c.most())
		fits := !slices.ContainsFunc(c.cut(rows[i]), func(l layout.Line) bool {
			return l.At.Left < box.Left-float64(2*l.Size) || l.At.Right > box.Right+float64(2*l.Size) || !names && l.At.Width() > 0.6*box.Width()
		})
		if !fits || layout.BeginsCaption(rows[i][0].String()) {
			break
		}
		if names || len(rows[i]) > 1 {
			n = len(rows) - i
		}
		below = rows[i]
	}
	return rows[len(rows)-n:]
}

// pitchSlack is how much further apart than the rows of a body its heads may be.
const pitchSlack = 1.1

// pitch is the usual distance of neighbouring rows, in ems: that which half of
// them keep; 0 for one row.
func pitch(rows [][]layout.Line) float64 {
	var steps []float64
	for i := 1; i < len(rows); i++ {
		steps = append(steps, (rows[i][0].Base-rows[i-1][0].Base)/math.Max(rows[i][0].Size, 1))
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// plausible refuses what only looks like a table: lists of contents, and texts
// in columns.
func (t *Table) plausible() bool {
	if t.Rows < fewRows || 5*len(t.Cells) < 2*t.Rows*t.Cols {
		return false
	}
	letters, data := 0, 0
	for i := range t.Cells {
		c := &t.Cells[i]
		letters = max(letters, len(c.Glyphs))
		data += layout.CountIf(len(c.Lines) > 0 && isFigure(c.Glyphs))
	}
	return letters <= 200 && 3*data >= len(t.Cells) && !t.contents() && !t.index() && !t.leading()
}

// contents reports a list of contents: two columns, the last one of numbers
// that never fall.
func (t *Table) contents() bool {
	if t.Cols > 3 {
		return false
	}
	last, n := 0, 0
	for i := range t.Cells {
		c := &t.Cells[i]
		if c.Col != t.Cols-1 {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSpace(layout.Join(c.Lines, nil)))
		if err != nil || v < last {
			return false
		}
		last = v
		n++
	}
	return n >= fewRows
}

// pageList are the numbers of pages or lines behind an entry of an index, and
// leaders the points before them.
var (
	pageList = regexp.MustCompile(`^(?:\d{1,4}(?:[-–]\d{1,4}?)?,? ?)+[-–]?$`)
	leaders  = regexp.MustCompile(`(?: ?[.·]){3,} ?|…`)
)

// index reports a list of entries with the numbers of their pages, several behind
// some of them.
func (t *Table) index() bool {
	behind := make([]string, t.Rows)
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Col > 0 {
			behind[c.Row] += " " + layout.Join(c.Lines, nil)
		}
	}
	several, all := 0, 0
	for _, numbers := range behind {
		numbers = strings.TrimSpace(leaders.ReplaceAllString(numbers, " "))
		if utf8.RuneCountInString(numbers) <= 1 && !strings.ContainsAny(numbers, "0123456789") {
			continue // nothing, or the letter that entries begin with
		}
		if !pageList.MatchString(numbers) {
			return false
		}
		all++
		several += layout.CountIf(strings.Contains(numbers, ", ") || strings.HasSuffix(numbers, ","))
	}
	return 6*several >= all
}

// leading reports lists side by side whose entries have points behind them: a
// table has them behind the names of its rows alone.
func (t *Table) leading() bool {
	lists, led := 0, make([]int, t.Cols)
	for i := range t.Cells {
		c := &t.Cells[i]
		if led[c.Col] += layout.CountIf(leaders.MatchString(layout.Join(c.Lines, nil))); led[c.Col] == 2 {
			lists++
		}
	}
	return lists > 1
}

// sortByPlace puts tables into the order of their places, from the top down.
func sortByPlace(tables []Table) {
	sort.SliceStable(tables, func(i, k int) bool { return tables[i].Box.Top < tables[k].Box.Top })
}
