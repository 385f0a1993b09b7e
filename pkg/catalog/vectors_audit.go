package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// CountVectors returns how many chunks are recorded to have a point in the
// collection.
func (db *DB) CountVectors(ctx context.Context, collection string) (n int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM chunk_vectors WHERE collection = $1 AND present`, collection).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	return n, nil
}

// RecordedVectors returns what is recorded of the next limit chunks of a collection
// behind a chunk_ref, in their order. Fewer than limit means that there are no more.
func (db *DB) RecordedVectors(ctx context.Context, collection, after string, limit int) ([]model.RecordedVector, error) {
	rows, err := db.pool.Query(ctx, recordedVectors+` AND v.chunk_ref > $2 ORDER BY v.chunk_ref LIMIT $3`, collection, after, limit)
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	recorded, err := pgx.CollectRows(rows, pgx.RowToStructByPos[model.RecordedVector])
	if err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", collection, Classify(err))
	}
	return recorded, nil
}

const recordedVectors = `SELECT v.chunk_ref, v.point_id::text, v.present, v.pushed_rev = s.rev, s.layer, s.duplicate_of
	FROM chunk_vectors v JOIN chunk_state s ON s.chunk_ref = v.chunk_ref WHERE v.collection = $1`

// NobodysPoints returns those of the points of a collection that no chunk has
// there, or will have when what is due of it is pushed. A point whose id is a number is
// nobody's.
func (db *DB) NobodysPoints(ctx context.Context, collection string, ids []string) ([]string, error) {
	nobodys, err := nobodysPoints(ctx, db.pool, collection, ids)
	if err != nil {
		return nil, fmt.Errorf("points of %s: %w", collection, Classify(err))
	}
	return nobodys, nil
}

func nobodysPoints(ctx context.Context, q querier, collection string, ids []string) ([]string, error) {
	var uuids, numbers []string
	for _, id := range ids {
		if strings.Contains(id, "-") {
			uuids = append(uuids, id)
		} else {
			numbers = append(numbers, id)
		}
	}
	rows, err := q.Query(ctx, `SELECT u.id::text FROM unnest($2::uuid[]) AS u(id) WHERE NOT EXISTS (
			SELECT 1 FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
			LEFT JOIN chunk_vectors v ON v.chunk_ref = c.chunk_ref AND v.collection = $1
			WHERE c.point_id = u.id AND (v.chunk_ref IS NULL OR v.present OR v.pushed_rev <> s.rev))`, collection, uuids)
	if err != nil {
		return nil, err
	}
	nobodys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return append(numbers, nobodys...), err
}

// CorrectVectors looks again, while nobody pushes to the collection in any process,
// at chunks and points of which catalog and collection seem to say other things.
// wrong is told what is recorded of the chunks, as far as that is their newest state,
// and which of the points are nobody's; it removes these from the collection, and
// returns the chunks whose point is lost and those whose point is that of another
// state. Both are due again.
func (db *DB) CorrectVectors(ctx context.Context, collection string, refs, points []string,
	wrong func(ctx context.Context, recorded []model.RecordedVector, nobodys []string) (lost, stale []string, err error),
) error {
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		if err := holdCollection(ctx, tx, db.lockKey("collection", collection)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, recordedVectors+` AND v.chunk_ref = ANY($2) AND v.pushed_rev = s.rev`, collection, refs)
		if err != nil {
			return err
		}
		recorded, err := pgx.CollectRows(rows, pgx.RowToStructByPos[model.RecordedVector])
		if err != nil {
			return err
		}
		nobodys, err := nobodysPoints(ctx, tx, collection, points)
		if err != nil {
			return err
		}
		lost, stale, err := wrong(ctx, recorded, nobodys)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE chunk_vectors SET pushed_rev = 0, reconciled = 0
			WHERE collection = $1 AND chunk_ref = ANY($2)`, collection, stale); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM chunk_vectors WHERE collection = $1 AND chunk_ref = ANY($2)`, collection, lost); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE chunk_manifests m SET vector_status = 'partial', updated_at = now()
			FROM (SELECT DISTINCT doc_hash, generation FROM chunks WHERE chunk_ref = ANY($2)) c
			WHERE m.doc_hash = c.doc_hash AND m.generation = c.generation AND m.vector_status = 'present'
			AND EXISTS (SELECT 1 FROM collections WHERE name = $1 AND state = 'active')`, collection, lost)
		return err
	})
	if err != nil {
		return fmt.Errorf("correcting the vectors of %s: %w", collection, err)
	}
	return nil
}
