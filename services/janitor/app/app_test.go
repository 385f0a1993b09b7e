package app

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// rig is stores of its own, and what janitors are made of.
type rig struct {
	testing.TB
	ctx    context.Context
	config Config
	db     *catalog.DB
	blobs  *blobstore.Store
	conn   *stream.Conn
}

// newRig makes the stores, with nothing in them yet.
func newRig(t testing.TB, values map[string]string) *rig {
	t.Helper()
	env := devtest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	t.Cleanup(cancel)
	for name, value := range map[string]string{
		"NATS_URL": env.NATSURL, "SUBJECT_PREFIX": env.Prefix, "STREAM_PREFIX": env.StreamPrefix,
		"POSTGRES_URL": env.PostgresURL, "POSTGRES_SCHEMA": env.Schema, "S3_ENDPOINT": env.S3Endpoint,
		"S3_ACCESS_KEY": env.S3AccessKey, "S3_SECRET_KEY": env.S3SecretKey, "S3_BUCKET_PREFIX": env.BucketPrefix,
		"QDRANT_ADDR": env.QdrantAddr, "QDRANT_COLLECTION": env.Collection,
	} {
		if _, given := values["COLOPHON_"+name]; !given {
			values["COLOPHON_"+name] = value
		}
	}
	r := &rig{TB: t, ctx: ctx}
	var err error
	r.config, err = config.LoadFrom[Config](values)
	r.must(err)
	r.db, err = catalog.Open(ctx, catalog.ConfigOf(r.config.Postgres))
	r.must(err)
	t.Cleanup(r.db.Close)
	r.blobs, err = blobstore.Open(ctx, blobstore.ConfigOf(r.config.S3))
	r.must(err)
	r.conn, err = stream.Connect(ctx, stream.ConfigOf("test", r.config.NATS, r.config.Runner))
	r.must(err)
	t.Cleanup(r.conn.Close)
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// prepare makes tables, buckets and streams.
func (r *rig) prepare() {
	r.Helper()
	r.must(r.db.Migrate(r.ctx))
	r.must(r.blobs.EnsureBuckets(r.ctx))
	r.provision()
}

func (r *rig) provision() {
	r.Helper()
	r.must(stream.Provision(r.ctx, r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
}

// start runs a janitor. stop ends it, and wants it to end well.
func (r *rig) start() (app *App, stop func()) {
	r.Helper()
	app, err := New(r.ctx, r.config, telemetry.Nop(), nil)
	r.must(err)
	running, end := context.WithCancel(r.ctx)
	ended := make(chan error, 1)
	go func() { ended <- app.Run(running) }()
	return app, func() {
		r.Helper()
		end()
		if err := errors.Join(<-ended, app.Close()); err != nil {
			r.Error(err)
		}
	}
}

// until polls a condition.
func (r *rig) until(what string, condition func() bool) {
	r.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			r.Fatalf("gave up waiting until %s", what)
		}
	}
}

// capture records a snapshot that has no run, with its bytes, as a capturer does that is
// killed before it says so. It returns the key of the bytes.
func (r *rig) capture(content string) (s model.Snapshot, key string) {
	r.Helper()
	url, day := "https://town.example/"+content, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s = model.Snapshot{
		DocumentID: digest.DocumentID("town", url), RequestID: content, SourceID: "town", SourceName: "Town",
		SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url, URLCanonical: url, ExternalID: url,
		RetrievedAt: day, LastModified: day, LastModifiedOrigin: "http_header", ContentHash: digest.Content([]byte(content)),
		ByteLength: int64(len(content)), SourceType: "official", Domain: "civics", Layer: model.LayerHot, RuleVersions: map[string]string{},
	}
	s.SnapshotID = digest.SnapshotID("town", content, s.ContentHash)
	key = r.put(content)
	c, _, err := r.db.AcceptCapture(r.ctx, model.Capture{SourceID: "town", RequestID: content, RequestDigest: "d", Request: []byte(`{}`)}, "w", time.Minute)
	r.must(err)
	_, err = r.db.RecordCapture(r.ctx, c, s, nil, func(model.Standing) bool { return false })
	r.must(err)
	r.must(r.db.CaptureAnnounced(r.ctx, "town", content))
	return s, key
}

// put stores raw bytes that no row names.
func (r *rig) put(content string) (key string) {
	r.Helper()
	key, err := blobstore.RawKey("town", digest.Content([]byte(content)))
	r.must(err)
	_, err = r.blobs.PutOnce(r.ctx, blobstore.Raw, key, []byte(content), "text/plain")
	r.must(err)
	return key
}

// has reports whether raw bytes are there.
func (r *rig) has(key string) bool {
	r.Helper()
	_, err := r.blobs.Stat(r.ctx, blobstore.Raw, key)
	if err != nil && !errors.Is(err, blobstore.ErrNotFound) {
		r.Fatal(err)
	}
	return err == nil
}

// busy are settings of a janitor that looks at everything all the time.
func busy() map[string]string {
	return map[string]string{
		"COLOPHON_RECONCILE_EVERY": "20ms", "COLOPHON_RECONCILE_AGE": "0s", "COLOPHON_RECONCILE_OBJECTS_EVERY": "20ms",
	}
}

// TestTwoJanitorsHealAndDelete: what stands still is published again, an object without a
// row is deleted when it is old enough, one with a row never, however many janitors run;
// and without the vector store.
func TestTwoJanitorsHealAndDelete(t *testing.T) {
	settings := busy()
	settings["COLOPHON_QDRANT_ADDR"] = "127.0.0.1:1" // nobody is there
	r := newRig(t, settings)
	r.prepare()
	s, kept := r.capture("kept")
	orphan := r.put("lost")
	heard, err := r.conn.Subscribe(r.ctx, stream.FollowOptions{Nouns: []string{"snapshot"}})
	r.must(err)
	defer heard.Close()

	first, stopFirst := r.start() // to which the object is young
	got, err := heard.Next(r.ctx)
	r.must(err)
	if data, err := event.As[event.SnapshotStored](got.Event); err != nil || data.SnapshotID != s.SnapshotID {
		t.Errorf("published %+v (%v)", data, err)
	}
	if err := first.Ready(r.ctx); err != nil {
		t.Errorf("without a vector store: %v", err)
	}
	again := r.put("young")
	if !r.has(orphan) || !r.has(again) {
		t.Error("an object is deleted that may belong to a row of the next second")
	}
	r.config.Reconcile.ObjectAge = -time.Hour // from now on all are old
	_, stopSecond := r.start()
	_, stopThird := r.start()
	r.until("the orphans are deleted", func() bool { return !r.has(orphan) && !r.has(again) })
	for _, stop := range []func(){stopFirst, stopSecond, stopThird} {
		stop()
	}
	if !r.has(kept) {
		t.Error("bytes that a row names are deleted")
	}
}

// TestWordsOfChunksAreMade: also where no passes are made, and of a chunk that lands later.
func TestWordsOfChunksAreMade(t *testing.T) {
	r := newRig(t, map[string]string{"COLOPHON_RECONCILE_EVERY": "0s"})
	r.prepare()
	_, stop := r.start()
	defer stop()
	for i, word := range []string{"quorum", "budget"} {
		r.must(r.db.Tx(r.ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(r.ctx, `INSERT INTO chunks (chunk_ref, point_id, doc_hash, generation, chunk_index, document_id, source_id, snapshot_id,
					text, content, text_hash, content_text_hash, source_type, provenance, record)
				VALUES ($1, gen_random_uuid(), 'd', 1, $2, 'd', 's', 's', $1, $1, $1, $1, 'official', '[]', '{}')`, word, i)
			return err
		}))
		r.until("the words are made", func() bool {
			n, err := r.db.CountQuoteWord(r.ctx, catalog.QuoteWord{word}, 10)
			r.must(err)
			return n == 1
		})
	}
}

