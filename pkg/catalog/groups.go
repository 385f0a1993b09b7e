package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// groupSize is the largest number of chunks in one slice of ChunkGroups.
const groupSize = 500

// ChunkWithState is a chunk and what changes about it.
type ChunkWithState struct {
	Chunk model.Chunk      `json:"chunk"` // the chunk as it was created
	State model.ChunkState `json:"state"` // what changes about it
}

// ChunkGroups returns chunks with their states in the order of (doc_hash,
// generation, chunk_index): one slice for each generation of a doc_hash, or
// several of at most 500. Only the chunks named by refs and those of documentID
// are returned; an empty one of the two does not narrow. It reads page by page
// and holds no connection while the caller works. It ends at the first error.
func (db *DB) ChunkGroups(ctx context.Context, refs []string, documentID string) iter.Seq2[[]ChunkWithState, error] {
	where, args := `(c.doc_hash, c.generation, c.chunk_index) > ($1, $2, $3)`, []any{"", 0, 0}
	if len(refs) > 0 {
		args = append(args, refs)
		where += fmt.Sprintf(` AND c.chunk_ref = ANY($%d)`, len(args))
	}
	if documentID != "" {
		args = append(args, documentID)
		where += fmt.Sprintf(` AND c.document_id = $%d`, len(args))
	}
	return db.chunkGroups(ctx, `chunks c`, where, args)
}

// CurrentChunks returns the chunks of the documents' current versions, of one
// source or of all when it is empty, as ChunkGroups does.
func (db *DB) CurrentChunks(ctx context.Context, sourceID string) iter.Seq2[[]ChunkWithState, error] {
	return db.chunkGroups(ctx, currentChunks, `(c.doc_hash, c.generation, c.chunk_index) > ($1, $2, $3) AND ($4 = '' OR d.source_id = $4)`,
		[]any{"", 0, 0, sourceID})
}

// chunkGroups reads chunks from a table or join that calls them c. The first three
// args are where to begin.
func (db *DB) chunkGroups(ctx context.Context, from, where string, args []any) iter.Seq2[[]ChunkWithState, error] {
	query := fmt.Sprintf(`SELECT `+chunkColumns+`, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by
		FROM `+from+` JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE `+where+`
		ORDER BY c.doc_hash, c.generation, c.chunk_index LIMIT %d`, groupSize)
	return func(yield func([]ChunkWithState, error) bool) {
		var group []ChunkWithState
		for {
			page, err := db.chunkPage(ctx, query, args)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, c := range page {
				if len(group) > 0 && (len(group) == groupSize || !sameGroup(group[0].Chunk, c.Chunk)) {
					if !yield(group, nil) {
						return
					}
					group = nil
				}
				group = append(group, c)
			}
			if len(page) < groupSize {
				break
			}
			last := page[len(page)-1].Chunk
			args[0], args[1], args[2] = last.DocHash, last.Generation, last.ChunkIndex
		}
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

func sameGroup(a, b model.Chunk) bool { return a.DocHash == b.DocHash && a.Generation == b.Generation }

func (db *DB) chunkPage(ctx context.Context, query string, args []any) ([]ChunkWithState, error) {
	rows, err := db.pool.Query(ctx, query, slices.Clone(args)...)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	page, err := pgx.CollectRows(rows, scanChunkWithState)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", Classify(err))
	}
	return page, nil
}

func scanChunkWithState(row pgx.CollectableRow) (ChunkWithState, error) {
	var (
		c                  ChunkWithState
		text, content      string
		provenance, record []byte
	)
	s := &c.State
	if err := row.Scan(&text, &content, &provenance, &record,
		&s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy); err != nil {
		return c, err
	}
	if err := json.Unmarshal(record, &c.Chunk); err != nil {
		return c, fmt.Errorf("record: %w", err)
	}
	c.Chunk.Text, c.Chunk.Content = text, content
	if err := json.Unmarshal(provenance, &c.Chunk.Provenance); err != nil {
		return c, fmt.Errorf("provenance: %w", err)
	}
	s.ChunkRef = c.Chunk.ChunkRef
	return c, nil
}

const fullManifestColumns = manifestColumns + `, coalesce(last_pushed_at, '0001-01-01T00:00:00Z'), last_pushed_collection, created_at, updated_at`

func scanManifest(row pgx.CollectableRow) (model.Manifest, error) {
	var (
		m    model.Manifest
		meta []byte
	)
	err := row.Scan(&m.DocHash, &m.Generation, &m.DocumentID, &m.SourceID, &m.SnapshotID, &m.ExtractionID, &m.Redo,
		&m.CanonicalURL, &m.SourceFile, &m.DocType, &m.ChunkCount, &m.Status, &m.ErrorMessage, &m.SameAs, &m.Fingerprint,
		&m.SegmentsDigest, &m.ChunkerVersion, &m.HeaderVersion, &meta, &m.LeftOut, &m.VectorStatus, &m.LastPushedAt, &m.LastPushedCollection, &m.CreatedAt, &m.UpdatedAt)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(meta, &m.Meta)
}

func (db *DB) manifests(ctx context.Context, where string, args ...any) ([]model.Manifest, error) {
	return manifestsOf(ctx, db.pool, where, args...)
}

func manifestsOf(ctx context.Context, q querier, where string, args ...any) ([]model.Manifest, error) {
	rows, err := q.Query(ctx, `SELECT `+fullManifestColumns+` FROM chunk_manifests WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("manifests: %w", Classify(err))
	}
	manifests, err := pgx.CollectRows(rows, scanManifest)
	if err != nil {
		return nil, fmt.Errorf("manifests: %w", Classify(err))
	}
	return manifests, nil
}

// Manifest returns the manifest of one generation of a doc_hash, or ErrNotFound.
func (db *DB) Manifest(ctx context.Context, docHash string, generation int) (model.Manifest, error) {
	found, err := db.manifests(ctx, `doc_hash = $1 AND generation = $2`, docHash, generation)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("manifest %s, generation %d: %w", docHash, generation, ErrNotFound)
	}
	if err != nil {
		return model.Manifest{}, err
	}
	return found[0], nil
}
