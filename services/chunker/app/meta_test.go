package app

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestADocumentSaysWhatItsVersionSays: its meta is that of the current version, whichever
// that becomes; a row of before is found by what reconcile asks, and filled by the chunker's
// next look; a manifest counts the pages.
func TestADocumentSaysWhatItsVersionSays(t *testing.T) {
	w := newWorld(t)
	says := func(when string, run model.Run, title string) {
		t.Helper()
		got := w.document(run).Meta
		if s, err := w.DB.Snapshot(t.Context(), run.SnapshotID); err != nil || !got.Equal(model.DocumentMeta{URL: s.URL, Title: title}) || s.URL == "" {
			t.Errorf("%s: %+v of %s (%v), want the title %s", when, got, s.URL, err, title)
		}
	}
	first, _ := w.land(version{doc: docA, day: 5, pages: []string{"# Of water|It rose.", "It fell.", "!timeout"}})
	says("landed", first, "Of water")
	m, err := w.DB.RunManifest(t.Context(), first.SnapshotID, first.ExtractionID, first.Redo)
	if counts, ok := m.Meta.Counts(); err != nil || !ok || counts != (model.PageCounts{Pages: 3}) {
		t.Errorf("its manifest counts %+v, %v", counts, err)
	}
	second, _ := w.land(version{doc: docA, day: 7, pages: []string{"# Of fire|It burns."}})
	says("a newer one", second, "Of fire")
	late, _ := w.land(version{doc: docA, day: 3, pages: []string{"# Of air|It blows."}})
	says("a late one", second, "Of fire")
	for _, before := range []string{`'{}'`, `'{"url": "https://town.example/", "title": "Of air"}'`} {
		if err := w.DB.Tx(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE documents SET meta = `+before)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		found, _, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true)
		if err != nil || len(found) != 1 || found[0] != late.DocumentID {
			t.Fatalf("found %v, %v", found, err)
		}
		if err := w.DB.UnsettleDocument(t.Context(), found[0]); err != nil {
			t.Fatal(err)
		}
		w.settle(model.Snapshot{DocumentID: found[0]})
		says("of before", second, "Of fire")
		if found, _, err := w.DB.MisplacedDocuments(t.Context(), "", 100, true); err != nil || len(found) > 0 {
			t.Errorf("%v are left, %v", found, err)
		}
	}
	w.sound()
}
