-- +goose Up
-- The ranges that a redo asked for again; a redo is complete when each has a
-- segment with its number.
CREATE TABLE run_ranges (
    snapshot_id   text NOT NULL,
    extraction_id text NOT NULL,
    redo          integer NOT NULL,
    from_page     integer NOT NULL,
    PRIMARY KEY (snapshot_id, extraction_id, redo, from_page)
);

-- +goose Down
DROP TABLE run_ranges;
