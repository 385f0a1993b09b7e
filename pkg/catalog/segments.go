package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const segmentColumns = `snapshot_id, extraction_id, from_page, to_page, redo, object_key, digest, byte_length, processed, failed`

func scanSegment(row pgx.Row) (model.SegmentRow, error) {
	var s model.SegmentRow
	err := row.Scan(&s.SnapshotID, &s.ExtractionID, &s.From, &s.To, &s.Redo, &s.ObjectKey, &s.Digest, &s.ByteLength,
		&s.Processed, &s.Failed)
	return s, err
}

// PutSegment records a finished range: its segment's row, unless another was
// first, and the rows of its pages. It returns the row that counts; a loser's
// object is an orphan. A run that was superseded or removed is fault.ErrRunMoved.
//
// The segment of a range that is all of its document may not be on the disk yet
// when PutSegment returns: see KeepSegment. Of others, nobody is told again once
// their event was handled.
func (db *DB) PutSegment(ctx context.Context, s model.SegmentRow, pages []model.Page) (out model.SegmentRow, err error) {
	var b pgx.Batch // one transaction, and one way to the server
	if err = askPutSegment(&b, s, pages, &out); err == nil {
		err = db.pool.SendBatch(ctx, &b).Close()
	}
	return putSegment(s, out, err)
}

// PutSegmentBeside is PutSegment while the segment's object is put.
func (db *DB) PutSegmentBeside(ctx context.Context, s model.SegmentRow, pages []model.Page, put func(ctx context.Context) error) (out model.SegmentRow, err error) {
	u := db.beginPut(ctx, put)
	defer u.end()
	err = db.pipelined(ctx, func(p *pipeline) error {
		if err := askPutSegment(p.later, s, pages, &out); err != nil {
			return err
		}
		if err := p.flush(ctx); err != nil {
			return err
		}
		return u.join(ctx, p)
	})
	return putSegment(s, out, err)
}

func putSegment(s, out model.SegmentRow, err error) (model.SegmentRow, error) {
	if err != nil {
		return model.SegmentRow{}, fmt.Errorf("segment %d–%d of %s: %w", s.From, s.To, s.SnapshotID, Classify(err))
	}
	return out, nil
}

// askPutSegment queues what PutSegment writes, and the question for the row that
// counts then, which comes in out.
func askPutSegment(b *pgx.Batch, s model.SegmentRow, pages []model.Page, out *model.SegmentRow) error {
	var state model.RunState
	args, err := pageColumnsOf(pages)
	if err != nil {
		return err
	}
	b.Queue(unkept+` FROM runs WHERE snapshot_id = $1 AND extraction_id = $2 AND $3 = 1 AND $4 >= page_count`,
		s.SnapshotID, s.ExtractionID, s.From, s.To)
	// The run's row first: a takeover or a takedown waits for us or we for it.
	b.Queue(`UPDATE runs SET progress_at = now(), reconciled = 0, state = CASE WHEN state = 'queued' THEN 'running' ELSE state END
		WHERE snapshot_id = $1 AND extraction_id = $2 RETURNING state`,
		s.SnapshotID, s.ExtractionID).QueryRow(func(row pgx.Row) error { return row.Scan(&state) })
	b.Queue(`WITH first AS (INSERT INTO ir_segments (`+segmentColumns+`)
			SELECT snapshot_id, extraction_id, $3, $4, $5, $6, $7, $8, $9, $10 FROM runs
			WHERE snapshot_id = $1 AND extraction_id = $2 AND state NOT IN ('superseded', 'removed')
			ON CONFLICT DO NOTHING RETURNING *), bound AS (`+bindSegment().inserted(`first b`, ``)+`)
		INSERT INTO pages (page_id, extraction_id, snapshot_id, page_no, status, reason, error_message,
			content_hash, page_hash, record, redo, attempts)
		SELECT id, run, snap, no, st, reason, message, content, hash, record, first.redo, 1
		FROM first, unnest($11::uuid[], $12::text[], $13::text[], $14::int[], $15::text[], $16::text[], $17::text[], $18::text[],
			$19::text[], $20::jsonb[]) AS p(id, run, snap, no, st, reason, message, content, hash, record) ORDER BY id, run
		ON CONFLICT (page_id, extraction_id) DO UPDATE SET status = EXCLUDED.status, reason = EXCLUDED.reason,
			error_message = EXCLUDED.error_message, content_hash = EXCLUDED.content_hash, page_hash = EXCLUDED.page_hash,
			record = EXCLUDED.record, redo = EXCLUDED.redo, attempts = pages.attempts + 1, updated_at = now()
		WHERE pages.redo <= EXCLUDED.redo`,
		append([]any{s.SnapshotID, s.ExtractionID, s.From, s.To, s.Redo, s.ObjectKey, s.Digest, s.ByteLength, s.Processed, s.Failed},
			args...)...)
	b.Queue(`SELECT `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page = $3 AND redo = $4`,
		s.SnapshotID, s.ExtractionID, s.From, s.Redo).QueryRow(func(row pgx.Row) error {
		if state == model.RunSuperseded || state == model.RunRemoved {
			return fmt.Errorf("%w: it is %s", fault.ErrRunMoved, state)
		}
		*out, err = scanSegment(row)
		return err
	})
	return nil
}

// pageColumnsOf returns the pages as columns, in the order of their ids.
func pageColumnsOf(pages []model.Page) ([]any, error) {
	pages = slices.Clone(pages)
	slices.SortFunc(pages, func(a, b model.Page) int { return strings.Compare(a.PageID, b.PageID) })
	n := len(pages)
	ids, runs, snaps, nos := make([]string, n), make([]string, n), make([]string, n), make([]int32, n)
	status, reasons, messages := make([]string, n), make([]string, n), make([]string, n)
	contents, hashes, records := make([]string, n), make([]string, n), make([]string, n)
	for i, p := range pages {
		ids[i], runs[i], snaps[i], nos[i] = p.PageID, p.ExtractionID, p.SnapshotID, int32(p.PageNo)
		status[i], reasons[i], messages[i] = string(p.Status), p.Reason, p.Message
		contents[i], hashes[i] = p.ContentHash, p.PageHash
		p.HTML = "" // lives in the segment
		raw, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", p.PageNo, err)
		}
		records[i] = string(raw)
	}
	return []any{ids, runs, snaps, nos, status, reasons, messages, contents, hashes, records}, nil
}

// Segment returns the segment of a range at one redo, or ErrNotFound.
func (db *DB) Segment(ctx context.Context, snapshotID, extractionID string, from, redo int) (model.SegmentRow, error) {
	s, err := scanSegment(db.pool.QueryRow(ctx, `SELECT `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page = $3 AND redo = $4`, snapshotID, extractionID, from, redo))
	if err != nil {
		return s, fmt.Errorf("segment %d of %s: %w", from, snapshotID, Classify(err))
	}
	return s, nil
}

