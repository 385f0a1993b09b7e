package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// UnpublishedLog returns the oldest entries that a run wrote, at any redo, and
// whose events were not published yet, at most limit.
func (db *DB) UnpublishedLog(ctx context.Context, snapshotID, extractionID string, limit int) ([]model.LogEntry, error) {
	rows, err := db.pool.Query(ctx, `SELECT seq, chunk_ref, rev, change, cause, replaced_by FROM chunk_log
		WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT published ORDER BY seq LIMIT $3`,
		snapshotID, extractionID, limit)
	if err != nil {
		return nil, fmt.Errorf("chunk log of %s: %w", snapshotID, Classify(err))
	}
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.LogEntry, error) {
		var e model.LogEntry
		err := row.Scan(&e.Seq, &e.ChunkRef, &e.Rev, &e.Change, &e.Cause, &e.ReplacedBy)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("chunk log of %s: %w", snapshotID, Classify(err))
	}
	return entries, nil
}

// MarkPublished records that the events of these entries were published.
func (db *DB) MarkPublished(ctx context.Context, seqs []int64) error {
	if _, err := db.pool.Exec(ctx, `UPDATE chunk_log SET published = true WHERE seq = ANY($1) AND NOT published`, seqs); err != nil {
		return fmt.Errorf("chunk log: marking %d entries published: %w", len(seqs), Classify(err))
	}
	return nil
}
