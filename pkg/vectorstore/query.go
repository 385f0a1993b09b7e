package vectorstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// Hit is a point that a query found. Of its payload it has what names its chunk and its
// text: the rest would be the most of what the server sends, and readers take it from
// the catalog.
type Hit struct {
	ID       string
	Score    float64 // cosine for dense, sum of weights times idf for sparse; more is better
	ChunkRef string  // the payload's point_id_readable; "" when there is none
	Stands   string  // chunk_ref of the chunk that stands for its text: points with one Stands have one text
}

// QueryDense returns at most limit points that pass the filter, nearest to
// vector by cosine, best first; equal scores in the order of their ids.
func (c *Collection) QueryDense(ctx context.Context, vector []float32, filter Filter, limit int) ([]Hit, error) {
	return c.query(ctx, denseVector, qdrant.NewQueryDense(vector), filter, limit)
}

// QuerySparse is QueryDense for the sparse vectors, of which it finds only
// those that share an index with vector. An empty vector finds nothing.
func (c *Collection) QuerySparse(ctx context.Context, vector Sparse, filter Filter, limit int) ([]Hit, error) {
	if len(vector.Indices) == 0 {
		return nil, nil
	}
	return c.query(ctx, sparseVector, qdrant.NewQuerySparse(vector.Indices, vector.Values), filter, limit)
}

func (c *Collection) query(ctx context.Context, using string, query *qdrant.Query, filter Filter, limit int) ([]Hit, error) {
	if limit <= 0 {
		return nil, nil
	}
	var hits []Hit
	err := c.call(ctx, "query "+using+" vectors of", func(ctx context.Context, driver *qdrant.Client) error {
		most := uint64(limit)
		points, err := driver.Query(ctx, &qdrant.QueryPoints{
			CollectionName: c.name,
			Query:          query,
			Using:          &using,
			Filter:         filter.driver(),
			Limit:          &most,
			WithPayload:    qdrant.NewWithPayloadInclude(refField, duplicateField),
		})
		if err != nil {
			return err
		}
		hits = make([]Hit, len(points))
		for i, point := range points {
			id := idOf(point.GetId())
			ref, err := textOf(point.GetPayload(), refField)
			if err != nil {
				return fmt.Errorf("point %s: %w", id, err)
			}
			other, err := textOf(point.GetPayload(), duplicateField)
			if err != nil {
				return fmt.Errorf("point %s: %w", id, err)
			}
			hits[i] = Hit{ID: id, Score: float64(point.GetScore()), ChunkRef: ref, Stands: cmp.Or(other, ref)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits, nil
}
