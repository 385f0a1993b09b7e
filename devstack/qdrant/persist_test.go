package qdrant_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/colophon-dev/colophon/devstack/qdrant"
)

// state is all that a client can see of a collection.
func state(t *testing.T, client *pb.Client, name string) string {
	t.Helper()
	ctx, limit := contextOf(t), uint32(10_000)
	info, err := client.GetCollectionInfo(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	points, err := client.Scroll(ctx, &pb.ScrollPoints{CollectionName: name, Limit: &limit,
		WithPayload: pb.NewWithPayload(true), WithVectors: pb.NewWithVectors(true)})
	if err != nil {
		t.Fatal(err)
	}
	aliases, err := client.ListAliases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := &pb.ScrollResponse{Result: points}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	described, err := proto.MarshalOptions{Deterministic: true}.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x %x %v", encoded, described, aliases)
}

// change does one of everything, so that a log holds all kinds of records, and returns the collection's name.
func change(t *testing.T, client *pb.Client) string {
	t.Helper()
	ctx, wait, name := contextOf(t), true, "kept"
	idf := pb.Modifier_Idf
	if err := client.CreateCollection(ctx, &pb.CreateCollection{CollectionName: name,
		VectorsConfig: pb.NewVectorsConfigMap(map[string]*pb.VectorParams{
			"dense": {Size: 2, Distance: pb.Distance_Cosine}}),
		SparseVectorsConfig: pb.NewSparseVectorsConfig(map[string]*pb.SparseVectorParams{
			"sparse": {Modifier: &idf}, "plain": {}}),
	}); err != nil {
		t.Fatal(err)
	}
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: name, Wait: &wait,
		FieldName: "kind", FieldType: pb.FieldType_FieldTypeKeyword.Enum()}))
	check(client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: name, Wait: &wait,
		FieldName: "gone", FieldType: pb.FieldType_FieldTypeInteger.Enum()}))
	check(client.DeleteFieldIndex(ctx, &pb.DeleteFieldIndexCollection{CollectionName: name, Wait: &wait, FieldName: "gone"}))
	check(nil, client.CreateAlias(ctx, "alias", name))
	fill(t, client, "alias", randomRecords(newRandom(7), 120, 2))
	some := pb.NewPointsSelector(pb.NewIDNum(1), pb.NewIDNum(2))
	check(client.SetPayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait,
		Payload: pb.NewValueMap(map[string]any{"set": true}), PointsSelector: some}))
	// This one fails and changes the first point all the same.
	_, _ = client.SetPayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait,
		Payload:        pb.NewValueMap(map[string]any{"half": true}),
		PointsSelector: pb.NewPointsSelector(pb.NewIDNum(1), pb.NewIDNum(999))})
	check(client.OverwritePayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait,
		Payload: pb.NewValueMap(map[string]any{"only": 1}), PointsSelector: pb.NewPointsSelector(pb.NewIDNum(3))}))
	check(client.DeletePayload(ctx, &pb.DeletePayloadPoints{CollectionName: name, Wait: &wait,
		Keys: []string{"text"}, PointsSelector: some}))
	check(client.ClearPayload(ctx, &pb.ClearPayloadPoints{CollectionName: name, Wait: &wait,
		Points: pb.NewPointsSelector(pb.NewIDNum(4))}))
	check(client.Delete(ctx, &pb.DeletePoints{CollectionName: name, Wait: &wait,
		Points: pb.NewPointsSelectorFilter(&pb.Filter{Must: []*pb.Condition{pb.NewMatch("kind", "b")}})}))
	return name
}

func TestRestart(t *testing.T) {
	dir := t.TempDir()
	server := startServer(t, dir)
	client := clientOf(t, server.Addr())
	name := change(t, client)
	want := state(t, client, name)
	addr := server.Addr()
	stop(t, server)
	if err := server.Start(contextOf(t)); err != nil {
		t.Fatal(err)
	}
	if server.Addr() != addr {
		t.Errorf("address changed from %s to %s", addr, server.Addr())
	}
	if got := state(t, clientOf(t, server.Addr()), name); got != want {
		t.Error("another state after the restart")
	}
}

func TestTornTailIsCut(t *testing.T) {
	dir := t.TempDir()
	server := startServer(t, dir)
	client := clientOf(t, server.Addr())
	name := change(t, client)
	want := state(t, client, name)
	stop(t, server)
	file, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("\x10\x00\x00\x00half a rec"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if got := state(t, clientOf(t, startServer(t, dir).Addr()), name); got != want {
		t.Error("another state after a torn write")
	}
}

func TestCompactionKeepsTheState(t *testing.T) {
	dir := t.TempDir()
	server := startServer(t, dir)
	client := clientOf(t, server.Addr())
	name := change(t, client)
	records := randomRecords(newRandom(8), 120, 2)
	for range 12 {
		fill(t, client, name, records)
	}
	want := state(t, client, name)
	stop(t, server)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	for range 2 { // written by the compaction, and read again
		again := startServer(t, dir)
		if got := state(t, clientOf(t, again.Addr()), name); got != want {
			t.Error("another state after compaction")
		}
		stop(t, again)
	}
	if after := size(); after > before/4 {
		t.Errorf("the log went from %d to %d bytes", before, after)
	}
}

// TestConcurrentWritersAndReaders also shows that what was answered is there.
func TestConcurrentWritersAndReaders(t *testing.T) {
	dir := t.TempDir()
	server := startServer(t, dir)
	client := clientOf(t, server.Addr())
	name := newCollection(t, client, 2, pb.Distance_Dot)
	const writers, each = 8, 25
	ctx, wait, using := contextOf(t), true, "dense"
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for n := range each {
				_, err := client.Upsert(ctx, &pb.UpsertPoints{CollectionName: name, Wait: &wait,
					Points: []*pb.PointStruct{dense2(uint64(writer*each+n), 1, float32(n), nil)}})
				if err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range each {
				if _, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Using: &using,
					Query: pb.NewQuery(1, 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	stop(t, server)
	again := clientOf(t, startServer(t, dir).Addr())
	if n, err := again.Count(ctx, &pb.CountPoints{CollectionName: name}); err != nil || n != writers*each {
		t.Errorf("%d points, %v, want %d", n, err, writers*each)
	}
}

func TestOneServerInAFolder(t *testing.T) {
	dir := t.TempDir()
	startServer(t, dir)
	second := qdrant.New(qdrant.Options{Dir: dir})
	ctx, cancel := context.WithCancel(contextOf(t))
	cancel()
	if err := second.Start(ctx); err == nil {
		stop(t, second)
		t.Error("two servers on one log")
	}
}

func BenchmarkDenseQuery(b *testing.B) {
	client := newClient(b)
	name := newCollection(b, client, 384, pb.Distance_Cosine)
	random := newRandom(9)
	for range 100 {
		var points []*pb.PointStruct
		for _, r := range randomRecords(random, 100, 384) {
			r.id = random.Uint64()
			points = append(points, r.point())
		}
		upsert(b, client, name, points...)
	}
	using, limit := "dense", uint64(10)
	target := randomRecords(random, 1, 384)[0].dense
	for b.Loop() {
		if _, err := client.Query(b.Context(), &pb.QueryPoints{CollectionName: name, Using: &using,
			Query: pb.NewQueryDense(target), Limit: &limit}); err != nil {
			b.Fatal(err)
		}
	}
}
