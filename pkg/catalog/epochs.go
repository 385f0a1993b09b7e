package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// newestEpoch says in SQL which copy of the catalog this is (contracts#epoch).
const newestEpoch = `(SELECT coalesce(max(name), '') FROM epochs)`

// Epoch returns the name of this copy of the catalog; "" for one from before these had names
// (contracts#epoch).
func (db *DB) Epoch(ctx context.Context) (name string, err error) {
	if err := db.pool.QueryRow(ctx, `SELECT `+newestEpoch).Scan(&name); err != nil {
		return "", fmt.Errorf("epoch: %w", Classify(err))
	}
	return name, nil
}

// BeginEpoch names this copy of the catalog anew, in one transaction with what follows from
// it: every entry of the log is to be told again, and every point of a collection to be
// written again, with the vector that it has (contracts#epoch). The name is higher than any
// before, also where the clock says otherwise.
func (db *DB) BeginEpoch(ctx context.Context) (name string, entries int, err error) {
	own, err := db.unhurried()
	if err != nil {
		return "", 0, fmt.Errorf("beginning an epoch: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, own)
	if err != nil {
		return "", 0, fmt.Errorf("beginning an epoch: %w", Classify(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `INSERT INTO epochs (name, log_seq)
			SELECT to_char(greatest(clock_timestamp(), (SELECT max(began_at) FROM epochs) + interval '1 second') AT TIME ZONE 'UTC',
				'YYYYMMDD"T"HH24MISSMS"Z"-') || left(replace(gen_random_uuid()::text, '-', ''), 12), coalesce(max(seq), 0)
			FROM chunk_log RETURNING name`).Scan(&name); err != nil {
			return err
		}
		told, err := tx.Exec(ctx, `UPDATE chunk_log SET published = false`)
		if err != nil {
			return err
		}
		entries = int(told.RowsAffected())
		_, err = tx.Exec(ctx, `UPDATE chunk_vectors SET pushed_rev = 0`)
		return err
	})
	if err != nil {
		return "", 0, fmt.Errorf("beginning an epoch: %w", Classify(err))
	}
	return name, entries, nil
}

// Knows reports whether what an event says of a chunk can be so: its epoch is below the
// catalog's, which says anew whatever that said, or the log has this revision. Where it does
// not, the catalog is an older copy of the one that has told it.
func (db *DB) Knows(ctx context.Context, epoch, ref string, rev int64) (known bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT $1 COLLATE "C" < `+newestEpoch+` OR $1 = `+newestEpoch+` AND EXISTS (SELECT FROM chunk_log
		WHERE chunk_ref = $2 AND rev = $3)`, epoch, ref, rev).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("revision %d of %s: %w", rev, ref, Classify(err))
	}
	return known, nil
}
