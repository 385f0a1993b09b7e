package stage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/statement"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
	"github.com/colophon-dev/colophon/services/chunker/internal/describe"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

const (
	// chunkBatch is how many chunks are inserted at once, and held in memory.
	chunkBatch = 100
	// firstBatch is the same for the first of a document: they are inserted while the
	// next are cut.
	firstBatch = 5
)

// The causes of a chunk's creation that no run names.
const (
	causeCapture = "capture"
	causeRechunk = "rechunk"
)

// landed is what is at hand of a run that was just made into chunks.
type landed struct {
	chunks []model.Chunk       // inserted last: of a small document all
	log    []model.Unpublished // the first that is to be published; nil: not known
	result *model.RunResult    // what the run came to; nil: it is to be asked for
	held   bool                // it has not landed: it waits for what a model proposes
}

// land makes the run into chunks in one transaction that holds the document,
// and returns it as it stands then, with what is at hand of it. Whether it is due
// is asked again there: another may have been first, or a redo may have begun. byRules says that nothing that a model
// proposes is waited for, or read.
func (s *Stage) land(ctx context.Context, snapshot model.Snapshot, run model.Run, ahead *ahead, byRules bool) (model.Run, landed, error) {
	var done landed
	var err error
	done.log, err = s.locker.LandRun(ctx, run, s.o.LockWait, logBatch, func(tx Tx) error {
		held, err := tx.HoldRun(ctx, run.SnapshotID, run.ExtractionID, snapshot.DocHash())
		if err != nil {
			return err
		}
		run = held.Run
		standing := model.RunStanding{Run: run, Complete: complete(run, held.Segments, held.Redone), Snapshot: snapshot}
		if due, err := stillDue(ctx, tx, &standing); err != nil || !due {
			return err
		}
		cause := cmp.Or(run.Why, causeCapture)
		if run.State.Terminal() {
			cause = causeRechunk
		}
		if run.State.Terminal() && standing.ChunkerVersion == split.Version && standing.HeaderVersion == header.Version {
			cause = causeEnriched
		}
		w := &work{stage: s, tx: tx, snapshot: snapshot, run: run, cause: cause, byRules: byRules, history: held.History,
			pages: pages{store: s.segments, rows: held.Segments, ahead: ahead}}
		if done.held, err = w.survey(ctx); err != nil || done.held {
			return err
		}
		run.State, run.Reason, run.Message = w.facts.State(), w.facts.Reason, w.facts.Message
		w.run = run
		if run.State != model.RunFailed {
			if err := w.chunk(ctx); err != nil {
				return err
			}
			done.chunks, done.result = w.made, &w.result
		}
		// A run without any processed page has nothing that could be a version:
		// it leaves no manifest, and what was current stays so.
		if err := tx.FinishRun(ctx, run); err != nil {
			return err
		}
		if snapshot.Under(run).SourceEnrich == model.EnrichWait {
			if err := tx.EndAnswerWaits(ctx, run.SnapshotID); err != nil {
				return err
			}
		}
		faultpoint.Reach("chunk.run.finished")
		return tx.SetIngestStatus(ctx)
	})
	return run, done, err
}

