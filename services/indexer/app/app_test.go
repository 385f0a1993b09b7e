package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

var anything vectorstore.Filter

// eventually waits until check has nothing to say.
func (r *rig) eventually(check func() string) {
	r.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(devtest.Patience)
	for {
		why := check()
		if why == "" {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			r.t.Fatal(why)
		}
	}
}

func TestCollectionWiped(t *testing.T) {
	r := newRig(t)
	old := r.document("a", []string{"one", "two"})
	r.handle(r.created(old...)...)
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}

	// A push finds it missing, makes it again, and what was there is due.
	r.handle(r.created(r.document("b", []string{"three"})...)...)
	r.wantStatus("b", model.VectorPresent)
	if n := ask[int](r, `SELECT count(*) FROM chunk_vectors`); n != 1 {
		t.Errorf("%d rows of chunk_vectors, want that of the chunk just pushed", n)
	}
	if got := ask[model.VectorStatus](r, `SELECT vector_status FROM chunk_manifests WHERE document_id = 'a'`); got != model.VectorNone {
		t.Errorf("the manifest of lost vectors says %s", got)
	}
	r.handle(r.created(old...)...)
	r.wantEqual()

	// A payload change and a removal find it missing too.
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.change("a", model.ChunkState{ChunkRef: old[0], Layer: model.LayerArchive},
		model.ChunkState{ChunkRef: old[1], Layer: model.LayerHot, DuplicateOf: old[0]})
	r.handle(r.superseded("a", old[1], 2))
	r.handle(r.superseded("a", old[0], 2))
	r.handle(r.created(hashOf("b") + ":0")...)
	r.wantEqual()

	// It was lost, or emptied, while nobody ran.
	for _, lose := range []func() error{
		func() error { return r.collection().Drop(t.Context()) },
		func() error {
			return errors.Join(r.collection().Drop(t.Context()), r.collection().Ensure(t.Context(), retrieval.HashDimensions))
		},
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		if err := r.syncer.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := ask[int](r, `SELECT count(*) FROM chunk_vectors`); n != 0 {
			t.Errorf("%d rows of chunk_vectors after the loss", n)
		}
		r.handle(append(r.created(hashOf("b")+":0"), r.superseded("a", old[0], 2), r.superseded("a", old[1], 2))...)
		r.wantEqual()
	}
	// Nothing is lost now.
	if err := r.syncer.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.wantEqual()
}

// TestWhatIsEmbedded: the content, as the catalog has it, so that equal contents have one
// vector whoever says them; the words of the header can be asked for all the same.
func TestWhatIsEmbedded(t *testing.T) {
	r := newRig(t)
	const said = "The mill was sold."
	r.handle(r.created(r.document("a", []string{said, "The river rose."})...)...)
	hits, err := r.collection().QueryDense(t.Context(), retrieval.HashVector(said), vectorstore.Filter{}, 1)
	if err != nil || len(hits) != 1 || hits[0].Score < 0.9999 {
		t.Errorf("the nearest to a content is %+v, %v", hits, err)
	}
	chunks, err := r.db.Chunks(t.Context(), []string{hits[0].ChunkRef})
	if err != nil || len(chunks) != 1 || chunks[0].Content != said || chunks[0].Text == said {
		t.Fatalf("%+v, %v", chunks, err)
	}
	indices, values := retrieval.SparseQuery(strings.Fields(chunks[0].Text)[0])
	hits, err = r.collection().QuerySparse(t.Context(), vectorstore.Sparse{Indices: indices, Values: values}, vectorstore.Filter{}, 10)
	if err != nil || len(hits) != 2 {
		t.Errorf("a word of the header finds %+v, %v", hits, err)
	}
}

