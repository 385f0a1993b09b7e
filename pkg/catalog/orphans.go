package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// UnnamedRaw returns those of the keys of captured bytes (contracts 4) that
// neither a snapshot names, by its content or its wire form, nor a request.
// Keys of another form are never among them.
func (db *DB) UnnamedRaw(ctx context.Context, keys []string) ([]string, error) {
	left, err := db.unnamed(ctx, `SELECT key FROM unnest($1::text[]) AS u(key)
		WHERE split_part(key, '/', 2) = 'sha256' AND split_part(key, '/', 4) <> '' AND NOT EXISTS (
			SELECT 1 FROM snapshots WHERE source_id = split_part(key, '/', 1)
			AND content_hash = 'sha256:' || split_part(key, '/', 4)) ORDER BY key`, keys)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	// Few are left: these two look through whole tables.
	return db.unnamed(ctx, `SELECT key FROM unnest($1::text[]) AS u(key) WHERE key NOT IN (
			SELECT source_id || '/sha256/' || substr(record->>'wire_hash', 8, 2) || '/' || substr(record->>'wire_hash', 8)
			FROM snapshots WHERE record->>'wire_hash' IS NOT NULL
			UNION ALL SELECT source_id || '/sha256/' || left(request->'object'->>'key', 2) || '/' || (request->'object'->>'key')
			FROM captures WHERE request->'object'->>'bucket' = 'raw')
		ORDER BY key`, left)
}

// UnnamedDerived returns those of the keys of IR segments, document facts
// and OCR results (contracts 4) that no row names: objects of a worker that was
// not the first. Keys of another form are never among them.
func (db *DB) UnnamedDerived(ctx context.Context, keys []string) ([]string, error) {
	return db.unnamed(ctx, `SELECT key FROM unnest($1::text[]) AS u(key)
		WHERE split_part(key, '/', 2) = 'ir' AND NOT EXISTS (SELECT 1 FROM ir_segments g
			WHERE g.extraction_id = split_part(key, '/', 3) AND g.snapshot_id = split_part(key, '/', 4) AND g.object_key = key)
		OR split_part(key, '/', 2) = 'facts' AND NOT EXISTS (SELECT 1 FROM runs r
			WHERE r.extraction_id = split_part(key, '/', 3)
			AND r.snapshot_id = split_part(split_part(key, '/', 4), '.', 1) AND r.facts_key = key)
		OR split_part(key, '/', 2) = 'ocr' AND NOT EXISTS (SELECT 1 FROM stored_results o
			WHERE o.kind = 'ocr' AND o.source_id = split_part(u.key, '/', 1)
			AND o.key = split_part(split_part(u.key, '/', 5), '.', 1) AND o.object_key = u.key)
		ORDER BY key`, keys)
}

func (db *DB) unnamed(ctx context.Context, query string, keys []string) ([]string, error) {
	rows, err := db.pool.Query(ctx, query, keys)
	if err != nil {
		return nil, fmt.Errorf("objects without a row: %w", Classify(err))
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("objects without a row: %w", Classify(err))
	}
	return left, nil
}
