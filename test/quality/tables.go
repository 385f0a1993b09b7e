package quality

import (
	"cmp"
	"slices"
	"strings"
)

// Table is a table of a page, for comparison.
type Table struct {
	Page  int         `json:"page"` // 1-based
	Cells []TableCell `json:"cells"`
}

// TableCell is a cell that takes rows R0 to R1 and columns C0 to C1, both
// included, from 0.
type TableCell struct {
	R0   int    `json:"r0"`
	R1   int    `json:"r1"`
	C0   int    `json:"c0"`
	C1   int    `json:"c1"`
	Text string `json:"text"`
}

// place is a row and a column.
type place struct{ row, col int }

// grid maps each place to the index of the cell that takes it; of two cells at
// one place the later counts.
func (t Table) grid() map[place]int {
	g := make(map[place]int)
	for i, c := range t.Cells {
		for r := c.R0; r <= c.R1; r++ {
			for k := c.C0; k <= c.C1; k++ {
				g[place{r, k}] = i
			}
		}
	}
	return g
}

// cellKey is what is compared of a cell: its letters and digits in lower case,
// or what it has when it has none of these.
func cellKey(text string) string {
	text = Canon(text)
	key := strings.Map(func(r rune) rune {
		if alphanumeric(r) {
			return r
		}
		return -1
	}, strings.ToLower(text))
	if key == "" {
		return text
	}
	return key
}

// relation says that the cell named to is the nearest one with text to the
// right of, or below, the cell named from.
type relation struct {
	from, to string
	below    bool
}

// relations are the adjacency relations of the table competition of ICDAR
// 2013, as a multiset: empty cells are passed over, and two cells that span
// several places are neighbours once.
func (t Table) relations() map[relation]int {
	g := t.grid()
	var last place
	keys := make([]string, len(t.Cells))
	for i, c := range t.Cells {
		keys[i] = cellKey(c.Text)
		last = place{max(last.row, c.R1), max(last.col, c.C1)}
	}
	type pair struct {
		from, to int
		below    bool
	}
	seen := make(map[pair]bool)
	for at, i := range g {
		if keys[i] == "" {
			continue
		}
		for _, below := range []bool{false, true} {
			for next := at.next(below); next.row <= last.row && next.col <= last.col; next = next.next(below) {
				if j, taken := g[next]; taken && j != i && keys[j] != "" {
					seen[pair{i, j, below}] = true
					break
				}
			}
		}
	}
	all := make(map[relation]int)
	for p := range seen {
		all[relation{keys[p.from], keys[p.to], p.below}]++
	}
	return all
}

func (p place) next(below bool) place {
	if below {
		p.row++
	} else {
		p.col++
	}
	return p
}

// Hits counts what is right, what the truth has and what the output has.
type Hits struct{ Right, Truth, Out int }

// Score is the precision, recall and F1 of the counts.
func (h Hits) Score() PRF { return newPRF(h.Right, h.Truth, h.Out) }

func (h *Hits) add(o Hits) {
	h.Right, h.Truth, h.Out = h.Right+o.Right, h.Truth+o.Truth, h.Out+o.Out
}

// TableScore is how the tables of one or more documents compare. It adds up.
type TableScore struct {
	Relations Hits    // adjacency relations
	Grid      Hits    // places with the right text at the right row and column
	Tables    Hits    // tables that share a relation
	TEDS      float64 // sum over the tables of the truth; 0 for one that is not found
}

func (s *TableScore) add(o TableScore) {
	s.Relations.add(o.Relations)
	s.Grid.add(o.Grid)
	s.Tables.add(o.Tables)
	s.TEDS += o.TEDS
}

// MeanTEDS is the mean over the tables of the truth, 0..1.
func (s TableScore) MeanTEDS() float64 { return s.TEDS / float64(max(1, s.Tables.Truth)) }

