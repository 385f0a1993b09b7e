// Package sync makes collections of vectors equal to the catalog: it decides
// for each chunk whether it needs a point, and writes what differs (contracts#sync).
package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
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

// Standing is what a point says of its chunk's state. It is the part of a point that
// changes.
type Standing struct {
	Layer       model.Layer
	DuplicateOf string // the chunk_ref that stands for the same text, "" for this one
}

// compare orders those that stand for their text before others: where one takes the
// place of another, it is found before that one is not.
func (s Standing) compare(other Standing) int {
	return cmp.Or(strings.Compare(s.DuplicateOf, other.DuplicateOf), strings.Compare(string(other.Layer), string(s.Layer)))
}

// Points changes the points of collections. Every call may be repeated. When
// the collection is missing the error is fault.ErrNoCollection.
type Points interface {
	// Upsert writes points whole.
	Upsert(ctx context.Context, collection string, points []Point) error
	// SetStanding changes what points say of their chunks' states. When one of them is
	// missing the error is fault.ErrNoCollection, and others may be changed all the same.
	SetStanding(ctx context.Context, collection string, ids []string, stands Standing, pushedAt string) error
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
			p.remove = append(p.remove, model.PointIDsOf(item.ChunkRef)...) // under which rule is not known
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
// and returns what is to be recorded: also beside an error, of the collections that were
// written whole. What one refuses for good the others get all the same. Of one that failed some
// may be done; to repeat it is harmless.
func (s *Syncer) Push(ctx context.Context, collections []model.Collection, items []model.IndexItem) ([]model.VectorRow, error) {
	var rows []model.VectorRow
	var failed error
	for _, c := range collections {
		embedder, known := s.Embedders[c.Model]
		if !known {
			continue // Setup has said so
		}
		p := planFor(c.Name, items)
		at, err := s.apply(ctx, c.Name, embedder, p)
		if err != nil {
			err = fmt.Errorf("collection %s: %w", c.Name, err)
			if fault.KindOf(err) != fault.KindPermanent {
				failed = err // what passes decides: all of it is tried again
				break
			}
			failed = cmp.Or(failed, err)
			continue
		}
		for i := range p.outcome {
			p.outcome[i].PushedAt = at
		}
		rows = append(rows, p.outcome...)
	}
	return rows, failed
}

// apply writes first and deletes after, so that no gap is seen (contracts#sync). It returns
// the time that the points have of it.
func (s *Syncer) apply(ctx context.Context, collection string, embedder retrieval.Embedder, p plan) (at time.Time, err error) {
	vectors, err := embed(ctx, embedder, p.upsert)
	if err != nil {
		return at, err
	}
	at = s.Now().UTC().Truncate(time.Second) // as exact as payloads are
	if err := s.upsert(ctx, collection, p.upsert, vectors, at); err != nil {
		return at, err
	}
	faultpoint.Reach("index.points.upserted")
	alike := make(map[Standing][]model.IndexItem)
	for _, item := range p.change {
		stands := Standing{item.State.Layer, item.State.DuplicateOf}
		alike[stands] = append(alike[stands], item)
	}
	for _, stands := range slices.SortedFunc(maps.Keys(alike), Standing.compare) {
		if err := s.setStanding(ctx, collection, embedder, stands, alike[stands], at); err != nil {
			return at, err
		}
		faultpoint.Reach("index.points.changed")
	}
	if len(p.remove) == 0 {
		return at, nil
	}
	err = s.Points.Delete(ctx, collection, p.remove)
	faultpoint.Reach("index.points.deleted")
	return at, err
}

// setStanding changes payloads; where a point is missing it writes all of them
// whole.
func (s *Syncer) setStanding(ctx context.Context, collection string, embedder retrieval.Embedder, stands Standing, items []model.IndexItem, at time.Time) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.Chunk.PointID
	}
	err := s.Points.SetStanding(ctx, collection, ids, stands, at.Format(time.RFC3339))
	if err == nil || !errors.Is(err, fault.ErrNoCollection) {
		return err
	}
	vectors, err := embed(ctx, embedder, items)
	if err != nil {
		return err
	}
	return s.upsert(ctx, collection, items, vectors, at)
}

// embed makes the vectors of items. Of equal contents without a context line one vector serves all,
// whoever says them and when (contracts#embedded-text).
func embed(ctx context.Context, embedder retrieval.Embedder, items []model.IndexItem) ([][]float32, error) {
	if len(items) == 0 {
		return nil, nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Chunk.EmbeddedText()
	}
	return embedder.Embed(ctx, texts, retrieval.Passage)
}

func (s *Syncer) upsert(ctx context.Context, collection string, items []model.IndexItem, vectors [][]float32, at time.Time) error {
	if len(items) == 0 {
		return nil
	}
	points := make([]Point, len(items))
	for i, item := range items {
		indices, values := retrieval.Sparse(item.Chunk.Text)
		points[i] = Point{
			Chunk: item.Chunk, State: item.State, Dense: vectors[i], Indices: indices, Values: values, PushedAt: at.Format(time.RFC3339),
		}
	}
	return s.Points.Upsert(ctx, collection, points)
}
