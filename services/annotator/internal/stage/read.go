package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/custom"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// readRange reads pages of one range: their segment once, then each page by itself, so that one that
// cannot be read fails alone.
func (s *Stage) readRange(ctx context.Context, w model.EntityWork, due []page) ([]model.EntityPage, []model.EntityRow, error) {
	row, err := s.Catalog.Segment(ctx, w.Run.SnapshotID, w.Run.ExtractionID, firstOfRange(due[0].record.PageNo), due[0].redo)
	if err != nil {
		return nil, nil, err
	}
	data, err := s.Segments.Segment(ctx, row)
	if err != nil {
		return nil, nil, err
	}
	reader, err := segment.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, fault.Permanent(fault.Internal, fmt.Errorf("segment of pages %d–%d: %w", row.From, row.To, err))
	}
	yields, own := make([]yield, len(due)), custom.CompileAll(w.Schemas)
	reading, readCtx := errgroup.WithContext(ctx)
	reading.SetLimit(max(1, s.Parallel))
	for i, p := range due {
		frame, err := reader.Frame(p.record.PageNo - row.From)
		if err != nil {
			return nil, nil, errors.Join(reading.Wait(), fault.Permanent(fault.Internal, fmt.Errorf("page %d in its segment: %w", p.record.PageNo, err)))
		}
		reading.Go(func() (err error) {
			yields[i], err = s.readPage(readCtx, p, frame, own)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, nil, err
	}
	pages := make([]model.EntityPage, len(due))
	var rows []model.EntityRow
	for i, y := range yields {
		pages[i], rows = y.page, append(rows, y.rows...)
	}
	return pages, rows, nil
}

type yield struct {
	page model.EntityPage
	rows []model.EntityRow
}

// readPage returns what a page yields. One that could not be extracted has failed here for the same reason.
func (s *Stage) readPage(ctx context.Context, p page, frame segment.Frame, own custom.Set) (yield, error) {
	if frame.Page.Status == model.PageFailed {
		return yield{page: s.failPage(p.record, frame.Page.Reason, frame.Page.Message)}, nil
	}
	found, err := s.Extractor.Page(ctx, entity.PageOf(frame.Page, frame.Units, p.open), own)
	switch {
	case fault.KindOf(err) == fault.KindPermanent:
		return yield{page: s.failPage(p.record, string(fault.ReasonOf(err)), err.Error())}, nil
	case err != nil:
		return yield{}, err
	}
	var y yield
	y.page, y.rows, err = entity.Stored(p.record, found)
	return y, err
}

func (s *Stage) failPage(p model.EntityPage, reason, sentence string) model.EntityPage {
	p.Status, p.Reason, p.Message = model.PageFailed, reason, sentence
	return p
}

// logPage writes the line that seeds#extraction asks for about every page.
func (s *Stage) logPage(ctx context.Context, p model.EntityPage) {
	level := slog.LevelDebug
	if p.Status == model.PageFailed {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("snapshot_id", p.SnapshotID), slog.Int("page_no", p.PageNo), slog.String("page_id", pageID(p)),
		slog.String("content_hash", p.ContentHash), slog.String("status", string(p.Status)), slog.String("reason", p.Reason),
	}
	for _, name := range slices.Sorted(maps.Keys(p.Result.Counts)) {
		attrs = append(attrs, slog.Int(name, p.Result.Counts[name]))
	}
	s.Log.LogAttrs(ctx, level, "entities extracted", attrs...)
}

func pageID(p model.EntityPage) string { return digest.PageID(p.SnapshotID, p.PageNo) }
