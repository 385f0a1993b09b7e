package catalog

// written is a query's expression for how a record writes the time of a column:
// RFC 3339 in UTC without zeros at the end of the fraction.
func written(column string) string {
	return `regexp_replace(to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\.?0+$', '') || 'Z'`
}

// fetched says of the capture c that it was one of a URL which we have fetched.
const fetched = `c.container = '' AND NOT c.request ? 'object' AND NOT c.request ? 'warc'`

// recordContradictions hold requests, snapshots and their source together.
func recordContradictions() []string {
	return []string{
		`SELECT 'snapshot ' || s.snapshot_id, 'its columns are not those of its record' FROM snapshots s
		WHERE ($1 = '' OR s.document_id = $1 OR s.record->>'document_id' = $1)
		AND (s.snapshot_id, s.document_id, s.source_id, s.content_hash, s.snapshot_kind, s.final_type, ` + written("s.retrieved_at") + `)
		IS DISTINCT FROM (s.record->>'snapshot_id', s.record->>'document_id', s.record->>'source_id', s.record->>'content_hash',
			s.record->>'snapshot_kind', s.record->>'final_type', s.record->>'retrieved_at')`,

		// A container stands before its request is decided, and a container in it
		// before it has a request.
		`SELECT 'snapshot ' || s.snapshot_id, CASE WHEN c.request_id IS NULL THEN 'its request is not there: ' || (s.record->>'request_id')
			ELSE 'its request ended ' || coalesce(c.outcome, 'never') || ' with ' || coalesce(nullif(c.snapshot_id, ''), 'none') END
		FROM snapshots s LEFT JOIN captures c ON c.source_id = s.source_id AND c.request_id = s.record->>'request_id'
		WHERE ($1 = '' OR s.document_id = $1) AND CASE WHEN c.request_id IS NULL
			THEN s.snapshot_kind <> 'container' OR NOT s.record ? 'parent_snapshot_id'
			WHEN s.snapshot_kind = 'container' AND (c.outcome IS NULL OR c.outcome NOT IN ('stored', 'unchanged')) THEN false
			ELSE coalesce(c.outcome, '') NOT IN ('stored', 'unchanged')
				OR (c.snapshot_id, c.document_id) <> (s.snapshot_id, s.document_id) END`,

		`SELECT 'capture ' || c.source_id || '/' || c.request_id, 'ended ' || c.outcome || ' with a snapshot that is not its own: ' ||
			coalesce(nullif(c.snapshot_id, ''), 'none')
		FROM captures c LEFT JOIN snapshots s ON s.snapshot_id = c.snapshot_id
		WHERE ($1 = '' OR c.document_id = $1) AND c.outcome IN ('stored', 'unchanged', 'duplicate')
		AND CASE WHEN s.snapshot_id IS NULL THEN c.outcome = 'stored' AND c.snapshot_id = ''
			ELSE (c.source_id, c.document_id) <> (s.source_id, s.document_id)
				OR c.outcome = 'stored' AND s.record->>'request_id' IS DISTINCT FROM c.request_id END`,

		// What a request says of the time is what versions are ordered by. What we have
		// fetched ourselves has the time of its answer, which the decision binds with the
		// record, and no later one than the decision.
		`SELECT 'snapshot ' || s.snapshot_id, 'was retrieved at ' || coalesce(s.record->>'retrieved_at', 'no time') || ', and its request says ' ||
			coalesce(c.request->>'retrieved_at', ` + written("c.requested_at") + `)
		FROM snapshots s JOIN captures c ON c.source_id = s.source_id AND c.request_id = s.record->>'request_id'
		WHERE ($1 = '' OR s.document_id = $1)
		AND s.record->>'retrieved_at' IS DISTINCT FROM coalesce(c.request->>'retrieved_at', ` + written("c.requested_at") + `)
		AND NOT (` + fetched + ` AND s.retrieved_at <= coalesce(c.decided_at, 'infinity'))`,

		// A container's members are processed in its place. Of others what is stored
		// is processed; what is unchanged has the bytes of another one.
		`SELECT 'snapshot ' || s.snapshot_id, CASE WHEN s.process THEN 'is to be processed although '
			ELSE 'is not to be processed although ' END || CASE WHEN s.snapshot_kind = 'container' THEN 'it is a container'
			WHEN c.outcome = 'stored' THEN 'its request stored it' ELSE 'no other one has its bytes' END
		FROM snapshots s JOIN captures c ON c.source_id = s.source_id AND c.request_id = s.record->>'request_id'
		WHERE ($1 = '' OR s.document_id = $1) AND CASE WHEN s.snapshot_kind = 'container' THEN s.process
			WHEN c.outcome = 'stored' THEN NOT s.process
			WHEN c.outcome = 'unchanged' THEN NOT EXISTS (SELECT 1 FROM snapshots e WHERE e.document_id = s.document_id
				AND e.snapshot_id <> s.snapshot_id AND e.snapshot_kind <> 'container' AND e.content_hash = s.content_hash)
			ELSE false END`,

		`SELECT DISTINCT 'source ' || d.source_id, 'has documents and is not in the registry' FROM documents d
		WHERE ($1 = '' OR d.document_id = $1) AND NOT EXISTS (SELECT 1 FROM sources o WHERE o.source_id = d.source_id)`,

		`SELECT 'manifest ' || m.doc_hash || ', generation ' || m.generation, 'its columns are not those of its snapshot ' || m.snapshot_id
		FROM chunk_manifests m LEFT JOIN snapshots s ON s.snapshot_id = m.snapshot_id
		WHERE ($1 = '' OR m.document_id = $1)
		AND (m.document_id, m.source_id, m.canonical_url, m.source_file, m.doc_type, m.status) IS DISTINCT FROM
			(s.document_id, s.source_id, coalesce(s.record->>'url_canonical', ''), coalesce(s.record->>'filename', ''), s.final_type, 'done')`,
	}
}

