package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// MakeFulltext makes the full text of at most most chunks that have none yet, each by the
// configuration of its language, and returns of how many. Any number of processes may call
// it; those that others are at are passed over. What a crash takes back is made again.
func (db *DB) MakeFulltext(ctx context.Context, most int) (made int, err error) {
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, unkept); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `WITH due AS MATERIALIZED (
				SELECT d.chunk_ref FROM chunk_words d WHERE d.fulltext IS NULL AND EXISTS (SELECT 1 FROM chunks c WHERE c.chunk_ref = d.chunk_ref)
				ORDER BY d.chunk_ref LIMIT $1 FOR UPDATE OF d SKIP LOCKED)
			UPDATE chunk_words w SET fulltext = to_tsvector(fulltext_config(c.record->>'language'), c.content)
			FROM due JOIN chunks c ON c.chunk_ref = due.chunk_ref WHERE w.chunk_ref = due.chunk_ref`, most)
		made = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("full text of chunks: %w", err)
	}
	return made, nil
}

// FulltextHit is a chunk that was found by its full text.
type FulltextHit struct {
	ChunkRef string
	Stands   string  // chunk_ref of the one that stands for its text
	Score    float64 // PostgreSQL's ts_rank, by the length of the text; more is better
}

// FulltextHits returns chunks that pass the filter and have some word of a question, by the
// stems of its language (ISO 639-1; "" compares words as they are), at most limit, the best first.
// Chunks that repeat one of an earlier version are left out: that one stands for them.
func (db *DB) FulltextHits(ctx context.Context, language, question string, f ChunkFilter, limit int) ([]FulltextHit, error) {
	where, args := f.where([]any{language, question, limit})
	rows, err := db.pool.Query(ctx, `WITH asked AS MATERIALIZED (
			SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery AS words
			FROM unnest(to_tsvector(fulltext_config($1), $2)))
		SELECT c.chunk_ref, coalesce(nullif(s.duplicate_of, ''), c.chunk_ref), ts_rank(w.fulltext, asked.words, 1)::float8 AS score
		FROM asked JOIN chunk_words w ON w.fulltext @@ asked.words AND w.fulltext IS NOT NULL
		JOIN chunks c ON c.chunk_ref = w.chunk_ref JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE s.repeats = '' AND `+where+` ORDER BY score DESC, c.chunk_ref COLLATE "C" LIMIT $3`, args...)
	if err != nil {
		return nil, fmt.Errorf("chunks by their full text: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[FulltextHit])
	if err != nil {
		return nil, fmt.Errorf("chunks by their full text: %w", Classify(err))
	}
	return found, nil
}