// ScoreTables matches the tables of each page by the relations that they
// share, most first (of equals the later), and compares the matched ones.
func ScoreTables(truth, out []Table) TableScore {
	wanted, found := relationsOf(truth), relationsOf(out)
	type match struct{ shared, i, j int }
	var matches []match
	for i, a := range wanted {
		for j, b := range found {
			if truth[i].Page != out[j].Page {
				continue
			}
			if n := common(a, b); n > 0 {
				matches = append(matches, match{n, i, j})
			}
		}
	}
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(b.shared-a.shared, b.i-a.i, b.j-a.j)
	})
	s := TableScore{Tables: Hits{Truth: len(truth), Out: len(out)}}
	for i := range truth {
		s.Relations.Truth += size(wanted[i])
		s.Grid.Truth += len(truth[i].grid())
	}
	for j := range out {
		s.Relations.Out += size(found[j])
		s.Grid.Out += len(out[j].grid())
	}
	takenTruth, takenOut := make([]bool, len(truth)), make([]bool, len(out))
	for _, m := range matches {
		if takenTruth[m.i] || takenOut[m.j] {
			continue
		}
		takenTruth[m.i], takenOut[m.j] = true, true
		s.Tables.Right++
		s.Relations.Right += m.shared
		s.Grid.Right += samePlaces(truth[m.i], out[m.j])
		s.TEDS += TEDS(truth[m.i], out[m.j])
	}
	return s
}

func relationsOf(tables []Table) []map[relation]int {
	all := make([]map[relation]int, len(tables))
	for i, t := range tables {
		all[i] = t.relations()
	}
	return all
}

func size(relations map[relation]int) int {
	n := 0
	for _, k := range relations {
		n += k
	}
	return n
}

// samePlaces counts the places of the truth at which out has the same text.
func samePlaces(truth, out Table) int {
	other := out.grid()
	n := 0
	for at, i := range truth.grid() {
		if j, taken := other[at]; taken && cellKey(truth.Cells[i].Text) == cellKey(out.Cells[j].Text) {
			n++
		}
	}
	return n
}

// TEDS is the tree edit distance similarity of two tables, 0..1: one minus the
// cost of turning one tree (table, rows, cells) into the other, divided by the
// larger tree's nodes. In a tree of this depth the distance is an alignment of
// rows, in which the cost of a pair of rows is an alignment of their cells.
func TEDS(a, b Table) float64 {
	x, y := treeOf(a), treeOf(b)
	cost := align(x, y, func(i, j int) float64 {
		return align(x[i], y[j], func(k, l int) float64 { return x[i][k].cost(y[j][l]) }, func(leaf) float64 { return 1 })
	}, func(row []leaf) float64 { return float64(1 + len(row)) })
	return 1 - cost/float64(max(nodes(x), nodes(y)))
}

// leaf is a cell of the tree.
type leaf struct {
	cols, rows int // beyond the first
	text       []rune
}

// cost is that of changing one cell into another: 1 for another span, or else
// the share of characters to be edited.
func (a leaf) cost(b leaf) float64 {
	if a.cols != b.cols || a.rows != b.rows {
		return 1
	}
	return float64(editDistance(a.text, b.text)) / float64(max(1, len(a.text), len(b.text)))
}

// treeOf returns the rows in which cells begin, from the top, and their cells
// from the left.
func treeOf(t Table) [][]leaf {
	cells := slices.Clone(t.Cells)
	slices.SortStableFunc(cells, func(a, b TableCell) int { return cmp.Or(a.R0-b.R0, a.C0-b.C0) })
	var rows [][]leaf
	for i, c := range cells {
		if i == 0 || c.R0 != cells[i-1].R0 {
			rows = append(rows, nil)
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], leaf{c.C1 - c.C0, c.R1 - c.R0, []rune(Canon(c.Text))})
	}
	return rows
}

func nodes(rows [][]leaf) int {
	n := 1
	for _, r := range rows {
		n += 1 + len(r)
	}
	return n
}

// align is the least cost of turning a into b by changing items in pairs, and
// by leaving out or putting in single ones.
func align[T any](a, b []T, change func(i, j int) float64, single func(T) float64) float64 {
	row := make([]float64, len(b)+1)
	for j := range b {
		row[j+1] = row[j] + single(b[j])
	}
	for i := range a {
		diagonal := row[0]
		out := single(a[i])
		row[0] += out
		for j := range b {
			changed := diagonal + change(i, j)
			diagonal = row[j+1]
			row[j+1] = min(changed, diagonal+out, row[j]+single(b[j]))
		}
	}
	return row[len(b)]
}
