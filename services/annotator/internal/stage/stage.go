// Package stage is the annotator's stage: the pages of a range are read as soon as all pages
// before them are there, since the sections that those leave open say what a sentence is of.
// What they yield is recorded, and entities.extracted goes out for each page
// (contracts#entities).
package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// toldTogether is how many pages' entities are told before that is noted.
const toldTogether = 200

// Catalog is what the stage reads and writes of the record.
type Catalog interface {
	Entities
	Told
}

// Entities are what pages yield.
type Entities interface {
	// EntityWork returns a run with the pages of a range, or with all of them once every range
	// has its segment. No such run is fault.ErrNoRow.
	EntityWork(ctx context.Context, snapshotID, extractionID string, r model.PageRange, extractor, prompt int) (model.EntityWork, error)
	// Segment returns the segment of a range at a redo.
	Segment(ctx context.Context, snapshotID, extractionID string, from, redo int) (model.SegmentRow, error)
	// PutEntities records what pages yield. What a later run or version has read is
	// fault.ErrRunMoved.
	PutEntities(ctx context.Context, w model.EntityWrite) error
}

// Told is which entities were told.
type Told interface {
	UntoldEntityPages(ctx context.Context, snapshotID, extractionID string, limit int) ([]model.EntityPage, error)
	MarkEntitiesTold(ctx context.Context, pages []model.EntityPage) error
	MarkRunAnnotated(ctx context.Context, run model.Run) error
}

// Segments reads the objects of IR segments, verified. One that is damaged or gone is a
// permanent error.
type Segments interface {
	Segment(ctx context.Context, row model.SegmentRow) ([]byte, error)
}

// Extractor finds the entities of a page. A permanent fault is one of the page, which fails
// alone.
type Extractor interface {
	Versions() (extractor, prompt int)
	Page(ctx context.Context, in entity.PageInput, own custom.Set) (entity.Page, error)
}

// Stage handles ir.extracted.
type Stage struct {
	Catalog   Catalog
	Segments  Segments
	Extractor Extractor
	Log       *slog.Logger
	Parallel  int           // pages that are read at once; 0 is 1
	Most      time.Duration // after which the ranges that are left wait for the event again; 0: no bound
}

var errMore = errors.New("pages of the run are left to be read")

var errNoPages = errors.New("the pages that were extracted are not in the catalog")

// Handle reads the pages of the range, or, once the last range of its run has come in, all
// that are left. Repeated, it reads nothing again that has not changed, and tells what was not
// told.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	d, err := event.As[event.IRExtracted](e)
	if err != nil {
		return err
	}
	return s.workOnRun(ctx, e, d, emit, s.readRange)
}

// Fail records that the pages which are due have failed. An event that names no run leaves
// nothing but its dead letter, which is the runner's.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	d, err := event.As[event.IRExtracted](e)
	if err != nil {
		return nil //nolint:nilerr // nothing is known that could be marked
	}
	err = s.workOnRun(ctx, e, d, emit, func(_ context.Context, _ model.EntityWork, due []page) ([]model.EntityPage, []model.EntityRow, error) {
		failed := make([]model.EntityPage, len(due))
		for i, p := range due {
			failed[i] = s.failPage(p.record, string(reason), sentence)
		}
		return failed, nil, nil
	})
	if k := fault.KindOf(err); k == fault.KindPermanent || k == fault.KindDeferred && errors.Is(err, fault.ErrNoRow) {
		return nil // no such run: there is nothing to mark
	}
	return err
}

// page is one that is to be read.
type page struct {
	record model.EntityPage // without what it yields
	redo   int              // of its segment
	open   []model.Section  // when it begins
}

// readPages returns what pages of one range yield.
type readPages func(ctx context.Context, w model.EntityWork, due []page) ([]model.EntityPage, []model.EntityRow, error)