// documentContradictions hold documents against what they repeat.
func documentContradictions() []string {
	return []string{
		`SELECT 'document ' || d.document_id, 'its columns are not those of its newest snapshot ' || n.snapshot_id
		FROM documents d JOIN LATERAL (SELECT snapshot_id, source_id, final_type, content_hash, record AS r FROM snapshots s
			WHERE s.document_id = d.document_id ORDER BY s.retrieved_at DESC, s.snapshot_id DESC LIMIT 1) n ON true
		WHERE ($1 = '' OR d.document_id = $1)
		AND (d.source_id, d.external_id, d.external_digest, d.slug, d.final_type, d.content_hash, d.canonical_url, d.content_type,
			d.source_type, d.domain, d.territory, d.etag, ` + written("d.last_modified") + `) IS DISTINCT FROM
			(n.source_id, n.r->>'external_id', sha256(convert_to(n.r->>'external_id', 'UTF8')), n.r->>'slug', n.final_type, n.content_hash,
			coalesce(n.r->>'url_canonical', ''), coalesce(n.r->>'content_type', ''), n.r->>'source_type', n.r->>'domain',
			n.r->>'territory', coalesce(n.r->>'etag', ''), n.r->>'last_modified')`,

		// Chunks of an earlier version that says the same have that one's title.
		`SELECT 'document ' || d.document_id, 'its fingerprint, title or language is not that of its current version'
		FROM documents d LEFT JOIN LATERAL (SELECT * FROM chunk_manifests m WHERE m.snapshot_id = d.current_snapshot_id
			AND m.extraction_id = d.current_extraction_id ORDER BY m.generation DESC LIMIT 1) m ON true
		WHERE ($1 = '' OR d.document_id = $1) AND (d.fingerprint <> coalesce(m.fingerprint, '')
			OR d.current_snapshot_id = '' AND (d.title, d.language) <> ('', '')
			OR m.same_as = '' AND m.chunk_count > 0 AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.doc_hash = m.doc_hash
				AND c.generation = m.generation AND c.record->>'title' = d.title AND coalesce(c.record->>'language', '') = d.language))`,

		// The status is how the newest capture has ended that has: a container as its request, others as
		// the newest run of their version.
		`SELECT 'document ' || d.document_id, 'is ' || d.ingest_status || ' while its newest run is ' || coalesce(r.state, 'none')
		FROM documents d LEFT JOIN LATERAL (` + newestEnding("d.document_id") + `) r ON true
		WHERE ($1 = '' OR d.document_id = $1)
		AND NOT EXISTS (SELECT 1 FROM runs o WHERE o.document_id = d.document_id AND o.state IN ('queued', 'running'))
		AND (d.ingest_status, d.error_message) <> (CASE WHEN r.state IS NULL THEN 'pending' WHEN r.state = 'failed' THEN 'error' ELSE 'done' END,
			CASE WHEN r.state = 'failed' THEN r.message ELSE '' END)`,

		`SELECT 'document ' || d.document_id, 'was made into chunks and was never staged' FROM documents d
		WHERE ($1 = '' OR d.document_id = $1)
		AND EXISTS (SELECT 1 FROM chunk_manifests m WHERE m.document_id = d.document_id AND m.chunk_count > 0)
		AND NOT EXISTS (SELECT 1 FROM staged_items i WHERE i.source_id = d.source_id AND i.external_digest = d.external_digest
			AND i.document_id = d.document_id)`,
	}
}

