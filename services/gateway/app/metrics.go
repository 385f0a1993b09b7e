package app

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
	"github.com/colophon-dev/colophon/services/gateway/internal/watch"
)

// searchMeter measures searches and their parts.
type searchMeter struct{ duration metric.Float64Histogram }

func newSearchMeter(m metric.Meter) searchMeter {
	return searchMeter{instrument.Histogram(m, instrument.SearchDuration)}
}

// recordSince measures a part that began at start; it is deferred with the address of its error.
func (m searchMeter) recordSince(ctx context.Context, part string, start time.Time, err *error) {
	result := "ok"
	if *err != nil {
		result = "error"
	}
	m.duration.Record(ctx, instrument.Since(start), metric.WithAttributes(attribute.String("part", part), attribute.String("result", result)))
}

// measuredSearcher measures whole searches.
type measuredSearcher struct {
	api.Searcher
	meter searchMeter
}

// Search implements api.Searcher.
func (s measuredSearcher) Search(ctx context.Context, r search.Request) (answer search.Answer, err error) {
	defer s.meter.recordSince(ctx, "all", time.Now(), &err)
	return s.Searcher.Search(ctx, r)
}

// measuredPoints measures each side of the vector store.
type measuredPoints struct {
	search.Points
	meter searchMeter
}

// QueryDense implements search.Points.
func (p measuredPoints) QueryDense(ctx context.Context, vector []float32, filter vectorstore.Filter, limit int) (hits []vectorstore.Hit, err error) {
	defer p.meter.recordSince(ctx, "dense", time.Now(), &err)
	return p.Points.QueryDense(ctx, vector, filter, limit)
}

// QuerySparse implements search.Points.
func (p measuredPoints) QuerySparse(ctx context.Context, vector vectorstore.Sparse, filter vectorstore.Filter, limit int) (hits []vectorstore.Hit, err error) {
	defer p.meter.recordSince(ctx, "sparse", time.Now(), &err)
	return p.Points.QuerySparse(ctx, vector, filter, limit)
}

// measuredEmbedder measures the question's vector.
type measuredEmbedder struct {
	retrieval.Embedder
	meter searchMeter
}

// Embed implements retrieval.Embedder.
func (e measuredEmbedder) Embed(ctx context.Context, texts []string, kind retrieval.Kind) (vectors [][]float32, err error) {
	defer e.meter.recordSince(ctx, "embed", time.Now(), &err)
	return e.Embedder.Embed(ctx, texts, kind)
}

// measuredReranker measures the reranker.
type measuredReranker struct {
	search.Reranker
	meter searchMeter
}

// Rerank implements search.Reranker.
func (m measuredReranker) Rerank(ctx context.Context, question string, texts []string) (scores []float64, err error) {
	defer m.meter.recordSince(ctx, "rerank", time.Now(), &err)
	return m.Reranker.Rerank(ctx, question, texts)
}

// measuredCatalog measures what a search asks the catalog.
type measuredCatalog struct {
	search.Catalog
	meter searchMeter
}

// SearchScope implements search.Catalog.
func (c measuredCatalog) SearchScope(ctx context.Context, alias string) (scope catalog.SearchScope, err error) {
	defer c.meter.recordSince(ctx, "scope", time.Now(), &err)
	return c.Catalog.SearchScope(ctx, alias)
}

// Claims implements search.Catalog.
func (c measuredCatalog) Claims(ctx context.Context, refs []string) (claims map[string]catalog.ClaimRow, err error) {
	defer c.meter.recordSince(ctx, "claims", time.Now(), &err)
	return c.Catalog.Claims(ctx, refs)
}

// Saying implements search.Catalog.
func (c measuredCatalog) Saying(ctx context.Context, claims []catalog.Claim, f catalog.ChunkFilter, limit int) (all [][]catalog.ChunkWithState, err error) {
	defer c.meter.recordSince(ctx, "fill", time.Now(), &err)
	return c.Catalog.Saying(ctx, claims, f, limit)
}

// ChunksWithStates implements search.Catalog.
func (c measuredCatalog) ChunksWithStates(ctx context.Context, refs []string) (chunks []catalog.ChunkWithState, err error) {
	defer c.meter.recordSince(ctx, "fill", time.Now(), &err)
	return c.Catalog.ChunksWithStates(ctx, refs)
}

// ChunkPageSegments implements search.Catalog.
func (c measuredCatalog) ChunkPageSegments(ctx context.Context, pages []catalog.ChunkPage) (rows map[catalog.ChunkPage]model.SegmentRow, err error) {
	defer c.meter.recordSince(ctx, "boxes", time.Now(), &err)
	return c.Catalog.ChunkPageSegments(ctx, pages)
}

// measuredPages measures the reading of pages that hits stand on.
type measuredPages struct {
	search.PageReader
	meter searchMeter
}

// Boxes implements search.PageReader.
func (p measuredPages) Boxes(ctx context.Context, row model.SegmentRow, pageNo int) (boxes []segment.UnitBoxes, err error) {
	defer p.meter.recordSince(ctx, "boxes", time.Now(), &err)
	return p.PageReader.Boxes(ctx, row, pageNo)
}

// openCollection returns collections for the search, measured.
func (a *App) openCollection(m searchMeter) func(ctx context.Context, collection string) (search.Points, error) {
	return func(ctx context.Context, collection string) (search.Points, error) {
		p, err := a.vectors.openCollection(ctx, collection)
		if err != nil {
			return nil, err
		}
		return measuredPoints{p, m}, nil
	}
}

// tell exports what this process does beside answering: it watches the whole system.
func (a *App) tell(tel *telemetry.Telemetry) error {
	a.watch = &watch.Watch{
		Bus: a.conn, Catalog: a.db, Alias: a.config.Qdrant.Collection, Every: a.config.Watch.Every, Log: tel.Logger,
		Stores: map[string]func(ctx context.Context) error{
			instrument.StoreObjects: func(ctx context.Context) error { return a.blobs.Ready(ctx, blobstore.Raw, blobstore.Derived) },
			instrument.StoreCatalog: a.db.Ping, instrument.StoreVectors: a.vectors.Ping, instrument.StoreBus: a.conn.Ready,
		},
	}
	return errors.Join(a.watch.Tell(tel.Meter), tel.TellDisk(a.config.S3.TempDir))
}
