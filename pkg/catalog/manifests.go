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

// The keys of a manifest's meta that name the chunks of a version that has none
// of its own.
const (
	metaSameDocHash    = "same_as_doc_hash"
	metaSameGeneration = "same_as_generation"
)

// AddManifest inserts the manifest of a version.
func (t *DocumentTx) AddManifest(ctx context.Context, m model.Manifest, v model.Version) error {
	meta := make(map[string]string, len(m.Meta)+2)
	for k, value := range m.Meta {
		meta[k] = value
	}
	if !v.Own() {
		meta[metaSameDocHash], meta[metaSameGeneration] = v.Chunks.DocHash, strconv.Itoa(v.Chunks.Generation)
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("manifest %s: %w", m.DocHash, err)
	}
	return t.tx.write(ctx, fmt.Sprintf("manifest %s, generation %d", m.DocHash, m.Generation), 1,
		`INSERT INTO chunk_manifests (`+manifestColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		m.DocHash, m.Generation, m.DocumentID, m.SourceID, m.SnapshotID, m.ExtractionID, m.Redo, m.CanonicalURL,
		m.SourceFile, m.DocType, m.ChunkCount, m.Status, m.ErrorMessage, m.SameAs, m.Fingerprint, m.SegmentsDigest,
		m.ChunkerVersion, m.HeaderVersion, string(raw), m.LeftOut, m.VectorStatus)
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
		_, err = t.tx.Exec(ctx, `UPDATE documents SET current_doc_hash = $4, current_generation = $5
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

// Versions returns the document's versions in their order (contracts 12),
// without those that were taken down, and the generation that the next manifest
// of a doc_hash has: 1 for the first. It is what AskVersions was answered, where
// that has asked already.
func (t *DocumentTx) Versions(ctx context.Context, docHash string) (versions []model.Version, next int, err error) {
	t.AskVersions(docHash)
	if err := t.tx.flush(ctx); err != nil {
		return nil, 0, fmt.Errorf("versions of %s: %w", t.documentID, err)
	}
	return t.versions.all, t.versions.next, nil
}

// askedVersions is what Versions answers.
type askedVersions struct {
	docHash string
	all     []model.Version
	next    int
}

// AskVersions asks what Versions returns with the next question, so that it takes
// no way there and back of its own.
func (t *DocumentTx) AskVersions(docHash string) {
	if t.versions != nil && t.versions.docHash == docHash {
		return
	}
	v := &askedVersions{docHash: docHash}
	t.versions = v
	t.tx.ask(`SELECT coalesce(max(generation), 0) + 1 FROM chunk_manifests WHERE doc_hash = $1`, docHash).QueryRow(
		func(row pgx.Row) error { return row.Scan(&v.next) })
	t.tx.ask(`SELECT m.doc_hash, m.generation, m.snapshot_id, m.extraction_id, m.redo, s.retrieved_at,
			r.run_order, m.chunk_count, m.fingerprint, m.chunker_version, m.header_version, m.same_as,
			coalesce(m.meta->>'`+metaSameDocHash+`', m.doc_hash),
			coalesce((m.meta->>'`+metaSameGeneration+`')::integer, m.generation)
		FROM chunk_manifests m
		JOIN snapshots s ON s.snapshot_id = m.snapshot_id
		JOIN runs r ON r.snapshot_id = m.snapshot_id AND r.extraction_id = m.extraction_id
		WHERE m.document_id = $1 AND r.state <> 'removed'
		ORDER BY s.retrieved_at, s.snapshot_id COLLATE "C", r.run_order, m.generation`, t.documentID).Query(func(rows pgx.Rows) (err error) {
		v.all, err = pgx.CollectRows(rows, scanVersion)
		return err
	})
}

func scanVersion(row pgx.CollectableRow) (v model.Version, err error) {
	err = row.Scan(&v.DocHash, &v.Generation, &v.SnapshotID, &v.ExtractionID, &v.Redo, &v.RetrievedAt,
		&v.RunOrder, &v.ChunkCount, &v.Fingerprint, &v.ChunkerVersion, &v.HeaderVersion, &v.SameAs,
		&v.Chunks.DocHash, &v.Chunks.Generation)
	return v, err
}
