package qdrant_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/colophon-dev/colophon/devstack/qdrant"
)

// These tests go through the official client. With QDRANT_URL=host:port they run against that server instead of ours,
// to show that both follow the same rules.

func contextOf(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// onEngine reports whether the tests run against another server than ours.
func onEngine() bool { return os.Getenv("QDRANT_URL") != "" }

func newClient(t testing.TB) *pb.Client {
	t.Helper()
	if addr := os.Getenv("QDRANT_URL"); addr != "" {
		return clientOf(t, addr)
	}
	return clientOf(t, startServer(t, t.TempDir()).Addr())
}

func startServer(t testing.TB, dir string) *qdrant.Server {
	t.Helper()
	server := qdrant.New(qdrant.Options{Dir: dir})
	if err := server.Start(contextOf(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, server) })
	return server
}

func stop(t testing.TB, server *qdrant.Server) {
	t.Helper()
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func clientOf(t testing.TB, addr string) *pb.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pb.NewClient(&pb.Config{Host: host, Port: number, PoolSize: 1, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// newCollection makes a collection with a dense and a sparse vector and returns its name.
func newCollection(t testing.TB, client *pb.Client, size uint64, distance pb.Distance) string {
	t.Helper()
	name := "test-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	idf := pb.Modifier_Idf
	err := client.CreateCollection(contextOf(t), &pb.CreateCollection{
		CollectionName: name,
		VectorsConfig: pb.NewVectorsConfigMap(map[string]*pb.VectorParams{
			"dense": {Size: size, Distance: distance},
		}),
		SparseVectorsConfig: pb.NewSparseVectorsConfig(map[string]*pb.SparseVectorParams{
			"sparse": {Modifier: &idf}, "plain": {},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.DeleteCollection(context.Background(), name) })
	return name
}

func upsert(t testing.TB, client *pb.Client, name string, points ...*pb.PointStruct) {
	t.Helper()
	wait := true
	result, err := client.Upsert(contextOf(t), &pb.UpsertPoints{CollectionName: name, Wait: &wait, Points: points})
	if err != nil {
		t.Fatal(err)
	}
	if result.GetStatus() != pb.UpdateStatus_Completed {
		t.Fatalf("upsert: %v", result.GetStatus())
	}
}

// dense2 is a point with a dense vector of two numbers.
func dense2(id uint64, x, y float32, payload map[string]any) *pb.PointStruct {
	return &pb.PointStruct{
		Id: pb.NewIDNum(id), Payload: pb.NewValueMap(payload),
		Vectors: pb.NewVectorsMap(map[string]*pb.Vector{"dense": pb.NewVectorDense([]float32{x, y})}),
	}
}

func wantCode(t *testing.T, what string, err error, want codes.Code) {
	t.Helper()
	// The client wraps the status.
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if got, ok := status.FromError(inner); ok && got.Code() == want {
			return
		}
	}
	t.Errorf("%s: %v, want %v", what, err, want)
}

func ids(points []*pb.ScoredPoint) []uint64 {
	found := []uint64{}
	for _, p := range points {
		found = append(found, p.GetId().GetNum())
	}
	return found
}

func TestCollections(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Cosine)
	if exists, err := client.CollectionExists(ctx, name); err != nil || !exists {
		t.Errorf("exists: %v, %v", exists, err)
	}
	if exists, err := client.CollectionExists(ctx, name+"x"); err != nil || exists {
		t.Errorf("another exists: %v, %v", exists, err)
	}
	upsert(t, client, name, dense2(1, 1, 0, map[string]any{"kind": "a"}), dense2(2, 0, 1, nil))
	wait := true
	if _, err := client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: name, Wait: &wait,
		FieldName: "kind", FieldType: pb.FieldType_FieldTypeKeyword.Enum()}); err != nil {
		t.Fatal(err)
	}
	info, err := client.GetCollectionInfo(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	params := info.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()["dense"]
	if info.GetPointsCount() != 2 || params.GetSize() != 2 || params.GetDistance() != pb.Distance_Cosine {
		t.Errorf("info: %v", info)
	}
	schema := info.GetPayloadSchema()["kind"]
	if schema.GetDataType() != pb.PayloadSchemaType_Keyword || schema.GetPoints() != 1 {
		t.Errorf("payload schema: %v", schema)
	}
	_, err = client.GetCollectionInfo(ctx, name+"x")
	wantCode(t, "info of none", err, codes.NotFound)
	err = client.CreateCollection(ctx, &pb.CreateCollection{CollectionName: name,
		VectorsConfig: pb.NewVectorsConfig(&pb.VectorParams{Size: 1, Distance: pb.Distance_Dot})})
	wantCode(t, "create again", err, codes.AlreadyExists)
	if err := client.DeleteCollection(ctx, name); err != nil {
		t.Error(err)
	}
	answer, err := client.GetCollectionsClient().Delete(ctx, &pb.DeleteCollection{CollectionName: name})
	if err != nil || answer.GetResult() {
		t.Errorf("delete again: %v, %v", answer, err)
	}
}

func TestAliases(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	one, two := newCollection(t, client, 2, pb.Distance_Dot), newCollection(t, client, 2, pb.Distance_Dot)
	alias := "alias-" + one
	upsert(t, client, two, dense2(2, 1, 0, nil))
	if err := client.CreateAlias(ctx, alias, one); err != nil {
		t.Fatal(err)
	}
	upsert(t, client, alias, dense2(1, 1, 0, nil))
	scroll := func(name string) uint64 {
		t.Helper()
		points, err := client.Scroll(ctx, &pb.ScrollPoints{CollectionName: name})
		if err != nil || len(points) != 1 {
			t.Fatalf("scroll %s: %v, %v", name, points, err)
		}
		return points[0].GetId().GetNum()
	}
	if got := scroll(alias); got != 1 {
		t.Errorf("alias leads to %d", got)
	}
	if err := client.UpdateAliases(ctx, []*pb.AliasOperations{
		pb.NewAliasDelete(alias), pb.NewAliasCreate(alias, two)}); err != nil {
		t.Fatal(err)
	}
	if got := scroll(alias); got != 2 {
		t.Errorf("swapped alias leads to %d", got)
	}
	names, err := client.ListCollectionAliases(ctx, two)
	if err != nil || len(names) != 1 || names[0] != alias {
		t.Errorf("aliases of %s: %v, %v", two, names, err)
	}
	if err := client.RenameAlias(ctx, alias, alias+"2"); err != nil {
		t.Fatal(err)
	}
	if got := scroll(alias + "2"); got != 2 {
		t.Errorf("renamed alias leads to %d", got)
	}
	wantCode(t, "alias of none", client.CreateAlias(ctx, alias, "none"), codes.NotFound)
	wantCode(t, "alias named as a collection", client.CreateAlias(ctx, one, two), codes.AlreadyExists)
	wantCode(t, "rename of none", client.RenameAlias(ctx, "none", "some"), codes.NotFound)
	if err := client.DeleteCollection(ctx, two); err != nil {
		t.Fatal(err)
	}
	all, err := client.ListAliases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range all {
		if left.GetCollectionName() == two {
			t.Errorf("alias %s outlives its collection", left.GetAliasName())
		}
	}
}

func TestGet(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Cosine)
	key := "9bb9c9a5-63ec-4a1a-9f4e-8ac86f0c3a6b"
	upsert(t, client, name, dense2(1, 3, 4, map[string]any{"a": "x", "b": map[string]any{"c": 1, "d": 2}}),
		&pb.PointStruct{Id: pb.NewIDUUID("{" + key + "}"), Vectors: pb.NewVectorsMap(map[string]*pb.Vector{
			"sparse": pb.NewVectorSparse([]uint32{9, 2}, []float32{1, 2})})})
	points, err := client.Get(ctx, &pb.GetPoints{CollectionName: name, WithPayload: pb.NewWithPayloadInclude("b.c"),
		WithVectors: pb.NewWithVectors(true),
		Ids:         []*pb.PointId{pb.NewIDUUID(key), pb.NewIDNum(5), pb.NewIDNum(1)}})
	if err != nil || len(points) != 2 {
		t.Fatalf("get: %v, %v", points, err)
	}
	byID := map[string]*pb.RetrievedPoint{points[0].GetId().String(): points[0], points[1].GetId().String(): points[1]}
	one, other := byID[pb.NewIDNum(1).String()], byID[pb.NewIDUUID(key).String()]
	if dense := one.GetVectors().GetVectors().GetVectors()["dense"].GetDense().GetData(); len(dense) != 2 ||
		dense[0] != 0.6 || dense[1] != 0.8 {
		t.Errorf("cosine vector comes back as %v", dense)
	}
	if payload := one.GetPayload(); len(payload) != 1 || len(payload["b"].GetStructValue().GetFields()) != 1 {
		t.Errorf("payload: %v", payload)
	}
	sparse := other.GetVectors().GetVectors().GetVectors()["sparse"].GetSparse()
	if len(sparse.GetIndices()) != 2 || sparse.GetIndices()[0] != 2 || sparse.GetValues()[0] != 2 {
		t.Errorf("sparse vector: %v", sparse)
	}
	without, err := client.Get(ctx, &pb.GetPoints{CollectionName: name, WithPayload: pb.NewWithPayload(false),
		Ids: []*pb.PointId{pb.NewIDNum(1)}})
	if err != nil || len(without) != 1 || len(without[0].GetPayload()) != 0 || without[0].GetVectors() != nil {
		t.Errorf("get nothing: %v, %v", without, err)
	}
}

func TestOlderVectorForm(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	// The form that older clients send.
	upsert(t, client, name, &pb.PointStruct{Id: pb.NewIDNum(1), Vectors: pb.NewVectorsMap(map[string]*pb.Vector{
		"dense":  {Data: []float32{1, 2}},
		"sparse": {Data: []float32{5}, Indices: &pb.SparseIndices{Data: []uint32{3}}},
	})})
	points, err := client.Get(ctx, &pb.GetPoints{CollectionName: name, WithVectors: pb.NewWithVectorsInclude("sparse"),
		Ids: []*pb.PointId{pb.NewIDNum(1)}, WithPayload: pb.NewWithPayload(true)})
	if err != nil || len(points) != 1 {
		t.Fatalf("get: %v, %v", points, err)
	}
	vectors := points[0].GetVectors().GetVectors().GetVectors()
	if len(vectors) != 1 || vectors["sparse"].GetSparse().GetIndices()[0] != 3 {
		t.Errorf("vectors: %v", vectors)
	}
}

func TestPayload(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	upsert(t, client, name, dense2(1, 1, 0, map[string]any{"a": 1, "b": 1}), dense2(2, 1, 0, map[string]any{"a": 2}))
	wait := true
	set := func(payload map[string]any, ids ...uint64) error {
		selector := &pb.PointsIdsList{}
		for _, id := range ids {
			selector.Ids = append(selector.Ids, pb.NewIDNum(id))
		}
		_, err := client.SetPayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait,
			Payload: pb.NewValueMap(payload), PointsSelector: pb.NewPointsSelectorIDs(selector.GetIds())})
		return err
	}
	value := func(id uint64, key string) int64 {
		t.Helper()
		points, err := client.Get(ctx, &pb.GetPoints{CollectionName: name, WithPayload: pb.NewWithPayload(true),
			Ids: []*pb.PointId{pb.NewIDNum(id)}})
		if err != nil || len(points) != 1 {
			t.Fatalf("get %d: %v, %v", id, points, err)
		}
		return points[0].GetPayload()[key].GetIntegerValue()
	}
	if err := set(map[string]any{"b": 7}, 1, 2); err != nil {
		t.Fatal(err)
	}
	if value(1, "a") != 1 || value(1, "b") != 7 || value(2, "b") != 7 {
		t.Error("set_payload did not merge")
	}
	wantCode(t, "set payload of a missing point", set(map[string]any{"b": 8}, 1, 99), codes.NotFound)
	if value(1, "b") != 8 {
		t.Error("set_payload with a missing point left the present one as it was")
	}
	if _, err := client.OverwritePayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait,
		Payload:        pb.NewValueMap(map[string]any{"c": 3}),
		PointsSelector: pb.NewPointsSelectorIDs([]*pb.PointId{pb.NewIDNum(1)})}); err != nil {
		t.Fatal(err)
	}
	if value(1, "a") != 0 || value(1, "c") != 3 {
		t.Error("overwrite_payload did not replace")
	}
	if _, err := client.DeletePayload(ctx, &pb.DeletePayloadPoints{CollectionName: name, Wait: &wait,
		Keys: []string{"c", "none"}, PointsSelector: pb.NewPointsSelectorIDs([]*pb.PointId{pb.NewIDNum(1)})}); err != nil {
		t.Fatal(err)
	}
	if value(1, "c") != 0 {
		t.Error("delete_payload did not delete")
	}
}

