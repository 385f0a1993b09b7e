-- +goose Up
-- What OCR read, by picture and explicit OCR run: the first one that is recorded
-- counts for ever after, whoever else reads the same.
CREATE TABLE stored_results (
    kind        text NOT NULL,             -- ocr
    source_id   text NOT NULL,
    picture     text NOT NULL,             -- of [content_hash, page, region]
    run         text NOT NULL DEFAULT '',  -- digest of the settings of an explicit OCR run
    key         text NOT NULL,             -- of [picture, languages, parameters]
    snapshot_id text NOT NULL,             -- for which it was read first
    engine      text NOT NULL,
    version     text NOT NULL,
    object_key  text NOT NULL,
    digest      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, source_id, picture, run)
);
CREATE INDEX stored_results_key ON stored_results (kind, source_id, key);

-- What a run has read by OCR. A task waits until it has a result or a failure.
CREATE TABLE ocr_tasks (
    snapshot_id   text NOT NULL,
    extraction_id text NOT NULL,
    redo          integer NOT NULL,
    page_no       integer NOT NULL,
    part          integer NOT NULL,
    state         text NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    task          jsonb NOT NULL,          -- model.OCRTask
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, extraction_id, redo, page_no, part)
);
CREATE INDEX ocr_tasks_waiting ON ocr_tasks (updated_at) WHERE state = 'waiting';

ALTER TABLE runs ADD COLUMN ocr jsonb;

-- +goose Down
ALTER TABLE runs DROP COLUMN ocr;
DROP TABLE ocr_tasks, stored_results;
