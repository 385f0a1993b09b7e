-- +goose Up
-- The record of contracts 5. What is inserted once and never changed is kept
-- as a canonical JSON record beside the columns that are asked for; what
-- changes is columns.

CREATE TABLE sources (
    source_id  text PRIMARY KEY,
    state      text NOT NULL,
    record     jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE captures (
    source_id      text NOT NULL,
    request_id     text NOT NULL,
    request_digest text NOT NULL,
    request        jsonb NOT NULL,          -- redacted; inline content replaced by its hash
    url_canonical  text NOT NULL DEFAULT '',
    outcome        text,
    reason         text NOT NULL DEFAULT '',
    message        text NOT NULL DEFAULT '',
    snapshot_id    text NOT NULL DEFAULT '',
    document_id    text NOT NULL DEFAULT '',
    retry_after    timestamptz,
    lease_until    timestamptz,
    accepted_at    timestamptz NOT NULL DEFAULT now(),
    decided_at     timestamptz,
    announced_at   timestamptz,
    reconciled     integer NOT NULL DEFAULT 0,
    progress_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, request_id)
);
CREATE INDEX captures_open ON captures (progress_at) WHERE outcome IS NULL OR announced_at IS NULL;
CREATE INDEX captures_document ON captures (document_id);

CREATE TABLE fetch_windows (
    source_id      text NOT NULL,
    url_canonical  text NOT NULL,
    url_digest     bytea NOT NULL,            -- sha256 of url_canonical: long URLs break an index
    lease_owner    text NOT NULL DEFAULT '',
    lease_until    timestamptz,
    last_fetch_at  timestamptz,
    final_type     text NOT NULL DEFAULT '',
    snapshot_id    text NOT NULL DEFAULT '',
    document_id    text NOT NULL DEFAULT '',
    PRIMARY KEY (source_id, url_digest)
);

