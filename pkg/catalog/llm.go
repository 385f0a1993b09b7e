package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

const llmColumns = `source_id, model, prompt_version, input_hash, snapshot_id, object_key, digest`

func scanLLMAnswer(row pgx.Row) (a model.LLMAnswer, err error) {
	err = row.Scan(&a.SourceID, &a.Model, &a.PromptVersion, &a.InputHash, &a.SnapshotID, &a.ObjectKey, &a.Digest)
	return a, err
}

const oneLLMAnswer = `SELECT ` + llmColumns + ` FROM llm_answers WHERE source_id = $1 AND model = $2 AND prompt_version = $3 AND input_hash = $4`

// LLMAnswer returns the answer that counts for a question, or ErrNotFound.
func (db *DB) LLMAnswer(ctx context.Context, sourceID, modelName string, prompt int, inputHash string) (model.LLMAnswer, error) {
	a, err := scanLLMAnswer(db.pool.QueryRow(ctx, oneLLMAnswer, sourceID, modelName, prompt, inputHash))
	if err != nil {
		return a, fmt.Errorf("answer of %s: %w", modelName, Classify(err))
	}
	return a, nil
}

// LLMAnswersAfter returns the answers that count after one, in the order of their questions; the zero value is
// before the first.
func (db *DB) LLMAnswersAfter(ctx context.Context, after model.LLMAnswer, limit int) ([]model.LLMAnswer, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+llmColumns+` FROM llm_answers
		WHERE (source_id, model, prompt_version, input_hash) > ($1, $2, $3, $4)
		ORDER BY source_id, model, prompt_version, input_hash LIMIT $5`,
		after.SourceID, after.Model, after.PromptVersion, after.InputHash, limit)
	var answers []model.LLMAnswer
	if err == nil {
		answers, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.LLMAnswer, error) { return scanLLMAnswer(row) })
	}
	if err != nil {
		return nil, fmt.Errorf("answers of models: %w", Classify(err))
	}
	return answers, nil
}

// PutLLMAnswer records an answer, unless another was first, and returns the one that counts.
func (db *DB) PutLLMAnswer(ctx context.Context, a model.LLMAnswer) (counts model.LLMAnswer, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `WITH first AS (INSERT INTO llm_answers (`+llmColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT DO NOTHING RETURNING *) `+bindLLMAnswer().inserted(`first b`, ``),
			a.SourceID, a.Model, a.PromptVersion, a.InputHash, a.SnapshotID, a.ObjectKey, a.Digest); err != nil {
			return err
		}
		counts, err = scanLLMAnswer(tx.QueryRow(ctx, oneLLMAnswer, a.SourceID, a.Model, a.PromptVersion, a.InputHash))
		return err
	})
	if err != nil {
		return counts, fmt.Errorf("answer of %s: %w", a.Model, err)
	}
	return counts, nil
}

// AddLLMUse adds what one call has cost to that of a day, of UTC.
func (db *DB) AddLLMUse(ctx context.Context, day time.Time, sourceID, modelName string, question, answer int) error {
	_, err := db.pool.Exec(ctx, `INSERT INTO llm_use (day, source_id, model, calls, question_tokens, answer_tokens) VALUES ($1, $2, $3, 1, $4, $5)
		ON CONFLICT (day, source_id, model) DO UPDATE SET calls = llm_use.calls + 1,
			question_tokens = llm_use.question_tokens + EXCLUDED.question_tokens, answer_tokens = llm_use.answer_tokens + EXCLUDED.answer_tokens`,
		day.UTC().Format(time.DateOnly), sourceID, modelName, question, answer)
	if err != nil {
		return fmt.Errorf("use of %s: %w", modelName, Classify(err))
	}
	return nil
}

// LLMUse returns how many tokens a source's pages have cost on a day, of UTC.
func (db *DB) LLMUse(ctx context.Context, day time.Time, sourceID string) (tokens int64, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce(sum(question_tokens + answer_tokens), 0)::bigint FROM llm_use WHERE day = $1 AND source_id = $2`,
		day.UTC().Format(time.DateOnly), sourceID).Scan(&tokens)
	if err != nil {
		return 0, fmt.Errorf("use of models: %w", Classify(err))
	}
	return tokens, nil
}
