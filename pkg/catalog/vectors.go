package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
)

// busyDelay is how long a chunk that another worker pushes is left to it.
const busyDelay = 200 * time.Millisecond

// syncWait is how long marking a document synced waits for its row.
const syncWait = 5 * time.Second

// Push makes collections equal to the items and returns what is to be recorded.
type Push = func(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error)

// PushVectors reads the chunks with these chunk_refs, calls push with them and
// with the collections that are written, and records what it returns in one
// transaction: chunk_vectors, the vector_status of every manifest whose chunks
// have or point to a vector that came or went, and, once all vectors of a
// document's current manifest are in, that it is synced.
//
// Nobody else pushes a chunk between its reading and its record, so a state that
// is committed meanwhile is pushed after this one, by its own event. Chunks that
// another worker holds are left out and come back as busy. When push or the
// record fails, nothing is recorded and everything is due as before. Nothing is
// written before push returns: a slow store keeps no transaction open that
// readers of the chunk log would wait for.
func (db *DB) PushVectors(ctx context.Context, alias string, refs []string, push Push) (busy []string, err error) {
	refs = slices.Clone(refs)
	slices.Sort(refs)
	refs = slices.Compact(refs)
	var documents []string
	var p pushTx
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		p = pushTx{db: db, tx: tx}
		if err := p.begin(ctx, alias, refs); err != nil {
			return err
		}
		busy = p.busy
		rows, err := push(ctx, p.collections, p.items)
		if err != nil {
			return err
		}
		documents, err = p.record(ctx, rows, "")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("vectors of %d chunks: %w", len(refs), err)
	}
	faultpoint.Reach("index.rows.committed")
	late, err := db.countLate(ctx, alias, p.moved, p.own)
	if err != nil {
		return nil, err
	}
	return busy, db.syncDocuments(ctx, append(documents, late...))
}

// FailVectors records that a chunk's state cannot be pushed: it is not due any
// more, its manifest has vector_status error with the sentence, and another push
// of the chunk writes it whole. A chunk that is gone or was pushed leaves nothing
// to record; one that another worker holds is deferred.
func (db *DB) FailVectors(ctx context.Context, alias, ref, sentence string) error {
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		p := pushTx{db: db, tx: tx}
		if err := p.begin(ctx, alias, []string{ref}); err != nil {
			return err
		}
		if len(p.busy) > 0 {
			return fault.Defer(busyDelay, errors.New("another worker holds the chunk"))
		}
		if !p.items[0].Found {
			return nil
		}
		var rows []model.VectorRow
		for _, c := range p.collections {
			item := p.items[0]
			was, wants := item.Pushed[c.Name], item.WantsPoint()
			if was.Rev == item.State.Rev && was.Present == wants {
				continue
			}
			rows = append(rows, model.VectorRow{ChunkRef: ref, Collection: c.Name, PointID: item.Chunk.PointID,
				Pushed: model.Pushed{Rev: item.State.Rev, Present: was.Present && !wants}})
		}
		if len(rows) == 0 {
			return nil
		}
		_, err := p.record(ctx, rows, sentence)
		return err
	})
	if err != nil {
		return fmt.Errorf("failure of the vector of %s: %w", ref, err)
	}
	return nil
}

// ErrNoCollection says that no collection of an alias is registered.
var ErrNoCollection = errors.New("no collection is registered")

// pushTx is a transaction that holds chunks while they are pushed.
type pushTx struct {
	db          *DB
	tx          pgx.Tx
	collections []model.Collection
	items       []model.IndexItem // ordered by chunk_ref
	busy        []string
	moved       []string    // chunks whose vector came or went, as far as that is known
	own         manifestSet // manifests of the chunks
}