CREATE TABLE documents (
    document_id           text PRIMARY KEY,
    source_id             text NOT NULL,
    external_id           text NOT NULL,
    external_digest       bytea NOT NULL,     -- sha256 of external_id: long URLs break an index
    canonical_url         text NOT NULL DEFAULT '',
    slug                  text NOT NULL,
    content_type          text NOT NULL DEFAULT '',
    final_type            text NOT NULL DEFAULT 'unknown',
    title                 text NOT NULL DEFAULT '',
    host                  text NOT NULL DEFAULT '',
    current_snapshot_id   text NOT NULL DEFAULT '',
    current_extraction_id text NOT NULL DEFAULT '',
    current_doc_hash      text NOT NULL DEFAULT '',
    current_generation    integer NOT NULL DEFAULT 0,
    source_type           text NOT NULL DEFAULT '',
    domain                text NOT NULL DEFAULT '',
    territory             text NOT NULL DEFAULT '',
    etag                  text NOT NULL DEFAULT '',
    last_modified         timestamptz,
    content_hash          text NOT NULL DEFAULT '',
    fingerprint           text NOT NULL DEFAULT '',
    language              text NOT NULL DEFAULT '',
    meta                  jsonb NOT NULL DEFAULT '{}',
    first_seen_at         timestamptz NOT NULL DEFAULT now(),
    last_checked_at       timestamptz,
    last_seen_at          timestamptz,
    last_ingested_at      timestamptz,
    last_processed_at     timestamptz,
    ingest_status         text NOT NULL DEFAULT 'pending',
    error_message         text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX documents_identity ON documents (source_id, external_digest);

CREATE TABLE staged_items (
    source_id   text NOT NULL,
    external_digest bytea NOT NULL,
    document_id text NOT NULL,
    synced_at   timestamptz,
    PRIMARY KEY (source_id, external_digest)
);

CREATE TABLE snapshots (
    snapshot_id   text PRIMARY KEY,
    document_id   text NOT NULL REFERENCES documents,
    source_id     text NOT NULL,
    content_hash  text NOT NULL,
    retrieved_at  timestamptz NOT NULL,
    snapshot_kind text NOT NULL,
    final_type    text NOT NULL,
    process       boolean NOT NULL,          -- false: recorded, nothing to run (contracts 12, Bytes)
    record        jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    reconciled    integer NOT NULL DEFAULT 0,
    progress_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX snapshots_document ON snapshots (document_id, retrieved_at, snapshot_id);
CREATE INDEX snapshots_content ON snapshots (source_id, content_hash);

CREATE TABLE runs (
    snapshot_id    text NOT NULL REFERENCES snapshots,
    extraction_id  text NOT NULL,
    source_id      text NOT NULL,
    document_id    text NOT NULL,
    state          text NOT NULL,
    page_count     integer NOT NULL,
    redo           integer NOT NULL DEFAULT 0,
    run_order      integer NOT NULL,
    reason         text NOT NULL DEFAULT '',
    message        text NOT NULL DEFAULT '',
    parser_version text NOT NULL,
    rules_digest   text NOT NULL,
    facts_key      text NOT NULL DEFAULT '',
    facts_digest   text NOT NULL DEFAULT '',
    why            text NOT NULL DEFAULT '',
    created_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    announced_redo integer NOT NULL DEFAULT -1,  -- highest redo whose run.completed was published
    reconciled     integer NOT NULL DEFAULT 0,
    progress_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, extraction_id)
);
CREATE INDEX runs_open ON runs (progress_at) WHERE state IN ('queued', 'running');
CREATE INDEX runs_document ON runs (document_id);

CREATE TABLE pages (
    page_id       uuid NOT NULL,
    extraction_id text NOT NULL,
    snapshot_id   text NOT NULL,
    page_no       integer NOT NULL,
    redo          integer NOT NULL DEFAULT 0,
    status        text NOT NULL,
    attempts      integer NOT NULL DEFAULT 0,
    reason        text NOT NULL DEFAULT '',
    error_message text NOT NULL DEFAULT '',
    content_hash  text NOT NULL DEFAULT '',
    page_hash     text NOT NULL DEFAULT '',
    record        jsonb NOT NULL DEFAULT '{}',   -- model.Page without html
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (page_id, extraction_id)
);
CREATE INDEX pages_snapshot ON pages (snapshot_id, extraction_id, page_no);

CREATE TABLE ir_segments (
    snapshot_id   text NOT NULL,
    extraction_id text NOT NULL,
    from_page     integer NOT NULL,
    to_page       integer NOT NULL,
    redo          integer NOT NULL,
    object_key    text NOT NULL,
    digest        text NOT NULL,
    byte_length   bigint NOT NULL,
    processed     integer NOT NULL,
    failed        integer NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, extraction_id, from_page, redo)
);

CREATE TABLE chunk_manifests (
    doc_hash               text NOT NULL,
    generation             integer NOT NULL,
    document_id            text NOT NULL REFERENCES documents,
    source_id              text NOT NULL,
    snapshot_id            text NOT NULL,
    extraction_id          text NOT NULL,
    redo                   integer NOT NULL,
    canonical_url          text NOT NULL,
    source_file            text NOT NULL DEFAULT '',
    doc_type               text NOT NULL,
    chunk_count            integer NOT NULL,
    status                 text NOT NULL,
    error_message          text NOT NULL DEFAULT '',
    same_as                text NOT NULL DEFAULT '',
    fingerprint            text NOT NULL DEFAULT '',
    segments_digest        text NOT NULL,
    chunker_version        text NOT NULL,
    header_version         text NOT NULL,
    meta                   jsonb NOT NULL DEFAULT '{}',
    vector_status          text NOT NULL DEFAULT 'none',
    created_at             timestamptz NOT NULL DEFAULT now(),
    updated_at             timestamptz NOT NULL DEFAULT now(),
    last_pushed_at         timestamptz,
    last_pushed_collection text NOT NULL DEFAULT '',
    PRIMARY KEY (doc_hash, generation)
);
CREATE INDEX chunk_manifests_document ON chunk_manifests (document_id);
CREATE INDEX chunk_manifests_run ON chunk_manifests (snapshot_id, extraction_id, redo);

