package app

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	r.must(r.app.db.Tx(r.ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(r.ctx, sql, args...)
		return err
	}))
}

// TestAFilterOnEachFieldOfAPoint: two chunks that differ in all of them, of which each
// filter finds one.
func TestAFilterOnEachFieldOfAPoint(t *testing.T) {
	r := newRig(t)
	s, a := r.add(doc{url: "https://one.example/a?x=1&y=2", source: "mairie", title: "Règlement, titre 1", content: "Le quorum est de sept.", kind: model.TypePDF,
		date: "2026-02-01", shape: func(c *model.Chunk) {
			c.Anchors = []model.Anchor{{Type: "article", Text: "Art. 2º", Page: 4}, {Type: "section", Text: "II", Page: 4}}
			c.Host, c.PageHint, c.ChunkIndex, c.Tokens, c.Domain = "one.example", 4, 7, 120, "civics"
		}})
	_, b := r.add(doc{url: "https://two.example/b", source: "forum", sourceType: "forum", title: "Un avis", content: "Le quorum, à mon avis, est bien trop haut pour un conseil.", date: "2025-06-30",
		language: "co", territory: "Alta", said: model.ChunkOpinion, status: model.StatusConfirmed, shape: func(c *model.Chunk) {
			c.Anchors = []model.Anchor{{Type: "section", Text: "II", Page: 1}}
			c.Host, c.ChunkID, c.Generation = "two.example", "0", 1
		}})
	length := len([]rune(a.Text))
	for params, want := range map[string]string{
		"source=mairie": "a", "source_type=forum": "b", "type=opinion": "b", "status=confirmed": "b", "doc_type=pdf": "a", "language=co": "b",
		"territory=Alta": "b", "domain=civics": "a b", "domain=history": "", "host=two.example": "b", "url=https://one.example/a?x=1&y=2": "a", "title=Règlement, titre 1": "a",
		"title=règlement, titre 1": "", "document=" + a.DocumentID: "a", "snapshot=" + s.SnapshotID: "a", "doc_hash=" + b.DocHash: "b",
		"chunk_id=0": "a b", "chunk_id=0@2": "", "chunk=" + b.ChunkRef: "b", "anchor_type=article": "a", "anchor_type=section": "b", "anchor_text=II": "b",
		"anchor_text=Art. 2º": "a", "collection=" + r.collection.Name: "a b", "collection=other": "", "layer=hot": "a b", "layer=summary": "",
		"from=2026-01-01": "a", "to=2026-01-01": "b", "from=2025-06-30 to=2025-06-30": "b", "from=2026-03-01": "", "as_of=2025-12-31": "b",
		"as_of=2025-12-31 to=2024-01-01": "", "as_of=2024-01-01 to=2025-12-31": "",
		"pushed_from=2026-03-02T00:00:00Z pushed_to=2026-03-02T01:00:00+01:00": "a b", "pushed_from=2026-03-02T00:00:01Z": "", "pushed_to=2026-03-01T23:59:59Z": "",
		"pages=4": "a", "pages=1-3": "b", "pages=2-": "a", "pages=-1": "b", "pages=5-9": "", "chunk_index=7": "a", "chunk_index=0": "b",
		"tokens=100-200": "a", "tokens=-99": "b", fmt.Sprintf("text_len=%d", length): "a", fmt.Sprintf("text_len=%d-", length+1): "b",
		"host=one.example pages=4 type=fact": "a", "host=one.example pages=1": "", "document=" + a.DocumentID + " pages=1": "",
		"document=" + a.DocumentID + " document=" + b.DocumentID: "a b", "snapshot=" + s.SnapshotID + " document=" + b.DocumentID: "", "document=doc_none": "",
	} {
		var got []string
		found := r.search("quorum", splitParams(params)...)
		for _, h := range found.Hits {
			got = append(got, map[string]string{a.ChunkRef: "a", b.ChunkRef: "b"}[h.ChunkRef])
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s found %q, want %q", params, got, want)
		}
	}
	for _, wrong := range []string{"pages=x", "pages=", "pages=1-2-3", "pages=-", "pages=1&pages=2", "tokens=-1-", "tokens=99999999999", "from=now", "to=2026-13-01",
		"pushed_from=2026-03-02", "neighbours=6", "neighbours=-1", "facets=1", "highlights=", "cursor=", "limit=0", "host=" + strings.Repeat("x", 201), "page=3"} {
		r.get("/v1/search", http.StatusBadRequest, "/v1/search?q=a&"+wrong)
	}
	for _, foreign := range []string{"cursor=!", "cursor=MTAuYQ"} {
		r.get("/v1/search", http.StatusConflict, "/v1/search?q=a&"+foreign)
	}
	for _, nothing := range []string{"pages=9-3", "chunk_index=061881447-57103", "text_len=999999999-0"} {
		if found := r.search("quorum", nothing); len(found.Hits) != 0 {
			t.Errorf("%s found %d hits", nothing, len(found.Hits))
		}
	}
}

