// Package stage is the extractor's stage: one range of pages comes in, its IR
// segment is stored and recorded, and ir.extracted goes out. A page that fails
// has an error unit in its place; the range is complete all the same.
package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Result is one extracted page: its record (without HTML) and its encoded
// frame.
type Result struct {
	Page  model.Page
	Frame []byte
}

// Extractor makes the pages of a range. It returns one result a page, in
// order: a page that cannot be extracted, or that belongs to a run that could
// not be split, is a failed page, not an error. tasks are what OCR has answered
// of the range; what else needs OCR is named by its page.
type Extractor interface {
	Pages(ctx context.Context, s model.Snapshot, run model.Run, r model.PageRange, tasks []model.OCRTask) ([]Result, error)
	// Failed returns the results of a range of which no page can be extracted.
	// It fails only when something of our own is away.
	Failed(ctx context.Context, s model.Snapshot, run model.Run, r model.PageRange, reason fault.Reason, sentence string) ([]Result, error)
}

// Catalog is what the stage reads and writes of the record.
type Catalog interface {
	Runs
	Segments
	Readings
}

// Runs are what the ranges are of.
type Runs interface {
	// RangeWork returns a run, its snapshot, and the segment of a range at a
	// redo when there is one.
	RangeWork(ctx context.Context, snapshotID, extractionID string, from, redo int) (model.Run, model.Snapshot, *model.SegmentRow, error)
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	StartRun(ctx context.Context, run model.Run, pageIDs []string, supersedes string) (model.Run, error)
	// KeepRun waits until a run that was started is on the disk.
	KeepRun(ctx context.Context, snapshotID, extractionID string) error
}

// Segments are what ranges yield.
type Segments interface {
	PutSegment(ctx context.Context, s model.SegmentRow, pages []model.Page) (model.SegmentRow, error)
	// PutSegmentBeside is PutSegment while the segment's object is put.
	PutSegmentBeside(ctx context.Context, s model.SegmentRow, pages []model.Page, put func(ctx context.Context) error) (model.SegmentRow, error)
	// KeepSegment waits until what was recorded is on the disk.
	KeepSegment(ctx context.Context, snapshotID, extractionID string, from, redo int) error
}

// Readings are the pages of a range that are to be read by OCR.
type Readings interface {
	PlanOCR(ctx context.Context, run model.Run, r model.PageRange, redo int, tasks []model.OCRTask) ([]model.OCRTask, error)
	OCRTasks(ctx context.Context, snapshotID, extractionID string, r model.PageRange, redo int) ([]model.OCRTask, error)
	FailOCR(ctx context.Context, t model.OCRTask) error
}

// Splitter finds the pages of a document for a run of this build's parser: the
// run comes back with its number of pages and its facts, which are stored. A
// permanent fault says that the document cannot be split.
type Splitter interface {
	Split(ctx context.Context, s model.Snapshot, run model.Run) (model.Run, error)
}

// Objects stores an IR segment once and returns its key, which KeyOfSegment tells
// before.
type Objects interface {
	KeyOfSegment(row model.SegmentRow, sourceID string) string
	PutSegment(ctx context.Context, row model.SegmentRow, sourceID string, data []byte) (key string, err error)
}

// Stage holds the extractor's parts.
type Stage struct {
	Catalog       Catalog
	Objects       Objects
	Extractor     Extractor
	Splitter      Splitter
	ParserVersion string
	// Unread says why pages that need OCR are not read by it; "" says that they are.
	// nil: they are not, and are left as they are.
	Unread     func(ctx context.Context) (why string, err error)
	Log        *slog.Logger
	NewerDelay time.Duration // how long a newer parser's range is left to others
	// Ahead begins to read a document that the extractor will ask for, until forget is
	// called.
	Ahead func(ctx context.Context, sourceID, contentHash string) (forget func())
}

// Handle takes page.split and page.ocr_completed. Repeated, it finds its segment
// and publishes again. A range with pages that wait for OCR is left to
// page.ocr_completed.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	split, read, err := splitOf(e)
	if err != nil {
		return err
	}
	own, err := s.isOurs(split)
	if err != nil {
		return err
	}
	if own && split.ContentHash != "" {
		defer s.Ahead(ctx, split.SourceID, split.ContentHash)()
	}
	return s.workOnRange(ctx, e, split, emit, func(snap model.Snapshot, run model.Run) error {
		if !own {
			return s.takeOver(ctx, snap, run, emit)
		}
		faultpoint.ReachFor("extract.range", split.SnapshotID)
		results, err := s.extractPages(ctx, snap, run, split, read, emit)
		if err != nil || results == nil {
			return err
		}
		return s.storeSegment(ctx, split, run, results, emit)
	})
}