CREATE TABLE chunks (
    chunk_ref         text PRIMARY KEY,
    point_id          uuid NOT NULL UNIQUE,
    doc_hash          text NOT NULL,
    generation        integer NOT NULL,
    chunk_index       integer NOT NULL,
    document_id       text NOT NULL,
    source_id         text NOT NULL,
    snapshot_id       text NOT NULL,
    text              text NOT NULL,
    content           text NOT NULL,
    text_hash         text NOT NULL,
    content_text_hash text NOT NULL,
    source_type       text NOT NULL,
    provenance        jsonb NOT NULL,
    record            jsonb NOT NULL,            -- model.Chunk without text, content, provenance
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX chunks_place ON chunks (doc_hash, generation, chunk_index);
CREATE INDEX chunks_document ON chunks (document_id);
CREATE INDEX chunks_text ON chunks (text_hash, source_type);

CREATE TABLE chunk_state (
    chunk_ref    text PRIMARY KEY REFERENCES chunks,
    layer        text NOT NULL,
    repeats      text NOT NULL DEFAULT '',
    since        text NOT NULL DEFAULT '',
    duplicate_of text NOT NULL DEFAULT '',
    rev          bigint NOT NULL,
    changed_by   text NOT NULL DEFAULT ''
) WITH (fillfactor = 80);

CREATE TABLE knowledge (
    text_hash   text NOT NULL,
    source_type text NOT NULL,
    chunk_ref   text NOT NULL,
    PRIMARY KEY (text_hash, source_type)
);

CREATE TABLE chunk_log (
    seq         bigserial PRIMARY KEY,
    chunk_ref   text NOT NULL,
    rev         bigint NOT NULL,
    change      text NOT NULL,                   -- created, superseded, removed
    cause       text NOT NULL,
    replaced_by text NOT NULL DEFAULT '',
    snapshot_id text NOT NULL,
    extraction_id text NOT NULL,
    redo        integer NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    txid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    published   boolean NOT NULL DEFAULT false,
    reconciled  integer NOT NULL DEFAULT 0,
    UNIQUE (chunk_ref, rev)
);
CREATE INDEX chunk_log_unpublished ON chunk_log (at) WHERE NOT published;
CREATE INDEX chunk_log_run ON chunk_log (snapshot_id, extraction_id, redo);

CREATE TABLE collections (
    name       text PRIMARY KEY,
    alias      text NOT NULL,
    model      text NOT NULL,
    dimensions integer NOT NULL,
    state      text NOT NULL,                    -- building, active, retired
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE chunk_vectors (
    chunk_ref  text NOT NULL,
    collection text NOT NULL,
    point_id   uuid NOT NULL,
    pushed_rev bigint NOT NULL,
    present    boolean NOT NULL,                 -- false: the state at pushed_rev has no point
    pushed_at  timestamptz NOT NULL DEFAULT now(),
    reconciled integer NOT NULL DEFAULT 0,
    PRIMARY KEY (chunk_ref, collection)
);

CREATE TABLE attempts (
    consumer   text NOT NULL,
    message_id text NOT NULL,                    -- Nats-Msg-Id
    failures   integer NOT NULL DEFAULT 0,
    starts     integer NOT NULL DEFAULT 0,       -- in quarantine
    last_error text NOT NULL DEFAULT '',
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, message_id)
);

CREATE TABLE audit (
    seq    bigserial PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT now(),
    who    text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    why    text NOT NULL DEFAULT ''
);

-- +goose Down
DROP TABLE audit, attempts, chunk_vectors, collections, chunk_log, knowledge, chunk_state, chunks,
    chunk_manifests, ir_segments, pages, runs, snapshots, staged_items, documents, fetch_windows,
    captures, sources;