// splitParams divides parameters at the spaces before a name.
func splitParams(params string) (list []string) {
	if params == "" {
		return nil
	}
	for _, word := range strings.Split(params, " ") {
		if strings.Contains(word, "=") || len(list) == 0 {
			list = append(list, word)
		} else {
			list[len(list)-1] += " " + word
		}
	}
	return list
}

// TestAFilterFindsWhatOnlyADuplicateSays: of one text of four sources each is found under
// what only it has, without a filter it is one hit, and one that stands is as good as one
// that does not.
func TestAFilterFindsWhatOnlyADuplicateSays(t *testing.T) {
	r := newRig(t)
	_, stands := r.add(doc{source: "mairie", url: "https://example.org/stands", content: quorum})
	_, twin := r.add(doc{source: "region", url: "https://example.org/twin", content: quorum, twinOf: stands.ChunkRef, territory: "Alta",
		shape: func(c *model.Chunk) { c.PageHint = 9 }})
	_, third := r.add(doc{source: "annex", url: "https://example.org/third", content: quorum, twinOf: stands.ChunkRef, kind: model.TypePDF})
	r.add(doc{source: "annex", url: "https://example.org/far", content: "Un autre texte, sans rapport, et à la fin le quorum."})
	if stands.TextHash != twin.TextHash || twin.TextHash != third.TextHash {
		t.Fatal("they are no duplicates")
	}
	for params, want := range map[string]string{
		"": "stands far", "source=region": "twin", "source=annex": "third far", "source=region source=annex": "twin far", "territory=Alta": "twin", "pages=9": "twin",
		"doc_type=pdf": "third", "doc_type=pdf territory=Alta": "", "snapshot=" + twin.SnapshotID: "twin", "document=" + third.DocumentID: "third",
		"source=mairie source=region": "stands", "type=fact": "stands far", "from=2026-01-01": "stands far",
	} {
		found := r.search("quorum membres présents", splitParams(params)...)
		got := urls(found)
		if params == "source=region source=annex" && strings.HasPrefix(got, "third") { // the first by its ref
			got = strings.Replace(got, "third", "twin", 1)
		}
		if got != want {
			t.Errorf("%q found %q, want %q", params, got, want)
		}
	}
	if hit := r.search("quorum membres présents").Hits[0]; sourcesOf(hit) != "annex mairie region" || hit.Sources[0].SourceID != "mairie" {
		t.Errorf("its sources are %s", sourcesOf(hit))
	}
}

