// Package stage is the chunker's work on one event: it asks whether a run is
// complete, makes its chunks, decides what is current, and says so (contracts#completeness,
// contracts#current).
package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/chunker/internal/current"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
)

// Emit publishes an event and returns when it is acknowledged. It is called from
// several goroutines.
type Emit = func(ctx context.Context, data event.Data) error

// Runs reads runs and what became of them.
type Runs interface {
	// RunStanding returns how far a run has come. No such run is a permanent
	// error.
	RunStanding(ctx context.Context, snapshotID, extractionID string) (model.RunStanding, error)
	RunResult(ctx context.Context, run model.Run) (model.RunResult, error)
	// MarkRunPublished records that run.completed was published, and with it the
	// events of the last entries of the log.
	MarkRunPublished(ctx context.Context, snapshotID, extractionID string, redo int, epoch string, seqs []int64) error
}

// Log reads what is to be published.
type Log interface {
	UnpublishedLog(ctx context.Context, snapshotID, extractionID string, limit int) ([]model.Unpublished, error)
	MarkPublished(ctx context.Context, epoch string, seqs []int64) error
	Chunks(ctx context.Context, refs []string) ([]model.Chunk, error)
}

// Tx is one transaction that holds a document.
type Tx interface {
	current.Store
	RunHolder
	VersionWriter
	DocumentWriter
	Proposals
	Holder
}

// RunHolder reads a run of the document, and holds it: no redo starts and no segment comes
// in until the transaction ends.
type RunHolder interface {
	// HoldRun returns a run and what the versions of its document are decided by. docHash
	// is that of the version that the run is to become; "" for none.
	HoldRun(ctx context.Context, snapshotID, extractionID, docHash string) (model.HeldRun, error)
	// RunParts returns a run, the segments that count and the first pages of
	// the ranges that its redo asked for again.
	RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error)
	// RunManifest returns the newest manifest of a run at a redo, nil for none.
	RunManifest(ctx context.Context, snapshotID, extractionID string, redo int) (*model.Manifest, error)
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	FinishRun(ctx context.Context, run model.Run) error
}

// VersionWriter records a version that lands.
type VersionWriter interface {
	AddChunks(ctx context.Context, chunks []model.Chunk) error
	AddManifest(ctx context.Context, m model.Manifest, v model.Version) error
	// TakeOver records that v has the chunks of later versions that say the same.
	TakeOver(ctx context.Context, taken model.ChunkSet, v model.Version) error
}

// DocumentWriter says how the document is now.
type DocumentWriter interface {
	CurrentWriter
	SetIngestStatus(ctx context.Context) error
	// StageItem notes that the document has chunks whose vectors are not in yet.
	StageItem(ctx context.Context) error
}

// CurrentWriter writes which version of a document is current.
type CurrentWriter interface {
	SetCurrent(ctx context.Context, v model.Version, meta model.DocumentMeta, language string) error
	// ClearCurrent says that no version is current.
	ClearCurrent(ctx context.Context) error
	// MarkSettled notes that what is current is what the order of versions says.
	MarkSettled(ctx context.Context, by model.Run) error
	// Unsettle notes that it is to be decided anew.
	Unsettle(ctx context.Context) error
}

// Locker runs f in a transaction that holds a document, and commits it when f
// returns nil.
type Locker interface {
	LockDocument(ctx context.Context, documentID string, wait time.Duration, f func(Tx) error) error
	// LandRun is LockDocument for the document of a run, and returns what Log.UnpublishedLog
	// will return of it then.
	LandRun(ctx context.Context, run model.Run, wait time.Duration, limit int, f func(Tx) error) ([]model.Unpublished, error)
}

// Segments reads the objects of IR segments, verified. One that is damaged or
// gone is a permanent error.
type Segments interface {
	Segment(ctx context.Context, row model.SegmentRow) ([]byte, error)
	// Proposals reads the object of an enrichment, likewise.
	Proposals(ctx context.Context, e model.Enrichment) ([]byte, error)
}

// Options are the settings of the stage.
type Options struct {
	Chunkers split.Table
	Budget   int           // tokens of a chunk; 0 is split.DefaultBudget
	LockWait time.Duration // for a document that another holds; 0 is 5 s
	// AnswerWait is how long a version waits for what a model proposes, where its source says so, before it lands without.
	AnswerWait time.Duration
}

// Stage handles ir.extracted, and ir.enriched, which asks for the same.
type Stage struct {
	runs     Runs
	log      Log
	locker   Locker
	segments Segments
	logger   *slog.Logger
	count    func(string) (int, error)
	o        Options
}

// New returns the stage.
func New(runs Runs, log Log, locker Locker, segments Segments, logger *slog.Logger, o Options) *Stage {
	if o.LockWait <= 0 {
		o.LockWait = 5 * time.Second
	}
	return &Stage{runs: runs, log: log, locker: locker, segments: segments, logger: logger, count: split.O200k(), o: o}
}

