package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// How many chunks are looked at for values: of one thing that is said, and of all together,
// but some of each. Ten thousand pages that carry one notice say no more values than the first
// of them, as a rule. 40,000 take 0.3 s (BenchmarkFacets, before there was a bound).
const (
	facetClaimants      = 2000
	facetChunks         = 40_000
	leastFacetClaimants = 50
)

// facetFields are what claims are counted by, and what a chunk c has of it.
var facetFields = []struct{ name, column string }{
	{"source", "c.source_id"}, {"source_type", "c.source_type"}, {"type", "c.record->>'type'"}, {"status", "c.record->>'status'"},
	{"language", "c.record->>'language'"}, {"doc_type", "c.record->>'doc_type'"}, {"domain", "c.record->>'domain'"},
	{"territory", "c.record->>'territory'"},
}

// FacetCount is how many claims some chunk makes that has the value.
type FacetCount struct {
	Field string // source, source_type, type, status, language, doc_type, domain or territory
	Value string // never empty
	Count int
}

// Facets counts claims by the values of the chunks that make them and pass the filter.
// Each claim counts once for a value. Most frequent values come first within a field. whole
// is false when more chunks make a claim than were looked at.
func (db *DB) Facets(ctx context.Context, claims []Claim, f ChunkFilter) (counts []FacetCount, whole bool, err error) {
	hashes, types, statuses := claimColumns(claims)
	most := min(facetClaimants, max(leastFacetClaimants, facetChunks/max(1, len(claims))))
	where, args := f.where([]any{hashes, types, statuses, most})
	values := make([]string, len(facetFields))
	for i, field := range facetFields {
		values[i] = fmt.Sprintf("('%s', %s)", field.name, field.column)
	}
	rows, err := db.pool.Query(ctx, `WITH said AS MATERIALIZED (
			SELECT u.n, c.* FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(hash, type, status, n)
			CROSS JOIN LATERAL (SELECT c.source_id, c.source_type, c.record
				FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
				WHERE c.content_text_hash = u.hash AND c.record->>'type' = u.type AND c.record->>'status' = u.status
				AND `+where+` AND `+ofAVersion+` LIMIT $4 + 1) c)
		SELECT v.field, v.value COLLATE "C" AS value, count(DISTINCT c.n) AS claims FROM said c
		CROSS JOIN LATERAL (VALUES `+strings.Join(values, ", ")+`) AS v(field, value)
		WHERE v.value <> '' GROUP BY 1, 2
		UNION ALL SELECT '', '', 0 FROM said GROUP BY n HAVING count(*) > $4
		ORDER BY field, claims DESC, value`, args...)
	if err != nil {
		return nil, false, fmt.Errorf("facets of %d claims: %w", len(claims), Classify(err))
	}
	whole = true
	var c FacetCount
	_, err = pgx.ForEachRow(rows, []any{&c.Field, &c.Value, &c.Count}, func() error {
		if whole = whole && c.Field != ""; c.Field != "" {
			counts = append(counts, c)
		}
		return nil
	})
	if err != nil {
		return nil, false, fmt.Errorf("facets of %d claims: %w", len(claims), Classify(err))
	}
	return counts, whole, nil
}

// claimColumns returns claims as columns.
func claimColumns(claims []Claim) (hashes, types, statuses []string) {
	for _, c := range claims {
		hashes, types, statuses = append(hashes, c.ContentTextHash), append(types, string(c.Type)), append(statuses, string(c.Status))
	}
	return hashes, types, statuses
}

// Placed is a chunk of a document or snapshot that a search is limited to.
type Placed struct {
	ChunkRef string // what stands there
	Root     string // chunk_ref of the first of its chain of repeats: that one has the point
}

