package app

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

const quorum = "Le quorum est de sept membres présents."

// register puts sources into the registry.
func (r *rig) register(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		r.must(r.app.db.PutSource(r.ctx, model.DefaultSource(id)))
	}
}

func (r *rig) setState(id string, state model.SourceState) {
	r.t.Helper()
	r.must(r.app.db.SetSourceState(r.ctx, id, state))
}

// sourcesOf lists the sources of a hit, sorted.
func sourcesOf(h search.Hit) string {
	var ids []string
	for _, s := range h.Sources {
		ids = append(ids, s.SourceID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// An opinion's source does not stand among those of a fact of the same words, nor one
// that was refuted among those of what is confirmed; each entry says what it is.
func TestAHitListsWhoSaysTheSameAsTheSame(t *testing.T) {
	r := newRig(t)
	r.add(doc{source: "mairie", content: quorum})
	r.add(doc{source: "region", name: "Région", content: quorum, date: "2026-04-01", layer: model.LayerSummary})
	r.add(doc{source: "forum", name: "Forum", content: quorum, said: model.ChunkOpinion, sourceType: "forum"})
	r.add(doc{source: "refuted", name: "Journal", content: quorum, status: model.StatusRefuted})
	_, twin := r.add(doc{source: "blog", name: "Blog", content: quorum, said: model.ChunkOpinion, sourceType: "comment", kind: model.TypePDF})

	found := r.search("quorum membres présents")
	got := make(map[string]string)
	for _, h := range found.Hits {
		got[h.Type+" "+h.Status] = sourcesOf(h)
		if h.Sources[0].ChunkRef != h.ChunkRef || h.MoreSources {
			t.Errorf("the first source of %s is %+v, more: %v", h.ChunkRef, h.Sources[0], h.MoreSources)
		}
		for _, s := range h.Sources {
			if s.Type != h.Type || s.Status != h.Status {
				t.Errorf("a hit of a %s lists %+v", h.Type, s)
			}
			if s.ChunkRef == twin.ChunkRef && (s.SourceType != "comment" || s.DocType != "pdf" || s.Layer != "hot" || s.InfoDate != twin.InfoDate || s.Page != 1) {
				t.Errorf("the blog's entry is %+v", s)
			}
			if s.SourceID == "region" && (s.Layer != "summary" || s.InfoDate != "2026-04-01") {
				t.Errorf("the region's entry is %+v", s)
			}
		}
	}
	want := map[string]string{"fact under_review": "mairie region", "opinion under_review": "blog forum", "fact refuted": "refuted"}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(found.Hits) != 3 {
		t.Errorf("%d hits, with the sources %v, want %v", len(found.Hits), got, want)
	}
	if got := r.search("quorum", "type=opinion", "source_type=forum"); len(got.Hits) != 1 || sourcesOf(got.Hits[0]) != "forum" {
		t.Errorf("a filter lets through %+v", got.Hits)
	}
}

// A hit lists all that say it, also those that are far below what was retrieved.
func TestAHitListsAllItsSources(t *testing.T) {
	const sayers = 130 // more than candidates of a side
	r := newRig(t)
	for i := range sayers {
		r.add(doc{source: fmt.Sprintf("s%d", i), name: fmt.Sprintf("Source %d", i), content: quorum, kind: model.TypePDF})
	}
	r.add(doc{url: "https://example.org/other", content: "Le quorum des sessions.", date: "2026-05-01", kind: model.TypePDF})
	found := r.search("quorum membres présents", "limit=2", "boxes=false")
	if len(found.Hits) != 2 {
		t.Fatalf("%d hits: chunks that say the same leave no place for another", len(found.Hits))
	}
	seen := make(map[string]bool)
	for _, s := range found.Hits[0].Sources {
		seen[s.SourceID] = true
	}
	if len(seen) != sayers || len(found.Hits[0].Sources) != sayers {
		t.Errorf("%d entries of %d sources, want %d", len(found.Hits[0].Sources), len(seen), sayers)
	}
}

func TestADisabledSourceIsNotFound(t *testing.T) {
	r := newRig(t)
	r.register("mairie", "region", "annex")
	box := model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}
	_, stands := r.add(doc{source: "mairie", url: "https://example.org/stands", content: quorum, kind: model.TypePDF})
	_, twin := r.add(doc{source: "region", url: "https://example.org/twin", content: quorum, twinOf: stands.ChunkRef,
		kind: model.TypePDF, box: &box, language: "es", territory: "Alta"}) // whose header is that of fr
	r.add(doc{source: "annex", url: "https://example.org/annex", content: quorum, twinOf: stands.ChunkRef, kind: model.TypePDF, language: "de"})
	_, only := r.add(doc{source: "mairie", url: "https://example.org/only", content: "Le quorum des sessions du conseil.", kind: model.TypePDF})
	r.add(doc{source: "other", url: "https://example.org/other", content: "Un autre texte, qui parle de bien des choses sans rapport, et pour finir du quorum.", kind: model.TypePDF})

	find := func(params ...string) string {
		t.Helper()
		return urls(r.search("quorum membres présents", params...))
	}
	if got := sorted(find()); got != "only other stands" {
		t.Fatalf("enabled: %q", got)
	}
	r.setState("mairie", model.SourceDisabled)
	r.setState("annex", model.SourceDisabled)
	found := r.search("quorum membres présents")
	if got := urls(found); got != "twin other" {
		t.Fatalf("disabled: %q", got)
	}
	hit := found.Hits[0]
	if hit.ChunkRef != twin.ChunkRef || hit.SourceID != "region" || hit.SnapshotID != twin.SnapshotID || hit.Language != "es" || sourcesOf(hit) != "region" {
		t.Errorf("the hit is %+v", hit)
	}
	if len(hit.Boxes) != 1 || hit.Boxes[0].BBox != box {
		t.Errorf("the twin's boxes are %+v", hit.Boxes)
	}
	for params, want := range map[string]string{
		"source=mairie": "", "source=region": "twin", "language=es": "twin", "language=fr": "other", "language=de": "", "territory=Alta": "twin",
		"territory=Valdoro": "other", "as_of=2026-12-31": "twin other", "as_of=2020-01-01": "", "limit=1": "twin", "layer=archive": "",
		"type=opinion": "", "doc_type=pdf": "twin other", "doc_type=html": "", "source_type=official": "twin other", "source_type=forum": "",
	} {
		if got := find(params); got != want {
			t.Errorf("disabled, with %s: %q, want %q", params, got, want)
		}
	}
	got := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+url.PathEscape(only.ChunkRef)))
	if got.Chunk.ChunkRef != only.ChunkRef {
		t.Error("what a disabled source says is not shown by its id")
	}
	r.setState("mairie", model.SourceEnabled)
	if got := sorted(find()); got != "only other stands" {
		t.Errorf("enabled again: %q", got)
	}
	r.setState("region", model.SourceDisabled)
	if found := r.search("quorum membres présents", "limit=1"); urls(found) != "stands" || sourcesOf(found.Hits[0]) != "mairie" {
		t.Errorf("with its twins disabled: %+v", found.Hits)
	}
}

