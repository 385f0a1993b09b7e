package assemble

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

// part is one page's part of a table with a head.
func part(id string, edges []float64, rows ...string) model.Unit {
	var cells []table.Cell
	for r, row := range rows {
		for c, text := range strings.Split(row, "|") {
			cells = append(cells, table.Cell{Row: r, Col: c, Text: text})
		}
	}
	data, text := table.Build(cells, table.Options{Source: table.SourceRuled, HeaderRows: 1})
	data.ColumnEdges = edges
	return model.Unit{IRID: id, Type: model.UnitTable, FieldsRaw: model.Fields{Text: text, Table: &data, Continues: true, Continued: true}}
}

func assembled(t *testing.T, pages ...[]model.Unit) []string {
	t.Helper()
	var out []string
	a := New(func(string) bool { return false }, func(b Block) error {
		var lines []string
		for _, l := range b.Lines {
			lines = append(lines, l.Text())
		}
		out = append(out, strings.Join(lines, "; "))
		return nil
	})
	for i, units := range pages {
		if err := a.Add(i+1, units); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTablesOverPages(t *testing.T) {
	first := part("ir_1", []float64{0.1, 0.5, 0.9}, "Year|Sum", "2001|1")
	note := model.Unit{IRID: "ir_n", Type: model.UnitFootnote, FieldsRaw: model.Fields{Text: "a note"}}
	again := part("ir_2", []float64{0.2, 0.6, 0.9}, "Year|Sum", "2002|2")
	moved := part("ir_3", []float64{0.2, 0.6, 0.9}, "2003|3", "2004|4")
	there := part("ir_4", []float64{0.1, 0.51, 0.9}, "2003|3", "2004|4")
	wider := part("ir_5", []float64{0.1, 0.5, 0.7, 0.9}, "Year|Sum|Rest", "2005|5|6")

	for name, tt := range map[string]struct {
		pages [][]model.Unit
		want  string
	}{
		"the head printed again":      {[][]model.Unit{{first, note}, {again}}, "Year | Sum; 2001 | 1; 2002 | 2 / a note"},
		"no head, the same places":    {[][]model.Unit{{first}, {there}}, "Year | Sum; 2001 | 1; 2003 | 3; 2004 | 4"},
		"no head, other places":       {[][]model.Unit{{first}, {moved}}, "Year | Sum; 2001 | 1 / 2003 | 3; 2004 | 4"},
		"another table":               {[][]model.Unit{{first}, {wider}}, "Year | Sum; 2001 | 1 / Year | Sum | Rest; 2005 | 5 | 6"},
		"a page between them":         {[][]model.Unit{{first}, {}, {again}}, "Year | Sum; 2001 | 1 / Year | Sum; 2002 | 2"},
		"three pages":                 {[][]model.Unit{{first}, {again}, {again}}, "Year | Sum; 2001 | 1; 2002 | 2; 2002 | 2"},
		"the second goes on in third": {[][]model.Unit{{first}, {wider}, {wider}}, "Year | Sum; 2001 | 1 / Year | Sum | Rest; 2005 | 5 | 6; 2005 | 5 | 6"},
		"empty cells":                 {[][]model.Unit{{part("empty", []float64{0, 1, 2}, "Line|Winter|Summer", "North||7.50", "South|3.10|", "||9")}}, "Line | Winter | Summer; North |  | 7.50; South | 3.10;  |  | 9"},
	} {
		if got := strings.Join(assembled(t, tt.pages...), " / "); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
