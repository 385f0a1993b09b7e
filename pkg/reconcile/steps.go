package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// captures moves requests without an outcome, or with one that was not
// announced, by the request itself, as it is recorded.
func (p *pass) captures(ctx context.Context) error {
	before := p.since(stream.ConsumerCapture)
	return each(ctx, p, p.report.count("captures"),
		func(page catalog.Page) ([]catalog.StuckCapture, error) {
			return p.catalog.StuckCaptures(ctx, before, page)
		},
		func(c catalog.StuckCapture) (stuck, error) {
			var d event.CaptureRequested
			if err := json.Unmarshal(c.Request, &d); err != nil {
				return stuck{}, fmt.Errorf("request %s/%s: %w", c.SourceID, c.RequestID, err)
			}
			d.SourceID, d.RequestID = c.SourceID, c.RequestID
			return stuck{
				redrives: c.Redrives, consumer: stream.ConsumerCapture, event: d, payload: c.Request,
				moved: func(ctx context.Context) error { return p.catalog.CaptureRedriven(ctx, c.SourceID, c.RequestID) },
				giveUp: func(ctx context.Context, sentence string) error {
					c.Outcome, c.Reason, c.Message = string(event.OutcomeFailed), string(fault.Internal), sentence
					return p.announceCapture(ctx, c.Capture)
				},
			}, nil
		})
}

// announceCapture decides a request, unless that is done, and says so.
func (p *pass) announceCapture(ctx context.Context, c model.Capture) error {
	c, err := p.catalog.DecideCapture(ctx, c)
	if err != nil {
		return err
	}
	d := event.CaptureCompleted{
		RequestID: c.RequestID, SourceID: c.SourceID, Outcome: event.Outcome(c.Outcome), SnapshotID: c.SnapshotID,
		DocumentID: c.DocumentID, Reason: c.Reason, Message: c.Message,
	}
	if !c.RetryAfter.IsZero() {
		d.RetryAfter = &c.RetryAfter
	}
	if err := p.publisher.Emit(ctx, d); err != nil {
		return err
	}
	return p.catalog.CaptureAnnounced(ctx, c.SourceID, c.RequestID)
}

// snapshots moves those without a run.
func (p *pass) snapshots(ctx context.Context) error {
	before := p.since(stream.ConsumerCapture, stream.ConsumerSplit)
	return each(ctx, p, p.report.count("snapshots"),
		func(page catalog.Page) ([]catalog.StuckSnapshot, error) {
			return p.catalog.StuckSnapshots(ctx, before, page)
		},
		func(s catalog.StuckSnapshot) (stuck, error) {
			return stuck{
				redrives: s.Redrives, consumer: stream.ConsumerSplit,
				event: event.SnapshotStored{
					SnapshotID: s.SnapshotID, SourceID: s.SourceID, DocumentID: s.DocumentID, ContentHash: s.ContentHash,
					ByteLength: s.ByteLength, SnapshotKind: s.SnapshotKind, FinalType: s.FinalType,
				},
				moved:  func(ctx context.Context) error { return p.catalog.SnapshotRedriven(ctx, s.SnapshotID) },
				giveUp: func(ctx context.Context, sentence string) error { return p.failSnapshot(ctx, s.Snapshot, sentence) },
			}, nil
		})
}

// failSnapshot records a run of one page that failed, which is what stands for
// a document that cannot be split (contracts#error-unit).
func (p *pass) failSnapshot(ctx context.Context, s model.Snapshot, sentence string) error {
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		return fmt.Errorf("rules of %s: %w", s.SourceID, err)
	}
	run, err := p.catalog.StartRun(ctx, model.Run{
		SnapshotID: s.SnapshotID, ExtractionID: digest.ExtractionID(extract.ParserVersion, rules, ""),
		SourceID: s.SourceID, DocumentID: s.DocumentID, PageCount: 1, ParserVersion: extract.ParserVersion,
		RulesDigest: rules, Why: "capture", Reason: string(fault.Internal), Message: sentence,
	}, []string{digest.PageID(s.SnapshotID, 1)}, "")
	if err != nil {
		return err
	}
	return p.failRun(ctx, run, sentence)
}

// failRun ends a run and says so.
func (p *pass) failRun(ctx context.Context, run model.Run, sentence string) error {
	run.Reason, run.Message = string(fault.Internal), sentence
	run, err := p.catalog.FailRun(ctx, run, lockWait)
	if err != nil {
		return err
	}
	return p.announceRun(ctx, run)
}

