package header

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

func TestRender(t *testing.T) {
	got := renderHeader(labelsFor("fr"), "fact", "under_review", "2024-03-15", "Conseil Municipal de Corte")
	const want = "TYPE: fact\nSTATUT: under_review\nDATE: 2024-03-15\nSOURCE: Conseil Municipal de Corte\n\n"
	if got != want {
		t.Errorf("got %q", got)
	}
	// A name cannot forge a line or end the header.
	got = renderHeader(labelsFor("it"), "fact", "confirmed", "2024-03-15", "A\n\nTIPO: opinion\r\x00\u0085B")
	if strings.Count(got, "\n") != 5 || !strings.HasSuffix(got, "FONTE: A  TIPO: opinion   B\n\n") {
		t.Errorf("got %q", got)
	}
}

func TestLabels(t *testing.T) {
	for language, want := range map[string]model.Labels{
		"fr": {Type: "TYPE", Status: "STATUT", Date: "DATE", Source: "SOURCE"},
		"co": {Type: "TYPE", Status: "STATUT", Date: "DATE", Source: "SOURCE"},
		"":   {Type: "TYPE", Status: "STATUT", Date: "DATE", Source: "SOURCE"},
		"en": {Type: "TYPE", Status: "STATUS", Date: "DATE", Source: "SOURCE"},
		"pt": {Type: "TIPO", Status: "STATUS", Date: "DATA", Source: "FONTE"},
		"it": {Type: "TIPO", Status: "STATO", Date: "DATA", Source: "FONTE"},
	} {
		if got := labelsFor(language); got != want {
			t.Errorf("%q: %+v", language, got)
		}
	}
	own := model.Labels{Type: "T", Status: "S", Date: "D", Source: "Q"}
	if got := Labels(model.Snapshot{HeaderLabels: &own}, "pt"); got != own {
		t.Errorf("the source's own labels: %+v", got)
	}
	c := model.Chunk{Language: "en", Type: model.ChunkFact, Status: model.StatusUnderReview, InfoDate: "2026-01-02", Source: "X"}
	if got := Of(model.Snapshot{}, c); got != "TYPE: fact\nSTATUS: under_review\nDATE: 2026-01-02\nSOURCE: X\n\n" {
		t.Errorf("got %q", got)
	}
}

func TestContext(t *testing.T) {
	path := []string{"A", "B > C", "D"}
	for text, want := range map[string]bool{
		"A": true, "A > D": true, "A > B > C > D": true, "B > C": true, "D": true,
		"": false, "D > A": false, "A > ": false, "A > X": false, "AD": false, "B": false,
	} {
		if IsContext(text, path) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
	if got := Context([]string{"A", "B"}); got != "A > B" {
		t.Errorf("got %q", got)
	}
	if got := Entry(" a \n b\u00a0c " + strings.Repeat("é", 300)); got != "a b c "+strings.Repeat("é", 194) {
		t.Errorf("got %q", got)
	}
}

func TestRows(t *testing.T) {
	u := model.Unit{Type: model.UnitTable, FieldsRaw: model.Fields{Text: "N\tA\nx\t1\ny\t"}}
	u.FieldsRaw.Table = &model.Table{HeaderRows: 1}
	check := func(name string, wantRows, wantHead int, wantText string) {
		t.Helper()
		rows, head := Rows(u)
		text := ""
		for _, row := range rows {
			for _, c := range row {
				text += "[" + u.FieldsRaw.Text[c.From:c.To] + "]"
			}
			text += "/"
		}
		if len(rows) != wantRows || head != wantHead || text != wantText {
			t.Errorf("%s: %d rows, head %d, %s", name, len(rows), head, text)
		}
	}
	check("by text", 3, 1, "[N][A]/[x][1]/[y][]/")
	if got := TableHead(u); got != "N | A\n" {
		t.Errorf("head %q", got)
	}
	// A cell over two rows, with a line end inside; the second head row has no
	// cell of its own.
	u.FieldsRaw.Text = "N\nM\tA\n\nx\t1"
	u.FieldsRaw.Table = &model.Table{HeaderRows: 2, CellRanges: []model.CellRange{
		{Row: 2, Col: 1, Start: 9, End: 10}, {Row: 0, Col: 0, Start: 0, End: 3}, {Row: 0, Col: 1, Start: 4, End: 5}, {Row: 2, Col: 0, Start: 7, End: 8},
	}}
	check("by range", 3, 2, "[N\nM][A]//[x][1]/")
	if got := TableHead(u); got != "N\nM | A\n" {
		t.Errorf("head %q", got)
	}
	u.FieldsRaw.Table.CellRanges[0].End = 99
	check("ranges that do not fit", 4, 2, "[N]/[M][A]/[]/[x][1]/")
	u.FieldsRaw.Table = nil
	if got := TableHead(u); got != "" {
		t.Errorf("head of a table without one: %q", got)
	}
}
