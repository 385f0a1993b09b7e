package qdrant_test

import (
	"fmt"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
)

// BenchmarkQueries asks a collection of the size of a large archive as a search does: with a question of few components
// and terms, under filters that let almost all, a hundredth, or nothing but one in fifty thousand through.
func BenchmarkQueries(b *testing.B) {
	const points, size, terms, batch = 100_000, 1024, 200, 500
	client := newClient(b)
	name := newCollection(b, client, size, pb.Distance_Cosine)
	random := newRandom(10)
	for from := 0; from < points; from += batch {
		list := make([]*pb.PointStruct, batch)
		for i := range list {
			n := from + i
			dense, indices, values := make([]float32, size), make([]uint32, terms), make([]float32, terms)
			for j := range dense {
				dense[j] = float32(random.NormFloat64())
			}
			for j := range indices { // the low ones are in most texts
				indices[j] = uint32(j*50) + uint32(50*random.Float64()*random.Float64()*float64(j)/terms)
				values[j] = random.Float32()
			}
			list[i] = &pb.PointStruct{Id: pb.NewIDNum(random.Uint64()),
				Vectors: pb.NewVectorsMap(map[string]*pb.Vector{"dense": pb.NewVectorDense(dense), "sparse": pb.NewVectorSparse(indices, values)}),
				Payload: pb.NewValueMap(map[string]any{"layer": []string{"hot", "summary", "archive"}[n%50%3], "source_id": fmt.Sprint("s", n%100), "ref": fmt.Sprint(n)})}
		}
		upsert(b, client, name, list...)
	}
	dense := make([]float32, size)
	for range 40 {
		dense[random.IntN(size)] = float32(random.NormFloat64())
	}
	sparse := map[uint32]float32{0: 1, 50: 1, 500: 1, 2500: 1, 5001: 1, 7502: 1, 9990: 1, 9995: 1}
	filters := map[string]*pb.Filter{
		"most": {Must: []*pb.Condition{pb.NewMatchKeywords("layer", "hot", "summary")}},
		"few":  {Must: []*pb.Condition{pb.NewMatchKeywords("layer", "hot", "summary"), pb.NewMatchKeyword("source_id", "s7")}},
		"two":  {Must: []*pb.Condition{pb.NewMatchKeywords("ref", "7", "50007")}},
	}
	limit := uint64(100)
	for _, field := range []string{"layer", "source_id"} {
		wait := true
		if _, err := client.CreateFieldIndex(b.Context(), &pb.CreateFieldIndexCollection{CollectionName: name, FieldName: field, Wait: &wait,
			FieldType: pb.FieldType_FieldTypeKeyword.Enum()}); err != nil {
			b.Fatal(err)
		}
	}
	for using, query := range map[string]*pb.Query{"dense": pb.NewQueryDense(dense), "sparse": sparseQuery(sparse)} {
		for passes, filter := range filters {
			b.Run(using+"-"+passes, func(b *testing.B) {
				for b.Loop() {
					if _, err := client.Query(b.Context(), &pb.QueryPoints{CollectionName: name, Using: &using, Query: query, Filter: filter,
						Limit: &limit, WithPayload: pb.NewWithPayloadInclude("ref")}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