// TestWhenAPointWasWrittenBoundsSourcesAndFacets: what the filter leaves out is in neither.
func TestWhenAPointWasWrittenBoundsSourcesAndFacets(t *testing.T) {
	r := newRig(t)
	_, stands := r.add(doc{source: "mairie", content: quorum})
	r.add(doc{source: "region", content: quorum, twinOf: stands.ChunkRef, pushed: "2026-04-02T08:00:00Z"})
	r.add(doc{source: "annex", content: quorum, twinOf: stands.ChunkRef, pushed: "2026-05-02T08:00:00Z"})
	for params, want := range map[string]string{
		"": "annex mairie region", "pushed_from=2026-04-02T08:00:00Z": "annex region", "pushed_to=2026-04-02T08:00:00Z": "mairie region",
		"pushed_from=2026-03-03T00:00:00Z pushed_to=2026-05-02T07:59:59Z": "region", "document=" + stands.DocumentID + " pushed_to=2026-03-02T00:00:00Z": "mairie",
	} {
		found := r.search("quorum membres", append(splitParams(params), "facets=true")...)
		if len(found.Hits) != 1 || sourcesOf(found.Hits[0]) != want {
			t.Errorf("%q: %d hits, sources %q, want %q", params, len(found.Hits), sourcesOf(found.Hits[0]), want)
		}
		var counted []string
		for _, v := range found.Facets.Fields["source"] {
			counted = append(counted, v.Value)
		}
		if got := strings.Join(counted, " "); got != want {
			t.Errorf("%q: facets of %q, want %q", params, got, want)
		}
	}
}

// TestACrowdOfDuplicatesTakesOnePlace: within a source of hundreds of pages that say one
// thing, what else there is is found behind it.
func TestACrowdOfDuplicatesTakesOnePlace(t *testing.T) {
	const crowd = 230 // more than twice the candidates of a side
	r := newRig(t)
	_, stands := r.add(doc{source: "mairie", content: "Quorum quorum.", kind: model.TypePDF})
	for range crowd {
		r.add(doc{source: "region", content: "Quorum quorum.", kind: model.TypePDF, twinOf: stands.ChunkRef})
	}
	r.add(doc{source: "region", url: "https://example.org/far", kind: model.TypePDF,
		content: "Un texte bien plus long, qui parle de la pluie, du beau temps, des routes et des ponts, et à la fin du quorum."})
	found := r.search("quorum", "source=region")
	if len(found.Hits) != 2 || found.Hits[0].Content != "Quorum quorum." || found.Hits[1].URL != "https://example.org/far" || found.Bounded {
		t.Errorf("%d hits, bounded %t: %s", len(found.Hits), found.Bounded, urls(found))
	}
}

// TestASnapshotFindsWhatItRepeats: what a version says again has no point of its own.
func TestASnapshotFindsWhatItRepeats(t *testing.T) {
	r := newRig(t)
	page := "https://example.org/minutes"
	first, old := r.add(doc{url: page, content: quorum, date: "2026-01-10"})
	second, again := r.add(doc{url: page, content: quorum, date: "2026-02-10", repeats: old.ChunkRef, shape: func(c *model.Chunk) { c.PageHint = 3 }})
	if first.DocumentID != second.DocumentID || old.ChunkRef == again.ChunkRef {
		t.Fatal("they are no versions of one document")
	}
	for params, want := range map[string]string{
		"": old.ChunkRef, "snapshot=" + first.SnapshotID: old.ChunkRef, "snapshot=" + second.SnapshotID: again.ChunkRef,
		"document=" + first.DocumentID: again.ChunkRef, "document=" + first.DocumentID + " pages=3": again.ChunkRef, "document=" + first.DocumentID + " pages=1": "",
		"snapshot=" + first.SnapshotID + " pages=3": "", "snapshot=" + second.SnapshotID + " to=2026-01-31": "",
		"document=" + first.DocumentID + " from=2026-01-01": again.ChunkRef, "document=" + first.DocumentID + " as_of=2026-12-31": again.ChunkRef,
		"document=" + first.DocumentID + " as_of=2026-01-31": old.ChunkRef, "document=" + first.DocumentID + " to=2026-01-31": old.ChunkRef,
		"snapshot=" + first.SnapshotID + " snapshot=" + second.SnapshotID: again.ChunkRef, "document=" + first.DocumentID + " layer=hot": again.ChunkRef,
	} {
		got := ""
		for _, h := range r.search("quorum membres présents", splitParams(params)...).Hits {
			got += h.ChunkRef
		}
		if got != want {
			t.Errorf("%q found %q, want %q", params, got, want)
		}
	}
}

