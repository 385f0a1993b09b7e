// Package stage is the splitter's stage: a snapshot or a request for a redo
// comes in, the run with its pages is recorded, and one page.split a range goes
// out. It decides nothing about the content but the number of pages and the
// facts that pages need of their document (contracts#facts).
package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// The causes of runs that matter here: one that no one asked for, and one under
// the rules of the day.
const (
	whyCapture = "capture"
	whyReparse = "reparse"
)

// Catalog is what the stage reads and writes of the record.
type Catalog interface {
	Snapshots
	Runs
	Redos
}

// Snapshots are what runs are made of.
type Snapshots interface {
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	Source(ctx context.Context, sourceID string) (model.Source, error)
	SnapshotRuns(ctx context.Context, snapshotID string) (model.Snapshot, []model.Run, error)
}

// Runs are begun once.
type Runs interface {
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	StartRun(ctx context.Context, run model.Run, pageIDs []string, supersedes string) (model.Run, error)
	// KeepRun waits until a run that was started is on the disk.
	KeepRun(ctx context.Context, snapshotID, extractionID string) error
}

// Redos are pages of a run that are to be extracted once more.
type Redos interface {
	StartRedo(ctx context.Context, snapshotID, extractionID string, redo int, ranges []model.PageRange) (model.Run, error)
	SplitAgain(ctx context.Context, split model.Run, redo int, pageIDs []string) (model.Run, error)
	RedoRanges(ctx context.Context, snapshotID, extractionID string, redo int) ([]int, error)
	FailedPages(ctx context.Context, snapshotID, extractionID string) ([]int, error)
}

// Splitter finds the pages of a document: the run comes back with their number
// and the place of its facts, which are stored. A permanent fault says that the
// document cannot be split.
type Splitter interface {
	Split(ctx context.Context, s model.Snapshot, run model.Run) (model.Run, error)
}

// Stage holds the splitter's parts. ParserVersion is that of the extractor in
// this build.
type Stage struct {
	Catalog       Catalog
	Splitter      Splitter
	ParserVersion string
	Small         func(model.Snapshot) bool // whether a range's event names the document's bytes
}

// Handle takes snapshot.stored and run.requested. Repeated, it publishes again
// what it published before: its publish may be what was lost.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	if e.Type == event.TypeRunRequested {
		req, err := event.As[event.RunRequested](e)
		if err != nil {
			return err
		}
		if req.Redo > 0 {
			return s.redo(ctx, e, req, emit)
		}
		return s.start(ctx, e, req.SnapshotID, req.Why, req.OCR, emit)
	}
	stored, err := event.As[event.SnapshotStored](e)
	if err != nil {
		return err
	}
	return s.start(ctx, e, stored.SnapshotID, whyCapture, nil, emit)
}

// Fail records a run that cannot be split: one page, and the reason for which
// the extractor writes its error unit (contracts#error-unit). A run that is recorded
// already stays as it is. An event that names no snapshot, a container, or a redo,
// leaves nothing to record.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	snapshotID, why := "", whyCapture
	var ocr *model.OCRSettings
	if e.Type == event.TypeRunRequested {
		req, err := event.As[event.RunRequested](e)
		if err != nil || req.Redo > 0 {
			return nil // the run stands as it was before the request
		}
		snapshotID, why, ocr = req.SnapshotID, req.Why, req.OCR
	} else {
		stored, err := event.As[event.SnapshotStored](e)
		if err != nil {
			return nil
		}
		snapshotID = stored.SnapshotID
	}
	snap, err := s.Catalog.Snapshot(ctx, snapshotID)
	if err != nil {
		if errors.Is(err, fault.ErrNoRow) {
			return nil
		}
		return err
	}
	if snap.SnapshotKind == model.KindContainer {
		return nil // it has no run
	}
	run, err := s.newRun(ctx, snap, why, ocr)
	if err != nil {
		return err
	}
	existing, err := s.Catalog.Run(ctx, run.SnapshotID, run.ExtractionID)
	if err == nil {
		return s.publishAgain(ctx, existing, snap, emit)
	}
	if !errors.Is(err, fault.ErrNoRow) {
		return err
	}
	run.PageCount, run.Reason, run.Message = 1, string(reason), sentence
	return s.record(ctx, run, snap, emit)
}

