-- +goose NO TRANSACTION
-- +goose Up
-- What operators have added about a chunk is asked for with each hit of a search. Nobody who
-- writes waits for the index. A migration that was broken off leaves one that is not valid: it is
-- made again.
-- +goose StatementBegin
DO $$
DECLARE
    broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid AND indrelid = 'chunks'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunks_replaces ON chunks USING gin ((record->'meta'->'replaces'))
    WHERE record->'meta' ? 'replaces';

-- +goose Down
DROP INDEX IF EXISTS chunks_replaces;
