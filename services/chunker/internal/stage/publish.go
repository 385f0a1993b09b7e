package stage

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// logBatch is how many chunk events are read, published and marked together.
	logBatch = 200
	// inFlight is how many of them wait for their acks at the same time: the
	// order of chunk events means nothing, their revisions do (contracts 2).
	inFlight = 8
)

// publish says what the run has changed and is not published yet, then that it
// has ended. Said again, an event has the same message id.
func (s *Stage) publish(ctx context.Context, run model.Run, emit Emit) error {
	for {
		entries, err := s.log.UnpublishedLog(ctx, run.SnapshotID, run.ExtractionID, logBatch)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			break
		}
		if err := s.publishEntries(ctx, entries, emit); err != nil {
			return err
		}
	}
	done, err := s.completed(ctx, run)
	if err != nil {
		return err
	}
	if err := emit(ctx, done); err != nil {
		return err
	}
	faultpoint.Reach("chunk.run.published")
	return s.runs.MarkRunAnnounced(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
}

func (s *Stage) publishEntries(ctx context.Context, entries []model.LogEntry, emit Emit) error {
	refs, seqs := make([]string, len(entries)), make([]int64, len(entries))
	for i, e := range entries {
		refs[i], seqs[i] = e.ChunkRef, e.Seq
	}
	chunks, err := s.log.Chunks(ctx, refs)
	if err != nil {
		return err
	}
	states, err := s.log.ChunkStates(ctx, refs)
	if err != nil {
		return err
	}
	byRef := make(map[string]model.Chunk, len(chunks))
	for _, c := range chunks {
		byRef[c.ChunkRef] = c
	}
	stateOf := make(map[string]model.ChunkState, len(states))
	for _, st := range states {
		stateOf[st.ChunkRef] = st
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for _, entry := range entries {
		c, ok := byRef[entry.ChunkRef]
		if !ok {
			continue // taken down since: chunk.removed says so
		}
		group.Go(func() error {
			err := emit(groupCtx, chunkEvent(entry, c, stateOf[entry.ChunkRef]))
			faultpoint.Reach("chunk.change.published")
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("publishing chunks: %w", err)
	}
	faultpoint.Reach("chunk.changes.published")
	if err := s.log.MarkPublished(ctx, seqs); err != nil {
		return err
	}
	faultpoint.Reach("chunk.changes.marked")
	return nil
}

// chunkEvent says one log entry. The state is the chunk's newest one, which may
// be ahead of the entry: an event is a hint (contracts 2).
func chunkEvent(entry model.LogEntry, c model.Chunk, state model.ChunkState) event.Data {
	if entry.Change == model.ChangeCreated {
		c.Layer = state.Layer
		return event.ChunkCreated{Rev: entry.Rev, Cause: entry.Cause, Repeats: state.Repeats,
			DuplicateOf: state.DuplicateOf, Chunk: c}
	}
	return event.ChunkSuperseded{ChunkChange: event.ChunkChange{
		Rev: entry.Rev, Cause: entry.Cause, ChunkRef: c.ChunkRef, DocHash: c.DocHash, SourceID: c.SourceID,
		SnapshotID: c.SnapshotID, Layer: state.Layer, ReplacedBy: entry.ReplacedBy,
	}}
}

func (s *Stage) completed(ctx context.Context, run model.Run) (event.RunCompleted, error) {
	_, segments, _, err := s.runs.RunParts(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return event.RunCompleted{}, err
	}
	d := event.RunCompleted{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, DocumentID: run.DocumentID, ExtractionID: run.ExtractionID,
		Redo: run.Redo, State: run.State, Reason: run.Reason, Message: run.Message, PageCount: run.PageCount,
	}
	for _, row := range segments {
		d.Processed += row.Processed
		d.Failed += row.Failed
	}
	manifest, err := s.runs.RunManifest(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
	if err != nil || manifest == nil {
		return d, err
	}
	d.DocHash, d.Generation, d.ChunkCount = manifest.DocHash, manifest.Generation, manifest.ChunkCount
	return d, nil
}
