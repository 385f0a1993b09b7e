package fill

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/colophon-dev/colophon/pkg/devtest/fixedseed"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

const head = "TYPE: fact\nSTATUS: under_review\nDATE: 2026-01-02\nSOURCE: Test\n\n"

type unitOf struct {
	page int
	unit model.Unit
}

// doc makes units of "type: text" lines; "#", "##" … are headings.
func doc(lines ...string) []unitOf {
	var out []unitOf
	for i, line := range lines {
		u := model.Unit{IRID: fmt.Sprintf("ir_%d", i), Type: model.UnitParagraph}
		u.FieldsRaw.Text = line
		if trimmed := strings.TrimLeft(line, "#"); trimmed != line {
			u.Type, u.FieldsRaw.Level, u.FieldsRaw.Text = model.UnitHeading, len(line)-len(trimmed), strings.TrimSpace(trimmed)
		}
		out = append(out, unitOf{page: 1 + i/5, unit: u})
	}
	return out
}

func cutAll(t testing.TB, o split.Options, units []unitOf) []split.Draft {
	t.Helper()
	if o.Header == "" {
		o.Header = head
	}
	if o.Count == nil {
		o.Count = o200k
	}
	var drafts []split.Draft
	s, err := New(o, func(d split.Draft) error { drafts = append(drafts, d); return nil })
	if err != nil {
		t.Fatal(err)
	}
	a := assemble.New(func(string) bool { return false }, s.Add)
	for _, u := range units {
		if err := a.Add(u.page, []model.Unit{u.unit}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(a.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return drafts
}

var o200k = split.O200k()

func contents(drafts []split.Draft) []string {
	var out []string
	for _, d := range drafts {
		out = append(out, d.Content)
	}
	return out
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n=====\n") != strings.Join(want, "\n=====\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n=====\n"), strings.Join(want, "\n=====\n"))
	}
}

func TestHeadingsOpenChunksAndAreTheirContext(t *testing.T) {
	drafts := cutAll(t, split.Options{}, doc("# A", "## B", "one", "two", "## C", "three", "# D", "four"))
	equal(t, contents(drafts), []string{"A\n\nB\n\none\n\ntwo", "A\n\nC\n\nthree", "D\n\nfour"})
	if got := strings.Join(drafts[1].SectionPath, "|"); got != "A|C" {
		t.Errorf("section path %q", got)
	}
	if s := drafts[1].Segments[1]; s.Synthetic != model.SyntheticHeadingContext {
		t.Errorf("the heading above is %+v, must be synthetic", s)
	}
}

func TestLaterChunksOfASectionNameIt(t *testing.T) {
	word := strings.Repeat("council ", 40)
	drafts := cutAll(t, split.Options{Budget: 100}, doc("# A", "## B", word+"1.", word+"2.", word+"3."))
	if len(drafts) != 3 {
		t.Fatalf("%d chunks", len(drafts))
	}
	for _, d := range drafts[1:] {
		if !strings.HasPrefix(d.Content, "A > B\n\ncouncil") {
			t.Errorf("content begins %.40q", d.Content)
		}
		if !header.IsContext("A > B", d.SectionPath) {
			t.Error("the context is none of the section path")
		}
	}
}

func TestCutsAtSentencesThenSpacesThenCodePoints(t *testing.T) {
	sentence := "The council of art. 5 met in 2024 and decided on the budget of M. Dupont."
	drafts := cutAll(t, split.Options{Budget: 110}, doc(strings.TrimSpace(strings.Repeat(sentence+" ", 12))))
	for _, d := range drafts {
		if !strings.HasPrefix(d.Content, "The council") || !strings.HasSuffix(d.Content, "Dupont.") {
			t.Errorf("not cut at a sentence's end: %q", d.Content)
		}
	}
	drafts = cutAll(t, split.Options{Budget: 110}, doc(strings.TrimSpace(strings.Repeat("budget ", 300))))
	for _, d := range drafts {
		if strings.Trim(d.Content, "budget ") != "" || !strings.HasPrefix(d.Content, "budget") || strings.HasSuffix(d.Content, " ") {
			t.Errorf("not cut at a space: %q", d.Content)
		}
	}
	long := strings.Repeat("é日本", 700)
	joined := ""
	for _, d := range cutAll(t, split.Options{Budget: 110}, doc(long)) {
		joined += d.Content
	}
	if joined != long {
		t.Error("what is cut at code points is not the whole text")
	}
}

func TestTablesAreCutByRowsAndRepeatTheirHead(t *testing.T) {
	text := "Name\tAmount"
	for i := range 60 {
		text += fmt.Sprintf("\nProject number %d\t%d,000 EUR", i, i)
	}
	units := []unitOf{{page: 3, unit: model.Unit{IRID: "ir_t", Type: model.UnitTable,
		FieldsRaw: model.Fields{Text: text, Table: &model.Table{HeaderRows: 1}}}}}
	drafts := cutAll(t, split.Options{Budget: 150}, units)
	if len(drafts) < 4 {
		t.Fatalf("%d chunks", len(drafts))
	}
	n := 0
	for i, d := range drafts {
		if !strings.HasPrefix(d.Content, "Name | Amount\nProject number ") {
			t.Errorf("chunk %d begins %.40q", i, d.Content)
		}
		n += strings.Count(d.Content, " EUR")
		kind := d.Segments[1].Synthetic
		if (kind == model.SyntheticTableHeader) != (i > 0) {
			t.Errorf("chunk %d: the head's segment is %q", i, kind)
		}
	}
	if n != 60 {
		t.Errorf("%d rows of 60", n)
	}
	if want := header.TableHead(units[0].unit); want != "Name | Amount\n" {
		t.Errorf("head %q", want)
	}
}

func TestARowOverTheBudgetIsCut(t *testing.T) {
	text := "Name\tText\na\t" + strings.Repeat("The council met. ", 100) + "end\nb\tshort"
	units := []unitOf{{page: 1, unit: model.Unit{IRID: "ir_t", Type: model.UnitTable,
		FieldsRaw: model.Fields{Text: text, Table: &model.Table{HeaderRows: 1}}}}}
	all := strings.Join(contents(cutAll(t, split.Options{Budget: 150}, units)), "\n")
	if strings.Count(all, "The council met.") != 100 || !strings.Contains(all, "b | short") {
		t.Errorf("text is lost: %s", all)
	}
}

func TestUnitsThatSpanPagesAreJoined(t *testing.T) {
	first := model.Unit{IRID: "ir_1", Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "The deci-", Continues: true}}
	note := model.Unit{IRID: "ir_2", Type: model.UnitFootnote, FieldsRaw: model.Fields{Text: "1 A note."}}
	foot := model.Unit{IRID: "ir_3", Type: model.UnitPageFooter, FieldsRaw: model.Fields{Text: "page 1"}}
	second := model.Unit{IRID: "ir_4", Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "sion was made", Continued: true, Continues: true}}
	third := model.Unit{IRID: "ir_5", Type: model.UnitParagraph, FieldsRaw: model.Fields{Text: "at noon.", Continued: true}}
	drafts := cutAll(t, split.Options{}, []unitOf{{1, first}, {1, note}, {1, foot}, {2, second}, {3, third}})
	equal(t, contents(drafts), []string{"The decision was made at noon.\n\n1 A note."})
	check(t, drafts[0], map[string]string{"ir_1": "The deci-", "ir_2": "1 A note.", "ir_4": "sion was made", "ir_5": "at noon."})

	// Another page lies between: nothing is joined.
	drafts = cutAll(t, split.Options{}, []unitOf{{1, first}, {3, second}})
	equal(t, contents(drafts), []string{"The deci-\n\nsion was made"})
}

