// Package recognise is the extractor's OCR stage: one page that needs OCR comes
// in, what is read in it is stored first-writer-wins and recorded, and
// page.ocr_completed goes out when all pages of its range have their answers. A
// page that cannot be read has a failure for its answer, and so has each page where
// OCR is off.
package recognise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/ocr"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// tries is how often a page is read that ends or hangs its child.
const tries = 2

// Reader reads pictures. Read fails with a permanent fault when the picture is
// to blame.
type Reader interface {
	Engine(ctx context.Context) (ocr.Engine, error)
	Read(ctx context.Context, s model.Snapshot, r ocr.Request) (ocr.Result, error)
}

// Catalog is what the stage reads and writes of the record.
type Catalog interface {
	Tasks
	Results
}

// Tasks are the pages that are to be read.
type Tasks interface {
	Run(ctx context.Context, snapshotID, extractionID string) (model.Run, error)
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	OCRTasks(ctx context.Context, snapshotID, extractionID string, r model.PageRange, redo int) ([]model.OCRTask, error)
	FailOCR(ctx context.Context, t model.OCRTask) error
}

// Results are what was read, by picture.
type Results interface {
	StoredOCR(ctx context.Context, sourceID, picture, run, key string) (model.StoredResult, error)
	PutOCR(ctx context.Context, t model.OCRTask, s model.StoredResult) error
}

// Objects stores an OCR result once. It returns its key, and the hex sha256 of
// the object that is there then.
type Objects interface {
	PutOCR(ctx context.Context, sourceID, engine, version, sum string, result []byte) (key, digest string, err error)
}

// Stage holds the stage's parts.
type Stage struct {
	Catalog Catalog
	Objects Objects
	Reader  Reader
	Log     *slog.Logger
	// Off is why nothing is read: each page has that for its answer. "": pages are read.
	Off string
}

// Unread returns a task with the answer of a page that nobody reads: ocr_failed, with
// why the page needs OCR and why it is not read.
func Unread(t model.OCRTask, why string) model.OCRTask {
	t.OCR.Reason = string(fault.OCRFailed)
	t.OCR.Message = fmt.Sprintf("page %d: %s; it needs OCR, and %s", t.PageNo, t.OCR.Why, why)
	return t
}

// Handle takes page.ocr_requested. Repeated, it finds its page answered and asks
// again whether the range is.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	return s.workOnPage(ctx, e, emit, func(run model.Run, snap model.Snapshot, t model.OCRTask) error {
		if s.Off != "" {
			t = Unread(t, s.Off)
			return s.recordFailure(ctx, t, fault.OCRFailed, t.OCR.Message)
		}
		return s.readPicture(ctx, run, snap, t)
	})
}

// Fail gives the page a failure for its answer.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	err := s.workOnPage(ctx, e, emit, func(_ model.Run, _ model.Snapshot, t model.OCRTask) error {
		return s.recordFailure(ctx, t, reason, sentence)
	})
	if fault.KindOf(err) == fault.KindPermanent && fault.ReasonOf(err) == fault.Malformed {
		return nil // no such run or page: there is nothing to mark
	}
	return err
}

// workOnPage calls do for each part of the page that waits, and says so when nothing
// waits any more in the page's range.
func (s *Stage) workOnPage(ctx context.Context, e event.Event, emit stream.Emit, do func(model.Run, model.Snapshot, model.OCRTask) error) error {
	req, err := event.As[event.PageOCRRequested](e)
	if err != nil {
		return err
	}
	run, err := s.Catalog.Run(ctx, req.SnapshotID, req.ExtractionID)
	if err != nil {
		if errors.Is(err, fault.ErrNoRow) {
			return fault.Permanent(fault.Malformed, fmt.Errorf("run %s/%s is not in the catalog", req.SnapshotID, req.ExtractionID))
		}
		return err
	}
	if run.State == model.RunRemoved || run.State == model.RunSuperseded {
		return nil
	}
	snap, err := s.Catalog.Snapshot(ctx, req.SnapshotID)
	if err != nil {
		return err
	}
	tasks, err := s.Catalog.OCRTasks(ctx, req.SnapshotID, req.ExtractionID, req.Pages, req.Redo)
	if err != nil {
		return err
	}
	if len(tasks) == 0 || req.Pages.From != req.Pages.To {
		return fault.Permanent(fault.Malformed, fmt.Errorf("pages %d–%d of run %s/%s have no OCR task at redo %d",
			req.Pages.From, req.Pages.To, req.SnapshotID, req.ExtractionID, req.Redo))
	}
	for _, t := range tasks {
		if t.OCR.Answered() {
			continue
		}
		if err := do(run, snap.Under(run), t); err != nil {
			return err
		}
	}
	return s.publishIfComplete(ctx, run, req, emit)
}

