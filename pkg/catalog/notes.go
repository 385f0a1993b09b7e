package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Replacing returns for each content what operators have added that says what is known of it since: the chunks, without
// text, whose replaces names a chunk of that content, dated until the day (YYYY-MM-DD; "" for no bound), the newest
// first. Those in the archive, and those of sources that are disabled, are left out.
func (db *DB) Replacing(ctx context.Context, contentTextHashes []string, until string, except []string) (map[string][]model.Chunk, error) {
	if except == nil {
		except = []string{}
	}
	rows, err := db.pool.Query(ctx, `SELECT DISTINCT o.content_text_hash, n.record || jsonb_build_object('content', n.content) AS record,
			n.record->>'info_date' AS day, n.chunk_ref
		FROM chunks o JOIN chunks n ON n.record->'meta' ? 'replaces' AND n.record->'meta'->'replaces' ? o.chunk_ref
		JOIN chunk_state s ON s.chunk_ref = n.chunk_ref
		WHERE o.content_text_hash = ANY($1) AND s.layer <> 'archive' AND s.repeats = '' AND ($2 = '' OR n.record->>'info_date' <= $2)
			AND n.source_id <> ALL($3)
		ORDER BY day DESC, n.chunk_ref`, contentTextHashes, until, except)
	if err != nil {
		return nil, fmt.Errorf("what replaces chunks: %w", Classify(err))
	}
	found := make(map[string][]model.Chunk)
	var hash, day, ref string
	var record []byte
	_, err = pgx.ForEachRow(rows, []any{&hash, &record, &day, &ref}, func() error {
		var c model.Chunk
		if err := json.Unmarshal(record, &c); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		found[hash] = append(found[hash], c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("what replaces chunks: %w", Classify(err))
	}
	return found, nil
}
