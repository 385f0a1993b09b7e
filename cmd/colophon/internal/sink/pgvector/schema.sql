CREATE SCHEMA IF NOT EXISTS {schema};
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE TABLE chunks (
    chunk_ref    text PRIMARY KEY,
    document_id  text NOT NULL DEFAULT '',
    doc_hash     text NOT NULL DEFAULT '',
    generation   integer NOT NULL DEFAULT 0,
    chunk_index  integer NOT NULL DEFAULT 0,
    source_id    text NOT NULL DEFAULT '',
    rev          bigint NOT NULL,
    removed      boolean NOT NULL DEFAULT false,
    layer        text NOT NULL DEFAULT '', -- hot, summary or archive
    since        text NOT NULL DEFAULT '',
    repeats      text NOT NULL DEFAULT '',
    duplicate_of text NOT NULL DEFAULT '',
    type         text NOT NULL DEFAULT '',
    status       text NOT NULL DEFAULT '',
    info_date    date,
    language     text NOT NULL DEFAULT '',
    url          text NOT NULL DEFAULT '',
    title        text NOT NULL DEFAULT '',
    content      text NOT NULL DEFAULT '',
    record       jsonb, -- the chunk as JSON, with its provenance; null of one that is removed
    embedding    vector({dimensions}) -- of content
);
CREATE INDEX chunks_document ON chunks (document_id, doc_hash, generation);
CREATE TABLE documents (
    document_id text PRIMARY KEY,
    rev         bigint NOT NULL,
    doc_hash    text NOT NULL, -- of the current version; '' when none is
    generation  integer NOT NULL
);
CREATE TABLE sink (name text PRIMARY KEY, value text NOT NULL);
CREATE VIEW current_chunks AS
    SELECT c.* FROM chunks c JOIN documents d ON d.document_id = c.document_id AND d.doc_hash = c.doc_hash AND d.generation = c.generation
    WHERE NOT c.removed;
