package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Contradiction is a place where rows of the catalog do not agree.
type Contradiction struct {
	Where string // the row: its kind and its key
	What  string
	More  int // in the last one of a check that has found more than are returned: how many more
}

// maxContradictions of one check are returned, and the others counted.
const maxContradictions = 100

// Contradictions looks for rows that cannot be true together, of one document
// or, when documentID is "", of all. What has moved since before may be on its
// way still and is left out where that matters. At most 100 of a check are
// returned, each check sorted, and the others counted. What a row holds never ends
// it: a check that cannot be made of a row says so, and is made of all others. The
// error is for a database that does not answer.
func (db *DB) Contradictions(ctx context.Context, documentID string, before time.Time) ([]Contradiction, error) {
	tx, err := db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("contradictions: %w", Classify(err))
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if documentID == "" { // whole tables are read
		if _, err := tx.Exec(ctx, `SELECT set_config(name, '0', true) FROM unnest('{statement_timeout,idle_in_transaction_session_timeout}'::text[]) name`); err != nil {
			return nil, fmt.Errorf("contradictions: %w", Classify(err))
		}
	}
	var all []Contradiction
	for _, one := range checks() {
		found, err := one.apart(ctx, tx, documentID, before)
		if err != nil {
			return nil, fmt.Errorf("contradictions: %w", Classify(err))
		}
		all = append(all, found...)
	}
	return all, nil
}

// contradictions are queries that yield nothing in a sound catalog: the place
// and what is wrong there. $1 is a document or "", $2 the time before which a
// thing must have moved last to be looked at. What a row holds must not make one fail:
// a text is cast to nothing, and a number is a bigint before it is counted with.
func contradictions() []string {
	return slices.Concat(recordContradictions(), captureContradictions(), documentContradictions(), chunkContradictions(),
		stateContradictions(), logContradictions(), runContradictions(), ocrContradictions(), windowContradictions(),
		restContradictions(), enrichmentContradictions(), waitContradictions(), vectorContradictions(), identityContradictions(), boundContradictions())
}

