package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// judgeLate looks again, for chunks whose vectors came or went, at the manifests of
// others that point to them and are not complete, and returns their documents. A
// manifest that was written and looked at while the vectors were not yet recorded
// is one that the record did not see either; now one of the two has seen the
// other. It is repeated with the push, so a crash before it loses nothing.
func (db *DB) judgeLate(ctx context.Context, alias string, refs []string, own manifestSet) (documents []string, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	late := make(manifestSet)
	if documents, err = peers(ctx, db.pool, refs, late, true); err == nil {
		for key := range own {
			delete(late, key)
		}
		if len(late) > 0 {
			err = db.pipelined(ctx, func(tx *pipeline) (err error) {
				p := pushTx{db: db, tx: tx}
				if p.collections, err = collect(ctx, tx, scanCollection, writtenCollections, alias); err != nil || len(p.collections) == 0 {
					return err
				}
				p.holdManifests(late.keys())
				p.judgeManifests(late.keys())
				return nil
			})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("looking at manifests that point to %d chunks: %w", len(refs), Classify(err))
	}
	return documents, nil
}

// waitsForVectors selects the documents among $1 whose item is staged while all
// vectors of their current manifest are in.
const waitsForVectors = ` FROM staged_items i, documents d
	JOIN chunk_manifests m ON m.doc_hash = d.current_doc_hash AND m.generation = d.current_generation
	WHERE d.document_id = ANY($1) AND m.vector_status = 'present'
	AND i.source_id = d.source_id AND i.external_digest = d.external_digest AND i.synced_at IS NULL`

// syncDocuments marks the documents' staged items synced whose current vectors
// are all in. It holds the documents' rows meanwhile, in a transaction of its
// own: the chunker, which holds them first, sets what is current and stages them
// again.
func (db *DB) syncDocuments(ctx context.Context, documents []string) error {
	rows, err := db.pool.Query(ctx, `SELECT d.document_id`+waitsForVectors, documents)
	if err != nil {
		return fmt.Errorf("documents to sync: %w", Classify(err))
	}
	waiting, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("documents to sync: %w", Classify(err))
	}
	if len(waiting) == 0 {
		return nil
	}
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, fmt.Sprint(syncWait.Milliseconds())); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT 1 FROM documents WHERE document_id = ANY($1)
			ORDER BY document_id COLLATE "C" FOR NO KEY UPDATE`, waiting)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "55P03" {
			return fault.Defer(busyDelay, fmt.Errorf("a document is held by another: %w", err))
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `WITH synced AS (
				UPDATE staged_items s SET synced_at = now() FROM (SELECT i.source_id, i.external_digest, d.document_id`+
			waitsForVectors+`) w WHERE s.source_id = w.source_id AND s.external_digest = w.external_digest
				RETURNING w.document_id)
			UPDATE documents d SET last_ingested_at = now() FROM synced WHERE d.document_id = synced.document_id`, waiting)
		return err
	})
	if err != nil {
		return fmt.Errorf("marking %d documents synced: %w", len(waiting), err)
	}
	return nil
}
