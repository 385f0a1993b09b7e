package qdrant

import (
	"maps"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/index"
	"github.com/colophon-dev/colophon/devstack/qdrant/payload"
	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

// Limits of the server's own.
const (
	nameLimit   = 255
	vectorLimit = 65536
)

// point is one stored point. Its vectors lie in the indexes of their spaces, in its row, and what filters ask of its
// payload in the columns of the collection.
type point struct {
	id      filter.ID
	row     int // from 0
	payload payload.Packed
}

// vectors are those of a point before it is stored.
type vectors struct {
	dense  map[string][]float32
	sparse map[string]score.Sparse
}

// denseSpace is a named dense vector of a collection, with those of all points.
type denseSpace struct {
	size   int
	metric score.Metric
	index  *index.Dense
}

// sparseSpace is a named sparse vector of a collection, with those of all points.
type sparseSpace struct {
	idf   bool
	index *index.Sparse
}

// vector returns the vector of a row that has one.
func (s *sparseSpace) vector(row int) score.Sparse {
	indices, values := s.index.Vector(row)
	return score.Sparse{Indices: indices, Values: values}
}

// collection is a set of points. The store's lock guards it.
type collection struct {
	create  *pb.CreateCollection
	dense   map[string]*denseSpace
	sparse  map[string]*sparseSpace
	indexes map[string]*pb.CreateFieldIndexCollection
	texts   filter.TextIndexes
	columns columns

	points map[filter.ID]*point
	rows   []*point // by row; nil where none is
	free   []int    // rows that have become free
	order  []*point // all points by id; nil only while a log is replayed
	writes uint64   // operations so far, the ids of answers
}

func newCollection(create *pb.CreateCollection) (*collection, error) {
	c := &collection{
		create:  proto.CloneOf(create),
		dense:   map[string]*denseSpace{},
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
		size := int(params.GetSize())
		c.dense[name] = &denseSpace{size: size, metric: metric, index: index.NewDense(size)}
	}
	for name, params := range create.GetSparseVectorsConfig().GetMap() {
		if _, taken := c.dense[name]; taken {
			return nil, invalid("Wrong input: Duplicate vector name: %s", name)
		}
		c.sparse[name] = &sparseSpace{idf: params.GetModifier() == pb.Modifier_Idf, index: index.NewSparse()}
	}
	if len(c.dense)+len(c.sparse) == 0 {
		return nil, unserved("A collection without vectors")
	}
	return c, nil
}

// put stores a point with its vectors, in place of one with the same id.
func (c *collection) put(p *point, of vectors) {
	old, known := c.points[p.id]
	if known {
		p.row = old.row
	} else {
		p.row = c.takeRow()
	}
	for name, space := range c.dense {
		if values, ok := of.dense[name]; ok {
			space.index.Set(p.row, values)
		} else {
			space.index.Clear(p.row)
		}
	}
	for name, space := range c.sparse {
		if vector, ok := of.sparse[name]; ok {
			space.index.Set(p.row, vector.Indices, vector.Values)
		} else {
			space.index.Clear(p.row)
		}
	}
	c.columns.set(p.row, p.payload)
	c.points[p.id], c.rows[p.row] = p, p
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

// takeRow returns a row that no point has.
func (c *collection) takeRow() int {
	if n := len(c.free); n > 0 {
		row := c.free[n-1]
		c.free = c.free[:n-1]
		return row
	}
	c.rows = append(c.rows, nil)
	return len(c.rows) - 1
}

func (c *collection) remove(id filter.ID) {
	old, known := c.points[id]
	if !known {
		return
	}
	for _, space := range c.dense {
		space.index.Clear(old.row)
	}
	for _, space := range c.sparse {
		space.index.Clear(old.row)
	}
	c.columns.clear(old.row)
	c.rows[old.row] = nil
	c.free = append(c.free, old.row)
	delete(c.points, id)
	if c.order != nil {
		at, _ := slices.BinarySearchFunc(c.order, id, comparePointID)
		c.order = slices.Delete(c.order, at, at+1)
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

// pointOf checks a point of an upsert and makes it, and its vectors, ready to be stored.
func (c *collection) pointOf(in *pb.PointStruct) (*point, vectors, error) {
	of := vectors{dense: map[string][]float32{}, sparse: map[string]score.Sparse{}}
	id, err := filter.ParseID(in.GetId())
	if err != nil {
		return nil, of, refused(err)
	}
	var named map[string]*pb.Vector
	switch kind := in.GetVectors().GetVectorsOptions().(type) {
	case *pb.Vectors_Vector:
		named = map[string]*pb.Vector{"": kind.Vector}
	case *pb.Vectors_Vectors:
		named = kind.Vectors.GetVectors()
	default:
		return nil, of, invalid("Expected some vectors")
	}
	for name, vector := range named {
		if err := c.checkVector(of, name, vector); err != nil {
			return nil, of, err
		}
	}
	packed, err := payload.Pack(in.GetPayload())
	if err != nil {
		return nil, of, refused(err)
	}
	return &point{id: id, payload: packed}, of, nil
}

// checkVector adds a vector of an upsert to those of its point.
func (c *collection) checkVector(of vectors, name string, in *pb.Vector) error {
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
		of.sparse[name] = *sparse
	default:
		if dense, err = denseSpace.prepare(dense); err != nil {
			return err
		}
		of.dense[name] = dense
	}
	return nil
}

// prepare checks a dense vector and puts it into the form in which it is compared.
func (s *denseSpace) prepare(vector []float32) ([]float32, error) {
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
		packed, err := payload.Pack(change(old.payload.All()))
		if err != nil {
			return refused(err)
		}
		old.payload = packed
		c.columns.set(old.row, packed)
	}
	return missing
}
