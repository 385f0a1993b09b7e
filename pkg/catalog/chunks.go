package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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
	generations, indexes, blocks := make([]int32, n), make([]int32, n), make([]*string, n)
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
		generations[i], indexes[i], blocks[i] = int32(c.Generation), int32(c.ChunkIndex), blocksColumn(c.Blocks)
	}
	args := make([]any, 0, len(cols)+2)
	for _, col := range cols {
		args = append(args, col)
	}
	if err := t.tx.write(ctx, fmt.Sprintf("inserting %d chunks", n), n, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, document_id, source_id, snapshot_id, text,
			content, text_hash, content_text_hash, source_type, provenance, record, generation, chunk_index, blocks)
		SELECT u.c1, u.c2, u.c3, u.c4, u.c5, u.c6, u.c7, u.c8, u.c9, u.c10, u.c11, u.c12, u.c13, u.c14, u.c15, u.c16::bigint[] FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::text[], $10::text[], $11::text[], $12::jsonb[], $13::jsonb[], $14::integer[], $15::integer[], $16::text[])
			AS u(c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16)`,
		append(args, generations, indexes, blocks)...); err != nil {
		return err
	}
	return t.tx.start(ctx)
}

// blocksColumn writes keys of blocks as an array of PostgreSQL; nil where they were not made.
func blocksColumn(keys []int64) *string {
	if keys == nil {
		return nil
	}
	b := []byte{'{'}
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, key, 10)
	}
	text := string(append(b, '}'))
	return &text
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
