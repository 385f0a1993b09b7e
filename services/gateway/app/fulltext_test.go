package app

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestTheCatalogsFullText: words are compared by the stems of their language, once the
// janitor has made them, under the filter; and a search counts them where it is told to.
func TestTheCatalogsFullText(t *testing.T) {
	r := newRig(t, config.Prefix+"POSTGRES_FULLTEXT=true")
	_, first := r.add(doc{content: "The councillors deliberated in session.", language: "en"})
	_, twin := r.add(doc{source: "region", content: "The councillors deliberated in session.", language: "en", twinOf: first.ChunkRef})
	_, plain := r.add(doc{content: "Conseillers in the text of no language.", language: "xx"})
	r.add(doc{content: "The councillors deliberated in session.", date: "2026-04-01", language: "en", repeats: first.ChunkRef})
	hits := func(language, question string, f catalog.ChunkFilter) string {
		t.Helper()
		found, err := r.app.db.FulltextHits(r.ctx, language, question, f, 10)
		r.must(err)
		var all []string
		for _, h := range found {
			name := map[string]string{first.ChunkRef: "first", twin.ChunkRef: "twin", plain.ChunkRef: "plain"}
			all = append(all, name[h.ChunkRef]+">"+name[h.Stands])
		}
		return strings.Join(all, " ")
	}
	if got := hits("en", "deliberating", catalog.ChunkFilter{}); got != "" {
		t.Errorf("before it is made it finds %s", got)
	}
	if made, err := r.app.db.MakeFulltext(r.ctx, 3); err != nil || made != 3 {
		t.Fatalf("made %d, %v", made, err)
	}
	if made, err := r.app.db.MakeFulltext(r.ctx, 3); err != nil || made != 1 {
		t.Fatalf("made %d more, %v", made, err)
	}
	both := "first>first twin>first"
	if first.ChunkRef > twin.ChunkRef {
		both = "twin>first first>first"
	}
	for _, c := range []struct{ language, question, want string }{
		{"en", "which councillor deliberates", both}, {"en", "deliberating", both}, {"xx", "deliberating", ""}, {"xx", "conseillers", "plain>plain"},
		{"en", "the of in", ""}, {"en", `l'a\'b & (c | "d"`, ""}, {"en", "", ""},
	} {
		if got := hits(c.language, c.question, catalog.ChunkFilter{}); got != c.want {
			t.Errorf("%q in %s finds %q, want %q", c.question, c.language, got, c.want)
		}
	}
	if got := hits("en", "deliberating", catalog.ChunkFilter{Sources: []string{"region"}}); got != "twin>first" {
		t.Errorf("of a source it finds %q", got)
	}
	found := r.search("councillors deliberating in a session")
	if len(found.Hits) == 0 || found.Hits[0].ChunkRef != first.ChunkRef || found.Hits[0].Layer != string(model.LayerHot) {
		t.Errorf("a search finds %+v", found.Hits)
	}
}
