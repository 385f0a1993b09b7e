-- +goose Up
-- The log is read by (txid, seq) up to the oldest open transaction: a number
-- that an older transaction took later must not hide one of a newer one.
CREATE INDEX chunk_log_order ON chunk_log (txid, seq);

-- +goose Down
DROP INDEX chunk_log_order;
