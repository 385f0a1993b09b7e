package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// objects that were put, since before may be on their way still.
func (r *Reader) Stores(ctx context.Context, moved, put time.Time) ([]proof.Break, error) {
	breaks, err := r.Rows(ctx, "", moved)
	if err != nil {
		return nil, err
	}
	for bucket, unnamed := range map[blobstore.Bucket]func(context.Context, []string) ([]string, error){
		blobstore.Raw: r.Catalog.UnnamedRaw, blobstore.Derived: r.Catalog.UnnamedDerived,
	} {
		found, err := r.orphans(ctx, bucket, put, unnamed)
		if err != nil {
			return nil, err
		}
		breaks = append(breaks, found...)
	}
	for _, look := range []func(context.Context) ([]proof.Break, error){
		func(ctx context.Context) ([]proof.Break, error) { return r.registered(ctx, moved) }, r.collections, r.results,
	} {
		found, err := look(ctx)
		if err != nil {
			return nil, err
		}
		breaks = append(breaks, found...)
	}
	slices.SortStableFunc(breaks, compareBreaks)
	return breaks, nil
}

// Rows returns the contradictions of the catalog, of one document or of all.
func (r *Reader) Rows(ctx context.Context, documentID string, moved time.Time) ([]proof.Break, error) {
	found, err := r.Catalog.Contradictions(ctx, documentID, moved)
	if err != nil {
		return nil, err
	}
	breaks := make([]proof.Break, len(found))
	for i, c := range found {
		breaks[i] = proof.Break{Step: "g", Where: c.Where, What: c.What}
	}
	return breaks, nil
}

// orphans returns objects that no row names, although they were put before.
func (r *Reader) orphans(ctx context.Context, b blobstore.Bucket, put time.Time,
	unnamed func(context.Context, []string) ([]string, error),
) ([]proof.Break, error) {
	var (
		breaks []proof.Break
		keys   []string
	)
	flush := func() error {
		left, err := unnamed(ctx, keys)
		for _, key := range left {
			breaks = append(breaks, proof.Break{Step: "g", Where: fmt.Sprintf("object %s/%s", b, key), What: "no row names it"})
		}
		keys = keys[:0]
		return err
	}
	for object, err := range r.Blobs.List(ctx, b, "") {
		if err != nil {
			return nil, err
		}
		if !object.Modified.Before(put) {
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
// behind the alias. One that was registered since before may still be made.
func (r *Reader) registered(ctx context.Context, before time.Time) ([]proof.Break, error) {
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
			return nil, err
		}
	}
	if known {
		return breaks, nil
	}
	if _, err := r.Catalog.ActiveCollection(ctx, r.Alias); errors.Is(err, catalog.ErrNotFound) {
		fail(target, "alias %s leads to it, and it is not registered", r.Alias)
	} else if err != nil {
		return nil, err
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
		collection := r.Vectors.Collection(c.Name)
		for _, look := range []func(context.Context, *vectorstore.Collection) ([]proof.Break, error){r.missing, r.strange} {
			found, err := look(ctx, collection)
			if err != nil && !errors.Is(err, proof.ErrGone) { // one that is gone is the registry's to miss
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
		ids := make([]string, len(rows))
		for i, row := range rows {
			ids[i] = row.PointID
		}
		points, err := c.Get(ctx, ids, false)
		if err != nil {
			return nil, gone(err)
		}
		there := make(map[string]bool, len(points))
		for _, p := range points {
			there[p.ID] = true
		}
		for _, row := range rows {
			if !there[row.PointID] {
				breaks = append(breaks, proof.Break{Step: "g", Where: "vector of " + row.ChunkRef + " in " + c.Name(), What: "its point is not there"})
			}
		}
	}
}

// strange returns the points that are no chunk's.
func (r *Reader) strange(ctx context.Context, c *vectorstore.Collection) ([]proof.Break, error) {
	var (
		breaks []proof.Break
		ids    []string
	)
	flush := func() error {
		rows, err := r.Catalog.RowsOfPoints(ctx, c.Name(), ids)
		if err != nil {
			return err
		}
		known := make(map[string]bool, len(rows))
		for _, row := range rows {
			known[row.PointID] = true
		}
		for _, id := range ids {
			if !known[id] {
				breaks = append(breaks, proof.Break{Step: "g", Where: "point " + id + " in " + c.Name(), What: "is the point of no chunk that has one there"})
			}
		}
		ids = ids[:0]
		return nil
	}
	for p, err := range c.Scroll(ctx, vectorstore.Filter{}, false) {
		if err != nil {
			return nil, gone(err)
		}
		if ids = append(ids, p.ID); len(ids) == batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return breaks, flush()
}
