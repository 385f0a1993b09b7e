// Package sync makes collections of vectors equal to the catalog: it decides
// for each chunk whether it needs a point, and writes what differs (contracts#sync).
package sync

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// Point is a chunk as it is to stand in a collection.
type Point struct {
	Chunk    model.Chunk
	State    model.ChunkState
	Dense    []float32
	Indices  []uint32 // of the sparse vector, ascending
	Values   []float32
	PushedAt string // RFC 3339, UTC
}

// Points changes the points of collections. Every call may be repeated. When
// the collection is missing the error is one that Missing knows.
type Points interface {
	// Upsert writes points whole.
	Upsert(ctx context.Context, collection string, points []Point) error
	// SetLayer changes the layer of points. When one of them is missing the
	// error is one that Missing knows, and others may be changed all the same.
	SetLayer(ctx context.Context, collection string, ids []string, layer model.Layer, pushedAt string) error
	// Delete removes points; those that are not there are passed over.
	Delete(ctx context.Context, collection string, ids []string) error
}

// Syncer writes the collections of one alias.
type Syncer struct {
	Catalog   Catalog
	Store     Store
	Points    Points
	Embedders map[string]retrieval.Embedder // by model
	Model     string                        // of the collection that is made when the alias has none
	Alias     string
	Missing   func(error) bool // a collection or a point is not there
	Foreign   func(error) bool // a collection is there for other vectors
	Now       func() time.Time
	Log       *slog.Logger
}

// plan is what must be done to make one collection equal to some chunks.
type plan struct {
	upsert  []model.IndexItem
	change  []model.IndexItem // only the payload of a point that is there
	remove  []string          // ids of points
	outcome []model.VectorRow
}

// planFor compares what the catalog wants with what is recorded of the
// collection. A chunk that wants no point is removed also when none is recorded:
// an earlier state's point may have been written and its record lost. Only a
// first state cannot have left one.
func planFor(collection string, items []model.IndexItem) plan {
	var p plan
	for _, item := range items {
		pushed, rev := item.Pushed[collection], item.State.Rev
		if !item.Found {
			p.remove = append(p.remove, digest.PointID(item.ChunkRef))
			continue
		}
		switch wants := item.WantsPoint(); {
		case wants && !pushed.Present:
			p.upsert = append(p.upsert, item)
		case wants && pushed.Rev != rev:
			p.change = append(p.change, item)
		case !wants && (pushed.Present || pushed.Rev != rev && rev > 1):
			p.remove = append(p.remove, item.Chunk.PointID)
		case pushed.Rev == rev:
			continue // nothing to do and nothing to record
		}
		p.outcome = append(p.outcome, model.VectorRow{
			ChunkRef: item.ChunkRef, Collection: collection, PointID: item.Chunk.PointID,
			Pushed: model.Pushed{Rev: rev, Present: item.WantsPoint()},
		})
	}
	return p
}

// Push makes those of the collections whose model is at hand equal to the items,
// and returns what is to be recorded. After an error some of it may be done; to
// repeat it is harmless.
func (s *Syncer) Push(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
	var rows []model.VectorRow
	for _, c := range collections {
		embedder, known := s.Embedders[c.Model]
		if !known {
			continue // Setup has said so
		}
		p := planFor(c.Name, items)
		if err := s.apply(ctx, c.Name, embedder, p); err != nil {
			return nil, fmt.Errorf("collection %s: %w", c.Name, err)
		}
		rows = append(rows, p.outcome...)
	}
	return rows, nil
}

// apply writes first and deletes after, so that no gap is seen (contracts#sync).
func (s *Syncer) apply(ctx context.Context, collection string, embedder retrieval.Embedder, p plan) error {
	if err := s.upsert(ctx, collection, embedder, p.upsert); err != nil {
		return err
	}
	faultpoint.Reach("index.points.upserted")
	byLayer := make(map[model.Layer][]model.IndexItem)
	for _, item := range p.change {
		byLayer[item.State.Layer] = append(byLayer[item.State.Layer], item)
	}
	for _, layer := range slices.Sorted(maps.Keys(byLayer)) {
		if err := s.setLayer(ctx, collection, embedder, layer, byLayer[layer]); err != nil {
			return err
		}
		faultpoint.Reach("index.points.changed")
	}
	if len(p.remove) == 0 {
		return nil
	}
	err := s.Points.Delete(ctx, collection, p.remove)
	faultpoint.Reach("index.points.deleted")
	return err
}

// setLayer changes payloads; where a point is missing it writes all of them
// whole.
func (s *Syncer) setLayer(ctx context.Context, collection string, embedder retrieval.Embedder, layer model.Layer, items []model.IndexItem) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.Chunk.PointID
	}
	err := s.Points.SetLayer(ctx, collection, ids, layer, s.pushedAt())
	if err != nil && s.Missing(err) {
		return s.upsert(ctx, collection, embedder, items)
	}
	return err
}

func (s *Syncer) upsert(ctx context.Context, collection string, embedder retrieval.Embedder, items []model.IndexItem) error {
	if len(items) == 0 {
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Chunk.Text
	}
	vectors, err := embedder.Embed(ctx, texts, retrieval.Passage)
	if err != nil {
		return err
	}
	at := s.pushedAt()
	points := make([]Point, len(items))
	for i, item := range items {
		indices, values := retrieval.Sparse(item.Chunk.Text)
		points[i] = Point{
			Chunk: item.Chunk, State: item.State, Dense: vectors[i], Indices: indices, Values: values, PushedAt: at,
		}
	}
	return s.Points.Upsert(ctx, collection, points)
}

func (s *Syncer) pushedAt() string { return s.Now().UTC().Format(time.RFC3339) }
