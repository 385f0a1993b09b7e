-- +goose Up
-- Vectors that an endpoint has made of texts, so that no text is paid twice. The first
-- one that is kept counts, whatever the endpoint would say next time.
CREATE TABLE embedding_cache (
	model text NOT NULL,
	dimensions int NOT NULL CHECK (dimensions > 0),
	text_hash bytea NOT NULL CHECK (octet_length(text_hash) = 32), -- sha256 of the text
	vector bytea NOT NULL CHECK (octet_length(vector) = 4 * dimensions), -- float32, little-endian
	made_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (model, dimensions, text_hash)
);

-- What was embedded on each day of UTC.
CREATE TABLE embedding_use (
	day date NOT NULL,
	model text NOT NULL,
	tokens bigint NOT NULL,
	PRIMARY KEY (day, model)
);

-- +goose Down
DROP TABLE embedding_use;
DROP TABLE embedding_cache;
