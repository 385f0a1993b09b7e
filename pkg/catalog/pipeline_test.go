package catalog_test

import (
	"errors"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestAnAnswerCanStandAgainstTheCommit: what is read only at the end, here that
// the document is not there, comes before the commit, not with it.
func TestAnAnswerCanStandAgainstTheCommit(t *testing.T) {
	db := openCatalog(t)
	run := startRun(t, db, addSnapshot(t, db, snapshotOf("held", 1)), "x", 1)
	run.State = model.RunFailed
	write := func(tx *catalog.DocumentTx) error { return tx.FinishRun(t.Context(), run) }
	if err := db.LockDocument(t.Context(), "doc_nowhere", time.Second, write); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if got, err := db.Run(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || got.State.Terminal() {
		t.Errorf("%+v, %v", got, err)
	}
	if err := db.LockDocument(t.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return errors.Join(write(tx), errors.New("no"))
	}); err == nil {
		t.Error("an error was not told")
	}
	if got, err := db.Run(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || got.State.Terminal() {
		t.Errorf("%+v, %v", got, err)
	}
	if err := db.LockDocument(t.Context(), run.DocumentID, time.Second, write); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Run(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || got.State != model.RunFailed {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWhatIsNotWaitedForCanFail: chunks are inserted in the background, and an error of
// that ends the transaction all the same.
func TestWhatIsNotWaitedForCanFail(t *testing.T) {
	db := openCatalog(t)
	run := startRun(t, db, addSnapshot(t, db, snapshotOf("held", 1)), "x", 1)
	run.State = model.RunFailed
	chunk := model.Chunk{ChunkRef: "a:0", PointID: "00000000-0000-0000-0000-000000000001", DocumentID: run.DocumentID}
	err := db.LockDocument(t.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return errors.Join(tx.AddChunks(t.Context(), []model.Chunk{chunk, chunk}), tx.FinishRun(t.Context(), run))
	})
	if !isCode(err, "23505") {
		t.Errorf("the same chunk twice: %v", err)
	}
	if got, err := db.Run(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || got.State.Terminal() {
		t.Errorf("%+v, %v", got, err)
	}
}
