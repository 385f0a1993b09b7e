package qdrant

import (
	"context"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant/filter"
)

// defaultLimit is how many points a scroll or query answers when it does not say.
const defaultLimit = 10

// pointsService serves the calls about points.
type pointsService struct {
	pb.UnimplementedPointsServer
	store *store
}

// writeRequest is what all calls that change points have in common.
type writeRequest interface {
	proto.Message
	GetCollectionName() string
	GetWait() bool
}

func (s pointsService) change(kind byte, request writeRequest) (*pb.PointsOperationResponse, error) {
	begin := time.Now()
	if err := s.store.write(kind, request, request.GetWait()); err != nil {
		return nil, err
	}
	result := &pb.UpdateResult{Status: pb.UpdateStatus_Acknowledged}
	if request.GetWait() {
		result.Status = pb.UpdateStatus_Completed
	}
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	if c, err := s.store.get(request.GetCollectionName()); err == nil {
		result.OperationId = proto.Uint64(c.writes)
	}
	return &pb.PointsOperationResponse{Result: result, Time: seconds(begin)}, nil
}

// Upsert stores points, each in place of one with the same id.
func (s pointsService) Upsert(_ context.Context, request *pb.UpsertPoints) (*pb.PointsOperationResponse, error) {
	return s.change(kindUpsert, request)
}

// Delete deletes points by their ids or by a filter; ids that are not there are no error.
func (s pointsService) Delete(_ context.Context, request *pb.DeletePoints) (*pb.PointsOperationResponse, error) {
	return s.change(kindDelete, request)
}

// SetPayload adds to the payload of points.
func (s pointsService) SetPayload(
	_ context.Context, request *pb.SetPayloadPoints,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindSetPayload, request)
}

// OverwritePayload replaces the payload of points.
func (s pointsService) OverwritePayload(
	_ context.Context, request *pb.SetPayloadPoints,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindOverwritePayload, request)
}

// DeletePayload removes keys from the payload of points.
func (s pointsService) DeletePayload(
	_ context.Context, request *pb.DeletePayloadPoints,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindDeletePayload, request)
}

// ClearPayload removes the payload of points.
func (s pointsService) ClearPayload(
	_ context.Context, request *pb.ClearPayloadPoints,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindClearPayload, request)
}

// CreateFieldIndex indexes a payload field.
func (s pointsService) CreateFieldIndex(
	_ context.Context, request *pb.CreateFieldIndexCollection,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindCreateIndex, request)
}

// DeleteFieldIndex removes the index of a payload field.
func (s pointsService) DeleteFieldIndex(
	_ context.Context, request *pb.DeleteFieldIndexCollection,
) (*pb.PointsOperationResponse, error) {
	return s.change(kindDeleteIndex, request)
}

// Get returns points by their ids, each once, in the order of the request; ids that are not there are left out.
func (s pointsService) Get(_ context.Context, request *pb.GetPoints) (*pb.GetResponse, error) {
	begin := time.Now()
	ids, err := filter.ParseIDs(request.GetIds())
	if err != nil {
		return nil, refused(err)
	}
	read, err := payloadSelector(request.GetWithPayload(), false)
	if err != nil {
		return nil, err
	}
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	c, err := s.store.get(request.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if err := c.checkNames(request.GetWithVectors()); err != nil {
		return nil, err
	}
	answer := &pb.GetResponse{}
	seen := make(map[filter.ID]bool, len(ids))
	for _, id := range ids {
		if p, ok := c.points[id]; ok && !seen[id] {
			seen[id] = true
			answer.Result = append(answer.Result, c.pointOut(p, read, request.GetWithVectors()))
		}
	}
	answer.Time = seconds(begin)
	return answer, nil
}

// Scroll returns the points that pass a filter by ascending id, from the offset (inclusive) on, and the id that comes
// next.
func (s pointsService) Scroll(_ context.Context, request *pb.ScrollPoints) (*pb.ScrollResponse, error) {
	begin := time.Now()
	if request.GetOrderBy() != nil {
		return nil, unserved("A scroll with order_by")
	}
	limit := defaultLimit
	if request.Limit != nil {
		limit = int(request.GetLimit())
	}
	if limit == 0 {
		return nil, errLimit()
	}
	read, err := payloadSelector(request.GetWithPayload(), true)
	if err != nil {
		return nil, err
	}
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	c, err := s.store.get(request.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if err := c.checkNames(request.GetWithVectors()); err != nil {
		return nil, err
	}
	passes, err := c.compile(request.GetFilter())
	if err != nil {
		return nil, err
	}
	rest := c.sorted()
	if request.GetOffset() != nil {
		from, err := filter.ParseID(request.GetOffset())
		if err != nil {
			return nil, refused(err)
		}
		at, _ := slices.BinarySearchFunc(rest, from, comparePointID)
		rest = rest[at:]
	}
	answer := &pb.ScrollResponse{}
	for _, p := range rest {
		if !passes(p) {
			continue
		}
		if len(answer.Result) == limit {
			answer.NextPageOffset = p.id.Proto()
			break
		}
		answer.Result = append(answer.Result, c.pointOut(p, read, request.GetWithVectors()))
	}
	answer.Time = seconds(begin)
	return answer, nil
}

func errLimit() error {
	return invalid("Validation error in body: [limit: value 0 invalid, must be 1 or larger]")
}

// Count counts the points that pass a filter.
func (s pointsService) Count(_ context.Context, request *pb.CountPoints) (*pb.CountResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	c, err := s.store.get(request.GetCollectionName())
	if err != nil {
		return nil, err
	}
	count := uint64(len(c.points))
	if request.GetFilter() != nil {
		passes, err := c.compile(request.GetFilter())
		if err != nil {
			return nil, err
		}
		count = 0
		for _, p := range c.points {
			if passes(p) {
				count++
			}
		}
	}
	return &pb.CountResponse{Result: &pb.CountResult{Count: count}, Time: seconds(begin)}, nil
}

// Query searches.
func (s pointsService) Query(_ context.Context, request *pb.QueryPoints) (*pb.QueryResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	result, err := s.store.query(request)
	if err != nil {
		return nil, err
	}
	return &pb.QueryResponse{Result: result, Time: seconds(begin)}, nil
}

// QueryBatch does several searches in one collection, over one state of it.
func (s pointsService) QueryBatch(_ context.Context, request *pb.QueryBatchPoints) (*pb.QueryBatchResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	answer := &pb.QueryBatchResponse{}
	for _, query := range request.GetQueryPoints() {
		query.CollectionName = request.GetCollectionName()
		result, err := s.store.query(query)
		if err != nil {
			return nil, err
		}
		answer.Result = append(answer.Result, &pb.BatchResult{Result: result})
	}
	answer.Time = seconds(begin)
	return answer, nil
}
