package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// BlockHolder is a source of which current chunks have text of blocks that another chunk has.
type BlockHolder struct {
	SourceID   string
	Source     string // display name
	Blocks     int    // how many of the other chunk's blocks its chunks have
	ChunkRef   string // of its chunks that which has most of them
	DocumentID string
	URL        string
	Title      string
	Page       int // from 1; 0 when there is none
}

// BlockHolders are the sources of the blocks of one chunk.
type BlockHolders struct {
	Sources []BlockHolder // those with most of the blocks first
	More    bool          // more chunks have some of the blocks than were looked at
}

// blockHolders finds the chunks w with a block of chunks o by the index; what that says is held
// against the chunks' own keys.
const blockHolders = `SELECT o.chunk_ref, o.blocks, held.* FROM chunks o CROSS JOIN LATERAL (
		SELECT c.blocks AS theirs, c.source_id, c.record->>'source', c.chunk_ref, c.document_id, c.record->>'url', c.record->>'title',
			coalesce((c.record->>'page_hint')::integer, 0)
		FROM chunk_words w JOIN chunks c ON c.chunk_ref = w.chunk_ref JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE w.blocks && o.blocks AND c.blocks && o.blocks AND c.document_id <> o.document_id AND s.layer <> 'archive' AND s.repeats = ''
			AND c.source_id NOT IN (SELECT source_id FROM sources WHERE state = 'disabled')
		LIMIT $2 + 1) held
	WHERE o.chunk_ref = ANY($1) AND o.blocks <> '{}'`

// BlockHolders returns for each of these chunk_refs the sources whose current chunks have text of
// a block that it has, but those of its own document; of each at most limit chunks are looked at.
// Disabled sources, what is in the archive, and what repeats a chunk of an earlier version are left
// out (contracts#same-blocks). Chunks whose words are not made yet are not found.
func (db *DB) BlockHolders(ctx context.Context, refs []string, limit int) (map[string]BlockHolders, error) {
	found := make(map[string]*blockFindings)
	var (
		of         string
		own, their []int64
		h          BlockHolder
	)
	err := db.atOnceByIndex(ctx, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&of, &own, &their, &h.SourceID, &h.Source, &h.ChunkRef, &h.DocumentID, &h.URL, &h.Title, &h.Page}, func() error {
			f := found[of]
			if f == nil {
				f = &blockFindings{best: make(map[string]BlockHolder), keys: make(map[string]map[int64]bool)}
				found[of] = f
			}
			if f.looked++; f.looked <= limit {
				f.add(own, their, h)
			}
			return nil
		})
		return err
	}, blockHolders, refs, limit)
	if err != nil {
		return nil, fmt.Errorf("sources of blocks: %w", Classify(err))
	}
	all := make(map[string]BlockHolders, len(found))
	for ref, f := range found {
		all[ref] = BlockHolders{f.sources(), f.looked > limit}
	}
	return all, nil
}

// atOnceByIndex is a read as byIndexOnly does it, in one way there and back.
func (db *DB) atOnceByIndex(ctx context.Context, read func(pgx.Rows) error, sql string, args ...any) error {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`)
	batch.Queue(sql, args...)
	results := db.pool.SendBatch(ctx, batch) // in one transaction
	_, err := results.Exec()
	if err == nil {
		var rows pgx.Rows
		if rows, err = results.Query(); err == nil {
			err = read(rows)
		}
	}
	return errors.Join(err, results.Close())
}

// blockFindings are the chunks that have blocks of one chunk, by their sources.
type blockFindings struct {
	best   map[string]BlockHolder    // of each source the chunk with most blocks, then with the least chunk_ref
	keys   map[string]map[int64]bool // which blocks each source has
	looked int
}

func (f *blockFindings) add(own, their []int64, h BlockHolder) {
	shared := f.keys[h.SourceID]
	if shared == nil {
		shared = make(map[int64]bool)
		f.keys[h.SourceID] = shared
	}
	for _, key := range their {
		if _, ok := slices.BinarySearch(own, key); ok {
			shared[key] = true
			h.Blocks++
		}
	}
	was, known := f.best[h.SourceID]
	if !known || h.Blocks > was.Blocks || h.Blocks == was.Blocks && h.ChunkRef < was.ChunkRef {
		f.best[h.SourceID] = h
	}
}

func (f *blockFindings) sources() []BlockHolder {
	all := make([]BlockHolder, 0, len(f.best))
	for id, h := range f.best {
		h.Blocks = len(f.keys[id])
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b BlockHolder) int {
		return cmp.Or(cmp.Compare(b.Blocks, a.Blocks), cmp.Compare(a.SourceID, b.SourceID))
	})
	return all
}
