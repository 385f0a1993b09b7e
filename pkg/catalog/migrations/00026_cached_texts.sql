-- +goose Up
-- Vectors that are kept are deleted by their texts, of whatever model.
CREATE INDEX embedding_cache_text ON embedding_cache (text_hash);

-- +goose Down
DROP INDEX embedding_cache_text;
