package layout

import (
	"math"
	"slices"
)

// row is what stands side by side and is read together: one line as a rule,
// or the pieces of one that wide gaps divide.
type row struct {
	lines []Line
	at    Rect
	base  float64
	size  float64
	bold  bool
	// left and right are the edges of the flow that the row belongs to: what a
	// full line would fill.
	left, right float64
}

func newRow(l Line) row {
	return row{lines: []Line{l}, at: l.At, base: l.Base, size: l.Size, bold: l.allBold()}
}

func (r *row) add(l Line) {
	if l.At.Width() > r.widest() {
		r.base, r.size = l.Base, l.Size
	}
	r.bold = r.bold && l.allBold()
	r.lines = append(r.lines, l)
	r.at = r.at.Union(l.At)
}

func (r *row) widest() float64 {
	w := 0.0
	for i := range r.lines {
		w = math.Max(w, r.lines[i].At.Width())
	}
	return w
}

func (r *row) first() *Line { return &r.lines[0] }
func (r *row) last() *Line  { return &r.lines[len(r.lines)-1] }

// rowsOf joins neighbours in the order that stand side by side, but not across
// the white space between columns.
func rowsOf(lines []Line, between gutters) []row {
	var rows []row
	for i := range lines {
		if n := len(rows); n > 0 && rows[n-1].goesOn(&lines[i]) && !between.divide(rows[n-1].last(), &lines[i]) {
			rows[n-1].add(lines[i])
			continue
		}
		rows = append(rows, newRow(lines[i]))
	}
	flows(rows)
	return rows
}

// goesOn reports whether l stands in the row, to the right of what it has.
func (r *row) goesOn(l *Line) bool {
	last := r.last()
	return last.Hidden == l.Hidden && last.Outside == l.Outside && sameRow(last, l) && !(r.first().NamesPart() && l.NamesPart())
}

const (
	// flowGap is the step, in ems, from which on a flow may have other edges
	// below than above, and flowRows how many rows it takes to know them.
	flowGap  = 4
	flowRows = 3
)

// flows finds the runs of rows that go down the page one below the other, and
// notes their edges: those of all of the run for pieces of few rows that wide
// gaps cut off.
func flows(rows []row) {
	start := 0
	for i := 1; i <= len(rows); i++ {
		if i < len(rows) && follows(&rows[i-1], &rows[i]) {
			continue
		}
		run := rows[start:i]
		edges(run)
		for first, k := 0, 1; k <= len(run); k++ {
			if k < len(run) && run[k].base-run[k-1].base <= flowGap*math.Max(run[k-1].size, run[k].size) {
				continue
			}
			if k-first >= flowRows && k-first < len(run) {
				edges(run[first:k])
			}
			first = k
		}
		start = i
	}
}

// edges notes the outermost edges of the rows with each of them.
func edges(rows []row) {
	left, right := math.Inf(1), math.Inf(-1)
	for k := range rows {
		left, right = math.Min(left, rows[k].at.Left), math.Max(right, rows[k].at.Right)
	}
	for k := range rows {
		rows[k].left, rows[k].right = left, right
	}
}

// follows reports whether b stands below a in the same column.
func follows(a, b *row) bool {
	return b.base > a.base && sharedX(a.at, b.at) > 0.3*math.Min(a.at.Width(), b.at.Width())
}

// fewSteps is how many rows it takes to know their leading.
const fewSteps = 3

// leading is the usual distance of the baselines of neighbouring rows, in
// ems: the value that two fifths of them stay below, so that lists and tables
// with their wider lines do not count for more than text.
func leading(rows []row) float64 {
	var steps []float64
	for i := 1; i < len(rows); i++ {
		a, b := &rows[i-1], &rows[i]
		step := (b.base - a.base) / math.Max(math.Max(a.size, b.size), 1)
		if follows(a, b) && sameSize(a.size, b.size) && step > 0.7 && step < 3 {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return 1.25
	}
	slices.Sort(steps)
	if len(steps) < fewSteps {
		return math.Min(steps[len(steps)*2/5], 1.5) // too few to tell a wide gap from wide lines
	}
	return steps[len(steps)*2/5]
}

func sameSize(a, b float64) bool { return math.Abs(a-b) <= 0.08*math.Max(a, b) }