// splitOf returns the range that an event hands on, and whether OCR has answered
// for it.
func splitOf(e event.Event) (split event.PageSplit, read bool, err error) {
	if e.Type != event.TypePageOCRCompleted {
		split, err = event.As[event.PageSplit](e)
		return split, false, err
	}
	completed, err := event.As[event.PageOCRCompleted](e)
	return completed.Split(), true, err
}

// Fail writes a segment of error units: the document completes without this
// range. Under another parser's version nothing is written, as contracts#two-versions says:
// the run is left to reconcile.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	split, _, err := splitOf(e)
	if err != nil || split.ParserVersion != s.ParserVersion {
		return nil
	}
	err = s.workOnRange(ctx, e, split, emit, func(snap model.Snapshot, run model.Run) error {
		results, err := s.Extractor.Failed(ctx, snap, run, split.Pages, reason, sentence)
		if err != nil {
			return err
		}
		return s.storeSegment(ctx, split, run, results, emit)
	})
	if fault.KindOf(err) == fault.KindPermanent && fault.ReasonOf(err) == fault.Malformed {
		return nil // no such run or range: there is nothing to mark
	}
	return err
}

// workOnRange calls do for a range that has no segment yet, and publishes that of one
// that has.
func (s *Stage) workOnRange(ctx context.Context, e event.Event, split event.PageSplit, emit stream.Emit, do func(model.Snapshot, model.Run) error) error {
	run, snap, row, err := s.Catalog.RangeWork(ctx, split.SnapshotID, split.ExtractionID, split.Pages.From, split.Redo)
	if err != nil {
		if errors.Is(err, fault.ErrNoRow) {
			return stream.Absent(e, fmt.Errorf("run %s/%s is not in the catalog", split.SnapshotID, split.ExtractionID))
		}
		return err
	}
	if run.State == model.RunRemoved || run.State == model.RunSuperseded && run.ParserVersion == s.ParserVersion {
		return nil
	}
	if row != nil {
		return s.announce(ctx, run, *row, emit)
	}
	if err := checkRange(split, run); err != nil {
		return err
	}
	return do(snap.Under(run), run)
}

func checkRange(split event.PageSplit, run model.Run) error {
	if split.Redo < 0 || split.Redo > run.Redo || split.ParserVersion != run.ParserVersion {
		return fault.Permanent(fault.Malformed, fmt.Errorf("redo %d under parser %s of a run at redo %d under parser %s",
			split.Redo, split.ParserVersion, run.Redo, run.ParserVersion))
	}
	for _, r := range model.Ranges(run.PageCount) {
		if r == split.Pages {
			return nil
		}
	}
	return fault.Permanent(fault.Malformed, fmt.Errorf("pages %d–%d are no range of a document of %d pages",
		split.Pages.From, split.Pages.To, run.PageCount))
}

func (s *Stage) storeSegment(ctx context.Context, split event.PageSplit, run model.Run, results []Result, emit stream.Emit) error {
	var w segment.Writer
	row := model.SegmentRow{
		SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, From: split.Pages.From, To: split.Pages.To, Redo: split.Redo,
	}
	pages := make([]model.Page, len(results))
	for i, r := range results {
		if err := w.Add(r.Page.PageNo, r.Frame); err != nil {
			return err
		}
		pages[i] = r.Page
		if r.Page.Status == model.PageFailed {
			row.Failed++
		} else {
			row.Processed++
		}
		s.logPage(ctx, r.Page)
	}
	data, sha, err := w.Bytes()
	if err != nil {
		return err
	}
	row.Digest, row.ByteLength = sha, int64(len(data))
	stands, err := s.putSegment(ctx, run, row, data, pages)
	if err != nil {
		if errors.Is(err, fault.ErrRunMoved) {
			return nil // another run has taken over; the object is an orphan
		}
		return err
	}
	faultpoint.Reach("extract.segment.recorded")
	return s.announce(ctx, run, stands, emit)
}

// putSegment stores and records a segment: of one that is all of its document, which no other
// range waits for, the rows are written while the object is put.
func (s *Stage) putSegment(ctx context.Context, run model.Run, row model.SegmentRow, data []byte, pages []model.Page) (model.SegmentRow, error) {
	row.ObjectKey = s.Objects.KeyOfSegment(row, run.SourceID)
	object := func(ctx context.Context) error {
		_, err := s.Objects.PutSegment(ctx, row, run.SourceID, data)
		faultpoint.Reach("extract.segment.put")
		return err
	}
	if isWholeDocument(run, row) {
		return s.Catalog.PutSegmentBeside(ctx, row, pages, object)
	}
	if err := object(ctx); err != nil {
		return row, err
	}
	return s.Catalog.PutSegment(ctx, row, pages)
}

