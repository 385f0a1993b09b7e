-- +goose Up
-- What extraction reads of a snapshot, as a digest, and whether the snapshot is a
-- version of its document: the first of neighbours with one digest, in the order
-- of retrieved_at and snapshot_id. Rows of before have '' and null until reconcile
-- has been at their document.
ALTER TABLE snapshots ADD COLUMN reads_digest text NOT NULL DEFAULT '';
ALTER TABLE snapshots ADD COLUMN version boolean;
CREATE INDEX snapshots_undigested ON snapshots (document_id) WHERE reads_digest = '';
CREATE INDEX snapshots_container ON snapshots (document_id) WHERE snapshot_kind = 'container';
-- Since when what is current may be another than the document's row says: a capture
-- has changed the order of what was made into chunks before.
ALTER TABLE documents ADD COLUMN unsettled_at timestamptz;
CREATE INDEX documents_unsettled ON documents (unsettled_at) WHERE unsettled_at IS NOT NULL;
-- Pages that the version lacks; null where it was not noted.
ALTER TABLE chunk_manifests ADD COLUMN failed_pages integer;

-- +goose Down
ALTER TABLE chunk_manifests DROP COLUMN failed_pages;
DROP INDEX documents_unsettled;
ALTER TABLE documents DROP COLUMN unsettled_at;
DROP INDEX snapshots_container;
DROP INDEX snapshots_undigested;
ALTER TABLE snapshots DROP COLUMN version;
ALTER TABLE snapshots DROP COLUMN reads_digest;
