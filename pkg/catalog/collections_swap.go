package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// CollectionStanding is a collection and how far it is.
type CollectionStanding struct {
	model.Collection
	Points int64 `json:"points"` // chunks that have their point in it
	Behind int64 `json:"behind"` // chunks that it does not hold as the record says; 0 of a retired one, which is not written
}

// CollectionsOf returns the collections of an alias: the active one first, then those that are
// building, then retired ones.
func (db *DB) CollectionsOf(ctx context.Context, alias string) ([]model.Collection, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+collectionColumns+` FROM collections WHERE alias = $1 ORDER BY state, name COLLATE "C"`, alias)
	if err != nil {
		return nil, fmt.Errorf("collections of %s: %w", alias, Classify(err))
	}
	all, err := pgx.CollectRows(rows, scanCollection)
	if err != nil {
		return nil, fmt.Errorf("collections of %s: %w", alias, Classify(err))
	}
	return all, nil
}

// Collections returns the collections of an alias, in the order of CollectionsOf, and how far
// they are. It reads the state of every chunk for each, in windows, so that no statement
// takes longer the more there are.
func (db *DB) Collections(ctx context.Context, alias string) ([]CollectionStanding, error) {
	all, err := db.CollectionsOf(ctx, alias)
	if err != nil {
		return nil, err
	}
	standings := make([]CollectionStanding, len(all))
	for i, k := range all {
		if standings[i], err = db.countCollection(ctx, k, swapWindow); err != nil {
			return nil, fmt.Errorf("how far collection %s is: %w", k.Name, Classify(err))
		}
	}
	return standings, nil
}

func (db *DB) countCollection(ctx context.Context, k model.Collection, window int) (CollectionStanding, error) {
	c := CollectionStanding{Collection: k}
	for after := ""; ; {
		var counted int
		var last string
		if err := db.pool.QueryRow(ctx, `SELECT count(*), coalesce(max(w.chunk_ref), '') FROM (SELECT s.chunk_ref FROM chunk_state s
			WHERE s.chunk_ref > $1 ORDER BY s.chunk_ref LIMIT $2) w`, after, window).Scan(&counted, &last); err != nil {
			return c, err
		}
		var points, behind int64
		if err := db.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE v.present), count(*) FILTER (WHERE v.pushed_rev IS DISTINCT FROM s.rev)
			FROM chunk_state s LEFT JOIN chunk_vectors v ON v.chunk_ref = s.chunk_ref AND v.collection = $1 AND v.chunk_ref > $2 AND v.chunk_ref <= $3
			WHERE s.chunk_ref > $2 AND s.chunk_ref <= $3`, k.Name, after, last).Scan(&points, &behind); err != nil {
			return c, err
		}
		if c.Points += points; k.State != model.CollectionRetired {
			c.Behind += behind
		}
		if counted < window {
			return c, nil
		}
		after = last
	}
}

// swapWindow is how many chunks one question compares whether a collection that is building
// holds them. One question for all of them took 9 s at a million chunks on two busy cores:
// longer than a statement may at a few millions.
const swapWindow = 100_000

// BehindCollection asks of the next chunks that the active collection holds, after a
// chunk_ref ("" is before all), whether a collection that is building holds them as the
// record says. It goes on until it finds some that it does not hold, and returns how many
// of some thousand these are, and a chunk_ref that all which is held comes before: what is held
// once stays so, since both are written together. 0 says that it holds all, or is not building.
func (db *DB) BehindCollection(ctx context.Context, alias, name, after string) (behind int64, held string, err error) {
	var building bool
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM collections WHERE alias = $1 AND name = $2 AND state = 'building')`, alias, name).Scan(&building)
	if err == nil && !building { // to activate it says why not
		return 0, after, nil
	}
	if err == nil {
		behind, held, err = behindCollection(ctx, db.pool, alias, name, after, swapWindow)
	}
	if err != nil {
		return 0, after, fmt.Errorf("comparing collection %s with the active one: %w", name, Classify(err))
	}
	return behind, held, nil
}

