package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/retrieval"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// How many hits each side gives to the fusion, which needs them to reach well
// below what is shown: at first, how many times more when that was too few, and at
// most, so that a search among chunks that all say the same ends.
const (
	candidates    = 100
	widening      = 4
	maxCandidates = 6400
)

// question is a request as it is put to a collection. The points of disabled
// sources are asked for apart: of them only those count that stand for an equal
// text of a source that is searched, which has no point of its own.
type question struct {
	catalog Catalog
	points  Points
	dense   []float32 // nil when the question says nothing
	sparse  vectorstore.Sparse
	weight  float64             // of the dense side
	shown   vectorstore.Filter  // points of sources that are searched
	hidden  *vectorstore.Filter // points of disabled sources; nil when there are none
	twins   catalog.ChunkFilter // what a chunk must pass that a hidden point stands for
}

func (s *Searcher) question(ctx context.Context, scope catalog.SearchScope, r Request) (*question, error) {
	embedder, ok := s.Embedders[scope.Collection.Model]
	if !ok {
		return nil, fault.Unavailable(fmt.Errorf("no embedder for the model %s of collection %s", scope.Collection.Model, scope.Collection.Name))
	}
	points, err := s.Points(ctx, scope.Collection.Name)
	if err != nil {
		return nil, err
	}
	vectors, err := embedder.Embed(ctx, []string{r.Query}, retrieval.Query)
	if err != nil {
		return nil, err
	}
	q := &question{catalog: s.Catalog, points: points, dense: vectors[0], weight: embedder.DenseWeight(), twins: chunkFilter(r, scope)}
	if zero(q.dense) {
		q.dense = nil
	}
	q.sparse.Indices, q.sparse.Values = retrieval.SparseQuery(r.Query)
	q.shown = vectorstore.Filter{
		Sources: r.Sources, Types: r.Types, Statuses: r.Statuses, Layers: r.Layers, Languages: r.Languages,
		Territories: r.Territories, Domains: r.Domains, SourceTypes: r.SourceTypes, DocTypes: r.DocTypes, To: r.AsOf,
	}
	if len(scope.Disabled) > 0 {
		q.shown.Except = &vectorstore.Filter{Sources: scope.Disabled}
		// What equal texts of one source type share, and no more: the rest may be
		// another for the chunk that the point stands for.
		q.hidden = &vectorstore.Filter{Sources: scope.Disabled, Types: r.Types, Statuses: r.Statuses, SourceTypes: r.SourceTypes, To: r.AsOf}
	}
	return q, nil
}

// chunkFilter is what a request asks of chunks, type and status apart.
func chunkFilter(r Request, scope catalog.SearchScope) catalog.ChunkFilter {
	f := catalog.ChunkFilter{
		Sources: r.Sources, SourceTypes: r.SourceTypes, DocTypes: r.DocTypes, Languages: r.Languages,
		Territories: r.Territories, Domains: r.Domains, Layers: r.Layers, ExceptSources: scope.Disabled,
	}
	if !r.AsOf.IsZero() {
		f.To = r.AsOf.Format(time.DateOnly)
	}
	return f
}

// zero reports whether a vector says nothing: its cosines are no scores.
func zero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

// candidates returns the fused hits, best first, from at most n of each side, and
// whether there may be more than that.
func (q *question) candidates(ctx context.Context, n int) (hits []retrieval.Scored, more bool, err error) {
	var dense, sparse []retrieval.Scored
	var moreDense, moreSparse bool
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		if q.dense == nil {
			return nil
		}
		dense, moreDense, err = q.side(ctx, n, func(f vectorstore.Filter, limit int) ([]vectorstore.Hit, error) {
			return q.points.QueryDense(ctx, q.dense, f, limit)
		})
		return err
	})
	both.Go(func() (err error) {
		sparse, moreSparse, err = q.side(ctx, n, func(f vectorstore.Filter, limit int) ([]vectorstore.Hit, error) {
			return q.points.QuerySparse(ctx, q.sparse, f, limit)
		})
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, false, err
	}
	return retrieval.Fuse(dense, sparse, q.weight), moreDense || moreSparse, nil
}

// side returns the best n hits of one side, and whether there may be more.
func (q *question) side(ctx context.Context, n int, query func(vectorstore.Filter, int) ([]vectorstore.Hit, error)) (list []retrieval.Scored, more bool, err error) {
	shown, err := query(q.shown, n)
	if err != nil {
		return nil, false, err
	}
	for _, h := range shown {
		list = append(list, retrieval.Scored{ID: h.ChunkRef, Score: h.Score})
	}
	more = len(shown) == n
	if q.hidden == nil {
		return list, more, nil
	}
	hidden, err := q.hiddenHits(n, shown, query)
	if err != nil || len(hidden) == 0 {
		return list, more, err
	}
	refs := make([]string, len(hidden))
	for i, h := range hidden {
		refs[i] = h.ChunkRef
	}
	twins, err := q.catalog.Twins(ctx, refs, q.twins)
	if err != nil {
		return nil, false, err
	}
	for _, h := range hidden {
		if twin, ok := twins[h.ChunkRef]; ok {
			list = append(list, retrieval.Scored{ID: twin, Score: h.Score})
		}
	}
	slices.SortStableFunc(list, func(a, b retrieval.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	more = more || len(list) > n
	return list[:min(len(list), n)], more, nil
}

// hiddenHits returns the points of disabled sources whose twins may be among the
// best n: all, or those that are no worse than the last of n that are shown. It
// takes the best maxCandidates when there are more.
func (q *question) hiddenHits(n int, shown []vectorstore.Hit, query func(vectorstore.Filter, int) ([]vectorstore.Hit, error)) ([]vectorstore.Hit, error) {
	worse := func(vectorstore.Hit) bool { return false }
	if len(shown) == n {
		worse = func(h vectorstore.Hit) bool { return h.Score < shown[n-1].Score }
	}
	for limit := n; ; limit = min(limit*widening, maxCandidates) {
		hits, err := query(*q.hidden, limit)
		if err != nil {
			return nil, err
		}
		if len(hits) < limit || worse(hits[limit-1]) || limit == maxCandidates {
			return slices.DeleteFunc(hits, worse), nil
		}
	}
}
