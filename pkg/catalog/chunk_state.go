package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// stateBatch is how many rows of chunk_state one statement writes.
const stateBatch = 1000

// The facets of a chunk c, of another o, and of the versions of a snapshot s, as scanLink
// and scanVersion read them.
const (
	chunkFacets = `c.source_type, coalesce(c.record->>'doc_type', ''), coalesce(c.record->>'domain', ''),
		coalesce(c.record->>'territory', ''), coalesce(c.record->>'language', '')`
	otherFacets = `o.source_type, coalesce(o.record->>'doc_type', ''), coalesce(o.record->>'domain', ''),
		coalesce(o.record->>'territory', ''), coalesce(o.record->>'language', '')`
	versionFacets = `coalesce(s.record->>'source_type', ''), coalesce(s.record->>'final_type', ''), coalesce(s.record->>'domain', ''),
		coalesce(s.record->>'territory', ''), coalesce(nullif(s.record->>'language', ''), s.record->>'source_language', '')`
)

const linkColumns = `c.chunk_ref, c.doc_hash, c.generation, c.chunk_index, c.text_hash, c.content_text_hash, c.source_type,
	c.record->>'type', ` + chunkFacets + `, c.record->>'status', c.record->'section_path', c.record->>'info_date', c.record->>'layer',
	s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by`

func scanLink(row pgx.CollectableRow) (model.ChunkLink, error) {
	var (
		l    model.ChunkLink
		path []byte
	)
	s, f := &l.State, &l.Facets
	err := row.Scan(&l.ChunkRef, &l.Set.DocHash, &l.Set.Generation, &l.ChunkIndex, &l.TextHash, &l.ContentTextHash,
		&l.SourceType, &l.Type, &f.SourceType, &f.DocType, &f.Domain, &f.Territory, &f.Language, &l.Status, &path, &l.InfoDate, &l.Layer,
		&s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy)
	if err != nil {
		return l, err
	}
	s.ChunkRef = l.ChunkRef
	return l, json.Unmarshal(path, &l.SectionPath)
}