// stillDue is isDue of a run that is held.
func stillDue(ctx context.Context, tx Tx, standing *model.RunStanding) (bool, error) {
	if run := standing.Run; run.State.Terminal() {
		manifest, err := tx.RunManifest(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
		if err != nil || manifest == nil {
			return false, err
		}
		standing.ChunkerVersion, standing.HeaderVersion = manifest.ChunkerVersion, manifest.HeaderVersion
		standing.Proposals = manifest.Meta.Proposals
		if wantsProposals(standing.Snapshot, run) {
			e, err := tx.Enrichment(ctx, run.SnapshotID, run.ExtractionID, run.Redo, manifest.ChunkerVersion)
			if err != nil {
				return false, err
			}
			if e != nil {
				standing.Proposed = e.Digest
			}
		}
	}
	return isDue(*standing), nil
}

// work is one run on its way into chunks.
type work struct {
	stage    *Stage
	tx       Tx
	snapshot model.Snapshot
	run      model.Run
	cause    string
	byRules  bool
	history  model.History // of the document, before the run lands
	pages    pages
	facts    assemble.Survey
	document split.Document // what it looks like, once it is known whether there are chunks to make
	choice   split.Choice   // the chunker, likewise
	made     []model.Chunk  // inserted last, at most chunkBatch
	result   model.RunResult

	enrichment model.Enrichment // what a model has proposed; the zero value: nothing
	proposals  map[string]model.ChunkProposal
}

// survey looks at all pages, unless the version waits for what a model proposes; then it is held, and does not land.
func (w *work) survey(ctx context.Context) (isHeld bool, err error) {
	wait, err := w.waits(ctx)
	if err != nil || wait == stillHeld {
		return wait == stillHeld, err
	}
	if err := w.pages.each(ctx, func(f segment.Frame) error {
		w.facts.Add(f.Page, f.Units)
		return nil
	}); err != nil || wait == mayLand || w.facts.State() == model.RunFailed {
		return false, err
	}
	return w.hold(ctx)
}

// frames yields the pages of the run.
func (w *work) frames(ctx context.Context) proof.Pages {
	return func(each func(segment.Frame) error) error { return w.pages.each(ctx, each) }
}

// chunk writes the version: its chunks, what they change, and its manifest.
func (w *work) chunk(ctx context.Context) error {
	if err := w.propose(ctx); err != nil {
		return err
	}
	v := w.version()
	of, err := model.CapturedOf(w.snapshot)
	if err != nil {
		return internal("%w", err)
	}
	v.Generation = w.history.Next
	timeline := current.Place(w.history, of, v)
	v = timeline.Landed()
	title, language := w.facts.Title(w.snapshot), w.facts.Language(w.snapshot)
	var added []model.ChunkLink
	if v.Own() {
		w.document = documentOf(w.snapshot, &w.facts)
		w.choice = w.stage.o.Chunkers.Choose(split.SourceOf(w.snapshot), w.document)
		if added, err = w.split(ctx, v, describe.Base(w.snapshot, w.run, title, language, split.Version)); err != nil {
			return err
		}
	}
	v.ChunkCount = len(added)
	w.result = w.resultOf(v)
	if err := timeline.Land(ctx, w.tx, w.run, w.cause, added); err != nil {
		return err
	}
	faultpoint.Reach("chunk.states.landed")
	if err := w.tx.AddManifest(ctx, w.manifest(v), v); err != nil {
		return err
	}
	faultpoint.Reach("chunk.manifest.added")
	if taken, ok := timeline.Taken(); ok {
		if err := w.tx.TakeOver(ctx, taken, v); err != nil {
			return err
		}
		faultpoint.Reach("chunk.version.taken_over")
	}
	if timeline.Newest() {
		err = w.tx.SetCurrent(ctx, v, w.facts.Meta(w.snapshot), language)
	} else {
		err = w.stage.setCurrent(ctx, w.tx, timeline, w.history.Recorded)
	}
	if err := w.settle(ctx, err); err != nil {
		return err
	}
	faultpoint.Reach("chunk.current.set")
	w.stage.logger.InfoContext(ctx, "document chunked", slog.String("document_id", w.snapshot.DocumentID),
		slog.String("snapshot_id", w.snapshot.SnapshotID), slog.String("doc_hash", v.DocHash),
		slog.Int("generation", v.Generation), slog.Int("chunks", v.ChunkCount), slog.String("same_as", v.SameAs), slog.String("chunker", w.choice.Name),
		slog.Bool("current", timeline.Newest()), slog.Int("failed_pages", w.facts.Failed))
	if v.ChunkCount == 0 {
		return nil
	}
	return w.tx.StageItem(ctx)
}

// settle notes that what is current is decided, after wrong is what came of writing it down. A
// run does not fail for pages of another version that are damaged or gone: the document is to
// be decided anew then, by itself.
func (w *work) settle(ctx context.Context, wrong error) error {
	switch {
	case errors.Is(wrong, errOtherPages) && fault.KindOf(wrong) != fault.KindUnavailable && ctx.Err() == nil:
		w.stage.logger.ErrorContext(ctx, "what is current is not written down", slog.String("document_id", w.snapshot.DocumentID), slog.Any("error", wrong))
		return w.tx.Unsettle(ctx)
	case wrong != nil || !w.history.Recorded.Unsettled:
		return wrong
	}
	return w.tx.MarkSettled(ctx, w.run)
}

// version is the version that lands, but for its generation.
func (w *work) version() model.Version {
	s := w.snapshot
	return model.Version{
		DocHash: s.DocHash(), SnapshotID: s.SnapshotID, ExtractionID: w.run.ExtractionID,
		Redo: w.run.Redo, RetrievedAt: s.RetrievedAt, RunOrder: w.run.RunOrder, Fingerprint: w.facts.Fingerprint(),
		FailedPages: w.facts.Failed, ParserVersion: w.run.ParserVersion,
		ChunkerVersion: split.Version, HeaderVersion: header.Version, Layer: s.Layer, Facets: model.FacetsOf(s),
		Proposals: w.enrichment.Digest,
	}
}

// resultOf is what RunResult would say of the run with its manifest of v.
func (w *work) resultOf(v model.Version) model.RunResult {
	r := model.RunResult{DocHash: v.DocHash, Generation: v.Generation, ChunkCount: v.ChunkCount}
	for _, row := range w.pages.rows {
		r.Processed, r.Failed = r.Processed+row.Processed, r.Failed+row.Failed
	}
	return r
}

func (w *work) manifest(v model.Version) model.Manifest {
	digests := make([]string, len(w.pages.rows))
	for i, row := range w.pages.rows {
		digests[i] = row.Digest
	}
	m := model.Manifest{
		DocHash: v.DocHash, Generation: v.Generation, DocumentID: w.snapshot.DocumentID, SourceID: w.snapshot.SourceID,
		SnapshotID: v.SnapshotID, ExtractionID: v.ExtractionID, Redo: v.Redo, CanonicalURL: w.snapshot.URLCanonical,
		SourceFile: w.snapshot.Filename, DocType: string(w.snapshot.FinalType), ChunkCount: v.ChunkCount, Status: model.ManifestDone,
		SameAs: v.SameAs, Fingerprint: v.Fingerprint, SegmentsDigest: digest.HexParts(digests...),
		ChunkerVersion: v.ChunkerVersion, HeaderVersion: v.HeaderVersion, Meta: metaOf(w.choice).Counted(w.facts.Counts()), VectorStatus: model.VectorNone,
	}
	m.Meta.Proposals, m.Meta.ProposalsKey = w.enrichment.Digest, w.enrichment.ObjectKey
	left := w.facts.Omitted(w.snapshot.SnapshotKind)
	m.LeftOut = &left
	if v.ChunkCount == 0 {
		m.VectorStatus = model.VectorPresent // every chunk, of none, has its vector
	}
	return m
}

// split makes the chunks and inserts them as they come. It returns what is
// needed to link them.
func (w *work) split(ctx context.Context, v model.Version, base model.Chunk) ([]model.ChunkLink, error) {
	var (
		links []model.ChunkLink
		batch []model.Chunk
	)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := w.tx.AddChunks(ctx, batch)
		faultpoint.Reach("chunk.rows.added")
		if len(w.made)+len(batch) > chunkBatch {
			w.made = nil
		}
		w.made, batch = append(w.made, batch...), nil
		return err
	}
	c := cuttingOf(w.choice, w.snapshot, base, &w.facts, w.document, w.stage.count)
	c.budget, c.document.Proposals = w.stage.o.Budget, w.proposals
	if w.proposals != nil {
		c.document.Dropped = make(statement.Dropped)
	}
	err := c.cut(v, w.frames(ctx), func(c model.Chunk) error {
		if err := c.Validate(); err != nil {
			return internal("a chunk is not valid: %w", err)
		}
		links = append(links, linkOf(c))
		batch = append(batch, c)
		if len(batch) == chunkBatch || len(batch) == firstBatch && len(links) <= 4*firstBatch {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err == nil && w.proposals != nil {
		w.stage.logger.InfoContext(ctx, "chunks enriched", slog.String("snapshot_id", w.snapshot.SnapshotID),
			slog.String("model", w.enrichment.Model), slog.Int("chunks", len(links)), slog.Any("dropped", c.document.Dropped))
		err = w.tx.CountDropped(ctx, w.enrichment, c.document.Dropped)
	}
	return links, err
}

func linkOf(c model.Chunk) model.ChunkLink {
	return model.ChunkLink{
		ChunkRef: c.ChunkRef, Set: model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation}, ChunkIndex: c.ChunkIndex,
		TextHash: c.TextHash, ContentTextHash: c.ContentTextHash, SourceType: c.SourceType,
		Type: c.Type, Facets: c.Facets(), Status: c.Status, SectionPath: c.SectionPath, InfoDate: c.InfoDate, Layer: c.Layer,
	}
}