// start records today's run of a snapshot and publishes its ranges, or those of
// the one that is recorded already.
func (s *Stage) start(ctx context.Context, e event.Event, snapshotID, why string, ocr *model.OCRSettings, emit stream.Emit) error {
	snap, runs, err := s.Catalog.SnapshotRuns(ctx, snapshotID)
	if err != nil {
		return s.nameAbsent(e, snapshotID, err)
	}
	if snap.SnapshotKind == model.KindContainer {
		return fault.Permanent(fault.UnsupportedType, fmt.Errorf("snapshot %s is a container: what is processed are its members", snapshotID))
	}
	run, err := s.newRun(ctx, snap, why, ocr)
	if err != nil {
		return err
	}
	for _, existing := range runs {
		if existing.ExtractionID == run.ExtractionID {
			return s.publishAgain(ctx, existing, snap, emit)
		}
	}
	return s.split(ctx, snap, run, emit)
}

// split records a new run and publishes its ranges.
func (s *Stage) split(ctx context.Context, snap model.Snapshot, run model.Run, emit stream.Emit) error {
	run, err := s.Splitter.Split(ctx, snap.Under(run), run)
	if err != nil {
		return err
	}
	return s.record(ctx, run, snap, emit)
}

// nameAbsent turns the catalog's word that there is no such snapshot into what that is
// of an event.
func (s *Stage) nameAbsent(e event.Event, snapshotID string, err error) error {
	if errors.Is(err, fault.ErrNoRow) {
		return stream.Absent(e, fmt.Errorf("snapshot %s is not in the catalog", snapshotID))
	}
	return err
}

// newRun returns today's run of a snapshot: under the rules that were copied to
// it, at a re-parse under those that its source has now. With OCR settings it
// is a run of its own.
func (s *Stage) newRun(ctx context.Context, snap model.Snapshot, why string, ocr *model.OCRSettings) (model.Run, error) {
	asked, err := ocrOf(ocr)
	if err != nil {
		return model.Run{}, err
	}
	if why != whyReparse {
		return s.runUnder(snap, why, nil, asked)
	}
	source, err := s.Catalog.Source(ctx, snap.SourceID)
	if err != nil {
		if errors.Is(err, fault.ErrNoRow) {
			return s.runUnder(snap, why, nil, asked)
		}
		return model.Run{}, err
	}
	rules := source.UnitRules()
	return s.runUnder(snap, why, &rules, asked)
}

// ocrOf returns the OCR run that settings ask for, nil for none.
func ocrOf(settings *model.OCRSettings) (*model.RunOCR, error) {
	if settings == nil {
		return nil, nil //nolint:nilnil // no settings, no run
	}
	run, err := digest.OCRRun(settings)
	return &model.RunOCR{Run: run, Settings: settings}, err
}

// runUnder returns the run of a snapshot under rules, nil for its own. Rules
// that are the snapshot's own are not kept twice.
func (s *Stage) runUnder(snap model.Snapshot, why string, rules *model.UnitRules, ocr *model.RunOCR) (model.Run, error) {
	run := model.Run{
		SnapshotID: snap.SnapshotID, SourceID: snap.SourceID, DocumentID: snap.DocumentID,
		ParserVersion: s.ParserVersion, Rules: rules, Why: why, OCR: ocr,
	}
	own, err := digest.SourceRulesDigest(snap.UnitRules())
	if err != nil {
		return model.Run{}, fmt.Errorf("rules of %s: %w", snap.SourceID, err)
	}
	if run.RulesDigest, err = digest.SourceRulesDigest(snap.Under(run).UnitRules()); err != nil {
		return model.Run{}, fmt.Errorf("rules of %s: %w", snap.SourceID, err)
	}
	if run.RulesDigest == own {
		run.Rules = nil
	}
	run.ExtractionID = digest.ExtractionID(s.ParserVersion, run.RulesDigest, run.OCRRun())
	return run, nil
}

func (s *Stage) record(ctx context.Context, run model.Run, snap model.Snapshot, emit stream.Emit) error {
	stands, err := s.Catalog.StartRun(ctx, run, pageIDs(run), "")
	if err != nil {
		return err
	}
	faultpoint.Reach("split.run.started")
	return s.publishAgain(ctx, stands, snap, emit)
}

func pageIDs(run model.Run) []string {
	ids := make([]string, run.PageCount)
	for i := range ids {
		ids[i] = digest.PageID(run.SnapshotID, i+1)
	}
	return ids
}

