package qdrant

import (
	"maps"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

// Limits of the server's own.
const (
	nameLimit   = 255
	vectorLimit = 65536
)

// point is one stored point. Its maps and slices are never written to once it is stored: a change stores another point.
type point struct {
	id      filter.ID
	dense   map[string][]float32
	sparse  map[string]score.Sparse
	payload map[string]*pb.Value
}

// ID implements filter.Point.
func (p *point) ID() filter.ID { return p.id }

// Payload implements filter.Point.
func (p *point) Payload() map[string]*pb.Value { return p.payload }

// HasVector implements filter.Point.
func (p *point) HasVector(name string) bool {
	_, dense := p.dense[name]
	_, sparse := p.sparse[name]
	return dense || sparse
}

// denseSpace is a named dense vector of a collection.
type denseSpace struct {
	size   int
	metric score.Metric
}

// sparseSpace is a named sparse vector of a collection with what its inverse document frequencies need.
type sparseSpace struct {
	idf       bool
	vectors   int
	frequency map[uint32]int
}

// collection is a set of points. The store's lock guards it.
type collection struct {
	create  *pb.CreateCollection
	dense   map[string]denseSpace
	sparse  map[string]*sparseSpace
	indexes map[string]*pb.CreateFieldIndexCollection
	texts   filter.TextIndexes

	points map[filter.ID]*point
	order  []*point // all points by id; nil only while a log is replayed
	writes uint64   // operations so far, the ids of answers
}

func newCollection(create *pb.CreateCollection) (*collection, error) {
	c := &collection{
		create:  proto.CloneOf(create),
		dense:   map[string]denseSpace{},
		sparse:  map[string]*sparseSpace{},
		indexes: map[string]*pb.CreateFieldIndexCollection{},
		texts:   filter.TextIndexes{},
		points:  map[filter.ID]*point{},
	}
	spaces := create.GetVectorsConfig().GetParamsMap().GetMap()
	if single := create.GetVectorsConfig().GetParams(); single != nil {
		spaces = map[string]*pb.VectorParams{"": single}
	}
	for name, params := range spaces {
		if params.GetMultivectorConfig() != nil || params.GetDatatype() > pb.Datatype_Float32 {
			return nil, unserved("A multivector, or a datatype other than float32,")
		}
		metric, err := score.MetricOf(params.GetDistance())
		if err != nil || params.GetSize() < 1 || params.GetSize() > vectorLimit {
			return nil, invalid("Validation error in body: vector %q needs a size of 1 to %d and a distance",
				name, vectorLimit)
		}
		c.dense[name] = denseSpace{size: int(params.GetSize()), metric: metric}
	}
	for name, params := range create.GetSparseVectorsConfig().GetMap() {
		if _, taken := c.dense[name]; taken {
			return nil, invalid("Wrong input: Duplicate vector name: %s", name)
		}
		c.sparse[name] = &sparseSpace{
			idf: params.GetModifier() == pb.Modifier_Idf, frequency: map[uint32]int{},
		}
	}
	if len(c.dense)+len(c.sparse) == 0 {
		return nil, unserved("A collection without vectors")
	}
	return c, nil
}

// put stores a point, in place of one with the same id.
func (c *collection) put(p *point) {
	old, known := c.points[p.id]
	if known {
		c.count(old, -1)
	}
	c.points[p.id] = p
	c.count(p, 1)
	if c.order == nil {
		return
	}
	at, _ := slices.BinarySearchFunc(c.order, p.id, comparePointID)
	if known {
		c.order[at] = p
	} else {
		c.order = slices.Insert(c.order, at, p)
	}
}

func (c *collection) remove(id filter.ID) {
	old, known := c.points[id]
	if !known {
		return
	}
	c.count(old, -1)
	delete(c.points, id)
	if c.order != nil {
		at, _ := slices.BinarySearchFunc(c.order, id, comparePointID)
		c.order = slices.Delete(c.order, at, at+1)
	}
}

// count keeps the statistics behind inverse document frequencies.
func (c *collection) count(p *point, change int) {
	for name, vector := range p.sparse {
		space := c.sparse[name]
		space.vectors += change
		for _, index := range vector.Indices {
			space.frequency[index] += change
			if space.frequency[index] == 0 {
				delete(space.frequency, index)
			}
		}
	}
}

func comparePointID(p *point, id filter.ID) int { return p.id.Compare(id) }

// sorted returns all points by id, not to be changed.
func (c *collection) sorted() []*point {
	if c.order == nil {
		c.order = slices.SortedFunc(maps.Values(c.points), func(a, b *point) int { return a.id.Compare(b.id) })
		if c.order == nil {
			c.order = []*point{}
		}
	}
	return c.order
}

// compile makes the predicate of a filter over this collection.
func (c *collection) compile(f *pb.Filter) (filter.Predicate, error) {
	predicate, err := filter.Compile(f, c.texts)
	if err != nil {
		return nil, refused(err)
	}
	return predicate, nil
}

// pointOf checks a point of an upsert and makes it ready to be stored.
func (c *collection) pointOf(in *pb.PointStruct) (*point, error) {
	id, err := filter.ParseID(in.GetId())
	if err != nil {
		return nil, refused(err)
	}
	p := &point{id: id, payload: in.GetPayload(), dense: map[string][]float32{}, sparse: map[string]score.Sparse{}}
	var named map[string]*pb.Vector
	switch kind := in.GetVectors().GetVectorsOptions().(type) {
	case *pb.Vectors_Vector:
		named = map[string]*pb.Vector{"": kind.Vector}
	case *pb.Vectors_Vectors:
		named = kind.Vectors.GetVectors()
	default:
		return nil, invalid("Expected some vectors")
	}
	for name, vector := range named {
		if err := c.addVector(p, name, vector); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (c *collection) addVector(p *point, name string, in *pb.Vector) error {
	dense, sparse, err := vectorOf(in)
	if err != nil {
		return err
	}
	denseSpace, isDense := c.dense[name]
	_, isSparse := c.sparse[name]
	switch {
	case !isDense && !isSparse:
		return invalid("Wrong input: Not existing vector name error: %s", name)
	case isSparse != (sparse != nil):
		return invalid("Wrong input: Conversion between sparse and regular vectors failed")
	case isSparse:
		p.sparse[name] = *sparse
	default:
		if dense, err = denseSpace.prepare(dense); err != nil {
			return err
		}
		p.dense[name] = dense
	}
	return nil
}

// prepare checks a dense vector and puts it into the form in which it is compared.
func (s denseSpace) prepare(vector []float32) ([]float32, error) {
	if len(vector) != s.size {
		return nil, invalid("Wrong input: Vector dimension error: expected dim: %d, got %d", s.size, len(vector))
	}
	if s.metric.Prepares {
		return score.Normalize(vector), nil
	}
	return vector, nil
}

// selectIDs resolves a selector: the ids as given, or those of the points that pass the filter.
func (c *collection) selectIDs(selector *pb.PointsSelector) ([]filter.ID, error) {
	switch kind := selector.GetPointsSelectorOneOf().(type) {
	case *pb.PointsSelector_Points:
		ids, err := filter.ParseIDs(kind.Points.GetIds())
		if err != nil {
			return nil, refused(err)
		}
		return ids, nil
	case *pb.PointsSelector_Filter:
		passes, err := c.compile(kind.Filter)
		if err != nil {
			return nil, err
		}
		var ids []filter.ID
		for _, p := range c.sorted() {
			if passes(p) {
				ids = append(ids, p.id)
			}
		}
		return ids, nil
	default:
		return nil, invalid("PointSelector is missing")
	}
}

// changePayload replaces the payload of each point by what change makes of it. Of missing points the first is told in
// the error; the others are changed all the same, as in the server.
func (c *collection) changePayload(ids []filter.ID, change func(map[string]*pb.Value) map[string]*pb.Value) error {
	var missing error
	for _, id := range ids {
		old, known := c.points[id]
		if !known {
			if missing == nil {
				missing = status.Errorf(codes.NotFound, "Not found: No point with id %s found", id)
			}
			continue
		}
		c.put(&point{id: id, dense: old.dense, sparse: old.sparse, payload: change(old.payload)})
	}
	return missing
}
