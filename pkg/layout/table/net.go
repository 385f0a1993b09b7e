package table

import (
	"cmp"
	"math"
	"slices"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// net is a set of rulings that touch one another.
type net struct{ across, down []ruling }

// nets divides the rulings into sets that touch.
func nets(across, down []ruling) []net {
	parent := make([]int, len(across)+len(down))
	for i := range parent {
		parent[i] = i
	}
	for i := range across {
		for k := range down {
			if across[i].crosses(down[k]) {
				parent[find(parent, i)] = find(parent, len(across)+k)
			}
		}
	}
	at := map[int]int{}
	var out []net
	place := func(i int) *net {
		root := find(parent, i)
		if _, ok := at[root]; !ok {
			at[root] = len(out)
			out = append(out, net{})
		}
		return &out[at[root]]
	}
	for i := range across {
		n := place(i)
		n.across = append(n.across, across[i])
	}
	for k := range down {
		n := place(len(across) + k)
		n.down = append(n.down, down[k])
	}
	return out
}

func find(parent []int, i int) int {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// crosses reports whether a line across and a line down touch.
func (a ruling) crosses(d ruling) bool {
	return d.pos >= a.from-snap && d.pos <= a.to+snap && a.pos >= d.from-snap && a.pos <= d.to+snap
}

// netGap is how far apart, in points, nets of one width may stand that are one
// table: its head, and its body.
const netGap = 6

// stacked joins nets that stand right above one another and are as wide.
func stacked(nets []net) []net {
	boxes := make([]layout.Rect, len(nets))
	for i := range nets {
		boxes[i] = nets[i].box()
	}
	order := make([]int, len(nets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(boxes[a].Top, boxes[b].Top) })
	var out []net
	var last layout.Rect
	for _, i := range order {
		b := boxes[i]
		same := math.Abs(last.Left-b.Left) <= 2*snap && math.Abs(last.Right-b.Right) <= 2*snap
		if n := len(out); n > 0 && same && b.Top-last.Bottom <= netGap && len(nets[i].down) > 0 {
			out[n-1].across = append(out[n-1].across, nets[i].across...)
			out[n-1].down = append(out[n-1].down, nets[i].down...)
			last = last.Union(b)
			continue
		}
		out = append(out, net{across: slices.Clone(nets[i].across), down: slices.Clone(nets[i].down)})
		last = b
	}
	return out
}

// box is around all lines of the net.
func (n *net) box() layout.Rect {
	r := layout.Rect{Left: math.Inf(1), Top: math.Inf(1), Right: math.Inf(-1), Bottom: math.Inf(-1)}
	for _, a := range n.across {
		r = r.Union(layout.Rect{Left: a.from, Right: a.to, Top: a.pos, Bottom: a.pos})
	}
	for _, d := range n.down {
		r = r.Union(layout.Rect{Left: d.pos, Right: d.pos, Top: d.from, Bottom: d.to})
	}
	return r
}

// lattice is the net as rows and columns of elementary cells.
type lattice struct {
	xs, ys []float64
	// right and under: a ruling closes the cell at its right edge, or below.
	right, under []bool
	across       []ruling
}

// maxLattice bounds the elementary cells of one net.
const maxLattice = 20_000

// newLattice lays the net out. Outer edges are closed whether drawn or not.
func newLattice(n net) (lattice, bool) {
	if len(n.across) < 2 || len(n.down) < 1 {
		return lattice{}, false
	}
	l := lattice{across: n.across}
	for _, a := range n.across {
		l.ys = append(l.ys, a.pos)
		l.xs = append(l.xs, a.from, a.to)
	}
	// Only the outermost ends of lines are edges; the others meet a ruling.
	slices.Sort(l.xs)
	l.xs = []float64{l.xs[0], l.xs[len(l.xs)-1]}
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, d := range n.down {
		l.xs = append(l.xs, d.pos)
		top, bottom = math.Min(top, d.from), math.Max(bottom, d.to)
	}
	l.ys = append(l.ys, top, bottom)
	l.xs, l.ys = distinct(l.xs), distinct(l.ys)
	if cols, rows := l.cols(), l.rows(); cols < 1 || rows < 1 || cols*rows > maxLattice {
		return lattice{}, false
	}
	l.right, l.under = make([]bool, l.cols()*l.rows()), make([]bool, l.cols()*l.rows())
	for r := range l.rows() {
		for c := range l.cols() {
			i := r*l.cols() + c
			l.right[i] = c+1 == l.cols() || closed(n.down, l.xs[c+1], l.ys[r], l.ys[r+1])
			l.under[i] = r+1 == l.rows() || closed(n.across, l.ys[r+1], l.xs[c], l.xs[c+1])
		}
	}
	return l, true
}

func (l *lattice) cols() int { return len(l.xs) - 1 }
func (l *lattice) rows() int { return len(l.ys) - 1 }

func (l *lattice) box() layout.Rect {
	return layout.Rect{Left: l.xs[0], Top: l.ys[0], Right: l.xs[len(l.xs)-1], Bottom: l.ys[len(l.ys)-1]}
}

// distinct returns the positions without those that are one with another.
func distinct(v []float64) []float64 {
	slices.Sort(v)
	out := v[:1]
	for _, x := range v[1:] {
		if x-out[len(out)-1] > snap {
			out = append(out, x)
		}
	}
	return out
}

// closed reports whether rulings at pos cover most of the way between two
// places.
func closed(lines []ruling, pos, from, to float64) bool {
	covered := 0.0
	for i := range lines {
		if math.Abs(lines[i].pos-pos) <= snap {
			covered += math.Max(0, math.Min(lines[i].to, to)-math.Max(lines[i].from, from))
		}
	}
	return covered >= 0.6*(to-from)
}

// cell is a cell of the net: the elementary cells from row and col on that no
// ruling divides.
type cell struct {
	row, col, rowSpan, colSpan int
}

// cells joins elementary cells where no ruling stands between them. What does
// not come out as a box is divided by rows.
func (l *lattice) cells() []cell {
	rows, cols := l.rows(), l.cols()
	parent := make([]int, rows*cols)
	for i := range parent {
		parent[i] = i
	}
	for r := range rows {
		for c := range cols {
			i := r*cols + c
			if !l.right[i] {
				parent[find(parent, i)] = find(parent, i+1)
			}
			if !l.under[i] {
				parent[find(parent, i)] = find(parent, i+cols)
			}
		}
	}
	type extent struct{ top, left, bottom, right, n int }
	extents := make([]extent, rows*cols)
	for i := range parent {
		r, c, e := i/cols, i%cols, &extents[find(parent, i)]
		if e.n == 0 {
			*e = extent{r, c, r, c, 0}
		}
		e.n++
		e.top, e.left = min(e.top, r), min(e.left, c)
		e.bottom, e.right = max(e.bottom, r), max(e.right, c)
	}
	var out []cell
	for i := range extents {
		e := &extents[i]
		if e.n == 0 {
			continue
		}
		if e.n == (e.bottom-e.top+1)*(e.right-e.left+1) {
			out = append(out, cell{e.top, e.left, e.bottom - e.top + 1, e.right - e.left + 1})
			continue
		}
		out = append(out, runs(parent, i, rows, cols)...)
	}
	slices.SortFunc(out, func(a, b cell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	return out
}

// runs divides the set of root into runs of neighbours within each row.
func runs(parent []int, root, rows, cols int) []cell {
	var out []cell
	for r := range rows {
		for c := 0; c < cols; c++ {
			if find(parent, r*cols+c) != root {
				continue
			}
			start := c
			for c+1 < cols && find(parent, r*cols+c+1) == root {
				c++
			}
			out = append(out, cell{r, start, 1, c - start + 1})
		}
	}
	return out
}
