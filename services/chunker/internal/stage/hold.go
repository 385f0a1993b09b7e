package stage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/describe"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// mostHeld is how many chunks a version may have that waits for what a model proposes: they are held in one row. One of
// more lands by the rules, and is asked about later.
const mostHeld = 5000

// Holder notes which versions wait for what a model proposes (contracts#enrichment-wait).
type Holder interface {
	// AnswerWait returns whether a run was held by a chunker of this version, and whether its wait is over.
	AnswerWait(ctx context.Context, run model.Run, chunkerVersion string) (held, over bool, err error)
	// HoldForAnswer notes that a run waits for at most limit since this was first noted of it, with the chunks that are asked about, and
	// returns whether it waits still.
	HoldForAnswer(ctx context.Context, run model.Run, chunkerVersion string, chunks []model.Chunk, limit time.Duration) (bool, error)
	// EndAnswerWaits forgets that versions of a snapshot were held.
	EndAnswerWaits(ctx context.Context, snapshotID string) error
}

// waiting is whether a version lands.
type waiting int

const (
	mayLand   waiting = iota // nothing is waited for
	stillHeld                // it was held before and waits still
	isToHold                 // it is to be held
)

// waits says whether a run is to land, or to wait for what a model proposes: only for its first chunks. What was made into
// chunks before is made again at once, and enriched later.
func (w *work) waits(ctx context.Context) (waiting, error) {
	if w.byRules || w.run.State.Terminal() || w.snapshot.Under(w.run).SourceEnrich != model.EnrichWait {
		return mayLand, nil
	}
	e, err := w.tx.Enrichment(ctx, w.run.SnapshotID, w.run.ExtractionID, w.run.Redo, split.Version)
	if err != nil || e != nil { // answered, or no model is set
		return mayLand, err
	}
	was, over, err := w.tx.AnswerWait(ctx, w.run, split.Version)
	switch {
	case err != nil || over:
		return mayLand, err
	case was:
		return stillHeld, nil
	}
	return isToHold, nil
}

// hold cuts the chunks that a model is to be asked about, and notes that the version waits for it; false for one that lands all the same.
func (w *work) hold(ctx context.Context) (bool, error) {
	title, language := w.facts.Title(w.snapshot), w.facts.Language(w.snapshot)
	document := documentOf(w.snapshot, &w.facts)
	choice := w.stage.o.Chunkers.Choose(split.SourceOf(w.snapshot), document)
	c := cuttingOf(choice, w.snapshot, describe.Base(w.snapshot, w.run, title, language, split.Version), &w.facts, document, w.stage.count)
	c.budget = w.stage.o.Budget
	v := w.version()
	v.Generation = 1
	var chunks []model.Chunk
	err := c.cut(v, w.frames(ctx), func(c model.Chunk) error {
		if len(chunks) == mostHeld {
			return errEnough
		}
		chunks = append(chunks, model.Chunk{Language: c.Language, Content: c.Content, ContentTextHash: c.ContentTextHash})
		return nil
	})
	if errors.Is(err, errEnough) {
		w.stage.logger.WarnContext(ctx, "a version of too many chunks does not wait for what a model proposes: it is enriched later",
			slog.String("snapshot_id", w.snapshot.SnapshotID), slog.Int("limit", mostHeld))
		return false, nil
	}
	if err != nil || len(chunks) == 0 {
		return false, err
	}
	return w.tx.HoldForAnswer(ctx, w.run, split.Version, chunks, w.stage.o.AnswerWait)
}

// landByRules lands a version that has waited for a model, and of which something cannot be read, without what the model
// proposed; false where it is none, or it is something else that cannot be read.
func (s *Stage) landByRules(ctx context.Context, standing model.RunStanding, emit Emit) (bool, error) {
	if standing.State.Terminal() || !standing.Complete || standing.Snapshot.Under(standing.Run).SourceEnrich != model.EnrichWait {
		return false, nil
	}
	run, done, err := s.land(ctx, standing.Snapshot, standing.Run, nil, true)
	switch fault.KindOf(err) {
	case fault.KindNone:
		s.logger.ErrorContext(ctx, "what a model proposed cannot be used: the chunks land by the rules", slog.String("snapshot_id", run.SnapshotID))
		return true, s.publish(ctx, run, done, emit)
	case fault.KindTransient, fault.KindPermanent:
		return false, nil
	default: // it is not known yet
		return false, err
	}
}
