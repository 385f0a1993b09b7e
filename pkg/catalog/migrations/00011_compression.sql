-- +goose Up
-- What is long is compressed by lz4, in a tenth of the time that PostgreSQL's own
-- way takes; of a server that is built without lz4 everything stays as it is. What
-- is stored already stays as well.
-- +goose StatementBegin
DO $$ BEGIN
    ALTER TABLE captures ALTER COLUMN request SET COMPRESSION lz4;
    ALTER TABLE snapshots ALTER COLUMN record SET COMPRESSION lz4;
    ALTER TABLE pages ALTER COLUMN record SET COMPRESSION lz4;
    ALTER TABLE chunks ALTER COLUMN text SET COMPRESSION lz4, ALTER COLUMN content SET COMPRESSION lz4,
        ALTER COLUMN provenance SET COMPRESSION lz4, ALTER COLUMN record SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE captures ALTER COLUMN request SET COMPRESSION default;
ALTER TABLE snapshots ALTER COLUMN record SET COMPRESSION default;
ALTER TABLE pages ALTER COLUMN record SET COMPRESSION default;
ALTER TABLE chunks ALTER COLUMN text SET COMPRESSION default, ALTER COLUMN content SET COMPRESSION default,
    ALTER COLUMN provenance SET COMPRESSION default, ALTER COLUMN record SET COMPRESSION default;
