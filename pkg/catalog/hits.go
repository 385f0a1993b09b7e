package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// SearchScope is what a search begins with.
type SearchScope struct {
	Collection model.Collection // the active one of the alias
	Disabled   []string         // sources whose chunks a search does not find, by source_id
}

// SearchScope returns the active collection of an alias and the sources that are
// disabled now. ErrNotFound says that nothing was indexed yet.
func (db *DB) SearchScope(ctx context.Context, alias string) (SearchScope, error) {
	var s SearchScope
	c := &s.Collection
	err := db.pool.QueryRow(ctx, `SELECT `+collectionColumns+`,
			ARRAY(SELECT source_id FROM sources WHERE state = 'disabled' ORDER BY source_id COLLATE "C")
		FROM collections WHERE alias = $1 AND state = 'active'`, alias).
		Scan(&c.Name, &c.Alias, &c.Model, &c.Dimensions, &c.State, &s.Disabled)
	if err != nil {
		return s, fmt.Errorf("active collection of %s: %w", alias, Classify(err))
	}
	return s, nil
}

// Claim is what a hit says: a content, and as what it is said. Chunks of one claim
// are one hit. Type and status are part of it, since who reads that a fact is
// confirmed must not find an opinion or what was refuted among its sources.
type Claim struct {
	ContentTextHash string
	Type            model.ChunkType
	Status          model.ChunkStatus
}

// ClaimRow is which claim a chunk makes, and where it stands.
type ClaimRow struct {
	ChunkRef string
	Claim    Claim
	SourceID string
	Layer    model.Layer
}

// ofAVersion is true of a chunk c with the state s, unless its version is the same as an
// earlier one that landed later and has the chunks since then: such chunks were never
// said on their date, and whether there are any depends on which of two equal captures
// came first.
const ofAVersion = `(s.layer <> 'archive' OR NOT EXISTS (SELECT 1 FROM chunk_manifests m
	WHERE m.doc_hash = c.doc_hash AND m.generation = c.generation AND m.same_as <> ''))`

// Claims returns what the chunks with these chunk_refs claim, by chunk_ref; those
// that do not exist are left out, and those of no version: of equal captures the first
// has the chunks.
func (db *DB) Claims(ctx context.Context, refs []string) (map[string]ClaimRow, error) {
	rows, err := db.pool.Query(ctx, `SELECT c.chunk_ref, c.content_text_hash, c.record->>'type', c.record->>'status', c.source_id, s.layer
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE c.chunk_ref = ANY($1) AND `+ofAVersion, refs)
	if err != nil {
		return nil, fmt.Errorf("claims of chunks: %w", Classify(err))
	}
	found := make(map[string]ClaimRow, len(refs))
	var r ClaimRow
	_, err = pgx.ForEachRow(rows, []any{&r.ChunkRef, &r.Claim.ContentTextHash, &r.Claim.Type, &r.Claim.Status, &r.SourceID, &r.Layer},
		func() error { found[r.ChunkRef] = r; return nil })
	if err != nil {
		return nil, fmt.Errorf("claims of chunks: %w", Classify(err))
	}
	return found, nil
}

// ChunksWithStates returns the chunks with these chunk_refs and their states, in no
// order; those that do not exist are left out.
func (db *DB) ChunksWithStates(ctx context.Context, refs []string) ([]ChunkWithState, error) {
	return db.chunkPage(ctx, `SELECT `+chunkColumns+`, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE c.chunk_ref = ANY($1)`, []any{refs})
}

// Saying returns for each claim the chunks that make it and pass the filter, with
// their states and without text, content and provenance, in the order of their
// refs, at most limit of each claim. A chunk that repeats one of an earlier version
// of its document is left out: that one stands for both. So is one of no version.
func (db *DB) Saying(ctx context.Context, claims []Claim, f ChunkFilter, limit int) ([][]ChunkWithState, error) {
	hashes, types, statuses := claimColumns(claims)
	where, args := f.where([]any{hashes, types, statuses, limit})
	rows, err := db.pool.Query(ctx, `SELECT u.n, said.* FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(hash, type, status, n)
		CROSS JOIN LATERAL (SELECT c.record, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by
			FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
			WHERE c.content_text_hash = u.hash AND c.record->>'type' = u.type AND c.record->>'status' = u.status
			AND s.repeats = '' AND `+where+` AND `+ofAVersion+`
			ORDER BY c.chunk_ref COLLATE "C" LIMIT $4) said`, args...)
	if err != nil {
		return nil, fmt.Errorf("chunks of equal content: %w", Classify(err))
	}
	all := make([][]ChunkWithState, len(claims))
	var (
		n      int
		record []byte
		s      model.ChunkState
	)
	_, err = pgx.ForEachRow(rows, []any{&n, &record, &s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy}, func() error {
		c := ChunkWithState{State: s}
		if err := json.Unmarshal(record, &c.Chunk); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		c.State.ChunkRef = c.Chunk.ChunkRef
		all[n-1] = append(all[n-1], c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("chunks of equal content: %w", Classify(err))
	}
	return all, nil
}

// ChunkPage names a page of the document that a chunk was made of.
type ChunkPage struct {
	Set    model.ChunkSet // the generation of chunks
	PageNo int            // from 1
}

// ChunkPageSegments returns for each page the segment that counted for it when its
// chunks were made; pages without one are left out.
func (db *DB) ChunkPageSegments(ctx context.Context, pages []ChunkPage) (map[ChunkPage]model.SegmentRow, error) {
	hashes, generations, numbers := make([]string, len(pages)), make([]int32, len(pages)), make([]int32, len(pages))
	for i, p := range pages {
		hashes[i], generations[i], numbers[i] = p.Set.DocHash, int32(p.Set.Generation), int32(p.PageNo)
	}
	rows, err := db.pool.Query(ctx, `SELECT u.doc_hash, u.generation, u.page_no, i.*
		FROM unnest($1::text[], $2::integer[], $3::integer[]) AS u(doc_hash, generation, page_no)
		JOIN chunk_manifests m ON m.doc_hash = u.doc_hash AND m.generation = u.generation
		CROSS JOIN LATERAL (SELECT `+segmentColumns+` FROM ir_segments s
			WHERE s.snapshot_id = m.snapshot_id AND s.extraction_id = m.extraction_id AND s.redo <= m.redo
			AND s.from_page <= u.page_no AND s.to_page >= u.page_no ORDER BY s.redo DESC LIMIT 1) i`, hashes, generations, numbers)
	if err != nil {
		return nil, fmt.Errorf("segments of pages: %w", Classify(err))
	}
	found := make(map[ChunkPage]model.SegmentRow, len(pages))
	var (
		p ChunkPage
		s model.SegmentRow
	)
	_, err = pgx.ForEachRow(rows, []any{&p.Set.DocHash, &p.Set.Generation, &p.PageNo, &s.SnapshotID, &s.ExtractionID, &s.From, &s.To,
		&s.Redo, &s.ObjectKey, &s.Digest, &s.ByteLength, &s.Processed, &s.Failed}, func() error { found[p] = s; return nil })
	if err != nil {
		return nil, fmt.Errorf("segments of pages: %w", Classify(err))
	}
	return found, nil
}