// announceRun says that a run has failed; its pages that have no segment count
// as failed.
func (p *pass) announceRun(ctx context.Context, run model.Run) error {
	_, segments, _, err := p.catalog.RunParts(ctx, run.SnapshotID, run.ExtractionID)
	if err != nil {
		return err
	}
	d := event.RunCompleted{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, DocumentID: run.DocumentID, ExtractionID: run.ExtractionID,
		Redo: run.Redo, State: run.State, Reason: run.Reason, Message: run.Message, PageCount: run.PageCount,
	}
	for _, s := range segments {
		d.Processed += s.Processed
	}
	d.Failed = run.PageCount - d.Processed
	if err := p.publisher.Emit(ctx, d); err != nil {
		return err
	}
	return p.catalog.MarkRunAnnounced(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
}

// ranges moves runs that lack a range, by one event for each that is missing.
func (p *pass) ranges(ctx context.Context) error {
	before := p.since(stream.ConsumerSplit, stream.ConsumerExtract, stream.ConsumerOCR)
	c := p.report.count("ranges")
	return each(ctx, p, c,
		func(page catalog.Page) ([]catalog.StuckRun, error) {
			return p.catalog.StuckRuns(ctx, before, true, page)
		},
		func(r catalog.StuckRun) (stuck, error) {
			run, segments, redone, err := p.catalog.RunParts(ctx, r.SnapshotID, r.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			missing := missingRanges(run, segments, redone)
			if len(missing) == 0 { // the last one came in just now
				missing = model.Ranges(run.PageCount)[:1]
			}
			split := func(pages model.PageRange) stuck {
				return stuck{event: event.PageSplit{
					SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
					ParserVersion: run.ParserVersion, Pages: pages, PageCount: run.PageCount, Redo: run.Redo,
				}}
			}
			s := split(missing[0])
			s.redrives, s.consumer = r.Redrives, stream.ConsumerExtract
			s.moved = func(ctx context.Context) error {
				for _, pages := range missing[1:] {
					if err := p.publish(ctx, c.What, split(pages)); err != nil {
						return err
					}
				}
				return p.catalog.RunRedriven(ctx, run.SnapshotID, run.ExtractionID)
			}
			s.giveUp = func(ctx context.Context, sentence string) error { return p.failRun(ctx, run, sentence) }
			return s, nil
		})
}

// missingRanges returns the ranges of a run without a segment, and those that
// its redo asked for again without one of that redo, in order.
func missingRanges(run model.Run, segments []model.SegmentRow, redone []int) []model.PageRange {
	redo := make(map[int]int, len(segments))
	for _, s := range segments {
		redo[s.From] = s.Redo
	}
	var missing []model.PageRange
	for _, r := range model.Ranges(run.PageCount) {
		at, found := redo[r.From]
		if !found || at < run.Redo && slices.Contains(redone, r.From) {
			missing = append(missing, r)
		}
	}
	return missing
}

// runs moves those that are complete and not made into chunks, those that ended, and those
// with a redo under way, of which not everything was published: the chunker says all of it
// again at any ir.extracted.
func (p *pass) runs(ctx context.Context) error {
	before := p.since(stream.ConsumerExtract, stream.ConsumerChunk)
	return each(ctx, p, p.report.count("runs"),
		func(page catalog.Page) ([]catalog.StuckRun, error) {
			return p.catalog.StuckRuns(ctx, before, false, page)
		},
		func(r catalog.StuckRun) (stuck, error) {
			run, segments, redone, err := p.catalog.RunParts(ctx, r.SnapshotID, r.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			d := event.OfRun(run, segments)
			waits := len(missingRanges(run, segments, redone)) > 0 // what is to be told of it is of before its redo
			moved := func(ctx context.Context) error {
				return p.catalog.RunRedriven(ctx, run.SnapshotID, run.ExtractionID)
			}
			return stuck{
				redrives: r.Redrives, consumer: stream.ConsumerChunk, event: d, moved: moved,
				giveUp: func(ctx context.Context, sentence string) error {
					if run.State.Terminal() || waits {
						return moved(ctx) // it has ended, or goes on; its dead letter is what is left to do
					}
					return p.failRun(ctx, run, sentence)
				},
			}, nil
		})
}

// entities lets the annotator look again at runs that have ended and of which it has not told
// the entities of all pages.
func (p *pass) entities(ctx context.Context) error {
	before := p.since(stream.ConsumerEntities)
	return each(ctx, p, p.report.count("entities"),
		func(page catalog.Page) ([]catalog.StuckRun, error) {
			return p.catalog.UnannotatedRuns(ctx, before, page)
		},
		func(r catalog.StuckRun) (stuck, error) {
			run, segments, _, err := p.catalog.RunParts(ctx, r.SnapshotID, r.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			return stuck{
				redrives: r.Redrives, consumer: stream.ConsumerEntities, event: event.OfRun(run, segments),
				moved:  func(ctx context.Context) error { return p.catalog.RunRedriven(ctx, run.SnapshotID, run.ExtractionID) },
				giveUp: func(ctx context.Context, _ string) error { return p.catalog.MarkRunAnnotated(ctx, run) },
			}, nil
		})
}

// enrichments lets the chunker look again at runs that have ended and whose chunks are without what a model was to
// propose for them.
func (p *pass) enrichments(ctx context.Context) error {
	before := p.since(stream.ConsumerChunk, stream.ConsumerEnrich)
	return each(ctx, p, p.report.count("enrichments"),
		func(page catalog.Page) ([]catalog.StuckRun, error) {
			return p.catalog.UnenrichedRuns(ctx, before, page)
		},
		func(r catalog.StuckRun) (stuck, error) {
			run, segments, _, err := p.catalog.RunParts(ctx, r.SnapshotID, r.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			moved := func(ctx context.Context) error { return p.catalog.RunRedriven(ctx, run.SnapshotID, run.ExtractionID) }
			return stuck{
				redrives: r.Redrives, consumer: stream.ConsumerChunk, event: event.OfRun(run, segments), moved: moved,
				giveUp: func(ctx context.Context, _ string) error { return moved(ctx) }, // its chunks stay as the rules have them
			}, nil
		})
}

// heldRuns lets the chunker ask again about versions that wait for what a model proposes, where nobody has been asked for long: the
// request is lost, or among the dead letters. They are never given up: their wait ends.
func (p *pass) heldRuns(ctx context.Context) error {
	before := p.since(stream.ConsumerChunk, stream.ConsumerEnrich)
	return each(ctx, p, p.report.count("held versions"),
		func(page catalog.Page) ([]catalog.StuckRun, error) {
			return p.catalog.HeldRuns(ctx, before, page)
		},
		func(r catalog.StuckRun) (stuck, error) {
			run, segments, _, err := p.catalog.RunParts(ctx, r.SnapshotID, r.ExtractionID)
			if err != nil {
				return stuck{}, err
			}
			return stuck{
				consumer: stream.ConsumerChunk, event: event.OfRun(run, segments),
				moved: func(ctx context.Context) error { return p.catalog.HeldRunMoved(ctx, run.SnapshotID, run.ExtractionID) },
			}, nil
		})
}

// chunks moves those whose vectors in the active collection are not those of their state, by
// the event of their newest revision; and those that a collection lacks which is filled.
func (p *pass) chunks(ctx context.Context) error {
	before := p.since(stream.ConsumerChunk, stream.ConsumerIndex)
	c := p.report.count("chunks")
	for after := ""; ; {
		due, last, err := p.catalog.StuckChunks(ctx, p.alias, p.options.Fill, before, after, chunkWindow)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(due, pageSize) {
			if err := p.someChunks(ctx, c, part); err != nil {
				return fmt.Errorf("chunks: %w", err)
			}
		}
		if last == "" {
			return nil
		}
		after = last
	}
}

func (p *pass) someChunks(ctx context.Context, c *Count, due []catalog.StuckChunk) error {
	refs := make([]string, len(due))
	byRef := make(map[string]catalog.StuckChunk, len(due))
	for i, d := range due {
		refs[i], byRef[d.ChunkRef] = d.ChunkRef, d
	}
	chunks, err := p.catalog.Chunks(ctx, refs)
	if err != nil {
		return err
	}
	states, err := p.catalog.ChunkStates(ctx, refs)
	if err != nil {
		return err
	}
	stateOf := make(map[string]model.ChunkState, len(states))
	for _, s := range states {
		stateOf[s.ChunkRef] = s
	}
	var moved []string
	for _, chunk := range chunks {
		d, state := byRef[chunk.ChunkRef], stateOf[chunk.ChunkRef]
		entry := model.LogEntry{ChunkRef: chunk.ChunkRef, Rev: state.Rev, Change: d.Change, Cause: d.Cause, ReplacedBy: d.ReplacedBy, Epoch: d.Epoch}
		if _, err := p.handle(ctx, c, stuck{
			redrives: d.Redrives, consumer: stream.ConsumerIndex, event: event.OfChange(entry, chunk, state),
			moved: func(context.Context) error {
				moved = append(moved, chunk.ChunkRef)
				return nil
			},
			giveUp: func(ctx context.Context, sentence string) error {
				return p.catalog.FailVectors(ctx, p.alias, chunk.ChunkRef, sentence)
			},
		}); err != nil {
			return err
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return p.catalog.ChunksRedriven(ctx, p.alias, p.options.Fill, moved)
}
