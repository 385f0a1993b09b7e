package table

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// cellsOf reads cells out of bytes: row, column and spans of one byte each, the
// length of the text and the text.
func cellsOf(data []byte) []Cell {
	var out []Cell
	for len(data) >= 5 {
		n := min(int(data[4]), len(data)-5)
		out = append(out, Cell{
			Row: int(data[0]) % 40, Col: int(data[1]) % 40, RowSpan: int(int8(data[2])), ColSpan: int(int8(data[3])),
			Text: strings.ToValidUTF8(string(data[5:5+n]), "\uFFFD"),
		})
		data = data[5+n:]
	}
	return out
}

// Whatever the cells: each range holds a cell's text, the CSV mirror reads back
// as the grid, spans stay inside of it, and the JSON reads back as the table.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x02\x03a,b\x01\x00\x01\x01\x021%"), 1, "fr")
	f.Add([]byte("\x05\x05\xff\x7f\x02\"\n"), -3, "")
	f.Add([]byte("\x00\x00\x00\x00\x0631.12.2024"), 0, "de")
	f.Fuzz(func(t *testing.T, data []byte, heads int, language string) {
		cells := cellsOf(data)
		table, text := Build(cells, Options{HeaderRows: heads, Language: language})
		rows, cols := table.HeaderRows+len(table.Rows), len(table.Columns)
		if !utf8.ValidString(text) || rows*cols > MaxCells {
			t.Fatalf("%d rows, %d columns, text %q", rows, cols, text)
		}
		records, err := csv.NewReader(strings.NewReader(table.CSV)).ReadAll()
		if err != nil || len(records) != rows {
			t.Fatalf("%d records of %d rows, %v: %q", len(records), rows, err, table.CSV)
		}
		for _, r := range table.CellRanges {
			got := text[r.Start:r.End]
			if strings.ContainsAny(got, "\t\n") || records[r.Row][r.Col] != got {
				t.Fatalf("cell %+v: %q in the text, %q in the CSV", r, got, records[r.Row][r.Col])
			}
			if r.Row >= table.HeaderRows && table.Rows[r.Row-table.HeaderRows][r.Col].Formatted != got {
				t.Fatalf("cell %+v: %q is %+v", r, got, table.Rows[r.Row-table.HeaderRows][r.Col])
			}
		}
		for _, s := range table.Spans {
			if s.RowSpan < 1 || s.ColSpan < 1 || s.Row+s.RowSpan > rows || s.Col+s.ColSpan > cols {
				t.Fatalf("span %+v in %d x %d", s, rows, cols)
			}
		}
		if lines := strings.Count(Markdown(&table), "\n"); cols > 0 && lines != len(table.Rows)+1 {
			t.Fatalf("%d lines of Markdown for %d rows", lines+1, len(table.Rows))
		}
		raw, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		var back model.Table
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(raw) {
			t.Fatalf("%s, then %s, %v", raw, again, err)
		}
	})
}