func TestPhrasesAndWordsThatAreLeftOut(t *testing.T) {
	r := newRig(t)
	r.add(doc{url: "https://example.org/1", content: "Le quórum mínimo é de sete membros; o orçamento fica."})
	r.add(doc{url: "https://example.org/2", content: "O mínimo do quórum: sete."})
	r.add(doc{url: "https://example.org/3", content: "Quórum. Mínimo de nove membros, na Casa d'Águas."})
	r.add(doc{url: "https://example.org/4", content: "Nada disto, mas o orçamento."})
	for query, want := range map[string]string{
		`quorum minimo`: "1 2 3 4", `"quorum minimo"`: "1 3", `"QUÓRUM mínimo" -orcamento`: "3", `"minimo do quorum"`: "2", `“mínimo de nove” «quórum»`: "3",
		`orçamento -"quórum mínimo"`: "2 4", `quorum -sete`: "3 4", `"d'águas"`: "3", `"agua"`: "", `"quorum`: "1 2 3 4", `sete-membros`: "1 2 3 4", `- sete quorum`: "1 2 3 4",
		`"sete membros" "orçamento fica"`: "1", `"membros o orçamento"`: "1", `"Mairie"`: "", `-mairie quorum`: "1 2 3 4",
	} {
		if got := sorted(urls(r.search(query))); got != want {
			t.Errorf("%s found %q, want %q", query, got, want)
		}
	}
	for _, wrong := range []string{`-sete`, `-"quórum mínimo"`, `-a -b ""`} {
		r.get("/v1/search", http.StatusBadRequest, "/v1/search?q="+url.QueryEscape(wrong))
	}
}

// TestPagesOfHitsHaveNoDoublesAndNoGaps: whatever their size, they are one list.
func TestPagesOfHitsHaveNoDoublesAndNoGaps(t *testing.T) {
	r := newRig(t)
	const texts = 150 // more than the candidates of a side
	for i := range texts {
		r.add(doc{content: fmt.Sprintf("Le quorum %s numéro %d.", strings.Repeat("vraiment ", i%7), i), kind: model.TypePDF})
	}
	list := func(size int) (refs []string) {
		t.Helper()
		for cursor := ""; ; {
			params := []string{fmt.Sprint("limit=", size), "boxes=false"}
			if cursor != "" {
				params = append(params, "cursor="+cursor)
			}
			page := r.search("quorum vraiment", params...)
			for _, h := range page.Hits {
				refs = append(refs, h.ChunkRef)
			}
			if cursor = page.Next; cursor == "" {
				return refs
			}
			if len(page.Hits) != size {
				t.Fatalf("a page of %d hits, want %d", len(page.Hits), size)
			}
		}
	}
	all := list(100)
	if distinct := slices.Compact(slices.Sorted(slices.Values(all))); len(all) != texts || len(distinct) != texts {
		t.Fatalf("%d hits, %d of them distinct, want %d", len(all), len(distinct), texts)
	}
	for _, size := range []int{7, 50} {
		if got := list(size); !slices.Equal(got, all) {
			t.Errorf("pages of %d are another list", size)
		}
	}
	first := r.search("quorum vraiment", "limit=7")
	for _, other := range []string{"q=quorum", "q=quorum+vraiment&source=mairie", "q=quorum+vraiment&as_of=2026-12-31"} {
		r.get("/v1/search", http.StatusConflict, "/v1/search?"+other+"&cursor="+first.Next)
	}
}

