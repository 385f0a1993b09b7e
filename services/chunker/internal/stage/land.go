package stage

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
	"github.com/colophon-dev/colophon/services/chunker/internal/enrich"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/general"
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
	log    []model.Unpublished // the first that is to be published; nil: not asked for
	result *model.RunResult    // what the run came to; nil: it is to be asked for
}

// land makes the run into chunks in one transaction that holds the document,
// and returns it as it stands then, with what is at hand of it. Whether it is due
// is asked again there: another may have been first, or a redo may have begun.
func (s *Stage) land(ctx context.Context, snapshot model.Snapshot, run model.Run, ahead *ahead) (model.Run, landed, error) {
	var done landed
	err := s.locker.LockDocument(ctx, run.DocumentID, s.o.LockWait, func(tx Tx) error {
		var (
			rows   []model.SegmentRow
			redone []int
			err    error
		)
		tx.AskVersions(docHashOf(snapshot))
		if run, rows, redone, err = tx.RunParts(ctx, run.SnapshotID, run.ExtractionID); err != nil {
			return err
		}
		if due, err := stillDue(ctx, tx, run, complete(run, rows, redone)); err != nil || !due {
			return err
		}
		cause := cmp.Or(run.Why, causeCapture)
		if run.State.Terminal() {
			cause = causeRechunk
		}
		w := &work{stage: s, tx: tx, snapshot: snapshot, cause: cause, pages: pages{store: s.segments, rows: rows, ahead: ahead}}
		if err := w.survey(ctx); err != nil {
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
		faultpoint.Reach("chunk.run.finished")
		tx.AskUnpublishedLog(run.SnapshotID, run.ExtractionID, logBatch, &done.log)
		return tx.SetIngestStatus(ctx)
	})
	return run, done, err
}

// stillDue is isDue of a run that is held.
func stillDue(ctx context.Context, tx Tx, run model.Run, complete bool) (bool, error) {
	standing := model.RunStanding{Run: run, Complete: complete}
	if run.State.Terminal() {
		manifest, err := tx.RunManifest(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
		if err != nil || manifest == nil {
			return false, err
		}
		standing.ChunkerVersion, standing.HeaderVersion = manifest.ChunkerVersion, manifest.HeaderVersion
	}
	return isDue(standing), nil
}

// work is one run on its way into chunks.
type work struct {
	stage    *Stage
	tx       Tx
	snapshot model.Snapshot
	run      model.Run
	cause    string
	pages    pages
	facts    assemble.Survey
	made     []model.Chunk // inserted last, at most chunkBatch
	result   model.RunResult
}

func (w *work) survey(ctx context.Context) error {
	return w.pages.each(ctx, func(f segment.Frame) error {
		w.facts.Add(f.Page, f.Units)
		return nil
	})
}

// chunk writes the version: its chunks, what they change, and its manifest.
func (w *work) chunk(ctx context.Context) error {
	v := w.version()
	history, err := w.tx.Versions(ctx, v.DocHash)
	if err != nil {
		return err
	}
	of, err := model.CapturedOf(w.snapshot)
	if err != nil {
		return internal("%w", err)
	}
	v.Generation = history.Next
	timeline := current.Place(history, of, v)
	v = timeline.Landed()
	title, language := w.facts.Title(w.snapshot), w.facts.Language(w.snapshot)
	var added []model.ChunkLink
	if v.Own() {
		if added, err = w.split(ctx, v, enrich.Base(w.snapshot, w.run, title, language, general.Version)); err != nil {
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
		err = w.tx.SetCurrent(ctx, v, title, language)
	} else {
		err = w.stage.setCurrent(ctx, w.tx, timeline, history.Recorded)
	}
	if err != nil {
		return err
	}
	faultpoint.Reach("chunk.current.set")
	if history.Recorded.Unsettled {
		if err := w.tx.MarkSettled(ctx, w.run); err != nil {
			return err
		}
	}
	w.stage.logger.InfoContext(ctx, "document chunked", slog.String("document_id", w.snapshot.DocumentID),
		slog.String("snapshot_id", w.snapshot.SnapshotID), slog.String("doc_hash", v.DocHash),
		slog.Int("generation", v.Generation), slog.Int("chunks", v.ChunkCount), slog.String("same_as", v.SameAs),
		slog.Bool("current", timeline.Newest()), slog.Int("failed_pages", w.facts.Failed))
	if v.ChunkCount == 0 {
		return nil
	}
	return w.tx.StageItem(ctx)
}

// version is the version that lands, but for its generation.
func (w *work) version() model.Version {
	s := w.snapshot
	return model.Version{
		DocHash: docHashOf(s), SnapshotID: s.SnapshotID, ExtractionID: w.run.ExtractionID,
		Redo: w.run.Redo, RetrievedAt: s.RetrievedAt, RunOrder: w.run.RunOrder, Fingerprint: w.facts.Fingerprint(),
		FailedPages: w.facts.Failed, ParserVersion: w.run.ParserVersion,
		ChunkerVersion: general.Version, HeaderVersion: header.Version, Layer: s.Layer,
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

func docHashOf(s model.Snapshot) string {
	return digest.DocHash(s.SourceID, s.ExternalID, digest.LastModified(s.LastModified), string(s.FinalType))
}

func (w *work) manifest(v model.Version) model.Manifest {
	digests := make([]string, len(w.pages.rows))
	for i, row := range w.pages.rows {
		digests[i] = row.Digest
	}
	m := model.Manifest{
		DocHash: v.DocHash, Generation: v.Generation, DocumentID: w.snapshot.DocumentID, SourceID: w.snapshot.SourceID,
		SnapshotID: v.SnapshotID, ExtractionID: v.ExtractionID, Redo: v.Redo, CanonicalURL: w.snapshot.URLCanonical,
		SourceFile: w.snapshot.Filename, DocType: string(w.snapshot.FinalType), ChunkCount: v.ChunkCount, Status: "done",
		SameAs: v.SameAs, Fingerprint: v.Fingerprint, SegmentsDigest: digest.HexParts(digests...),
		ChunkerVersion: v.ChunkerVersion, HeaderVersion: v.HeaderVersion, VectorStatus: model.VectorNone,
	}
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
	err := cut(w.snapshot, base, v, w.stage.o.Budget, w.stage.count, w.facts.LeftOut, func(each func(segment.Frame) error) error {
		return w.pages.each(ctx, each)
	}, func(c model.Chunk) error {
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
	if err != nil {
		return nil, err
	}
	return links, flush()
}

// cut makes the chunks of a version out of its pages, in order. It is pure.
func cut(s model.Snapshot, base model.Chunk, v model.Version, budget int, count func(string) (int, error),
	leftOut func(irID string) bool, pages proof.Pages, out func(model.Chunk) error,
) error {
	index := 0
	splitter, err := general.New(general.Options{
		Header: header.Of(s, base), Budget: budget, Language: base.Language, Count: count,
	}, func(d general.Draft) error {
		c := chunkOf(base, v, index, d)
		index++
		return out(c)
	})
	if err != nil {
		return internal("the document's header: %w", err)
	}
	document := assemble.New(leftOut, splitter.Add)
	err = pages(func(f segment.Frame) error { return document.Add(f.Page.PageNo, f.Units) })
	for _, step := range []func() error{document.Close, splitter.Close} {
		if err != nil {
			return err
		}
		err = step()
	}
	return err
}

func chunkOf(base model.Chunk, v model.Version, index int, d general.Draft) model.Chunk {
	c := base
	c.DocHash, c.Generation, c.ChunkIndex = v.DocHash, v.Generation, index
	c.ChunkID = digest.ChunkID(index, v.Generation)
	c.ChunkRef = digest.ChunkRef(c.DocHash, c.ChunkID)
	c.PointID = digest.PointID(c.ChunkRef)
	c.Text, c.Content, c.Tokens = d.Text, d.Content, d.Tokens
	c.TextHash, c.ContentTextHash = digest.Text(d.Text), digest.Text(d.Content)
	c.SectionPath, c.Anchors, c.PageHint = d.SectionPath, d.Anchors, d.PageHint
	c.Provenance.Segments = d.Segments
	return c
}

func linkOf(c model.Chunk) model.ChunkLink {
	return model.ChunkLink{
		ChunkRef: c.ChunkRef, Set: model.ChunkSet{DocHash: c.DocHash, Generation: c.Generation}, ChunkIndex: c.ChunkIndex,
		TextHash: c.TextHash, ContentTextHash: c.ContentTextHash, SourceType: c.SourceType,
		Type: c.Type, Status: c.Status, SectionPath: c.SectionPath, InfoDate: c.InfoDate, Layer: c.Layer,
	}
}
