package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Snapshot returns one snapshot, or ErrNotFound.
func (db *DB) Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error) {
	var raw []byte
	err := db.pool.QueryRow(ctx, `SELECT record FROM snapshots WHERE snapshot_id = $1`, snapshotID).Scan(&raw)
	if err != nil {
		return model.Snapshot{}, fmt.Errorf("snapshot %s: %w", snapshotID, Classify(err))
	}
	var s model.Snapshot
	if err := json.Unmarshal(raw, &s); err != nil {
		return model.Snapshot{}, fmt.Errorf("snapshot %s: its record: %w", snapshotID, err)
	}
	return s, nil
}
