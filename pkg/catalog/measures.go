package catalog

import (
	"context"
	"fmt"
	"time"
)

// Size returns the bytes that the whole database takes, with its indexes.
func (db *DB) Size(ctx context.Context) (bytes int64, err error) {
	if err := db.pool.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&bytes); err != nil {
		return 0, fmt.Errorf("size of the catalog: %w", Classify(err))
	}
	return bytes, nil
}

// OldestAge returns how long ago, by the catalog's clock, the oldest thing that still
// needs work made progress, or 0 when there is none.
func (db *DB) OldestAge(ctx context.Context) (time.Duration, error) {
	var seconds float64
	err := db.pool.QueryRow(ctx, `SELECT coalesce(extract(epoch FROM now() - min(at)), 0)::float8 FROM (`+oldestWork+`) w`).Scan(&seconds)
	if err != nil {
		return 0, fmt.Errorf("age of the oldest work: %w", Classify(err))
	}
	return time.Duration(max(seconds, 0) * float64(time.Second)), nil
}

// WaitingOCR returns how many pages, and parts of pages, wait to be read. Those of runs
// that have been taken over by others are not counted.
func (db *DB) WaitingOCR(ctx context.Context) (n int64, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM ocr_tasks t JOIN runs r USING (snapshot_id, extraction_id)
		WHERE t.state = 'waiting' AND t.redo = r.redo AND r.state NOT IN ('superseded', 'removed')`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("pages that wait for OCR: %w", Classify(err))
	}
	return n, nil
}

// VectorBacklog returns how many chunks have other vectors than those of their state
// in the active collection of the alias: how far one that is building is, Collections says. It reads the state of every chunk, some
// 0.1 s for 100,000 of them.
func (db *DB) VectorBacklog(ctx context.Context, alias string) (n int64, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM chunk_state s CROSS JOIN collections k
		WHERE k.alias = $1 AND k.state = 'active' AND NOT EXISTS (
			SELECT 1 FROM chunk_vectors v WHERE v.chunk_ref = s.chunk_ref AND v.collection = k.name AND v.pushed_rev = s.rev)`, alias).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("chunks whose vectors lag: %w", Classify(err))
	}
	return n, nil
}
