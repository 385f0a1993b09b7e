-- +goose Up
-- The request_id of the container that a request is a member of. Members are
-- rows that nobody asked for, decided from the start.
ALTER TABLE captures ADD COLUMN container text NOT NULL DEFAULT '';
CREATE INDEX captures_container ON captures (source_id, container) WHERE container <> '';

-- +goose Down
DROP INDEX captures_container;
ALTER TABLE captures DROP COLUMN container;
