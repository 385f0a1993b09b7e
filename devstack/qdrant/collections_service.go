package qdrant

import (
	"context"
	"maps"
	"slices"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// collectionsService serves the calls about collections and aliases.
type collectionsService struct {
	pb.UnimplementedCollectionsServer
	store *store
}

func seconds(begin time.Time) float64 { return time.Since(begin).Seconds() }

func (s collectionsService) change(kind byte, request proto.Message) (*pb.CollectionOperationResponse, error) {
	begin := time.Now()
	if err := s.store.write(kind, request, true); err != nil {
		return nil, err
	}
	return &pb.CollectionOperationResponse{Result: true, Time: seconds(begin)}, nil
}

// Create makes a collection.
func (s collectionsService) Create(
	_ context.Context, request *pb.CreateCollection,
) (*pb.CollectionOperationResponse, error) {
	return s.change(kindCreate, request)
}

// Delete deletes a collection; its result says whether there was one.
func (s collectionsService) Delete(
	_ context.Context, request *pb.DeleteCollection,
) (*pb.CollectionOperationResponse, error) {
	s.store.mu.RLock()
	_, known := s.store.collections[request.GetCollectionName()]
	s.store.mu.RUnlock()
	answer, err := s.change(kindDrop, request)
	if err == nil {
		answer.Result = known
	}
	return answer, err
}

// UpdateAliases makes, renames and deletes aliases.
func (s collectionsService) UpdateAliases(
	_ context.Context, request *pb.ChangeAliases,
) (*pb.CollectionOperationResponse, error) {
	return s.change(kindAliases, request)
}

// List names the collections.
func (s collectionsService) List(
	context.Context, *pb.ListCollectionsRequest,
) (*pb.ListCollectionsResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	answer := &pb.ListCollectionsResponse{}
	for _, name := range slices.Sorted(maps.Keys(s.store.collections)) {
		answer.Collections = append(answer.Collections, &pb.CollectionDescription{Name: name})
	}
	answer.Time = seconds(begin)
	return answer, nil
}

// CollectionExists reports whether a name or alias leads to a collection.
func (s collectionsService) CollectionExists(
	_ context.Context, request *pb.CollectionExistsRequest,
) (*pb.CollectionExistsResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	_, err := s.store.get(request.GetCollectionName())
	return &pb.CollectionExistsResponse{
		Result: &pb.CollectionExists{Exists: err == nil}, Time: seconds(begin),
	}, nil
}

// ListAliases names all aliases.
func (s collectionsService) ListAliases(context.Context, *pb.ListAliasesRequest) (*pb.ListAliasesResponse, error) {
	return s.aliases(func(string) bool { return true }), nil
}

// ListCollectionAliases names the aliases of one collection.
func (s collectionsService) ListCollectionAliases(
	_ context.Context, request *pb.ListCollectionAliasesRequest,
) (*pb.ListAliasesResponse, error) {
	return s.aliases(func(target string) bool { return target == request.GetCollectionName() }), nil
}

func (s collectionsService) aliases(wanted func(target string) bool) *pb.ListAliasesResponse {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	answer := &pb.ListAliasesResponse{}
	for _, alias := range slices.Sorted(maps.Keys(s.store.aliases)) {
		if target := s.store.aliases[alias]; wanted(target) {
			answer.Aliases = append(answer.Aliases, &pb.AliasDescription{AliasName: alias, CollectionName: target})
		}
	}
	answer.Time = seconds(begin)
	return answer
}

// Get describes a collection.
func (s collectionsService) Get(
	_ context.Context, request *pb.GetCollectionInfoRequest,
) (*pb.GetCollectionInfoResponse, error) {
	begin := time.Now()
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	c, err := s.store.get(request.GetCollectionName())
	if err != nil {
		return nil, err
	}
	schema := map[string]*pb.PayloadSchemaInfo{}
	for field, index := range c.indexes {
		schema[field] = &pb.PayloadSchemaInfo{
			DataType: schemaType(index.GetFieldType()), Params: index.GetFieldIndexParams(),
			Points: proto.Uint64(c.pointsWith(field)),
		}
	}
	points := uint64(len(c.points))
	return &pb.GetCollectionInfoResponse{Time: seconds(begin), Result: &pb.CollectionInfo{
		Status:              pb.CollectionStatus_Green,
		OptimizerStatus:     &pb.OptimizerStatus{Ok: true},
		SegmentsCount:       1,
		Config:              c.config(),
		PayloadSchema:       schema,
		PointsCount:         &points,
		IndexedVectorsCount: proto.Uint64(0),
	}}, nil
}

// schemaType is the type under which an index of a field type is described: the two lists differ by their "unknown".
func schemaType(field pb.FieldType) pb.PayloadSchemaType {
	switch field {
	case pb.FieldType_FieldTypeKeyword:
		return pb.PayloadSchemaType_Keyword
	case pb.FieldType_FieldTypeInteger:
		return pb.PayloadSchemaType_Integer
	case pb.FieldType_FieldTypeFloat:
		return pb.PayloadSchemaType_Float
	case pb.FieldType_FieldTypeGeo:
		return pb.PayloadSchemaType_Geo
	case pb.FieldType_FieldTypeText:
		return pb.PayloadSchemaType_Text
	case pb.FieldType_FieldTypeBool:
		return pb.PayloadSchemaType_Bool
	case pb.FieldType_FieldTypeDatetime:
		return pb.PayloadSchemaType_Datetime
	case pb.FieldType_FieldTypeUuid:
		return pb.PayloadSchemaType_Uuid
	default:
		return pb.PayloadSchemaType_UnknownType
	}
}

// config describes the collection as it was asked for, with the server's defaults for the rest.
func (c *collection) config() *pb.CollectionConfig {
	config := &pb.CollectionConfig{
		Params: &pb.CollectionParams{
			ShardNumber:            1,
			ReplicationFactor:      proto.Uint32(1),
			WriteConsistencyFactor: proto.Uint32(1),
			OnDiskPayload:          true,
			VectorsConfig:          c.create.GetVectorsConfig(),
			SparseVectorsConfig:    c.create.GetSparseVectorsConfig(),
		},
		HnswConfig: &pb.HnswConfigDiff{
			M: proto.Uint64(16), EfConstruct: proto.Uint64(100), FullScanThreshold: proto.Uint64(10000),
			MaxIndexingThreads: proto.Uint64(0),
		},
		OptimizerConfig: &pb.OptimizersConfigDiff{
			DeletedThreshold: proto.Float64(0.2), VacuumMinVectorNumber: proto.Uint64(1000),
			DefaultSegmentNumber: proto.Uint64(0), FlushIntervalSec: proto.Uint64(5),
		},
		WalConfig:          &pb.WalConfigDiff{WalCapacityMb: proto.Uint64(32), WalSegmentsAhead: proto.Uint64(0)},
		QuantizationConfig: c.create.GetQuantizationConfig(),
		Metadata:           c.create.GetMetadata(),
	}
	if asked := c.create.GetHnswConfig(); asked != nil {
		proto.Merge(config.GetHnswConfig(), asked)
	}
	if asked := c.create.GetOptimizersConfig(); asked != nil {
		proto.Merge(config.GetOptimizerConfig(), asked)
	}
	return config
}
