package stage

import (
	"context"
	"slices"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/extractor/internal/recognise"
)

// extractPages makes the pages of a range, with what OCR has read of them. It returns
// nil when pages wait for OCR: they are asked for, one event each, so that one
// that gets stuck holds no other.
func (s *Stage) extractPages(ctx context.Context, snap model.Snapshot, run model.Run, split event.PageSplit, read bool, emit stream.Emit) ([]Result, error) {
	var tasks []model.OCRTask
	if read {
		var err error
		if tasks, err = s.Catalog.OCRTasks(ctx, run.SnapshotID, run.ExtractionID, split.Pages, split.Redo); err != nil {
			return nil, err
		}
	}
	if len(tasks) == 0 {
		results, err := s.Extractor.Pages(ctx, snap, run, split.Pages, nil)
		if err != nil {
			return nil, err
		}
		tasks = tasksOf(snap, run, split.Redo, results)
		if len(tasks) == 0 || s.Unread == nil {
			return results, nil
		}
		why, err := s.Unread(ctx)
		if err != nil {
			return nil, err
		}
		// What was read before counts also where nobody reads any more.
		if tasks, err = s.Catalog.PlanOCR(ctx, run, split.Pages, split.Redo, tasks); err != nil {
			return nil, err
		}
		faultpoint.Reach("extract.ocr.planned")
		if why != "" {
			if tasks, err = s.refuseTasks(ctx, run, split, tasks, why); err != nil {
				return nil, err
			}
		}
	}
	if slices.ContainsFunc(tasks, isWaiting) {
		return nil, requestOCR(ctx, run, split.Redo, tasks, emit)
	}
	return s.Extractor.Pages(ctx, snap, run, split.Pages, tasks)
}

// refuseTasks gives the pages that wait a failure for their answer, and returns what all
// have then: another may have answered one in the same moment.
func (s *Stage) refuseTasks(ctx context.Context, run model.Run, split event.PageSplit, tasks []model.OCRTask, why string) ([]model.OCRTask, error) {
	for _, t := range tasks {
		if isWaiting(t) {
			if err := s.Catalog.FailOCR(ctx, recognise.Unread(t, why)); err != nil {
				return nil, err
			}
		}
	}
	return s.Catalog.OCRTasks(ctx, run.SnapshotID, run.ExtractionID, split.Pages, split.Redo)
}

func isWaiting(t model.OCRTask) bool { return !t.OCR.Answered() }

// tasksOf returns what pages name as in need of OCR.
func tasksOf(snap model.Snapshot, run model.Run, redo int, results []Result) []model.OCRTask {
	var tasks []model.OCRTask
	for _, r := range results {
		for i, part := range r.Page.OCR {
			t := model.OCRTask{
				SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, Redo: redo, PageNo: r.Page.PageNo, Part: i,
				Picture: pictureKey(snap, run, r.Page.PageNo, part.Region), Languages: snap.OCRLanguages(), OCR: part.Part(),
			}
			if run.OCR != nil && run.OCR.Settings != nil {
				t.DPI = run.OCR.Settings.DPI
				if asked := run.OCR.Settings.Languages; len(asked) > 0 {
					t.Languages = asked
				}
			}
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// pictureKey names what is to be read, whoever reads it.
func pictureKey(snap model.Snapshot, run model.Run, pageNo int, region *model.BBox) string {
	return digest.Picture(snap.ContentHash, pageNo, (*digest.BBox)(region), snap.PictureLanguages(run.ParserVersion))
}

// requestOCR asks for the pages that wait.
func requestOCR(ctx context.Context, run model.Run, redo int, tasks []model.OCRTask, emit stream.Emit) error {
	for i := 0; i < len(tasks); {
		page := tasks[i].PageNo
		var parts []model.PageOCR
		for ; i < len(tasks) && tasks[i].PageNo == page; i++ {
			if isWaiting(tasks[i]) {
				parts = append(parts, tasks[i].OCR)
			}
		}
		if len(parts) == 0 {
			continue
		}
		err := emit(ctx, event.PageOCRRequested{
			SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, ParserVersion: run.ParserVersion,
			Pages: model.PageRange{From: page, To: page}, PageCount: run.PageCount, Redo: redo, Parts: parts,
		})
		if err != nil {
			return err
		}
		faultpoint.Reach("extract.ocr.requested")
	}
	return nil
}