func TestFacetsCountHits(t *testing.T) {
	r := newRig(t)
	_, stands := r.add(doc{source: "mairie", content: quorum})
	r.add(doc{source: "region", content: quorum, twinOf: stands.ChunkRef, territory: "Alta"})
	r.add(doc{source: "region", content: "Le quorum des sessions.", language: "co", status: model.StatusConfirmed})
	r.add(doc{source: "forum", sourceType: "forum", said: model.ChunkOpinion, content: "Le quorum, à mon avis.", kind: model.TypePDF})
	say := func(params ...string) string {
		t.Helper()
		f := r.search("quorum", append(params, "facets=true", "limit=1")...).Facets
		if f == nil || !f.Complete {
			t.Fatalf("%+v", f)
		}
		line := fmt.Sprint(f.Counted)
		for _, field := range []string{"source", "source_type", "type", "status", "language", "doc_type", "territory", "domain"} {
			line += " " + field
			for _, v := range f.Fields[field] {
				line += fmt.Sprintf(" %s:%d", v.Value, v.Count)
			}
		}
		return line
	}
	if got, want := say(), "3 source region:2 forum:1 mairie:1 source_type official:2 forum:1 type fact:2 opinion:1 status under_review:2 confirmed:1 language fr:2 co:1 doc_type html:2 pdf:1 territory Valdoro:3 Alta:1 domain civics:3"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := say("source=region", "type=fact"), "2 source region:2 source_type official:2 type fact:2 status confirmed:1 under_review:1 language co:1 fr:1 doc_type html:2 territory Alta:1 Valdoro:1 domain civics:2"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if r.search("quorum").Facets != nil {
		t.Error("facets that nobody asked for")
	}
}

// TestHighlightsStandInUnits: in no text that a rule wrote, each with the unit's own bytes
// and its box.
func TestHighlightsStandInUnits(t *testing.T) {
	r := newRig(t)
	box := model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}
	r.add(doc{content: "Du quórum: le Quorum des Mairies est dû.", kind: model.TypePDF, box: &box})
	hit := r.search("quorum mairie", "highlights=true").Hits[0]
	var marked []string
	for _, h := range hit.Highlights {
		marked = append(marked, hit.Content[h.Start:h.End])
		if h.Page != 1 || h.IRID != "ir_made_up" || h.From != h.Start || h.To != h.End || h.BBox == nil || *h.BBox != box {
			t.Errorf("%+v", h)
		}
	}
	if got := strings.Join(marked, "|"); got != "quórum|Quorum|Mairies" {
		t.Errorf("marked is %s", got)
	}
	hit = r.search(`"quorum des mairies"`, "highlights=true", "boxes=false").Hits[0]
	if h := hit.Highlights; len(h) != 1 || hit.Content[h[0].Start:h[0].End] != "Quorum des Mairies" || h[0].BBox != nil {
		t.Errorf("of a phrase: %+v", h)
	}
	if hit := r.search("quorum").Hits[0]; hit.Highlights != nil {
		t.Error("highlights that nobody asked for")
	}
}

func TestNeighboursOfAHit(t *testing.T) {
	r := newRig(t)
	var refs []string
	for i := range 5 {
		_, c := r.add(doc{content: fmt.Sprintf("Partie %s.", []string{"une", "deux", "du quorum", "quatre", "cinq"}[i]), kind: model.TypePDF,
			shape: func(c *model.Chunk) { c.ChunkIndex = i }})
		refs = append(refs, c.ChunkRef)
	}
	r.exec(`UPDATE chunks SET doc_hash = (SELECT doc_hash FROM chunks WHERE chunk_ref = $1)`, refs[2])
	said := func(list []search.Neighbour) (contents string) {
		for _, n := range list {
			contents += fmt.Sprintf("%d %s ", n.ChunkIndex, n.Content)
		}
		return contents
	}
	for params, want := range map[string]string{"neighbours=1": "1 Partie deux. | 3 Partie quatre. ", "neighbours=5": "0 Partie une. 1 Partie deux. | 3 Partie quatre. 4 Partie cinq. ", "neighbours=0": " | "} {
		hit := r.search("quorum", params, "limit=1", "boxes=false").Hits[0]
		if got := strings.ReplaceAll(said(hit.Before)+"| "+said(hit.After), "  ", " "); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s: %q, want %q", params, got, want)
		}
	}
}

// TestTheLanguageOfAQuestion is said where it is sure, and narrows nothing.
func TestTheLanguageOfAQuestion(t *testing.T) {
	r := newRig(t)
	for query, want := range map[string]string{
		"quand se réunit le conseil": "fr", "qual é o número mínimo de membros presentes nas sessões": "pt",
		"what is the least number of members who must be present": "en", "12 345": "", "budget": "",
	} {
		if got := r.search(query).Language; got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}
