package assemble

import (
	"fmt"
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

// scannedPage is a page that OCR has read: head, text that goes over the pages, and the
// page's number.
func scannedPage(no int, head string) (model.Page, []model.Unit) {
	unit := func(id, text string, y, h float64) model.Unit {
		return model.Unit{IRID: fmt.Sprintf("ir_%s%d", id, no), Type: model.UnitParagraph, OCREngine: "engine", FieldsRaw: model.Fields{Text: text},
			Evidence: []model.Evidence{{PageNumber: no, BBox: &model.BBox{X: 0.1, Y: y, W: 0.8, H: h}}}}
	}
	text := unit("t", fmt.Sprintf("and of the weirs of sheet %d %s", no, strings.Repeat("much more is said in it of them ", 20)), 0.3, 0.4)
	text.FieldsRaw.Continues, text.FieldsRaw.Continued = true, no > 1
	page := model.Page{PageNo: no, Status: model.PageProcessed, Width: 600, Height: 800}
	return page, []model.Unit{unit("h", head, 0.04, 0.012), text, unit("n", fmt.Sprint(no), 0.95, 0.012)}
}

// TestRunningHeadsOfScans: what all pages that OCR has read show to be running heads is
// in no block, so that the text around them is one; what only looks like one stays.
func TestRunningHeadsOfScans(t *testing.T) {
	for name, c := range map[string]struct {
		head   func(no int) string
		blocks int
		heads  int
	}{
		"the same head":    {func(int) string { return "The water board" }, 1, 4*13 + 4},
		"articles":         {func(no int) string { return fmt.Sprintf("Art. %d", no) }, 8, 4},
		"a head said once": {func(no int) string { return strings.Repeat("of weirs ", no) }, 8, 4},
	} {
		var survey Survey
		for no := 1; no <= 4; no++ {
			survey.Add(scannedPage(no, c.head(no)))
		}
		var blocks []Block
		a := New(survey.LeftOut, func(b Block) error { blocks = append(blocks, b); return nil })
		for no := 1; no <= 4; no++ {
			if _, units := scannedPage(no, c.head(no)); a.Add(no, units) != nil {
				t.Fatal("the page cannot be added")
			}
		}
		if err := a.Close(); err != nil || len(blocks) != c.blocks {
			t.Errorf("%s: %d blocks, want %d: %+v, %v", name, len(blocks), c.blocks, blocks, err)
		}
		if got := survey.Omitted(model.KindPDF); got.Heads != c.heads {
			t.Errorf("%s: %+v, want %d characters of heads", name, got, c.heads)
		}
	}
}
