package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

const (
	// looks is how often catalog and vector store are asked when they seem to differ, and
	// lookPause how long after one another: what is pushed just now is recorded by then.
	looks     = 5
	lookPause = 200 * time.Millisecond
)

// Points implements proof.Reader: a chunk that needs a point must have it, once, with
// its payload and its vectors; one that repeats another must have none.
// What seems to differ is looked at again, since chunks move meanwhile, and so may what
// the alias leads to.
func (r *Reader) Points(ctx context.Context, items []proof.Item) (map[string]string, error) {
	for look := 1; ; look++ {
		name, err := r.searched(ctx)
		if err != nil {
			return nil, err
		}
		wrong, err := r.pointsIn(ctx, name, items)
		if errors.Is(err, vectorstore.ErrNotFound) {
			wrong, err = allMissing(items, "there is no collection "+name), nil
		}
		if err != nil || len(wrong) == 0 {
			return wrong, err
		}
		if now, err := r.searched(ctx); err != nil || now == name || look == looks {
			return wrong, err
		}
	}
}

// searched returns the name of the collection that is searched, "" when there is none.
func (r *Reader) searched(ctx context.Context) (string, error) {
	name, err := r.Vectors.Alias(ctx, r.Alias)
	if errors.Is(err, vectorstore.ErrNotFound) {
		return "", nil
	}
	return name, err
}

// allMissing says one thing of all chunks that need a point.
func allMissing(items []proof.Item, what string) map[string]string {
	wrong := make(map[string]string)
	for _, item := range items {
		if item.State.HasPoint() {
			wrong[item.Chunk.ChunkRef] = what
		}
	}
	return wrong
}

// pointsIn returns what is wrong with the points of chunks in one collection, by
// chunk_ref.
func (r *Reader) pointsIn(ctx context.Context, name string, items []proof.Item) (map[string]string, error) {
	if name == "" {
		return allMissing(items, "there is no collection "+r.Alias), nil
	}
	wrong, err := r.comparePoints(ctx, name, items)
	if err != nil || len(wrong) == 0 {
		return wrong, err
	}
	suspects := make(map[string]proof.Item, len(wrong)) // by point id
	for _, item := range items {
		if wrong[item.Chunk.ChunkRef] != "" {
			suspects[pointID(item)] = item
		}
	}
	said := make(map[string]string, len(wrong))
	err = r.lookAgain(ctx, name, slices.Collect(maps.Keys(suspects)), func(ids []string, before map[string]catalog.VectorStanding) (map[string]string, error) {
		open := make([]proof.Item, len(ids))
		for i, id := range ids {
			open[i] = suspects[id]
			if now, there := before[id]; there {
				open[i].State = now.State
			}
		}
		wrong, err := r.comparePoints(ctx, name, open)
		differ := make(map[string]string, len(wrong))
		for i, id := range ids {
			differ[id] = wrong[open[i].Chunk.ChunkRef]
		}
		return differ, err
	}, func(id, what string) { said[suspects[id].Chunk.ChunkRef] = what })
	return said, err
}

// lookAgain finds out of points, by their ids, whether catalog and vector
// store do differ, as they seemed to: it asks the catalog, compares, and asks the
// catalog again. compare is given what the catalog said first, and returns what differs,
// by point id. say is told what does: of a chunk that has not moved in between and whose
// newest state was pushed. What is not pushed yet is under way when its state has
// changed within Age, and a break when it is still so at the last look. What moves at
// every look is under way.
func (r *Reader) lookAgain(ctx context.Context, collection string, suspects []string,
	compare func(ids []string, before map[string]catalog.VectorStanding) (map[string]string, error), say func(id, what string),
) error {
	open := slices.Sorted(slices.Values(suspects))
	for look := 1; ; look++ {
		since := time.Now().Add(-r.Age)
		before, err := r.Catalog.VectorStandings(ctx, collection, open, since)
		if err != nil {
			return err
		}
		differ, err := compare(open, before)
		if err != nil {
			return err
		}
		after, err := r.Catalog.VectorStandings(ctx, collection, open, since)
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(id string) bool {
			stands, known := after[id]
			switch what := differ[id]; {
			case before[id] != stands:
				return false
			case what == "" || known && !stands.Settled() && stands.Fresh:
				return true
			case !known || stands.Settled() || look == looks:
				say(id, what)
				return true
			default:
				return false
			}
		})
		if len(open) == 0 || look == looks {
			return nil
		}
		if err := wait(ctx, lookPause); err != nil {
			return err
		}
	}
}

