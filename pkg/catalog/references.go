package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Referring is a chunk that may refer to others, and the version whose chunks are meant: the
// document's current one, or its own where it is in the archive.
type Referring struct {
	ChunkRef        string
	SourceID        string
	Content         string
	ContentTextHash string
	Meant           model.ChunkSet
}

// ReferringChunks returns the chunks with these chunk_refs, in no order; those that do not
// exist are left out.
func (db *DB) ReferringChunks(ctx context.Context, refs []string) ([]Referring, error) {
	rows, err := db.pool.Query(ctx, `SELECT c.chunk_ref, c.source_id, c.content, c.content_text_hash,
			CASE WHEN s.layer = 'archive' OR d.current_doc_hash = '' THEN c.doc_hash ELSE d.current_doc_hash END,
			CASE WHEN s.layer = 'archive' OR d.current_doc_hash = '' THEN c.generation ELSE d.current_generation END
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref JOIN documents d ON d.document_id = c.document_id
		WHERE c.chunk_ref = ANY($1)`, refs)
	if err != nil {
		return nil, fmt.Errorf("chunks that refer to others: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Referring, err error) {
		err = row.Scan(&r.ChunkRef, &r.SourceID, &r.Content, &r.ContentTextHash, &r.Meant.DocHash, &r.Meant.Generation)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("chunks that refer to others: %w", Classify(err))
	}
	return found, nil
}

// VersionTexts returns the chunks of a version, at most limit, in their order: of each its
// chunk_ref, content, hash of that, headings and anchors.
func (db *DB) VersionTexts(ctx context.Context, set model.ChunkSet, limit int) ([]model.Chunk, error) {
	rows, err := db.pool.Query(ctx, `SELECT chunk_ref, content, content_text_hash, record->'section_path', record->'anchors'
		FROM chunks WHERE doc_hash = $1 AND generation = $2 ORDER BY chunk_index LIMIT $3`, set.DocHash, set.Generation, limit)
	if err != nil {
		return nil, fmt.Errorf("texts of %s, generation %d: %w", set.DocHash, set.Generation, Classify(err))
	}
	chunks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c model.Chunk, err error) {
		var path, anchors []byte
		if err = row.Scan(&c.ChunkRef, &c.Content, &c.ContentTextHash, &path, &anchors); err != nil {
			return c, err
		}
		for _, field := range []struct {
			json []byte
			into any
		}{{path, &c.SectionPath}, {anchors, &c.Anchors}} {
			if field.json == nil {
				continue
			}
			if err := json.Unmarshal(field.json, field.into); err != nil {
				return c, fmt.Errorf("chunk %s: %w", c.ChunkRef, err)
			}
		}
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("texts of %s, generation %d: %w", set.DocHash, set.Generation, Classify(err))
	}
	return chunks, nil
}

// Titled is a document whose title has some words.
type Titled struct {
	DocumentID string
	SourceID   string
	Current    model.ChunkSet
}

// DocumentsTitled returns documents with chunks whose title has all of these words, folded as
// quote_words of the catalog folds them, at most limit, those of the source first. A document
// of a disabled source is none.
func (db *DB) DocumentsTitled(ctx context.Context, words []string, sourceID string, limit int) ([]Titled, error) {
	rows, err := db.pool.Query(ctx, `SELECT d.document_id, d.source_id, d.current_doc_hash, d.current_generation FROM documents d
		WHERE d.title <> '' AND quote_words(d.title) @> $1 AND d.current_doc_hash <> ''
			AND NOT EXISTS (SELECT 1 FROM sources r WHERE r.source_id = d.source_id AND r.state = 'disabled')
		ORDER BY d.source_id <> $2, d.document_id LIMIT $3`, words, sourceID, limit)
	if err != nil {
		return nil, fmt.Errorf("documents by their titles: %w", Classify(err))
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Titled, err error) {
		err = row.Scan(&t.DocumentID, &t.SourceID, &t.Current.DocHash, &t.Current.Generation)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("documents by their titles: %w", Classify(err))
	}
	return found, nil
}

// FirstOfChains returns for each of these chunk_refs the first chunk of its chain of repeats, if
// that one passes the filter.
func (db *DB) FirstOfChains(ctx context.Context, refs []string, f ChunkFilter) (map[string]string, error) {
	where, args := f.where([]any{refs})
	rows, err := db.pool.Query(ctx, `WITH RECURSIVE walk AS (
			SELECT chunk_ref AS named, chunk_ref AS at, repeats AS next FROM chunk_state WHERE chunk_ref = ANY($1)
			UNION SELECT w.named, n.chunk_ref, n.repeats FROM walk w JOIN chunk_state n ON n.chunk_ref = w.next WHERE w.next <> '')
		SELECT w.named, w.at FROM walk w JOIN chunks c ON c.chunk_ref = w.at JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE w.next = '' AND `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("first chunks of chains: %w", Classify(err))
	}
	found := make(map[string]string, len(refs))
	var named, at string
	if _, err = pgx.ForEachRow(rows, []any{&named, &at}, func() error { found[named] = at; return nil }); err != nil {
		return nil, fmt.Errorf("first chunks of chains: %w", Classify(err))
	}
	return found, nil
}
