package reconcile_test

import (
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestVersionsThatWait: the chunker is told again of a version that waits for a model, however often, and it is not given up; once it
// is answered, or its wait is over, it counts as a run that stands still.
func TestVersionsThatWait(t *testing.T) {
	r := newRig(t)
	s := r.store(true, func(s *model.Snapshot) { s.SourceEnrich = model.EnrichWait })
	run := r.run(s, 1)
	r.segment(run, model.PageRange{From: 1, To: 1})
	hold := func(limit time.Duration) {
		t.Helper()
		r.must(r.db.LockDocument(r.ctx, s.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
			r.must(tx.EndAnswerWaits(r.ctx, s.SnapshotID))
			waits, err := tx.HoldForAnswer(r.ctx, run, "1", []model.Chunk{{Language: "en", Content: "a", ContentTextHash: "b"}}, limit)
			if waits != (limit > 0) {
				t.Errorf("it waits %s: %v", limit, waits)
			}
			return err
		}))
	}
	told := func(what string) {
		t.Helper()
		r.pass(what + " 1/1/0")
		if d := as[event.IRExtracted](t, r.drain(stream.ConsumerChunk, 1)[0]); d.SnapshotID != s.SnapshotID {
			t.Errorf("told of %+v", d)
		}
		r.next()
	}
	hold(time.Hour)
	for range catalog.MaxRedrives + 2 {
		told("held versions")
	}
	hold(0)
	told("runs")
	hold(time.Hour)
	told("held versions")
	_, err := r.db.PutEnrichment(r.ctx, model.Enrichment{SnapshotID: s.SnapshotID, ExtractionID: run.ExtractionID, ChunkerVersion: "1",
		SourceID: source, DocumentID: s.DocumentID})
	r.must(err)
	told("runs")
}