func captureContradictions() []string {
	return []string{
		`SELECT 'capture ' || c.source_id || '/' || c.request_id, 'ended ' || c.outcome || ' with a snapshot that does not exist: ' || c.snapshot_id
		FROM captures c WHERE c.outcome IN ('stored', 'unchanged', 'duplicate') AND ($1 = '' OR c.document_id = $1)
		AND c.snapshot_id <> '' AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE s.snapshot_id = c.snapshot_id)`,

		`SELECT 'snapshot ' || s.snapshot_id, 'is to be processed and has no run' FROM snapshots s
		WHERE s.process AND s.created_at < $2 AND ($1 = '' OR s.document_id = $1)
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id)`,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, 'is ' || r.state || ' and has not moved since ' ||
			to_char(r.progress_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
		FROM runs r WHERE r.state IN ('queued', 'running') AND r.progress_at < $2 AND ($1 = '' OR r.document_id = $1)
			AND NOT ` + waitedFor,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, format('is %s with %s pages: %s processed, %s failed, %s pending of %s',
			r.state, p.n, p.processed, p.failed, p.n - p.processed - p.failed, r.page_count)
		FROM runs r CROSS JOIN LATERAL (SELECT count(*) AS n, count(*) FILTER (WHERE status = 'processed') AS processed,
			count(*) FILTER (WHERE status = 'failed') AS failed FROM pages p
			WHERE p.snapshot_id = r.snapshot_id AND p.extraction_id = r.extraction_id) p
		WHERE ($1 = '' OR r.document_id = $1) AND (
			r.state = 'done' AND (p.n <> r.page_count OR p.processed <> p.n)
			OR r.state = 'partial' AND (p.n <> r.page_count OR p.processed + p.failed <> p.n OR p.processed = 0 OR p.failed = 0)
			OR r.state = 'failed' AND r.reason = '')`,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, format('is %s with segments of %s ranges: %s pages processed, %s failed, of %s',
			r.state, g.n, g.processed, g.failed, r.page_count)
		FROM runs r CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(processed), 0) AS processed, coalesce(sum(failed), 0) AS failed
			FROM (SELECT DISTINCT ON (from_page) processed, failed FROM ir_segments g
			WHERE g.snapshot_id = r.snapshot_id AND g.extraction_id = r.extraction_id ORDER BY from_page, redo DESC) counting) g
		WHERE ($1 = '' OR r.document_id = $1) AND r.state IN ('done', 'partial')
		AND (g.n <> (greatest(r.page_count, 1)::bigint + 15) / 16 OR g.processed + g.failed <> r.page_count
			OR (r.state = 'done') <> (g.failed = 0))`,

		`SELECT 'run ' || r.snapshot_id || '/' || r.extraction_id, 'is ' || r.state || ' and has no manifest' FROM runs r
		WHERE ($1 = '' OR r.document_id = $1) AND r.state IN ('done', 'partial') AND NOT EXISTS (SELECT 1 FROM chunk_manifests m
			WHERE m.snapshot_id = r.snapshot_id AND m.extraction_id = r.extraction_id AND m.redo = r.redo)`,
	}
}

func chunkContradictions() []string {
	return []string{
		// One process makes the chunks of a version, in one transaction: all have keys, or none, which is of before.
		`SELECT 'chunk ' || c.chunk_ref, 'has no keys of its blocks, and others of its version have' FROM chunks c
		WHERE ($1 = '' OR c.document_id = $1) AND c.blocks IS NULL
		AND EXISTS (SELECT 1 FROM chunks o WHERE o.doc_hash = c.doc_hash AND o.generation = c.generation AND o.blocks IS NOT NULL)`,

		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, format('says %s chunks and has %s up to number %s',
			m.chunk_count, c.n, c.last)
		FROM chunk_manifests m CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(max(chunk_index), -1) AS last FROM chunks c
			WHERE c.doc_hash = m.doc_hash AND c.generation = m.generation) c
		WHERE ($1 = '' OR m.document_id = $1) AND (c.n <> m.chunk_count OR c.last <> m.chunk_count::bigint - 1)`,

		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, 'is the same as one that does not exist: ' || m.same_as
		FROM chunk_manifests m WHERE ($1 = '' OR m.document_id = $1) AND m.same_as <> '' AND NOT EXISTS (SELECT 1 FROM chunk_manifests o
			WHERE o.doc_hash = m.meta->>'` + metaSameDocHash + `' AND o.generation::text = m.meta->>'` + metaSameGeneration + `'
			AND o.document_id = m.document_id AND o.snapshot_id = m.same_as AND o.same_as = '' AND o.fingerprint = m.fingerprint
			AND o.extraction_id = m.extraction_id AND o.chunker_version = m.chunker_version AND o.header_version = m.header_version
			AND o.meta->>'` + model.MetaProposals + `' IS NOT DISTINCT FROM m.meta->>'` + model.MetaProposals + `')`,

		// A redo leaves the segments of before behind.
		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, format('says that %s pages failed, its segments %s', m.failed_pages, g.failed)
		FROM chunk_manifests m JOIN runs r ON r.snapshot_id = m.snapshot_id AND r.extraction_id = m.extraction_id
		CROSS JOIN LATERAL (SELECT coalesce(sum(failed), 0) AS failed FROM (SELECT DISTINCT ON (from_page) failed FROM ir_segments g
			WHERE g.snapshot_id = r.snapshot_id AND g.extraction_id = r.extraction_id AND g.redo <= m.redo ORDER BY from_page, redo DESC) counting) g
		WHERE ($1 = '' OR m.document_id = $1) AND r.state <> 'removed' AND m.failed_pages <> g.failed`,

		// Of manifests that say the same under the same facets the first, by the order of versions, has the chunks.
		`WITH m AS (SELECT m.*, s.retrieved_at, r.run_order, ROW(` + versionFacets + `) AS facets FROM chunk_manifests m JOIN snapshots s ON s.snapshot_id = m.snapshot_id
			JOIN runs r ON r.snapshot_id = m.snapshot_id AND r.extraction_id = m.extraction_id
			WHERE ($1 = '' OR m.document_id = $1) AND r.state <> 'removed')
		SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, CASE WHEN m.same_as = ''
			THEN 'has chunks although an earlier version says the same: ' ELSE 'is the same as a later version: ' END || o.snapshot_id
		FROM m JOIN m o ON o.document_id = m.document_id AND o.extraction_id = m.extraction_id AND o.fingerprint = m.fingerprint
			AND o.chunker_version = m.chunker_version AND o.header_version = m.header_version AND o.same_as = ''
			AND o.meta->>'` + model.MetaProposals + `' IS NOT DISTINCT FROM m.meta->>'` + model.MetaProposals + `'
		WHERE (m.same_as = '') = ((o.retrieved_at, o.snapshot_id COLLATE "C", o.run_order, o.generation)
			< (m.retrieved_at, m.snapshot_id COLLATE "C", m.run_order, m.generation))
		AND CASE WHEN m.same_as = '' THEN o.facets = m.facets ELSE o.snapshot_id = m.same_as END
		AND (o.doc_hash, o.generation) <> (m.doc_hash, m.generation)`,

		`SELECT 'chunk ' || c.chunk_ref, 'has no manifest' FROM chunks c WHERE ($1 = '' OR c.document_id = $1)
		AND NOT EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.doc_hash = c.doc_hash AND m.generation = c.generation)`,

		`SELECT 'chunk ' || c.chunk_ref, 'has no state' FROM chunks c WHERE ($1 = '' OR c.document_id = $1)
		AND NOT EXISTS (SELECT 1 FROM chunk_state s WHERE s.chunk_ref = c.chunk_ref)`,

		`SELECT 'vector of ' || v.chunk_ref || ' in ' || v.collection, 'names no chunk' FROM chunk_vectors v
		WHERE $1 = '' AND v.present AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.chunk_ref = v.chunk_ref)`,

		`SELECT 'vector of ' || v.chunk_ref || ' in ' || v.collection, CASE WHEN v.point_id <> c.point_id THEN 'has another point_id'
			WHEN v.present THEN 'is there although the chunk repeats another' ELSE 'is not there although the chunk stands' END
		FROM chunk_vectors v JOIN chunks c ON c.chunk_ref = v.chunk_ref JOIN chunk_state s ON s.chunk_ref = v.chunk_ref
		JOIN collections k ON k.name = v.collection AND k.state IN ('active', 'building')
		WHERE ($1 = '' OR c.document_id = $1) AND (v.point_id <> c.point_id
			OR v.pushed_rev = s.rev AND v.present <> (s.repeats = '') AND (v.present OR k.state = 'active'))`,
	}
}

