package stage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// causeEnriched is the cause of chunks that were made again with what a model proposed.
const causeEnriched = "enriched"

// Proposals reads what a model has proposed for chunks (contracts#enrichment).
type Proposals interface {
	// Enrichment returns what was proposed for the chunks of a run at a redo, by a chunker of a version; nil for
	// nothing.
	Enrichment(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) (*model.Enrichment, error)
	// CountDropped records what of it did not stand in the chunks, by reason.
	CountDropped(ctx context.Context, e model.Enrichment, dropped map[string]int) error
}

// subjectOf returns what an event is about: ir.enriched asks for the same as the ir.extracted of its run.
func subjectOf(e event.Event) (event.IRExtracted, error) {
	if e.Type != event.TypeIREnriched {
		return event.As[event.IRExtracted](e)
	}
	d, err := event.As[event.IREnriched](e)
	return event.IRExtracted{SnapshotID: d.SnapshotID, SourceID: d.SourceID, ExtractionID: d.ExtractionID, Redo: d.Redo}, err
}

// wantsProposals reports whether a model is to be asked about the chunks of a run.
func wantsProposals(s model.Snapshot, run model.Run) bool {
	return s.Under(run).SourceEnrich != model.EnrichNever
}

// requestProposals asks for proposals for the chunks of a run that has ended and has none, where its source wants them.
func (s *Stage) requestProposals(ctx context.Context, before model.RunStanding, run model.Run, emit Emit) error {
	if !run.State.Terminal() || !wantsProposals(before.Snapshot, run) {
		return nil
	}
	now, err := s.runs.RunStanding(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil || now.Proposed != "" || now.Chunks.DocHash == "" || now.Redo != run.Redo {
		return err
	}
	return s.request(ctx, run, now.ChunkerVersion, now.Chunks, emit)
}

// request asks for proposals for chunks of a run: those of a version that has landed, or, of generation 0, those that it is held with.
func (s *Stage) request(ctx context.Context, run model.Run, chunkerVersion string, of model.ChunkSet, emit Emit) error {
	if err := emit(ctx, event.IREnrichRequested{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Redo: run.Redo,
		ChunkerVersion: chunkerVersion, DocHash: of.DocHash, Generation: of.Generation,
	}); err != nil {
		return fmt.Errorf("asking about chunks of %s: %w", run.SnapshotID, err)
	}
	faultpoint.Reach("chunk.proposals.requested")
	return nil
}

// propose reads what a model has proposed for the chunks of the run, if it has.
func (w *work) propose(ctx context.Context) error {
	if w.byRules || !wantsProposals(w.snapshot, w.run) {
		return nil
	}
	e, err := w.tx.Enrichment(ctx, w.run.SnapshotID, w.run.ExtractionID, w.run.Redo, split.Version)
	if err != nil || e == nil || e.Digest == "" {
		return err
	}
	data, err := w.stage.segments.Proposals(ctx, *e)
	if err != nil {
		return err
	}
	w.enrichment = *e
	w.proposals, err = readProposals(data)
	faultpoint.Reach("chunk.proposals.taken")
	return err
}

// readProposals reads the object that an enrichment names; nil for no data.
func readProposals(data []byte) (map[string]model.ChunkProposal, error) {
	if data == nil {
		return nil, nil
	}
	var p model.ChunkProposals
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, internal("stored proposals cannot be read: %w", err)
	}
	return p.Chunks, nil
}