// isWholeDocument reports whether a segment is all of its document.
func isWholeDocument(run model.Run, row model.SegmentRow) bool {
	return row.From == 1 && row.To >= run.PageCount
}

// announce publishes a range that is recorded, and waits until one that is all of its
// document is on the disk: others are from the beginning.
func (s *Stage) announce(ctx context.Context, run model.Run, row model.SegmentRow, emit stream.Emit) error {
	if err := emit(ctx, extractedEvent(run, row)); err != nil || !isWholeDocument(run, row) {
		return err
	}
	return s.Catalog.KeepSegment(ctx, row.SnapshotID, row.ExtractionID, row.From, row.Redo)
}

func extractedEvent(run model.Run, row model.SegmentRow) event.IRExtracted {
	return event.IRExtracted{
		SnapshotID: row.SnapshotID, SourceID: run.SourceID, ExtractionID: row.ExtractionID,
		Pages: model.PageRange{From: row.From, To: row.To}, PageCount: run.PageCount, Redo: row.Redo,
		ObjectKey: row.ObjectKey, Digest: row.Digest, Processed: row.Processed, Failed: row.Failed,
	}
}

// logPage writes the line that seeds#extraction asks for about every page.
func (s *Stage) logPage(ctx context.Context, p model.Page) {
	level := slog.LevelDebug
	if p.Status == model.PageFailed {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "page extracted", slog.String("snapshot_id", p.SnapshotID), slog.Int("page_no", p.PageNo),
		slog.String("page_id", p.PageID), slog.String("content_hash", p.ContentHash), slog.String("content_hash_folded", p.FoldedHash), slog.Int("units", p.UnitCount),
		slog.Float64("coverage", p.Coverage), slog.String("status", string(p.Status)), slog.String("reason", p.Reason))
}

// isOurs reports whether a range is this build's to extract. One of a newer parser
// waits for a process that has it; one of an older parser is not, and its run is
// to be taken over (contracts#two-versions).
func (s *Stage) isOurs(split event.PageSplit) (bool, error) {
	if split.ParserVersion == s.ParserVersion {
		return true, nil
	}
	theirs, errTheirs := strconv.Atoi(split.ParserVersion)
	ours, errOurs := strconv.Atoi(s.ParserVersion)
	if errTheirs != nil || errOurs != nil {
		return false, fault.Permanent(fault.Malformed, fmt.Errorf("parser_version %q is not an integer", split.ParserVersion))
	}
	if theirs > ours {
		return false, fault.Defer(s.NewerDelay, errors.New("the range belongs to a newer parser"))
	}
	return false, nil
}

// takeOver starts an older parser's run again under this build's and the same
// rules, which snap has: pages and facts are found again, since they are that parser's too, all ranges are
// published, and the old run is superseded.
func (s *Stage) takeOver(ctx context.Context, snap model.Snapshot, old model.Run, emit stream.Emit) error {
	rules, err := digest.SourceRulesDigest(snap.UnitRules())
	if err != nil {
		return fmt.Errorf("rules of %s: %w", snap.SourceID, err)
	}
	id := digest.ExtractionID(s.ParserVersion, rules, old.OCRRun())
	run, err := s.Catalog.Run(ctx, snap.SnapshotID, id)
	if err != nil && !errors.Is(err, fault.ErrNoRow) {
		return err
	}
	if err != nil {
		run, err = s.Splitter.Split(ctx, snap, model.Run{
			SnapshotID: snap.SnapshotID, ExtractionID: id, OCR: old.OCR.Asked(),
			SourceID: snap.SourceID, DocumentID: snap.DocumentID, ParserVersion: s.ParserVersion, RulesDigest: rules,
			Rules: old.Rules, Why: "version",
		})
		if fault.KindOf(err) == fault.KindPermanent {
			run.PageCount, run.Reason, run.Message, err = 1, string(fault.ReasonOf(err)), err.Error(), nil
		}
		if err != nil {
			return err
		}
	}
	pages := make([]string, run.PageCount)
	for i := range pages {
		pages[i] = digest.PageID(run.SnapshotID, i+1)
	}
	if run, err = s.Catalog.StartRun(ctx, run, pages, old.ExtractionID); err != nil {
		return err
	}
	faultpoint.Reach("extract.takeover.started")
	for _, r := range model.Ranges(run.PageCount) {
		err := emit(ctx, event.PageSplit{
			SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
			ParserVersion: run.ParserVersion, Pages: r, PageCount: run.PageCount, Redo: run.Redo,
		})
		if err != nil {
			return err
		}
		faultpoint.Reach("extract.takeover.published")
	}
	return s.Catalog.KeepRun(ctx, run.SnapshotID, run.ExtractionID)
}
