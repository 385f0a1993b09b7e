package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// waitedFor says of run r, which is complete, that its version lands when a model has answered or a wait is over, and that neither is so.
const waitedFor = `EXISTS (SELECT 1 FROM enrichment_waits w WHERE w.snapshot_id = r.snapshot_id AND w.extraction_id = r.extraction_id
	AND w.redo = r.redo AND w.until > now() AND NOT EXISTS (SELECT 1 FROM enrichments e WHERE e.snapshot_id = w.snapshot_id
		AND e.extraction_id = w.extraction_id AND e.redo = w.redo AND e.chunker_version = w.chunker_version))`

// enrichmentStates yields a row for each run that a model was asked about or is to be: what is the matter with it. Where no source
// has ever wanted that no run is looked at.
const enrichmentStates = `SELECT CASE WHEN digest = '' THEN 'no model' ELSE 'answered' END FROM enrichments
	UNION ALL SELECT 'held' FROM runs r WHERE r.state IN ('queued', 'running') AND ` + waitedFor + `
	UNION ALL SELECT 'to come' FROM runs r WHERE (EXISTS (SELECT 1 FROM sources WHERE record->>'enrich' <> '') OR EXISTS (SELECT 1 FROM enrichments))
		AND ` + unenriched + ` AND NOT EXISTS (SELECT 1 FROM enrichments e WHERE e.snapshot_id = r.snapshot_id
		AND e.extraction_id = r.extraction_id AND e.redo = r.redo)`

// HoldForAnswer notes that the version of a run waits until a model has answered about its chunks to be, for at most limit
// from the first time that this is noted of the run at its redo, and returns whether it waits still. Repeated by another chunker, what is
// asked about is its.
func (t *DocumentTx) HoldForAnswer(ctx context.Context, run model.Run, chunkerVersion string, chunks []model.Chunk, limit time.Duration) (waits bool, err error) {
	contents := make([]heldContent, len(chunks))
	for i, c := range chunks {
		contents[i] = heldContent{c.Language, c.Content, c.ContentTextHash}
	}
	err = t.tx.QueryRow(ctx, `INSERT INTO enrichment_waits AS w
			(snapshot_id, extraction_id, redo, chunker_version, source_id, document_id, contents, until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8))
		ON CONFLICT (snapshot_id, extraction_id, redo) DO UPDATE SET chunker_version = EXCLUDED.chunker_version, contents = EXCLUDED.contents
		RETURNING until > clock_timestamp()`,
		run.SnapshotID, run.ExtractionID, run.Redo, chunkerVersion, run.SourceID, run.DocumentID, contents, limit.Seconds()).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("holding run %s/%s: %w", run.SnapshotID, run.ExtractionID, Classify(err))
	}
	return waits, nil
}

// heldContent is one of the contents of a row of enrichment_waits.
type heldContent struct {
	Language        string `json:"language"`
	Content         string `json:"content"`
	ContentTextHash string `json:"content_text_hash"`
}

// AnswerWait returns whether a run at its redo was held by a chunker of this version until a model has answered, and whether its wait is over.
func (t *DocumentTx) AnswerWait(ctx context.Context, run model.Run, chunkerVersion string) (held, over bool, err error) {
	rows, err := t.tx.Query(ctx, `SELECT until <= clock_timestamp() FROM enrichment_waits
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 AND chunker_version = $4`, run.SnapshotID, run.ExtractionID, run.Redo, chunkerVersion)
	var found []bool
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowTo[bool])
	}
	if err != nil {
		return false, false, fmt.Errorf("wait of run %s/%s: %w", run.SnapshotID, run.ExtractionID, Classify(err))
	}
	return len(found) > 0, len(found) > 0 && found[0], nil
}

// EndAnswerWaits forgets that versions of a snapshot were held.
func (t *DocumentTx) EndAnswerWaits(ctx context.Context, snapshotID string) error {
	if _, err := t.tx.Exec(ctx, `DELETE FROM enrichment_waits WHERE snapshot_id = $1`, snapshotID); err != nil {
		return fmt.Errorf("ending waits of %s: %w", snapshotID, Classify(err))
	}
	return nil
}