func stateContradictions() []string {
	return []string{
		`SELECT 'state of ' || s.chunk_ref, format('has revision %s, and its log %s entries up to %s', s.rev, l.n, l.last)
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref CROSS JOIN LATERAL
			(SELECT count(*) AS n, coalesce(max(rev), 0) AS last FROM chunk_log l WHERE l.chunk_ref = s.chunk_ref) l
		WHERE ($1 = '' OR c.document_id = $1) AND (s.rev <> l.n OR s.rev <> l.last)`,

		`SELECT 'state of ' || s.chunk_ref, 'repeats ' || s.repeats || CASE WHEN o.chunk_ref IS NULL THEN ', which does not exist'
			ELSE ', which says something else' END
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref LEFT JOIN chunks o ON o.chunk_ref = s.repeats
		WHERE ($1 = '' OR c.document_id = $1) AND s.repeats <> ''
		AND (c.document_id, c.content_text_hash, c.record->'type', c.record->'status', c.record->'section_path', ` + chunkFacets + `) IS DISTINCT FROM
			(o.document_id, o.content_text_hash, o.record->'type', o.record->'status', o.record->'section_path', ` + otherFacets + `)`,

		// A chain of repeats begins with what repeats nothing; it is current as a
		// whole, in the layer of the version that is, or archived as a whole, and since
		// is its earliest date.
		`WITH RECURSIVE links AS MATERIALIZED (
			SELECT s.chunk_ref, s.repeats, s.since, s.layer, c.record->>'info_date' AS day, n.record->>'layer' AS now
			FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref
			LEFT JOIN documents d ON d.document_id = c.document_id AND d.current_doc_hash = c.doc_hash AND d.current_generation = c.generation
			LEFT JOIN snapshots n ON n.snapshot_id = d.current_snapshot_id
			WHERE $1 = '' OR c.document_id = $1),
		chain AS (SELECT chunk_ref, chunk_ref AS first FROM links WHERE repeats = ''
			UNION ALL SELECT l.chunk_ref, h.first FROM links l JOIN chain h ON l.repeats = h.chunk_ref WHERE l.repeats <> ''),
		whole AS (SELECT h.first, min(l.day COLLATE "C") AS since, coalesce(max(l.now), 'archive') AS layer
			FROM chain h JOIN links l ON l.chunk_ref = h.chunk_ref GROUP BY 1)
		SELECT 'state of ' || l.chunk_ref, CASE WHEN w.first IS NULL THEN 'its chain of repeats has no beginning'
			WHEN l.since <> w.since THEN 'is said since ' || l.since || ', its chain since ' || w.since
			ELSE 'is in layer ' || l.layer || ', and its document''s current version makes it ' || w.layer END
		FROM links l LEFT JOIN chain h ON h.chunk_ref = l.chunk_ref LEFT JOIN whole w ON w.first = h.first
		WHERE w.first IS NULL OR l.since <> w.since OR l.layer <> w.layer`,

		// What is in the archive, or repeats another, neither stands for a text nor points
		// to what does: a search without the archive would find neither.
		`SELECT 'state of ' || s.chunk_ref, 'is a duplicate although it ' ||
			CASE WHEN s.repeats <> '' THEN 'repeats ' || s.repeats ELSE 'is in the archive' END
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref
		WHERE ($1 = '' OR c.document_id = $1) AND s.duplicate_of <> ''
		AND (s.repeats <> '' OR s.layer = 'archive')`,

		`SELECT 'knowledge of ' || c.text_hash || ' (' || c.source_type || ')', CASE WHEN k.chunk_ref IS NULL
			THEN 'no chunk stands for it, and ' || c.chunk_ref || ' says it'
			WHEN s.duplicate_of = '' THEN k.chunk_ref || ' stands for it, and so does ' || c.chunk_ref
			ELSE k.chunk_ref || ' stands for it, and ' || c.chunk_ref || ' points to ' || s.duplicate_of END
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref
		LEFT JOIN knowledge k ON k.text_hash = c.text_hash AND k.source_type = c.source_type
		WHERE ($1 = '' OR c.document_id = $1) AND s.repeats = '' AND s.layer <> 'archive'
		AND k.chunk_ref IS DISTINCT FROM coalesce(nullif(s.duplicate_of, ''), s.chunk_ref)`,

		`SELECT 'knowledge of ' || k.text_hash || ' (' || k.source_type || ')', k.chunk_ref || ' stands for it, which ' ||
			CASE WHEN c.chunk_ref IS NULL THEN 'does not exist' WHEN (c.text_hash, c.source_type) <> (k.text_hash, k.source_type)
			THEN 'says something else' WHEN s.repeats <> '' THEN 'repeats ' || s.repeats
			WHEN s.duplicate_of <> '' THEN 'is a duplicate of ' || s.duplicate_of ELSE 'is in the archive' END
		FROM knowledge k LEFT JOIN chunks c ON c.chunk_ref = k.chunk_ref LEFT JOIN chunk_state s ON s.chunk_ref = k.chunk_ref
		WHERE ($1 = '' OR c.document_id = $1) AND (c.chunk_ref IS NULL OR (c.text_hash, c.source_type) <> (k.text_hash, k.source_type)
			OR s.repeats <> '' OR s.duplicate_of <> '' OR s.layer = 'archive')`,
	}
}
