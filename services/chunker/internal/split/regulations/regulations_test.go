package regulations_test

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/regulations"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// statute is a law of which nothing but the title is a heading.
var statute = splittest.Document{Language: "pt", Lines: []string{
	"# Lei das feiras", "A câmara decreta:",
	"CAPÍTULO I", "DAS BANCAS",
	"Art. 1º A banca é de quem a pede.", "§ 1º Pede-se por escrito.", "I - com o nome;", "II - com a data.",
	"Art. 2º - Os prazos são de dez dias.", "Article 12 of another law is not meant.",
	"CAPÍTULO II", "Art. 3º-A Revogado.", "Art. 4º Entra em vigor hoje.", "Dado em Évora, a 4 de março.",
}}

// TestArticles: each article is a chunk with its paragraphs and items; the chapter that it
// opens stands above it; those of the article are carried on.
func TestArticles(t *testing.T) {
	drafts := splittest.Cut(t, regulations.Chunker{}, statute, 0)
	splittest.Want(t, drafts,
		"Lei das feiras / A câmara decreta:",
		"Lei das feiras / CAPÍTULO I / DAS BANCAS / Art. 1º A banca é de quem a pede. / § 1º Pede-se por escrito. / I - com o nome; / II - com a data.",
		"Lei das feiras > CAPÍTULO I > DAS BANCAS / Art. 2º - Os prazos são de dez dias. / Article 12 of another law is not meant.",
		"Lei das feiras / CAPÍTULO II / Art. 3º-A Revogado.",
		"Lei das feiras > CAPÍTULO II / Art. 4º Entra em vigor hoje. / Dado em Évora, a 4 de março.",
	)
	for i, anchor := range []string{"", "artigo Art. 1º", "artigo Art. 2º", "artigo Art. 3º-A", "artigo Art. 4º"} {
		got := ""
		if a := drafts[i].Anchors; len(a) > 0 {
			got = a[0].Type + " " + a[0].Text
		}
		if got != anchor {
			t.Errorf("chunk %d: anchor %q, want %q", i, got, anchor)
		}
	}
}

// TestALongArticle: one above the budget is cut between its paragraphs, and each part has
// its anchor and its chapter.
func TestALongArticle(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("The warden keeps the keys of the gate. ", 8))
	d := splittest.Document{Lines: []string{
		"# Gates act", "## Part 1. Keys", "### Section 1. Purpose", "(1) Gates are shut.", "### Section 2. Keys",
		"(1) " + long, "(2) " + long, "(3) " + long, "### Section 3. End", "It ends.", "### Section 4. Name", "It has none.",
	}}
	drafts := splittest.Cut(t, regulations.Chunker{}, d, 150)
	splittest.Want(t, drafts,
		"Gates act / Part 1. Keys / Section 1. Purpose / (1) Gates are shut.",
		"Gates act > Part 1. Keys / Section 2. Keys / (1) "+long,
		"Gates act > Part 1. Keys > Section 2. Keys / (2) "+long,
		"Gates act > Part 1. Keys > Section 2. Keys / (3) "+long,
		"Gates act > Part 1. Keys / Section 3. End / It ends.",
		"Gates act > Part 1. Keys / Section 4. Name / It has none.",
	)
	for _, d := range drafts[1:4] {
		if len(d.Anchors) == 0 || d.Anchors[0].Text != "Section 2" {
			t.Errorf("%q: anchors %v", d.Content, d.Anchors)
		}
	}
}

// TestTakes: four articles are a law, two where the source publishes laws; a report that
// quotes one is none.
func TestTakes(t *testing.T) {
	law := split.Source{Domain: "law"}
	few := splittest.Document{Lines: []string{"Art. 1 Gates.", "Art. 2 Keys."}}
	quoting := splittest.Document{Lines: append(strings.Split(strings.Repeat("A report says much.|", 200), "|")[:200], few.Lines...)}
	for _, c := range []struct {
		name string
		d    splittest.Document
		from split.Source
		why  string
	}{
		{"a law", statute, split.Source{}, "it has 4 articles"},
		{"two articles", few, split.Source{}, ""},
		{"two articles of a source of laws", few, law, "it has 2 articles"},
		{"a report", quoting, law, ""},
		{"an act in sections", splittest.Document{Lines: []string{"# Section 1", "a", "# Section 2", "b", "# Section 3", "c", "# § 4", "d"}}, split.Source{}, "it has 4 numbered sections"},
		{"a paper with some", splittest.Document{Lines: []string{"# Aims", "# Means", "# Ends", "# Thanks", "# Notes", "# Section 1", "# Section 2", "# Section 3", "# Section 4"}}, split.Source{}, ""},
	} {
		if why, ok := (regulations.Chunker{}).Takes(c.from, c.d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s: %q, %t", c.name, why, ok)
		}
	}
}
