-- +goose Up
-- The links between the versions of a document are found by content: a chain
-- of repeats holds chunks of one document and one content only (contracts 12).
CREATE INDEX chunks_document_content ON chunks (document_id, content_text_hash);
DROP INDEX chunks_document;

-- What a run has still to publish, oldest first.
CREATE INDEX chunk_log_run_unpublished ON chunk_log (snapshot_id, extraction_id, seq) WHERE NOT published;

-- +goose Down
DROP INDEX chunk_log_run_unpublished;
CREATE INDEX chunks_document ON chunks (document_id);
DROP INDEX chunks_document_content;