// PlacedChunks returns the chunks of the filter's documents or snapshots that pass it, at
// most limit. Of a document these are those of its current version, without a snapshot, a
// bound of days or layers; else those of all versions. A snapshot whose text is the same
// as that of an earlier one has that one's chunks. Those of the newest version come first, in
// it those that repeat no other.
func (db *DB) PlacedChunks(ctx context.Context, f ChunkFilter, limit int) ([]Placed, error) {
	sets := `SELECT d.current_doc_hash, d.current_generation FROM documents d WHERE d.document_id = ANY($1)`
	args := []any{f.Documents, limit}
	switch {
	case len(f.Snapshots) > 0:
		sets = `SELECT coalesce(nullif(first.doc_hash, ''), m.doc_hash), coalesce(first.generation, m.generation) FROM chunk_manifests m
			LEFT JOIN LATERAL (SELECT e.doc_hash, e.generation FROM chunk_manifests e WHERE m.same_as <> '' AND e.snapshot_id = m.same_as
				AND e.document_id = m.document_id AND e.same_as = '' AND e.fingerprint = m.fingerprint
				ORDER BY e.generation DESC LIMIT 1) first ON true
			WHERE m.snapshot_id = ANY($1) AND ($3::text[] IS NULL OR m.document_id = ANY($3))`
		args = []any{f.Snapshots, limit, f.Documents}
	case f.From != "" || f.To != "" || len(f.Layers) > 0:
		sets = `SELECT m.doc_hash, m.generation FROM chunk_manifests m WHERE m.document_id = ANY($1)`
	}
	f.Documents, f.Snapshots = nil, nil
	where, args := f.where(args)
	rows, err := db.pool.Query(ctx, `WITH RECURSIVE placed AS (
			SELECT c.chunk_ref, c.snapshot_id, c.generation, s.repeats FROM (SELECT DISTINCT * FROM (`+sets+`) x(doc_hash, generation)) x
			JOIN chunks c ON c.doc_hash = x.doc_hash AND c.generation = x.generation
			JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE `+where+`
			ORDER BY c.doc_hash, c.generation, c.chunk_index LIMIT $2),
		walk AS (SELECT p.chunk_ref, p.chunk_ref AS at, p.repeats AS next FROM placed p
			UNION SELECT w.chunk_ref, s.chunk_ref, s.repeats FROM walk w JOIN chunk_state s ON s.chunk_ref = w.next WHERE w.next <> '')
		SELECT p.chunk_ref, w.at FROM walk w JOIN placed p ON p.chunk_ref = w.chunk_ref LEFT JOIN snapshots n ON n.snapshot_id = p.snapshot_id
		WHERE w.next = '' ORDER BY n.retrieved_at DESC NULLS LAST, p.snapshot_id COLLATE "C" DESC, p.generation DESC,
			p.chunk_ref <> w.at, p.chunk_ref COLLATE "C"`, args...)
	if err != nil {
		return nil, fmt.Errorf("chunks of documents: %w", Classify(err))
	}
	placed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Placed])
	if err != nil {
		return nil, fmt.Errorf("chunks of documents: %w", Classify(err))
	}
	return placed, nil
}

// Neighbours returns for each of these chunk_refs the chunks of the same generation that
// stand at most reach places before or behind it, itself left out, in their order and
// with their states.
func (db *DB) Neighbours(ctx context.Context, refs []string, reach int) (map[string][]ChunkWithState, error) {
	rows, err := db.pool.Query(ctx, `SELECT o.chunk_ref, `+chunkColumns+`, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by
		FROM chunks o JOIN chunks c ON c.doc_hash = o.doc_hash AND c.generation = o.generation
			AND c.chunk_index BETWEEN o.chunk_index - $2 AND o.chunk_index + $2 AND c.chunk_ref <> o.chunk_ref
		JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE o.chunk_ref = ANY($1) ORDER BY o.chunk_ref, c.chunk_index`, refs, reach)
	if err != nil {
		return nil, fmt.Errorf("neighbours of chunks: %w", Classify(err))
	}
	found := make(map[string][]ChunkWithState, len(refs))
	type neighbour struct {
		of    string
		chunk ChunkWithState
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n neighbour, err error) {
		n.chunk, err = scanChunkWithState(afterRow{row, &n.of})
		return n, err
	})
	if err != nil {
		return nil, fmt.Errorf("neighbours of chunks: %w", Classify(err))
	}
	for _, n := range list {
		found[n.of] = append(found[n.of], n.chunk)
	}
	return found, nil
}

// afterRow is a row with a column before those that its scanner knows.
type afterRow struct {
	pgx.CollectableRow
	first *string
}

func (r afterRow) Scan(dest ...any) error {
	return r.CollectableRow.Scan(append([]any{r.first}, dest...)...)
}