// TestReadyNamesWhatIsMissing: a janitor waits for its stores, un-ready, and says for
// what; it is ready when they are there, without being started again.
func TestReadyNamesWhatIsMissing(t *testing.T) {
	r := newRig(t, map[string]string{"COLOPHON_RECONCILE_EVERY": "20ms"})
	app, stop := r.start()
	defer stop()
	says := func(want ...string) {
		t.Helper()
		err := app.Ready(r.ctx)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Fatalf("ready says %v, want %q in it", err, w)
			}
		}
	}
	r.until("it is connected", func() bool { return app.stores.Bus.Ready(r.ctx) == nil })
	says("colophon migrate", "no bucket", "stream "+r.config.NATS.StreamPrefix+"IR does not exist")
	r.prepare()
	r.until("it is ready", func() bool { return app.Ready(r.ctx) == nil })

	bus, err := nats.Connect(r.config.NATS.URL.Value())
	r.must(err)
	defer bus.Close()
	js, err := jetstream.New(bus)
	r.must(err)
	r.must(js.DeleteConsumer(r.ctx, r.config.NATS.StreamPrefix+"PAGES", stream.ConsumerOCR))
	says("consumer ocr of stream")
	r.provision()
	r.until("it is ready again", func() bool { return app.Ready(r.ctx) == nil })
}

// TestReadyBlamesOnlyWhoIsSilent freezes the object store: it takes connections and says
// nothing. The answer comes in time and names no other store.
func TestReadyBlamesOnlyWhoIsSilent(t *testing.T) {
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = frozen.Close() }()
	r := newRig(t, map[string]string{
		"COLOPHON_RECONCILE_EVERY": "0s", "COLOPHON_S3_TIMEOUT": "1m", "COLOPHON_READY_TIMEOUT": "900ms",
		"COLOPHON_S3_ENDPOINT": "http://" + frozen.Addr().String(),
	})
	r.must(r.db.Migrate(r.ctx))
	r.provision()
	app, stop := r.start()
	defer stop()
	r.until("it is connected", func() bool { return app.stores.Bus.Ready(r.ctx) == nil })
	began := time.Now()
	err = app.Ready(t.Context())
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("it took %s", took)
	}
	if want := "the object store did not answer within 600ms"; err == nil || err.Error() != want {
		t.Errorf("says %v, want %q", err, want)
	}
}

// TestNothingOfItIsLeft: goroutines end with it, also in the middle of passes.
func TestNothingOfItIsLeft(t *testing.T) {
	r := newRig(t, busy())
	r.prepare()
	app, stop := r.start()
	r.until("it is ready", func() bool { return app.Ready(r.ctx) == nil })
	if app.Name() != Name {
		t.Errorf("it is called %s", app.Name())
	}
	stop()
	r.until("its goroutines have ended", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !strings.Contains(string(stacks), "janitor/app.New") && !strings.Contains(string(stacks), "reconcile.(*")
	})
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	var cfg Config
	cfg.S3.Endpoint = "no address"
	if app, err := New(t.Context(), cfg, telemetry.Nop(), stream.NewQuarantine()); err == nil {
		t.Errorf("%+v", app)
	}
}
