package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// newest selects, of each document of source $1 (all sources when it is empty),
// the newest snapshot that is to be processed.
const newest = `SELECT DISTINCT ON (document_id) document_id, snapshot_id, source_id, record FROM snapshots
	WHERE process AND ($1 = '' OR source_id = $1) ORDER BY document_id, retrieved_at DESC, snapshot_id DESC`

// newestBatch is how many snapshots are read at a time.
const newestBatch = 500

// NewestSnapshots returns the newest snapshot that is to be processed of each
// document of a source, or of all when it is empty, in the order of their
// documents. It holds no connection while the caller works, and ends at the first
// error.
func (db *DB) NewestSnapshots(ctx context.Context, sourceID string) iter.Seq2[model.Snapshot, error] {
	return db.newest(ctx, `SELECT record FROM (`+newest+`) n WHERE document_id > $2 ORDER BY document_id LIMIT $3`, sourceID)
}

// UnparsedSnapshots returns those of NewestSnapshots that have no run under this
// extraction_id.
func (db *DB) UnparsedSnapshots(ctx context.Context, sourceID, extractionID string) iter.Seq2[model.Snapshot, error] {
	return db.newest(ctx, `SELECT record FROM (`+newest+`) n WHERE document_id > $2
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = n.snapshot_id AND r.extraction_id = $4)
		ORDER BY document_id LIMIT $3`, sourceID, extractionID)
}

// ScannedSnapshots returns those of NewestSnapshots of which a page, or a part of
// one, was found to need OCR by any run, whether it was read or not.
func (db *DB) ScannedSnapshots(ctx context.Context, sourceID string) iter.Seq2[model.Snapshot, error] {
	return db.newest(ctx, `SELECT record FROM (`+newest+`) n WHERE document_id > $2
		AND EXISTS (SELECT 1 FROM pages p WHERE p.snapshot_id = n.snapshot_id AND p.record ? 'ocr')
		ORDER BY document_id LIMIT $3`, sourceID)
}

func (db *DB) newest(ctx context.Context, query, sourceID string, more ...any) iter.Seq2[model.Snapshot, error] {
	return func(yield func(model.Snapshot, error) bool) {
		for after := ""; ; {
			batch, err := db.newestBatch(ctx, query, append([]any{sourceID, after, newestBatch}, more...))
			if err != nil {
				yield(model.Snapshot{}, fmt.Errorf("snapshots of source %q: %w", sourceID, Classify(err)))
				return
			}
			for _, s := range batch {
				if !yield(s, nil) {
					return
				}
			}
			if len(batch) < newestBatch {
				return
			}
			after = batch[len(batch)-1].DocumentID
		}
	}
}

func (db *DB) newestBatch(ctx context.Context, query string, args []any) ([]model.Snapshot, error) {
	rows, err := db.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s model.Snapshot, err error) {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return s, err
		}
		return s, json.Unmarshal(raw, &s)
	})
}

// ReparseProgress is how far the newest snapshots of a source's documents have
// come under one extraction_id.
type ReparseProgress struct {
	Documents int `json:"documents"` // with a snapshot that is to be processed
	Waiting   int `json:"waiting"`   // without a run
	Running   int `json:"running"`   // or ended and not yet announced
	Done      int `json:"done"`
	Partial   int `json:"partial"`
	Failed    int `json:"failed"`
	Moved     int `json:"moved"`  // superseded or removed
	Passed    int `json:"passed"` // of those with a run, how many have a later one that stands in its place
}

// Over reports whether nothing is left to do.
func (p ReparseProgress) Over() bool { return p.Waiting+p.Running == 0 }

// ReparseProgress counts the states of the runs. With a snapshotID only that
// snapshot counts, whichever its document's newest is.
func (db *DB) ReparseProgress(ctx context.Context, sourceID, snapshotID, extractionID string) (ReparseProgress, error) {
	var p ReparseProgress
	err := db.pool.QueryRow(ctx, `WITH wanted AS (SELECT snapshot_id FROM (`+newest+`) n WHERE $2 = ''
			UNION ALL SELECT snapshot_id FROM snapshots WHERE snapshot_id = $2),
		states AS (SELECT CASE WHEN r.snapshot_id IS NULL THEN 'waiting'
				WHEN r.state IN ('superseded', 'removed') THEN 'moved'
				WHEN r.state IN ('queued', 'running') OR r.announced_redo < r.redo THEN 'running' ELSE r.state END AS state,
				EXISTS (SELECT 1 FROM runs l WHERE l.snapshot_id = r.snapshot_id AND l.run_order > r.run_order
					AND l.state IN ('done', 'partial')) AS passed
			FROM wanted w LEFT JOIN runs r ON r.snapshot_id = w.snapshot_id AND r.extraction_id = $3)
		SELECT count(*), count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'running'),
			count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'partial'),
			count(*) FILTER (WHERE state = 'failed'), count(*) FILTER (WHERE state = 'moved'), count(*) FILTER (WHERE passed) FROM states`,
		sourceID, snapshotID, extractionID).Scan(&p.Documents, &p.Waiting, &p.Running, &p.Done, &p.Partial, &p.Failed, &p.Moved, &p.Passed)
	if err != nil {
		return p, fmt.Errorf("progress of the re-parse: %w", Classify(err))
	}
	return p, nil
}

// NewestSnapshotsOf returns the newest snapshot of each of the documents that has
// one, also where there is nothing to process. Of several with its bytes and time,
// it is the one that was recorded last.
func (db *DB) NewestSnapshotsOf(ctx context.Context, documents []string) (map[string]model.Snapshot, error) {
	found := make(map[string]model.Snapshot, len(documents))
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(documents))), newestBatch) {
		batch, err := db.newestBatch(ctx, `SELECT DISTINCT ON (s.document_id) s.record
			FROM (SELECT DISTINCT ON (document_id) document_id, retrieved_at, content_hash FROM snapshots
				WHERE document_id = ANY($1) ORDER BY document_id, retrieved_at DESC, snapshot_id DESC) n
			JOIN snapshots s USING (document_id, retrieved_at, content_hash)
			ORDER BY s.document_id, s.created_at DESC, s.snapshot_id`, []any{part})
		if err != nil {
			return nil, fmt.Errorf("the newest snapshots of %d documents: %w", len(part), Classify(err))
		}
		for _, s := range batch {
			found[s.DocumentID] = s
		}
	}
	return found, nil
}