func TestATableThatContinuesIsOneTable(t *testing.T) {
	part := func(id, text string, continues, continued bool) model.Unit {
		return model.Unit{IRID: id, Type: model.UnitTable, FieldsRaw: model.Fields{Text: text, Continues: continues,
			Continued: continued, Table: &model.Table{HeaderRows: 1}}}
	}
	drafts := cutAll(t, split.Options{}, []unitOf{{1, part("ir_1", "A\tB\n1\t2", true, false)}, {2, part("ir_2", "A\tB\n3\t4", false, true)}})
	equal(t, contents(drafts), []string{"A | B\n1 | 2\n3 | 4"})
}

func TestAnchors(t *testing.T) {
	cases := []struct{ language, typ, text, kind, anchor string }{
		{"pt", "p", "Art. 2º - Os prazos são:", "artigo", "Art. 2º"},
		{"pt", "h", "Artigo 12.º", "artigo", "Artigo 12.º"},
		{"pt", "p", "Art. 1.024-A. O conselho", "artigo", "Art. 1.024-A"},
		{"fr", "h", "Article 1er", "article", "Article 1er"},
		{"fr", "h", "Article L. 2121-10 du code", "article", "Article L. 2121-10"},
		{"fr", "p", "Article L. 2121-10 du code", "", ""},
		{"fr", "p", "Article premier", "article", "Article premier"},
		{"en", "h", "Article IV Powers", "article", "Article IV"},
		{"it", "p", "Art. 7 bis", "articolo", "Art. 7 bis"},
		{"it", "h", "Articolo 3", "articolo", "Articolo 3"},
		{"fr", "p", "Point n° 3 : budget", "agenda_item", "Point n° 3"},
		{"en", "p", "Agenda item 4.2 Roads", "agenda_item", "Agenda item 4.2"},
		{"pt", "h", "CAPÍTULO II", "section", "CAPÍTULO II"},
		{"en", "p", "Section 3 applies", "", ""},
		{"en", "p", "Article civil", "", ""},
		{"en", "p", "The article 5 says", "", ""},
		{"en", "p", "Articles 3 and 4", "", ""},
	}
	for _, c := range cases {
		b := assemble.Block{Type: model.UnitParagraph, Page: 4, Lines: []assemble.Line{{{Text: c.text, IRID: "ir_1"}}}}
		if c.typ == "h" {
			b.Type = model.UnitHeading
		}
		got := model.Anchor{}
		if a := anchorsOf(b, c.typ == "h", c.language); len(a) > 0 {
			got = a[0]
		}
		if got.Type != c.kind || got.Text != c.anchor {
			t.Errorf("%s %q: %+v", c.language, c.text, got)
		}
	}
}

