-- +goose Up
-- Whose turn it is to ask a host, over all processes. A host's row is the lock
-- under which turns are given; an entry of fetch_turns waits until its turn has
-- come, and is asking while asking_until is ahead.
CREATE TABLE fetch_hosts (
    host       text PRIMARY KEY,                        -- host:port of a URL
    next_turn  timestamptz NOT NULL DEFAULT '-infinity', -- the first that is not promised yet
    asked_at   timestamptz NOT NULL DEFAULT '-infinity', -- when the last request began
    not_before timestamptz NOT NULL DEFAULT '-infinity'  -- what its server asked for
);

CREATE TABLE fetch_turns (
    host         text NOT NULL,
    owner        text NOT NULL, -- {source_id}/{request_id}
    turn_at      timestamptz NOT NULL,
    seen_at      timestamptz NOT NULL DEFAULT now(),
    asking_until timestamptz,
    PRIMARY KEY (host, owner)
);

-- What seed 004 calls fetch_status, of what was fetched by us.
ALTER TABLE captures ADD COLUMN fetch_status text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE captures DROP COLUMN fetch_status;
DROP TABLE fetch_turns, fetch_hosts;