// readPicture has one picture read, unless that was done before, and records the answer.
func (s *Stage) readPicture(ctx context.Context, run model.Run, snap model.Snapshot, t model.OCRTask) error {
	engine, err := s.Reader.Engine(ctx)
	if err != nil {
		return fmt.Errorf("OCR engine: %w", err)
	}
	req := ocr.Request{Page: t.PageNo, Languages: t.Languages, DPI: t.DPI}
	if t.OCR.Region != nil {
		req.Region = *t.OCR.Region
	}
	stored := model.StoredResult{
		SourceID: run.SourceID, Picture: t.Picture, Run: run.OCRRun(), Key: req.Key(snap.ContentHash, engine),
		SnapshotID: snap.SnapshotID, Engine: engine.Name, Version: engine.Version,
	}
	before, err := s.Catalog.StoredOCR(ctx, stored.SourceID, stored.Picture, stored.Run, stored.Key)
	switch {
	case err == nil:
		stored.Key, stored.Engine, stored.Version = before.Key, before.Engine, before.Version
		stored.ObjectKey, stored.Digest = before.ObjectKey, before.Digest
		return s.Catalog.PutOCR(ctx, t, stored)
	case !errors.Is(err, fault.ErrNoRow):
		return err
	}
	faultpoint.ReachFor("ocr.page", fmt.Sprintf("%s/%d", t.SnapshotID, t.PageNo))
	began := time.Now()
	result, err := s.recognisePicture(ctx, snap, req)
	if fault.KindOf(err) == fault.KindPermanent {
		return s.recordFailure(ctx, t, fault.ReasonOf(err), err.Error())
	}
	if err != nil {
		return err
	}
	data, err := ocr.Encode(result)
	if err != nil {
		return s.recordFailure(ctx, t, fault.OCRFailed, fmt.Sprintf("page %d: %v", t.PageNo, err))
	}
	if stored.ObjectKey, stored.Digest, err = s.Objects.PutOCR(ctx, run.SourceID, engine.Name, engine.Version, stored.Key, data); err != nil {
		return err
	}
	faultpoint.Reach("ocr.result.put")
	if err := s.Catalog.PutOCR(ctx, t, stored); err != nil {
		return err
	}
	faultpoint.Reach("ocr.result.recorded")
	s.Log.LogAttrs(ctx, slog.LevelInfo, "page read", slog.String("snapshot_id", t.SnapshotID), slog.Int("page_no", t.PageNo),
		slog.Int("words", len(result.Words)), slog.Float64("confidence", result.Confidence), slog.Duration("took", time.Since(began)))
	return nil
}

// recognisePicture reads a picture, a second time when it ended or hung its child.
func (s *Stage) recognisePicture(ctx context.Context, snap model.Snapshot, req ocr.Request) (result ocr.Result, err error) {
	for range tries {
		result, err = s.Reader.Read(ctx, snap, req)
		if reason := fault.ReasonOf(err); fault.KindOf(err) != fault.KindPermanent || reason != fault.Timeout && reason != fault.ParserCrashed {
			break
		}
	}
	return result, err
}

func (s *Stage) recordFailure(ctx context.Context, t model.OCRTask, reason fault.Reason, sentence string) error {
	t.OCR.Reason, t.OCR.Message = string(reason), sentence
	s.Log.LogAttrs(ctx, slog.LevelWarn, "page not read", slog.String("snapshot_id", t.SnapshotID), slog.Int("page_no", t.PageNo),
		slog.String("reason", t.OCR.Reason), slog.String("error", sentence))
	return s.Catalog.FailOCR(ctx, t)
}

// publishIfComplete asks whether the range waits for more, after the commit of this
// page's answer: of pages that end at once, one sees that nothing does.
func (s *Stage) publishIfComplete(ctx context.Context, run model.Run, req event.PageOCRRequested, emit stream.Emit) error {
	from := (req.Pages.From-1)/model.RangeSize*model.RangeSize + 1
	pages := model.PageRange{From: from, To: min(from+model.RangeSize-1, run.PageCount)}
	tasks, err := s.Catalog.OCRTasks(ctx, run.SnapshotID, run.ExtractionID, pages, req.Redo)
	if err != nil {
		return err
	}
	results := []string{}
	for _, t := range tasks {
		if !t.OCR.Answered() {
			return nil
		}
		if t.OCR.Key != "" {
			results = append(results, t.OCR.Key)
		}
	}
	return emit(ctx, event.PageOCRCompleted{
		SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, ParserVersion: run.ParserVersion,
		Pages: pages, PageCount: run.PageCount, Redo: req.Redo, Results: results,
	})
}
