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
	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

// Limits of the server's own.
const (
	nameLimit   = 255
	vectorLimit = 65536
)

// point is one stored point. Its maps and slices are never written to once it is stored: a change stores another point,
// but for keywords, which follow the indexes.
type point struct {
	id      filter.ID
	dense   map[string]denseVector
	sparse  map[string]sparseVector
	payload map[string]*pb.Value

	keywords []uint32 // numbers of payload's values, by indexed field
}

// denseVector is a vector of a point as it lies in the index of its space.
type denseVector struct {
	space *denseSpace
	row   int
}

func (v denseVector) values() []float32 { return v.space.index.Vector(v.row) }

// sparseVector is a sparse vector of a point, which is also in the index of its space.
type sparseVector struct {
	score.Sparse
	row int
}

// vectors are those of a point before it is stored.
type vectors struct {
	dense  map[string][]float32
	sparse map[string]score.Sparse
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

// denseSpace is a named dense vector of a collection, with those of all points.
type denseSpace struct {
	size   int
	metric score.Metric
	index  *index.Dense
	owners []*point // by row; nil where none is
}

// sparseSpace is a named sparse vector of a collection, with those of all points.
type sparseSpace struct {
	idf    bool
	index  *index.Sparse
	owners []*point // by row; nil where none is
}

// own notes whose vector lies in a row.
func own(owners []*point, row int, p *point) []*point {
	if row == len(owners) {
		return append(owners, p)
	}
	owners[row] = p
	return owners
}

// collection is a set of points. The store's lock guards it.
type collection struct {
	create  *pb.CreateCollection
	dense   map[string]*denseSpace
	sparse  map[string]*sparseSpace
	indexes map[string]*pb.CreateFieldIndexCollection
	texts   filter.TextIndexes
	words   keywords

	points map[filter.ID]*point
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
	if old, known := c.points[p.id]; known {
		c.removeVectors(old)
	}
	c.addVectors(p, of)
	c.replace(p)
}

// replace puts a point into the place of that with the same id, if there is one.
func (c *collection) replace(p *point) {
	_, known := c.points[p.id]
	c.points[p.id] = p
	p.keywords = c.words.of(p.payload)
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

// setPayload gives a stored point another payload.
func (c *collection) setPayload(old *point, payload map[string]*pb.Value) {
	p := &point{id: old.id, dense: old.dense, sparse: old.sparse, payload: payload}
	for _, v := range p.dense {
		v.space.owners[v.row] = p
	}
	for name, v := range p.sparse {
		c.sparse[name].owners[v.row] = p
	}
	c.replace(p)
}

func (c *collection) remove(id filter.ID) {
	old, known := c.points[id]
	if !known {
		return
	}
	c.removeVectors(old)
	delete(c.points, id)
	if c.order != nil {
		at, _ := slices.BinarySearchFunc(c.order, id, comparePointID)
		c.order = slices.Delete(c.order, at, at+1)
	}
}

func (c *collection) addVectors(p *point, of vectors) {
	p.dense, p.sparse = make(map[string]denseVector, len(of.dense)), make(map[string]sparseVector, len(of.sparse))
	for name, values := range of.dense {
		space := c.dense[name]
		row := space.index.Add(values)
		space.owners = own(space.owners, row, p)
		p.dense[name] = denseVector{space: space, row: row}
	}
	for name, vector := range of.sparse {
		space := c.sparse[name]
		row := space.index.Add(vector.Indices, vector.Values)
		space.owners = own(space.owners, row, p)
		p.sparse[name] = sparseVector{Sparse: vector, row: row}
	}
}

func (c *collection) removeVectors(p *point) {
	for _, v := range p.dense {
		v.space.index.Remove(v.row)
		v.space.owners[v.row] = nil
	}
	for name, v := range p.sparse {
		c.sparse[name].index.Remove(v.row, v.Indices)
		c.sparse[name].owners[v.row] = nil
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
	refusals, whole := c.words.refusals(f)
	if len(refusals) == 0 {
		return predicate, nil
	}
	return func(p filter.Point) bool {
		stored, known := p.(*point)
		if !known {
			return predicate(p)
		}
		for _, r := range refusals {
			if r.refuses(stored) {
				return false
			}
			known = known && stored.keywords[r.field] != unknownKeyword
		}
		return whole && known || predicate(p)
	}, nil
}

// addKeywords makes the index of a keyword field, of the points that are there too.
func (c *collection) addKeywords(field string) {
	if !c.words.add(field) {
		return
	}
	for _, p := range c.points {
		p.keywords = c.words.of(p.payload)
	}
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
	return &point{id: id, payload: in.GetPayload()}, of, nil
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
		c.setPayload(old, change(old.payload))
	}
	return missing
}
