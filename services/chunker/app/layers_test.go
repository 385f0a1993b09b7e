package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// found says in which layers a text of these documents has a point, in their order: what a
// search can find of it.
func (w *world) found(text string, documents ...string) string {
	w.Helper()
	var layers []string
	for _, id := range documents {
		for _, c := range w.chunks(id) {
			if strings.Contains(c.Chunk.Content, text) && c.State.HasPoint() && c.State.DuplicateOf == "" {
				layers = append(layers, string(c.State.Layer))
			}
		}
	}
	return strings.Join(layers, " ")
}

// sound holds the rows against each other.
func (w *world) sound() {
	w.Helper()
	w.settled()
	if wrong, err := w.DB.Contradictions(w.Context(), "", time.Now().Add(time.Hour)); err != nil || len(wrong) > 0 {
		w.Errorf("%v, %v", wrong, err)
	}
}

// TestAHotChunkIsNoDuplicateOfTheArchive: a search leaves the archive out, so that of equal
// texts one that is not in the archive is found, whichever came first and wherever it
// went; and what is in the archive is found there.
func TestAHotChunkIsNoDuplicateOfTheArchive(t *testing.T) {
	const archive, hot, summary = model.LayerArchive, model.LayerHot, model.LayerSummary
	for name, c := range map[string]struct {
		layers []model.Layer // of captures of one page by sources of their own, as they come
		found  string
	}{
		"the archive first":  {[]model.Layer{archive, hot}, "archive hot"},
		"the archive second": {[]model.Layer{hot, archive}, "hot archive"},
		"all three":          {[]model.Layer{archive, summary, hot}, "archive summary"},
		"the archive twice":  {[]model.Layer{archive, archive, hot, hot}, "archive archive hot"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var documents []string
			for i, layer := range c.layers {
				run, _ := w.land(version{source: fmt.Sprintf("s%d", i), doc: docA, day: 5, layer: layer, pages: []string{"# Rule|Said by all."}})
				documents = append(documents, run.DocumentID)
			}
			if got := w.found("Said by all", documents...); got != c.found {
				t.Errorf("found in %q, want %q", got, c.found)
			}
			w.sound()
		})
	}
}

// TestASourceThatChangesItsLayer: what a document says is in the layer of its current
// version, also where that says what an earlier one said and has no chunks of its own, in
// whatever order the versions come; and of it and what equals it one is found out of the
// archive.
func TestASourceThatChangesItsLayer(t *testing.T) {
	w := newWorld(t)
	same, more := []string{"# Rule|Said by both."}, []string{"# Rule|Said by both.|# More|And this."}
	const archive, hot, summary = model.LayerArchive, model.LayerHot, model.LayerSummary
	said := func(day int, layer model.Layer, pages []string) version {
		return version{doc: docA, day: day, date: 1, layer: layer, pages: pages, bytes: "one"}
	}
	for i, c := range []struct {
		name     string
		versions []version
		layer    model.Layer // of what is current
	}{
		{"out of the archive", []version{said(1, archive, same), said(2, hot, same)}, hot},
		{"into the archive", []version{said(1, hot, same), said(2, archive, same)}, archive},
		{"into the archive and back", []version{said(1, hot, same), said(2, archive, same), said(3, hot, same)}, hot},
		{"out with a new chunk", []version{said(1, archive, same), said(2, hot, more)}, hot},
		{"in with a new chunk", []version{said(1, hot, same), said(2, archive, more)}, archive},
		{"to the summary, with a chunk", []version{said(1, hot, same), said(2, summary, more)}, summary},
		{"after a container", []version{said(1, archive, same), {doc: docA, day: 2, date: 1, kind: model.TypeZIP}, said(3, hot, same)}, hot},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n, order := range permutations(len(c.versions)) {
				mark := fmt.Sprintf("-%d-%d", i, n)
				of := func(v version) version { // another document each time, with texts of its own
					v.doc += mark
					v.pages = slices.Clone(v.pages)
					for k := range v.pages {
						v.pages[k] = strings.ReplaceAll(v.pages[k], "both.", "both"+mark+".")
					}
					return v
				}
				other, _ := w.land(of(version{source: "other", doc: docB, day: 1, pages: same}))
				all := make([]version, len(c.versions))
				for n, v := range c.versions {
					all[n] = of(v)
				}
				for _, n := range order {
					w.arrive(all[n], all)
				}
				document := w.snapshotOf(all[0]).DocumentID
				if got := strings.ReplaceAll(w.found("both"+mark, document, other.DocumentID), "archive", ""); len(strings.Fields(got)) != 1 {
					t.Errorf("%v: found in %q, want one that is not in the archive", order, got)
				}
				layer := archive
				for _, s := range w.chunks(document) {
					if strings.Contains(s.Chunk.Content, "both") && s.State.Layer != archive {
						layer = s.State.Layer
					}
				}
				if layer != c.layer {
					t.Errorf("%v: it is in layer %s, want %s", order, layer, c.layer)
				}
			}
		})
	}
	w.sound()
}

