-- +goose Up
-- chunk_log_run_unpublished serves all that is asked of what is unpublished. Of
-- two indexes the planner may take the one that has no runs, and read all that a
-- large document has still to publish for each part of it.
DROP INDEX chunk_log_unpublished;

-- +goose Down
CREATE INDEX chunk_log_unpublished ON chunk_log (at) WHERE NOT published;
