package api

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// slowSearcher answers when it is let go.
type slowSearcher struct {
	begun atomic.Int64
	let   chan struct{}
}

func (s *slowSearcher) Search(ctx context.Context, _ search.Request) (search.Answer, error) {
	s.begun.Add(1)
	select {
	case <-s.let:
		return search.Answer{Hits: []search.Hit{}}, nil
	case <-ctx.Done():
		return search.Answer{}, ctx.Err()
	}
}

// answered is what came back for one request.
type answered struct {
	status int
	retry  string
	took   time.Duration
	err    error
}

func ask(client *http.Client, url string) answered {
	began := time.Now()
	resp, err := client.Get(url)
	if err != nil {
		return answered{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return answered{resp.StatusCode, resp.Header.Get("Retry-After"), time.Since(began), err}
}

// shedBound is how long an answer may take that needs no store. A quiet machine tells
// within a second (searchTurn is half of one) that there is no turn; this one may have
// much else to do. No search that waits for the stores is answered before they are.
const shedBound = time.Minute

// TestSearchesThatGetNoTurnAreToldSoon puts 500 searches at once to a gateway whose
// stores have stopped answering: as many as have a turn wait, all others are told
// soon to come again, and probes and other requests are answered
// meanwhile.
func TestSearchesThatGetNoTurnAreToldSoon(t *testing.T) {
	const crowd = 500
	searcher := &slowSearcher{let: make(chan struct{})}
	server := httptest.NewServer(crowded(searcher, nil))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crowd}}
	defer client.CloseIdleConnections()

	answers := make(chan answered, crowd)
	for range crowd {
		go func() { answers <- ask(client, server.URL+"/v1/search?q=a") }()
	}
	for shed := range crowd - maxSearching {
		a := <-answers
		if a.err != nil || a.status != http.StatusServiceUnavailable || a.retry != retryFull {
			t.Fatalf("search %d: %+v", shed, a)
		}
		if a.took > shedBound {
			t.Errorf("a search was told after %v that there is no turn", a.took)
		}
		if shed%100 == 0 {
			if probe := ask(client, server.URL+"/healthz"); probe.status != http.StatusOK || probe.took > shedBound {
				t.Errorf("a probe meanwhile: %+v", probe)
			}
		}
	}
	if n := searcher.begun.Load(); n != maxSearching {
		t.Errorf("%d searches were begun, %d have turns", n, maxSearching)
	}
	if other := ask(client, server.URL+"/openapi.json"); other.status != http.StatusOK {
		t.Errorf("another request meanwhile: %+v", other)
	}
	close(searcher.let)
	for range maxSearching {
		if a := <-answers; a.err != nil || a.status != http.StatusOK {
			t.Errorf("a search that had a turn: %+v", a)
		}
	}
}

// slowProver proves when it is let go.
type slowProver struct{ let chan struct{} }

func (p slowProver) Prove(ctx context.Context, _ []proof.Item) ([]proof.Proof, error) {
	select {
	case <-p.let:
		return make([]proof.Proof, 1), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// oneChunk is a catalog of one chunk.
type oneChunk struct{ Catalog }

func (oneChunk) ChunkGroups(context.Context, []string, string) iter.Seq2[[]catalog.ChunkWithState, error] {
	return func(yield func([]catalog.ChunkWithState, error) bool) {
		yield([]catalog.ChunkWithState{{Chunk: model.Chunk{ChunkRef: "a:0"}}}, nil)
	}
}

func (oneChunk) ChunkStates(context.Context, []string) ([]model.ChunkState, error) { return nil, nil }

func (oneChunk) BlockHolders(context.Context, []string, int) (map[string]catalog.BlockHolders, error) {
	return nil, nil
}

func (oneChunk) LastChange(context.Context, string, ...string) (catalog.LastChange, error) {
	return catalog.LastChange{}, catalog.ErrNotFound
}

func (oneChunk) Snapshot(context.Context, string) (model.Snapshot, error) {
	return model.Snapshot{}, nil
}

func (oneChunk) Manifest(context.Context, string, int) (model.Manifest, error) {
	return model.Manifest{}, catalog.ErrNotFound // what it was made of is gone: it is shown all the same
}

// TestWaitingProofsTakeNoTurns: proofs that wait for theirs leave those of all other
// requests alone, however many they are.
func TestWaitingProofsTakeNoTurns(t *testing.T) {
	prover := slowProver{make(chan struct{})}
	proofs, come := make(chan answered, maxWorking+maxProofs), make(chan struct{}, maxWorking+maxProofs)
	handler := crowded(nil, prover)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/proof") {
			come <- struct{}{}
		}
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	client := server.Client()
	var waiting sync.WaitGroup
	for range cap(proofs) {
		waiting.Go(func() { proofs <- ask(client, server.URL+"/v1/chunks/a:0/proof") })
	}
	for range cap(proofs) {
		<-come
	}
	for range 20 {
		if a := ask(client, server.URL+"/v1/chunks/a:0"); a.status != http.StatusOK || a.took > shedBound {
			t.Fatalf("a chunk, while proofs wait: %+v", a)
		}
	}
	close(prover.let)
	waiting.Wait()
	for range cap(proofs) {
		if a := <-proofs; a.status != http.StatusOK {
			t.Errorf("a proof: %+v", a)
		}
	}
}

func crowded(s Searcher, p Prover) http.Handler {
	a := &API{
		Catalog: oneChunk{}, Searcher: s, Prover: p, References: noLinks{}, Loopback: true, Log: slog.New(slog.DiscardHandler),
		Tracer: noop.NewTracerProvider().Tracer(""), Traces: propagation.TraceContext{},
	}
	return a.Handler()
}

// noLinks leads nowhere.
type noLinks struct{}

func (noLinks) Links(context.Context, model.Chunk) (refer.Links, error) { return refer.Links{}, nil }
