-- +goose Up
-- Objects that a worker found in their place while no row named them, and is about
-- to name: reconcile leaves them alone as it does those that were just put.
CREATE TABLE adopted_objects (
    bucket text NOT NULL,
    key    text NOT NULL,
    at     timestamptz NOT NULL,
    PRIMARY KEY (bucket, key)
);

-- +goose Down
DROP TABLE adopted_objects;
