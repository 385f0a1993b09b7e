-- +goose NO TRANSACTION
-- +goose Up
-- What the views of pkg/catalog/seeds are asked by, as their columns are made. Long texts
-- break a btree: those of addresses are hash indexes, which know equality alone. Nobody who
-- writes waits for them. A migration that was broken off leaves an index that is not valid:
-- it is made again.
-- +goose StatementBegin
DO $$
DECLARE
    broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid
        AND indrelid IN ('documents'::regclass, 'chunk_manifests'::regclass, 'runs'::regclass)
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_uuid ON documents ((left(encode(sha256(document_id::bytea), 'hex'), 32)::uuid));
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_number ON documents ((('x' || left(encode(sha256(document_id::bytea), 'hex'), 15))::bit(60)::bigint));
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_item ON documents ((substring(external_id from '^(?:[^/:]+:)?([0-9]{1,18})$')::bigint))
    WHERE substring(external_id from '^(?:[^/:]+:)?([0-9]{1,18})$')::bigint IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_external ON documents USING hash (external_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_url ON documents USING hash (canonical_url);
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_manifests_number ON chunk_manifests ((('x' || left(encode(sha256(doc_hash::bytea), 'hex'), 15))::bit(60)::bigint));
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_manifests_url ON chunk_manifests USING hash (canonical_url);
CREATE INDEX CONCURRENTLY IF NOT EXISTS runs_failed ON runs (snapshot_id) WHERE state = 'failed';

-- +goose Down
DROP INDEX IF EXISTS runs_failed, chunk_manifests_url, chunk_manifests_number, documents_url, documents_external, documents_item,
    documents_number, documents_uuid;
