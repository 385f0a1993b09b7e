-- +goose Up
-- A hit lists all chunks that say the same, in the order of their refs and at most
-- so many: they are found without reading the others.
CREATE INDEX chunks_content ON chunks (content_text_hash, chunk_ref COLLATE "C");

-- Each search asks which sources are disabled; of many sources few are.
CREATE INDEX sources_disabled ON sources (source_id) WHERE state = 'disabled';

-- +goose Down
DROP INDEX sources_disabled;
DROP INDEX chunks_content;
