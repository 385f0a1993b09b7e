package app

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/llm/rerank"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/telemetry"
)

// rememberedQuestions is how many questions' vectors are kept in memory: some 6 KiB each
// of a model of 1,536 numbers.
const rememberedQuestions = 2000

// questionTime is how long the vector of a question is waited for. It may stand behind a
// batch of chunks, where an endpoint does one thing at a time.
const questionTime = 3 * time.Second

// questionPause is how long no question waits after one has waited in vain.
const questionPause = 10 * time.Second

// models are those that questions can be embedded with, by name.
type models struct {
	byName    map[string]retrieval.Embedder
	endpoints []*llm.Embedder
}

// openModels returns the local models, or retrieval.Models where there are none, and those that answer at endpoints. Which one
// embeds a question is said by the collection that is searched.
func openModels(local []retrieval.Embedder, c config.Embedding, tel *telemetry.Telemetry) (models, error) {
	m := models{byName: make(map[string]retrieval.Embedder)}
	if local == nil {
		local = retrieval.Models()
	}
	for _, e := range local {
		m.byName[e.Model()] = e
	}
	saved := llm.CountFromZero(tel.Meter)
	all, _ := llm.ConfigsOf(c)
	for _, settings := range all {
		endpoint, err := llm.Open(settings.Observed(tel.Logger, tel.Meter))
		if err != nil {
			return m, fmt.Errorf("embedding model: %w", err)
		}
		m.endpoints = append(m.endpoints, endpoint)
		if m.byName[endpoint.Model()], err = rememberQuestions(endpoint, saved); err != nil {
			return m, err
		}
	}
	return m, nil
}

// openReranker returns the reranker of the settings, nil where they name none.
func openReranker(c config.Reranking, tel *telemetry.Telemetry) (*rerank.Reranker, error) {
	if c.URL == "" {
		return nil, nil
	}
	r, err := rerank.Open(rerank.ConfigOf(c).Observed(tel.Logger, tel.Meter))
	if err != nil {
		return nil, fmt.Errorf("reranking model: %w", err)
	}
	return r, nil
}

// measureModels returns the models, each of which measures what it makes.
func (m models) measureModels(meter searchMeter) map[string]retrieval.Embedder {
	byName := make(map[string]retrieval.Embedder, len(m.byName))
	for name, e := range m.byName {
		byName[name] = measuredEmbedder{e, meter}
	}
	return byName
}

func (m models) close() {
	for _, e := range m.endpoints {
		e.Close()
	}
}

// questions remembers the vectors of the questions that were asked last.
type questions struct {
	retrieval.Embedder
	vectors *lru.Cache[string, []float32]
	saved   func(ctx context.Context)
	until   atomic.Int64 // no question waits before, in nanoseconds since 1970
}

func rememberQuestions(e retrieval.Embedder, saved metric.Int64Counter) (*questions, error) {
	vectors, err := lru.New[string, []float32](rememberedQuestions)
	if err != nil {
		return nil, fmt.Errorf("remembering questions: %w", err)
	}
	return &questions{Embedder: e, vectors: vectors, saved: func(ctx context.Context) {
		saved.Add(ctx, 1, metric.WithAttributes(attribute.String("side", "question")))
	}}, nil
}

// Embed implements retrieval.Embedder.
func (q *questions) Embed(ctx context.Context, texts []string, kind retrieval.Kind) ([][]float32, error) {
	if len(texts) != 1 || kind != retrieval.Query {
		return q.Embedder.Embed(ctx, texts, kind)
	}
	if vector, ok := q.vectors.Get(texts[0]); ok {
		q.saved(ctx)
		return [][]float32{vector}, nil
	}
	if now := time.Now().UnixNano(); now < q.until.Load() {
		return nil, fault.Unavailable(errors.New("the embedding endpoint has left a question waiting a moment ago"))
	}
	limited, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	vectors, err := q.Embedder.Embed(limited, texts, kind)
	if err == nil {
		q.vectors.Add(texts[0], vectors[0])
	} else if limited.Err() != nil && ctx.Err() == nil {
		q.until.Store(time.Now().Add(questionPause).UnixNano())
		err = fault.Unavailable(fmt.Errorf("no vector of a question within %s: %w", questionTime, err))
	}
	return vectors, err
}
