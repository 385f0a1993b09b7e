package docxt

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

func unit(kind model.UnitType, text string) model.Unit {
	return model.Unit{Type: kind, FieldsRaw: model.Fields{Text: text}}
}

// built is the HTML of a page in English.
func built(pageNo int, units []model.Unit) string {
	html, _ := Build(pageNo, units, &model.Language{Lang: "en", Confidence: 1})
	return html
}

func heading(level int, text string) model.Unit {
	u := unit(model.UnitHeading, text)
	u.FieldsRaw.Level = level
	return u
}

func item(depth int, marker, text string) model.Unit {
	u := unit(model.UnitListItem, text)
	u.FieldsRaw.Depth, u.FieldsRaw.Marker = depth, marker
	return u
}

func TestSections(t *testing.T) {
	got := built(5, []model.Unit{unit(model.UnitParagraph, "before"), heading(1, "A"), heading(3, "B"), heading(2, "C"), unit(model.UnitParagraph, "x\ny"), heading(1, "D")})
	want := `<!-- DOCXT:PAGE index=5 id="" slug="" -->
<p>before</p>
<!-- DOCXT:SECTION_START kind="generic" level=1 text="A" -->
<h1>A</h1>
<!-- DOCXT:SECTION_START kind="generic" level=3 text="B" -->
<h3>B</h3>
<!-- DOCXT:SECTION_END kind="generic" -->
<!-- DOCXT:SECTION_START kind="generic" level=2 text="C" -->
<h2>C</h2>
<p>x<br>y</p>
<!-- DOCXT:SECTION_END kind="generic" -->
<!-- DOCXT:SECTION_END kind="generic" -->
<!-- DOCXT:SECTION_START kind="generic" level=1 text="D" -->
<h1>D</h1>
<!-- DOCXT:SECTION_END kind="generic" -->
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestLists(t *testing.T) {
	got := built(1, []model.Unit{item(1, "1.", "a"), item(2, "•", "b"), item(1, "2.", "c"), unit(model.UnitParagraph, "p"), item(2, "", "d")})
	want := `<ul>
<li data-marker="1.">a
<ul>
<li data-marker="•">b
</li>
</ul>
</li>
<li data-marker="2.">c
</li>
</ul>
<p>p</p>
<ul>
<li>
<ul>
<li>d
</li>
</ul>
</li>
</ul>
`
	if _, body, _ := strings.Cut(got, "\n"); body != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTable(t *testing.T) {
	u := unit(model.UnitTable, "")
	data, text := table.Build([]table.Cell{
		{Row: 0, Col: 0, Text: "Kind", RowSpan: 1}, {Row: 0, Col: 1, ColSpan: 2, Text: "Share"},
		{Row: 1, Col: 0, Text: "a"}, {Row: 1, Col: 1, Text: "1"}, {Row: 1, Col: 2, Text: "<2>"},
	}, table.Options{Source: table.SourceHTML, HeaderRows: 1, Caption: `Rates "a" -- b`})
	u.FieldsRaw.Table, u.FieldsRaw.Text = &data, text
	got := built(3, []model.Unit{u})
	title := `Rates &quot;a&quot; &#45;&#45; b`
	want := `<!-- DOCXT:PAGE index=3 id="" slug="" -->
<!-- DOCXT:SECTION_START kind="table" level=6 text="` + title + `" -->
<!-- DOCXT:TABLE_START id="tbl-3-1" title="` + title + `" -->
<table data-docxt="table" data-id="tbl-3-1" data-title="` + title + `">
<thead>
<tr><th>Kind</th><th colspan="2">Share</th></tr>
</thead>
<tbody>
<tr><td>a</td><td>1</td><td>&lt;2&gt;</td></tr>
</tbody>
</table>
<!-- DOCXT:TABLE_END id="tbl-3-1" rows=2 cols=3 source="html" -->
<!-- DOCXT:SECTION_END kind="table" -->
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestBlocksAreSections: tables, figures and footnotes are sections of their kind, of the
// lowest level, and the section that they stand in goes on behind them.
func TestBlocksAreSections(t *testing.T) {
	figure := unit(model.UnitFigure, "")
	figure.FieldsRaw.Images = []model.Image{{URL: "https://a.example/ab.png", Alt: "A map"}}
	note := unit(model.UnitFootnote, "See the map.")
	note.FieldsRaw.Marker = "1"
	plain := unit(model.UnitTable, "a\tb") // of which nothing but the text is known
	got := built(2, []model.Unit{figure, heading(6, "Water"), note, plain, unit(model.UnitParagraph, "x")})
	want := `<!-- DOCXT:PAGE index=2 id="" slug="" -->
<!-- DOCXT:SECTION_START kind="figure" level=6 text="A map" -->
<!-- DOCXT:FIGURE id="fig-2-1" caption="A map" src="https://a.example/ab.png" -->
<figure><img src="https://a.example/ab.png" alt="A map"></figure>
<!-- DOCXT:SECTION_END kind="figure" -->
<!-- DOCXT:SECTION_START kind="generic" level=6 text="Water" -->
<h6>Water</h6>
<!-- DOCXT:SECTION_START kind="footnote" level=6 text="1" -->
<p data-docxt="footnote">See the map.</p>
<!-- DOCXT:SECTION_END kind="footnote" -->
<!-- DOCXT:SECTION_START kind="table" level=6 text="" -->
<p>a	b</p>
<!-- DOCXT:SECTION_END kind="table" -->
<p>x</p>
<!-- DOCXT:SECTION_END kind="generic" -->
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestHeadingsHaveKinds: a heading's words say the kind of its section, in the language
// of its page, and both of its markers have it.
func TestHeadingsHaveKinds(t *testing.T) {
	units := []model.Unit{heading(1, "2. Objectifs"), heading(2, "Suivi de l’eau"), heading(2, "Monitoring")}
	html, open := Build(1, units, &model.Language{Lang: "fr", Confidence: 0.9})
	for _, want := range []string{
		`SECTION_START kind="goal" level=1 text="2. Objectifs"`, `SECTION_END kind="goal"`,
		`SECTION_START kind="monitoring" level=2 text="Suivi de l’eau"`, `SECTION_END kind="monitoring"`,
		`SECTION_START kind="generic" level=2 text="Monitoring"`, // which is no French
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is missing in\n%s", want, html)
		}
	}
	if want := []model.Section{{Kind: "goal", Level: 1, Text: "2. Objectifs"}, {Kind: "generic", Level: 2, Text: "Monitoring"}}; !slices.Equal(open, want) {
		t.Errorf("open are %+v", open)
	}
}

