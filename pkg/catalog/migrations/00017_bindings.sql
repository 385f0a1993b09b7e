-- +goose Up
-- What is decided once, and that nothing else says, is bound by a digest in a row of
-- its own, written in the transaction that decides it: a value that was changed, a row
-- that was lost and one that was added no longer meet it. bindings.go has the rules.
CREATE TABLE bindings (
    kind   text NOT NULL,  -- request, decision, run, end, manifest, log
    key    text NOT NULL,  -- of the rows that it binds
    digest bytea NOT NULL, -- sha256 of what they say
    PRIMARY KEY (kind, key)
);

-- Every chunk, of none, has its vector: a reset of vectors said otherwise.
UPDATE chunk_manifests SET vector_status = 'present' WHERE chunk_count = 0 AND vector_status = 'none';

-- +goose Down
DROP TABLE bindings;
