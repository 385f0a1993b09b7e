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
	// order of chunk events means nothing, their revisions do (contracts#chunk-rev).
	inFlight = 8
)

// publish says what the run has changed and is not published yet, then that it
// has ended, if it has. Said again, an event has the same message id. What done holds need
// not be read.
func (s *Stage) publish(ctx context.Context, run model.Run, done landed, emit Emit) error {
	byRef := make(map[string]model.Chunk, len(done.chunks))
	for _, c := range done.chunks {
		byRef[c.ChunkRef] = c
	}
	var unmarked []int64 // of the last entries: they are marked with the run
	var epoch string     // in which they were told
	for entries := done.log; ; entries = nil {
		if entries == nil {
			var err error
			if entries, err = s.log.UnpublishedLog(ctx, run.SnapshotID, run.ExtractionID, logBatch); err != nil {
				return err
			}
		}
		if err := s.publishEntries(ctx, entries, byRef, emit); err != nil {
			return err
		}
		unmarked = make([]int64, len(entries))
		for i, e := range entries {
			unmarked[i], epoch = e.Seq, e.Epoch // that of all of them: they were read at once
		}
		if len(entries) < logBatch && run.State.Terminal() {
			break
		}
		if len(unmarked) > 0 {
			if err := s.log.MarkPublished(ctx, epoch, unmarked); err != nil {
				return err
			}
		}
		if len(entries) < logBatch { // the run has not ended
			return nil
		}
	}
	completed, err := s.completed(ctx, run, done)
	if err != nil {
		return err
	}
	if err := emit(ctx, completed); err != nil {
		return err
	}
	faultpoint.Reach("chunk.run.published")
	return s.runs.MarkRunPublished(ctx, run.SnapshotID, run.ExtractionID, run.Redo, epoch, unmarked)
}

func (s *Stage) publishEntries(ctx context.Context, entries []model.Unpublished, made map[string]model.Chunk, emit Emit) error {
	var read []string
	for _, e := range entries {
		if _, ok := made[e.ChunkRef]; !ok && e.Found && e.Change == model.ChangeCreated {
			read = append(read, e.ChunkRef)
		}
	}
	byRef := make(map[string]model.Chunk, len(read))
	if len(read) > 0 {
		chunks, err := s.log.Chunks(ctx, read)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			byRef[c.ChunkRef] = c
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	first := true
	for _, entry := range entries {
		c, known := made[entry.ChunkRef]
		if !known {
			c, known = byRef[entry.ChunkRef]
		}
		if !entry.Found || entry.Change == model.ChangeCreated && !known {
			continue // taken down since: chunk.removed says so
		}
		publish := func() error {
			err := emit(groupCtx, chunkEvent(entry, c))
			faultpoint.Reach("chunk.change.published")
			return err
		}
		if first { // alone: beside others it would wait for them to be encoded
			first = false
			if err := publish(); err != nil {
				return fmt.Errorf("publishing chunks: %w", err)
			}
			continue
		}
		group.Go(publish)
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("publishing chunks: %w", err)
	}
	if len(entries) > 0 {
		faultpoint.Reach("chunk.changes.published")
	}
	return nil
}

// chunkEvent says one log entry; c is the chunk of one that was created, of others
// whose it is is known by the entry.
func chunkEvent(entry model.Unpublished, c model.Chunk) event.Data {
	if entry.Change != model.ChangeCreated {
		c = model.Chunk{SourceID: entry.SourceID, SnapshotID: entry.SnapshotID}
	}
	return event.OfChange(entry.LogEntry, c, entry.State)
}

func (s *Stage) completed(ctx context.Context, run model.Run, done landed) (event.RunCompleted, error) {
	var r model.RunResult
	var err error
	if done.result != nil {
		r = *done.result
	} else {
		r, err = s.runs.RunResult(ctx, run)
	}
	return event.RunCompleted{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, DocumentID: run.DocumentID, ExtractionID: run.ExtractionID,
		Redo: run.Redo, State: run.State, Reason: run.Reason, Message: run.Message, PageCount: run.PageCount,
		Processed: r.Processed, Failed: r.Failed, DocHash: r.DocHash, Generation: r.Generation, ChunkCount: r.ChunkCount,
	}, err
}
