package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// complete says of run r whether every range has its segment, and every range
// that its redo asked for again has it from that redo. Ranges mostly come in in
// order, so that the last one answers for all until it is there: the rows that
// are counted grow with the document, not with its square.
const complete = `CASE
	WHEN NOT EXISTS (SELECT 1 FROM ir_segments g WHERE g.snapshot_id = r.snapshot_id AND g.extraction_id = r.extraction_id
		AND g.from_page = (greatest(r.page_count, 1) - 1) / $3 * $3 + 1) THEN false
	WHEN r.redo > 0 AND NOT EXISTS (SELECT 1 FROM ir_segments g WHERE g.snapshot_id = r.snapshot_id
		AND g.extraction_id = r.extraction_id AND g.redo = r.redo AND g.from_page = (SELECT max(w.from_page) FROM run_ranges w
			WHERE w.snapshot_id = r.snapshot_id AND w.extraction_id = r.extraction_id AND w.redo = r.redo)) THEN false
	ELSE (SELECT count(DISTINCT g.from_page) FROM ir_segments g WHERE g.snapshot_id = r.snapshot_id
			AND g.extraction_id = r.extraction_id) >= (greatest(r.page_count, 1) - 1) / $3 + 1
		AND NOT EXISTS (SELECT 1 FROM run_ranges w WHERE w.snapshot_id = r.snapshot_id
			AND w.extraction_id = r.extraction_id AND w.redo = r.redo
			AND NOT EXISTS (SELECT 1 FROM ir_segments g WHERE g.snapshot_id = r.snapshot_id
				AND g.extraction_id = r.extraction_id AND g.from_page = w.from_page AND g.redo = r.redo))
	END`

// RunStanding returns a run as it stands, whether all of its segments are in,
// and by which chunker it was made into chunks, if it was. It asks one statement,
// which is asked at every range; DocumentTx.RunParts is what counts. No such run
// is ErrNotFound. OFFSET 0 keeps what is asked twice from being computed twice.
func (db *DB) RunStanding(ctx context.Context, snapshotID, extractionID string) (model.RunStanding, error) {
	var (
		s   model.RunStanding
		raw []byte
	)
	err := db.pool.QueryRow(ctx, `SELECT `+runColumns+`, done, coalesce(m.chunker_version, ''), coalesce(m.header_version, ''),
			coalesce(m.meta->>'`+model.MetaProposals+`', ''), coalesce(m.meta->>'`+metaSameDocHash+`', m.doc_hash, ''),
			CASE WHEN m.meta->>'`+metaSameGeneration+`' ~ '^[0-9]{1,9}$' THEN (m.meta->>'`+metaSameGeneration+`')::integer ELSE coalesce(m.generation, 0) END,
			coalesce((SELECT e.digest FROM enrichments e WHERE e.snapshot_id = r.snapshot_id AND e.extraction_id = r.extraction_id
				AND e.redo = r.redo AND e.chunker_version = m.chunker_version), ''),
			CASE WHEN done OR r.state IN ('done', 'partial') THEN (SELECT n.record 
				FROM snapshots n WHERE n.snapshot_id = r.snapshot_id) END,
			EXISTS (SELECT 1 FROM documents d WHERE d.document_id = r.document_id AND d.unsettled_at IS NOT NULL)
		FROM (SELECT r.*, `+complete+` AS done FROM runs r WHERE r.snapshot_id = $1 AND r.extraction_id = $2 OFFSET 0) r
		LEFT JOIN LATERAL (SELECT chunker_version, header_version, meta, doc_hash, generation FROM chunk_manifests k
			WHERE k.snapshot_id = r.snapshot_id AND k.extraction_id = r.extraction_id AND k.redo = r.redo
			ORDER BY generation DESC LIMIT 1) m ON true`, snapshotID, extractionID, model.RangeSize).
		Scan(append(runFields(&s.Run), &s.Complete, &s.ChunkerVersion, &s.HeaderVersion,
			&s.Proposals, &s.Chunks.DocHash, &s.Chunks.Generation, &s.Proposed, &raw, &s.Unsettled)...)
	if err == nil && raw != nil {
		err = json.Unmarshal(raw, &s.Snapshot)
	}
	if err != nil {
		return s, fmt.Errorf("run %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	return s, nil
}

// RunResult returns what a run came to: its pages by the segments that count, and
// what was made of it, which is nothing when it has no manifest at its redo.
func (db *DB) RunResult(ctx context.Context, run model.Run) (model.RunResult, error) {
	var r model.RunResult
	err := db.pool.QueryRow(ctx, `SELECT n.processed, n.failed, coalesce(m.doc_hash, ''), coalesce(m.generation, 0),
			coalesce(m.chunk_count, 0)
		FROM (SELECT coalesce(sum(processed), 0) AS processed, coalesce(sum(failed), 0) AS failed
			FROM (SELECT DISTINCT ON (from_page) processed, failed FROM ir_segments
				WHERE snapshot_id = $1 AND extraction_id = $2 ORDER BY from_page, redo DESC) g) n
		LEFT JOIN LATERAL (SELECT doc_hash, generation, chunk_count FROM chunk_manifests
			WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 ORDER BY generation DESC LIMIT 1) m ON true`,
		run.SnapshotID, run.ExtractionID, run.Redo).Scan(&r.Processed, &r.Failed, &r.DocHash, &r.Generation, &r.ChunkCount)
	if err != nil {
		return r, fmt.Errorf("result of run %s/%s: %w", run.SnapshotID, run.ExtractionID, Classify(err))
	}
	return r, nil
}

// RangeWork returns what is needed to extract a range of a run, and its segment
// at the redo when there is one. No such run is ErrNotFound.
func (db *DB) RangeWork(ctx context.Context, snapshotID, extractionID string, from, redo int) (model.Run, model.Snapshot, *model.SegmentRow, error) {
	var (
		run     model.Run
		snap    model.Snapshot
		segment *model.SegmentRow
		raw     []byte
	)
	var b pgx.Batch
	b.Queue(`SELECT `+runColumns+`, (SELECT n.record FROM snapshots n WHERE n.snapshot_id = r.snapshot_id) FROM runs r
		WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(append(runFields(&run), &raw)...); err != nil {
			return err
		}
		return json.Unmarshal(raw, &snap)
	})
	b.Queue(`SELECT `+segmentColumns+` FROM ir_segments
		WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page = $3 AND redo = $4`,
		snapshotID, extractionID, from, redo).QueryRow(func(row pgx.Row) error {
		found, err := scanSegment(row)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		segment = &found
		return err
	})
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return run, snap, nil, fmt.Errorf("range %d of %s/%s: %w", from, snapshotID, extractionID, Classify(err))
	}
	return run, snap, segment, nil
}
