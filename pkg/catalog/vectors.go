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

// Push makes collections equal to the items and returns what is to be recorded: beside an error
// too, of collections that were written.
type Push = func(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error)

// PushVectors reads the chunks with these chunk_refs, calls push with them and
// with the collections that are written, and records what it returns in one
// transaction: chunk_vectors, the vector_status of every manifest whose chunks
// have or point to a vector that came or went, and, once all vectors of a
// document's current manifest are in, that it is synced.
//
// Nobody else pushes a chunk between its reading and its record, so a state that
// is committed meanwhile is pushed after this one, by its own event. Chunks that
// another worker holds are left out and come back as busy. When push fails, what it returns beside
// its error is recorded, and the rest is due as before; when the record fails, everything is. Nothing is
// written before push returns: a slow store keeps no transaction open that
// readers of the chunk log would wait for.
func (db *DB) PushVectors(ctx context.Context, alias string, refs []string, push Push) (busy []string, err error) {
	refs = slices.Clone(refs)
	slices.Sort(refs)
	refs = slices.Compact(refs)
	var documents []string
	var p pushTx
	var failed error
	err = db.pipelined(ctx, func(tx *pipeline) error {
		p, failed = pushTx{db: db, tx: tx}, nil
		if err := p.begin(ctx, alias, refs); err != nil {
			return err
		}
		busy = p.busy
		var rows []model.VectorRow
		if rows, failed = push(ctx, p.collections, p.items); failed != nil && (len(rows) == 0 || ctx.Err() != nil) {
			return failed
		}
		var err error
		p.partial = failed != nil
		documents, err = p.record(ctx, rows, "")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("vectors of %d chunks: %w", len(refs), err)
	}
	faultpoint.Reach("index.rows.committed")
	late, err := db.judgeLate(ctx, alias, p.moved, p.own)
	if err != nil {
		return nil, err
	}
	if err := db.syncDocuments(ctx, append(documents, late...)); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("vectors of %d chunks: %w", len(refs), Classify(failed))
	}
	return busy, nil
}