// Handle does what an ir.extracted or ir.enriched asks for, first or again: when the run has
// all its segments it is made into chunks, unless that is done; when a capture has
// changed what is current of the document, that is decided; and what is not published
// yet is published. A run that still waits for ranges is left to the
// event of the last one, but for what was decided under it before its redo began, or is now.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit Emit) error {
	d, err := subjectOf(e)
	if err != nil {
		return err
	}
	ahead := s.readAhead(ctx, d)
	standing, err := s.runs.RunStanding(ctx, d.SnapshotID, d.ExtractionID)
	switch {
	case fault.KindOf(err) == fault.KindPermanent:
		return stream.Absent(e, err)
	case err != nil:
		return err
	}
	run := standing.Run
	if lost := stream.Absent(e, errNoSegment); lacksSegment(standing, d) && fault.KindOf(lost) == fault.KindDeferred {
		if err := s.publish(ctx, run, landed{}, emit); err != nil {
			return err
		}
		return lost
	}
	var done landed
	if isDue(standing) {
		if run, done, err = s.land(ctx, standing.Snapshot, run, ahead, false); err != nil {
			return err
		}
		faultpoint.Reach("chunk.committed")
		switch {
		case standing.State.Terminal():
			faultpoint.Reach("chunk.again.committed")
		case done.held:
			faultpoint.Reach("chunk.held.committed")
		}
	}
	if standing.Unsettled && decides(run) {
		if err := s.decideCurrent(ctx, run); err != nil {
			return err
		}
		faultpoint.Reach("chunk.settled")
		done.log = nil // it is asked for anew: what was decided is logged under this run, too
	}
	if err := s.publish(ctx, run, done, emit); err != nil {
		return err
	}
	if done.held {
		return s.request(ctx, run, split.Version, model.ChunkSet{DocHash: standing.Snapshot.DocHash()}, emit)
	}
	return s.requestProposals(ctx, standing, run, emit)
}

// decides reports whether a run is one that a document is settled by: it was made into chunks,
// at this redo or an earlier one. Events of the ranges of others ask for nothing of the kind.
func decides(run model.Run) bool { return run.State.Terminal() || run.Redo > 0 }

// Fail marks the run failed, unless it has ended already, and says so; a version that waits for a model lands by the rules, if it can. A run that still waits
// for ranges is left alone: what failed is a decision about its document, for which another
// version was read. An event that names no run leaves nothing but its dead letter, which is the
// runner's.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit Emit) error {
	d, err := subjectOf(e)
	if err != nil {
		return nil //nolint:nilerr // nothing is known that could be marked
	}
	standing, err := s.runs.RunStanding(ctx, d.SnapshotID, d.ExtractionID)
	if fault.KindOf(err) == fault.KindPermanent {
		return nil
	}
	if err != nil {
		return err
	}
	if landed, err := s.landByRules(ctx, standing, emit); err != nil || landed {
		return err
	}
	run := standing.Run
	err = s.locker.LockDocument(ctx, run.DocumentID, s.o.LockWait, func(tx Tx) error {
		var segments []model.SegmentRow
		var redone []int
		var err error
		run, segments, redone, err = tx.RunParts(ctx, run.SnapshotID, run.ExtractionID)
		if err != nil || run.State.Terminal() || !complete(run, segments, redone) {
			return err
		}
		run.State, run.Reason, run.Message = model.RunFailed, string(reason), sentence
		if err := tx.FinishRun(ctx, run); err != nil {
			return err
		}
		return tx.SetIngestStatus(ctx)
	})
	if err != nil {
		return err
	}
	faultpoint.Reach("chunk.failure.committed")
	return s.publish(ctx, run, landed{}, emit)
}

var errNoSegment = errors.New("the segment that is all of its run is not in the catalog")

// lacksSegment reports whether the segment that an event names, and that makes its run
// complete, is not recorded.
func lacksSegment(s model.RunStanding, d event.IRExtracted) bool {
	return !s.Complete && !s.State.Terminal() && d.Pages.From == 1 && d.Pages.To >= s.PageCount && d.Redo >= s.Redo
}

// isDue reports whether the run is complete and not yet made into chunks, or made
// into them by an older chunker: a re-chunk publishes ir.extracted again, and
// the newer chunker makes the next generation; or made into them without what a model has proposed since.
func isDue(s model.RunStanding) bool {
	switch s.State {
	case model.RunFailed, model.RunSuperseded, model.RunRemoved:
		return false
	case model.RunDone, model.RunPartial:
		return isOlder(s.ChunkerVersion, split.Version) || isOlder(s.HeaderVersion, header.Version) ||
			s.Proposed != "" && s.Proposed != s.Proposals && s.ChunkerVersion == split.Version
	default:
		return s.Complete
	}
}

// isOlder compares versions, which are integers as text (contracts#version-numbers).
func isOlder(version, than string) bool {
	a, errA := strconv.Atoi(version)
	b, errB := strconv.Atoi(than)
	return errA == nil && errB == nil && a < b
}

// complete reports whether every range of the run has its segment, and every
// range that its redo asked for again has it from that redo.
func complete(run model.Run, segments []model.SegmentRow, redone []int) bool {
	redo := make(map[int]int, len(segments))
	for _, s := range segments {
		redo[s.From] = s.Redo
	}
	for _, r := range model.Ranges(run.PageCount) {
		if _, ok := redo[r.From]; !ok {
			return false
		}
	}
	for _, from := range redone {
		if redo[from] < run.Redo {
			return false
		}
	}
	return true
}

func internal(format string, args ...any) error {
	return fault.Permanent(fault.Internal, fmt.Errorf(format, args...))
}
