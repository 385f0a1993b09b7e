package qdrant_test

import (
	"math"
	"slices"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// TestColumnsSayWhatPayloadsSay puts the same points into a collection with indexes, whose filters ask columns, and into
// one without, whose filters read payloads. Points are changed, replaced and deleted in both. Every filter finds the
// same, and so many points have a field as are counted one by one.
func TestColumnsSayWhatPayloadsSay(t *testing.T) {
	ctx, client, random := contextOf(t), newClient(t), newRandom(11)
	indexed, plain := newCollection(t, client, 2, pb.Distance_Dot), newCollection(t, client, 2, pb.Distance_Dot)
	wait := true
	index := func(field string, kind pb.FieldType) {
		if _, err := client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: indexed, FieldName: field, Wait: &wait, FieldType: kind.Enum()}); err != nil {
			t.Fatal(err)
		}
	}
	index("word", pb.FieldType_FieldTypeKeyword)
	index("count", pb.FieldType_FieldTypeInteger)
	values := []any{
		"2024-03-01", "2024-03-01T00:00:00Z", "2024-03-01T01:00:00+01:00", "2024-03-01T00:00:00.000000001Z", "2024-02-29T23:59:59.999999999Z", "1969-12-31",
		"0001-01-01", "9999-12-31", "1677-09-21T00:12:43.145224193Z", "2262-04-11T23:47:16.854775807Z", "", "tomorrow", "2024-13-01", nil, int64(7), true, []any{},
		[]any{"2024-03-01"}, []any{"2023-01-01", "2025-01-01"}, []any{nil}, map[string]any{"a": "2024-03-01"},
		int64(-3), int64(0), int64(8), int64(1 << 53), int64(1<<53 + 1), 7.5, []any{int64(7)},
	}
	payload := func() map[string]any {
		p := map[string]any{"other": "x"}
		for _, field := range []string{"word", "when", "count"} {
			if n := random.IntN(len(values) + 2); n < len(values) {
				p[field] = values[n]
			}
		}
		return p
	}
	both := func(do func(name string) error) {
		t.Helper()
		for _, name := range []string{indexed, plain} {
			if err := do(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for round := range 300 {
		if round == 50 {
			index("when", pb.FieldType_FieldTypeDatetime) // of points that are there
		}
		id, p := random.Uint64N(120), payload()
		switch random.IntN(6) {
		case 0:
			both(func(name string) error {
				_, err := client.Delete(ctx, &pb.DeletePoints{CollectionName: name, Wait: &wait, Points: pb.NewPointsSelectorIDs([]*pb.PointId{pb.NewIDNum(id)})})
				return err
			})
		case 1:
			delete(p, "when")
			both(func(name string) error {
				selector := pb.NewPointsSelectorFilter(&pb.Filter{Must: []*pb.Condition{pb.NewHasID(pb.NewIDNum(id))}})
				_, err := client.SetPayload(ctx, &pb.SetPayloadPoints{CollectionName: name, Wait: &wait, Payload: pb.NewValueMap(p), PointsSelector: selector})
				return err
			})
		default:
			both(func(name string) error {
				_, err := client.Upsert(ctx, &pb.UpsertPoints{CollectionName: name, Wait: &wait, Points: []*pb.PointStruct{dense2(id, 1, float32(id), p)}})
				return err
			})
		}
	}
	for _, condition := range columnConditions() {
		for _, f := range []*pb.Filter{{Must: []*pb.Condition{condition}}, {MustNot: []*pb.Condition{condition}}} {
			var found [2][]uint64
			for i, name := range []string{indexed, plain} {
				points, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Using: pb.PtrOf("dense"), Query: pb.NewQuery(1, 1), Filter: f, Limit: pb.PtrOf(uint64(1000))})
				if err != nil {
					t.Fatal(err)
				}
				found[i] = ids(points)
			}
			if !slices.Equal(found[0], found[1]) {
				t.Errorf("%v: with columns %v, without %v", f, found[0], found[1])
			}
		}
	}
	if onEngine() { // its counts of what is indexed are estimates
		return
	}
	info, err := client.GetCollectionInfo(ctx, indexed)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"word", "when", "count"} {
		want, err := client.Count(ctx, &pb.CountPoints{CollectionName: plain, Filter: &pb.Filter{MustNot: []*pb.Condition{pb.NewIsEmpty(field)}}})
		if got := info.GetPayloadSchema()[field].GetPoints(); err != nil || got != want || want == 0 {
			t.Errorf("%d points have %s, want %d: %v", got, field, want, err)
		}
	}
}

// columnConditions are those that columns answer, and some that look like them.
func columnConditions() []*pb.Condition {
	conditions := []*pb.Condition{
		pb.NewMatchKeyword("word", "2024-03-01"), pb.NewMatchKeywords("word", "", "tomorrow", "nobody has it"), pb.NewMatchKeywords("word"),
		pb.NewMatchKeyword(`"word"`, "tomorrow"), pb.NewMatchKeyword("word[]", "2024-03-01"), pb.NewMatchKeyword("when", "2024-03-01"), pb.NewMatchInt("word", 7),
		pb.NewIsEmpty("when"), pb.NewIsNull("when"), pb.NewDatetimeRange("word", &pb.DatetimeRange{Gte: timestamp("2024-03-01T00:00:00Z")}),
		pb.NewDatetimeRange("when", &pb.DatetimeRange{}), pb.NewIsEmpty("word"), pb.NewIsEmpty("count"), pb.NewIsEmpty("other"), pb.NewIsEmpty("count[]"),
		pb.NewMatchInt("count", 7), pb.NewRange("count", &pb.Range{}), pb.NewRange("word", &pb.Range{Gte: pb.PtrOf(7.0)}),
	}
	for _, end := range []float64{-3, 0, 6.5, 7, 8, 1 << 53, 1<<53 + 2, math.Inf(1), math.Inf(-1), math.NaN()} {
		for _, bounds := range []*pb.Range{{Gte: &end}, {Gt: &end}, {Lte: &end}, {Lt: &end}, {Gte: &end, Lte: &end}, {Gte: pb.PtrOf(-1.0), Lte: &end}} {
			conditions = append(conditions, pb.NewRange("count", bounds))
		}
	}
	moments := []time.Time{
		time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 0, 0, 0, 1, time.UTC), time.Unix(0, 0), {}, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
		time.Unix(0, -1<<63), time.Unix(0, -1<<63+1), time.Unix(0, -1<<63+2), time.Unix(0, 1<<63-1), time.Unix(0, 1<<63-2),
	}
	for _, moment := range moments {
		at := timestamppb.New(moment)
		for _, bounds := range []*pb.DatetimeRange{{Gte: at}, {Gt: at}, {Lte: at}, {Lt: at}, {Gte: at, Lte: at}, {Gt: at, Lt: at}, {Gte: timestamp("2023-06-01T00:00:00Z"), Lt: at}} {
			conditions = append(conditions, pb.NewDatetimeRange("when", bounds))
		}
	}
	if onEngine() { // it takes one of two predicates in a condition, and which depends on its indexes
		return conditions
	}
	return append(conditions, &pb.Condition{ConditionOneOf: &pb.Condition_Field{Field: &pb.FieldCondition{ // either of two
		Key: "when", DatetimeRange: &pb.DatetimeRange{Lt: timestamp("2000-01-01T00:00:00Z")}, IsEmpty: pb.PtrOf(true)}}})
}
