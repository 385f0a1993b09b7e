package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// batch is how many objects or points are held against the catalog at once.
const batch = 1000

// Stores looks the other way: rows that cannot be true together, objects that
// no row names, and points and rows that do not meet. What has moved, and
// objects that were put, since before may be on their way still. What a row says never
// ends it: the error is for a store that does not answer.
func (r *Reader) Stores(ctx context.Context, moved, put time.Time) ([]proof.Break, error) {
	missing, err := r.Catalog.MissingSchema(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Rows(ctx, "", moved)
	if err != nil {
		return nil, err
	}
	breaks := append(breaksOf(missing), rows...)
	for _, part := range []struct {
		where string
		look  func(context.Context) ([]proof.Break, error)
	}{
		{"objects in raw", func(ctx context.Context) ([]proof.Break, error) {
			return r.orphans(ctx, blobstore.Raw, put, r.Catalog.UnnamedRaw)
		}},
		{"objects in derived", func(ctx context.Context) ([]proof.Break, error) {
			return r.orphans(ctx, blobstore.Derived, put, r.unnamedDerived)
		}},
		{"collections", func(ctx context.Context) ([]proof.Break, error) { return r.registered(ctx, moved) }},
		{"points", r.collections},
		{"stored results", r.results},
		{"answers of models", r.answers},
	} {
		found, err := lookAt(part.where, func() ([]proof.Break, error) { return part.look(ctx) })
		if err != nil {
			return nil, err
		}
		breaks = append(breaks, found...)
	}
	slices.SortStableFunc(breaks, compareBreaks)
	return slices.Compact(breaks), nil // what lacks a table is said once
}

// lookAt returns what one look finds, and as a break more what of a row stands in its way.
func lookAt(where string, look func() ([]proof.Break, error)) (found []proof.Break, err error) {
	err = survive(func() (err error) { found, err = look(); return err })
	if damage := damageOf(err); damage != nil {
		return append(found, proof.Break{Step: "g", Where: where, What: fmt.Sprintf("cannot be verified: %v", damage)}), nil
	}
	return found, err
}

// Rows returns the contradictions of the catalog, of one document or of all.
func (r *Reader) Rows(ctx context.Context, documentID string, moved time.Time) ([]proof.Break, error) {
	found, err := r.Catalog.Contradictions(ctx, documentID, moved)
	if err != nil {
		return nil, err
	}
	return breaksOf(found), nil
}

func breaksOf(found []catalog.Contradiction) []proof.Break {
	breaks := make([]proof.Break, len(found))
	for i, c := range found {
		breaks[i] = proof.Break{Step: "g", Where: c.Where, What: c.What, More: c.More}
	}
	return breaks
}

// orphans returns objects that no row names, although they were put before, and those
// that have a name which nothing here writes.
func (r *Reader) orphans(ctx context.Context, b blobstore.Bucket, put time.Time,
	unnamed func(context.Context, []string) ([]string, error),
) ([]proof.Break, error) {
	var (
		breaks []proof.Break
		keys   []string
	)
	fail := func(key, what string) {
		breaks = append(breaks, proof.Break{Step: "g", Where: fmt.Sprintf("object %s/%s", b, key), What: what})
	}
	flush := func() error {
		left, err := unnamed(ctx, keys)
		if err == nil && len(left) > 0 { // a row may have come since, and an object have gone
			left, err = r.still(ctx, b, left, unnamed)
		}
		for _, key := range left {
			fail(key, "no row names it: unless one comes, the janitor deletes it")
		}
		keys = keys[:0]
		return err
	}
	for object, err := range r.Blobs.List(ctx, b, "") {
		switch {
		case err != nil:
			return nil, err
		case !object.Modified.Before(put):
			continue
		case !blobstore.Written(b, object.Key):
			fail(object.Key, "nothing writes an object of such a name")
			continue
		}
		if keys = append(keys, object.Key); len(keys) == batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return breaks, flush()
}

// still returns those of the objects that are there, and that no row names after that.
func (r *Reader) still(ctx context.Context, b blobstore.Bucket, keys []string, unnamed func(context.Context, []string) ([]string, error)) ([]string, error) {
	var there []string
	for _, key := range keys {
		switch _, err := r.Blobs.Stat(ctx, b, key); {
		case errors.Is(err, blobstore.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			there = append(there, key)
		}
	}
	if len(there) == 0 {
		return nil, nil
	}
	return unnamed(ctx, there)
}

// unnamedDerived returns those of the keys of Derived that no row names. Pictures are
// drawn on demand: no row names one, but a small one is of a snapshot.
func (r *Reader) unnamedDerived(ctx context.Context, keys []string) ([]string, error) {
	left, err := r.Catalog.UnnamedDerived(ctx, keys)
	if err != nil {
		return nil, err
	}
	thumbs := make(map[string][]string)
	for _, key := range keys {
		if id := blobstore.SnapshotOfThumb(key); id != "" {
			thumbs[id] = append(thumbs[id], key)
		}
	}
	if len(thumbs) == 0 {
		return left, nil
	}
	missing, err := r.Catalog.MissingSnapshots(ctx, slices.Sorted(maps.Keys(thumbs)))
	for _, id := range missing {
		left = append(left, thumbs[id]...)
	}
	return left, err
}

// results returns the stored results whose key is not made of what they are.
func (r *Reader) results(ctx context.Context) (breaks []proof.Break, err error) {
	err = r.Catalog.EachStoredResult(ctx, func(s model.StoredResult) {
		if made := blobstore.OCRKey(s.SourceID, s.Engine, s.Version, s.Key); made != s.ObjectKey {
			breaks = append(breaks, proof.Break{Step: "g", Where: "stored result " + s.Key + " of " + s.SourceID,
				What: "its object_key is not made of source, engine, version and key"})
		}
	})
	return breaks, err
}

// registered holds the registry of collections against what the vector store has
// behind the alias, and the other way round. One that was registered since before may still be made, and while
// the alias moves the two differ: only what is said at each look is a break.
func (r *Reader) registered(ctx context.Context, before time.Time) ([]proof.Break, error) {
	look := func() ([]proof.Break, error) {
		breaks, err := r.lookAtRegistry(ctx, before)
		if err != nil {
			return breaks, err
		}
		more, err := r.unregistered(ctx)
		return append(breaks, more...), err
	}
	breaks, err := look()
	for n := 1; n < looks && err == nil && len(breaks) > 0; n++ {
		if err := wait(ctx, lookPause); err != nil {
			return nil, err
		}
		again, err := look()
		if err != nil {
			return breaks, err
		}
		breaks = slices.DeleteFunc(breaks, func(b proof.Break) bool { return !slices.Contains(again, b) })
	}
	return breaks, err
}

func (r *Reader) lookAtRegistry(ctx context.Context, before time.Time) ([]proof.Break, error) {
	all, err := r.Catalog.CollectionsBefore(ctx, before)
	if err != nil {
		return nil, err
	}
	target, err := r.Vectors.Alias(ctx, r.Alias)
	if err != nil && !errors.Is(err, vectorstore.ErrNotFound) {
		return nil, err
	}
	var breaks []proof.Break
	fail := func(name, format string, args ...any) {
		breaks = append(breaks, proof.Break{Step: "g", Where: "collection " + name, What: fmt.Sprintf(format, args...)})
	}
	known := target == ""
	for _, c := range all {
		known = known || c.Name == target
		if made := model.CollectionName(c.Alias, c.Model, c.Dimensions); made != c.Name {
			fail(c.Name, "alias, model and dimensions make its name %s", made)
		}
		if c.Alias == r.Alias && (c.State == model.CollectionActive) != (c.Name == target) {
			fail(c.Name, "is %s, and alias %s leads to %q", c.State, r.Alias, target)
		}
		if c.State == model.CollectionRetired {
			continue
		}
		switch err := r.Vectors.Collection(c.Name).Check(ctx, c.Dimensions); {
		case errors.Is(err, vectorstore.ErrNotFound):
			fail(c.Name, "is registered, and the vector store has none of its name")
		case fault.KindOf(err) == fault.KindPermanent:
			fail(c.Name, "is registered otherwise than it is: %v", err)
		case err != nil:
			return breaks, err
		}
	}
	if known {
		return breaks, nil
	}
	if _, err := r.Catalog.ActiveCollection(ctx, r.Alias); errors.Is(err, catalog.ErrNotFound) {
		fail(target, "alias %s leads to it, and it is not registered", r.Alias)
	} else if err != nil {
		return breaks, err
	}
	return breaks, nil
}

// collections holds the points of every written collection against the rows
// that say that they are there, both ways.
func (r *Reader) collections(ctx context.Context) ([]proof.Break, error) {
	written, err := r.Catalog.WrittenCollections(ctx, r.Alias)
	if err != nil {
		return nil, err
	}
	var breaks []proof.Break
	for _, c := range written {
		if model.CollectionName(c.Alias, c.Model, c.Dimensions) != c.Name { // the registry's to miss
			continue
		}
		collection := r.Vectors.Collection(c.Name)
		for _, look := range []func(context.Context, *vectorstore.Collection) ([]proof.Break, error){r.missing, r.strange} {
			found, err := lookAt("collection "+c.Name, func() ([]proof.Break, error) {
				found, err := look(ctx, collection)
				if errors.Is(err, vectorstore.ErrNotFound) { // the registry's to miss
					err = nil
				}
				return found, err
			})
			if err != nil {
				return nil, err
			}
			breaks = append(breaks, found...)
		}
	}
	return breaks, nil
}

// missing returns the rows whose points are not there.
func (r *Reader) missing(ctx context.Context, c *vectorstore.Collection) ([]proof.Break, error) {
	var breaks []proof.Break
	after := ""
	for {
		rows, err := r.Catalog.VectorRows(ctx, c.Name(), after, batch)
		if err != nil || len(rows) == 0 {
			return breaks, err
		}
		after = rows[len(rows)-1].ChunkRef
		lost, err := lostPoints(ctx, c, rows)
		if err != nil {
			return nil, err
		}
		if len(lost) == 0 {
			continue
		}
		suspects := make(map[string]model.VectorRow, len(lost)) // by point id
		for _, row := range lost {
			suspects[row.PointID] = row
		}
		err = r.lookAgain(ctx, c.Name(), slices.Collect(maps.Keys(suspects)), func(ids []string, before map[string]catalog.VectorStanding) (map[string]string, error) {
			var open []model.VectorRow
			for _, id := range ids {
				if stands, known := before[id]; stands.Present || !known {
					open = append(open, suspects[id])
				}
			}
			lost, err := lostPoints(ctx, c, open)
			differ := make(map[string]string, len(lost))
			for _, row := range lost {
				differ[row.PointID] = "its point is not there"
			}
			return differ, err
		}, func(id, what string) {
			breaks = append(breaks, proof.Break{Step: "g", Where: "vector of " + suspects[id].ChunkRef + " in " + c.Name(), What: what})
		})
		if err != nil {
			return nil, err
		}
	}
}

// lostPoints returns those of the rows whose point is not there.
func lostPoints(ctx context.Context, c *vectorstore.Collection, rows []model.VectorRow) ([]model.VectorRow, error) {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.PointID
	}
	there, err := c.Standings(ctx, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row model.VectorRow) bool {
		_, ok := there[row.PointID]
		return ok
	}), nil
}

// strange returns the points that are no chunk's.
func (r *Reader) strange(ctx context.Context, c *vectorstore.Collection) ([]proof.Break, error) {
	var (
		breaks []proof.Break
		ids    []string
	)
	fail := func(point, what string) {
		breaks = append(breaks, proof.Break{Step: "g", Where: point + " in " + c.Name(), What: what})
	}
	flush := func() error {
		rows, err := r.Catalog.RowsOfPoints(ctx, c.Name(), ids)
		if err != nil {
			return err
		}
		known := make(map[string]bool, len(rows))
		for _, row := range rows {
			known[row.PointID] = true
		}
		suspects := slices.DeleteFunc(ids, func(id string) bool { return known[id] })
		ids = nil
		if len(suspects) == 0 {
			return nil
		}
		return r.lookAgain(ctx, c.Name(), suspects, func(open []string, before map[string]catalog.VectorStanding) (map[string]string, error) {
			there, err := c.Standings(ctx, open)
			differ := make(map[string]string, len(there))
			for id := range there {
				if !before[id].Present {
					differ[id] = "is the point of no chunk that has one there"
				}
			}
			return differ, err
		}, func(id, what string) { fail("point "+id, what) })
	}
	for p, err := range c.Scroll(ctx, vectorstore.Filter{}, false) {
		if err != nil {
			return nil, err
		}
		if !strings.Contains(p.ID, "-") { // ours are UUIDs
			fail("a point whose id is a number", "is the point of no chunk")
			continue
		}
		if ids = append(ids, p.ID); len(ids) == batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return breaks, flush()
}
