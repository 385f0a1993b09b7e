package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Buckets whose objects rows name (contracts#keys).
const (
	bucketRaw     = "raw"
	bucketDerived = "derived"
)

// asker is a connection or a transaction that is asked.
type asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// UnnamedRaw returns those of the keys of captured bytes (contracts#raw) that
// neither a snapshot names, by its content or its wire form, nor a request.
// Keys of another form are never among them.
func (db *DB) UnnamedRaw(ctx context.Context, keys []string) ([]string, error) {
	return db.unnamed(ctx, bucketRaw, keys)
}

// UnnamedDerived returns those of the keys of IR segments, document facts
// and OCR results (contracts#keys) that no row names: objects of a worker that was
// not the first. Keys of another form are never among them.
func (db *DB) UnnamedDerived(ctx context.Context, keys []string) ([]string, error) {
	return db.unnamed(ctx, bucketDerived, keys)
}

func (db *DB) unnamed(ctx context.Context, bucket string, keys []string) ([]string, error) {
	left, err := unnamed(ctx, db.pool, bucket, keys)
	if err != nil {
		return nil, fmt.Errorf("objects without a row: %w", Classify(err))
	}
	return left, nil
}

// AdoptObject is called by who found an object in its place and will name it in
// a row. When no row names it so far, orphan is true, DeleteOrphans leaves it
// alone from now on, and it may have been deleted just before: the caller looks
// whether it is there after this, and puts it again if not.
func (db *DB) AdoptObject(ctx context.Context, bucket, key string) (orphan bool, err error) {
	question := derivedUnnamed
	if bucket == bucketRaw {
		question = rawUnnamed
	}
	left, err := strays(ctx, db.pool, question, []string{key})
	switch {
	case err != nil:
		return false, fmt.Errorf("adopting %s/%s: %w", bucket, key, Classify(err))
	case len(left) == 0:
		return false, nil
	}
	err = db.pipelined(ctx, func(p *pipeline) error {
		p.ask(`SELECT pg_advisory_xact_lock($1)`, db.lockKey("object", bucket+"/"+key)).Fn = told
		p.ask(`INSERT INTO adopted_objects (bucket, key, at) VALUES ($1, $2, clock_timestamp())
			ON CONFLICT (bucket, key) DO UPDATE SET at = excluded.at`, bucket, key).Fn = told
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("adopting %s/%s: %w", bucket, key, err)
	}
	return true, nil
}

// told reads the answer of a statement that says nothing but whether it failed.
func told(results pgx.BatchResults) error {
	_, err := results.Exec()
	return err
}

// DeleteOrphans calls remove for those of the keys that no row names and nobody
// has adopted since before. Whoever adopts one of them meanwhile waits until it
// returns.
func (db *DB) DeleteOrphans(ctx context.Context, bucket string, keys []string, before time.Time, remove func(ctx context.Context, key string) error) (removed int, err error) {
	locks := make([]int64, len(keys))
	for i, key := range keys {
		locks[i] = db.lockKey("object", bucket+"/"+key)
	}
	slices.Sort(locks)
	err = db.pipelined(ctx, func(p *pipeline) error {
		for _, lock := range locks {
			p.queue(`SELECT pg_advisory_xact_lock($1)`, lock).Fn = told
		}
		left, err := unnamed(ctx, p, bucket, keys)
		if err != nil || len(left) == 0 {
			return err
		}
		left, err = strays(ctx, p, `SELECT key FROM unnest($1::text[]) AS u(key) WHERE NOT EXISTS (SELECT 1 FROM adopted_objects a
			WHERE a.bucket = $2 AND a.key = u.key AND a.at >= $3) ORDER BY key`, left, bucket, before)
		if err != nil {
			return err
		}
		for _, key := range left {
			if err := remove(ctx, key); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	if err != nil {
		return removed, fmt.Errorf("deleting objects without a row: %w", err)
	}
	return removed, nil
}

// ForgetAdopted lets go of what was adopted before: it is named by now, or never
// will be.
func (db *DB) ForgetAdopted(ctx context.Context, before time.Time) error {
	if _, err := db.pool.Exec(ctx, `DELETE FROM adopted_objects WHERE at < $1`, before); err != nil {
		return fmt.Errorf("adopted objects: %w", Classify(err))
	}
	return nil
}

const rawUnnamed = `SELECT key FROM unnest($1::text[]) AS u(key)
	WHERE split_part(key, '/', 2) = 'sha256' AND split_part(key, '/', 4) <> '' AND NOT EXISTS (
		SELECT 1 FROM snapshots WHERE source_id = split_part(key, '/', 1)
		AND content_hash = 'sha256:' || split_part(key, '/', 4)) ORDER BY key`

const derivedUnnamed = `SELECT key FROM unnest($1::text[]) AS u(key)
	WHERE split_part(key, '/', 2) = 'ir' AND NOT EXISTS (SELECT 1 FROM ir_segments g
		WHERE g.extraction_id = split_part(key, '/', 3) AND g.snapshot_id = split_part(key, '/', 4) AND g.object_key = key)
	OR split_part(key, '/', 2) = 'facts' AND NOT EXISTS (SELECT 1 FROM runs r
		WHERE r.extraction_id = split_part(key, '/', 3)
		AND r.snapshot_id = split_part(split_part(key, '/', 4), '.', 1) AND r.facts_key = key)
	OR split_part(key, '/', 2) = 'ocr' AND NOT EXISTS (SELECT 1 FROM stored_results o
		WHERE o.kind = 'ocr' AND o.source_id = split_part(u.key, '/', 1)
		AND o.key = split_part(split_part(u.key, '/', 5), '.', 1) AND o.object_key = u.key)
	OR split_part(key, '/', 2) = 'llm' AND NOT EXISTS (SELECT 1 FROM llm_answers a WHERE a.object_key = u.key)
	ORDER BY key`

func unnamed(ctx context.Context, q asker, bucket string, keys []string) ([]string, error) {
	if bucket == bucketDerived {
		return strays(ctx, q, derivedUnnamed, keys)
	}
	left, err := strays(ctx, q, rawUnnamed, keys)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	// Few are left: these two look through whole tables.
	return strays(ctx, q, `SELECT key FROM unnest($1::text[]) AS u(key) WHERE key NOT IN (
			SELECT source_id || '/sha256/' || substr(record->>'wire_hash', 8, 2) || '/' || substr(record->>'wire_hash', 8)
			FROM snapshots WHERE record->>'wire_hash' IS NOT NULL
			UNION ALL SELECT source_id || '/sha256/' || left(request->'object'->>'key', 2) || '/' || (request->'object'->>'key')
			FROM captures WHERE request->'object'->>'bucket' = 'raw')
		ORDER BY key`, left)
}

func strays(ctx context.Context, q asker, question string, args ...any) ([]string, error) {
	rows, err := q.Query(ctx, question, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
