package stage

import (
	"context"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
)

// settle decides what is current of the run's document after a capture has changed
// the order of what was made into chunks before, and nothing lands by it: a container
// was captured at its URL, or something else after one, or bytes between two captures
// of one version. What changes is logged under the run. It asks again under the
// document's lock, and changes nothing that is settled.
func (s *Stage) settle(ctx context.Context, run model.Run) error {
	return s.locker.LockDocument(ctx, run.DocumentID, s.o.LockWait, func(tx Tx) error {
		held, _, _, err := tx.RunParts(ctx, run.SnapshotID, run.ExtractionID)
		if err != nil {
			return err
		}
		history, err := tx.Versions(ctx, "")
		if err != nil || !history.Recorded.Unsettled {
			return err
		}
		timeline := current.Settle(history)
		if err := timeline.Move(ctx, tx, held); err != nil {
			return err
		}
		faultpoint.Reach("chunk.states.moved")
		if err := s.setCurrent(ctx, tx, timeline, history.Recorded); err != nil {
			return err
		}
		now, _ := timeline.Now()
		s.logger.InfoContext(ctx, "what is current decided", slog.String("document_id", run.DocumentID),
			slog.String("snapshot_id", now.SnapshotID), slog.Bool("changed", !history.Recorded.Is(now)))
		return tx.MarkSettled(ctx, held)
	})
}

// setCurrent writes down what is current when that is not the version that lands,
// unless it is recorded already. The title and the language are found again in the
// pages of that version, as they were when it landed.
func (s *Stage) setCurrent(ctx context.Context, tx Tx, timeline current.Timeline, recorded model.Recorded) error {
	now, ok := timeline.Now()
	switch {
	case recorded.Is(now):
		return nil
	case !ok:
		return tx.ClearCurrent(ctx)
	}
	snapshot, err := tx.Snapshot(ctx, now.SnapshotID)
	if err != nil {
		return err
	}
	_, rows, _, err := tx.RunParts(ctx, now.SnapshotID, now.ExtractionID)
	if err != nil {
		return err
	}
	var facts assemble.Survey
	of := pages{store: s.segments, rows: rows}
	if err := of.each(ctx, func(f segment.Frame) error {
		facts.Add(f.Page, f.Units)
		return nil
	}); err != nil {
		return err
	}
	return tx.SetCurrent(ctx, now, facts.Title(snapshot), facts.Language(snapshot))
}
