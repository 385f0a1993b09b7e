-- +goose NO TRANSACTION
-- +goose Up
-- The words by which chunks are found that a quotation may stand in. What is folded here is
-- folded alike in quote.Words of the gateway, which asks; a word that the two make of one
-- text in two ways is a quotation that is not found. Only what does not depend on the
-- locale of the database takes part.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION quote_words(content text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000 AS $$
DECLARE
    x text COLLATE "C" := lower(normalize(content, NFKD) COLLATE "C");
BEGIN
    -- Hyphens at the ends of lines, soft hyphens, marks, and what has no width.
    x := regexp_replace(x, '[-\u00ad\u2010]\s*\n\s*|[\u00ad\u0300-\u036f\u200b-\u200d\u2060]', '', 'g');
    x := regexp_replace(x, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u02b0-\u02ff\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u1360-\u1368\u1680\u17d4-\u17da\u1800-\u180a\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u303f\u30fb\ufd3e\ufd3f\ufe10-\ufe6f\ufeff\ufff9-\uffff\U0001f000-\U0001faff]+', ' ', 'g');
    -- Where no spaces stand between words, each letter is one.
    IF x ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]' THEN
        x := regexp_replace(x, '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])', ' \1 ', 'g');
        x := regexp_replace(x, ' +', ' ', 'g');
    END IF;
    -- An index takes no key of any length.
    IF x ~ '[^ ]{33}' THEN
        x := regexp_replace(x, '([^ ]{32})[^ ]+', '\1', 'g');
    END IF;
    RETURN string_to_array(btrim(x), ' ');
END $$;
-- +goose StatementEnd

-- The words of each chunk, null until they are made: the janitor makes them in batches, so that
-- no chunk lands later for them, and no table is locked while those of before are made.
CREATE TABLE IF NOT EXISTS chunk_words (
    chunk_ref text PRIMARY KEY,
    words     text[]
);
CREATE INDEX IF NOT EXISTS chunk_words_words ON chunk_words USING gin (words) WHERE words IS NOT NULL;
CREATE INDEX IF NOT EXISTS chunk_words_due ON chunk_words (chunk_ref) WHERE words IS NULL;

-- Each chunk has its row from its transaction on, whoever writes it, and none is left of one
-- that goes.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_chunk_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO chunk_words (chunk_ref) SELECT chunk_ref FROM changed ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM chunk_words w USING changed WHERE w.chunk_ref = changed.chunk_ref;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER chunk_words_note AFTER INSERT ON chunks
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_chunk_words();
CREATE OR REPLACE TRIGGER chunk_words_forget AFTER DELETE ON chunks
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_chunk_words();
INSERT INTO chunk_words (chunk_ref) SELECT chunk_ref FROM chunks ON CONFLICT DO NOTHING;

-- +goose Down
DROP TRIGGER IF EXISTS chunk_words_note ON chunks;
DROP TRIGGER IF EXISTS chunk_words_forget ON chunks;
DROP FUNCTION IF EXISTS note_chunk_words();
DROP TABLE IF EXISTS chunk_words;
DROP FUNCTION IF EXISTS quote_words(text);