func TestSetupBySeveral(t *testing.T) {
	r := newRig(t)
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all gosync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := r.newSyncer().Setup(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	active, err := r.db.ActiveCollection(t.Context(), r.env.Collection)
	want := model.Collection{Name: r.name(), Alias: r.env.Collection, Model: retrieval.HashModel,
		Dimensions: retrieval.HashDimensions, State: model.CollectionActive}
	if err != nil || active != want {
		t.Errorf("active is %+v, %v", active, err)
	}
	r.handle(r.created(r.document("a", []string{"one"})...)...)
	r.wantEqual()
}

// other is another model.
type other struct{ retrieval.HashEmbedder }

func (other) Model() string { return "org/other 2" }

func TestTwoModels(t *testing.T) {
	r := newRig(t)
	second := r.newSyncer()
	second.Model = other{}.Model()
	if err := second.Setup(t.Context()); fault.KindOf(err) != fault.KindPermanent {
		t.Fatalf("a model that is not at hand: %v", err)
	}
	second.Embedders[second.Model] = other{}
	if err := second.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := r.env.Collection + "_org-other-2_1024"
	t.Cleanup(func() { _ = mustCollection(r, name).Drop(context.Background()) })
	building := mustCollection(r, name)

	// Who does not have the model leaves the collection to others.
	if err := r.syncer.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := r.created(r.document("a", []string{"one"})...)
	r.handle(events...)
	r.wantEqual()
	if n, err := building.Count(t.Context(), anything); err != nil || n != 0 {
		t.Errorf("%d points, %v", n, err)
	}
	// Who has both writes both.
	r.stage.Vectors = second
	if errs := r.stage.HandleBatch(t.Context(), events, r.emit); errs[0] != nil {
		t.Fatal(errs[0])
	}
	if n, err := building.Count(t.Context(), anything); err != nil || n != 1 {
		t.Errorf("%d points, %v", n, err)
	}
	r.wantEqual()

	// An active collection of a model that is not at hand is no place to start.
	r.exec(`UPDATE collections SET state = CASE name WHEN $1 THEN 'active' ELSE 'retired' END`, name)
	if err := r.syncer.Setup(t.Context()); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("setting up: %v", err)
	}
}