// redo starts the redo that a request names: of the ranges that hold the pages
// named, of those with failed pages when none are, of all when none failed. A
// document that could not be split is tried as a whole.
func (s *Stage) redo(ctx context.Context, e event.Event, req event.RunRequested, emit stream.Emit) error {
	snap, err := s.Catalog.Snapshot(ctx, req.SnapshotID)
	if err != nil {
		return s.nameAbsent(e, req.SnapshotID, err)
	}
	today, err := s.newRun(ctx, snap, req.Why, nil)
	if err != nil {
		return err
	}
	id := cmp.Or(req.ExtractionID, today.ExtractionID)
	run, err := s.Catalog.Run(ctx, req.SnapshotID, id)
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return fault.Permanent(fault.Malformed, fmt.Errorf("run %s/%s is not in the catalog", req.SnapshotID, id))
	case err != nil:
		return err
	case run.ParserVersion != s.ParserVersion:
		// Ranges of two parsers never mix: a newer parser starts a run of its own,
		// under the same rules.
		if run, err = s.runUnder(snap, req.Why, run.Rules, run.OCR.Asked()); err != nil {
			return err
		}
		existing, err := s.Catalog.Run(ctx, run.SnapshotID, run.ExtractionID)
		if err == nil {
			return s.publishAgain(ctx, existing, snap, emit)
		}
		if !errors.Is(err, fault.ErrNoRow) {
			return err
		}
		return s.split(ctx, snap, run, emit)
	case run.Redo == req.Redo: // it was started before
		return s.publishAgain(ctx, run, snap, emit)
	case run.Unsplit():
		if run, err = s.Splitter.Split(ctx, snap.Under(run), run); err != nil {
			return err
		}
		run, err = s.Catalog.SplitAgain(ctx, run, req.Redo, pageIDs(run))
	default:
		var ranges []model.PageRange
		if ranges, err = s.ranges(ctx, run, req.Pages); err != nil {
			return err
		}
		run, err = s.Catalog.StartRedo(ctx, req.SnapshotID, id, req.Redo, ranges)
	}
	if err != nil {
		return err
	}
	faultpoint.Reach("split.redo.started")
	return s.publishAgain(ctx, run, snap, emit)
}

// ranges returns the ranges of a run that are to be extracted again.
func (s *Stage) ranges(ctx context.Context, run model.Run, pages []int) ([]model.PageRange, error) {
	if len(pages) == 0 {
		var err error
		if pages, err = s.Catalog.FailedPages(ctx, run.SnapshotID, run.ExtractionID); err != nil {
			return nil, err
		}
	}
	all := model.Ranges(run.PageCount)
	if len(pages) == 0 {
		return all, nil
	}
	wanted := make(map[int]bool, len(pages))
	for _, p := range pages {
		if p < 1 || p > run.PageCount {
			return nil, fault.Permanent(fault.Malformed, fmt.Errorf("page %d of a document of %d pages", p, run.PageCount))
		}
		wanted[(p-1)/model.RangeSize] = true
	}
	out := make([]model.PageRange, 0, len(wanted))
	for i, r := range all {
		if wanted[i] {
			out = append(out, r)
		}
	}
	return out, nil
}

// publishAgain publishes the ranges of a run that is recorded: at a redo only those
// that it asked for.
func (s *Stage) publishAgain(ctx context.Context, run model.Run, snap model.Snapshot, emit stream.Emit) error {
	if run.Redo == 0 {
		return s.announce(ctx, run, snap, nil, emit)
	}
	froms, err := s.Catalog.RedoRanges(ctx, run.SnapshotID, run.ExtractionID, run.Redo)
	if err != nil {
		return err
	}
	return s.announce(ctx, run, snap, froms, emit)
}

// announce publishes one page.split for each range of the run, or for those
// that begin at froms, and waits until the run is on the disk.
func (s *Stage) announce(ctx context.Context, run model.Run, snap model.Snapshot, froms []int, emit stream.Emit) error {
	hash := ""
	if s.Small(snap) {
		hash = snap.ContentHash
	}
	only := make(map[int]bool, len(froms))
	for _, f := range froms {
		only[f] = true
	}
	for _, r := range model.Ranges(run.PageCount) {
		if len(froms) > 0 && !only[r.From] {
			continue
		}
		err := emit(ctx, event.PageSplit{
			SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
			ParserVersion: run.ParserVersion, Pages: r, PageCount: run.PageCount, Redo: run.Redo,
			ContentHash: hash,
		})
		if err != nil {
			return err
		}
		faultpoint.Reach("split.range.published")
	}
	return s.Catalog.KeepRun(ctx, run.SnapshotID, run.ExtractionID)
}