func TestLaterChunksOfAnArticleKeepItsAnchor(t *testing.T) {
	text := strings.Repeat("O conselho delibera. ", 60)
	drafts := cutAll(t, split.Options{Budget: 150, Language: "pt"}, doc("# CAPÍTULO I", "## Art. 4º Quórum", text, "## Outro", "fim"))
	for i, d := range drafts[:len(drafts)-1] {
		if len(d.Anchors) == 0 || d.Anchors[0].Text != "Art. 4º" {
			t.Errorf("chunk %d: anchors %+v", i, d.Anchors)
		}
	}
	for _, a := range drafts[len(drafts)-1].Anchors {
		if a.Type == "artigo" {
			t.Errorf("the next section has the article's anchor: %+v", a)
		}
	}
}

// check holds a draft against contracts#provenance: every byte is covered once, and what
// is not synthetic is a slice of its unit.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, d split.Draft, texts map[string]string) {
	t.Helper()
	if err := (model.Provenance{Segments: d.Segments}).Tile(d.Text); err != nil {
		t.Fatalf("%v\n%q", err, d.Text)
	}
	for _, s := range d.Segments {
		if s.Synthetic == "" && d.Text[s.Start:s.End] != texts[s.IRID][s.From:s.To] {
			t.Fatalf("bytes %d–%d are not those of %s", s.Start, s.End, s.IRID)
		}
	}
	if n, err := o200k(d.Text); err != nil || n != d.Tokens {
		t.Fatalf("tokens %d, counted %d, %v", d.Tokens, n, err)
	}
	if strings.TrimSpace(d.Content) == "" || d.PageHint == 0 {
		t.Fatalf("content %q, page %d", d.Content, d.PageHint)
	}
}

// lineOf is a context line of at most 30 tokens or so.
func lineOf(path []string) string {
	section := ""
	if len(path) > 0 {
		section = path[len(path)-1]
	}
	return header.ContextLine("Levels", []string{strings.ToValidUTF8(section[:min(len(section), 15)], "")}, "2026-01-02", "Lake")
}