func mustCollection(r *rig, name string) *vectorstore.Collection {
	c, err := r.store.collection(context.Background(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func TestCollectionName(t *testing.T) {
	if got := model.CollectionName("kb", "org/model:7b é", 384); got != "kb_org-model-7b--_384" {
		t.Errorf("named %q", got)
	}
}

func (r *rig) config() Config {
	return Config{
		NATS: config.NATS{
			URL: config.Secret(r.env.NATSURL), Prefix: r.env.Prefix, StreamPrefix: r.env.StreamPrefix,
			AckWait: 5 * time.Second, PublishFor: time.Second, ReconnectWait: 20 * time.Millisecond,
		},
		Postgres: config.Postgres{URL: config.Secret(r.env.PostgresURL), Schema: r.env.Schema, MaxConns: 4},
		Qdrant:   config.Qdrant{Addr: r.env.QdrantAddr, Collection: r.env.Collection},
		Runner: config.Runner{
			Workers: 2, ProbeEvery: 10 * time.Millisecond, PullWait: time.Second, Grace: 5 * time.Second,
			RetryDelays: []time.Duration{10 * time.Millisecond}, DeferDelay: 10 * time.Millisecond,
		},
	}
}

// run starts an indexer, which is stopped when the test ends.
func (r *rig) run(cfg Config) *App {
	r.t.Helper()
	tel := telemetry.Nop()
	tel.Logger = slog.New(slog.DiscardHandler)
	app, err := New(r.t.Context(), cfg, tel, stream.NewQuarantine())
	if err != nil {
		r.t.Fatal(err)
	}
	if app.Ready(r.t.Context()) == nil {
		r.t.Error("ready before it runs")
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, app.Close()); err != nil {
			r.t.Error(err)
		}
	})
	return app
}

func TestWholeIndexers(t *testing.T) {
	r := newRig(t)
	cfg := r.config()
	conn, err := stream.Connect(t.Context(), stream.ConfigOf("test", cfg.NATS, cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for range 2 {
		app := r.run(cfg)
		t.Cleanup(func() {
			if app.Name() != "indexer" {
				t.Error(app.Name())
			}
		})
	}
	// They wait for the streams.
	if err := stream.Provision(t.Context(), conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 120)
	for i := range texts {
		texts[i] = "Article " + string(rune('a'+i%26)) + string(rune('a'+i/26)) + " of the regulation"
	}
	refs := r.document("a", texts)
	publisher := conn.Publisher("chunker")
	for _, e := range r.created(refs...) {
		if err := publisher.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, ref := range refs[:40] {
		r.change("a", model.ChunkState{ChunkRef: ref, Layer: model.LayerArchive})
		if err := publisher.Publish(t.Context(), r.superseded("a", ref, 2)); err != nil {
			t.Fatal(err)
		}
	}
	r.eventually(r.differs)

	follow, err := conn.Subscribe(t.Context(), stream.FollowOptions{Types: []string{event.TypeVectorIndexed}, Since: time.Unix(1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	defer follow.Close()
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	highest := make(map[string]int64)
	for {
		received, err := follow.Next(ctx)
		if err != nil {
			t.Fatalf("%d chunks announced: %v", len(highest), err)
		}
		indexed, err := event.As[event.VectorIndexed](received.Event)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range indexed.Chunks {
			highest[ref.ChunkRef] = max(highest[ref.ChunkRef], ref.Rev)
		}
		if len(highest) == len(refs) && highest[refs[39]] == 2 && highest[refs[0]] == 2 {
			break
		}
	}
	r.eventually(func() string {
		if ask[int](r, `SELECT count(*) FROM staged_items WHERE synced_at IS NOT NULL`) == 1 {
			return ""
		}
		return "the document is not synced"
	})
	r.wantStatus("a", model.VectorPresent)
}

// TestLostPointsAreNoticed: points are lost while an indexer runs and no event
// names a chunk of theirs.
func TestLostPointsAreNoticed(t *testing.T) {
	r := newRig(t)
	r.handle(r.created(r.document("a", []string{"one", "two"})...)...)
	cfg := r.config()
	cfg.Index.Check = 10 * time.Millisecond
	r.run(cfg)
	conn, err := stream.Connect(t.Context(), stream.ConfigOf("test", cfg.NATS, cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := stream.Provision(t.Context(), conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.eventually(func() string {
		if n := ask[int](r, `SELECT count(*) FROM chunk_vectors`); n != 0 {
			return "the lost points are still recorded"
		}
		if n, err := r.collection().Count(t.Context(), vectorstore.Filter{}); err != nil || n != 0 {
			return "the collection is not made again"
		}
		return ""
	})
}

// TestStoreAway: an indexer starts while its vector store is away, and says so.
func TestStoreAway(t *testing.T) {
	r := newRig(t)
	cfg := r.config()
	cfg.Qdrant.Addr = "127.0.0.1:1"
	app := r.run(cfg)
	r.eventually(func() string {
		if err := app.Ready(t.Context()); fault.KindOf(err) == fault.KindUnavailable {
			return ""
		}
		return "it does not say what is away"
	})
}

// TestALostCollectionIsNoticedSoon deletes the collection of an indexer that would look
// after it once an hour: it is not ready, and makes it again.
func TestALostCollectionIsNoticedSoon(t *testing.T) {
	r := newRig(t)
	cfg := r.config()
	cfg.Index.Check = time.Hour
	conn, err := stream.Connect(t.Context(), stream.ConfigOf("test", cfg.NATS, cfg.Runner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := stream.Provision(t.Context(), conn, stream.ProvisionOptions{RequestBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	app := r.run(cfg)
	r.eventually(func() string {
		if err := app.Ready(t.Context()); err != nil {
			return err.Error()
		}
		return ""
	})
	if err := r.collection().Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := app.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), r.name()) {
		t.Errorf("ready without its collection: %v", err)
	}
	r.eventually(func() string {
		if err := app.Ready(t.Context()); err != nil {
			return err.Error()
		}
		return ""
	})
}
