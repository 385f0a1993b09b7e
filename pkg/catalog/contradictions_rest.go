package catalog

import "github.com/colophon-dev/colophon/pkg/model"

// windowContradictions hold the windows of URLs against the fetches that they are of.
func windowContradictions() []string {
	const window = `'window of ' || w.url_canonical || ' (' || w.source_id || ')'`
	return []string{
		`SELECT ` + window + `, CASE WHEN w.url_digest <> sha256(convert_to(w.url_canonical, 'UTF8')) THEN 'its digest is of another URL'
			ELSE 'says of what it was a fetch, and not of which snapshot' END
		FROM fetch_windows w WHERE ($1 = '' OR w.document_id = $1) AND (w.url_digest <> sha256(convert_to(w.url_canonical, 'UTF8'))
			OR w.snapshot_id = '' AND ((w.document_id, w.final_type) <> ('', '') OR w.last_fetch_at IS NOT NULL))`,

		`SELECT ` + window + `, 'nobody has asked for this URL' FROM fetch_windows w
		WHERE $1 = '' AND w.snapshot_id = '' AND NOT EXISTS (SELECT 1 FROM captures c
			WHERE c.source_id = w.source_id AND c.url_canonical = w.url_canonical)`,

		`SELECT ` + window + `, 'is not that of its last fetch' FROM fetch_windows w
		WHERE ($1 = '' OR w.document_id = $1) AND w.snapshot_id <> ''
		AND NOT EXISTS (SELECT 1 FROM captures c JOIN snapshots s ON s.snapshot_id = c.snapshot_id
			WHERE c.source_id = w.source_id AND c.snapshot_id = w.snapshot_id AND c.document_id = w.document_id
			AND c.outcome IN ('stored', 'unchanged') AND c.decided_at = w.last_fetch_at AND s.final_type = w.final_type
			AND w.url_canonical IN (c.url_canonical, s.record->>'url_canonical'))`,

		`SELECT 'capture ' || c.source_id || '/' || c.request_id, 'asked for a fetch, and there is no window of ' || c.url_canonical
		FROM captures c LEFT JOIN fetch_windows w ON w.source_id = c.source_id AND w.url_digest = sha256(convert_to(c.url_canonical, 'UTF8'))
		WHERE ($1 = '' OR c.document_id = $1) AND c.url_canonical <> '' AND ` + fetched + ` AND (c.outcome IN ('stored', 'unchanged') AND w.last_fetch_at IS NULL
			OR c.reason IN ('fetch_failed', 'fetch_refused') AND c.request->>'force' IS DISTINCT FROM 'true' AND w.url_digest IS NULL)`,
	}
}

// countedSince is the chunker_version from which on every manifest counts its pages.
const countedSince = "6"

