package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

const unpublishedLog = `SELECT l.seq, l.chunk_ref, l.rev, l.change, l.cause, l.replaced_by, ` + newestEpoch + `,
		s.chunk_ref IS NOT NULL, coalesce(c.source_id, ''), coalesce(c.snapshot_id, ''),
		coalesce(s.layer, ''), coalesce(s.repeats, ''), coalesce(s.since, ''), coalesce(s.duplicate_of, ''),
		coalesce(s.rev, 0), coalesce(s.changed_by, ''),
		coalesce(d.document_id, ''), coalesce(d.current_rev, 0), coalesce(d.current_doc_hash, ''), coalesce(d.current_generation, 0)
	FROM (SELECT * FROM chunk_log WHERE snapshot_id = $1 AND extraction_id = $2 AND NOT published ORDER BY seq LIMIT $3) l
	LEFT JOIN chunks c ON c.chunk_ref = l.chunk_ref LEFT JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
	LEFT JOIN documents d ON d.document_id = c.document_id ORDER BY l.seq`

func scanUnpublished(row pgx.CollectableRow) (e model.Unpublished, err error) {
	st := &e.State
	err = row.Scan(&e.Seq, &e.ChunkRef, &e.Rev, &e.Change, &e.Cause, &e.ReplacedBy, &e.Epoch,
		&e.Found, &e.SourceID, &e.SnapshotID,
		&st.Layer, &st.Repeats, &st.Since, &st.DuplicateOf, &st.Rev, &st.ChangedBy,
		&st.Current.DocumentID, &st.Current.Rev, &st.Current.DocHash, &st.Current.Generation)
	st.ChunkRef = e.ChunkRef
	return e, err
}

// UnpublishedLog returns the oldest entries that a run wrote, at any redo, and
// whose events were not published yet, at most limit.
func (db *DB) UnpublishedLog(ctx context.Context, snapshotID, extractionID string, limit int) ([]model.Unpublished, error) {
	rows, err := db.pool.Query(ctx, unpublishedLog, snapshotID, extractionID, limit)
	if err != nil {
		return nil, fmt.Errorf("chunk log of %s: %w", snapshotID, Classify(err))
	}
	entries, err := pgx.CollectRows(rows, scanUnpublished)
	if err != nil {
		return nil, fmt.Errorf("chunk log of %s: %w", snapshotID, Classify(err))
	}
	return entries, nil
}

// logs notes that the log is written under a run: bindLog is to bind what was.
func (t *DocumentTx) logs(run model.Run) {
	name := runName(run)
	if !slices.ContainsFunc(t.logged, func(r model.Run) bool { return runName(r) == name }) {
		t.logged = append(t.logged, run)
	}
}

// bindLog binds what the transaction has written to the log.
func (t *DocumentTx) bindLog(ctx context.Context) error {
	for _, run := range t.logged {
		if err := t.tx.write(ctx, "binding the log of "+runName(run), 1, bindLog().inserted(`chunk_log b`,
			`WHERE b.snapshot_id = $1 AND b.extraction_id = $2 AND b.redo = $3 AND b.txid = pg_current_xact_id()`),
			run.SnapshotID, run.ExtractionID, run.Redo); err != nil {
			return err
		}
	}
	return nil
}

// markPublished leaves alone what was told in an epoch that is over: it is to be told again.
const markPublished = `UPDATE chunk_log SET published = true WHERE seq = ANY($1) AND $2 = ` + newestEpoch

// MarkPublished records that the events of these entries were published, as they were told
// in an epoch. Where another has begun meanwhile they stay to be published (contracts#epoch).
func (db *DB) MarkPublished(ctx context.Context, epoch string, seqs []int64) error {
	if _, err := db.pool.Exec(ctx, markPublished, seqs, epoch); err != nil {
		return fmt.Errorf("chunk log: marking %d entries published: %w", len(seqs), Classify(err))
	}
	return nil
}

// MarkRunPublished does for a run what MarkRunAnnounced and, for its last entries,
// MarkPublished do, at once.
func (db *DB) MarkRunPublished(ctx context.Context, snapshotID, extractionID string, redo int, epoch string, seqs []int64) error {
	var b pgx.Batch // one transaction, and one way to the server
	if len(seqs) > 0 {
		b.Queue(markPublished, seqs, epoch)
	}
	b.Queue(markRunAnnounced, snapshotID, extractionID, redo)
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("marking run %s/%s published: %w", snapshotID, extractionID, Classify(err))
	}
	return nil
}
