-- +goose NO TRANSACTION
-- +goose Up
-- Which blocks a chunk has text of, by the first 64 bits of their hashes: null of chunks of before.
-- The index of them is beside that of the words, which the janitor fills: no chunk lands later for
-- it. Without a list of what came in last, which each search would have to read.
ALTER TABLE chunks ADD COLUMN IF NOT EXISTS blocks bigint[];
ALTER TABLE chunk_words ADD COLUMN IF NOT EXISTS blocks bigint[];
-- +goose StatementBegin
DO $$
DECLARE
    broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid AND indrelid = 'chunk_words'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_words_blocks ON chunk_words USING gin (blocks) WITH (fastupdate = off) WHERE blocks IS NOT NULL;

-- +goose Down
DROP INDEX IF EXISTS chunk_words_blocks;
ALTER TABLE chunk_words DROP COLUMN IF EXISTS blocks;
ALTER TABLE chunks DROP COLUMN IF EXISTS blocks;
