package present

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

// hostile are texts of which every character means something in Markdown or HTML
// somewhere.
func hostile() []string {
	return []string{
		"plain words", "# no heading", "#", "a # b #", "- no item", "+ no item", "* no item", "1. no item", "12) no item", "1234567890. none",
		"> no quotation", "===", "---", "- - -", "***", "___", "```", "~~~", "`code`", "*no* _emphasis_ __none__ snake_case_name",
		"[no](link) ![no](picture) [none]: http://a.example", "<b>no tag</b> <!-- no comment --> <http://a.example>", "R&D &amp; &eacute; &#65; & ;",
		`back\slash \* \`, "a | b", "~~struck~~", "line one\nline two", "first\n\nsecond", "one\n# two\n- three\n1. four\n    five", "    four spaces", "\ttab",
		"ends with two spaces  \nand goes on", "\u00a0leading", "a\\\nb", "a\r\nb", ": no definition", "!", "![", "x\n===\ny\n---", "§ 3 – 5 %", "http://a.example/b_c_d*e*",
	}
}

// texts returns the words in markup, and the names of its elements.
func textOf(t *testing.T, markup string) (words string, elements map[string]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(markup))
	if err != nil {
		t.Fatal(err)
	}
	elements = map[string]bool{}
	var b strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			b.WriteString(n.Data)
		case html.ElementNode:
			elements[n.Data] = true
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), elements
}

func joined(s string) string { return strings.Join(strings.Fields(s), " ") }

// What is made of a unit says every word of its text and nothing else, as an element
// of its kind: in Markdown, as a reader of CommonMark takes it, and in HTML.
func TestWhatIsMadeSaysTheText(t *testing.T) {
	kinds := map[model.UnitType]struct{ markdown, html string }{
		model.UnitHeading: {"h3", "h3"}, model.UnitParagraph: {"p", "p"}, model.UnitListItem: {"li", "li"}, model.UnitQuote: {"blockquote", "blockquote"},
		model.UnitCode: {"pre", "pre"}, model.UnitCaption: {"p", "p"}, model.UnitFootnote: {"p", "p"}, model.UnitFormField: {"p", "p"},
		model.UnitAnnotation: {"p", "p"}, model.UnitDefinition: {"p", "dd"}, model.UnitPageHeader: {"p", "div"}, model.UnitFurniture: {"p", "div"},
		model.UnitRecord: {"p", "p"}, model.UnitLink: {"p", "p"}, model.UnitTable: {"p", "p"},
	}
	for kind, element := range kinds {
		for _, text := range hostile() {
			u := model.Unit{Type: kind, FieldsRaw: model.Fields{Text: text, Level: 3, BlockID: string(kind) + "_1_00000000"}}
			var out bytes.Buffer
			if err := goldmark.Convert([]byte(Markdown(&u, 1)), &out); err != nil {
				t.Fatal(err)
			}
			words, elements := textOf(t, out.String())
			if words != joined(text) || !elements[element.markdown] {
				t.Errorf("%s %q: Markdown %q is %q", kind, text, Markdown(&u, 1), out.String())
			}
			for _, other := range []string{"em", "strong", "a", "img", "code", "hr", "ul", "ol", "h1", "h2", "blockquote"} {
				own := other == element.markdown || kind == model.UnitCode && other == "code" || kind == model.UnitListItem && (other == "ul" || other == "ol")
				if elements[other] && !own {
					t.Errorf("%s %q: Markdown %q makes an element %s", kind, text, Markdown(&u, 1), other)
				}
			}
			made := docxt.Block(1, 1, &u)
			if words, elements := textOf(t, made); words != joined(text) || !elements[element.html] || strings.Contains(made, "DOCXT:") {
				t.Errorf("%s %q: HTML %q", kind, text, made)
			}
		}
	}
}

// Items keep their markers: as those of a list where Markdown has such, else in their
// text.
func TestMarkersOfItems(t *testing.T) {
	for _, tt := range []struct {
		marker, text string
		depth        int
		want         string
	}{
		{"•", "• fence the bank", 1, "- fence the bank"},
		{"•", "fence the bank", 1, "- fence the bank"},
		{"–", "– a\nb", 1, "- a  \n  b"},
		{"1.", "1. first", 1, "1. first"},
		{"12)", "12) twelfth", 2, "  12) twelfth"},
		{"I -", "I - one", 1, "- I - one"},
		{"a)", "one", 1, "- a) one"},
		{"", "none", 0, "- none"},
		{"1234567890.", "1234567890. long", 1, `- 1234567890\. long`},
	} {
		u := model.Unit{Type: model.UnitListItem, FieldsRaw: model.Fields{Text: tt.text, Marker: tt.marker, Depth: tt.depth}}
		if got := Markdown(&u, 1); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.marker, tt.text, got, tt.want)
		}
	}
}

// A figure has its caption and the text on it; a table its cells; and what the captured
// markup gave stays.
func TestMarkdownOfFiguresAndTables(t *testing.T) {
	table := model.Table{Columns: []string{"Year", "Sum"}, Rows: [][]model.Cell{{{Formatted: "2001"}, {Formatted: "1|2"}}}, HeaderRows: 1}
	for name, tt := range map[string]struct {
		unit model.Unit
		want string
	}{
		"a drawn figure": {model.Unit{Type: model.UnitFigure, FieldsRaw: model.Fields{
			BlockID: "figure_2_aaaaaaaa", Text: "100\n120", Values: map[string][]string{"caption": {"Figure 3. Water [m3]"}},
		}}, "![Figure 3. Water \\[m3\\]](<figures/fig-7-2.png>)\n\n100  \n120"},
		"one with an address": {model.Unit{Type: model.UnitFigure, FieldsRaw: model.Fields{
			Images: []model.Image{{URL: "https://a.example/b c.png", Alt: "Weir"}},
		}}, "![Weir](<https://a.example/b c.png>)"},
		"a table":          {model.Unit{Type: model.UnitTable, FieldsRaw: model.Fields{Text: "Year\tSum\n2001\t1|2", Table: &table}}, "| Year | Sum |\n| --- | --- |\n| 2001 | 1\\|2 |"},
		"of the page":      {model.Unit{Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "a", Markdown: "*a*"}}, "*a*"},
		"a footnote":       {model.Unit{Type: model.UnitFootnote, FieldsRaw: model.Fields{Text: "See there.", Marker: "3"}}, "3 See there."},
		"what has failed":  {model.Unit{Type: model.UnitError, FieldsRaw: model.Fields{Error: &model.Failure{Message: "no"}}}, ""},
		"nothing to say":   {model.Unit{Type: model.UnitHeading, FieldsRaw: model.Fields{Level: 2}}, ""},
		"an empty picture": {model.Unit{Type: model.UnitFigure, FieldsRaw: model.Fields{BlockID: "figure_1_aaaaaaaa"}}, "![](<figures/fig-7-1.png>)"},
	} {
		if got := Markdown(&tt.unit, 7); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
