-- The tables of seeds#store, as views for people who know them: their names, columns and
-- types, of the rows of today. Lengths of text are not bounded, so that nothing is cut.
-- Tables without a schema are the catalog's. None can be written through: each has a
-- second table, which makes a view one that cannot be.

-- Of a document one row, by the first 60 bits of the sha256 of its id.
CREATE VIEW seed004.document_catalog AS
SELECT ('x' || left(encode(sha256(d.document_id::bytea), 'hex'), 15))::bit(60)::bigint AS id,
    d.canonical_url::varchar AS canonical_url,
    nullif(d.content_type, '')::varchar AS content_type,
    d.final_type,
    d.last_modified,
    nullif(d.etag, '')::varchar AS etag,
    substr(nullif(d.content_hash, ''), 8)::varchar AS content_hash,
    nullif(d.title, '') AS title,
    nullif(d.host, '')::varchar AS domain,
    d.first_seen_at,
    d.last_checked_at,
    d.last_ingested_at,
    d.ingest_status::varchar AS ingest_status,
    nullif(d.error_message, '') AS error_message
FROM documents d LEFT JOIN staged_items i ON i.source_id = d.source_id AND i.external_digest = d.external_digest;

-- Of a doc_hash one row, by its first 60 bits: its newest generation, else its newest run
-- that is open or has failed.
CREATE VIEW seed004.chunk_manifest AS
SELECT ('x' || left(encode(sha256(m.doc_hash::bytea), 'hex'), 15))::bit(60)::bigint AS id,
    m.doc_hash::varchar AS doc_hash,
    m.canonical_url::varchar AS canonical_url,
    nullif(m.source_file, '')::varchar AS source_file,
    m.doc_type::varchar AS doc_type,
    m.chunk_count,
    m.status::varchar AS status,
    nullif(m.error_message, '') AS error_message,
    m.meta::text AS meta,
    m.created_at,
    m.updated_at,
    m.last_pushed_at,
    nullif(m.last_pushed_collection, '')::varchar AS last_pushed_collection,
    m.vector_status
FROM chunk_manifests m
WHERE NOT EXISTS (SELECT FROM chunk_manifests n WHERE n.doc_hash = m.doc_hash AND n.generation > m.generation)
UNION ALL
SELECT ('x' || left(encode(sha256(u.doc_hash::bytea), 'hex'), 15))::bit(60)::bigint, u.doc_hash, u.canonical_url, u.source_file, u.doc_type,
    0, u.status, u.error_message, u.meta, u.created_at, u.updated_at, NULL, NULL, 'none'
FROM (
    SELECT DISTINCT ON (doc_hash) o.* FROM (
        SELECT encode(sha256(convert_to('[' || to_json(s.source_id)::text || ',' || to_json(s.record->>'external_id')::text || ',"'
                    || to_char((s.record->>'last_modified')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '",'
                    || to_json(s.final_type)::text || ']', 'UTF8')), 'hex')::varchar AS doc_hash,
            coalesce(s.record->>'url_canonical', '')::varchar AS canonical_url,
            nullif(s.record->>'filename', '')::varchar AS source_file,
            s.final_type::varchar AS doc_type,
            r.status::varchar AS status,
            r.error_message,
            (CASE WHEN r.page_count > 0 THEN jsonb_build_object('pages', r.page_count) ELSE '{}' END)::text AS meta,
            r.created_at,
            r.updated_at
        FROM (
            SELECT snapshot_id, extraction_id, redo, page_count, created_at, progress_at AS updated_at,
                CASE state WHEN 'queued' THEN 'queued' ELSE 'processing' END AS status, NULL AS error_message
            FROM runs WHERE state IN ('queued', 'running')
            UNION ALL
            SELECT snapshot_id, extraction_id, redo, page_count, created_at, coalesce(finished_at, progress_at),
                'error', coalesce(nullif(message, ''), reason)
            FROM runs WHERE state = 'failed') r
        JOIN snapshots s ON s.snapshot_id = r.snapshot_id
        WHERE NOT EXISTS (SELECT FROM chunk_manifests m
            WHERE m.snapshot_id = r.snapshot_id AND m.extraction_id = r.extraction_id AND m.redo = r.redo)) o
    ORDER BY doc_hash, updated_at DESC) u
WHERE NOT EXISTS (SELECT FROM chunk_manifests m WHERE m.doc_hash = u.doc_hash);

-- Of a chunk of the newest generation of its doc_hash one row, by the number of its first
-- entry in the log of chunks.
CREATE VIEW seed004.chunk_store AS
SELECT l.seq AS id,
    c.doc_hash::varchar AS doc_hash,
    (c.record->>'chunk_id')::varchar AS chunk_id,
    c.chunk_index,
    c.text AS text_content,
    (c.record->>'tokens')::integer AS tokens,
    coalesce(c.record->'anchors', '[]')::text AS anchors,
    (c.record - '{chunk_ref,doc_hash,chunk_id,chunk_index,tokens,anchors,layer}'::text[]
        || jsonb_build_object('layer', s.layer, 'repeats', s.repeats, 'duplicate_of', s.duplicate_of))::text AS chunk_metadata,
    c.created_at
FROM chunks c
JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
JOIN chunk_log l ON l.chunk_ref = c.chunk_ref AND l.rev = 1
WHERE NOT EXISTS (SELECT FROM chunk_manifests n WHERE n.doc_hash = c.doc_hash AND n.generation > c.generation);
