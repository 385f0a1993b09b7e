package base

import (
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Start records a run with its pages, as the splitter does, and returns what stands.
func (w *World) Start(run model.Run) model.Run {
	w.Helper()
	ids := make([]string, run.PageCount)
	for i := range ids {
		ids[i] = digest.PageID(run.SnapshotID, i+1)
	}
	run, err := w.DB.StartRun(w.Context(), run, ids, "")
	if err != nil {
		w.Fatal(err)
	}
	return run
}

// Finish gives a run its state, as the chunker does.
func (w *World) Finish(run model.Run, state model.RunState) {
	w.Helper()
	run.State = state
	err := w.DB.LockDocument(w.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return tx.FinishRun(w.Context(), run)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// Run returns a run as it stands.
func (w *World) Run(run model.Run) model.Run {
	w.Helper()
	run, err := w.DB.Run(w.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil {
		w.Fatal(err)
	}
	return run
}

// Runs returns the runs of a snapshot, in their order.
func (w *World) Runs(s model.Snapshot) []model.Run {
	w.Helper()
	runs, err := w.DB.Runs(w.Context(), s.SnapshotID)
	if err != nil {
		w.Fatal(err)
	}
	return runs
}
