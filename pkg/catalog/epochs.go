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

// epochWindow is how many rows one transaction of BeginEpoch has told or written again: it
// holds their locks for some 0.3 s, where all of a million would be held for half a minute
// (docs/operations.md).
const epochWindow = 20_000

// BeginEpoch names this copy of the catalog anew, with what follows from it: every entry of
// the log is to be told again, and every point of a collection to be written again, with the
// vector that it has, however often reconcile had moved either (contracts#epoch). The name is
// higher than any before, also where the clock says otherwise. It is written last: one that was
// broken off has begun no epoch, and is done again. entries is how many are to be told.
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
	// A run that reconcile has given up is moved like any other. Not in one transaction with
	// what locks the log: a chunker writes to both.
	if _, err = conn.Exec(ctx, `UPDATE runs SET reconciled = 0 WHERE reconciled > 0`); err == nil {
		err = tellAgain(ctx, conn)
	}
	if err == nil {
		err = writeAgain(ctx, conn)
	}
	if err == nil {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			name, entries, err = nameEpoch(ctx, tx)
			return err
		})
	}
	if err != nil {
		return "", 0, fmt.Errorf("beginning an epoch: %w", Classify(err))
	}
	return name, entries, nil
}

// tellAgain has the entries of the log count as not published, in windows.
func tellAgain(ctx context.Context, conn *pgx.Conn) error {
	var last int64
	if err := conn.QueryRow(ctx, `SELECT coalesce(max(seq), 0) FROM chunk_log`).Scan(&last); err != nil {
		return err
	}
	for seq := int64(0); seq < last; seq += epochWindow {
		if _, err := conn.Exec(ctx, `UPDATE chunk_log SET published = false WHERE seq > $1 AND seq <= $2 AND published`, seq, seq+epochWindow); err != nil {
			return err
		}
	}
	return nil
}

// writeAgain has the points of all collections count as not written, in windows.
func writeAgain(ctx context.Context, conn *pgx.Conn) error {
	for after := ""; ; {
		var last *string
		err := conn.QueryRow(ctx, `WITH part AS (SELECT chunk_ref, collection FROM chunk_vectors WHERE chunk_ref > $1 ORDER BY chunk_ref LIMIT $2),
			written AS (UPDATE chunk_vectors v SET pushed_rev = 0, reconciled = 0 FROM part
				WHERE v.chunk_ref = part.chunk_ref AND (v.pushed_rev <> 0 OR v.reconciled <> 0))
			SELECT max(chunk_ref) FROM part`, after, epochWindow).Scan(&last)
		if err != nil || last == nil {
			return err
		}
		after = *last
	}
}

// nameEpoch writes the name down, and what somebody has published meanwhile as not published.
// It waits for who writes to the log, and holds others up until it is committed: so who marks
// entries as published afterwards knows that the epoch in which he has told them is over.
func nameEpoch(ctx context.Context, tx pgx.Tx) (name string, entries int, err error) {
	if _, err = tx.Exec(ctx, `LOCK TABLE chunk_log IN EXCLUSIVE MODE`); err != nil {
		return "", 0, err
	}
	if _, err = tx.Exec(ctx, `UPDATE chunk_log SET published = false WHERE published`); err != nil {
		return "", 0, err
	}
	err = tx.QueryRow(ctx, `INSERT INTO epochs (name, began_at, log_seq)
		SELECT to_char(at AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISSMS"Z"-') || left(replace(gen_random_uuid()::text, '-', ''), 12), at,
			(SELECT coalesce(max(seq), 0) FROM chunk_log)
		FROM (SELECT greatest(clock_timestamp(), (SELECT max(began_at) FROM epochs) + interval '1 second') AS at) now
		RETURNING name, (SELECT count(*) FROM chunk_log)`).Scan(&name, &entries)
	return name, entries, err
}

// Told is what an event says of a chunk.
type Told struct {
	Epoch, SourceID, ChunkRef string
	Rev                       int64
}

// UnknownRevision returns the first of what was told that this catalog cannot have told: it is
// of its epoch, and the log does not have the revision, or it is of a higher one. Then the
// catalog is an older copy of the one that has told it. What a lower epoch has told is void and
// says nothing. Where no name of an epoch shows that it is the same catalog, it counts only when
// its source is one of this one's: a bus may hold what others tell.
func (db *DB) UnknownRevision(ctx context.Context, told []Told) (unknown Told, found bool, err error) {
	var epochs, sources, refs []string
	var revs []int64
	for _, t := range told {
		epochs, sources, refs, revs = append(epochs, t.Epoch), append(sources, t.SourceID), append(refs, t.ChunkRef), append(revs, t.Rev)
	}
	var at int
	err = db.pool.QueryRow(ctx, `WITH now AS (SELECT `+newestEpoch+` COLLATE "C" AS epoch)
		SELECT coalesce(min(n), 0) FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS t(epoch, source_id, chunk_ref, rev, n), now
		WHERE (t.epoch > now.epoch OR t.epoch = now.epoch AND NOT EXISTS (SELECT FROM chunk_log l WHERE l.chunk_ref = t.chunk_ref AND l.rev = t.rev))
			AND (t.epoch IN (SELECT name FROM epochs WHERE name <> '') OR EXISTS (SELECT FROM sources s WHERE s.source_id = t.source_id))`,
		epochs, sources, refs, revs).Scan(&at)
	if err != nil {
		return unknown, false, fmt.Errorf("what was told of chunks: %w", Classify(err))
	}
	if at == 0 {
		return unknown, false, nil
	}
	return told[at-1], true, nil
}

// SourcesWithoutChunks returns those of the sources of which the catalog has no chunk, in any
// layer.
func (db *DB) SourcesWithoutChunks(ctx context.Context, sources []string) ([]string, error) {
	rows, err := db.pool.Query(ctx, `SELECT s FROM unnest($1::text[]) s
		WHERE NOT EXISTS (SELECT FROM documents d JOIN chunks c USING (document_id) WHERE d.source_id = s) ORDER BY s COLLATE "C"`, sources)
	if err != nil {
		return nil, fmt.Errorf("sources without chunks: %w", Classify(err))
	}
	without, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("sources without chunks: %w", Classify(err))
	}
	return without, nil
}
