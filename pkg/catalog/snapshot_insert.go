package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// insertSnapshot records a snapshot, whose document has its row, in the
// transaction that decides its capture. process is false for one that is
// recorded only (contracts 12, Bytes). One that is recorded already stays as it
// is: a snapshot never changes (seed 002).
func insertSnapshot(ctx context.Context, p *pipeline, s model.Snapshot, process bool) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	record, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", s.SnapshotID, err)
	}
	return p.write(ctx, "snapshot "+s.SnapshotID, 1, `INSERT INTO snapshots
			(snapshot_id, document_id, source_id, content_hash, retrieved_at, snapshot_kind, final_type, process, record)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		s.SnapshotID, s.DocumentID, s.SourceID, s.ContentHash, s.RetrievedAt, s.SnapshotKind, s.FinalType, process, record)
}

// askStanding asks for the current snapshot of the document of s and how its
// last run ended. The transaction holds the document's row.
func askStanding(p *pipeline, s model.Snapshot, standing *model.Standing) {
	p.queue(`SELECT c.snapshot_id, c.content_hash,
			EXISTS (SELECT 1 FROM snapshots l WHERE l.document_id = d.document_id AND l.process
				AND (l.retrieved_at, l.snapshot_id) > (c.retrieved_at, c.snapshot_id)),
			coalesce(r.state, ''), coalesce(r.parser_version, ''), coalesce(r.rules_digest, ''),
			coalesce(m.chunker_version, ''), coalesce(m.header_version, '')
		FROM documents d JOIN snapshots c ON c.snapshot_id = d.current_snapshot_id
		LEFT JOIN LATERAL (SELECT * FROM runs WHERE runs.snapshot_id = c.snapshot_id ORDER BY run_order DESC LIMIT 1) r ON true
		LEFT JOIN LATERAL (SELECT chunker_version, header_version FROM chunk_manifests k
			WHERE k.snapshot_id = r.snapshot_id AND k.extraction_id = r.extraction_id AND k.redo = r.redo
			ORDER BY generation DESC LIMIT 1) m ON true
		WHERE d.document_id = $1`, s.DocumentID).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[model.Standing])
		if len(found) > 0 {
			*standing = found[0]
		}
		return err
	})
}

// nextSnapshot selects the one directly after a snapshot of its document: $1 is
// the document, $2 and $3 are the snapshot's retrieved_at and id.
const nextSnapshot = `SELECT * FROM snapshots WHERE document_id = $1 AND (retrieved_at, snapshot_id) > ($2, $3)
	ORDER BY retrieved_at, snapshot_id LIMIT 1`

// wakeNext makes the snapshot directly after s one that is to be processed, when
// it was recorded only because its bytes were current. Now s, which has others,
// stands between them and it, so it is a version of its own: versions are
// ordered by their time, never by arrival (contracts 12). The caller holds the
// document's row.
func wakeNext(ctx context.Context, p *pipeline, s model.Snapshot) error {
	return p.write(ctx, "the snapshot after "+s.SnapshotID, 1, `UPDATE snapshots s SET process = true, progress_at = now() FROM (`+nextSnapshot+`) n
		WHERE s.snapshot_id = n.snapshot_id AND NOT n.process AND n.content_hash <> $4`,
		s.DocumentID, s.RetrievedAt, s.SnapshotID, s.ContentHash)
}
