-- +goose Up
-- What is decided once, and that nothing else says, is bound by a digest in a row of
-- its own, written in the transaction that decides it: a value that was changed, a row
-- that was lost and one that was added no longer meet it. bindings.go has the rules.
CREATE TABLE bindings (
    kind   text NOT NULL,  -- request, decision, run, end, segment, manifest, log
    key    text NOT NULL,  -- of the rows that it binds
    digest bytea NOT NULL, -- sha256 of what they say
    PRIMARY KEY (kind, key)
);

-- Every chunk, of none, has its vector: a reset of vectors said otherwise.
UPDATE chunk_manifests SET vector_status = 'present' WHERE chunk_count = 0 AND vector_status = 'none';

-- Nothing of a run that has failed waits: the chunker left pages behind that did.
UPDATE pages p SET status = 'failed', reason = r.reason, error_message = r.message FROM runs r
WHERE r.snapshot_id = p.snapshot_id AND r.extraction_id = p.extraction_id AND r.state = 'failed' AND p.status = 'pending';

-- +goose Down
DROP TABLE bindings;
