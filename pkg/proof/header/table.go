package header

import (
	"cmp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The synthetic bytes that stand for the U+0009 and U+000A of a table unit's
// text (contracts#table-text).
const (
	CellSeparator = " | "
	RowSeparator  = "\n"
)

// Cell is the place of a table cell's text in its unit's text, in bytes, end
// exclusive. Of an empty cell, and of one that another covers, both are equal.
type Cell struct{ From, To int }

// Rows returns the cells of a table unit, row by row, each at the index of its
// column up to the last one with text, and how many of the rows are its head. It
// goes by the unit's cell ranges and, where it has none or they do not fit its
// text, by U+000A and U+0009.
func Rows(u model.Unit) (rows [][]Cell, head int) {
	if t := u.FieldsRaw.Table; t != nil {
		head = t.HeaderRows
		rows = rowsByRange(u.FieldsRaw.Text, t.CellRanges)
	}
	if rows == nil {
		rows = rowsByText(u.FieldsRaw.Text)
	}
	return rows, max(0, min(head, len(rows)))
}

func rowsByRange(text string, ranges []model.CellRange) [][]Cell {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b model.CellRange) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	var rows [][]Cell
	at, row := 0, 0
	for i, r := range ranges {
		if r.Start < at || r.End < r.Start || r.End > len(text) || !boundary(text, r.Start) || !boundary(text, r.End) {
			return nil
		}
		if i == 0 || r.Row != row {
			// Rows that have no cell of their own (they are spanned) stay, so
			// that the head's count of rows holds.
			for missing := row; i > 0 && missing < r.Row-1; missing++ {
				rows = append(rows, nil)
			}
			rows = append(rows, nil)
		}
		last := len(rows) - 1
		if r.Col < len(rows[last]) || r.Col > len(text) { // a table's text has a U+0009 for each column passed over
			return nil
		}
		for len(rows[last]) < r.Col {
			rows[last] = append(rows[last], Cell{From: r.Start, To: r.Start})
		}
		rows[last] = append(rows[last], Cell{From: r.Start, To: r.End})
		at, row = r.End, r.Row
	}
	return rows
}

func boundary(text string, at int) bool {
	return at == len(text) || text[at]&0xC0 != 0x80
}

func rowsByText(text string) [][]Cell {
	var rows [][]Cell
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		var row []Cell
		for cell := range strings.SplitSeq(line, "\t") {
			row = append(row, Cell{From: at, To: at + len(cell)})
			at += len(cell) + 1
		}
		rows = append(rows, row)
	}
	return rows
}

// TableHead returns the head of a table unit as it is repeated, synthetic, at
// the start of each later part of the table: its rows, cells divided by " | ",
// each row ended by "\n". It is "" for a table without a head.
func TableHead(u model.Unit) string {
	rows, head := Rows(u)
	var b strings.Builder
	for _, row := range rows[:head] {
		if len(row) == 0 {
			continue
		}
		for i, c := range row {
			if i > 0 {
				b.WriteString(CellSeparator)
			}
			b.WriteString(u.FieldsRaw.Text[c.From:c.To])
		}
		b.WriteString(RowSeparator)
	}
	return b.String()
}