// workOnRun calls read for the pages that are due, range by range, records what it returns, and
// tells it.
func (s *Stage) workOnRun(ctx context.Context, e event.Event, d event.IRExtracted, emit stream.Emit, read readPages) error {
	extractor, prompt := s.Extractor.Versions()
	w, err := s.Catalog.EntityWork(ctx, d.SnapshotID, d.ExtractionID, d.Pages, extractor, prompt)
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return stream.Absent(e, err)
	case err != nil:
		return err
	case w.Run.State == model.RunSuperseded || w.Run.State == model.RunRemoved:
		return nil
	case !w.Complete && lacksPages(w, d):
		return stream.Absent(e, errNoPages)
	case w.Complete || w.Ready: // else the range that is missing has an event of its own
		ranges, err := s.listDuePages(w)
		if err != nil {
			return err
		}
		began := time.Now()
		for i, due := range ranges {
			if i > 0 && s.Most > 0 && time.Since(began) > s.Most {
				w.Complete = false
				return errors.Join(s.publishPages(ctx, w, emit), fault.Defer(0, errMore))
			}
			// Who has read the pages of a range for a later run or version tells them; this run
			// waits for nothing of them.
			if err := s.recordRange(ctx, w, due, read); err != nil && !errors.Is(err, fault.ErrRunMoved) {
				return err
			}
		}
	}
	return s.publishPages(ctx, w, emit)
}

// lacksPages reports whether pages of the range that an event names are not recorded: its
// segment may have been lost with its server, and comes again.
func lacksPages(w model.EntityWork, d event.IRExtracted) bool {
	n := 0
	for _, p := range w.Pages {
		if p.PageNo >= d.Pages.From && p.PageNo <= d.Pages.To && p.Status != model.PagePending {
			n++
		}
	}
	return n < d.Pages.To-d.Pages.From+1
}

// listDuePages returns the pages that are to be read, by range: those that were never read under these
// versions, that are queued again, or of which something else would be read now.
func (s *Stage) listDuePages(w model.EntityWork) ([][]page, error) {
	var ranges [][]page
	var open []model.Section
	for _, before := range w.Open {
		open = docxt.Carry(open, before)
	}
	extractor, prompt := s.Extractor.Versions()
	last := 0
	for _, in := range w.Pages {
		input, err := entity.InputHash(in.ContentHash, open, w.Schemas)
		if err != nil {
			return nil, err
		}
		if k := in.Known; k == nil || k.Status == model.PagePending || k.InputHash != input || k.ExtractionID != w.Run.ExtractionID {
			if from := firstOfRange(in.PageNo); from != last {
				ranges, last = append(ranges, nil), from
			}
			ranges[len(ranges)-1] = append(ranges[len(ranges)-1], page{redo: in.Redo, open: open, record: model.EntityPage{
				SnapshotID: w.Run.SnapshotID, PageNo: in.PageNo, ExtractorVersion: extractor, PromptVersion: prompt,
				SourceID: w.Run.SourceID, DocumentID: w.Run.DocumentID, ExtractionID: w.Run.ExtractionID, RunOrder: w.Run.RunOrder,
				ContentHash: in.ContentHash, InputHash: input,
			}})
		}
		open = docxt.Carry(open, in.Open)
	}
	return ranges, nil
}

func firstOfRange(pageNo int) int { return (pageNo-1)/model.RangeSize*model.RangeSize + 1 }

// recordRange reads the pages of one range that are due, and writes what they yield.
func (s *Stage) recordRange(ctx context.Context, w model.EntityWork, due []page, read readPages) error {
	pages, rows, err := read(ctx, w, due)
	if err != nil {
		return err
	}
	from := firstOfRange(due[0].record.PageNo)
	if err := s.Catalog.PutEntities(ctx, model.EntityWrite{Run: w.Run, From: from, Stamp: w.Stamp(from), Pages: pages, Entities: rows}); err != nil {
		return err
	}
	faultpoint.Reach("annotate.pages.written")
	for _, p := range pages {
		s.logPage(ctx, p)
	}
	return nil
}

// publishPages publishes what became of pages and was not told yet, and notes that a run that is
// complete was told.
func (s *Stage) publishPages(ctx context.Context, w model.EntityWork, emit stream.Emit) error {
	for {
		untold, err := s.Catalog.UntoldEntityPages(ctx, w.Run.SnapshotID, w.Run.ExtractionID, toldTogether)
		if err != nil {
			return err
		}
		for _, p := range untold {
			if err := emit(ctx, event.OfEntities(p)); err != nil {
				return fmt.Errorf("telling %s: %w", p.Name(), err)
			}
			faultpoint.Reach("annotate.page.published")
		}
		if err := s.Catalog.MarkEntitiesTold(ctx, untold); err != nil {
			return err
		}
		if len(untold) < toldTogether {
			break
		}
	}
	if !w.Complete {
		return nil
	}
	faultpoint.Reach("annotate.run.told")
	return s.Catalog.MarkRunAnnotated(ctx, w.Run)
}