func (p *pushTx) begin(ctx context.Context, alias string, refs []string) error {
	var err error
	if p.collections, err = writtenCollections(ctx, p.tx, alias); err != nil {
		return err
	}
	if len(p.collections) == 0 {
		return fmt.Errorf("alias %s: %w", alias, ErrNoCollection)
	}
	for _, c := range p.collections {
		var held bool
		if err := p.tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock_shared($1)`,
			p.db.lockKey("collection", c.Name)).Scan(&held); err != nil {
			return err
		}
		if !held {
			return fault.Defer(busyDelay, fmt.Errorf("collection %s is being made again", c.Name))
		}
	}
	free, err := p.hold(ctx, refs)
	if err != nil {
		return err
	}
	return p.read(ctx, free)
}

// hold takes the locks of the chunks that nobody else holds.
func (p *pushTx) hold(ctx context.Context, refs []string) (free []string, err error) {
	keys := make([]int64, len(refs))
	for i, ref := range refs {
		keys[i] = p.db.lockKey("chunk", ref)
	}
	rows, err := p.tx.Query(ctx, `SELECT pg_try_advisory_xact_lock(k) FROM unnest($1::bigint[]) WITH ORDINALITY AS u(k, n)
		ORDER BY n`, keys)
	if err != nil {
		return nil, err
	}
	held, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		if held[i] {
			free = append(free, ref)
		} else {
			p.busy = append(p.busy, ref)
		}
	}
	return free, nil
}

func (p *pushTx) read(ctx context.Context, refs []string) error {
	place := make(map[string]int, len(refs))
	p.items = make([]model.IndexItem, len(refs))
	for i, ref := range refs {
		place[ref] = i
		p.items[i] = model.IndexItem{ChunkRef: ref, Pushed: make(map[string]model.Pushed, len(p.collections))}
	}
	rows, err := p.tx.Query(ctx, `SELECT c.chunk_ref, c.text, c.record, s.layer, s.repeats, s.since, s.duplicate_of, s.rev,
			s.changed_by, EXISTS (SELECT 1 FROM chunk_log l WHERE l.chunk_ref = s.chunk_ref AND l.rev = s.rev
				AND l.change = '`+model.ChangeRemoved+`')
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE c.chunk_ref = ANY($1)`, refs)
	if err != nil {
		return err
	}
	var found model.IndexItem
	var text string
	var record []byte
	s := &found.State
	_, err = pgx.ForEachRow(rows, []any{&found.ChunkRef, &text, &record, &s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf,
		&s.Rev, &s.ChangedBy, &found.Removed}, func() error {
		item := &p.items[place[found.ChunkRef]]
		item.Found, item.Removed, item.State = true, found.Removed, found.State
		item.State.ChunkRef = found.ChunkRef
		if err := json.Unmarshal(record, &item.Chunk); err != nil {
			return fmt.Errorf("record of %s: %w", found.ChunkRef, err)
		}
		item.Chunk.Text = text
		return nil
	})
	if err != nil {
		return err
	}
	rows, err = p.tx.Query(ctx, `SELECT chunk_ref, collection, pushed_rev, present FROM chunk_vectors
		WHERE chunk_ref = ANY($1) AND collection = ANY($2)`, refs, p.names())
	if err != nil {
		return err
	}
	var ref, collection string
	var pushed model.Pushed
	_, err = pgx.ForEachRow(rows, []any{&ref, &collection, &pushed.Rev, &pushed.Present}, func() error {
		p.items[place[ref]].Pushed[collection] = pushed
		return nil
	})
	return err
}

func (p *pushTx) names() []string {
	names := make([]string, len(p.collections))
	for i, c := range p.collections {
		names[i] = c.Name
	}
	return names
}

// active returns the name of the collection that vector_status speaks of.
func (p *pushTx) active() string {
	if p.collections[0].State == model.CollectionActive {
		return p.collections[0].Name
	}
	return ""
}

// record writes what was pushed and returns the documents that may be synced by
// it. With a failure it marks the chunks' manifests instead.
func (p *pushTx) record(ctx context.Context, rows []model.VectorRow, failure string) (documents []string, err error) {
	var gone []string
	p.own = make(manifestSet)
	items := make(map[string]*model.IndexItem, len(p.items))
	for i := range p.items {
		item := &p.items[i]
		items[item.ChunkRef] = item
		if item.Found {
			documents = append(documents, item.Chunk.DocumentID)
			p.own.add(item.Chunk.DocHash, item.Chunk.Generation)
			p.moved = append(p.moved, item.ChunkRef)
		} else {
			gone = append(gone, item.ChunkRef)
		}
	}
	if len(rows) == 0 && len(gone) == 0 {
		return documents, nil // all of it was recorded before
	}
	p.moved = nil
	touched := make(manifestSet)
	for _, row := range rows {
		item := items[row.ChunkRef]
		touched.add(item.Chunk.DocHash, item.Chunk.Generation)
		if row.Collection == p.active() && row.Present != item.Pushed[row.Collection].Present {
			p.moved = append(p.moved, row.ChunkRef)
		}
	}
	own := touched.keys()
	if len(p.moved) > 0 {
		peers, err := p.peers(ctx, p.moved, touched, false)
		if err != nil {
			return nil, err
		}
		documents = append(documents, peers...)
	}
	// Two that push parts of one manifest count one after the other.
	if err := p.holdManifests(ctx, touched.keys()); err != nil {
		return nil, err
	}
	if err := p.upsert(ctx, rows); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		if _, err := p.tx.Exec(ctx, `DELETE FROM chunk_vectors WHERE chunk_ref = ANY($1) AND collection = ANY($2)`,
			gone, p.names()); err != nil {
			return nil, err
		}
	}
	if failure != "" {
		return nil, p.failManifests(ctx, own, failure)
	}
	if err := p.countManifests(ctx, touched.keys(), own); err != nil {
		return nil, err
	}
	slices.Sort(documents)
	return slices.Compact(documents), nil
}

func (p *pushTx) upsert(ctx context.Context, rows []model.VectorRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b model.VectorRow) int {
		return cmp.Or(strings.Compare(a.ChunkRef, b.ChunkRef), strings.Compare(a.Collection, b.Collection))
	})
	n := len(rows)
	refs, collections, points := make([]string, n), make([]string, n), make([]string, n)
	revs, present := make([]int64, n), make([]bool, n)
	for i, r := range rows {
		refs[i], collections[i], points[i], revs[i], present[i] = r.ChunkRef, r.Collection, r.PointID, r.Rev, r.Present
	}
	_, err := p.tx.Exec(ctx, `INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present)
		SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::boolean[])
		ON CONFLICT (chunk_ref, collection) DO UPDATE SET point_id = EXCLUDED.point_id, pushed_rev = EXCLUDED.pushed_rev,
			present = EXCLUDED.present, pushed_at = now(), reconciled = 0
		WHERE chunk_vectors.pushed_rev <= EXCLUDED.pushed_rev`, refs, collections, points, revs, present)
	return err
}

// peers adds the manifests whose chunks may point to one of the chunks given, by
// repeating or duplicating it, and returns their documents. Duplicates have the
// same key of knowledge; a chain of repeats holds one content of one document.
// With waiting it leaves out manifests whose vectors are all in.
func (p *pushTx) peers(ctx context.Context, refs []string, manifests manifestSet, waiting bool) (documents []string, err error) {
	rows, err := p.tx.Query(ctx, `WITH same_text AS (
			SELECT DISTINCT text_hash, source_type FROM chunks WHERE chunk_ref = ANY($1)),
		same_content AS (
			SELECT DISTINCT c.document_id, c.content_text_hash FROM chunks c JOIN same_text USING (text_hash, source_type))
		SELECT DISTINCT c.doc_hash, c.generation, c.document_id FROM chunks c
		JOIN same_content USING (document_id, content_text_hash)
		JOIN chunk_manifests m ON m.doc_hash = c.doc_hash AND m.generation = c.generation
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

