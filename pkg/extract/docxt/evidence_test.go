package docxt

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

// added is what Annotate adds to what is stored.
var added = regexp.MustCompile(` data-page="\d+"| data-bbox="[^"]*"|<span data-docxt="evidence"[^>]*>|</span>`)

func marksPage() []model.Unit {
	goal := heading(2, "Goals & <aims>")
	para := unit(model.UnitParagraph, "Reduce nitrogen\nby 30 % by 2030.")
	para.Evidence = []model.Evidence{{BBox: &model.BBox{X: 0.125, Y: 0.5, W: 0.25, H: 0.05}}, {BBox: &model.BBox{X: 0.125, Y: 0.55, W: 0.2, H: 0.05}}}
	code := unit(model.UnitCode, "\nx = 1\n")
	cells := unit(model.UnitTable, "")
	data, text := table.Build([]table.Cell{
		{Row: 0, Col: 0, Text: "Practice"}, {Row: 0, Col: 1, Text: "Cost"}, {Row: 1, Col: 0, Text: "Ponds"}, {Row: 1, Col: 1, Text: "$9 <"},
	}, table.Options{Source: table.SourceHTML, HeaderRows: 1})
	cells.FieldsRaw.Table, cells.FieldsRaw.Text = &data, text
	units := []model.Unit{goal, para, item(1, "•", "one"), item(2, "", "two"), code, cells, unit(model.UnitQuote, "so it is"), unit(model.UnitFootnote, "a note")}
	for i := range units {
		units[i].IRID = string(rune('a' + i))
	}
	return units
}

// TestAnnotateAddsOnly: without what it adds the HTML is what is stored, whatever is marked.
func TestAnnotateAddsOnly(t *testing.T) {
	units := marksPage()
	stored, _ := Build(3, units, nil)
	for name, marks := range map[string]map[string][]Mark{
		"none":                 nil,
		"overlapping":          {"b": {{0, 20, "goal:x"}, {7, 40, "goal:y"}, {7, 20, "goal:x"}}},
		"the same twice":       {"b": {{0, 32, "goal:x"}, {0, 32, "goal:x"}}},
		"beyond the end":       {"b": {{-4, 4000, "goal:x"}}, "no such unit": {{0, 1, "goal:x"}}},
		"empty":                {"b": {{5, 5, "goal:x"}, {9, 3, "goal:y"}}},
		"in all":               {"a": {{0, 99, "g:1"}}, "c": {{0, 99, "g:1"}}, "d": {{0, 2, "g:2"}}, "e": {{1, 4, "g:3"}}, "f": {{0, 99, "g:4"}}, "g": {{3, 5, "g:5"}}, "h": {{0, 1, "g:6"}}},
		"at the start of code": {"e": {{0, 3, "g:3"}}},
	} {
		got := Annotate(3, units, nil, marks)
		plain := added.ReplaceAllString(got, "")
		if name == "at the start of code" { // the line end no longer follows the tag, and need not be written twice
			plain = strings.Replace(plain, "<pre>\n", "<pre>\n\n", 1)
		}
		if plain != stored {
			t.Errorf("%s: without what is added it is\n%s\nstored is\n%s", name, plain, stored)
		}
		if text(t, got) != text(t, stored) {
			t.Errorf("%s: the text is another: %q", name, text(t, got))
		}
	}
}

// text returns the text that a reader of HTML sees, and fails where elements cross.
func text(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	var open []string
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%v is open at the end of\n%s", open, page)
			}
			doc, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			for n := range doc.Descendants() {
				if n.Type == html.TextNode {
					b.WriteString(n.Data)
				}
			}
			return b.String()
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) != "br" && string(name) != "img" {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> while %v are open in\n%s", name, open, page)
			}
			open = open[:len(open)-1]
		}
	}
}

func TestAnnotate(t *testing.T) {
	units := marksPage()
	got := Annotate(3, units, nil, map[string][]Mark{
		"b": {{0, 20, "goal:x"}, {7, 33, `bmp:"y"`}},
		"f": {{strings.Index(units[5].FieldsRaw.Text, "Ponds"), len(units[5].FieldsRaw.Text), "bmp:ponds"}},
	})
	for _, want := range []string{
		`<h2 data-page="3">Goals &amp; &lt;aims&gt;</h2>`,
		`<p data-page="3" data-bbox="0.125 0.5 0.25 0.1"><span data-docxt="evidence" data-key="goal:x">Reduce </span>` +
			`<span data-docxt="evidence" data-key="bmp:&quot;y&quot;"><span data-docxt="evidence" data-key="goal:x">nitrogen<br>by 3</span></span>` +
			`<span data-docxt="evidence" data-key="bmp:&quot;y&quot;">0 % by 2030.</span></p>`,
		`<table data-docxt="table" data-id="tbl-3-1" data-title="" data-page="3">`,
		`<td><span data-docxt="evidence" data-key="bmp:ponds">Ponds</span></td><td><span data-docxt="evidence" data-key="bmp:ponds">$9 &lt;</span></td>`,
		`<li data-marker="•" data-page="3">one`,
		`<pre data-page="3">`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// FuzzAnnotate: whatever is marked, elements are nested and the text stays.
func FuzzAnnotate(f *testing.F) {
	f.Add("a <b> & c\nd", 0, 3, 2, 9)
	f.Add("\r\n", -1, 1, 0, 2)
	f.Fuzz(func(t *testing.T, s string, a, b, c, d int) {
		u := unit(model.UnitParagraph, strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), ""))
		u.IRID = "a"
		stored, _ := Build(1, []model.Unit{u}, nil)
		cut := func(at int) int { // where a character begins, as of what is found
			at = min(max(at, 0), len(u.FieldsRaw.Text))
			for at > 0 && at < len(u.FieldsRaw.Text) && u.FieldsRaw.Text[at]&0xC0 == 0x80 {
				at--
			}
			return at
		}
		got := Annotate(1, []model.Unit{u}, nil, map[string][]Mark{"a": {{cut(a), cut(b), "goal:x"}, {cut(c), cut(d), "goal:y"}}})
		if added.ReplaceAllString(got, "") != added.ReplaceAllString(stored, "") {
			t.Errorf("%q became\n%s", s, got)
		}
		text(t, got)
	})
}
