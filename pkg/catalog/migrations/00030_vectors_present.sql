-- +goose NO TRANSACTION
-- +goose Up
-- Whether a collection has points, and how many, is asked all the time: of one that has none
-- every row of all collections was read. Nobody who writes waits for the index. A migration that
-- was broken off leaves one that is not valid: it is made again.
-- +goose StatementBegin
DO $$
DECLARE
    broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid AND indrelid = 'chunk_vectors'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_vectors_present ON chunk_vectors (collection) WHERE present;

-- +goose Down
DROP INDEX IF EXISTS chunk_vectors_present;
