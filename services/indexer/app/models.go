package app

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/llm"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/indexer/internal/embed"
)

// models are those that chunks can be embedded with.
type models struct {
	byName map[string]retrieval.Embedder
	first  string // the model of the collection that is made where there is none, or beside the active one

	endpoints  []*llm.Embedder
	remembered []*embed.Remembered
}

// openModels returns the local models, or retrieval.Models where there are none, and those that answer at endpoints, whose vectors
// are kept in the cache. Where there is an endpoint its model is the first.
func openModels(local []retrieval.Embedder, c config.Embedding, cache embed.Cache, tel *telemetry.Telemetry) (models, error) {
	m := models{byName: make(map[string]retrieval.Embedder)}
	if local == nil {
		local = retrieval.Models()
	}
	for i, e := range local {
		m.byName[e.Model()] = e
		if i == 0 {
			m.first = e.Model()
		}
	}
	saved := llm.CountFromZero(tel.Meter)
	all, replaced := llm.ConfigsOf(c)
	for i, settings := range all {
		endpoint, err := llm.Open(settings.Observed(tel.Logger, tel.Meter))
		if err != nil {
			return m, fmt.Errorf("embedding model: %w", err)
		}
		r := &embed.Remembered{
			Paid: endpoint, Cache: cache, Daily: c.DailyTokens, Now: time.Now,
			Saved: func(ctx context.Context, texts int) {
				saved.Add(ctx, int64(texts), metric.WithAttributes(attribute.String("side", "passage")))
			},
		}
		m.endpoints, m.remembered = append(m.endpoints, endpoint), append(m.remembered, r)
		m.byName[r.Model()] = r
		if i == 0 && !replaced {
			m.first = r.Model()
		}
	}
	return m, nil
}

// ready is nil when texts can be embedded, as far as is known without asking.
func (m models) ready(ctx context.Context) error {
	for _, r := range m.remembered {
		if err := r.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m models) close() {
	for _, e := range m.endpoints {
		e.Close()
	}
}
