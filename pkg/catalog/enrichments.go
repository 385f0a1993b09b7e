package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

const enrichmentColumns = `snapshot_id, extraction_id, redo, chunker_version, source_id, document_id, model, object_key, digest`

func scanEnrichment(row pgx.Row) (e model.Enrichment, err error) {
	err = row.Scan(&e.SnapshotID, &e.ExtractionID, &e.Redo, &e.ChunkerVersion, &e.SourceID, &e.DocumentID, &e.Model, &e.ObjectKey, &e.Digest)
	return e, err
}

const oneEnrichment = `SELECT ` + enrichmentColumns + ` FROM enrichments
	WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 AND chunker_version = $4`

// Enrichment returns what a model has proposed for the chunks of a run at a redo, or ErrNotFound.
func (db *DB) Enrichment(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) (model.Enrichment, error) {
	return enrichment(ctx, db.pool, snapshotID, extractionID, redo, chunkerVersion)
}

// Enrichment is that of DB, as the transaction sees it.
func (t *DocumentTx) Enrichment(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) (model.Enrichment, error) {
	return enrichment(ctx, t.tx, snapshotID, extractionID, redo, chunkerVersion)
}

func enrichment(ctx context.Context, q querier, snapshotID, extractionID string, redo int, chunkerVersion string) (model.Enrichment, error) {
	e, err := scanEnrichment(q.QueryRow(ctx, oneEnrichment, snapshotID, extractionID, redo, chunkerVersion))
	if err != nil {
		return e, fmt.Errorf("enrichment of %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	return e, nil
}

// PutEnrichment records what a model has proposed, unless another was first, and returns what counts. That no
// model was set gives way to what one says.
func (db *DB) PutEnrichment(ctx context.Context, e model.Enrichment) (counts model.Enrichment, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO enrichments (`+enrichmentColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (snapshot_id, extraction_id, redo, chunker_version) DO UPDATE SET model = EXCLUDED.model,
				object_key = EXCLUDED.object_key, digest = EXCLUDED.digest WHERE enrichments.digest = ''`,
			e.SnapshotID, e.ExtractionID, e.Redo, e.ChunkerVersion, e.SourceID, e.DocumentID, e.Model, e.ObjectKey, e.Digest); err != nil {
			return err
		}
		counts, err = scanEnrichment(tx.QueryRow(ctx, oneEnrichment, e.SnapshotID, e.ExtractionID, e.Redo, e.ChunkerVersion))
		return err
	})
	if err != nil {
		return counts, fmt.Errorf("enrichment of %s/%s: %w", e.SnapshotID, e.ExtractionID, err)
	}
	return counts, nil
}

// ChunkContents returns the contents of the chunks of one generation of a doc_hash, in their order.
func (db *DB) ChunkContents(ctx context.Context, docHash string, generation int) ([]model.Chunk, error) {
	rows, err := db.pool.Query(ctx, `SELECT record->>'language', content, content_text_hash FROM chunks
		WHERE doc_hash = $1 AND generation = $2 ORDER BY chunk_index`, docHash, generation)
	var chunks []model.Chunk
	if err == nil {
		chunks, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c model.Chunk, err error) {
			return c, row.Scan(&c.Language, &c.Content, &c.ContentTextHash)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("contents of %s, generation %d: %w", docHash, generation, Classify(err))
	}
	return chunks, nil
}

// unenriched says of run r that it has landed, and that its chunks are without what a model was to propose.
const unenriched = `r.state IN ('done', 'partial')
	AND coalesce(r.rules->>'enrich', (SELECT s.record->>'source_enrich' FROM snapshots s
		WHERE s.snapshot_id = r.snapshot_id AND r.rules IS NULL), '') <> ''
	AND EXISTS (SELECT 1 FROM (SELECT m.chunker_version, m.meta FROM chunk_manifests m WHERE m.snapshot_id = r.snapshot_id
			AND m.extraction_id = r.extraction_id AND m.redo = r.redo ORDER BY m.generation DESC LIMIT 1) m
		LEFT JOIN enrichments e ON e.snapshot_id = r.snapshot_id AND e.extraction_id = r.extraction_id AND e.redo = r.redo
			AND e.chunker_version = m.chunker_version
		WHERE coalesce(e.digest, '?') <> coalesce(m.meta->>'` + model.MetaProposals + `', ''))`

// UnenrichedRuns returns the runs that have ended, were announced and made no progress since before, of whose
// chunks a model was to be asked, and was not, or whose chunks are without what it proposed; the oldest first.
func (db *DB) UnenrichedRuns(ctx context.Context, before time.Time, p Page) ([]StuckRun, error) {
	return stuck(ctx, db, "runs", func(row pgx.CollectableRow) (r StuckRun, err error) {
		r.Run, err = scanRun(andRow{row, []any{&r.Redrives}})
		return r, err
	}, `SELECT `+runColumns+`, reconciled FROM runs r
		WHERE announced_redo >= redo AND progress_at < $1 AND reconciled <= $2 AND `+unenriched+`
		ORDER BY progress_at, snapshot_id, extraction_id LIMIT $3 OFFSET $4`, before, MaxRedrives, p.Limit, p.Offset)
}

// enrichmentContradictions hold rows of enrichments against their runs, manifests and answers.
func enrichmentContradictions() []string {
	return []string{
		`SELECT 'enrichment of ' || e.snapshot_id || '/' || e.extraction_id || ', redo ' || e.redo, CASE WHEN r.snapshot_id IS NULL THEN 'its run does not exist'
			WHEN r.source_id <> e.source_id OR r.document_id <> e.document_id THEN 'is not of the document of its run'
			WHEN e.redo > r.redo THEN 'is of a redo that was not asked for' WHEN e.digest = '' THEN 'names an object or a model, and no digest'
			ELSE 'no model has answered this' END
		FROM enrichments e LEFT JOIN runs r ON r.snapshot_id = e.snapshot_id AND r.extraction_id = e.extraction_id
		WHERE ($1 = '' OR e.document_id = $1) AND (r.snapshot_id IS NULL OR r.source_id <> e.source_id OR r.document_id <> e.document_id OR e.redo > r.redo
			OR NOT EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.snapshot_id = e.snapshot_id AND m.extraction_id = e.extraction_id AND m.redo = e.redo
				AND m.chunker_version = e.chunker_version) AND NOT EXISTS (SELECT 1 FROM enrichment_waits w WHERE w.snapshot_id = e.snapshot_id
				AND w.extraction_id = e.extraction_id AND w.redo = e.redo AND w.chunker_version = e.chunker_version)
			OR CASE WHEN e.digest = '' THEN e.object_key || e.model <> '' ELSE NOT EXISTS (SELECT 1 FROM llm_answers a WHERE a.source_id = e.source_id
				AND a.model = e.model AND a.object_key = e.object_key AND a.digest = e.digest) END)`,
	}
}
