package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

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
// object is an orphan. A run that was superseded or removed is ErrRunMoved.
func (db *DB) PutSegment(ctx context.Context, s model.SegmentRow, pages []model.Page) (model.SegmentRow, error) {
	var out model.SegmentRow
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		// The run's row first: a takeover or a takedown waits for us or we for it.
		var state model.RunState
		if err := tx.QueryRow(ctx, `UPDATE runs SET progress_at = now(), reconciled = 0,
				state = CASE WHEN state = 'queued' THEN 'running' ELSE state END
			WHERE snapshot_id = $1 AND extraction_id = $2 RETURNING state`,
			s.SnapshotID, s.ExtractionID).Scan(&state); err != nil {
			return err
		}
		if state == model.RunSuperseded || state == model.RunRemoved {
			return fmt.Errorf("%w: it is %s", ErrRunMoved, state)
		}
		tag, err := tx.Exec(ctx, `INSERT INTO ir_segments (`+segmentColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			s.SnapshotID, s.ExtractionID, s.From, s.To, s.Redo, s.ObjectKey, s.Digest, s.ByteLength, s.Processed, s.Failed)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			out, err = scanSegment(tx.QueryRow(ctx, `SELECT `+segmentColumns+` FROM ir_segments
				WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page = $3 AND redo = $4`,
				s.SnapshotID, s.ExtractionID, s.From, s.Redo))
			return err
		}
		out = s
		return upsertPages(ctx, tx, s.Redo, pages)
	})
	if err != nil {
		return model.SegmentRow{}, fmt.Errorf("segment %d–%d of %s: %w", s.From, s.To, s.SnapshotID, err)
	}
	return out, nil
}

func upsertPages(ctx context.Context, tx pgx.Tx, redo int, pages []model.Page) error {
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
			return fmt.Errorf("page %d: %w", p.PageNo, err)
		}
		records[i] = string(raw)
	}
	_, err := tx.Exec(ctx, `INSERT INTO pages (page_id, extraction_id, snapshot_id, page_no, status, reason, error_message,
			content_hash, page_hash, record, redo, attempts)
		SELECT id, run, snap, no, st, reason, message, content, hash, record, $11, 1
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::text[], $10::jsonb[]) AS p(id, run, snap, no, st, reason, message, content, hash, record) ORDER BY id, run
		ON CONFLICT (page_id, extraction_id) DO UPDATE SET status = EXCLUDED.status, reason = EXCLUDED.reason,
			error_message = EXCLUDED.error_message, content_hash = EXCLUDED.content_hash, page_hash = EXCLUDED.page_hash,
			record = EXCLUDED.record, redo = EXCLUDED.redo, attempts = pages.attempts + 1, updated_at = now()
		WHERE pages.redo <= EXCLUDED.redo`,
		ids, runs, snaps, nos, status, reasons, messages, contents, hashes, records, redo)
	return err
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

// Pages returns the page records of a run, in page order.
func (db *DB) Pages(ctx context.Context, snapshotID, extractionID string) ([]model.Page, error) {
	rows, err := db.pool.Query(ctx, `SELECT page_id::text, page_no, status, record FROM pages
		WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY page_no`, snapshotID, extractionID)
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
