package table

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// written are texts of cells that mean something, or nearly so.
var written = []string{
	"1,234.56", "1.234,56", "1 234,5", "(12)", "-3", "−4", "12%", "3,5 %", "€ 5", "5 EUR", "$1,000", "R$ 1.500,00", "£-2", "31/12/2024", "12/31/2024", "2024-02-30", "1er janvier 2025",
	"3 março 2020", "Jan. 5, 2021", "https://example.org/a", "n/a", "–", "1,2,3", "1..2", "0x1F", "1e400", "99999999999999999999999", "½", "٣", "１２", "a|b", "a\\|b", "\"q\"", " , ", "a\r\nb", "\u00A0",
}

// cellsOf reads cells out of bytes: row, column and spans of one byte each, then
// the number of a text that means something, or the length of a text and the text.
func cellsOf(data []byte) []Cell {
	var out []Cell
	for len(data) >= 5 {
		if n := int(data[4]) - 128; n >= 0 {
			out = append(out, Cell{Row: int(data[0]) % 40, Col: int(data[1]) % 40, RowSpan: int(int8(data[2])), ColSpan: int(int8(data[3])), Text: written[n%len(written)]})
			data = data[5:]
			continue
		}
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
	for i := range written {
		f.Add([]byte{0, 0, 1, 1, 128 + byte(i), 0, 1, 1, 1, 129 + byte(i), 1, 0, 1, 2, 140 + byte(i)}, i%3, []string{"", "en", "fr", "pt", "it", "de"}[i%6])
	}
	f.Fuzz(func(t *testing.T, data []byte, heads int, language string) {
		cells := cellsOf(data)
		table, text := Build(slices.Clone(cells), Options{HeaderRows: heads, Language: language})
		rows, cols := table.HeaderRows+len(table.Rows), len(table.Columns)
		if !utf8.ValidString(text) || rows*cols > MaxCells {
			t.Fatalf("%d rows, %d columns, text %q", rows, cols, text)
		}
		records, err := csv.NewReader(strings.NewReader(table.CSV)).ReadAll()
		if err != nil || len(records) != rows {
			t.Fatalf("%d records of %d rows, %v: %q", len(records), rows, err, table.CSV)
		}
		held := map[[2]int]string{}
		for _, r := range table.CellRanges {
			held[[2]int{r.Row, r.Col}] = text[r.Start:r.End]
			got := text[r.Start:r.End]
			if strings.ContainsAny(got, "\t\n") || records[r.Row][r.Col] != got {
				t.Fatalf("cell %+v: %q in the text, %q in the CSV", r, got, records[r.Row][r.Col])
			}
			if r.Row >= table.HeaderRows && table.Rows[r.Row-table.HeaderRows][r.Col].Formatted != got {
				t.Fatalf("cell %+v: %q is %+v", r, got, table.Rows[r.Row-table.HeaderRows][r.Col])
			}
		}
		given := map[[2]int]bool{}
		for _, c := range cells { // of two cells at one place the first stays
			at := [2]int{c.Row, c.Col}
			if got, want := held[at], strings.ReplaceAll(strings.Join(strings.Fields(c.Text), " "), "\x00", "\uFFFD"); !given[at] && got != want {
				t.Fatalf("cell %v is %q, and was given as %q", at, got, want)
			}
			given[at] = true
		}
		for _, s := range table.Spans {
			if s.RowSpan < 1 || s.ColSpan < 1 || s.Row+s.RowSpan > rows || s.Col+s.ColSpan > cols {
				t.Fatalf("span %+v in %d x %d", s, rows, cols)
			}
		}
		if lines := strings.Count(Markdown(&table), "\n"); cols > 0 && lines != len(table.Rows)+1 {
			t.Fatalf("%d lines of Markdown for %d rows", lines+1, len(table.Rows))
		}
		for _, row := range table.Rows {
			for _, c := range row {
				checkValue(t, c)
			}
		}
		typed := slices.Clone(table.Rows)
		for i := range typed {
			typed[i] = slices.Clone(typed[i])
		}
		if Retype(&table, language); !reflect.DeepEqual(typed, table.Rows) {
			t.Fatalf("%+v is %+v when it is read again", typed, table.Rows)
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

// groups are digits that are divided, if at all, before each three by one sign
// or as in India, and a decimal part behind another.
var groups = regexp.MustCompile(`^\d+([.,]\d+)?$|^\d{1,3}([.,'’\x{00A0}\x{202F}\x{2009} ])\d{3}((\.|,|'|’|\x{00A0}|\x{202F}|\x{2009}| )\d{3})*([.,]\d+)?$|^\d{1,2}(,\d{2})+,\d{3}(\.\d+)?$`)

// checkValue: a value is a number or a date in the one form, and the digits are
// those of the text; what is divided otherwise than numbers are has none.
func checkValue(t *testing.T, c model.Cell) {
	if c.Value == "" {
		return
	}
	if c.Type == "date" {
		if _, err := time.Parse(time.DateOnly, c.Value); err != nil {
			t.Fatalf("%+v", c)
		}
		return
	}
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	first, last := strings.IndexAny(c.Formatted, "0123456789"), strings.LastIndexAny(c.Formatted, "0123456789")
	if !regexp.MustCompile(`^-?\d+(\.\d+)?$`).MatchString(c.Value) || digits(c.Value) != digits(c.Formatted) || !groups.MatchString(c.Formatted[first:last+1]) {
		t.Fatalf("%+v", c)
	}
}
