package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

const snapshotRecord = `SELECT record FROM snapshots WHERE snapshot_id = $1`

func scanSnapshot(row pgx.Row) (s model.Snapshot, err error) {
	var raw []byte
	if err := row.Scan(&raw); err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("its record: %w", err)
	}
	return s, nil
}

// Snapshot returns one snapshot, or ErrNotFound.
func (db *DB) Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error) {
	s, err := scanSnapshot(db.pool.QueryRow(ctx, snapshotRecord, snapshotID))
	if err != nil {
		return model.Snapshot{}, fmt.Errorf("snapshot %s: %w", snapshotID, Classify(err))
	}
	return s, nil
}

// Woken returns the snapshot directly after s of its document that is no container,
// when it is to be processed and has no run yet, as one has that was recorded only
// until s came; else nil. unsettled says that what is current of the document is to be
// decided anew, too: see Unsettled.
func (db *DB) Woken(ctx context.Context, s model.Snapshot) (next *model.Snapshot, unsettled bool, err error) {
	var raw []byte
	err = db.pool.QueryRow(ctx, `SELECT (SELECT n.record FROM (`+nextSnapshot+`) n WHERE n.process
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = n.snapshot_id)),
		EXISTS (SELECT 1 FROM documents d WHERE d.document_id = $1 AND d.unsettled_at IS NOT NULL)`,
		s.DocumentID, s.RetrievedAt, s.SnapshotID).Scan(&raw, &unsettled)
	if err == nil && raw != nil {
		next = &model.Snapshot{}
		err = json.Unmarshal(raw, next)
	}
	if err != nil {
		return nil, false, fmt.Errorf("the snapshot after %s: %w", s.SnapshotID, Classify(err))
	}
	return next, unsettled, nil
}
