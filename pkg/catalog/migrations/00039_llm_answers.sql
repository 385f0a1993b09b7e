-- +goose Up
-- What a language model said to a question: the first answer that is recorded counts for ever
-- after, so that nobody is asked twice (contracts#llm-answers).
CREATE TABLE IF NOT EXISTS llm_answers (
    source_id       text NOT NULL,
    model           text NOT NULL,
    prompt_version  integer NOT NULL,
    input_hash      text NOT NULL,               -- hex sha256 of what was asked
    snapshot_id     text NOT NULL,               -- for whose page it was asked first
    object_key      text NOT NULL,
    digest          text NOT NULL,               -- hex sha256 of the object
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, model, prompt_version, input_hash)
);
CREATE INDEX IF NOT EXISTS llm_answers_object ON llm_answers (object_key);

CREATE TABLE IF NOT EXISTS llm_use (
    day             text NOT NULL,               -- of UTC, YYYY-MM-DD
    source_id       text NOT NULL,
    model           text NOT NULL,
    calls           bigint NOT NULL DEFAULT 0,
    question_tokens bigint NOT NULL DEFAULT 0,
    answer_tokens   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (day, source_id, model)
);

-- +goose Down
DROP TABLE llm_use;
DROP TABLE llm_answers;
