package deliver_test

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/retrieval"

	"github.com/pgvector/pgvector-go"
)

// vectors asks PostgreSQL for what is near a content: the chunks that say it come first.
func (w *world) vectors(url string) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), url)
	w.must(err)
	defer func() { _ = conn.Close(context.WithoutCancel(w.Context())) }()
	var content string
	w.must(conn.QueryRow(w.Context(), `SELECT content FROM colophon_chunks.current_chunks ORDER BY chunk_ref DESC LIMIT 1`).Scan(&content))
	made, err := retrieval.HashEmbedder{}.Embed(w.Context(), []string{content}, retrieval.Query)
	w.must(err)
	var nearest string
	w.must(conn.QueryRow(w.Context(), `SELECT content FROM colophon_chunks.current_chunks ORDER BY embedding <=> $1::public.vector LIMIT 1`,
		pgvector.NewVector(made[0]).String()).Scan(&nearest))
	if nearest != content {
		w.Errorf("nearest to %q is %q", content, nearest)
	}
	var without, rows, distinct int
	w.must(conn.QueryRow(w.Context(), `SELECT count(*) FILTER (WHERE embedding IS NULL AND NOT removed), count(*), count(DISTINCT chunk_ref) FROM colophon_chunks.chunks`).Scan(&without, &rows, &distinct))
	if without > 0 || rows != distinct {
		w.Errorf("%d chunks have no vector, %d rows of %d chunks", without, rows, distinct)
	}
}
