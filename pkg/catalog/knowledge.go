package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// LockKnowledge locks the rows of the keys of proposed, in the order of the key, and
// returns which chunk stands for each: of a key without an entry it is from now on
// the one that is proposed, none when that is "". Rows that are made for such a key
// are to be filled or removed by SetKnowledge in the same transaction. Whoever
// inserts, archives, promotes or takes down chunks of a key holds its row, so that
// equal chunks of two documents meet here (contracts#knowledge).
func (t *DocumentTx) LockKnowledge(ctx context.Context, proposed map[model.KnowledgeKey]string) (map[model.KnowledgeKey]string, error) {
	standing := make(map[model.KnowledgeKey]string, len(proposed))
	for part := range slices.Chunk(sortedKeys(slices.Collect(maps.Keys(proposed))), stateBatch) {
		if err := t.propose(ctx, proposed, part); err != nil {
			return nil, err
		}
		hashes, types := keyColumns(part)
		t.tx.queue(`SELECT k.text_hash, k.source_type, k.chunk_ref
			FROM unnest($1::text[], $2::text[]) AS u(hash, type)
			JOIN knowledge k ON k.text_hash = u.hash AND k.source_type = u.type WHERE k.chunk_ref <> ''`,
			hashes, types).Query(func(rows pgx.Rows) error {
			var key model.KnowledgeKey
			var ref string
			_, err := pgx.ForEachRow(rows, []any{&key.TextHash, &key.SourceType, &ref}, func() error {
				standing[key] = ref
				return nil
			})
			return err
		})
		if err := t.tx.flush(ctx); err != nil {
			return nil, fmt.Errorf("reading knowledge: %w", err)
		}
	}
	return standing, nil
}

// propose locks the rows of keys, which are in order, and makes those that are not
// there.
func (t *DocumentTx) propose(ctx context.Context, proposed map[model.KnowledgeKey]string, keys []model.KnowledgeKey) error {
	hashes, types := keyColumns(keys)
	refs := make([]string, len(keys))
	for i, key := range keys {
		refs[i] = proposed[key]
	}
	// A conflicting row is locked although nothing is written to it.
	return t.tx.write(ctx, fmt.Sprintf("locking %d rows of knowledge", len(keys)), 0,
		`INSERT INTO knowledge (text_hash, source_type, chunk_ref)
		SELECT hash, type, ref FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(hash, type, ref, n) ORDER BY n
		ON CONFLICT (text_hash, source_type) DO UPDATE SET chunk_ref = knowledge.chunk_ref WHERE false`, hashes, types, refs)
}

// AddStandingStates is LockKnowledge and AddStates for new chunks beside which no
// other changes, at once: standing names those that would stand for their text. Each
// of them is a duplicate of what stands for its text already, if that is another; of
// several with one text the first stands.
func (t *DocumentTx) AddStandingStates(ctx context.Context, run model.Run, cause string, states []model.ChunkState, standing map[string]model.KnowledgeKey) error {
	proposed := make(map[model.KnowledgeKey]string, len(standing))
	for _, s := range states {
		if key, ok := standing[s.ChunkRef]; ok && proposed[key] == "" {
			proposed[key] = s.ChunkRef
		}
	}
	for part := range slices.Chunk(sortedKeys(slices.Collect(maps.Keys(proposed))), stateBatch) {
		if err := t.propose(ctx, proposed, part); err != nil {
			return err
		}
	}
	return t.addStates(ctx, run, cause, states, standing)
}

// Duplicates returns the chunks of these keys, of any document, for which
// another chunk stands, and those of refs for which one does. The rows of knowledge of all of
// their keys must be held.
func (t *DocumentTx) Duplicates(ctx context.Context, keys []model.KnowledgeKey, refs []string) ([]model.ChunkLink, error) {
	var all []model.ChunkLink
	for part := range slices.Chunk(sortedKeys(keys), stateBatch) {
		hashes, types := keyColumns(part)
		links, err := t.links(ctx, `(c.text_hash, c.source_type) IN (SELECT * FROM unnest($1::text[], $2::text[]))
			AND s.duplicate_of <> '' ORDER BY c.chunk_ref COLLATE "C"`, hashes, types)
		if err != nil {
			return nil, err
		}
		all = append(all, links...)
	}
	for part := range slices.Chunk(refs, stateBatch) {
		links, err := t.links(ctx, `c.chunk_ref = ANY($1) AND s.duplicate_of <> '' ORDER BY c.chunk_ref COLLATE "C"`, part)
		if err != nil {
			return nil, err
		}
		all = append(all, links...)
	}
	return all, nil
}

// SetKnowledge records which chunk stands for each key from now on; of a key
// with "" the row is removed. The rows must be held.
func (t *DocumentTx) SetKnowledge(ctx context.Context, standing map[model.KnowledgeKey]string) error {
	keys := make([]model.KnowledgeKey, 0, len(standing))
	for key := range standing {
		keys = append(keys, key)
	}
	for part := range slices.Chunk(sortedKeys(keys), stateBatch) {
		hashes, types := keyColumns(part)
		refs := make([]string, len(part))
		for i, key := range part {
			refs[i] = standing[key]
		}
		if err := t.tx.write(ctx, fmt.Sprintf("setting %d rows of knowledge", len(part)), len(part),
			`UPDATE knowledge k SET chunk_ref = u.ref
			FROM unnest($1::text[], $2::text[], $3::text[]) AS u(hash, type, ref)
			WHERE k.text_hash = u.hash AND k.source_type = u.type AND u.ref <> '' AND k.chunk_ref <> u.ref`,
			hashes, types, refs); err != nil {
			return err
		}
		if !slices.Contains(refs, "") {
			continue
		}
		if err := t.tx.write(ctx, "removing rows of knowledge", len(part),
			`DELETE FROM knowledge k USING unnest($1::text[], $2::text[], $3::text[]) AS u(hash, type, ref)
			WHERE k.text_hash = u.hash AND k.source_type = u.type AND u.ref = ''`, hashes, types, refs); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(keys []model.KnowledgeKey) []model.KnowledgeKey {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, model.KnowledgeKey.Compare)
	return slices.Compact(keys)
}

func keyColumns(keys []model.KnowledgeKey) (hashes, types []string) {
	for _, k := range keys {
		hashes, types = append(hashes, k.TextHash), append(types, k.SourceType)
	}
	return hashes, types
}
