-- +goose Up
-- Runs whose version lands when a language model has answered about its chunks, or when the wait is over
-- (contracts#enrichment-wait): what it is asked about. The row goes when the version lands.
CREATE TABLE IF NOT EXISTS enrichment_waits (
    snapshot_id     text NOT NULL,
    extraction_id   text NOT NULL,
    redo            integer NOT NULL,
    chunker_version text NOT NULL,               -- that made what is asked about
    source_id       text NOT NULL,
    document_id     text NOT NULL,
    contents        jsonb NOT NULL,              -- of the chunks to be, in their order: language, content, content_text_hash
    until           timestamptz NOT NULL,        -- then the version lands without an answer
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, extraction_id, redo)
);
-- What of the proposals did not stand in the chunks, by reason.
ALTER TABLE enrichments ADD COLUMN IF NOT EXISTS dropped jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE enrichments DROP COLUMN dropped;
DROP TABLE enrichment_waits;