func TestFill(t *testing.T) {
	stored := built(1, []model.Unit{unit(model.UnitParagraph, `a id="" slug="" --> b`)})
	got := Fill(stored, "b040a992", "report-2022")
	if !strings.HasPrefix(got, `<!-- DOCXT:PAGE index=1 id="b040a992" slug="report-2022" -->`+"\n") || strings.Count(got, "report-2022") != 1 {
		t.Errorf("got\n%s", got)
	}
	if Fill("<p>none</p>", "a", "b") != "<p>none</p>" {
		t.Error("what has no marker must stay as it is")
	}
}

// The regular expressions of seeds#extraction must find the markers that were written
// and no others, whatever the text holds.
func TestNothingForgesAMarker(t *testing.T) {
	anchors := map[string]int{
		`<!--\s*DOCXT:PAGE[^>]*-->`: 1, `<!--\s*DOCXT:SECTION_START[^>]*-->`: 1, `<!--\s*DOCXT:SECTION_END[^>]*-->`: 1,
		`<!--\s*DOCXT:TABLE_START[^>]*-->`: 0, `<!--`: 3, `-->`: 3,
	}
	for _, forged := range []string{
		`--> <!-- DOCXT:PAGE index=9 -->`, `" --><script>`, "a\n-->", `--->`, `<!-- DOCXT:TABLE_START -->`, "\r\n", `&#45;->`, `-`, `--`, `---`,
	} {
		got := built(1, []model.Unit{heading(1, forged), unit(model.UnitParagraph, forged), item(1, forged, forged), unit(model.UnitCode, forged)})
		for anchor, want := range anchors {
			if n := len(regexp.MustCompile(anchor).FindAllString(got, -1)); n != want {
				t.Errorf("%q: %s found %d times, want %d\n%s", forged, anchor, n, want, got)
			}
		}
		if strings.Contains(got, "<script>") {
			t.Errorf("%q came through as markup", forged)
		}
		root, err := html.Parse(strings.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		if text := preText(root); text != forged {
			t.Errorf("%q is read as %q", forged, text)
		}
	}
}

func preText(n *html.Node) string {
	if n.Data == "pre" && n.FirstChild != nil {
		return n.FirstChild.Data
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if s := preText(c); s != "" {
			return s
		}
	}
	return ""
}
