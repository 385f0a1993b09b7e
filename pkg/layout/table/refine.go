package table

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/layout"
)

// Many tables have rulings around their heads and columns and none between
// their rows, or none between the columns of their bodies. What the rulings
// leave open is told from the text.

// piece is a cell and the lines in it.
type piece struct {
	cell
	lines []layout.Line
}

// refine divides rows that hold several rows of data, and cells whose lines
// stand in several columns side by side. It returns the number of rows.
func refine(l *lattice, pieces []piece) ([]piece, int) {
	cuts := make([][]float64, l.rows())
	heads := make([]bool, l.rows())
	for r := range cuts {
		if cuts[r] = dataRows(l, pieces, r); cuts[r] == nil {
			cuts[r] = headRows(l, pieces, r)
			heads[r] = cuts[r] != nil
		}
	}
	offset := make([]int, l.rows()+1)
	for r := range cuts {
		offset[r+1] = offset[r] + max(len(cuts[r]), 1)
	}
	var out []piece
	for _, p := range pieces {
		end := offset[p.row+p.rowSpan]
		if p.rowSpan > 1 || len(cuts[p.row]) < 2 || heads[p.row] && p.underHead(l) == 0 {
			p.row = offset[p.row]
			p.rowSpan = end - p.row
			out = append(out, p.across(l)...)
			continue
		}
		bases := cuts[p.row]
		parts := make([][]layout.Line, len(bases))
		for _, line := range p.lines {
			k := max(0, sort.SearchFloat64s(bases, line.Base+float64(0.5*line.Size))-1)
			if heads[p.row] {
				k = layout.CountIf(line.Base >= p.underHead(l))
			}
			parts[k] = append(parts[k], line)
		}
		for k, lines := range parts {
			if len(lines) > 0 {
				part := piece{cell{offset[p.row] + k, p.col, 1, p.colSpan}, lines}
				for _, q := range part.across(l) {
					out = append(out, q.narrowed(l))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b piece) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	return out, offset[l.rows()]
}

// dataRows returns where the rows of the table begin that row r of the net
// holds, nil when it is one row.
func dataRows(l *lattice, pieces []piece, r int) []float64 {
	var lines []placed
	for i := range pieces {
		if p := &pieces[i]; p.row == r && p.rowSpan == 1 {
			for _, line := range p.lines {
				lines = append(lines, p.placed(l, line))
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b placed) int { return cmp.Compare(a.line.Base, b.line.Base) })
	var printed [][]placed
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && lines[end].line.Base-lines[start].line.Base <= 0.5*math.Max(lines[start].line.Size, lines[end].line.Size) {
			end++
		}
		row := lines[start:end]
		slices.SortStableFunc(row, func(a, b placed) int { return cmp.Compare(a.col, b.col) })
		printed = append(printed, row)
		start = end
	}
	least := 3
	if l.rows() < 4 {
		least = 2
	}
	var parts [][]placed
	switch {
	case withData(printed) >= least && 5*withData(printed) >= 3*len(printed), anchored(printed) >= least:
		parts = grouped(printed)
	default:
		if parts = paragraphs(printed); parts == nil && l.rows() < 4 {
			parts = byAnchors(printed)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	out := make([]float64, len(parts))
	for i, part := range parts {
		out[i] = base(part)
		for _, p := range part {
			out[i] = math.Min(out[i], p.line.Base)
		}
	}
	return out
}

// placed returns the columns of the cell that a line in it takes.
func (p *piece) placed(l *lattice, line layout.Line) placed {
	from, to := p.col, p.col+p.colSpan-1
	for from < to && l.xs[from+1] <= line.At.Left+1 {
		from++
	}
	for to > from && l.xs[to] >= line.At.Right-1 {
		to--
	}
	return placed{line, from, to - from + 1}
}

// narrowed returns the cell with no more columns than its lines take.
func (p piece) narrowed(l *lattice) piece {
	from, to := p.col+p.colSpan, p.col
	for _, line := range p.lines {
		at := p.placed(l, line)
		from, to = min(from, at.col), max(to, at.col+at.span)
	}
	p.col, p.colSpan = from, to-from
	return p
}

// withData counts the printed rows that have a number beside another text.
func withData(rows [][]placed) int {
	n := 0
	for _, row := range rows {
		data := 0
		for i := range row {
			data += layout.CountIf(isData(&row[i].line))
		}
		n += layout.CountIf(data > 0 && len(row) > 1)
	}
	return n
}

// anchored counts the printed rows in which columns of nothing but figures have
// one, each at the same heights. 0: no two columns do.
func anchored(rows [][]placed) int {
	data, all := map[int]int{}, map[int]int{}
	for _, row := range rows {
		for i := range row {
			all[row[i].col]++
			data[row[i].col] += layout.CountIf(isData(&row[i].line))
		}
	}
	n, alone := 0, 0
	for _, row := range rows {
		figures := 0
		for i := range row {
			figures += layout.CountIf(all[row[i].col] > 1 && data[row[i].col] == all[row[i].col])
		}
		n += layout.CountIf(figures > 1)
		alone += layout.CountIf(figures == 1)
	}
	if alone > n {
		return 0
	}
	return n
}

// paragraphs divides printed rows at the white space across all columns, when
// a text begins in the first column and in another after each.
func paragraphs(rows [][]placed) [][]placed {
	parts := byGaps(rows)
	several := 0
	for _, part := range parts {
		top := base(part)
		first, others := 0, 0
		for _, p := range part {
			if p.line.Base-top > 0.5*p.line.Size {
				first += layout.CountIf(p.col == part[0].col)
			} else {
				others += layout.CountIf(p.col != part[0].col)
			}
		}
		if first > 0 || part[0].col != rows[0][0].col {
			return nil
		}
		several += layout.CountIf(others > 0)
	}
	if several < 2 {
		return nil
	}
	return parts
}

// headRows returns two baselines when row r of the net holds a head over
// several columns and their own heads below it.
func headRows(l *lattice, pieces []piece, r int) []float64 {
	for i := range pieces {
		p := &pieces[i]
		if p.row != r || p.rowSpan > 1 {
			continue
		}
		if under := p.underHead(l); under > 0 {
			return []float64{p.lines[0].Base, under}
		}
	}
	return nil
}

// underHead returns the baseline of the first row in which texts stand in
// several columns, when all rows above it run across them; 0 for none.
func (p *piece) underHead(l *lattice) float64 {
	if p.colSpan == 1 {
		return 0
	}
	for k, row := range rowsOf(p.lines) {
		crossing := false
		for i := range row {
			for c := p.col + 1; c < p.col+p.colSpan; c++ {
				crossing = crossing || row[i].At.Left < l.xs[c]-1 && row[i].At.Right > l.xs[c]+1
			}
		}
		switch {
		case !crossing && len(row) > 1 && k > 0:
			return row[0].Base
		case !crossing:
			return 0
		}
	}
	return 0
}

// isData reports whether a line is a figure or a sign for none rather than
// words.
func isData(l *layout.Line) bool {
	digits, letters, dots := 0, 0, 0
	for i := range l.Glyphs {
		switch r := l.Glyphs[i].Rune; {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case r == '.' || r == '…' || r == '·':
			dots++
		}
	}
	return digits > 0 && digits >= letters || letters == 0 && dots < len(l.Glyphs)
}

// across divides a cell that spans columns when lines stand side by side in
// it, at the columns' edges that no line crosses.
func (p piece) across(l *lattice) []piece {
	if p.colSpan == 1 || !sideBySide(p.lines) {
		return []piece{p}
	}
	edges := []int{p.col}
	for c := p.col + 1; c < p.col+p.colSpan; c++ {
		x := l.xs[c]
		crossed := slices.ContainsFunc(p.lines, func(line layout.Line) bool {
			return math.Min(x-line.At.Left, line.At.Right-x) > math.Max(1, 0.25*line.At.Width())
		})
		if !crossed {
			edges = append(edges, c)
		}
	}
	edges = append(edges, p.col+p.colSpan)
	var out []piece
	for i := 0; i+1 < len(edges); i++ {
		from, to := l.xs[edges[i]], l.xs[edges[i+1]]
		part := piece{cell: cell{p.row, edges[i], p.rowSpan, edges[i+1] - edges[i]}}
		for _, line := range p.lines {
			if middle := (line.At.Left + line.At.Right) / 2; middle >= from && middle < to || i == 0 && middle < from || i+2 == len(edges) && middle >= to {
				part.lines = append(part.lines, line)
			}
		}
		if len(part.lines) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// sideBySide reports whether two of the lines, which are sorted by rows, share
// a row.
func sideBySide(lines []layout.Line) bool {
	for i := 1; i < len(lines); i++ {
		if math.Abs(lines[i].Base-lines[i-1].Base) <= 0.4*lines[i].Size {
			return true
		}
	}
	return false
}