// CountDropped records what of a model's proposals did not stand in the chunks of a run, by reason.
func (t *DocumentTx) CountDropped(ctx context.Context, e model.Enrichment, dropped map[string]int) error {
	if dropped == nil {
		dropped = map[string]int{}
	}
	if _, err := t.tx.Exec(ctx, `UPDATE enrichments SET dropped = $5 WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 AND chunker_version = $4`,
		e.SnapshotID, e.ExtractionID, e.Redo, e.ChunkerVersion, dropped); err != nil {
		return fmt.Errorf("what was dropped of proposals for %s: %w", e.SnapshotID, Classify(err))
	}
	return nil
}

// HeldContents returns the contents of the chunks to be of a run that is held at a redo, made by a chunker of a version, in
// their order; none where it is held no more.
func (db *DB) HeldContents(ctx context.Context, snapshotID, extractionID string, redo int, chunkerVersion string) ([]model.Chunk, error) {
	rows, err := db.pool.Query(ctx, `SELECT contents FROM enrichment_waits WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3
		AND chunker_version = $4`, snapshotID, extractionID, redo, chunkerVersion)
	var found [][]byte
	if err == nil {
		found, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
	}
	var contents []heldContent
	if err == nil && len(found) > 0 {
		err = json.Unmarshal(found[0], &contents)
	}
	if err != nil {
		return nil, fmt.Errorf("what is asked about %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	chunks := make([]model.Chunk, len(contents))
	for i, c := range contents {
		chunks[i] = model.Chunk{Language: c.Language, Content: c.Content, ContentTextHash: c.ContentTextHash}
	}
	return chunks, nil
}

// HeldRuns returns the runs that are held until a model has answered and of which nothing was heard since before, the
// oldest first. However often they are moved, they are not given up: their wait ends.
func (db *DB) HeldRuns(ctx context.Context, before time.Time, p Page) ([]StuckRun, error) {
	return stuck(ctx, db, "runs", func(row pgx.CollectableRow) (r StuckRun, err error) {
		r.Run, err = scanRun(andRow{row, []any{&r.Redrives}})
		return r, err
	}, `SELECT `+runColumns+`, 0 FROM runs r
		WHERE r.state IN ('queued', 'running') AND r.progress_at < $1 AND `+waitedFor+`
			AND (SELECT created_at FROM enrichment_waits w WHERE w.snapshot_id = r.snapshot_id AND w.extraction_id = r.extraction_id AND w.redo = r.redo) < $1
		ORDER BY progress_at, snapshot_id, extraction_id LIMIT $2 OFFSET $3`, before, p.Limit, p.Offset)
}

// HeldRunMoved notes that a run that is held was asked about again.
func (db *DB) HeldRunMoved(ctx context.Context, snapshotID, extractionID string) error {
	return db.redriven(ctx, `UPDATE runs SET progress_at = now() WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID)
}

// waitContradictions hold rows of enrichment_waits against their runs.
func waitContradictions() []string {
	return []string{
		`SELECT 'wait of ' || w.snapshot_id || '/' || w.extraction_id || ', redo ' || w.redo, CASE WHEN r.snapshot_id IS NULL THEN 'its run does not exist'
			WHEN r.source_id <> w.source_id OR r.document_id <> w.document_id THEN 'is not of the document of its run'
			WHEN w.redo > r.redo THEN 'is of a redo that was not asked for'
			WHEN jsonb_typeof(w.contents) <> 'array' THEN 'asks about nothing' ELSE 'is of a version that has landed' END
		FROM enrichment_waits w LEFT JOIN runs r ON r.snapshot_id = w.snapshot_id AND r.extraction_id = w.extraction_id
		WHERE ($1 = '' OR w.document_id = $1) AND (r.snapshot_id IS NULL OR r.source_id <> w.source_id OR r.document_id <> w.document_id OR w.redo > r.redo
			OR jsonb_typeof(w.contents) <> 'array' OR w.redo = r.redo AND r.state IN ('done', 'partial'))`,
	}
}
