package table

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
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
		if cuts[r] = dataRows(pieces, r, l.rows()); cuts[r] == nil {
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
			k := nearest(bases, line.Base)
			if heads[p.row] {
				k = one(line.Base >= p.underHead(l))
			}
			parts[k] = append(parts[k], line)
		}
		for k, lines := range parts {
			if len(lines) > 0 {
				part := piece{cell{offset[p.row] + k, p.col, 1, p.colSpan}, lines}
				out = append(out, part.across(l)...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b piece) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	return out, offset[l.rows()]
}

// dataRows returns the baselines of the rows of data that row r of the net
// holds, nil when it is one row: several baselines, most of them with a number
// beside another text.
func dataRows(pieces []piece, r, rows int) []float64 {
	var lines []layout.Line
	for i := range pieces {
		if p := &pieces[i]; p.row == r && p.rowSpan == 1 {
			lines = append(lines, p.lines...)
		}
	}
	slices.SortStableFunc(lines, func(a, b layout.Line) int { return cmp.Compare(a.Base, b.Base) })
	var bases []float64
	withData := 0
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && lines[end].Base-lines[start].Base <= 0.5*math.Max(lines[start].Size, lines[end].Size) {
			end++
		}
		data := 0
		for i := start; i < end; i++ {
			data += one(isData(&lines[i]))
		}
		if data > 0 && end-start > 1 {
			withData++
		}
		bases = append(bases, lines[start].Base)
		start = end
	}
	least := 3
	if rows < 4 {
		least = 2
	}
	if withData < least || 5*withData < 3*len(bases) {
		return nil
	}
	return bases
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

func nearest(bases []float64, v float64) int {
	best := 0
	for i := range bases {
		if math.Abs(bases[i]-v) < math.Abs(bases[best]-v) {
			best = i
		}
	}
	return best
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
		crossed := slices.ContainsFunc(p.lines, func(line layout.Line) bool { return line.At.Left < x-1 && line.At.Right > x+1 })
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
