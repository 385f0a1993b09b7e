package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
)

// insertSnapshot records a snapshot, whose document has its row, in the
// transaction that decides its capture. process is false for one that is
// recorded only; version says whether it is one of its document. One that is
// recorded already stays as it is: a snapshot never changes.
func insertSnapshot(ctx context.Context, p *pipeline, s model.Snapshot, c model.Captured, process, version bool) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	record, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	return p.write(ctx, "snapshot "+s.SnapshotID, 1, `INSERT INTO snapshots
			(snapshot_id, document_id, source_id, content_hash, retrieved_at, snapshot_kind, final_type, process, record,
				reads_digest, version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
		s.SnapshotID, s.DocumentID, s.SourceID, s.ContentHash, s.RetrievedAt, s.SnapshotKind, s.FinalType, process, record,
		c.Reads, version)
}
