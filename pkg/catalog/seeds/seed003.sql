-- The tables of seeds#knowledge, as views for people who know them: their names, columns
-- and types, of the rows of today. Tables without a schema are the catalog's. None can be
-- written through: each has a second table, which makes a view one that cannot be.

-- Of a document one row, by the uuid of the sha256 of its id.
CREATE VIEW seed003.sources AS
SELECT left(encode(sha256(d.document_id::bytea), 'hex'), 32)::uuid AS id,
    d.external_id,
    nullif(d.fingerprint, '') AS fingerprint,
    nullif(d.source_type, '') AS source_type,
    nullif(d.domain, '') AS domain,
    nullif(d.territory, '') AS territory,
    d.meta,
    d.last_seen_at,
    d.last_processed_at
FROM documents d LEFT JOIN staged_items i ON i.source_id = d.source_id AND i.external_digest = d.external_digest;

-- Of what is known one row: a chunk that neither repeats nor duplicates another. In the
-- archive a text is one row, too, and none where it stands outside of it, so that there is
-- one for each (text_hash, source_type).
CREATE VIEW seed003.knowledge_chunks AS
SELECT c.point_id AS id,
    left(encode(sha256(d.document_id::bytea), 'hex'), 32)::uuid AS source_id,
    c.text,
    c.text_hash,
    NULL::real[] AS embedding,
    c.record->>'type' AS type,
    c.record->>'status' AS status,
    c.source_type,
    nullif(c.record->>'domain', '') AS domain,
    nullif(c.record->>'territory', '') AS territory,
    CASE WHEN c.record->>'info_date' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' AND c.record->>'info_date' >= '0001'
        THEN (c.record->>'info_date')::date END AS info_date,
    s.layer,
    c.record->'meta' AS meta,
    c.created_at
FROM chunks c
JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
LEFT JOIN documents d ON d.document_id = c.document_id
WHERE s.repeats = '' AND s.duplicate_of = '' AND (s.layer <> 'archive'
    OR NOT EXISTS (SELECT FROM knowledge k WHERE k.text_hash = c.text_hash AND k.source_type = c.source_type)
    AND NOT EXISTS (SELECT FROM chunks o JOIN chunk_state t ON t.chunk_ref = o.chunk_ref
        WHERE o.text_hash = c.text_hash AND o.source_type = c.source_type AND o.chunk_ref < c.chunk_ref
            AND t.repeats = '' AND t.duplicate_of = ''));

-- Of a document that was made into chunks one row. post_id is the number that its source
-- gives it, where the source gives one (42, or forum:42).
CREATE VIEW seed003.staging AS
SELECT ('x' || left(encode(sha256(d.document_id::bytea), 'hex'), 15))::bit(60)::bigint AS id,
    substring(d.external_id from '^(?:[^/:]+:)?([0-9]{1,18})$')::bigint AS post_id,
    left(encode(sha256(d.document_id::bytea), 'hex'), 32)::uuid AS source_id,
    i.synced_at,
    d.external_id
FROM staged_items i JOIN documents d ON d.source_id = i.source_id AND d.external_digest = i.external_digest;