// TestADuplicateOfBeforeBehindADisabledSource: in an installation that had no points of
// duplicates, one of which the chunk that stands is of a disabled source is not found before
// reconcile has told it to the indexer, which it does without waiting for anything.
func TestADuplicateOfBeforeBehindADisabledSource(t *testing.T) {
	r := newRig(t)
	r.register("mairie", "region")
	_, stands := r.add(doc{source: "mairie", url: "https://example.org/stands", content: quorum})
	_, twin := r.add(doc{source: "region", url: "https://example.org/twin", content: quorum, twinOf: stands.ChunkRef, unindexed: true})
	r.exec(`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, pushed_at)
		SELECT s.chunk_ref, $2, $3, s.rev, false, now() - interval '1 day' FROM chunk_state s WHERE s.chunk_ref = $1`, twin.ChunkRef, r.collection.Name, twin.PointID)
	r.exec(`UPDATE chunk_vectors v SET pushed_rev = s.rev FROM chunk_state s WHERE s.chunk_ref = v.chunk_ref`)
	r.exec(`UPDATE chunk_log SET published = true, at = now() - interval '1 day'`)
	find := func() string { return urls(r.search("quorum membres présents")) }
	if got := find(); got != "stands" {
		t.Errorf("while the source is enabled: %q", got)
	}
	r.setState("mairie", model.SourceDisabled)
	if got := find(); got != "" {
		t.Errorf("before reconcile: %q", got)
	}
	due, _, err := r.app.db.StuckChunks(r.ctx, r.app.config.Qdrant.Collection, "", time.Now().Add(-10*time.Minute), "", 100)
	r.must(err)
	if len(due) != 1 || due[0].ChunkRef != twin.ChunkRef || due[0].Change != model.ChangeCreated {
		t.Fatalf("reconcile tells %+v", due)
	}
	r.index(twin, stands.ChunkRef, "")
	if got := find(); got != "twin" {
		t.Errorf("after it: %q", got)
	}
}