// restContradictions hold what the other kinds leave out.
func restContradictions() []string {
	return []string{
		`SELECT 'capture ' || c.source_id || '/' || c.request_id, 'its request names ' || coalesce(c.request->>'source_id', 'no source') || '/' ||
			coalesce(c.request->>'request_id', 'no request') FROM captures c WHERE ($1 = '' OR c.document_id = $1)
		AND (c.source_id, c.request_id) IS DISTINCT FROM (c.request->>'source_id', c.request->>'request_id')`,

		`SELECT 'capture ' || c.source_id || '/' || c.request_id, 'is of container ' || coalesce(nullif(c.container, ''), 'none') ||
			', its snapshot of ' || coalesce(p.record->>'request_id', 'none')
		FROM captures c JOIN snapshots s ON s.snapshot_id = c.snapshot_id AND s.record->>'request_id' = c.request_id AND s.source_id = c.source_id
		LEFT JOIN snapshots p ON p.snapshot_id = s.record->>'parent_snapshot_id'
		WHERE ($1 = '' OR c.document_id = $1) AND c.container <> coalesce(p.record->>'request_id', '')`,

		`SELECT 'snapshot ' || s.snapshot_id, 'its document is not there: ' || s.document_id FROM snapshots s
		WHERE ($1 = '' OR s.document_id = $1) AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.document_id = s.document_id)`,

		`SELECT 'document ' || d.document_id, CASE WHEN n.at IS NULL THEN 'has no snapshot' WHEN d.meta <> '{}' AND d.current_snapshot_id = '' THEN 'has meta of no version'
			ELSE 'was seen first when no snapshot of it was recorded' END
		FROM documents d LEFT JOIN (SELECT document_id, array_agg(created_at) AS at FROM snapshots GROUP BY 1) n ON n.document_id = d.document_id
		WHERE ($1 = '' OR d.document_id = $1) AND (n.at IS NULL OR d.first_seen_at <> ALL (n.at) OR d.meta <> '{}' AND d.current_snapshot_id = '')`,

		`SELECT 'staged item of ' || i.document_id, CASE WHEN d.document_id IS NULL THEN 'is that of no document with chunks'
			ELSE 'is not synced although all vectors of its document are in' END
		FROM staged_items i LEFT JOIN documents d ON d.document_id = i.document_id AND d.source_id = i.source_id AND d.external_digest = i.external_digest
			AND EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.document_id = d.document_id AND m.chunk_count > 0)
		LEFT JOIN chunk_manifests m ON m.doc_hash = d.current_doc_hash AND m.generation = d.current_generation
		WHERE ($1 = '' OR i.document_id = $1)
		AND (d.document_id IS NULL OR i.synced_at IS NULL AND m.vector_status = 'present' AND m.updated_at < $2)`,

		`SELECT 'manifests of ' || m.doc_hash, 'their generations are not 1, 2, … but ' || string_agg(m.generation::text, ', ' ORDER BY m.generation)
		FROM chunk_manifests m WHERE $1 = '' OR m.document_id = $1 GROUP BY m.doc_hash
		HAVING min(m.generation) <> 1 OR max(m.generation) <> count(*)`,

		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, CASE WHEN r.state IS NULL THEN 'its run does not exist'
			WHEN m.redo > r.redo THEN 'is of a redo that was not asked for' WHEN m.same_as = '' THEN 'has meta that nothing writes'
			ELSE 'its meta is not that of a version that is the same as another' END
		FROM chunk_manifests m LEFT JOIN runs r ON r.snapshot_id = m.snapshot_id AND r.extraction_id = m.extraction_id
		WHERE ($1 = '' OR m.document_id = $1) AND (r.state IS NULL OR m.redo > r.redo OR CASE WHEN jsonb_typeof(m.meta) <> 'object' THEN true
			WHEN EXISTS (SELECT 1 FROM jsonb_each(m.meta) e WHERE jsonb_typeof(e.value)
				<> CASE WHEN e.key IN ('pages', 'tables', 'ocr_pages') THEN 'number' ELSE 'string' END) THEN true
			WHEN NOT m.meta ? 'pages' AND CASE WHEN m.chunker_version ~ '^[0-9]{1,9}$' THEN m.chunker_version::int >= ` + countedSince + ` END THEN true
			WHEN (m.meta ? 'pages') <> (m.meta ? 'tables') OR (m.meta ? 'pages') <> (m.meta ? 'ocr_pages') THEN true
			WHEN (m.meta ? '` + model.MetaProposals + `') <> (m.meta ? '` + model.MetaProposalsKey + `') THEN true
			WHEN m.meta ? '` + model.MetaProposals + `' AND NOT EXISTS (SELECT 1 FROM enrichments e WHERE e.snapshot_id = m.snapshot_id
				AND e.extraction_id = m.extraction_id AND e.redo = m.redo AND e.chunker_version = m.chunker_version
				AND e.digest = m.meta->>'` + model.MetaProposals + `' AND e.object_key = m.meta->>'` + model.MetaProposalsKey + `') THEN true
			WHEN (m.meta ? '` + model.MetaChunker + `') <> (m.meta ? '` + model.MetaChunkerWhy + `') THEN true
			WHEN m.same_as = '' THEN m.meta - ARRAY['pages', 'tables', 'ocr_pages', '` + model.MetaProposals + `', '` + model.MetaProposalsKey + `', '` + model.MetaChunker + `', '` + model.MetaChunkerWhy + `'] <> '{}'
			ELSE m.meta - ARRAY['pages', 'tables', 'ocr_pages', '` + model.MetaProposals + `', '` + model.MetaProposalsKey + `', '` + metaSameDocHash + `', '` + metaSameGeneration + `']
				- CASE WHEN m.chunk_count > 0 THEN ARRAY['` + model.MetaChunker + `', '` + model.MetaChunkerWhy + `'] ELSE ARRAY[]::text[] END <> '{}' END)`,

		`SELECT 'chunk ' || s.chunk_ref, 'has a state and does not exist' FROM chunk_state s
		WHERE $1 = '' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.chunk_ref = s.chunk_ref)`,

		`SELECT 'log of ' || l.chunk_ref || ', revision ' || l.rev, CASE WHEN c.chunk_ref IS NULL THEN 'is about no chunk' ELSE 'was never published' END
		FROM chunk_log l LEFT JOIN chunks c ON c.chunk_ref = l.chunk_ref
		WHERE ($1 = '' OR c.document_id = $1) AND (c.chunk_ref IS NULL OR NOT l.published AND l.at < $2)`,

		`SELECT 'vector of ' || v.chunk_ref || ' in ' || v.collection, CASE WHEN k.name IS NULL THEN 'is in a collection that is not registered'
			ELSE 'is of no chunk' END
		FROM chunk_vectors v LEFT JOIN collections k ON k.name = v.collection LEFT JOIN chunks c ON c.chunk_ref = v.chunk_ref
		WHERE ($1 = '' OR c.document_id = $1) AND (k.name IS NULL OR c.chunk_ref IS NULL)`,

		`SELECT 'vector of ' || s.chunk_ref || ' in ' || k.name, 'was never looked at' FROM chunk_state s
		JOIN chunks c ON c.chunk_ref = s.chunk_ref JOIN chunk_manifests m ON m.doc_hash = c.doc_hash AND m.generation = c.generation AND m.vector_status = 'present' AND m.updated_at < $2
		CROSS JOIN collections k WHERE ($1 = '' OR c.document_id = $1) AND k.state = 'active' AND k.created_at < $2
		AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk_ref = s.chunk_ref AND v.collection = k.name)`,

		`SELECT 'collections of ' || k.alias, count(*) || ' of them are active' FROM collections k WHERE $1 = '' AND k.state <> 'retired'
		GROUP BY k.alias HAVING count(*) FILTER (WHERE k.state = 'active') <> 1`,

		`SELECT 'collection ' || k.name, 'its state is ' || k.state FROM collections k
		WHERE $1 = '' AND k.state NOT IN ('active', 'building', 'retired')`,
	}
}

// vectorContradictions hold what manifests say of their vectors against these. One
// whose vectors moved a moment ago may not have been looked at since; nor one whose text
// has another chunk to stand for it since then, which is to be pushed.
func vectorContradictions() []string {
	return []string{
		`WITH RECURSIVE active AS (SELECT name FROM collections WHERE state = 'active'),
		own AS (SELECT s.chunk_ref, s.repeats AS next FROM chunk_state s),
		heads AS (SELECT o.chunk_ref, o.chunk_ref AS head FROM own o WHERE o.next = ''
			UNION ALL SELECT o.chunk_ref, h.head FROM heads h JOIN own o ON o.next = h.chunk_ref AND o.next <> ''),
		has AS (SELECT h.chunk_ref, coalesce(bool_or(v.present), false) AS has, max(v.pushed_at) AS at,
			coalesce(bool_or(EXISTS (SELECT 1 FROM chunk_log l WHERE l.chunk_ref = h.head AND l.at >= $2)), false) AS moves FROM heads h
			LEFT JOIN chunk_vectors v ON v.chunk_ref = h.head AND v.collection IN (SELECT name FROM active) GROUP BY 1),
		judged AS (SELECT c.doc_hash, c.generation, bool_and(coalesce(h.has, false)) AS every, bool_or(coalesce(h.has, false)) AS some, max(h.at) AS at, bool_or(h.moves) AS moves
			FROM chunks c LEFT JOIN has h ON h.chunk_ref = c.chunk_ref GROUP BY 1, 2)
		SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, CASE WHEN (m.vector_status = 'error') <> (m.error_message <> '')
			THEN 'its vectors are called ' || m.vector_status || ', and its error is: ' || coalesce(nullif(m.error_message, ''), 'none')
			ELSE 'its vectors are called ' || m.vector_status || ', and ' || CASE WHEN coalesce(j.every, true) THEN 'all'
				WHEN j.some THEN 'some' ELSE 'none' END || ' of its chunks have theirs' END
		FROM chunk_manifests m LEFT JOIN judged j ON j.doc_hash = m.doc_hash AND j.generation = m.generation
		WHERE ($1 = '' OR m.document_id = $1) AND m.updated_at < $2 AND coalesce(j.at < $2, true) AND coalesce(NOT j.moves, true) AND ((m.vector_status = 'error') <> (m.error_message <> '')
			OR m.vector_status <> 'error' AND EXISTS (SELECT 1 FROM active) AND m.vector_status <> CASE WHEN coalesce(j.every, true) THEN 'present'
				WHEN j.some THEN 'partial' ELSE 'none' END
			OR m.vector_status = 'error' AND coalesce(j.every, true))`,

		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, 'its vectors went to ' || coalesce(nullif(m.last_pushed_collection, ''), 'none')
			|| ' last, and chunks of it were pushed to ' || coalesce(v.collection, 'none')
		FROM chunk_manifests m LEFT JOIN LATERAL (SELECT v.collection FROM chunks c JOIN chunk_vectors v ON v.chunk_ref = c.chunk_ref AND v.pushed_rev > 0
			JOIN collections k ON k.name = v.collection AND k.state = 'active'
			WHERE c.doc_hash = m.doc_hash AND c.generation = m.generation LIMIT 1) v ON true
		WHERE ($1 = '' OR m.document_id = $1) AND m.vector_status <> 'error'
		AND CASE WHEN v.collection IS NOT NULL THEN m.last_pushed_collection <> v.collection AND m.updated_at < $2
			WHEN m.chunk_count = 0 THEN m.last_pushed_collection <> ''
			ELSE m.last_pushed_collection <> '' AND NOT EXISTS (SELECT 1 FROM collections k WHERE k.name = m.last_pushed_collection) END`,
	}
}
