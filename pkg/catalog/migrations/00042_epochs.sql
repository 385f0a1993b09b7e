-- +goose Up
-- The copies of the catalog: a catalog that is new, and one that was restored from a backup, begins
-- one (contracts#epoch). Names order as the times at which they began. A catalog of before, of which
-- consumers have positions, begins with the empty name, so that these stay what they are.
CREATE TABLE IF NOT EXISTS epochs (
    name     text COLLATE "C" PRIMARY KEY,
    began_at timestamptz NOT NULL DEFAULT now(),
    log_seq  bigint NOT NULL                     -- the last entry of chunk_log that was there; 0 for none
);
INSERT INTO epochs (name, log_seq)
SELECT CASE WHEN last.seq > 0 THEN ''
    ELSE to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISSMS"Z"-') || left(replace(gen_random_uuid()::text, '-', ''), 12) END, last.seq
FROM (SELECT coalesce(max(seq), 0) AS seq FROM chunk_log) last
WHERE NOT EXISTS (SELECT FROM epochs);

-- +goose Down
DROP TABLE epochs;
