-- +goose Up
-- What pages say of goals, practices, activities, measurements, outreach and areas
-- (contracts#entities). A page has a row for each version of the extractor and of the prompt.
CREATE TABLE IF NOT EXISTS entity_pages (
    snapshot_id       text NOT NULL,
    page_no           integer NOT NULL,
    extractor_version integer NOT NULL,           -- of the rules
    prompt_version    integer NOT NULL,           -- 0 without a model
    source_id         text NOT NULL,
    document_id       text NOT NULL,
    extraction_id     text NOT NULL,              -- of the run whose units were read
    run_order         integer NOT NULL,           -- of that run among those of its snapshot
    status            text NOT NULL,              -- pending, processed, failed
    reason            text NOT NULL DEFAULT '',
    error_message     text NOT NULL DEFAULT '',
    content_hash      text NOT NULL,              -- of the page
    input_hash        text NOT NULL,              -- of the page and the sections that are open when it begins
    result            jsonb NOT NULL DEFAULT '{}',-- counts by type, what was dropped and why, confidence
    superseded        boolean NOT NULL DEFAULT false, -- another version has read the page since
    attempts          integer NOT NULL DEFAULT 0,
    announced         boolean NOT NULL DEFAULT false,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, page_no, extractor_version, prompt_version)
);
CREATE INDEX IF NOT EXISTS entity_pages_untold ON entity_pages (snapshot_id, extraction_id) WHERE NOT announced;

-- The key is the founding document's, with the snapshot as its upload.
CREATE TABLE IF NOT EXISTS entities (
    snapshot_id       text NOT NULL,
    page_no           integer NOT NULL,
    entity_type       text NOT NULL,
    entity_id         text NOT NULL,
    source_id         text NOT NULL,
    document_id       text NOT NULL,
    extraction_id     text NOT NULL,              -- of the run whose units its evidence stands in
    extractor_version integer NOT NULL,
    prompt_version    integer NOT NULL,
    ordinal           integer NOT NULL,           -- 0, 1, … on its page
    title             text NOT NULL,
    payload           jsonb NOT NULL,             -- the entity with evidence, grounds, confidence, origin
    superseded        boolean NOT NULL DEFAULT false, -- its page does not yield it any more
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (snapshot_id, page_no, entity_type, entity_id)
);
CREATE INDEX IF NOT EXISTS entities_list ON entities (entity_type, source_id) WHERE NOT superseded;
CREATE INDEX IF NOT EXISTS entities_document ON entities (document_id) WHERE NOT superseded;

-- The highest redo of a run of which the entities of all pages were told. What was there
-- before is left as it is: colophon reannotate has it read.
ALTER TABLE runs ADD COLUMN IF NOT EXISTS annotated_redo integer NOT NULL DEFAULT -1;
UPDATE runs SET annotated_redo = redo;

-- +goose Down
ALTER TABLE runs DROP COLUMN annotated_redo;
DROP TABLE entities;
DROP TABLE entity_pages;
