package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// peers adds the manifests whose chunks may point to one of the chunks given by
// repeating it, and returns their documents: a chain of repeats holds one content of
// one document. With waiting it leaves out manifests whose vectors are all in.
func peers(ctx context.Context, q querier, refs []string, manifests manifestSet, waiting bool) (documents []string, err error) {
	// OFFSET 0 keeps the look-ups in this order, each by its index: of one large
	// document among few the planner would rather read all chunks at every batch.
	rows, err := q.Query(ctx, `WITH same_content AS (
			SELECT DISTINCT document_id, content_text_hash FROM chunks WHERE chunk_ref = ANY($1)),
		sets AS (
			SELECT DISTINCT c.doc_hash, c.generation, s.document_id FROM same_content s CROSS JOIN LATERAL (
				SELECT doc_hash, generation FROM chunks
				WHERE document_id = s.document_id AND content_text_hash = s.content_text_hash OFFSET 0) c)
		SELECT s.doc_hash, s.generation, s.document_id FROM sets s
		JOIN chunk_manifests m ON m.doc_hash = s.doc_hash AND m.generation = s.generation
		WHERE NOT $2 OR m.vector_status <> 'present'`, refs, waiting)
	if err != nil {
		return nil, err
	}
	var docHash, document string
	var generation int
	_, err = pgx.ForEachRow(rows, []any{&docHash, &generation, &document}, func() error {
		manifests.add(docHash, generation)
		documents = append(documents, document)
		return nil
	})
	return documents, err
}

// touched is why a manifest is looked at.
type touched struct {
	own  bool // some of its chunks were pushed just now
	some bool // one of them has its vector
}

// manifestSet is a set of manifests.
type manifestSet map[model.ChunkSet]*touched

func (s manifestSet) add(docHash string, generation int) *touched {
	key := model.ChunkSet{DocHash: docHash, Generation: generation}
	if s[key] == nil {
		s[key] = &touched{}
	}
	return s[key]
}

// keys returns the manifests in the order in which they are locked.
func (s manifestSet) keys() manifestKeys {
	keys := make([]model.ChunkSet, 0, len(s))
	for key := range s {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b model.ChunkSet) int {
		return cmp.Or(strings.Compare(a.DocHash, b.DocHash), cmp.Compare(a.Generation, b.Generation))
	})
	var k manifestKeys
	for _, key := range keys {
		k.docHashes, k.generations = append(k.docHashes, key.DocHash), append(k.generations, int32(key.Generation))
		k.own, k.some = append(k.own, s[key].own), append(k.some, s[key].some)
	}
	return k
}

// manifestKeys are manifests as columns.
type manifestKeys struct {
	docHashes   []string
	generations []int32
	own, some   []bool
}

func (p *pushTx) holdManifests(keys manifestKeys) {
	p.tx.queue(`SELECT 1 FROM chunk_manifests m
		WHERE (m.doc_hash, m.generation) IN (SELECT * FROM unnest($1::text[], $2::integer[]))
		ORDER BY m.doc_hash COLLATE "C", m.generation FOR NO KEY UPDATE`, keys.docHashes, keys.generations)
}

// failManifests marks the manifests of which a chunk has no vector in the active collection.
func (p *pushTx) failManifests(keys manifestKeys, sentence string) {
	p.tx.queue(`UPDATE chunk_manifests m SET vector_status = 'error', error_message = $4, updated_at = now()
		FROM unnest($1::text[], $2::integer[], $3::boolean[]) AS w(doc_hash, generation, own)
		WHERE w.own AND m.doc_hash = w.doc_hash AND m.generation = w.generation`,
		keys.docHashes, keys.generations, keys.own, sentence)
}

// judgeFailed judges those of the chunks' own manifests that are in error. Where nothing is left
// to record of a chunk, the collection that its push failed for may be written no more.
func (p *pushTx) judgeFailed(ctx context.Context) error {
	all := p.own.keys()
	failed, err := collect(ctx, p.tx, pgx.RowToStructByPos[model.ChunkSet], `SELECT m.doc_hash, m.generation FROM chunk_manifests m
		JOIN unnest($1::text[], $2::integer[]) AS w(doc_hash, generation) ON m.doc_hash = w.doc_hash AND m.generation = w.generation
		WHERE m.vector_status = 'error'`, all.docHashes, all.generations)
	if err != nil || len(failed) == 0 {
		return err
	}
	touched := make(manifestSet)
	for _, set := range failed {
		touched.add(set.DocHash, set.Generation)
	}
	p.holdManifests(touched.keys())
	p.judgeManifests(touched.keys())
	return p.tx.flush(ctx)
}

// vectorsOf yields for manifest w, the last chunk first, whether each chunk has
// or points to a vector of collection $5. A chunk's own row is looked up by its
// key: of an EXISTS the planner may make a hash of all vectors that there are.
const vectorsOf = `SELECT CASE WHEN x.next = ''
		THEN coalesce((SELECT v.present FROM chunk_vectors v WHERE v.chunk_ref = x.chunk_ref AND v.collection = $5), false)
		ELSE EXISTS (WITH RECURSIVE walk(at, next) AS (
				SELECT x.chunk_ref, x.next UNION
				SELECT s.chunk_ref, s.repeats
				FROM walk JOIN chunk_state s ON s.chunk_ref = walk.next WHERE walk.next <> '')
			SELECT 1 FROM walk JOIN chunk_vectors v ON v.chunk_ref = walk.at AND v.collection = $5
			WHERE walk.next = '' AND v.present) END AS has
	FROM (SELECT c.chunk_ref, s.repeats AS next
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
		WHERE c.doc_hash = w.doc_hash AND c.generation = w.generation ORDER BY c.chunk_index DESC) x`

// judgeManifests sets vector_status: present when every chunk has or points to a
// vector of the active collection (contracts#has-point). An error stays until then.
// Chunks come in the order of their index, so that a look from the end meets one
// that waits at once: what is read grows with the document, not with its square.
func (p *pushTx) judgeManifests(keys manifestKeys) {
	if p.active() == "" || len(keys.docHashes) == 0 {
		return
	}
	p.tx.queue(`WITH judged AS MATERIALIZED (
			SELECT w.*, EXISTS (SELECT 1 FROM (`+vectorsOf+`) y WHERE NOT y.has) AS waits
			FROM unnest($1::text[], $2::integer[], $3::boolean[], $4::boolean[]) AS w(doc_hash, generation, own, filled))
		UPDATE chunk_manifests m SET
			vector_status = CASE WHEN NOT w.waits THEN 'present' WHEN m.vector_status = 'error' THEN 'error'
				WHEN w.filled THEN 'partial'
				WHEN EXISTS (SELECT 1 FROM (`+vectorsOf+`) y WHERE y.has) THEN 'partial' ELSE 'none' END,
			error_message = CASE WHEN NOT w.waits AND m.vector_status = 'error' THEN '' ELSE m.error_message END,
			last_pushed_at = CASE WHEN w.own THEN now() ELSE m.last_pushed_at END,
			last_pushed_collection = CASE WHEN w.own THEN $5 ELSE m.last_pushed_collection END,
			updated_at = now()
		FROM judged w WHERE m.doc_hash = w.doc_hash AND m.generation = w.generation`,
		keys.docHashes, keys.generations, keys.own, keys.some, p.active())
}