func TestDelete(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	for id := range uint64(10) {
		upsert(t, client, name, dense2(id, 1, 0, map[string]any{"even": id%2 == 0}))
	}
	wait := true
	del := func(selector *pb.PointsSelector) {
		t.Helper()
		result, err := client.Delete(ctx, &pb.DeletePoints{CollectionName: name, Wait: &wait, Points: selector})
		if err != nil || result.GetStatus() != pb.UpdateStatus_Completed {
			t.Fatalf("delete: %v, %v", result, err)
		}
	}
	count := func() uint64 {
		t.Helper()
		n, err := client.Count(ctx, &pb.CountPoints{CollectionName: name})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	del(pb.NewPointsSelector(pb.NewIDNum(1), pb.NewIDNum(77)))
	if n := count(); n != 9 {
		t.Errorf("%d points left", n)
	}
	del(pb.NewPointsSelectorFilter(&pb.Filter{Must: []*pb.Condition{pb.NewMatchBool("even", true)}}))
	if n := count(); n != 4 {
		t.Errorf("%d points left", n)
	}
}

func TestScrollPages(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	for id := range uint64(25) {
		upsert(t, client, name, dense2(100-id, 1, 0, nil))
	}
	limit := uint32(10)
	request := &pb.ScrollPoints{CollectionName: name, Limit: &limit}
	next := uint64(76)
	for page := range 3 {
		points, offset, err := client.ScrollAndOffset(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if p.GetId().GetNum() != next {
				t.Errorf("page %d: %d, want %d", page, p.GetId().GetNum(), next)
			}
			next++
		}
		request.Offset = offset
	}
	if request.GetOffset() != nil || next != 101 {
		t.Errorf("ended at %d with offset %v", next, request.GetOffset())
	}
}

func TestRefusals(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Cosine)
	upsert(t, client, name, dense2(1, 1, 0, nil))
	wait, zero := true, uint64(0)
	try := func(vectors *pb.Vectors, id *pb.PointId) error {
		_, err := client.Upsert(ctx, &pb.UpsertPoints{CollectionName: name, Wait: &wait,
			Points: []*pb.PointStruct{{Id: id, Vectors: vectors}}})
		return err
	}
	named := func(name string, vector *pb.Vector) *pb.Vectors {
		return pb.NewVectorsMap(map[string]*pb.Vector{name: vector})
	}
	query := func(request *pb.QueryPoints) error {
		request.CollectionName = name
		_, err := client.Query(ctx, request)
		return err
	}
	one, dense, sparse := pb.NewIDNum(1), "dense", "sparse"
	refusals := map[string]error{
		"dimension":            try(named("dense", pb.NewVectorDense([]float32{1})), one),
		"vector name":          try(named("none", pb.NewVectorDense([]float32{1, 2})), one),
		"sparse for dense":     try(named("dense", pb.NewVectorSparse([]uint32{1}, []float32{1})), one),
		"sparse lengths":       try(named("sparse", pb.NewVectorSparse([]uint32{1, 2}, []float32{1})), one),
		"sparse repetition":    try(named("sparse", pb.NewVectorSparse([]uint32{1, 1}, []float32{1, 2})), one),
		"no vectors":           try(nil, one),
		"no id":                try(named("dense", pb.NewVectorDense([]float32{1, 2})), nil),
		"bad uuid":             try(named("dense", pb.NewVectorDense([]float32{1, 2})), pb.NewIDUUID("x")),
		"limit 0":              query(&pb.QueryPoints{Limit: &zero}),
		"query dimension":      query(&pb.QueryPoints{Query: pb.NewQuery(1, 2, 3), Using: &dense}),
		"query name":           query(&pb.QueryPoints{Query: pb.NewQuery(1, 2)}),
		"dense for sparse":     query(&pb.QueryPoints{Query: pb.NewQuery(1, 2), Using: &sparse}),
		"fusion of nothing":    query(&pb.QueryPoints{Query: pb.NewQueryFusion(pb.Fusion_RRF)}),
		"prefetch for nothing": query(&pb.QueryPoints{Prefetch: []*pb.PrefetchQuery{{Query: pb.NewQuery(1, 2), Using: &dense}}}),
	}
	for what, err := range refusals {
		wantCode(t, what, err, codes.InvalidArgument)
	}
	_, err := client.Count(ctx, &pb.CountPoints{CollectionName: "none"})
	wantCode(t, "count in none", err, codes.NotFound)
	wantCode(t, "query by a missing id",
		query(&pb.QueryPoints{Query: pb.NewQueryID(pb.NewIDNum(99)), Using: &dense}), codes.NotFound)
	_, err = client.GetPointsClient().Discover(ctx, &pb.DiscoverPoints{CollectionName: name})
	wantCode(t, "discover", err, codes.Unimplemented)
}
