-- +goose Up
-- The source's rules under which a run extracts, when they are not the ones
-- that were copied to its snapshot: a re-parse takes those of the day.
ALTER TABLE runs ADD COLUMN rules jsonb;

-- +goose Down
ALTER TABLE runs DROP COLUMN rules;
