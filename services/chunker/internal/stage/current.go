package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
)

// errOtherPages says that the pages of the current version, which lands by another run, cannot be
// read.
var errOtherPages = errors.New("pages of the version that is current")

// decideCurrent decides what is current of the run's document after a capture has changed
// the order of what was made into chunks before, and nothing lands by it: a container
// was captured at its URL, or something else after one, or bytes between two captures
// of one version. What changes is logged under the run. It asks again under the
// document's lock, and changes nothing that is settled.
func (s *Stage) decideCurrent(ctx context.Context, run model.Run) error {
	return s.locker.LockDocument(ctx, run.DocumentID, s.o.LockWait, func(tx Tx) error {
		held, err := tx.HoldRun(ctx, run.SnapshotID, run.ExtractionID, "")
		if err != nil || !held.History.Recorded.Unsettled {
			return err
		}
		timeline := current.Settle(held.History)
		if err := timeline.Move(ctx, tx, held.Run); err != nil {
			return err
		}
		faultpoint.Reach("chunk.states.moved")
		if err := s.setCurrent(ctx, tx, timeline, held.History.Recorded); err != nil {
			return err
		}
		now, _ := timeline.Now()
		s.logger.InfoContext(ctx, "what is current decided", slog.String("document_id", run.DocumentID),
			slog.String("snapshot_id", now.SnapshotID), slog.Bool("changed", !held.History.Recorded.Is(now)))
		return tx.MarkSettled(ctx, held.Run)
	})
}

// setCurrent writes down what is current when that is not the version that lands,
// unless it is recorded already, with its meta. The title and the language are found again in the
// pages of that version, as they were when it landed.
func (s *Stage) setCurrent(ctx context.Context, tx Tx, timeline current.Timeline, recorded model.Recorded) error {
	now, ok := timeline.Now()
	switch {
	case recorded.Is(now) && !recorded.Undescribed:
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
		return fmt.Errorf("%w: %w", errOtherPages, err)
	}
	return tx.SetCurrent(ctx, now, facts.Meta(snapshot), facts.Language(snapshot))
}
