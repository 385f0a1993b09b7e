package render

import (
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
		{"text", Text(f), "Title\n\none\n\ntwo\n\na\tb\n\nplain\n"},
		{"markdown", Markdown(f), "# Title\n\n![](a.png)\n\n- one\n- two\n\n| a | b |\n\nplain\n"},
		{"html", HTML(f, "slug-1"), `<!-- DOCXT:PAGE index=1 id="id-1" slug="slug-1" -->` + "\n<p>x</p>\n"},
		{"csv", CSV(f), "a,b\r\n"},
		{"nothing", Text(segment.Frame{}) + Markdown(segment.Frame{}) + CSV(segment.Frame{}), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
