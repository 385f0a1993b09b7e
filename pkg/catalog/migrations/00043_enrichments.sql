-- +goose Up
-- What a language model proposes for the chunks of a run at a redo (contracts#enrichment): which object
-- has it. Of an empty digest no model was set.
CREATE TABLE IF NOT EXISTS enrichments (
    snapshot_id     text NOT NULL,
    extraction_id   text NOT NULL,
    redo            integer NOT NULL,
    chunker_version text NOT NULL,
    source_id       text NOT NULL,
    document_id     text NOT NULL,
    model           text NOT NULL,
    object_key      text NOT NULL,
    digest          text NOT NULL,               -- hex sha256 of the object
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, extraction_id, redo, chunker_version)
);

-- +goose Down
DROP TABLE enrichments;