// Segments returns the segments that count: of each range the one with the
// highest redo, ordered by first page.
func (db *DB) Segments(ctx context.Context, snapshotID, extractionID string) ([]model.SegmentRow, error) {
	return db.segments(ctx, `SELECT DISTINCT ON (from_page) `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY from_page, redo DESC`, snapshotID, extractionID)
}

// SegmentsAt is Segments as they counted at a redo: of each range the one with
// the highest redo up to it.
func (db *DB) SegmentsAt(ctx context.Context, snapshotID, extractionID string, redo int) ([]model.SegmentRow, error) {
	return db.segments(ctx, `SELECT DISTINCT ON (from_page) `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo <= $3 ORDER BY from_page, redo DESC`,
		snapshotID, extractionID, redo)
}

func (db *DB) segments(ctx context.Context, query, snapshotID string, args ...any) ([]model.SegmentRow, error) {
	rows, err := db.pool.Query(ctx, query, append([]any{snapshotID}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("segments of %s: %w", snapshotID, Classify(err))
	}
	segments, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.SegmentRow, error) { return scanSegment(row) })
	if err != nil {
		return nil, fmt.Errorf("segments of %s: %w", snapshotID, Classify(err))
	}
	return segments, nil
}

// Pages returns the page records of a run, in page order. One that is pending
// has nothing but its parts that are to be read by OCR, as far as that has come.
func (db *DB) Pages(ctx context.Context, snapshotID, extractionID string) ([]model.Page, error) {
	rows, err := db.pool.Query(ctx, `SELECT page_id::text, page_no, status, CASE WHEN status = 'pending' THEN
			(SELECT jsonb_strip_nulls(jsonb_build_object('ocr', jsonb_agg(t.task->'ocr' ORDER BY t.part))) FROM ocr_tasks t
				WHERE t.snapshot_id = $1 AND t.extraction_id = $2 AND t.page_no = p.page_no AND t.redo = 0) ELSE record END
		FROM pages p WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY page_no`, snapshotID, extractionID)
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", snapshotID, Classify(err))
	}
	pages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.Page, error) {
		var (
			id     string
			no     int
			status model.PageStatus
			raw    []byte
		)
		if err := row.Scan(&id, &no, &status, &raw); err != nil {
			return model.Page{}, err
		}
		var p model.Page
		if err := json.Unmarshal(raw, &p); err != nil {
			return p, err
		}
		p.PageID, p.PageNo, p.Status = id, no, status
		p.SnapshotID, p.ExtractionID = snapshotID, extractionID // a pending page has no record yet
		return p, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pages of %s: %w", snapshotID, Classify(err))
	}
	return pages, nil
}
