package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	gosync "sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest/base"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/indexer/internal/stage"
	"github.com/colophon-dev/colophon/services/indexer/internal/sync"
)

// rig is an indexer's stage over a catalog and a vector store of its own. What
// the chunker writes is written by its methods.
type rig struct {
	t      *testing.T
	world  *base.World
	env    *devtest.Env
	db     *catalog.DB
	store  *store
	points *watched
	embeds *counted
	syncer *sync.Syncer
	stage  *stage.Stage
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return over(base.New(t))
}

func over(w *base.World) *rig {
	w.Helper()
	t, env := w.T, w.Env
	r := &rig{t: t, world: w, env: env, db: w.DB, store: &store{vectorstore.NewLazy(vectorstore.Config{Addr: env.QdrantAddr})}}
	t.Cleanup(func() { _ = r.store.Close() })
	r.points = &watched{Points: r.store}
	r.embeds = &counted{Embedder: retrieval.HashEmbedder{}}
	r.syncer = r.newSyncer()
	r.stage = &stage.Stage{Catalog: r.db, Vectors: r.syncer, Alias: env.Collection}
	if err := r.syncer.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.collection().Drop(context.Background()) })
	return r
}

func (r *rig) newSyncer() *sync.Syncer {
	return &sync.Syncer{
		Catalog: r.db, Store: r.store, Points: r.points, Alias: r.env.Collection,
		Embedders: map[string]retrieval.Embedder{retrieval.HashModel: r.embeds},
		Model:     retrieval.HashModel, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

func (r *rig) name() string {
	return model.CollectionName(r.env.Collection, retrieval.HashModel, retrieval.HashDimensions)
}

func (r *rig) collection() *vectorstore.Collection {
	r.t.Helper()
	c, err := r.store.collection(context.Background(), r.name())
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// watched counts what is done to points.
type watched struct {
	sync.Points
	mu                       gosync.Mutex
	upserts, layers, deletes int
	before                   func() // the first upsert
}

func (w *watched) Upsert(ctx context.Context, collection string, points []sync.Point) error {
	w.mu.Lock()
	w.upserts += len(points)
	before := w.before
	w.before = nil
	w.mu.Unlock()
	if before != nil {
		before()
	}
	return w.Points.Upsert(ctx, collection, points)
}

func (w *watched) SetStanding(ctx context.Context, collection string, ids []string, stands sync.Standing, at string) error {
	w.mu.Lock()
	w.layers += len(ids)
	w.mu.Unlock()
	return w.Points.SetStanding(ctx, collection, ids, stands, at)
}

func (w *watched) Delete(ctx context.Context, collection string, ids []string) error {
	w.mu.Lock()
	w.deletes += len(ids)
	w.mu.Unlock()
	return w.Points.Delete(ctx, collection, ids)
}

func (w *watched) counts() [3]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return [3]int{w.upserts, w.layers, w.deletes}
}

// counted refuses texts that refuse names.
type counted struct {
	retrieval.Embedder
	mu     gosync.Mutex
	texts  int
	refuse func(text string) error
}

func (c *counted) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	c.mu.Lock()
	c.texts += len(texts)
	refuse := c.refuse
	c.mu.Unlock()
	for _, text := range texts {
		if refuse != nil {
			if err := refuse(text); err != nil {
				return nil, err
			}
		}
	}
	return c.Embedder.Embed(ctx, texts, kind)
}

func (r *rig) emit(ctx context.Context, data event.Data) error { return r.world.Emit(ctx, data) }

// told returns what was emitted since it was last asked: "+ref/rev" for
// indexed, "-ref/rev" for removed, sorted.
func (r *rig) told() []string {
	said := []string{}
	for _, data := range r.world.Heard() {
		sign, change := "+", event.VectorChange{}
		switch d := data.(type) {
		case event.VectorIndexed:
			change = d.VectorChange
		case event.VectorRemoved:
			sign, change = "-", d.VectorChange
		}
		if change.Collection != r.name() || change.Model != retrieval.HashModel || change.Dimensions != retrieval.HashDimensions ||
			change.SourceID != "src" || change.SnapshotID == "" {
			r.t.Errorf("announced %+v", change)
		}
		for _, ref := range change.Chunks {
			if ref.ChunkRef[:len(change.DocHash)] != change.DocHash {
				r.t.Errorf("%s is announced under %s", ref.ChunkRef, change.DocHash)
			}
			said = append(said, fmt.Sprintf("%s%s/%d", sign, ref.ChunkRef, ref.Rev))
		}
	}
	slices.Sort(said)
	return said
}

func (r *rig) wantTold(want ...string) {
	r.t.Helper()
	if got := r.told(); !slices.Equal(got, want) {
		r.t.Errorf("announced %q, want %q", got, want)
	}
}

// exec runs one statement in the catalog.
func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	err := r.db.Tx(r.t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(r.t.Context(), sql, args...)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// ask reads one value from the catalog.
func ask[T any](r *rig, sql string, args ...any) T {
	r.t.Helper()
	var value T
	err := r.db.Tx(r.t.Context(), func(tx pgx.Tx) error { return tx.QueryRow(r.t.Context(), sql, args...).Scan(&value) })
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func snapshotOf(doc string) string { return "snap_" + doc }

func runOf(doc string) model.Run {
	return model.Run{SnapshotID: snapshotOf(doc), ExtractionID: "x", SourceID: "src", DocumentID: doc}
}

// document makes a document with one version whose chunks have these texts;
// states, where given, are those of the chunks in their order. It returns the
// chunks' refs.
func (r *rig) document(doc string, texts []string, states ...model.ChunkState) []string {
	r.t.Helper()
	ctx := r.t.Context()
	r.exec(`INSERT INTO documents (document_id, source_id, external_id, external_digest, slug)
		VALUES ($1, 'src', $1, sha256(convert_to($1, 'UTF8')), $1)`, doc)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r.exec(`INSERT INTO snapshots (snapshot_id, document_id, source_id, content_hash, retrieved_at, snapshot_kind, final_type,
		process, record) VALUES ($1, $2, 'src', $1, $3, 'html', 'html', true, '{}')`, snapshotOf(doc), doc, at)
	docHash := hashOf(doc)
	chunks, given := make([]model.Chunk, len(texts)), make([]model.ChunkState, len(texts))
	refs := make([]string, len(texts))
	for i, text := range texts {
		id := digest.ChunkID(i, 1)
		refs[i] = digest.ChunkRef(docHash, id)
		content := "SOURCE: src\n\n" + text
		chunks[i] = model.Chunk{
			ChunkRef: refs[i], DocHash: docHash, ChunkID: id, Generation: 1, ChunkIndex: i, PointID: digest.PointID(refs[i]),
			DocumentID: doc, SourceID: "src", SnapshotID: snapshotOf(doc), ExtractionID: "x", Text: content, Content: text,
			TextHash: digest.Text(content), ContentTextHash: digest.Text(text), Type: model.ChunkFact,
			Status: model.StatusUnderReview, InfoDate: "2026-03-01", SourceType: "official", DocType: "html",
			Layer: model.LayerHot, Language: "en", Tokens: 7, PageHint: 1, Title: doc, URL: "https://example.org/" + doc,
			Anchors: []model.Anchor{{Type: "article", Text: "Art. 1", Page: 1}},
		}
		given[i] = model.ChunkState{ChunkRef: refs[i], Layer: model.LayerHot, Rev: 1}
		if i < len(states) {
			given[i] = states[i]
			given[i].ChunkRef = refs[i]
		}
	}
	version := model.Version{DocHash: docHash, Generation: 1, SnapshotID: snapshotOf(doc), ExtractionID: "x",
		Chunks: model.ChunkSet{DocHash: docHash, Generation: 1}}
	err := r.db.LockDocument(ctx, doc, time.Second, func(tx *catalog.DocumentTx) error {
		manifest := model.Manifest{DocHash: docHash, Generation: 1, DocumentID: doc, SourceID: "src", SnapshotID: snapshotOf(doc),
			ExtractionID: "x", ChunkCount: len(texts), Status: "done", VectorStatus: model.VectorNone, DocType: "html"}
		if err := tx.AddManifest(ctx, manifest, version); err != nil {
			return err
		}
		if err := tx.AddChunks(ctx, chunks); err != nil {
			return err
		}
		if err := tx.AddStates(ctx, runOf(doc), "created", given); err != nil {
			return err
		}
		if err := tx.SetCurrent(ctx, version, model.DocumentMeta{Title: doc}, "en"); err != nil {
			return err
		}
		return tx.StageItem(ctx)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return refs
}

// hashOf returns a document's doc_hash: hex, in the order of the documents' names.
func hashOf(doc string) string { return fmt.Sprintf("%x", "hash-"+doc) }

// change gives chunks their next states, as the chunker does.
func (r *rig) change(doc string, states ...model.ChunkState) {
	r.t.Helper()
	changes := make([]model.StateChange, len(states))
	for i, s := range states {
		changes[i] = model.StateChange{State: s, Cause: "test"}
	}
	err := r.db.LockDocument(r.t.Context(), doc, time.Second, func(tx *catalog.DocumentTx) error {
		return tx.ChangeStates(r.t.Context(), runOf(doc), changes)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) newEvent(data event.Data) event.Event { return r.world.Event(data) }

// created returns a chunk's first event.
func (r *rig) created(refs ...string) []event.Event {
	r.t.Helper()
	chunks, err := r.db.Chunks(r.t.Context(), refs)
	if err != nil || len(chunks) != len(refs) {
		r.t.Fatalf("%d chunks of %d, %v", len(chunks), len(refs), err)
	}
	events := make([]event.Event, len(chunks))
	for i, c := range chunks {
		events[i] = r.newEvent(event.ChunkCreated{Rev: 1, Cause: "new", Chunk: c})
	}
	return events
}

func changeOf(doc, ref string, rev int64) event.ChunkChange {
	return event.ChunkChange{Rev: rev, Cause: "test", ChunkRef: ref, DocHash: hashOf(doc), SourceID: "src", SnapshotID: snapshotOf(doc)}
}

func (r *rig) superseded(doc, ref string, rev int64) event.Event {
	return r.newEvent(event.ChunkSuperseded{ChunkChange: changeOf(doc, ref, rev)})
}

func (r *rig) removed(doc, ref string, rev int64) event.Event {
	return r.newEvent(event.ChunkRemoved{ChunkChange: changeOf(doc, ref, rev)})
}

// handle hands events to the stage, all of which must succeed.
func (r *rig) handle(events ...event.Event) {
	r.t.Helper()
	for i, err := range r.stage.HandleBatch(r.t.Context(), events, r.emit) {
		if err != nil {
			r.t.Fatalf("%s: %v", events[i].ID, err)
		}
	}
}

// wantEqual asserts that the collection holds the points that the catalog wants
// and no others, each with its payload, and that nothing is due.
func (r *rig) wantEqual() {
	r.t.Helper()
	if why := r.differs(); why != "" {
		r.t.Error(why)
	}
}

func (r *rig) differs() string {
	ctx := r.t.Context()
	want := make(map[string]vectorstore.Payload)
	var refs []string
	err := r.db.Tx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT chunk_ref FROM chunks ORDER BY 1`)
		if err == nil {
			refs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	if err != nil {
		return err.Error()
	}
	chunks, err := r.db.Chunks(ctx, refs)
	if err != nil {
		return err.Error()
	}
	states, err := r.db.ChunkStates(ctx, refs)
	if err != nil {
		return err.Error()
	}
	for i, s := range states {
		if s.HasPoint() {
			want[chunks[i].PointID] = vectorstore.PayloadOf(chunks[i], s, r.name())
		}
	}
	client, err := r.store.Client(ctx)
	if err != nil {
		return err.Error()
	}
	got := make(map[string]vectorstore.Payload)
	for p, err := range client.Collection(r.env.Collection).Scroll(ctx, vectorstore.Filter{}, true) { // through the alias
		if err != nil {
			return err.Error()
		}
		if _, err := time.Parse(time.RFC3339, p.Payload.PushedAt); err != nil {
			return err.Error()
		}
		p.Payload.PushedAt = ""
		got[p.ID] = p.Payload
	}
	if !maps.Equal(got, want) {
		return fmt.Sprintf("the collection holds %+v, want %+v", got, want)
	}
	due := ask[int](r, `SELECT count(*) FROM chunk_state s LEFT JOIN chunk_vectors v
		ON v.chunk_ref = s.chunk_ref AND v.collection = $1
		WHERE v.pushed_rev IS DISTINCT FROM s.rev OR v.present <> (s.repeats = '')`, r.name())
	if due != 0 {
		return fmt.Sprintf("%d chunks are due", due)
	}
	if stray := ask[int](r, `SELECT count(*) FROM chunk_vectors WHERE chunk_ref NOT IN (SELECT chunk_ref FROM chunks)`); stray != 0 {
		return fmt.Sprintf("%d rows of chunks that are gone", stray)
	}
	return ""
}

func (r *rig) wantStatus(doc string, want model.VectorStatus) {
	r.t.Helper()
	if got := ask[model.VectorStatus](r, `SELECT vector_status FROM chunk_manifests WHERE document_id = $1`, doc); got != want {
		r.t.Errorf("vector_status of %s is %s, want %s", doc, got, want)
	}
	synced := ask[bool](r, `SELECT synced_at IS NOT NULL FROM staged_items WHERE document_id = $1`, doc)
	if want == model.VectorPresent && !synced || want == model.VectorPartial && synced {
		r.t.Errorf("%s is synced: %v", doc, synced)
	}
}
