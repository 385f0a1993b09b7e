package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

const manifestColumns = `doc_hash, generation, document_id, source_id, snapshot_id, extraction_id, redo, canonical_url,
	source_file, doc_type, chunk_count, status, error_message, same_as, fingerprint, segments_digest, chunker_version,
	header_version, meta, left_out, vector_status`

// insertedColumns are those, and what is noted for the order of versions alone.
const insertedColumns = manifestColumns + `, failed_pages`

// The keys of a manifest's meta that name the chunks of a version that has none
// of its own.
const (
	metaSameDocHash    = "same_as_doc_hash"
	metaSameGeneration = "same_as_generation"
)

// AddManifest inserts the manifest of a version.
func (t *DocumentTx) AddManifest(ctx context.Context, m model.Manifest, v model.Version) error {
	meta := m.Meta
	if !v.Own() {
		meta.SameDocHash, meta.SameGeneration = v.Chunks.DocHash, strconv.Itoa(v.Chunks.Generation)
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("manifest %s: %w", m.DocHash, err)
	}
	return t.tx.write(ctx, fmt.Sprintf("manifest %s, generation %d", m.DocHash, m.Generation), 1,
		`WITH added AS (INSERT INTO chunk_manifests (`+insertedColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) RETURNING *) `+
			bindManifest().inserted(`added b`, ``),
		m.DocHash, m.Generation, m.DocumentID, m.SourceID, m.SnapshotID, m.ExtractionID, m.Redo, m.CanonicalURL,
		m.SourceFile, m.DocType, m.ChunkCount, m.Status, m.ErrorMessage, m.SameAs, m.Fingerprint, m.SegmentsDigest,
		m.ChunkerVersion, m.HeaderVersion, string(raw), m.LeftOut, m.VectorStatus, v.FailedPages)
}

// TakeOver records that v, which has landed before later versions with its
// fingerprint, has their chunks: whatever named those that were taken, a
// manifest or the document, names those of v. They stay with their manifest.
func (t *DocumentTx) TakeOver(ctx context.Context, taken model.ChunkSet, v model.Version) error {
	_, err := t.tx.Exec(ctx, `UPDATE chunk_manifests SET same_as = $4, updated_at = now(), meta = meta ||
			jsonb_build_object('`+metaSameDocHash+`', $5::text, '`+metaSameGeneration+`', $6::integer::text)
		WHERE document_id = $1 AND (doc_hash = $2 AND generation = $3
			OR meta->>'`+metaSameDocHash+`' = $2 AND meta->>'`+metaSameGeneration+`' = $3::integer::text)`,
		t.documentID, taken.DocHash, taken.Generation, v.SnapshotID, v.Chunks.DocHash, v.Chunks.Generation)
	if err == nil {
		_, err = t.tx.Exec(ctx, `UPDATE documents SET current_doc_hash = $4, current_generation = $5, current_rev = current_rev + 1
			WHERE document_id = $1 AND current_doc_hash = $2 AND current_generation = $3`,
			t.documentID, taken.DocHash, taken.Generation, v.Chunks.DocHash, v.Chunks.Generation)
	}
	if err != nil {
		return fmt.Errorf("taking over %s, generation %d: %w", taken.DocHash, taken.Generation, err)
	}
	return nil
}

// RunManifest returns the newest manifest of a run at a redo, or ErrNotFound.
func (db *DB) RunManifest(ctx context.Context, snapshotID, extractionID string, redo int) (model.Manifest, error) {
	return runManifest(ctx, db.pool, snapshotID, extractionID, redo)
}

// RunManifest is that of DB, as the transaction sees it.
func (t *DocumentTx) RunManifest(ctx context.Context, snapshotID, extractionID string, redo int) (model.Manifest, error) {
	return runManifest(ctx, t.tx, snapshotID, extractionID, redo)
}

func runManifest(ctx context.Context, q querier, snapshotID, extractionID string, redo int) (model.Manifest, error) {
	var (
		m    model.Manifest
		meta []byte
	)
	err := q.QueryRow(ctx, `SELECT `+manifestColumns+` FROM chunk_manifests
		WHERE snapshot_id = $1 AND extraction_id = $2 AND redo = $3 ORDER BY generation DESC LIMIT 1`,
		snapshotID, extractionID, redo).Scan(&m.DocHash, &m.Generation, &m.DocumentID, &m.SourceID, &m.SnapshotID,
		&m.ExtractionID, &m.Redo, &m.CanonicalURL, &m.SourceFile, &m.DocType, &m.ChunkCount, &m.Status, &m.ErrorMessage,
		&m.SameAs, &m.Fingerprint, &m.SegmentsDigest, &m.ChunkerVersion, &m.HeaderVersion, &meta, &m.LeftOut, &m.VectorStatus)
	if err == nil {
		err = json.Unmarshal(meta, &m.Meta)
	}
	if err != nil {
		return model.Manifest{}, fmt.Errorf("manifest of %s/%s: %w", snapshotID, extractionID, Classify(err))
	}
	return m, nil
}

// orderedCaptures selects of the snapshots of the document $1 those that its order
// depends on: what was recorded only is a capture of the version before it, which is
// among them, and matters only at the end, where it says that no container is.
const orderedCaptures = `SELECT ` + capturedColumns + ` FROM snapshots WHERE document_id = $1 AND (process OR snapshot_kind = 'container'
	OR snapshot_id IN (SELECT m.snapshot_id FROM chunk_manifests m WHERE m.document_id = $1)
	OR snapshot_id = (SELECT n.snapshot_id FROM snapshots n WHERE n.document_id = $1 ORDER BY n.retrieved_at DESC, n.snapshot_id DESC LIMIT 1))`

// askHistory asks what the document's versions are decided by: those that have
// landed, in their order and without those that were taken down, its snapshots as
// far as they matter to the order, what is recorded as current, and the generation
// that the next manifest of a doc_hash has: 1 for the first.
func (t *DocumentTx) askHistory(docHash string, h *model.History) {
	t.tx.ask(`SELECT coalesce(max(generation), 0) + 1 FROM chunk_manifests WHERE doc_hash = $1`, docHash).QueryRow(
		func(row pgx.Row) error { return row.Scan(&h.Next) })
	askLanded(t.tx, t.documentID, &h.Landed)
	askCaptured(t.tx, t.documentID, &h.Captured)
	askCurrent(t.tx, t.documentID, &h.Recorded)
}

// askCaptured asks for the snapshots of a document that the order of its versions
// depends on.
func askCaptured(p *pipeline, documentID string, captured *[]model.Captured) {
	p.ask(orderedCaptures, documentID).Query(func(rows pgx.Rows) (err error) {
		*captured, err = pgx.CollectRows(rows, scanOneCaptured)
		return err
	})
}

func scanOneCaptured(row pgx.CollectableRow) (model.Captured, error) { return scanCaptured(row) }

// landedVersions selects the versions of documents that were made into chunks and
// not taken down, as scanVersion reads them. Where it was not noted how many pages a
// version lacks, a run that is partial says that there are some.
const landedVersions = `SELECT m.doc_hash, m.generation, m.snapshot_id, m.extraction_id, m.redo, s.retrieved_at,
		r.run_order, m.chunk_count, coalesce(m.failed_pages, CASE r.state WHEN 'partial' THEN 1 ELSE 0 END), m.fingerprint,
		r.parser_version, m.chunker_version, m.header_version, m.same_as,
		coalesce(m.meta->>'` + metaSameDocHash + `', m.doc_hash),
		CASE WHEN m.meta->>'` + metaSameGeneration + `' ~ '^[0-9]{1,9}$' THEN (m.meta->>'` + metaSameGeneration + `')::integer ELSE m.generation END,
		coalesce(s.record->>'layer', ''), ` + versionFacets + `, coalesce(m.meta->>'` + model.MetaProposals + `', ''), m.document_id
	FROM chunk_manifests m
	JOIN snapshots s ON s.snapshot_id = m.snapshot_id
	JOIN runs r ON r.snapshot_id = m.snapshot_id AND r.extraction_id = m.extraction_id
	WHERE r.state <> 'removed'`

// askLanded asks for the versions of a document that have landed, in their order.
func askLanded(p *pipeline, documentID string, landed *[]model.Version) {
	p.ask(landedOf, documentID).Query(func(rows pgx.Rows) (err error) {
		*landed, err = pgx.CollectRows(rows, scanLanded)
		return err
	})
}

// landedOf selects the versions of the document $1 that have landed, in their order.
const landedOf = landedVersions + ` AND m.document_id = $1 ORDER BY s.retrieved_at, s.snapshot_id COLLATE "C", r.run_order, m.generation`

func scanLanded(row pgx.CollectableRow) (model.Version, error) {
	var document string
	return scanVersion(row, &document)
}

func scanVersion(row pgx.Row, documentID *string) (v model.Version, err error) {
	f := &v.Facets
	err = row.Scan(&v.DocHash, &v.Generation, &v.SnapshotID, &v.ExtractionID, &v.Redo, &v.RetrievedAt,
		&v.RunOrder, &v.ChunkCount, &v.FailedPages, &v.Fingerprint, &v.ParserVersion, &v.ChunkerVersion, &v.HeaderVersion, &v.SameAs,
		&v.Chunks.DocHash, &v.Chunks.Generation, &v.Layer, &f.SourceType, &f.DocType, &f.Domain, &f.Territory, &f.Language, &v.Proposals, documentID)
	return v, err
}

// askCurrent asks what a document's row says that is current.
func askCurrent(p *pipeline, documentID string, r *model.Recorded) {
	p.ask(recordedOf, documentID).QueryRow(func(row pgx.Row) error { return scanRecorded(row, r) })
}

// recordedOf selects what scanRecorded reads of the document $1.
const recordedOf = `SELECT d.current_snapshot_id, d.current_extraction_id, d.current_doc_hash, d.current_generation, d.unsettled_at IS NOT NULL,
	` + undescribed + ` FROM documents d WHERE d.document_id = $1`

// undescribed says of a document d that its meta is not that of its current version: it is
// of before meta was written, or a build of before has made another version current.
const undescribed = `(d.current_snapshot_id <> '' AND d.meta->>'title' IS DISTINCT FROM d.title)`

func scanRecorded(row pgx.Row, r *model.Recorded) error {
	return row.Scan(&r.SnapshotID, &r.ExtractionID, &r.Chunks.DocHash, &r.Chunks.Generation, &r.Unsettled, &r.Undescribed)
}
