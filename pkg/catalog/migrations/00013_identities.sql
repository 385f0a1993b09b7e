-- +goose Up
-- What a document is called whose identity is not what today's rules make of its
-- address: one that was captured under older rules and is found under that identity,
-- and one that older rules had merged with it and that now has its own.
CREATE TABLE document_identities (
    source_id       text NOT NULL,
    identity_digest bytea NOT NULL,           -- sha256 of identity, which may be long
    identity        text NOT NULL,            -- under today's rules
    document_id     text NOT NULL,
    external_id     text NOT NULL,            -- the document's identity
    merged_with     text NOT NULL DEFAULT '', -- the document that older rules had merged it with
    at              timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, identity_digest)
);
CREATE UNIQUE INDEX document_identities_document ON document_identities (document_id);
CREATE INDEX document_identities_merged ON document_identities (merged_with) WHERE merged_with <> '';

-- +goose Down
DROP TABLE document_identities;
