package render

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

func frame() segment.Frame {
	u := func(kind model.UnitType, text, markdown string) model.Unit {
		return model.Unit{Type: kind, FieldsRaw: model.Fields{Text: text, Markdown: markdown}}
	}
	table := u(model.UnitTable, "a\tb", "| a | b |")
	table.FieldsRaw.Table = &model.Table{CSV: "a,b\r\n"}
	return segment.Frame{
		Page: model.Page{PageID: "id-1", HTML: `<!-- DOCXT:PAGE index=1 id="" slug="" -->` + "\n<p>x</p>\n"},
		Units: []model.Unit{u(model.UnitFurniture, "menu", "menu"), u(model.UnitHeading, "Title", "# Title"), u(model.UnitFigure, "", "![](a.png)"),
			u(model.UnitListItem, "one", "- one"), u(model.UnitListItem, "two", "- two"), table, u(model.UnitParagraph, "plain", "")},
	}
}

func TestRender(t *testing.T) {
	f := frame()
	for _, tt := range []struct{ name, got, want string }{
		{"text", renderText(f), "Title\n\none\n\ntwo\n\na\tb\n\nplain\n"},
		{"markdown", Markdown(f), "# Title\n\n![](a.png)\n\n- one\n- two\n\n| a | b |\n\nplain\n"},
		{"html", HTML(f, "slug-1", nil), `<!-- DOCXT:PAGE index=1 id="id-1" slug="slug-1" -->` + "\n<p>x</p>\n"},
		{"csv", CSV(f), "a,b\r\n"},
		{"nothing", renderText(segment.Frame{}) + Markdown(segment.Frame{}) + CSV(segment.Frame{}), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestPagesInTheirSections: what a page leaves open is open on the next one that is
// written, and only there.
func TestPagesInTheirSections(t *testing.T) {
	var pages Pages
	one, two := frame(), frame()
	one.Page.OpenSections = []model.Section{{Kind: "goal", Level: 1, Text: "Goals"}}
	want := HTML(two, "s", one.Page.OpenSections)
	if got := pages.HTML(one, "s"); got != HTML(one, "s", nil) {
		t.Errorf("the first page is %s", got)
	}
	for range 2 {
		if got := pages.HTML(two, "s"); got != want || !strings.Contains(got, `SECTION_START kind="goal" level=1 text="Goals"`) {
			t.Errorf("a page behind it is %s, want %s", got, want)
		}
	}
}

// The head of a table that goes on is written once, another table's head again.
func TestPages(t *testing.T) {
	part := func(column, text string, continued, continues bool) segment.Frame {
		u := model.Unit{Type: model.UnitTable, FieldsRaw: model.Fields{Text: column + "\tb\n" + text, Continued: continued, Continues: continues}}
		u.FieldsRaw.Table = &model.Table{Columns: []string{column, "b"}, HeaderRows: 1}
		return segment.Frame{Units: []model.Unit{u}}
	}
	var p Pages
	for i, tt := range []struct {
		f    segment.Frame
		want string
	}{
		{part("a", "1\t2", false, true), "a\tb\n1\t2\n"},
		{part("a", "3\t4", true, true), "3\t4\n"},
		{segment.Frame{}, ""},
		{part("c", "5\t6", true, false), "c\tb\n5\t6\n"},
		{part("c", "7\t8", true, false), "c\tb\n7\t8\n"},
	} {
		if got := p.Text(tt.f); got != tt.want {
			t.Errorf("page %d: %q, want %q", i+1, got, tt.want)
		}
	}
}
