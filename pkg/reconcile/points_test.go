package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/reconcile"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// indexed makes n documents of a chunk each, whose points are in a collection.
func (r *rig) indexed(n int) (*vectorstore.Collection, []model.Chunk) {
	r.t.Helper()
	collection, err := r.db.RegisterCollection(r.ctx, model.Collection{Name: r.alias + "_x_4", Alias: r.alias, Model: "x", Dimensions: 4})
	r.must(err)
	points := r.engine.Collection(collection.Name)
	r.must(points.Ensure(r.ctx, 4))
	r.must(r.engine.SetAlias(r.ctx, r.alias, collection.Name))
	var chunks []model.Chunk
	for range n {
		s := r.store(true)
		run := r.run(s, 1)
		r.segment(run, model.PageRange{From: 1, To: 1})
		c := r.chunk(s, run)
		r.publishLog(run)
		r.must(r.db.MarkRunAnnounced(r.ctx, run.SnapshotID, run.ExtractionID, run.Redo))
		r.push(points, c)
		chunks = append(chunks, c)
	}
	return points, chunks
}

// push does what an indexer does with a chunk.
func (r *rig) push(points *vectorstore.Collection, c model.Chunk) {
	r.t.Helper()
	_, err := r.db.PushVectors(r.ctx, r.alias, []string{c.ChunkRef},
		func(ctx context.Context, _ []model.Collection, _ []model.IndexItem) ([]model.VectorRow, error) {
			r.must(points.Upsert(ctx, []vectorstore.Point{{ID: c.PointID, Dense: []float32{1, 0, 0, 0}}}))
			return []model.VectorRow{{ChunkRef: c.ChunkRef, Collection: points.Name(), PointID: c.PointID, Pushed: model.Pushed{Rev: 1, Present: true}}}, nil
		})
	r.must(err)
}

func (r *rig) idsOf(points *vectorstore.Collection) []string {
	r.t.Helper()
	ids, err := points.IDs(r.ctx, "", 100)
	r.must(err)
	return ids
}

// TestPointsAreTheChunksOfTheCatalog: points that somebody has deleted by hand are due
// again, points that somebody has added, by a UUID or a number, are deleted; of each
// document the ids are those of the catalog afterwards.
func TestPointsAreTheChunksOfTheCatalog(t *testing.T) {
	r := newRig(t)
	points, chunks := r.indexed(4)
	r.pass()
	want := r.idsOf(points)
	strangers := []vectorstore.Point{
		{ID: "00000000-0000-4000-8000-000000000001", Dense: []float32{1, 0, 0, 0}}, {ID: "ffffffff-0000-4000-8000-000000000001", Dense: []float32{1, 0, 0, 0}},
		{ID: digest.NumberUUID(7), Dense: []float32{1, 0, 0, 0}},
	}
	r.must(points.Upsert(r.ctx, strangers))
	r.must(points.Delete(r.ctx, []string{chunks[1].PointID, chunks[2].PointID}))
	before := r.idsOf(points)
	r.passWith(reconcile.Options{SkipObjects: true, DryRun: true}, "points 5/3/0")
	if ids := r.idsOf(points); !slices.Equal(ids, before) || len(ids) != 5 {
		t.Fatalf("a dry run left %v of %v", ids, before)
	}
	r.pass("points 5/3/0", "chunks 2/2/0")
	var told []string
	for _, e := range r.drain(stream.ConsumerIndex, 2) {
		told = append(told, as[event.ChunkCreated](t, e).Chunk.ChunkRef)
		r.next()
	}
	slices.Sort(told)
	lost := []string{chunks[1].ChunkRef, chunks[2].ChunkRef}
	if slices.Sort(lost); !slices.Equal(told, lost) {
		t.Errorf("%v are published again, %v are lost", told, lost)
	}
	r.push(points, chunks[1])
	r.push(points, chunks[2])
	if ids := r.idsOf(points); !slices.Equal(ids, want) {
		t.Errorf("the collection has %v, want %v", ids, want)
	}
	r.pass()

	// As many added as deleted: only who looks at every id sees it.
	r.must(points.Delete(r.ctx, []string{chunks[3].PointID}))
	r.must(points.Upsert(r.ctx, strangers[2:]))
	r.pass()
	r.passWith(reconcile.Options{}, "points 2/1/0", "chunks 1/1/0")
}

// TestManyPointsAreComparedInWindows: what is compared is more than one question takes.
func TestManyPointsAreComparedInWindows(t *testing.T) {
	r := newRig(t)
	points, chunks := r.indexed(2)
	var strangers []vectorstore.Point
	const many = 2*1000 + 1 // two windows, and one more
	for i := range many {
		strangers = append(strangers, vectorstore.Point{ID: fmt.Sprintf("%08x-0000-4000-8000-000000000001", i*1_000_003), Dense: []float32{1, 0, 0, 0}})
	}
	r.must(points.Upsert(r.ctx, strangers))
	r.pass(fmt.Sprintf("points %d/%d/0", many, many))
	if ids := r.idsOf(points); len(ids) != len(chunks) {
		t.Errorf("%d points are left", len(ids))
	}
}