// TestRowsOfBeforeMoveToTheirLayer: what older programs wrote, a chunk that waits for one
// in the archive, is found by what reconcile asks, and put right by the chunker's next
// look at the document.
func TestRowsOfBeforeMoveToTheirLayer(t *testing.T) {
	w := newWorld(t)
	page := []string{"# Rule|Said by all."}
	kept, _ := w.land(version{source: "kept", doc: docA, day: 5, layer: model.LayerArchive, pages: page})
	also, _ := w.land(version{source: "also", doc: docA, day: 5, layer: model.LayerArchive, pages: page})
	shown, _ := w.land(version{source: "shown", doc: docA, day: 5, pages: page})
	stands := w.of(kept, "Said by all").Chunk.ChunkRef
	if err := w.DB.Tx(t.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE chunk_state SET duplicate_of = $1 WHERE chunk_ref <> $1`, stands); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `UPDATE knowledge SET chunk_ref = $1`, stands)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	wrong, err := w.DB.Contradictions(t.Context(), "", time.Now())
	if !slices.ContainsFunc(wrong, func(c catalog.Contradiction) bool { return strings.Contains(c.What, "which is in the archive") }) {
		t.Errorf("the rows of before contradict nothing: %v, %v", wrong, err)
	}
	found, last, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true)
	if want := []string{kept.DocumentID, also.DocumentID}; err != nil || last != "" || len(found) != 2 || !slices.Contains(found, want[0]) || !slices.Contains(found, want[1]) {
		t.Fatalf("found %v, %q, %v", found, last, err)
	}
	for _, id := range found {
		if err := w.DB.UnsettleDocument(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		w.settle(model.Snapshot{DocumentID: id})
	}
	if got := w.found("Said by all", kept.DocumentID, also.DocumentID, shown.DocumentID); got != "archive archive hot" {
		t.Errorf("found in %q", got)
	}
	if found, _, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true); err != nil || len(found) > 0 {
		t.Errorf("%v are left, %v", found, err)
	}
	w.sound()
}

// TestARepeatOfBeforeIsPutRightInAnyVersion: a chunk that rules of before let repeat one of other
// facets is found and put right, though the version that is current says nothing of the kind.
func TestARepeatOfBeforeIsPutRightInAnyVersion(t *testing.T) {
	w := newWorld(t)
	first, _ := w.land(version{doc: docA, day: 1, place: "north", pages: []string{"# Rule|Said by both."}})
	second, _ := w.land(version{doc: docA, day: 3, place: "south", pages: []string{"# Rule|Said by both."}})
	w.land(version{doc: docA, day: 5, place: "south", pages: []string{"# Other|Said by none."}})
	repeated, repeats := "", ""
	for _, c := range w.chunks(first.DocumentID) {
		switch c.Chunk.SnapshotID {
		case first.SnapshotID:
			repeated = c.Chunk.ChunkRef
		case second.SnapshotID:
			repeats = c.Chunk.ChunkRef
		}
	}
	if _, err := w.pool().Exec(t.Context(), `UPDATE chunk_state SET repeats = $1, since = '2026-01-01' WHERE chunk_ref = $2`, repeated, repeats); err != nil {
		t.Fatal(err)
	}
	found, _, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true)
	if err != nil || !slices.Equal(found, []string{first.DocumentID}) {
		t.Fatalf("found %v, %v", found, err)
	}
	if err := w.DB.UnsettleDocument(t.Context(), found[0]); err != nil {
		t.Fatal(err)
	}
	w.settle(model.Snapshot{DocumentID: found[0]})
	if found, _, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true); err != nil || len(found) > 0 {
		t.Errorf("%v are left, %v", found, err)
	}
	w.sound()
}
