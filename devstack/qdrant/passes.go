package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

// predicate reports whether a point of a collection passes a filter. It is for one goroutine.
type predicate func(*point) bool

// compile makes the predicate of a filter over this collection: the columns say what they can, and what they leave open
// is read from the payload.
func (c *collection) compile(f *pb.Filter) (predicate, error) {
	passes, fields, err := filter.Compile(f, c.texts)
	if err != nil {
		return nil, refused(err)
	}
	conditions, whole := c.columns.conditions(f)
	look := &view{collection: c, fields: fields}
	return func(p *point) bool {
		said := whole
		for _, one := range conditions {
			switch one.ask(p.row) {
			case fails:
				return false
			case unsaid:
				said = false
			}
		}
		if said {
			return true
		}
		look.point, look.payload = p, nil
		return passes(look)
	}, nil
}

func passesAll(filters []predicate, p *point) bool {
	return !slices.ContainsFunc(filters, func(passes predicate) bool { return !passes(p) })
}

// view is a point as a filter looks at it: of its payload the fields that the filter names, read when they are asked
// for.
type view struct {
	collection *collection
	fields     []string

	point   *point
	payload map[string]*pb.Value // nil until it was asked for
}

// ID implements filter.Point.
func (v *view) ID() filter.ID { return v.point.id }

// Payload implements filter.Point.
func (v *view) Payload() map[string]*pb.Value {
	if v.payload == nil {
		v.payload = v.point.payload.Some(v.fields)
	}
	return v.payload
}

// HasVector implements filter.Point.
func (v *view) HasVector(name string) bool {
	if space, ok := v.collection.dense[name]; ok {
		return space.index.Has(v.point.row)
	}
	space, ok := v.collection.sparse[name]
	return ok && space.index.Has(v.point.row)
}

// addColumn makes the column of a field with an index of this kind, of the points that are there too.
func (c *collection) addColumn(field string, kind pb.FieldType) {
	if !c.columns.add(field, kind) {
		return
	}
	for _, p := range c.points {
		c.columns.set(p.row, p.payload)
	}
}

// pointsWith counts the points that have a field, and not empty.
func (c *collection) pointsWith(field string) uint64 {
	if column := c.columns.of(field); column != nil {
		return uint64(column.filled)
	}
	present, err := c.compile(&pb.Filter{MustNot: []*pb.Condition{pb.NewIsEmpty(field)}})
	if err != nil {
		return 0
	}
	count := uint64(0)
	for _, p := range c.points {
		if present(p) {
			count++
		}
	}
	return count
}