func (t *DocumentTx) links(ctx context.Context, where string, args ...any) ([]model.ChunkLink, error) {
	links, err := collect(ctx, t.tx, scanLink, `SELECT `+linkColumns+` FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("links of chunks: %w", err)
	}
	return links, nil
}

// Links returns the chunks of one manifest in their order.
func (t *DocumentTx) Links(ctx context.Context, set model.ChunkSet) ([]model.ChunkLink, error) {
	return t.links(ctx, `c.doc_hash = $1 AND c.generation = $2 ORDER BY c.chunk_index`, set.DocHash, set.Generation)
}

// LinksByContent returns the document's chunks of all versions whose
// content_text_hash is one of those given.
func (t *DocumentTx) LinksByContent(ctx context.Context, contentTextHashes []string) ([]model.ChunkLink, error) {
	return t.links(ctx, `c.document_id = $1 AND c.content_text_hash = ANY($2)
		ORDER BY c.doc_hash COLLATE "C", c.generation, c.chunk_index`, t.documentID, contentTextHashes)
}

// inOrder is how the log has the chunks of one manifest, and so how they are
// published and pushed: by their index, which their refs end in.
const inOrder = `ORDER BY length(chunk_ref), chunk_ref`

// byIndex orders chunk_refs likewise, so that batches are in order as well.
func byIndex(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

// AddStates inserts the first states of new chunks and their log entries.
func (t *DocumentTx) AddStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState) error {
	return t.addStates(ctx, run, cause, states, nil)
}

// addStates is AddStates; of the chunks in standing, knowledge says what they are
// duplicates of.
func (t *DocumentTx) addStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState, standing map[string]model.KnowledgeKey) error {
	t.logs(run)
	states = slices.Clone(states)
	slices.SortFunc(states, func(a, b model.ChunkState) int { return byIndex(a.ChunkRef, b.ChunkRef) })
	for part := range slices.Chunk(states, stateBatch) {
		refs, layers, repeats, since, duplicates := stateColumns(part)
		keys := make([]model.KnowledgeKey, len(part))
		for i, s := range part {
			keys[i] = standing[s.ChunkRef]
		}
		hashes, types := keyColumns(keys)
		if err := t.tx.write(ctx, fmt.Sprintf("inserting the states of %d chunks", len(part)), len(part), `WITH added AS (
				INSERT INTO chunk_state (chunk_ref, layer, repeats, since, duplicate_of, rev, changed_by)
				SELECT ref, layer, repeats, since, coalesce((SELECT k.chunk_ref FROM knowledge k
					WHERE k.text_hash = s.hash AND k.source_type = s.type AND k.chunk_ref <> s.ref), duplicate), 1, $6
				FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $11::text[], $12::text[])
					AS s(ref, layer, repeats, since, duplicate, hash, type)
				RETURNING chunk_ref)
			INSERT INTO chunk_log (chunk_ref, rev, change, cause, snapshot_id, extraction_id, redo)
			SELECT chunk_ref, 1, '`+model.ChangeCreated+`', $7, $8, $9, $10 FROM added `+inOrder,
			refs, layers, repeats, since, duplicates, runName(run), cause, run.SnapshotID, run.ExtractionID, run.Redo,
			hashes, types); err != nil {
			return err
		}
	}
	return nil
}

// ChangeStates gives chunks their next states, counts their revisions and writes
// the log entries. Chunks of other documents may be among them when their rows
// of knowledge are held.
func (t *DocumentTx) ChangeStates(ctx context.Context, run model.Run, changes []model.StateChange) error {
	t.logs(run)
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b model.StateChange) int { return byIndex(a.State.ChunkRef, b.State.ChunkRef) })
	for part := range slices.Chunk(changes, stateBatch) {
		states := make([]model.ChunkState, len(part))
		causes, replacedBy := make([]string, len(part)), make([]string, len(part))
		for i, c := range part {
			states[i], causes[i], replacedBy[i] = c.State, c.Cause, c.ReplacedBy
		}
		refs, layers, repeats, since, duplicates := stateColumns(states)
		tag, err := t.tx.Exec(ctx, `WITH changed AS (
				UPDATE chunk_state s SET layer = n.layer, repeats = n.repeats, since = n.since, duplicate_of = n.duplicate,
					rev = s.rev + 1, changed_by = $8
				FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
					AS n(ref, layer, repeats, since, duplicate, cause, replaced_by)
				WHERE s.chunk_ref = n.ref
				RETURNING s.chunk_ref, s.rev, n.cause, n.replaced_by)
			INSERT INTO chunk_log (chunk_ref, rev, change, cause, replaced_by, snapshot_id, extraction_id, redo)
			SELECT chunk_ref, rev, '`+model.ChangeSuperseded+`', cause, replaced_by, $9, $10, $11 FROM changed `+inOrder,
			refs, layers, repeats, since, duplicates, causes, replacedBy, runName(run),
			run.SnapshotID, run.ExtractionID, run.Redo)
		if err != nil {
			return fmt.Errorf("changing the states of %d chunks: %w", len(part), err)
		}
		if n := tag.RowsAffected(); n != int64(len(part)) {
			return fmt.Errorf("changing the states of %d chunks: %d have one", len(part), n)
		}
	}
	return nil
}

func stateColumns(states []model.ChunkState) (refs, layers, repeats, since, duplicates []string) {
	for _, s := range states {
		refs, layers, repeats = append(refs, s.ChunkRef), append(layers, string(s.Layer)), append(repeats, s.Repeats)
		since, duplicates = append(since, s.Since), append(duplicates, s.DuplicateOf)
	}
	return refs, layers, repeats, since, duplicates
}

// runName names a run in changed_by.
func runName(run model.Run) string {
	return fmt.Sprintf("%s/%s/%d", run.SnapshotID, run.ExtractionID, run.Redo)
}

// ChunkStates returns the states of the chunks with these chunk_refs, ordered
// by them, each with what is current of its document; those that do not exist are left out.
func (db *DB) ChunkStates(ctx context.Context, refs []string) ([]model.ChunkState, error) {
	rows, err := db.pool.Query(ctx, `SELECT s.chunk_ref, s.layer, s.repeats, s.since, s.duplicate_of, s.rev, s.changed_by,
			d.document_id, d.current_rev, d.current_doc_hash, d.current_generation
		FROM chunk_state s JOIN chunks c ON c.chunk_ref = s.chunk_ref JOIN documents d ON d.document_id = c.document_id
		WHERE s.chunk_ref = ANY($1) ORDER BY s.chunk_ref COLLATE "C"`, refs)
	if err != nil {
		return nil, fmt.Errorf("states of chunks: %w", Classify(err))
	}
	states, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.ChunkState, error) {
		var s model.ChunkState
		err := row.Scan(&s.ChunkRef, &s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf, &s.Rev, &s.ChangedBy,
			&s.Current.DocumentID, &s.Current.Rev, &s.Current.DocHash, &s.Current.Generation)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("states of chunks: %w", Classify(err))
	}
	return states, nil
}
