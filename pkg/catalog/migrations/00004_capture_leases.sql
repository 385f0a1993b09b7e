-- +goose Up
-- Who works on a capture now, and when it was asked for first: what a fetch
-- that is repeated dates its snapshot with (contracts 1, doc_hash).
ALTER TABLE captures
    ADD COLUMN lease_owner  text NOT NULL DEFAULT '',
    ADD COLUMN requested_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE captures DROP COLUMN lease_owner, DROP COLUMN requested_at;