func behindCollection(ctx context.Context, q querier, alias, name, after string, window int) (behind int64, held string, err error) {
	const active = `(SELECT a.name FROM collections a WHERE a.alias = $1 AND a.state = 'active')`
	for {
		var compared int
		var last string
		if err := q.QueryRow(ctx, `SELECT count(*), coalesce(max(w.chunk_ref), '') FROM (SELECT v.chunk_ref FROM chunk_vectors v
			WHERE v.collection = `+active+` AND v.chunk_ref > $2 ORDER BY v.chunk_ref LIMIT $3) w`, alias, after, window).Scan(&compared, &last); err != nil {
			return 0, after, err
		}
		// Each table is bounded by the window for itself: else all of it is read for each. One that
		// was given up has no point.
		err := q.QueryRow(ctx, `SELECT count(*) FROM chunk_vectors o
			JOIN chunk_state s ON s.chunk_ref = o.chunk_ref AND s.rev = o.pushed_rev AND s.chunk_ref > $3 AND s.chunk_ref <= $4
			LEFT JOIN chunk_vectors n ON n.chunk_ref = o.chunk_ref AND n.collection = $2 AND n.chunk_ref > $3 AND n.chunk_ref <= $4
			WHERE o.collection = `+active+` AND o.chunk_ref > $3 AND o.chunk_ref <= $4
			AND (n.pushed_rev IS DISTINCT FROM s.rev OR o.present AND NOT n.present)`, alias, name, after, last).Scan(&behind)
		if err != nil || behind > 0 {
			return behind, after, err
		}
		if compared < window {
			return 0, after, nil
		}
		after = last
	}
}

// ActivateCollection makes a collection that is building the one that is searched, and
// retires the one that was, when it holds all that the active one holds as the record
// says: what is in neither is under way to both. behind is how many chunks it was found not
// to hold, as BehindCollection counts; then, and only then, nothing has changed. A collection
// that is active already stays it. Errors: ErrNotFound for one that is not building.
func (db *DB) ActivateCollection(ctx context.Context, alias, name string) (behind int64, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("alias", alias)); err != nil {
			return err
		}
		var state model.CollectionState
		err := tx.QueryRow(ctx, `SELECT state FROM collections WHERE alias = $1 AND name = $2`, alias, name).Scan(&state)
		if err != nil || state == model.CollectionActive {
			return err
		}
		if state != model.CollectionBuilding {
			return fault.Permanent(fault.Internal, fmt.Errorf("it is %s: start an indexer with its model first", state))
		}
		if behind, _, err = behindCollection(ctx, tx, alias, name, "", swapWindow); err != nil || behind > 0 {
			return err
		}
		// One after the other: an alias has one active collection at most. What was pushed to
		// both is noted under the one that is searched.
		if _, err := tx.Exec(ctx, `UPDATE chunk_manifests SET last_pushed_collection = $2, updated_at = now()
			WHERE last_pushed_collection IN (SELECT name FROM collections WHERE alias = $1 AND state = 'active')`, alias, name); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE collections SET state = 'retired' WHERE alias = $1 AND state = 'active'`, alias); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE collections SET state = 'active' WHERE name = $1`, name)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("activating collection %s: %w", name, Classify(err))
	}
	return behind, nil
}

// RetireCollection ends that a collection which is building is written; one that is retired stays
// so. An indexer with its model takes it up again when it starts or looks next. Errors:
// ErrNotFound for one that is not there, and a permanent one for the one that is searched.
func (db *DB) RetireCollection(ctx context.Context, alias, name string) error {
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, db.lockKey("alias", alias)); err != nil {
			return err
		}
		var state model.CollectionState
		if err := tx.QueryRow(ctx, `SELECT state FROM collections WHERE alias = $1 AND name = $2`, alias, name).Scan(&state); err != nil {
			return err
		}
		if state == model.CollectionActive {
			return fault.Permanent(fault.Internal, errors.New("it is the one that is searched"))
		}
		_, err := tx.Exec(ctx, `UPDATE collections SET state = 'retired' WHERE name = $1`, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("retiring collection %s: %w", name, Classify(err))
	}
	return nil
}

// ForgetCollection deletes what is recorded of a retired collection, and at last the
// collection's own row. Its points must be gone before. Broken off it may be repeated.
func (db *DB) ForgetCollection(ctx context.Context, alias, name string) error {
	for {
		left, err := db.forgetVectors(ctx, alias, name, swapWindow)
		if err != nil {
			return fmt.Errorf("forgetting collection %s: %w", name, Classify(err))
		}
		if !left {
			return nil
		}
	}
}

// forgetVectors deletes what is recorded of a window of the chunks of a retired collection,
// and its own row with the last of them. left says that there is more.
func (db *DB) forgetVectors(ctx context.Context, alias, name string, window int64) (left bool, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if err := holdCollection(ctx, tx, db.lockKey("collection", name)); err != nil {
			return err
		}
		var one int
		if err := tx.QueryRow(ctx, `SELECT 1 FROM collections WHERE alias = $1 AND name = $2 AND state = 'retired' FOR UPDATE`, alias, name).Scan(&one); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM chunk_vectors WHERE collection = $1 AND chunk_ref IN (
			SELECT chunk_ref FROM chunk_vectors WHERE collection = $1 LIMIT $2)`, name, window)
		if err != nil {
			return err
		}
		if left = tag.RowsAffected() == window; left {
			return nil
		}
		_, err = tx.Exec(ctx, `DELETE FROM collections WHERE alias = $1 AND name = $2`, alias, name)
		return err
	})
	return left, err
}