// What a disabled source has does not take the places of what is found, however much
// better it fits, and does not hide the one twin at its end.
func TestADisabledSourceTakesNoPlaces(t *testing.T) {
	const hidden = 130 // more than candidates of a side
	r := newRig(t)
	r.register("mairie")
	for i := range hidden {
		r.add(doc{source: "mairie", content: fmt.Sprintf("Quorum quorum %d.", i), kind: model.TypePDF})
	}
	_, stands := r.add(doc{source: "mairie", content: "Une remarque assez longue sur le quorum des membres, sans plus.", kind: model.TypePDF})
	r.add(doc{source: "region", url: "https://example.org/twin", content: "Une remarque assez longue sur le quorum des membres, sans plus.",
		twinOf: stands.ChunkRef, kind: model.TypePDF})
	r.add(doc{source: "region", url: "https://example.org/far", kind: model.TypePDF,
		content: "Un texte bien plus long encore, qui parle de tout autre chose, de la pluie, du beau temps, des routes et des ponts, et à la fin du quorum."})
	r.setState("mairie", model.SourceDisabled)
	if got := urls(r.search("quorum", "limit=2")); got != "twin far" {
		t.Errorf("found %q", got)
	}
}

// Of two equal captures the earlier one has the chunks, in whatever order they come. When
// the later one came first, what was made of it lies in the archive: no search finds it,
// and no hit lists it.
func TestAsOfDoesNotShowWhichCaptureCameFirst(t *testing.T) {
	r := newRig(t)
	page := doc{source: "town", url: "https://example.org/minutes", content: quorum, kind: model.TypePDF}
	later, earlier := page, page
	later.date, earlier.date = "2026-03-10", "2026-01-10"
	_, taken := r.add(later)
	s, kept := r.add(earlier)
	run := model.Run{SnapshotID: s.SnapshotID, ExtractionID: kept.ExtractionID, SourceID: s.SourceID, DocumentID: s.DocumentID}
	r.must(r.app.db.LockDocument(r.ctx, s.DocumentID, time.Second, func(t *catalog.DocumentTx) error { // as the chunker does
		v := model.Version{DocHash: kept.DocHash, Generation: 1, SnapshotID: s.SnapshotID, ExtractionID: kept.ExtractionID,
			Chunks: model.ChunkSet{DocHash: kept.DocHash, Generation: 1}}
		if err := t.TakeOver(r.ctx, model.ChunkSet{DocHash: taken.DocHash, Generation: 1}, v); err != nil {
			return err
		}
		return t.ChangeStates(r.ctx, run, []model.StateChange{{Cause: "archived", ReplacedBy: s.SnapshotID,
			State: model.ChunkState{ChunkRef: taken.ChunkRef, Layer: model.LayerArchive, Since: later.date}}})
	}))
	for as, want := range map[string]string{"2026-01-09": "", "2026-01-10": kept.ChunkRef, "2026-03-10": kept.ChunkRef, "2026-12-31": kept.ChunkRef} {
		var got []string
		for _, h := range r.search("quorum membres présents", "as_of="+as).Hits {
			for _, source := range h.Sources {
				got = append(got, source.ChunkRef)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("as of %s: %q, want %q", as, got, want)
		}
	}
	if found := r.search("quorum membres présents", "layer=archive"); len(found.Hits) != 0 {
		t.Errorf("the archive has %+v", found.Hits)
	}
}

func TestSourceTypeAndDocType(t *testing.T) {
	r := newRig(t)
	r.add(doc{url: "https://example.org/page", content: "Le quorum est de sept."})
	r.add(doc{url: "https://example.org/forum", source: "forum", sourceType: "forum", content: "Le quorum est de trois, à mon avis."})
	r.add(doc{url: "https://example.org/pdf", source: "wiki", sourceType: "wiki", content: "Le quorum est de neuf.", kind: model.TypePDF})
	for _, c := range []struct{ params, want string }{
		{"source_type=forum", "forum"}, {"source_type=official", "page"}, {"doc_type=pdf", "pdf"}, {"source_type=history", ""},
		{"source_type=forum&source_type=wiki", "forum pdf"}, {"doc_type=html", "forum page"}, {"doc_type=html&source_type=wiki", ""}, {"doc_type=image", ""},
	} {
		list := strings.Fields(urls(r.search("quorum", strings.Split(c.params, "&")...)))
		slices.Sort(list)
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%s found %q, want %q", c.params, got, c.want)
		}
	}
	for _, wrong := range []string{"source_type=press", "doc_type=docx", "boxes=no", "boxes=true&boxes=false", "source_type="} {
		r.get("/v1/search", http.StatusBadRequest, "/v1/search?q=a&"+wrong)
	}
}

// TestBoxesAreLeftOut: whoever has no use for places does not wait for them.
func TestBoxesAreLeftOut(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: quorum, kind: model.TypePDF, box: &model.BBox{X: 0.1, Y: 0.2, W: 0.5, H: 0.1}})
	for param, want := range map[string]int{"boxes=true": 1, "boxes=false": 0, "limit=1": 1} {
		if got := r.search("quorum", param).Hits[0].Boxes; len(got) != want {
			t.Errorf("%s: %+v", param, got)
		}
	}
}

func sorted(list string) string {
	words := strings.Fields(list)
	slices.Sort(words)
	return strings.Join(words, " ")
}
