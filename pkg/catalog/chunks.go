package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// chunkRecord is a chunk's record column: the chunk without the parts that have
// columns of their own.
type chunkRecord struct {
	model.Chunk
	Text       *string `json:"text,omitempty"`
	Content    *string `json:"content,omitempty"`
	Provenance *string `json:"provenance,omitempty"`
}

// AddChunks begins to insert chunks, which are never changed afterwards, and does not
// wait for it. Their states come with AddStates, in the same transaction.
func (t *DocumentTx) AddChunks(ctx context.Context, chunks []model.Chunk) error {
	chunks = slices.Clone(chunks)
	slices.SortFunc(chunks, func(a, b model.Chunk) int { return strings.Compare(a.ChunkRef, b.ChunkRef) })
	n := len(chunks)
	cols := make([][]string, 13)
	for i := range cols {
		cols[i] = make([]string, n)
	}
	generations, indexes := make([]int32, n), make([]int32, n)
	for i, c := range chunks {
		record, err := json.Marshal(chunkRecord{Chunk: c})
		if err != nil {
			return fmt.Errorf("chunk %s: %w", c.ChunkRef, err)
		}
		provenance, err := json.Marshal(c.Provenance)
		if err != nil {
			return fmt.Errorf("chunk %s: its provenance: %w", c.ChunkRef, err)
		}
		for j, value := range []string{c.ChunkRef, c.PointID, c.DocHash, c.DocumentID, c.SourceID, c.SnapshotID, c.Text,
			c.Content, c.TextHash, c.ContentTextHash, c.SourceType, string(provenance), string(record)} {
			cols[j][i] = value
		}
		generations[i], indexes[i] = int32(c.Generation), int32(c.ChunkIndex)
	}
	args := make([]any, 0, len(cols)+2)
	for _, col := range cols {
		args = append(args, col)
	}
	if err := t.tx.write(ctx, fmt.Sprintf("inserting %d chunks", n), n, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, document_id, source_id, snapshot_id, text,
			content, text_hash, content_text_hash, source_type, provenance, record, generation, chunk_index)
		SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::text[], $10::text[], $11::text[], $12::jsonb[], $13::jsonb[], $14::integer[], $15::integer[])`,
		append(args, generations, indexes)...); err != nil {
		return err
	}
	return t.tx.start(ctx)
}

const chunkColumns = `c.text, c.content, c.provenance, c.record`

func scanChunk(row pgx.CollectableRow) (model.Chunk, error) {
	var (
		c                  model.Chunk
		text, content      string
		provenance, record []byte
	)
	if err := row.Scan(&text, &content, &provenance, &record); err != nil {
		return c, err
	}
	if err := json.Unmarshal(record, &c); err != nil {
		return c, fmt.Errorf("record: %w", err)
	}
	c.Text, c.Content = text, content
	if err := json.Unmarshal(provenance, &c.Provenance); err != nil {
		return c, fmt.Errorf("provenance: %w", err)
	}
	return c, nil
}

// Chunks returns the chunks with these chunk_refs, ordered by them; those that
// do not exist are left out.
func (db *DB) Chunks(ctx context.Context, refs []string) ([]model.Chunk, error) {
	rows, err := db.pool.Query(ctx, `SELECT `+chunkColumns+` FROM chunks c
		WHERE c.chunk_ref = ANY($1) ORDER BY c.chunk_ref COLLATE "C"`, refs)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	chunks, err := pgx.CollectRows(rows, scanChunk)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	return chunks, nil
}

// Chunk returns one chunk, or ErrNotFound.
func (db *DB) Chunk(ctx context.Context, ref string) (model.Chunk, error) {
	chunks, err := db.Chunks(ctx, []string{ref})
	if err == nil && len(chunks) == 0 {
		err = fmt.Errorf("chunk %s: %w", ref, ErrNotFound)
	}
	if err != nil {
		return model.Chunk{}, err
	}
	return chunks[0], nil
}
