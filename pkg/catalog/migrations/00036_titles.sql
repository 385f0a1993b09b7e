-- +goose NO TRANSACTION
-- +goose Up
-- Documents by the words of their titles: a text that names one ("RN 259", "the Foreshore Act
-- 2019") refers to it. Nobody who writes waits for the index. A migration that was broken off
-- leaves one that is not valid: it is made again.
-- +goose StatementBegin
DO $$
DECLARE
    broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid AND indrelid = 'documents'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS documents_title_words ON documents USING gin (quote_words(title)) WHERE title <> '';

-- +goose Down
DROP INDEX IF EXISTS documents_title_words;