// wait returns after a time, or with the error of a context that has ended before.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// comparePoints returns how the points of chunks in a collection differ from what the
// states of the items ask for, by chunk_ref.
func (r *Reader) comparePoints(ctx context.Context, name string, items []proof.Item) (map[string]string, error) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = pointID(item)
	}
	points, err := r.Vectors.Collection(name).Get(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	found := make(map[string]vectorstore.Point, len(points))
	for _, p := range points {
		found[p.ID] = p
	}
	wrong, err := r.strangers(ctx, name, items)
	if err != nil {
		return nil, err
	}
	built := builtIn(r.Alias, name)
	for _, item := range items {
		point, present := found[pointID(item)]
		have := point.Payload
		have.PushedAt = ""
		what := ""
		switch {
		case item.State.HasPoint() && !present:
			what = "is not in " + name
		case !item.State.HasPoint() && present:
			what = "is in " + name + " although the chunk repeats another"
		case point.Wrong != "":
			what = "its payload in " + name + " " + point.Wrong
		case present && have != vectorstore.PayloadOf(item.Chunk, item.State, name):
			what = "its payload in " + name + " is not that of the chunk"
		case present && wrongTime(point.Payload.PushedAt) != "":
			what = "its payload in " + name + " " + wrongTime(point.Payload.PushedAt)
		case present:
			if what = wrongVectors(item.Chunk.Text, item.Chunk.EmbeddedText(), point, built); what != "" {
				what = "its point in " + name + " " + what
			}
		}
		if what != "" {
			wrong[item.Chunk.ChunkRef] = what
		}
	}
	return wrong, nil
}

// clockSlop is how far the clocks of two machines may differ.
const clockSlop = 5 * time.Minute

// wrongTime says why nothing writes such a pushed_at; "" of one that can have been
// written. Which second it names is the indexer's clock, and not compared.
func wrongTime(pushedAt string) string {
	at, err := time.Parse(time.RFC3339, pushedAt)
	switch {
	case err != nil || at.UTC().Format(time.RFC3339) != pushedAt:
		return fmt.Sprintf("says that it was pushed at %q, which is no time in UTC", pushedAt)
	case at.After(time.Now().Add(clockSlop)):
		return "says that it was pushed in the future: " + pushedAt
	}
	return ""
}

// pointID returns the id that the point of a chunk has, whatever the chunk says that it is.
func pointID(item proof.Item) string {
	return model.PointIDOf(cmp.Or(item.State.ChunkRef, item.Chunk.ChunkRef), item.Chunk.RuleVersions)
}

// strangers returns the chunks that a point of another id claims to be.
func (r *Reader) strangers(ctx context.Context, collection string, items []proof.Item) (map[string]string, error) {
	wrong := make(map[string]string)
	ids := make(map[string]string, len(items))
	var filter vectorstore.Filter
	for _, item := range items {
		ids[item.Chunk.ChunkRef] = pointID(item)
		if !slices.Contains(filter.DocHashes, item.Chunk.DocHash) {
			filter.DocHashes = append(filter.DocHashes, item.Chunk.DocHash)
		}
	}
	if len(filter.DocHashes) == 0 {
		return wrong, nil
	}
	for p, err := range r.Vectors.Collection(collection).Scroll(ctx, filter, true) {
		if err != nil {
			return nil, err
		}
		if id, asked := ids[p.Payload.PointIDReadable]; asked && id != p.ID {
			wrong[p.Payload.PointIDReadable] = "is in " + collection + " a second time, as " + p.ID
		}
	}
	return wrong, nil
}