// TestAnyUnits: whatever the units, the chunks tile, stay within the budget, and
// together hold each visible byte of the chunked units once, in order.
func TestAnyUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(
			rapid.StringMatching(`[a-zA-Zàéç]{1,12}[.,;]?`),
			rapid.SampledFrom([]string{"Art.", "2º", "…", "—", "/", "//", "日本語", "\u00a0", "a\n\nb", "   ", "🙂", "1234567890", "¿", "==", "-", "\t"}),
			rapid.StringN(1, 6, 24),
		)
		var units []unitOf
		texts := map[string]string{}
		want := ""
		n := rapid.IntRange(1, 12).Draw(t, "units")
		joins := rapid.Bool().Draw(t, "joins") // then heads and hyphens may go
		byID := map[string]model.Unit{}
		page := 1
		for i := range n {
			u := model.Unit{IRID: fmt.Sprintf("ir_%d", i)}
			u.Type = rapid.SampledFrom([]model.UnitType{model.UnitParagraph, model.UnitHeading, model.UnitListItem,
				model.UnitCode, model.UnitTable, model.UnitFootnote, model.UnitFurniture}).Draw(t, "type")
			size := rapid.SampledFrom([]int{2, 20, 200}).Draw(t, "size")
			words := rapid.SliceOfN(word, size/2, size).Draw(t, "words")
			u.FieldsRaw.Text = strings.ToValidUTF8(strings.Join(words,
				rapid.SampledFrom([]string{" ", " ", "\n", ""}).Draw(t, "space")), "?")
			u.FieldsRaw.Level = rapid.IntRange(0, 6).Draw(t, "level")
			if u.Type == model.UnitTable {
				u.FieldsRaw.Table = &model.Table{HeaderRows: rapid.IntRange(0, 2).Draw(t, "head")}
			}
			if joins {
				u.FieldsRaw.Continues = rapid.Bool().Draw(t, "continues")
				u.FieldsRaw.Continued = rapid.Bool().Draw(t, "continued")
			}
			page += rapid.IntRange(0, 1).Draw(t, "page")
			units = append(units, unitOf{page, u})
			texts[u.IRID], byID[u.IRID] = u.FieldsRaw.Text, u
			if u.Chunked() {
				want += visible(u.FieldsRaw.Text)
			}
		}
		budget := rapid.IntRange(92, 200).Draw(t, "budget")
		options := split.Options{Header: head, Budget: budget, Count: o200k}
		if rapid.Bool().Draw(t, "context line") {
			budget += 40
			options.Budget, options.ContextLine = budget, lineOf
		}
		var drafts []split.Draft
		s, err := New(options, func(d split.Draft) error { drafts = append(drafts, d); return nil })
		if err != nil {
			t.Fatal(err)
		}
		a := assemble.New(func(string) bool { return false }, s.Add)
		for _, u := range units {
			if err := a.Add(u.page, []model.Unit{u.unit}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(a.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range drafts {
			check(t, d, texts)
			if line := strings.TrimSuffix(strings.TrimPrefix(d.Text, head), d.Content); options.ContextLine != nil && line != lineOf(d.SectionPath)+joint {
				t.Fatalf("the context line is %q", line)
			}
			if d.Tokens > budget && !isOneRow(d, byID) {
				t.Fatalf("%d tokens, budget %d: %q", d.Tokens, budget, d.Text)
			}
			for i, seg := range d.Segments {
				if seg.Synthetic == model.SyntheticTableHeader {
					next := i + 1
					for d.Segments[next].Synthetic != "" { // a row may begin with an empty cell
						next++
					}
					if want := header.TableHead(byID[d.Segments[next].IRID]); d.Text[seg.Start:seg.End] != want {
						t.Fatalf("repeats %q, the table's head is %q", d.Text[seg.Start:seg.End], want)
					}
				}
				if seg.Synthetic == "" {
					got += visible(d.Text[seg.Start:seg.End])
				}
				if seg.Synthetic == model.SyntheticHeadingContext && !header.IsContext(d.Text[seg.Start:seg.End], d.SectionPath) {
					t.Fatalf("context %q of %q", d.Text[seg.Start:seg.End], d.SectionPath)
				}
			}
		}
		if got != want && !joins {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}

// isOneRow reports whether a chunk is one row of a table, with or without what is
// repeated above it: that is not cut.
func isOneRow(d split.Draft, byID map[string]model.Unit) bool {
	id := ""
	for _, s := range d.Segments {
		switch {
		case s.Synthetic == model.SyntheticSeparator && id != "" && d.Text[s.Start:s.End] == header.RowSeparator:
			return false
		case s.Synthetic == "" && (byID[s.IRID].Type != model.UnitTable || id != "" && id != s.IRID):
			return false
		case s.Synthetic == "":
			id = s.IRID
		}
	}
	return true
}

func visible(s string) string { return strings.Join(strings.Fields(s), "") }

func TestEqualBlocksGiveEqualChunks(t *testing.T) {
	units := doc("# A", strings.Repeat("one two three. ", 200), "## B", "x")
	a, b := cutAll(t, split.Options{Budget: 120}, units), cutAll(t, split.Options{Budget: 120}, units)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the second pass differs")
	}
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("Le conseil municipal a délibéré sur le budget de la commune. ", 5)
	var lines []string
	for range 400 {
		lines = append(lines, text)
	}
	units := doc(lines...)
	b.ResetTimer()
	for range b.N {
		cutAll(b, split.Options{}, units)
	}
	b.ReportMetric(float64(len(text)*400*b.N)/b.Elapsed().Seconds()/1e6, "MB/s")
}
