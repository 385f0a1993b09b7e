package qdrant

import (
	"cmp"
	"iter"
	"math"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
	"github.com/colophon-dev/colophon/devstack/qdrant/index"
	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

// defaultK is the constant of reciprocal rank fusion when the request names none.
const defaultK = 2

// hit is a point with its score.
type hit struct {
	point *point
	score float32
}

// search is one level of a query: the query itself or one of its prefetches.
type search interface {
	GetPrefetch() []*pb.PrefetchQuery
	GetQuery() *pb.Query
	GetUsing() string
	GetFilter() *pb.Filter
	GetLookupFrom() *pb.LookupLocation
}

// querier runs the levels of one query over one collection. The store's lock is held.
type querier struct {
	store      *store
	collection *collection
}

// query runs a query and writes its points as asked for.
func (s *store) query(request *pb.QueryPoints) ([]*pb.ScoredPoint, error) {
	c, err := s.get(request.GetCollectionName())
	if err != nil {
		return nil, err
	}
	read, err := payloadSelector(request.GetWithPayload(), false)
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(request.Limit)
	if err != nil {
		return nil, err
	}
	if err := c.checkNames(request.GetWithVectors()); err != nil {
		return nil, err
	}
	offset := int(min(request.GetOffset(), uint64(len(c.points))))
	q := querier{store: s, collection: c}
	hits, err := q.run(request, request.ScoreThreshold, limit+offset, nil)
	if err != nil {
		return nil, err
	}
	hits = hits[min(offset, len(hits)):]
	result := make([]*pb.ScoredPoint, len(hits))
	for i, h := range hits {
		result[i] = &pb.ScoredPoint{
			Id: h.point.id.Proto(), Payload: read(h.point.payload), Score: h.score,
			Vectors: c.vectorsOut(h.point, request.GetWithVectors()),
		}
	}
	return result, nil
}

func limitOf(given *uint64) (int, error) {
	switch {
	case given == nil:
		return defaultLimit, nil
	case *given == 0:
		return 0, errLimit()
	default:
		return int(min(*given, 1<<31)), nil
	}
}

// run returns the best hits of one level, at most take. The filters of the levels above hold for the levels below.
func (q querier) run(level search, threshold *float32, take int, above []predicate) ([]hit, error) {
	filters := above
	if level.GetFilter() != nil {
		passes, err := q.collection.compile(level.GetFilter())
		if err != nil {
			return nil, err
		}
		filters = append(slices.Clone(above), passes)
	}
	lists, err := q.prefetch(level, filters)
	if err != nil {
		return nil, err
	}
	fused := len(level.GetPrefetch()) > 0
	if level.GetQuery() == nil {
		if fused {
			return nil, invalid("A query is needed to merge the prefetches. " +
				"Can't have prefetches without defining a query.")
		}
		return q.byID(filters, take), nil
	}
	switch variant := level.GetQuery().GetVariant().(type) {
	case *pb.Query_Nearest:
		if fused {
			return q.rescore(level, variant.Nearest, union(lists), filters, threshold, take)
		}
		return q.nearest(level, variant.Nearest, filters, threshold, take)
	case *pb.Query_Fusion, *pb.Query_Rrf:
		if !fused {
			return nil, invalid("Validation error in body: cannot do fusion without prefetches")
		}
		return fuse(level.GetQuery(), lists, threshold, take)
	case nil:
		return nil, invalid("Query is missing")
	default:
		return nil, unserved("This kind of query")
	}
}

// prefetch runs the levels below.
func (q querier) prefetch(level search, filters []predicate) ([][]hit, error) {
	lists := make([][]hit, len(level.GetPrefetch()))
	for i, below := range level.GetPrefetch() {
		limit, err := limitOf(below.Limit)
		if err != nil {
			return nil, err
		}
		if lists[i], err = q.run(below, below.ScoreThreshold, limit, filters); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// union returns the points of all lists, each once.
func union(lists [][]hit) []*point {
	var points []*point
	seen := map[filter.ID]bool{}
	for _, list := range lists {
		for _, h := range list {
			if !seen[h.point.id] {
				seen[h.point.id] = true
				points = append(points, h.point)
			}
		}
	}
	return points
}

// byID is the answer where nothing is asked for: the first points by id, each with the score 1.
func (q querier) byID(filters []predicate, take int) []hit {
	var hits []hit
	for _, p := range q.collection.sorted() {
		if len(hits) == take {
			break
		}
		if passesAll(filters, p) {
			hits = append(hits, hit{point: p, score: 1})
		}
	}
	return hits
}

// nearest searches among all points.
func (q querier) nearest(level search, target *pb.VectorInput, filters []predicate, threshold *float32, take int) ([]hit, error) {
	m, self, err := q.measure(level, target)
	if err != nil {
		return nil, err
	}
	best := newRanking(take, m.smaller)
	for first, block := range m.all {
		for i, value := range block.Products {
			if !block.Found[i] || best.beyond(value) {
				continue
			}
			h := hit{point: q.collection.rows[first+i], score: value}
			if h.point != self && m.reaches(value, threshold) && best.hasPlace(h) && passesAll(filters, h.point) {
				best.add(h)
			}
		}
	}
	return best.list(), nil
}

// rescore searches among the points that the levels below have found.
func (q querier) rescore(level search, target *pb.VectorInput, candidates []*point, filters []predicate, threshold *float32, take int) ([]hit, error) {
	m, self, err := q.measure(level, target)
	if err != nil {
		return nil, err
	}
	best := newRanking(take, m.smaller)
	for _, p := range candidates {
		value, ok := m.one(p)
		if ok && p != self && m.reaches(value, threshold) && passesAll(filters, p) {
			best.add(hit{point: p, score: value})
		}
	}
	return best.list(), nil
}

// measure is how points are compared with what is searched for.
type measure struct {
	all     iter.Seq2[int, index.Block]  // all rows that can be a result, with their scores
	one     func(*point) (float32, bool) // a point's score, and whether it can be a result
	smaller bool                         // smaller scores are better
}

// reaches reports whether a score is better than a threshold, if there is one.
func (m measure) reaches(value float32, threshold *float32) bool {
	return threshold == nil || m.smaller && value < *threshold || !m.smaller && value > *threshold
}

// measure reads what is searched for; self is a point that is no result, since it is searched for itself.
func (q querier) measure(level search, target *pb.VectorInput) (m measure, self *point, err error) {
	dense, sparse, self, err := q.target(level, target)
	if err != nil {
		return m, nil, err
	}
	name := level.GetUsing()
	if space, ok := q.collection.sparse[name]; ok {
		if sparse == nil {
			return m, nil, invalid("Wrong input: Conversion between sparse and regular vectors failed")
		}
		return space.measure(*sparse), self, nil
	}
	space, ok := q.collection.dense[name]
	if !ok {
		return m, nil, invalid("Wrong input: Not existing vector name error: %s", name)
	}
	if sparse != nil {
		return m, nil, invalid("Wrong input: Conversion between sparse and regular vectors failed")
	}
	prepared, err := space.prepare(dense)
	if err != nil {
		return m, nil, err
	}
	return space.measure(prepared), self, nil
}

func (s *sparseSpace) measure(target score.Sparse) measure {
	if s.idf {
		target = target.Weigh(s.index.Len(), s.index.Frequency)
	}
	return measure{
		all: s.index.Dots(target.Indices, target.Values),
		one: func(p *point) (float32, bool) {
			if !s.index.Has(p.row) {
				return 0, false
			}
			return target.Dot(s.vector(p.row))
		},
	}
}

func (s *denseSpace) measure(target []float32) measure {
	m := measure{smaller: s.metric.Smaller, all: s.index.Dots(target)}
	m.one = func(p *point) (float32, bool) {
		if !s.index.Has(p.row) {
			return 0, false
		}
		return s.metric.Score(target, s.index.Vector(p.row)), true
	}
	if !s.metric.Product {
		m.all = s.distances(target)
	}
	return m
}

// distances yields all vectors with their distances from one, where these are not made of products.
func (s *denseSpace) distances(target []float32) iter.Seq2[int, index.Block] {
	return func(yield func(int, index.Block) bool) {
		for first, block := range s.index.Dots(nil) { // which says where vectors are
			for i, found := range block.Found {
				if found {
					block.Products[i] = s.metric.Score(target, s.index.Vector(first+i))
				}
			}
			if !yield(first, block) {
				return
			}
		}
	}
}

// target reads what is searched for: a vector, or that of a stored point, which is then no result itself.
func (q querier) target(level search, in *pb.VectorInput) ([]float32, *score.Sparse, *point, error) {
	switch variant := in.GetVariant().(type) {
	case *pb.VectorInput_Dense:
		return variant.Dense.GetData(), nil, nil, nil
	case *pb.VectorInput_Sparse:
		sparse, err := sparseOf(variant.Sparse.GetIndices(), variant.Sparse.GetValues())
		return nil, sparse, nil, err
	case *pb.VectorInput_Id:
		return q.stored(level, variant.Id)
	default:
		return nil, nil, nil, unserved("A query vector that is neither dense, nor sparse, nor an id,")
	}
}

func (q querier) stored(level search, in *pb.PointId) ([]float32, *score.Sparse, *point, error) {
	id, err := filter.ParseID(in)
	if err != nil {
		return nil, nil, nil, refused(err)
	}
	source, name := q.collection, level.GetUsing()
	if lookup := level.GetLookupFrom(); lookup != nil {
		if source, err = q.store.get(lookup.GetCollectionName()); err != nil {
			return nil, nil, nil, err
		}
		name = cmp.Or(lookup.GetVectorName(), name)
	}
	p, ok := source.points[id]
	if !ok {
		return nil, nil, nil, status.Errorf(codes.NotFound, "Not found: No point with id %s found", id)
	}
	self := p
	if source != q.collection {
		self = nil
	}
	if space, ok := source.dense[name]; ok && space.index.Has(p.row) {
		return space.index.Vector(p.row), nil, self, nil
	}
	if space, ok := source.sparse[name]; ok && space.index.Has(p.row) {
		vector := space.vector(p.row)
		return nil, &vector, self, nil
	}
	return nil, nil, nil, status.Errorf(codes.NotFound, "Not found: Vector with name %q for point not found", name)
}

// ranking keeps the best hits of many. Equal scores are ordered by id.
type ranking struct {
	take    int
	smaller bool
	hits    []hit
	last    *hit    // when there are enough hits: a hit that is not better than this one is none
	bound   float32 // its score; until then no score is beyond it
}

func newRanking(take int, smaller bool) *ranking {
	r := &ranking{take: take, smaller: smaller, bound: float32(math.Inf(-1))}
	if smaller {
		r.bound = float32(math.Inf(1))
	}
	return r
}

// beyond reports whether no hit of this score can be among the best.
func (r *ranking) beyond(value float32) bool {
	return !r.smaller && value < r.bound || r.smaller && value > r.bound
}

// hasPlace reports whether a hit may be among the best.
func (r *ranking) hasPlace(h hit) bool { return r.last == nil || r.compare(h, *r.last) <= 0 }

func (r *ranking) add(h hit) {
	if !r.hasPlace(h) {
		return
	}
	r.hits = append(r.hits, h)
	if len(r.hits) >= 2*r.take+rankingSpare {
		r.hits = r.list()
		last := r.hits[len(r.hits)-1]
		r.last, r.bound = &last, last.score
	}
}

// rankingSpare is how many hits beyond twice those that are asked for are kept before they are sorted.
const rankingSpare = 64

func (r *ranking) compare(a, b hit) int {
	order := cmp.Compare(b.score, a.score)
	if r.smaller {
		order = -order
	}
	if order != 0 {
		return order
	}
	return a.point.id.Compare(b.point.id)
}

func (r *ranking) list() []hit {
	slices.SortFunc(r.hits, r.compare)
	return r.hits[:min(len(r.hits), r.take)]
}

// fuse joins ranked lists into one: by reciprocal ranks, or by the sum of scores normalised over each list's
// distribution.
func fuse(query *pb.Query, lists [][]hit, threshold *float32, take int) ([]hit, error) {
	rrf := query.GetRrf()
	if weights := rrf.GetWeights(); len(weights) > 0 && len(weights) != len(lists) {
		return nil, invalid("Wrong input: Validation failed: RRF weights length (%d) does not match number of "+
			"prefetches (%d)", len(weights), len(lists))
	}
	k := uint32(defaultK)
	if rrf != nil && rrf.K != nil {
		k = rrf.GetK()
	}
	byDistribution := rrf == nil && query.GetFusion() == pb.Fusion_DBSF
	var sums []hit
	at := map[filter.ID]int{}
	for i, list := range lists {
		weight := float32(1)
		if len(rrf.GetWeights()) > 0 {
			weight = rrf.GetWeights()[i]
		}
		parts := make([]float32, len(list))
		for rank, h := range list {
			parts[rank] = h.score
			if !byDistribution {
				parts[rank] = score.Reciprocal(rank, k, weight)
			}
		}
		if byDistribution {
			parts = score.NormalizeByDistribution(parts)
		}
		for rank, h := range list {
			slot, known := at[h.point.id]
			if !known {
				slot = len(sums)
				at[h.point.id] = slot
				sums = append(sums, hit{point: h.point})
			}
			sums[slot].score += parts[rank]
		}
	}
	best := newRanking(take, false)
	for _, h := range sums {
		if threshold == nil || h.score >= *threshold {
			best.add(h)
		}
	}
	return best.list(), nil
}
