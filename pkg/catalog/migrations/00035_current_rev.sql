-- +goose Up
-- How often other chunks became the current ones of a document: chunk events say it, so
-- that consumers know which of several answers is the newest.
ALTER TABLE documents ADD COLUMN IF NOT EXISTS current_rev bigint NOT NULL DEFAULT 0;
UPDATE documents SET current_rev = 1 WHERE current_doc_hash <> '' AND current_rev = 0;

-- +goose Down
ALTER TABLE documents DROP COLUMN current_rev;
