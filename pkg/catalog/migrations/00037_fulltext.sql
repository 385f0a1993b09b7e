-- +goose NO TRANSACTION
-- +goose Up
-- The full text of each chunk, stemmed by its language, for searches where that is switched on;
-- null until the janitor makes it in batches, and for good where it is off. Nobody who writes
-- waits for the indexes. A migration that was broken off leaves one that is not valid: it is made
-- again.
ALTER TABLE chunk_words ADD COLUMN IF NOT EXISTS fulltext tsvector;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION fulltext_config(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (CASE language WHEN 'ca' THEN 'catalan' WHEN 'da' THEN 'danish' WHEN 'de' THEN 'german' WHEN 'el' THEN 'greek'
        WHEN 'en' THEN 'english' WHEN 'es' THEN 'spanish' WHEN 'eu' THEN 'basque' WHEN 'fi' THEN 'finnish' WHEN 'fr' THEN 'french'
        WHEN 'ga' THEN 'irish' WHEN 'hu' THEN 'hungarian' WHEN 'it' THEN 'italian' WHEN 'lt' THEN 'lithuanian' WHEN 'nb' THEN 'norwegian'
        WHEN 'nl' THEN 'dutch' WHEN 'nn' THEN 'norwegian' WHEN 'no' THEN 'norwegian' WHEN 'pt' THEN 'portuguese' WHEN 'ro' THEN 'romanian'
        WHEN 'ru' THEN 'russian' WHEN 'sr' THEN 'serbian' WHEN 'sv' THEN 'swedish' WHEN 'tr' THEN 'turkish' ELSE 'simple' END)::regconfig
$$;
-- +goose StatementEnd
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
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_words_fulltext ON chunk_words USING gin (fulltext) WHERE fulltext IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_words_fulltext_due ON chunk_words (chunk_ref) WHERE fulltext IS NULL;

-- +goose Down
DROP INDEX IF EXISTS chunk_words_fulltext, chunk_words_fulltext_due;
ALTER TABLE chunk_words DROP COLUMN IF EXISTS fulltext;
DROP FUNCTION IF EXISTS fulltext_config(text);
