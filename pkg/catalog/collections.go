package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const collectionColumns = `name, alias, model, dimensions, state`

func scanCollection(row pgx.CollectableRow) (model.Collection, error) {
	return pgx.RowToStructByPos[model.Collection](row)
}

// RegisterCollection records a collection and returns it as it stands: active
// when its alias has no active one yet, otherwise building. It may be repeated,
// also by several at once. A retired one is taken up again. A name that is
// known for other vectors is a permanent error.
func (db *DB) RegisterCollection(ctx context.Context, c model.Collection) (model.Collection, error) {
	var stands model.Collection
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		// Two of one alias must not both find that there is no active one.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("alias", c.Alias)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `INSERT INTO collections (`+collectionColumns+`)
			SELECT $1, $2, $3, $4, CASE WHEN EXISTS (SELECT 1 FROM collections WHERE alias = $2 AND state = 'active')
				THEN 'building' ELSE 'active' END
			ON CONFLICT (name) DO UPDATE SET state = CASE WHEN collections.state = 'retired' THEN EXCLUDED.state
				ELSE collections.state END
			RETURNING `+collectionColumns, c.Name, c.Alias, c.Model, c.Dimensions)
		if err != nil {
			return err
		}
		stands, err = pgx.CollectExactlyOneRow(rows, scanCollection)
		return err
	})
	if err != nil {
		return model.Collection{}, fmt.Errorf("registering collection %s: %w", c.Name, err)
	}
	if stands.Alias != c.Alias || stands.Model != c.Model || stands.Dimensions != c.Dimensions {
		return model.Collection{}, fault.Permanent(fault.Internal, fmt.Errorf(
			"collection %s is known as %s of %d dimensions behind %s, wanted %s of %d behind %s",
			c.Name, stands.Model, stands.Dimensions, stands.Alias, c.Model, c.Dimensions, c.Alias))
	}
	return stands, nil
}

// ActiveCollection returns the collection that readers of the alias search: its
// model is the one to embed questions with. ErrNotFound says that there is none
// yet.
func (db *DB) ActiveCollection(ctx context.Context, alias string) (model.Collection, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+collectionColumns+` FROM collections
		WHERE alias = $1 AND state = 'active'`, alias)
	if err != nil {
		return model.Collection{}, fmt.Errorf("active collection of %s: %w", alias, Classify(err))
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanCollection)
	if err != nil {
		return model.Collection{}, fmt.Errorf("active collection of %s: %w", alias, Classify(err))
	}
	return c, nil
}

// WrittenCollections returns the collections of an alias that are kept equal to
// the catalog: the active one first, then those that are building, by name.
func (db *DB) WrittenCollections(ctx context.Context, alias string) ([]model.Collection, error) {
	rows, err := db.pool.Query(ctx, writtenCollections, alias)
	if err != nil {
		return nil, fmt.Errorf("collections of %s: %w", alias, Classify(err))
	}
	collections, err := pgx.CollectRows(rows, scanCollection)
	if err != nil {
		return nil, fmt.Errorf("collections of %s: %w", alias, Classify(err))
	}
	return collections, nil
}

const writtenCollections = `SELECT ` + collectionColumns + ` FROM collections
	WHERE alias = $1 AND state IN ('active', 'building') ORDER BY state, name COLLATE "C"`

// CollectionsBefore returns all collections that were registered before a time, by
// name.
func (db *DB) CollectionsBefore(ctx context.Context, before time.Time) ([]model.Collection, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+collectionColumns+` FROM collections WHERE created_at < $1 ORDER BY name COLLATE "C"`, before)
	if err != nil {
		return nil, fmt.Errorf("collections: %w", Classify(err))
	}
	collections, err := pgx.CollectRows(rows, scanCollection)
	if err != nil {
		return nil, fmt.Errorf("collections: %w", Classify(err))
	}
	return collections, nil
}

// HasVectors reports whether some chunk is recorded to have a point in the
// collection.
func (db *DB) HasVectors(ctx context.Context, collection string) (bool, error) {
	var some bool
	err := db.pool.QueryRow(ctx, hasVectors, collection).Scan(&some)
	if err != nil {
		return false, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	return some, nil
}

const hasVectors = `SELECT EXISTS (SELECT 1 FROM chunk_vectors WHERE collection = $1 AND present)`

// resetWait is how long a reset waits for pushes to end before it asks to be
// deferred.
const resetWait = 10 * time.Second

// ResetVectors forgets what was pushed to a collection, when lost says that its
// points are gone: lost is asked while nobody pushes to it, in any process.
// Every chunk is due again then. The collection must be made after, not in
// between: nothing can be recorded as present while it is missing.
func (db *DB) ResetVectors(ctx context.Context, collection string, lost func(context.Context) (bool, error)) (reset bool, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if err := holdCollection(ctx, tx, db.lockKey("collection", collection)); err != nil {
			return err
		}
		if reset, err = lost(ctx); err != nil || !reset {
			return err
		}
		return forgetPoints(ctx, tx, collection, swapWindow)
	})
	if err != nil {
		return false, fmt.Errorf("resetting the vectors of %s: %w", collection, err)
	}
	return reset, nil
}

// forgetPoints deletes what was pushed to a collection, and takes back what manifests say of it if it
// is the one that is searched. No statement changes more than a window of rows, so that none
// takes as long as all would; all are one transaction, since nobody may push in between.
func forgetPoints(ctx context.Context, tx pgx.Tx, collection string, window int64) error {
	for after := ""; ; {
		var deleted int64
		if err := tx.QueryRow(ctx, `WITH gone AS (DELETE FROM chunk_vectors WHERE collection = $1 AND chunk_ref IN (
				SELECT chunk_ref FROM chunk_vectors WHERE collection = $1 AND chunk_ref > $2 ORDER BY chunk_ref LIMIT $3) RETURNING chunk_ref)
			SELECT count(*), coalesce(max(chunk_ref), '') FROM gone`, collection, after, window).Scan(&deleted, &after); err != nil {
			return err
		}
		if deleted < window {
			break
		}
	}
	for {
		tag, err := tx.Exec(ctx, `UPDATE chunk_manifests SET vector_status = 'none', updated_at = now()
			WHERE (doc_hash, generation) IN (SELECT doc_hash, generation FROM chunk_manifests
				WHERE vector_status IN ('present', 'partial') AND chunk_count > 0
				AND EXISTS (SELECT 1 FROM collections WHERE name = $1 AND state = 'active') LIMIT $2)`, collection, window)
		if err != nil || tag.RowsAffected() < window {
			return err
		}
	}
}

func holdCollection(ctx context.Context, tx pgx.Tx, key int64) error {
	if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, fmt.Sprint(resetWait.Milliseconds())); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, key)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "55P03" {
		return fault.Defer(0, fmt.Errorf("others push to the collection: %w", err))
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `SET LOCAL lock_timeout TO DEFAULT`)
	return err
}

// lockKey returns the key of an advisory lock: such locks are shared by all
// schemas of a database.
func (db *DB) lockKey(kind, name string) int64 {
	sum := sha256.Sum256([]byte(db.schema + "\x00" + kind + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
