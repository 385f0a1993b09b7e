-- +goose Up
-- What no chunk has of a version, in characters: model.LeftOut. Null of a version whose
-- chunks were made before it was counted.
ALTER TABLE chunk_manifests ADD COLUMN left_out jsonb;

-- +goose Down
ALTER TABLE chunk_manifests DROP COLUMN left_out;
