package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// RecordedSnapshot is a snapshot and whether it is to be processed.
type RecordedSnapshot struct {
	model.Snapshot
	Process bool `json:"process"` // false: recorded, nothing to run
}

// DocumentSnapshots returns the newest snapshots of a document, by (retrieved_at,
// snapshot_id), the newest first, at most limit.
func (db *DB) DocumentSnapshots(ctx context.Context, documentID string, limit int) ([]RecordedSnapshot, error) {
	rows, err := db.pool.Query(ctx, `SELECT record, process FROM snapshots WHERE document_id = $1
		ORDER BY retrieved_at DESC, snapshot_id COLLATE "C" DESC LIMIT $2`, documentID, limit)
	if err != nil {
		return nil, fmt.Errorf("snapshots of %s: %w", documentID, Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s RecordedSnapshot, err error) {
		return s, row.Scan(&s.Snapshot, &s.Process)
	})
	if err != nil {
		return nil, fmt.Errorf("snapshots of %s: %w", documentID, Classify(err))
	}
	return found, nil
}

// RunProgress is a run with the number of its pages by state.
type RunProgress struct {
	model.Run
	Announced bool `json:"announced"`       // run.completed was published for its redo
	Pending   int  `json:"pages_pending"`   // pages that are not extracted yet
	Processed int  `json:"pages_processed"` // pages that have units
	Failed    int  `json:"pages_failed"`    // pages that failed
}

// RunsProgress returns the runs of snapshots, by snapshot and in their order.
func (db *DB) RunsProgress(ctx context.Context, snapshotIDs []string) ([]RunProgress, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+runColumns+`, announced_redo >= redo, n.pending, n.processed, n.failed
		FROM runs r CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE p.status = 'pending') AS pending,
				count(*) FILTER (WHERE p.status = 'processed') AS processed, count(*) FILTER (WHERE p.status = 'failed') AS failed
			FROM pages p WHERE p.snapshot_id = r.snapshot_id AND p.extraction_id = r.extraction_id) n
		WHERE r.snapshot_id = ANY($1) ORDER BY r.snapshot_id COLLATE "C", r.run_order`, snapshotIDs)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", Classify(err))
	}
	runs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r RunProgress, err error) {
		r.Run, err = scanRun(andRow{row, []any{&r.Announced, &r.Pending, &r.Processed, &r.Failed}})
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("runs: %w", Classify(err))
	}
	return runs, nil
}

// Changes returns the entries of the chunk log that come after the one with
// this number, at most limit; 0 is the beginning, and a number that no entry has
// is ErrNotFound. The order is that of (transaction, number), up to the oldest
// transaction that is still open: numbers are not taken in the order of commits,
// and a reader that goes on from the last entry misses none (contracts#chunk-log). What was
// there when the epoch began comes first: a catalog that was copied into another cluster
// has numbers of transactions of the one before, which say nothing there. The epoch
// is that of the catalog, also where there is no entry (contracts#epoch).
func (db *DB) Changes(ctx context.Context, after int64, limit int) (epoch string, entries []model.LogEntry, err error) {
	var copied int64 // the last entry that was there when the epoch began
	if err := db.pool.QueryRow(ctx, `SELECT `+newestEpoch+`, coalesce((SELECT log_seq FROM epochs WHERE name <> '' ORDER BY name DESC LIMIT 1), 0)`).Scan(&epoch, &copied); err != nil {
		return "", nil, fmt.Errorf("epoch: %w", Classify(err))
	}
	txid := "0"
	if after != 0 {
		if err := db.pool.QueryRow(ctx, `SELECT txid::text FROM chunk_log WHERE seq = $1`, after).Scan(&txid); err != nil {
			return epoch, nil, fmt.Errorf("entry %d of the chunk log: %w", after, Classify(err))
		}
	}
	if after > copied || copied == 0 {
		entries, err = db.logEntries(ctx, `chunk_log WHERE seq > $4 AND (txid, seq) > ($1::text::xid8, $2::bigint) AND `+settled, txid, after, limit, copied)
	} else {
		entries, err = db.logEntries(ctx, `chunk_log WHERE seq <= $4 AND (txid, seq) > ($1::text::xid8, $2::bigint)`, txid, after, limit, copied)
		if err == nil && len(entries) < limit {
			var rest []model.LogEntry // found by their numbers: by transactions all those before were read
			rest, err = db.logEntries(ctx, `(SELECT * FROM chunk_log WHERE seq > $4 AND `+settled+` OFFSET 0) l WHERE (txid, seq) > ($1::text::xid8, $2::bigint)`,
				"0", 0, limit-len(entries), copied)
			entries = append(entries, rest...)
		}
	}
	if err != nil {
		return epoch, nil, fmt.Errorf("chunk log: %w", Classify(err))
	}
	if len(entries) > 0 {
		epoch = entries[len(entries)-1].Epoch // one may have begun since it was asked for
	}
	return epoch, entries, nil
}

// settled says in SQL of an entry of the log that no transaction of before can add one any more.
const settled = `txid < pg_snapshot_xmin(pg_current_snapshot())`

// logEntries returns the first entries of a part of the log.
func (db *DB) logEntries(ctx context.Context, from string, args ...any) ([]model.LogEntry, error) {
	rows, err := db.pool.Query(ctx, `SELECT seq, chunk_ref, rev, change, cause, replaced_by, `+newestEpoch+` FROM `+from+`
		ORDER BY txid, seq LIMIT $3`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[model.LogEntry])
}
