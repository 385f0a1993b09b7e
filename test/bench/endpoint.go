package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/config"
)

// An endpoint as a small model on a CPU is one: it takes one call after the other, each so long,
// and so long for each text.
const (
	endpointCall       = 20 * time.Millisecond
	endpointText       = 25 * time.Millisecond
	endpointDimensions = 384
	endpointPassages   = 800 // that the endpoint alone is asked for
	endpointBatch      = 16  // texts in a call, as many as the default tokens of one hold
	endpointCallers    = 2   // at once, as many as the indexer's workers
	endpointDocuments  = 60
	endpointPages      = 12
)

// Endpoint is how many passages a second an embedding endpoint makes: alone, and behind the
// chain, whose chunks wait for it, from the first call until the last answer.
type Endpoint struct {
	Passages int     `json:"passages"`  // that the chain asked for
	Calls    int     `json:"calls"`     // in which it did
	Alone    float64 `json:"alone"`     // a second, asked by two callers without a pause
	Chain    float64 `json:"chain"`     // a second
	BusyPart float64 `json:"busy_part"` // share of that time in which the endpoint had a call in hand
}

// scripted is an embedding endpoint on loopback, which counts what it answers.
type scripted struct {
	url    string
	server *http.Server

	turn  sync.Mutex // who has it is answered
	mu    sync.Mutex
	shut  bool      // it is away: 503
	first time.Time // call
	last  time.Time // answer
	calls int
	texts int
	busy  time.Duration
}

func startScripted(ctx context.Context) (*scripted, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &scripted{url: "http://" + listener.Addr().String() + "/v1"}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: startLimit}
	go func() { _ = s.server.Serve(listener) }() // until it is closed
	return s, nil
}

// ServeHTTP answers with vectors that depend on the length of a text alone: nothing is searched.
func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Input []string `json:"input"`
		Model string   `json:"model"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	shut := s.shut
	if s.first.IsZero() && !shut {
		s.first = time.Now()
	}
	s.mu.Unlock()
	if shut {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	}
	s.turn.Lock()
	began := time.Now()
	timer := time.NewTimer(endpointCall + time.Duration(len(asked.Input))*endpointText)
	<-timer.C
	took := time.Since(began)
	s.turn.Unlock()
	type vector struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]vector, len(asked.Input))
	for i, text := range asked.Input {
		random := rand.New(rand.NewPCG(uint64(len(text)), 1))
		data[i] = vector{"embedding", i, make([]float32, endpointDimensions)}
		for d := range data[i].Embedding {
			data[i].Embedding[d] = random.Float32() - 0.5
		}
	}
	s.mu.Lock()
	s.calls, s.texts, s.busy, s.last = s.calls+1, s.texts+len(asked.Input), s.busy+took, time.Now()
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // a caller that has gone is not counted again
		"object": "list", "data": data, "model": asked.Model, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1},
	})
}

// forget begins to count anew; shut says whether it is away from now on.
func (s *scripted) forget(shut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = shut
	s.first, s.last, s.calls, s.texts, s.busy = time.Time{}, time.Time{}, 0, 0, 0
}

// perSecond is how many texts were answered, from the first call until the last answer.
func (s *scripted) perSecond() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.texts) / s.last.Sub(s.first).Seconds()
}

// askAlone asks for passages without anything around it.
func (s *scripted) askAlone(ctx context.Context) error {
	asking, ctx := errgroup.WithContext(ctx)
	text := strings.Repeat("a passage of some length ", 60)
	for range endpointCallers {
		asking.Go(func() error {
			for left := endpointPassages / endpointCallers; left > 0; left -= endpointBatch {
				input := make([]string, min(left, endpointBatch))
				for i := range input {
					input[i] = text
				}
				body, err := json.Marshal(map[string]any{"model": "scripted", "input": input})
				if err != nil {
					return err
				}
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/embeddings", bytes.NewReader(body))
				if err != nil {
					return err
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, resp.Body)
				if err = errors.Join(err, resp.Body.Close()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return asking.Wait()
}

// pause lets a time pass.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endpoint measures a scripted endpoint, alone and behind the chain.
func (o Options) endpoint(ctx context.Context, dir string) (r Endpoint, err error) {
	s, err := startScripted(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.server.Close()) }()
	if err := s.askAlone(ctx); err != nil {
		return r, err
	}
	r.Alone = s.perSecond()
	o.Progress("the endpoint alone: %.1f passages a second", r.Alone)
	sys, err := start(ctx, o.Colophon, dir, false, config.Prefix+"EMBED_URL="+s.url, config.Prefix+"EMBED_MODEL=scripted",
		fmt.Sprintf("%sEMBED_DIMENSIONS=%d", config.Prefix, endpointDimensions))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, sys.stop()) }()
	if err := o.warm(ctx, sys); err != nil {
		return r, err
	}
	s.forget(true)
	if err := sys.source(ctx, "passages"); err != nil {
		return r, err
	}
	docs := make([]document, endpointDocuments)
	for i := range docs {
		docs[i] = document{name: fmt.Sprintf("passages-%d.pdf", i), data: PDF(50<<16+uint64(i), endpointPages)}
	}
	working, workCtx := errgroup.WithContext(ctx)
	working.Go(func() error {
		_, err := sys.process(workCtx, "passages", docs, endpointDocuments*endpointPages)
		return err
	})
	working.Go(func() error { // all that comes before is done first: a busy machine makes chunks more slowly than the endpoint vectors
		for {
			var made int
			if err := sys.db.Tx(workCtx, func(tx pgx.Tx) error {
				return tx.QueryRow(workCtx, `SELECT count(*) FROM chunk_manifests WHERE source_id = 'passages'`).Scan(&made)
			}); err != nil {
				return err
			}
			if made == endpointDocuments {
				s.forget(false)
				return nil
			}
			if err := pause(workCtx, pollEvery); err != nil {
				return err
			}
		}
	})
	if err := working.Wait(); err != nil {
		return r, err
	}
	r.Chain, r.Passages, r.Calls = s.perSecond(), s.texts, s.calls
	r.BusyPart = s.busy.Seconds() / s.last.Sub(s.first).Seconds()
	o.Progress("behind the chain: %.1f passages a second", r.Chain)
	return r, nil
}

func (r Endpoint) write(row func(...string)) {
	if r.Passages == 0 {
		return
	}
	row("")
	row("an endpoint behind the chain", fmt.Sprintf("%.1f passages/s", r.Chain), fmt.Sprintf("%.3f of the %.1f it makes alone; %d passages in %d calls; it had one in hand %.0f %% of the time",
		r.Chain/r.Alone, r.Alone, r.Passages, r.Calls, 100*r.BusyPart))
}