// FailVectors records that a chunk's state cannot be pushed to the collections that do not
// have it: it is not due any more, and another push of the chunk writes it whole. Where it is the
// active collection that does not have it, its manifest has vector_status error with the sentence.
// The other chunks of the manifest are due as before. A chunk that is gone or was pushed leaves
// nothing to record; one that another worker holds is deferred.
func (db *DB) FailVectors(ctx context.Context, alias, ref, sentence string) error {
	err := db.pipelined(ctx, func(tx *pipeline) error {
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

// pushTx is a transaction that holds chunks while they are pushed.
type pushTx struct {
	db          *DB
	tx          *pipeline
	collections []model.Collection
	items       []model.IndexItem // ordered by chunk_ref
	busy        []string
	moved       []string    // chunks whose vector came or went, as far as that is known
	own         manifestSet // manifests of the chunks
	partial     bool        // some collection was not written
}

func (p *pushTx) begin(ctx context.Context, alias string, refs []string) error {
	var err error
	if p.collections, err = collect(ctx, p.tx, scanCollection, writtenCollections, alias); err != nil {
		return fmt.Errorf("collections of %s: %w", alias, err)
	}
	if len(p.collections) == 0 {
		return fmt.Errorf("alias %s: none is registered: %w", alias, fault.ErrNoCollection)
	}
	for _, c := range p.collections {
		p.tx.queue(`SELECT pg_try_advisory_xact_lock_shared($1)`, p.db.lockKey("collection", c.Name)).QueryRow(func(row pgx.Row) error {
			var held bool
			err := row.Scan(&held)
			if err == nil && !held {
				err = fault.Defer(busyDelay, fmt.Errorf("collection %s is being made again", c.Name))
			}
			return err
		})
	}
	p.items = make([]model.IndexItem, 0, len(refs))
	items := make(map[string]*model.IndexItem, len(refs))
	p.hold(refs, items)
	p.read(refs, items)
	return p.tx.flush(ctx)
}

// hold takes the locks of the chunks that nobody else holds, and makes their
// items.
func (p *pushTx) hold(refs []string, items map[string]*model.IndexItem) {
	keys := make([]int64, len(refs))
	for i, ref := range refs {
		keys[i] = p.db.lockKey("chunk", ref)
	}
	p.tx.queue(`SELECT pg_try_advisory_xact_lock(k) FROM unnest($1::bigint[]) WITH ORDINALITY AS u(k, n) ORDER BY n`, keys).
		Query(func(rows pgx.Rows) error {
			held, err := pgx.CollectRows(rows, pgx.RowTo[bool])
			if err != nil {
				return err
			}
			for i, ref := range refs {
				if !held[i] {
					p.busy = append(p.busy, ref)
					continue
				}
				p.items = append(p.items, model.IndexItem{ChunkRef: ref, Pushed: make(map[string]model.Pushed, len(p.collections))})
				items[ref] = &p.items[len(p.items)-1]
			}
			return nil
		})
}

// read fills the items, after their locks are taken. What is read of others is
// left out. What the log and the collections have of a chunk is looked up chunk by
// chunk: a join would read the whole table for as long as its statistics call it
// small.
func (p *pushTx) read(refs []string, items map[string]*model.IndexItem) {
	p.tx.queue(`SELECT c.chunk_ref, c.text, c.content, c.record, s.layer, s.repeats, s.since, s.duplicate_of, s.rev,
			s.changed_by, coalesce((SELECT l.change FROM chunk_log l WHERE l.chunk_ref = s.chunk_ref AND l.rev = s.rev), '') = '`+model.ChangeRemoved+`',
			(SELECT jsonb_object_agg(v.collection, jsonb_build_object('rev', v.pushed_rev, 'present', v.present))
				FROM chunk_vectors v WHERE v.chunk_ref = s.chunk_ref AND v.collection = ANY($2))
		FROM chunks c JOIN chunk_state s ON s.chunk_ref = c.chunk_ref WHERE c.chunk_ref = ANY($1)`, refs, p.names()).Query(func(rows pgx.Rows) error {
		var found model.IndexItem
		var text, content string
		var record, pushed []byte
		s := &found.State
		_, err := pgx.ForEachRow(rows, []any{&found.ChunkRef, &text, &content, &record, &s.Layer, &s.Repeats, &s.Since, &s.DuplicateOf,
			&s.Rev, &s.ChangedBy, &found.Removed, &pushed}, func() error {
			item, held := items[found.ChunkRef]
			if !held {
				return nil
			}
			item.Found, item.Removed, item.State = true, found.Removed, found.State
			item.State.ChunkRef = found.ChunkRef
			if err := json.Unmarshal(record, &item.Chunk); err != nil {
				return fmt.Errorf("record of %s: %w", found.ChunkRef, err)
			}
			item.Chunk.Text, item.Chunk.Content = text, content
			if pushed == nil {
				return nil
			}
			if err := json.Unmarshal(pushed, &item.Pushed); err != nil {
				return fmt.Errorf("vectors of %s: %w", found.ChunkRef, err)
			}
			return nil
		})
		return err
	})
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
		return documents, p.judgeFailed(ctx) // all of it was recorded before
	}
	p.moved = nil
	touched := make(manifestSet)
	for _, row := range rows {
		item := items[row.ChunkRef]
		m := touched.add(item.Chunk.DocHash, item.Chunk.Generation)
		searched := row.Collection == p.active()
		m.own, m.some = m.own || searched || failure == "", m.some || searched && row.Present
		if row.Collection == p.active() && row.Present != item.Pushed[row.Collection].Present {
			p.moved = append(p.moved, row.ChunkRef)
		}
	}
	if len(p.moved) > 0 {
		others, err := peers(ctx, p.tx, p.moved, touched, false)
		if err != nil {
			return nil, err
		}
		documents = append(documents, others...)
	}
	// Two that push parts of one manifest look at it one after the other.
	p.holdManifests(touched.keys())
	reconciled := 0
	if failure != "" {
		reconciled = vectorFailed
	}
	p.upsert(rows, reconciled)
	if len(gone) > 0 && !p.partial {
		p.tx.queue(`DELETE FROM chunk_vectors WHERE chunk_ref = ANY($1) AND collection = ANY($2)`, gone, p.names())
	}
	if failure != "" {
		p.failManifests(touched.keys(), failure)
		return nil, p.tx.flush(ctx)
	}
	p.judgeManifests(touched.keys())
	if err := p.tx.flush(ctx); err != nil {
		return nil, err
	}
	slices.Sort(documents)
	return slices.Compact(documents), nil
}

// upsert writes rows, and how often reconcile has moved them: not at all, or vectorFailed.
func (p *pushTx) upsert(rows []model.VectorRow, reconciled int) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b model.VectorRow) int {
		return cmp.Or(strings.Compare(a.ChunkRef, b.ChunkRef), strings.Compare(a.Collection, b.Collection))
	})
	n := len(rows)
	refs, collections, points := make([]string, n), make([]string, n), make([]string, n)
	revs, present, at := make([]int64, n), make([]bool, n), make([]*time.Time, n)
	for i, r := range rows {
		refs[i], collections[i], points[i], revs[i], present[i] = r.ChunkRef, r.Collection, r.PointID, r.Rev, r.Present
		if !r.PushedAt.IsZero() {
			at[i] = &rows[i].PushedAt
		}
	}
	p.tx.queue(`INSERT INTO chunk_vectors (chunk_ref, collection, point_id, pushed_rev, present, pushed_at, reconciled)
		SELECT u.chunk_ref, u.collection, u.point_id, u.rev, u.present, coalesce(u.at, now()), $7
		FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::boolean[], $6::timestamptz[])
			AS u(chunk_ref, collection, point_id, rev, present, at)
		ON CONFLICT (chunk_ref, collection) DO UPDATE SET point_id = EXCLUDED.point_id, pushed_rev = EXCLUDED.pushed_rev,
			present = EXCLUDED.present, pushed_at = EXCLUDED.pushed_at, reconciled = EXCLUDED.reconciled
		WHERE chunk_vectors.pushed_rev <= EXCLUDED.pushed_rev`, refs, collections, points, revs, present, at, reconciled)
}
