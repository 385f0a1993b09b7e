-- +goose Up
-- Whether a change of the registry was told as source.changed. Entries of before, and
-- those that are no change of a source, count as told.
ALTER TABLE audit ADD COLUMN published boolean NOT NULL DEFAULT true;
CREATE INDEX audit_unpublished ON audit (seq) WHERE NOT published;

-- +goose Down
DROP INDEX audit_unpublished;
ALTER TABLE audit DROP COLUMN published;
