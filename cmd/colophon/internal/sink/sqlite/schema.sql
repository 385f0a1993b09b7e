CREATE TABLE chunks (
    chunk_ref    TEXT PRIMARY KEY,
    document_id  TEXT NOT NULL DEFAULT '',
    doc_hash     TEXT NOT NULL DEFAULT '',
    generation   INTEGER NOT NULL DEFAULT 0,
    chunk_index  INTEGER NOT NULL DEFAULT 0,
    source_id    TEXT NOT NULL DEFAULT '',
    rev          INTEGER NOT NULL,
    removed      INTEGER NOT NULL DEFAULT 0,
    layer        TEXT NOT NULL DEFAULT '', -- hot, summary or archive
    since        TEXT NOT NULL DEFAULT '',
    repeats      TEXT NOT NULL DEFAULT '',
    duplicate_of TEXT NOT NULL DEFAULT '',
    type         TEXT NOT NULL DEFAULT '',
    status       TEXT NOT NULL DEFAULT '',
    info_date    TEXT NOT NULL DEFAULT '',
    language     TEXT NOT NULL DEFAULT '',
    url          TEXT NOT NULL DEFAULT '',
    title        TEXT NOT NULL DEFAULT '',
    content      TEXT NOT NULL DEFAULT '',
    text         TEXT NOT NULL DEFAULT '',
    record       TEXT -- the chunk as JSON, with its provenance; NULL of one that is removed
) STRICT;
CREATE INDEX chunks_document ON chunks (document_id, doc_hash, generation);
CREATE TABLE documents (
    document_id TEXT PRIMARY KEY,
    rev         INTEGER NOT NULL,
    doc_hash    TEXT NOT NULL, -- of the current version; '' when none is
    generation  INTEGER NOT NULL
) STRICT;
CREATE TABLE sink (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE VIEW current_chunks AS
    SELECT c.* FROM chunks c JOIN documents d ON d.document_id = c.document_id AND d.doc_hash = c.doc_hash AND d.generation = c.generation
    WHERE c.removed = 0;
