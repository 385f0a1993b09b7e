package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
)

// TestReadyAsksWhatASearchNeeds takes away streams, a consumer and the collection, and
// gives them back.
func TestReadyAsksWhatASearchNeeds(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: "A page to be found", kind: model.TypePDF}) // which makes the collection
	status := func() int {
		resp, err := http.Get("http://" + r.app.Addr() + "/readyz")
		r.must(err)
		r.must(resp.Body.Close())
		return resp.StatusCode
	}
	await := func(want int) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for over := time.After(20 * time.Second); status() != want; {
			select {
			case <-tick.C:
			case <-over:
				t.Fatalf("it does not become %d: %v", want, r.app.Ready(r.ctx))
			}
		}
	}
	says := func(want string) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond) // an answer holds for a second
		defer tick.Stop()
		for over := time.After(20 * time.Second); ; {
			err := r.app.Ready(r.ctx)
			if err != nil && strings.Contains(err.Error(), want) {
				break
			}
			select {
			case <-tick.C:
			case <-over:
				t.Fatalf("says %v, want %q in it", err, want)
			}
		}
		await(http.StatusServiceUnavailable)
	}
	await(http.StatusOK)
	bus, err := nats.Connect(r.app.config.NATS.URL.Value())
	r.must(err)
	defer bus.Close()
	js, err := jetstream.New(bus)
	r.must(err)
	prefix := r.app.config.NATS.StreamPrefix
	provision := func() {
		t.Helper()
		r.must(stream.Provision(r.ctx, r.app.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
		await(http.StatusOK)
	}

	r.must(js.DeleteStream(r.ctx, prefix+"CHUNKS"))
	says("stream " + prefix + "CHUNKS does not exist")
	provision()
	r.must(js.DeleteConsumer(r.ctx, prefix+"PAGES", stream.ConsumerOCR))
	says("consumer ocr of stream " + prefix + "PAGES does not exist")
	provision()

	client, err := r.app.vectors.Client(r.ctx)
	r.must(err)
	collection := client.Collection(r.collection.Name)
	alias := r.app.config.Qdrant.Collection
	r.must(client.RemoveAlias(r.ctx, alias))
	says("alias " + alias)
	r.must(collection.Drop(r.ctx))
	says("collection " + r.collection.Name + ": no such collection")
	r.must(collection.Ensure(r.ctx, r.collection.Dimensions+1))
	says("collection has other vectors")
	r.must(collection.Drop(r.ctx))
	r.must(collection.Ensure(r.ctx, r.collection.Dimensions))
	says("alias " + alias)
	r.must(client.SetAlias(r.ctx, alias, r.collection.Name))
	await(http.StatusOK)
}

// TestReadyzNamesWhatIsMissing takes stores away: the public address names them, and tells
// nobody where they are.
func TestReadyzNamesWhatIsMissing(t *testing.T) {
	r := newRig(t)
	r.add(doc{content: "A page to be found", kind: model.TypePDF})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	r.must(err)
	r.must(gone.Close())
	config := blobstore.ConfigOf(r.app.config.S3)
	config.Endpoint = "http://" + gone.Addr().String()
	awayBlobs, err := blobstore.Open(r.ctx, config)
	r.must(err)
	blobs, points := r.app.blobs, r.app.vectors
	store := vectorstore.ConfigOf(r.app.config.Qdrant)
	store.Addr = gone.Addr().String()
	awayPoints := vectors{vectorstore.NewLazy(store)}
	defer func() { r.app.blobs, r.app.vectors = blobs, points }()
	for _, c := range []struct {
		blobs  *blobstore.Store
		points vectors
		disk   error
		want   string
	}{
		{awayBlobs, points, nil, "not ready: the object store"},
		{blobs, awayPoints, nil, "not ready: the vector store"},
		{awayBlobs, awayPoints, errors.New("no room in /srv/secret"), "not ready: the vector store, the object store, the disk"},
		{blobs, points, nil, ""},
	} {
		r.app.blobs, r.app.vectors, r.app.needs = c.blobs, c.points, nil
		r.app.Needs("the disk", func(context.Context) error { return c.disk })
		handler := (&api.API{Ready: r.app.ask, Log: slog.New(slog.DiscardHandler), Tracer: noop.NewTracerProvider().Tracer(""),
			Traces: propagation.TraceContext{}}).Handler()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		var problem struct{ Detail string }
		r.must(json.Unmarshal(answer.Body.Bytes(), &problem))
		if problem.Detail != c.want || (answer.Code == http.StatusOK) != (c.want == "") {
			t.Errorf("%d %q, want %q", answer.Code, problem.Detail, c.want)
		}
	}
}

// TestReadyIsAskedOnceForAll: who asks while an answer is fresh gets it, and who gives
// up waiting does not spoil it.
func TestReadyIsAskedOnceForAll(t *testing.T) {
	asked := 0
	missing := errors.New("the streams are missing")
	ready := askOnce(func(ctx context.Context) error {
		asked++
		return errors.Join(missing, ctx.Err())
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		_ = ready(gone)
	}
	for range 100 {
		if err := ready(t.Context()); !errors.Is(err, missing) || errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if asked == 0 || asked > 2 {
		t.Errorf("asked %d times", asked)
	}
}

// TestReadyBlamesOnlyWhoIsSilent freezes the object store: it takes connections and says
// nothing. The answer comes in time and names no other store.
func TestReadyBlamesOnlyWhoIsSilent(t *testing.T) {
	r := newRig(t)
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	r.must(err)
	t.Cleanup(func() { _ = frozen.Close() })
	config := blobstore.ConfigOf(r.app.config.S3)
	config.Endpoint, config.Timeout = "http://"+frozen.Addr().String(), time.Minute
	healthy := r.app.blobs
	r.app.blobs, err = blobstore.Open(r.ctx, config)
	r.must(err)
	defer func() { r.app.blobs = healthy }()
	for _, limit := range []time.Duration{600 * time.Millisecond, 3 * time.Second} {
		r.app.config.Health.Probe = limit
		began := time.Now()
		err := r.app.ask(t.Context())
		if took := time.Since(began); took > limit {
			t.Errorf("with a limit of %s it took %s", limit, took)
		}
		if want := fmt.Sprintf("the object store did not answer within %s", limit*2/3); err == nil || err.Error() != want {
			t.Errorf("says %v, want %q", err, want)
		}
	}
}