// logContradictions hold the log of chunks against their states, and what was
// pushed against both.
func logContradictions() []string {
	return []string{
		// The first revision makes a chunk, and only a run that was taken down removes one.
		`SELECT 'log of ' || l.chunk_ref || ', revision ' || l.rev, 'says ' || l.change || ' (' || l.cause || ')'
		FROM chunk_log l JOIN chunks c ON c.chunk_ref = l.chunk_ref WHERE ($1 = '' OR c.document_id = $1)
		AND CASE WHEN l.rev = 1 THEN l.change <> 'created' OR l.snapshot_id <> c.snapshot_id WHEN l.change = 'removed' THEN NOT EXISTS
			(SELECT 1 FROM runs r WHERE r.snapshot_id = c.snapshot_id AND r.state = 'removed') ELSE l.change <> 'superseded' END`,

		`SELECT 'log of ' || l.chunk_ref || ', revision ' || l.rev, 'says that it is replaced by what does not exist: ' || l.replaced_by
		FROM chunk_log l JOIN chunks c ON c.chunk_ref = l.chunk_ref WHERE ($1 = '' OR c.document_id = $1) AND l.replaced_by <> ''
		AND NOT EXISTS (SELECT 1 FROM chunks o WHERE o.chunk_ref = l.replaced_by)
		AND NOT EXISTS (SELECT 1 FROM snapshots o WHERE o.snapshot_id = l.replaced_by)`,

		`SELECT 'state of ' || s.chunk_ref, 'was changed by ' || s.changed_by || ', its log says by ' ||
			concat_ws('/', l.snapshot_id, l.extraction_id, l.redo)
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref JOIN chunk_log l ON l.chunk_ref = s.chunk_ref AND l.rev = s.rev
		WHERE ($1 = '' OR c.document_id = $1) AND s.changed_by <> concat_ws('/', l.snapshot_id, l.extraction_id, l.redo)`,

		// What a push failed for is said of its manifest; one that is building may lag as long as nobody fills it.
		`SELECT 'vector of ' || v.chunk_ref || ' in ' || v.collection, format('was pushed at revision %s, and the chunk is at %s', v.pushed_rev, s.rev)
		FROM chunk_vectors v JOIN chunk_state s ON s.chunk_ref = v.chunk_ref JOIN chunks c ON c.chunk_ref = v.chunk_ref
		JOIN chunk_manifests m ON m.doc_hash = c.doc_hash AND m.generation = c.generation
		JOIN chunk_log l ON l.chunk_ref = s.chunk_ref AND l.rev = s.rev
		JOIN collections k ON k.name = v.collection AND k.state IN ('active', 'building')
		WHERE ($1 = '' OR c.document_id = $1) AND (v.pushed_rev > s.rev OR v.pushed_rev < s.rev AND k.state = 'active' AND l.published AND l.at < $2
			AND v.pushed_at < $2 AND m.vector_status <> 'error')`,
	}
}
