-- So many documents (%[1]d), each with %[2]d chunks of 1.5 KB on as many quarters of pages, as the chain leaves
-- what is done: nothing of it is due, told again, or looked at by reconcile. Keys and texts
-- are hashes of numbers, so that indexes grow as with real ones.
SET search_path = colophon;
SET session_replication_role = replica;
SET synchronous_commit = off;
CREATE TEMPORARY TABLE d AS SELECT n, 'doc_' || substr(md5('d' || n), 1, 26) AS document_id, 'snap_' || substr(md5('s' || n), 1, 26) AS snapshot_id,
    encode(sha256(('h' || n)::bytea), 'hex') AS doc_hash, 'https://full.example/' || md5('u' || n) || '.pdf' AS url,
    substr(md5('e'), 1, 16) AS extraction_id, now() - n * interval '1 minute' AS at FROM generate_series(1, %[1]d) n;
INSERT INTO sources (source_id, state, record) VALUES ('full', 'active', '{"source_id":"full","name":"Full"}') ON CONFLICT DO NOTHING;
INSERT INTO captures (source_id, request_id, request_digest, request, url_canonical, outcome, snapshot_id, document_id, decided_at, announced_at)
    SELECT 'full', 'r' || n, md5('q' || n), jsonb_build_object('url', url, 'request_id', 'r' || n), url, 'stored', snapshot_id, document_id, at, at FROM d;
INSERT INTO documents (document_id, source_id, external_id, external_digest, canonical_url, slug, final_type, title, current_snapshot_id,
    current_extraction_id, current_doc_hash, current_generation, current_rev, source_type, domain, ingest_status, content_hash, fingerprint, language)
    SELECT document_id, 'full', url, sha256(url::bytea), url, md5(url), 'pdf', 'Document ' || n, snapshot_id, extraction_id, doc_hash, 1, 1,
    'official', 'civics', 'done', doc_hash, doc_hash, 'en' FROM d;
INSERT INTO snapshots (snapshot_id, document_id, source_id, content_hash, retrieved_at, snapshot_kind, final_type, process, version, reads_digest, record)
    SELECT snapshot_id, document_id, 'full', doc_hash, at, 'pdf', 'pdf', true, true, md5(url),
    jsonb_build_object('snapshot_id', snapshot_id, 'url', url, 'headers', repeat(md5(url), 20)) FROM d;
INSERT INTO runs (snapshot_id, extraction_id, source_id, document_id, state, page_count, run_order, parser_version, rules_digest, why,
    finished_at, announced_redo, annotated_redo)
    SELECT snapshot_id, extraction_id, 'full', document_id, 'done', %[2]d / 4, 1, '12', md5('rules'), 'capture', at, 0, 0 FROM d;
INSERT INTO pages (page_id, extraction_id, snapshot_id, page_no, status, content_hash, page_hash, record)
    SELECT md5(snapshot_id || p)::uuid, extraction_id, snapshot_id, p, 'processed', md5(url || p), md5(url || p),
    jsonb_build_object('page_no', p, 'ledger', repeat(md5(url), 10)) FROM d, generate_series(1, %[2]d / 4) p;
INSERT INTO ir_segments (snapshot_id, extraction_id, from_page, to_page, redo, object_key, digest, byte_length, processed, failed)
    SELECT snapshot_id, extraction_id, p, p + 15, 0, 'full/ir/' || md5(url || p), md5(url || p), 40000, 16, 0 FROM d, generate_series(1, %[2]d / 4, 16) p;
INSERT INTO chunk_manifests (doc_hash, generation, document_id, source_id, snapshot_id, extraction_id, redo, canonical_url, doc_type, chunk_count,
    status, fingerprint, segments_digest, chunker_version, header_version, vector_status)
    SELECT doc_hash, 1, document_id, 'full', snapshot_id, extraction_id, 0, url, 'pdf', %[2]d, 'done', doc_hash, doc_hash, '7', '1', 'present' FROM d;
CREATE TEMPORARY TABLE c AS SELECT d.*, i, doc_hash || ':' || i AS chunk_ref, md5(doc_hash || i)::uuid AS point_id,
    repeat(md5(doc_hash || i) || ' words of a page that was read ', 24) AS content FROM d, generate_series(0, %[2]d - 1) i;
INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id, text, content, text_hash,
    content_text_hash, source_type, provenance, record, blocks)
    SELECT chunk_ref, point_id, doc_hash, 1, i, document_id, 'full', snapshot_id, 'TYPE: fact' || content, content, encode(sha256(chunk_ref::bytea), 'hex'),
    encode(sha256(('c' || chunk_ref)::bytea), 'hex'), 'official',
    jsonb_build_object('segments', jsonb_build_array(md5(chunk_ref), repeat(md5(chunk_ref), 12))),
    jsonb_build_object('chunk_ref', chunk_ref, 'url', url, 'type', 'fact', 'status', 'under_review', 'language', 'en', 'title', 'Document ' || n, 'rest', repeat(md5(url), 25)),
    ARRAY[hashtextextended(chunk_ref, 1), hashtextextended(chunk_ref, 2), hashtextextended(chunk_ref, 3)] FROM c;
INSERT INTO chunk_state (chunk_ref, layer, since, rev) SELECT chunk_ref, 'hot', '2026-01-01', 1 FROM c;
INSERT INTO knowledge (text_hash, source_type, chunk_ref) SELECT encode(sha256(chunk_ref::bytea), 'hex'), 'official', chunk_ref FROM c;
INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo, published) SELECT chunk_ref, 1, 'created', 'capture', snapshot_id, extraction_id, 0, true FROM c;
INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
    SELECT chunk_ref, (SELECT name FROM collections WHERE state = 'active' LIMIT 1), point_id, 1, true FROM c;
INSERT INTO chunk_words (chunk_ref, words, blocks) SELECT chunk_ref, ARRAY[md5(chunk_ref), substr(md5(url), 1, 4), 'page', substr(md5(chunk_ref), 1, 3)],
    ARRAY[hashtextextended(chunk_ref, 1), hashtextextended(chunk_ref, 2), hashtextextended(chunk_ref, 3)] FROM c;
INSERT INTO bindings (kind, key, digest) SELECT 'log', chunk_ref || '/1', sha256(chunk_ref::bytea) FROM c;
DROP TABLE c, d;
RESET session_replication_role;
RESET synchronous_commit;