// manifestSet is a set of manifests.
type manifestSet map[model.ChunkSet]bool

func (s manifestSet) add(docHash string, generation int) {
	s[model.ChunkSet{DocHash: docHash, Generation: generation}] = true
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
	}
	return k
}

// manifestKeys are keys of chunk_manifests as two columns.
type manifestKeys struct {
	docHashes   []string
	generations []int32
}

func (p *pushTx) holdManifests(ctx context.Context, keys manifestKeys) error {
	_, err := p.tx.Exec(ctx, `SELECT 1 FROM chunk_manifests m
		WHERE (m.doc_hash, m.generation) IN (SELECT * FROM unnest($1::text[], $2::integer[]))
		ORDER BY m.doc_hash COLLATE "C", m.generation FOR NO KEY UPDATE`, keys.docHashes, keys.generations)
	return err
}

func (p *pushTx) failManifests(ctx context.Context, keys manifestKeys, sentence string) error {
	_, err := p.tx.Exec(ctx, `UPDATE chunk_manifests m SET vector_status = 'error', error_message = $3, updated_at = now()
		WHERE (m.doc_hash, m.generation) IN (SELECT * FROM unnest($1::text[], $2::integer[]))`,
		keys.docHashes, keys.generations, sentence)
	return err
}

// countManifests sets vector_status: present when every chunk has or points to
// a vector of the active collection (contracts 8). An error stays until then.
// What was pushed just now are the manifests in own.
func (p *pushTx) countManifests(ctx context.Context, all, own manifestKeys) error {
	if p.active() == "" || len(all.docHashes) == 0 {
		return nil
	}
	_, err := p.tx.Exec(ctx, `WITH RECURSIVE wanted AS (
			SELECT * FROM unnest($1::text[], $2::integer[]) AS w(doc_hash, generation)),
		own AS (
			SELECT * FROM unnest($3::text[], $4::integer[]) AS w(doc_hash, generation)),
		walk(doc_hash, generation, origin, at, next) AS (
			SELECT c.doc_hash, c.generation, c.chunk_ref, c.chunk_ref, coalesce(nullif(s.duplicate_of, ''), s.repeats)
			FROM wanted JOIN chunks c USING (doc_hash, generation) JOIN chunk_state s ON s.chunk_ref = c.chunk_ref
			UNION
			SELECT w.doc_hash, w.generation, w.origin, s.chunk_ref, coalesce(nullif(s.duplicate_of, ''), s.repeats)
			FROM walk w JOIN chunk_state s ON s.chunk_ref = w.next WHERE w.next <> ''),
		counted AS (
			SELECT w.doc_hash, w.generation, count(DISTINCT w.origin) AS chunks,
				count(*) FILTER (WHERE w.next = '' AND v.present) AS vectors
			FROM walk w LEFT JOIN chunk_vectors v ON v.chunk_ref = w.at AND v.collection = $5
			GROUP BY w.doc_hash, w.generation)
		UPDATE chunk_manifests m SET
			vector_status = CASE WHEN n.vectors = n.chunks THEN 'present' WHEN m.vector_status = 'error' THEN 'error'
				WHEN n.vectors = 0 THEN 'none' ELSE 'partial' END,
			error_message = CASE WHEN n.vectors = n.chunks AND m.vector_status = 'error' THEN '' ELSE m.error_message END,
			last_pushed_at = CASE WHEN o.doc_hash IS NULL THEN m.last_pushed_at ELSE now() END,
			last_pushed_collection = CASE WHEN o.doc_hash IS NULL THEN m.last_pushed_collection ELSE $5 END,
			updated_at = now()
		FROM counted n LEFT JOIN own o USING (doc_hash, generation)
		WHERE m.doc_hash = n.doc_hash AND m.generation = n.generation`,
		all.docHashes, all.generations, own.docHashes, own.generations, p.active())
	return err
}
