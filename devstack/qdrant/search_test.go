package qdrant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
)

const tolerance = 1e-4

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b)) }

// record is what a test knows of a point.
type record struct {
	id     uint64
	dense  []float32
	sparse map[uint32]float32
	kind   string
	number int64
	tags   []string
}

func randomRecords(random *rand.Rand, n, size int) []record {
	records := make([]record, n)
	for i := range records {
		r := record{id: uint64(i + 1), dense: make([]float32, size), sparse: map[uint32]float32{},
			kind: string(rune('a' + random.IntN(4))), number: random.Int64N(20) - 10}
		for j := range r.dense {
			r.dense[j] = float32(random.NormFloat64())
		}
		for range 1 + random.IntN(6) {
			r.sparse[uint32(random.IntN(30))] = 0.1 + random.Float32()
		}
		for range random.IntN(4) {
			r.tags = append(r.tags, string(rune('p'+random.IntN(5))))
		}
		records[i] = r
	}
	return records
}

func (r record) point() *pb.PointStruct {
	tags := []any{}
	for _, tag := range r.tags {
		tags = append(tags, tag)
	}
	var indices []uint32
	var values []float32
	for index, value := range r.sparse {
		indices, values = append(indices, index), append(values, value)
	}
	payload := map[string]any{"kind": r.kind, "number": r.number, "tags": tags,
		"when": fmt.Sprintf("2024-01-%02dT12:00:00Z", 15+r.number), "text": "Lorem " + r.kind + " ipsum",
		"deep": map[string]any{"kind": r.kind}, "rows": []any{map[string]any{"k": r.kind, "n": r.number}}}
	if r.number == 0 {
		payload["maybe"] = nil
	} else if r.number > 0 {
		payload["maybe"] = r.number
	}
	return &pb.PointStruct{Id: pb.NewIDNum(r.id), Payload: pb.NewValueMap(payload),
		Vectors: pb.NewVectorsMap(map[string]*pb.Vector{
			"dense": pb.NewVectorDense(r.dense), "sparse": pb.NewVectorSparse(indices, values),
			"plain": pb.NewVectorSparse(indices, values)})}
}

func fill(t *testing.T, client *pb.Client, name string, records []record) {
	t.Helper()
	for batch := range slices.Chunk(records, 100) {
		var points []*pb.PointStruct
		for _, r := range batch {
			points = append(points, r.point())
		}
		upsert(t, client, name, points...)
	}
}

// scored is what a query should answer.
type scored struct {
	id    uint64
	score float64
}

// wantHits compares an answer with all candidates, the best first: scores must agree, and ids where the score is not
// that of a neighbour.
func wantHits(t *testing.T, what string, got []*pb.ScoredPoint, candidates []scored, limit int) {
	t.Helper()
	if len(got) != min(limit, len(candidates)) {
		t.Errorf("%s: %d hits, want %d", what, len(got), min(limit, len(candidates)))
		return
	}
	for i, p := range got {
		want := candidates[i]
		if !near(float64(p.GetScore()), want.score) {
			t.Errorf("%s: hit %d is %d with %v, want %d with %v", what, i, p.GetId().GetNum(), p.GetScore(),
				want.id, want.score)
			return
		}
		isTie := i > 0 && near(candidates[i-1].score, want.score) ||
			i+1 < len(candidates) && near(candidates[i+1].score, want.score)
		if p.GetId().GetNum() != want.id && !isTie {
			t.Errorf("%s: hit %d is %d, want %d", what, i, p.GetId().GetNum(), want.id)
		}
	}
}

func best(candidates []scored, smaller bool) []scored {
	slices.SortFunc(candidates, func(a, b scored) int {
		if smaller {
			a, b = b, a
		}
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		default:
			return 0
		}
	})
	return candidates
}

func denseScore(distance pb.Distance, a, b []float32) float64 {
	var dot, lengthA, lengthB, squares, sum float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		lengthA += x * x
		lengthB += y * y
		squares += (x - y) * (x - y)
		sum += math.Abs(x - y)
	}
	switch distance {
	case pb.Distance_Cosine:
		return dot / math.Sqrt(lengthA*lengthB)
	case pb.Distance_Euclid:
		return math.Sqrt(squares)
	case pb.Distance_Manhattan:
		return sum
	default:
		return dot
	}
}

func TestDenseSearch(t *testing.T) {
	client, using := newClient(t), "dense"
	for _, distance := range []pb.Distance{pb.Distance_Cosine, pb.Distance_Dot, pb.Distance_Euclid, pb.Distance_Manhattan} {
		random := rand.New(rand.NewPCG(1, uint64(distance)))
		records := randomRecords(random, 300, 16)
		name := newCollection(t, client, 16, distance)
		fill(t, client, name, records)
		smaller := distance == pb.Distance_Euclid || distance == pb.Distance_Manhattan
		for round := range 10 {
			target := randomRecords(random, 1, 16)[0].dense
			var all []scored
			for _, r := range records {
				all = append(all, scored{r.id, denseScore(distance, target, r.dense)})
			}
			all = best(all, smaller)
			limit, offset := uint64(20), uint64(round)
			got, err := client.Query(contextOf(t), &pb.QueryPoints{CollectionName: name, Using: &using,
				Query: pb.NewQueryDense(target), Limit: &limit, Offset: &offset})
			if err != nil {
				t.Fatal(err)
			}
			wantHits(t, distance.String(), got, all[offset:], int(limit))
			threshold := float32((all[6].score + all[7].score) / 2)
			got, err = client.Query(contextOf(t), &pb.QueryPoints{CollectionName: name, Using: &using,
				Query: pb.NewQueryDense(target), Limit: &limit, ScoreThreshold: &threshold})
			if err != nil {
				t.Fatal(err)
			}
			wantHits(t, distance.String()+" with threshold", got, all[:7], int(limit))
		}
	}
}

// sparseScores computes the products of a query with all records, with or without inverse document frequency.
func sparseScores(records []record, query map[uint32]float32, idf bool) []scored {
	var all []scored
	for _, r := range records {
		sum, shares := 0.0, false
		for index, weight := range query {
			value, ok := r.sparse[index]
			if !ok {
				continue
			}
			frequency := 0.0
			for _, other := range records {
				if _, ok := other.sparse[index]; ok {
					frequency++
				}
			}
			factor := 1.0
			if idf {
				factor = math.Log((float64(len(records))-frequency+0.5)/(frequency+0.5) + 1)
			}
			sum += float64(weight) * float64(value) * factor
			shares = true
		}
		if shares {
			all = append(all, scored{r.id, sum})
		}
	}
	return best(all, false)
}

func sparseQuery(query map[uint32]float32) *pb.Query {
	var indices []uint32
	var values []float32
	for index, value := range query {
		indices, values = append(indices, index), append(values, value)
	}
	return pb.NewQuerySparse(indices, values)
}

func TestSparseSearch(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	random := rand.New(rand.NewPCG(2, 2))
	records := randomRecords(random, 200, 2)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	fill(t, client, name, records)
	check := func(what string) {
		t.Helper()
		for range 10 {
			query := randomRecords(random, 1, 1)[0].sparse
			query[1000] = 1 // an index that no point has
			for using, idf := range map[string]bool{"sparse": true, "plain": false} {
				limit := uint64(30)
				got, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Using: &using,
					Query: sparseQuery(query), Limit: &limit})
				if err != nil {
					t.Fatal(err)
				}
				wantHits(t, what+" "+using, got, sparseScores(records, query, idf), int(limit))
			}
		}
	}
	check("after upsert")
	wait := true
	if _, err := client.Delete(ctx, &pb.DeletePoints{CollectionName: name, Wait: &wait,
		Points: pb.NewPointsSelector(pb.NewIDNum(1), pb.NewIDNum(2), pb.NewIDNum(3))}); err != nil {
		t.Fatal(err)
	}
	records = records[3:]
	records[0].sparse = map[uint32]float32{5: 1}
	upsert(t, client, name, records[0].point())
	if !onEngine() { // the engine counts deleted vectors until it rewrites its segment
		check("after delete and replacement")
	}
}

func TestSearchByID(t *testing.T) {
	ctx, client, using := contextOf(t), newClient(t), "dense"
	name := newCollection(t, client, 2, pb.Distance_Dot)
	upsert(t, client, name, dense2(1, 1, 0, nil), dense2(2, 3, 0, nil), dense2(3, 2, 0, nil))
	got, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Using: &using, Query: pb.NewQueryID(pb.NewIDNum(2))})
	if err != nil || !slices.Equal(ids(got), []uint64{3, 1}) {
		t.Errorf("neighbours of 2: %v, %v", ids(got), err)
	}
}

// predicates pairs filters with what they should mean.
func predicates(random *rand.Rand) (map[string]*pb.Condition, map[string]func(record) bool) {
	kind, number := string(rune('a'+random.IntN(5))), random.Int64N(20)-10
	tag, day := string(rune('p'+random.IntN(6))), random.Int64N(20)-10
	low := float64(number)
	ids := []*pb.PointId{pb.NewIDNum(uint64(1 + random.IntN(100))), pb.NewIDNum(uint64(1 + random.IntN(100)))}
	moment := fmt.Sprintf("2024-01-%02dT12:00:00Z", 15+day)
	two := uint64(2)
	yes := true
	conditions := map[string]*pb.Condition{
		"keyword":       pb.NewMatch("kind", kind),
		"array keyword": pb.NewMatch("tags", tag),
		"integer":       pb.NewMatchInt("number", number),
		"any":           pb.NewMatchKeywords("kind", kind, "b"),
		"array any":     pb.NewMatchKeywords("tags", tag, "q"),
		"any integer":   pb.NewMatchInts("number", number, 3),
		"except":        pb.NewMatchExcept("kind", kind, "b"),
		"array except":  pb.NewMatchExcept("tags", tag, "q"),
		"except ints":   pb.NewMatchExceptInts("number", number, 3),
		"except none":   pb.NewMatchExcept("absent", "x"),
		"range":         pb.NewRange("number", &pb.Range{Gte: &low}),
		"range maybe":   pb.NewRange("maybe", &pb.Range{Lt: &low}),
		"datetime":      pb.NewDatetimeRange("when", &pb.DatetimeRange{Lt: timestamp(moment)}),
		"has id":        pb.NewHasID(ids...),
		"is empty":      pb.NewIsEmpty("tags"),
		"maybe empty":   pb.NewIsEmpty("maybe"),
		"maybe null":    pb.NewIsNull("maybe"),
		"deep":          pb.NewMatch("deep.kind", kind),
		"rows":          pb.NewMatch("rows[].k", kind),
		"rows no []":    pb.NewMatch("rows.k", kind),
		"nested": pb.NewNestedFilter("rows", &pb.Filter{Must: []*pb.Condition{
			pb.NewMatch("k", kind), pb.NewRange("n", &pb.Range{Gt: &low})}}),
		"text":         pb.NewMatchText("text", "ipsum "+kind),
		"values count": pb.NewValuesCount("tags", &pb.ValuesCount{Gte: &two}),
		"field empty":  {ConditionOneOf: &pb.Condition_Field{Field: &pb.FieldCondition{Key: "tags", IsEmpty: &yes}}},
		"has vector":   pb.NewHasVector("sparse"),
	}
	hasTag := func(r record) bool { return slices.Contains(r.tags, tag) }
	meanings := map[string]func(record) bool{
		"keyword":       func(r record) bool { return r.kind == kind },
		"array keyword": hasTag,
		"integer":       func(r record) bool { return r.number == number },
		"any":           func(r record) bool { return r.kind == kind || r.kind == "b" },
		"array any":     func(r record) bool { return hasTag(r) || slices.Contains(r.tags, "q") },
		"any integer":   func(r record) bool { return r.number == number || r.number == 3 },
		"except":        func(r record) bool { return r.kind != kind && r.kind != "b" },
		"array except": func(r record) bool {
			return slices.ContainsFunc(r.tags, func(have string) bool { return have != tag && have != "q" })
		},
		"except ints": func(r record) bool { return r.number != number && r.number != 3 },
		"except none": func(record) bool { return false },
		"range":       func(r record) bool { return r.number >= number },
		"range maybe": func(r record) bool { return r.number > 0 && r.number < number },
		"datetime":    func(r record) bool { return r.number < day },
		"has id":      func(r record) bool { return r.id == ids[0].GetNum() || r.id == ids[1].GetNum() },
		"is empty":    func(r record) bool { return len(r.tags) == 0 },
		"maybe empty": func(r record) bool { return r.number <= 0 },
		"maybe null":  func(r record) bool { return r.number == 0 },
		"deep":        func(r record) bool { return r.kind == kind },
		"rows":        func(r record) bool { return r.kind == kind },
		"rows no []":  func(record) bool { return false },
		"nested":      func(r record) bool { return r.kind == kind && r.number > number },
		"text":        func(r record) bool { return r.kind == kind },
		"values count": func(r record) bool {
			return len(r.tags) >= 2
		},
		"field empty": func(r record) bool { return len(r.tags) == 0 },
		"has vector":  func(record) bool { return true },
	}
	return conditions, meanings
}

func TestFiltersAgainstPredicates(t *testing.T) {
	ctx, client, using := contextOf(t), newClient(t), "dense"
	random := rand.New(rand.NewPCG(3, 3))
	records := randomRecords(random, 150, 2)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	fill(t, client, name, records)
	limit, wide := uint32(1000), uint64(1000)
	check := func(what string, filter *pb.Filter, means func(record) bool) {
		t.Helper()
		want := []uint64{}
		for _, r := range records {
			if means(r) {
				want = append(want, r.id)
			}
		}
		points, err := client.Scroll(ctx, &pb.ScrollPoints{CollectionName: name, Filter: filter, Limit: &limit})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got := []uint64{}
		for _, p := range points {
			got = append(got, p.GetId().GetNum())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
		if n, err := client.Count(ctx, &pb.CountPoints{CollectionName: name, Filter: filter}); err != nil ||
			n != uint64(len(want)) {
			t.Errorf("%s: count %d, %v, want %d", what, n, err, len(want))
		}
		found, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Using: &using, Filter: filter,
			Query: pb.NewQuery(1, 1), Limit: &wide})
		if got := ids(found); err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s: query found %v, %v, want %v", what, got, err, want)
		}
	}
	for round := range 8 {
		if round == 4 { // from here on with indexes, of points that were there before and of such that come again
			wait := true
			for _, field := range []string{"kind", "tags", "number", "deep.kind", "text"} {
				if _, err := client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: name, FieldName: field, Wait: &wait,
					FieldType: pb.FieldType_FieldTypeKeyword.Enum()}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range records[:50] {
				records[i].kind = records[len(records)-1-i].kind
			}
			fill(t, client, name, records[:60])
		}
		conditions, meanings := predicates(random)
		names := slices.Sorted(func(yield func(string) bool) {
			for what := range conditions {
				if !yield(what) {
					return
				}
			}
		})
		for _, what := range names {
			check(what, &pb.Filter{Must: []*pb.Condition{conditions[what]}}, meanings[what])
			check("not "+what, &pb.Filter{MustNot: []*pb.Condition{conditions[what]}},
				func(r record) bool { return !meanings[what](r) })
		}
		for range 12 {
			pick := func() string { return names[random.IntN(len(names))] }
			a, b, c, d := pick(), pick(), pick(), pick()
			means := func(what string, r record) bool { return meanings[what](r) }
			check(fmt.Sprintf("%s and (%s or %s) and not %s", a, b, c, d), &pb.Filter{
				Must: []*pb.Condition{conditions[a]}, Should: []*pb.Condition{conditions[b], conditions[c]},
				MustNot: []*pb.Condition{conditions[d]},
			}, func(r record) bool { return means(a, r) && (means(b, r) || means(c, r)) && !means(d, r) })
			if onEngine() && (a == b || b == c || a == c) {
				continue // a condition that is given twice the engine counts in two ways, by its indexes
			}
			check(fmt.Sprintf("two of %s, %s, %s", a, b, c), &pb.Filter{MinShould: &pb.MinShould{MinCount: 2,
				Conditions: []*pb.Condition{conditions[a], conditions[b], conditions[c]}}},
				func(r record) bool {
					count := 0
					for _, what := range []string{a, b, c} {
						if means(what, r) {
							count++
						}
					}
					return count >= 2
				})
			check(fmt.Sprintf("%s or filter(%s and not %s)", a, b, c), &pb.Filter{Should: []*pb.Condition{conditions[a],
				pb.NewFilterAsCondition(&pb.Filter{Must: []*pb.Condition{conditions[b]},
					MustNot: []*pb.Condition{conditions[c]}})}},
				func(r record) bool { return means(a, r) || means(b, r) && !means(c, r) })
		}
	}
}

func TestTextIndex(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	name := newCollection(t, client, 2, pb.Distance_Dot)
	wait := true
	if _, err := client.CreateFieldIndex(ctx, &pb.CreateFieldIndexCollection{CollectionName: name, Wait: &wait,
		FieldName: "text", FieldType: pb.FieldType_FieldTypeText.Enum(),
		FieldIndexParams: pb.NewPayloadIndexParamsText(&pb.TextIndexParams{Tokenizer: pb.TokenizerType_Word}),
	}); err != nil {
		t.Fatal(err)
	}
	upsert(t, client, name, dense2(1, 1, 0, map[string]any{"text": "The Quick, brown fox"}),
		dense2(2, 1, 0, map[string]any{"text": "a brownish quick-step"}))
	count := func(condition *pb.Condition) uint64 {
		t.Helper()
		n, err := client.Count(ctx, &pb.CountPoints{CollectionName: name, Filter: &pb.Filter{
			Must: []*pb.Condition{condition}}})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for text, want := range map[string]uint64{"quick": 2, "brown QUICK": 1, "brown": 1, "rown": 0, "step quick": 1} {
		if got := count(pb.NewMatchText("text", text)); got != want {
			t.Errorf("text %q: %d, want %d", text, got, want)
		}
	}
	if got := count(pb.NewMatchTextAny("text", "fox step")); got != 2 {
		t.Errorf("any: %d", got)
	}
}

// fusionScores is what fusion of two lists should give.
func fusionScores(lists [][]scored, part func(list []scored, rank int) float64) []scored {
	sums := map[uint64]float64{}
	for _, list := range lists {
		for rank, hit := range list {
			sums[hit.id] += part(list, rank)
		}
	}
	var all []scored
	for id, sum := range sums {
		all = append(all, scored{id, sum})
	}
	return best(all, false)
}

func byDistribution(list []scored, rank int) float64 {
	var mean, squares float64
	for _, hit := range list {
		mean += hit.score / float64(len(list))
	}
	for _, hit := range list {
		squares += (hit.score - mean) * (hit.score - mean)
	}
	deviation := math.Sqrt(squares / float64(len(list)-1))
	return (list[rank].score - mean + 3*deviation) / (6 * deviation)
}

func TestFusion(t *testing.T) {
	ctx, client := contextOf(t), newClient(t)
	random := rand.New(rand.NewPCG(4, 4))
	records := randomRecords(random, 200, 8)
	name := newCollection(t, client, 8, pb.Distance_Cosine)
	fill(t, client, name, records)
	dense, sparse, limit, part := "dense", "sparse", uint64(15), uint64(20)
	for range 10 {
		target := randomRecords(random, 1, 8)[0]
		var denseList []scored
		for _, r := range records {
			if r.kind != "a" {
				denseList = append(denseList, scored{r.id, denseScore(pb.Distance_Cosine, target.dense, r.dense)})
			}
		}
		sparseList := slices.DeleteFunc(sparseScores(records, target.sparse, true), func(hit scored) bool {
			return records[hit.id-1].kind == "a"
		})
		denseList = best(denseList, false)
		lists := [][]scored{denseList[:min(20, len(denseList))], sparseList[:min(20, len(sparseList))]}
		run := func(query *pb.Query) []*pb.ScoredPoint {
			t.Helper()
			got, err := client.Query(ctx, &pb.QueryPoints{CollectionName: name, Limit: &limit, Query: query,
				Filter: &pb.Filter{MustNot: []*pb.Condition{pb.NewMatch("kind", "a")}},
				Prefetch: []*pb.PrefetchQuery{
					{Query: pb.NewQueryDense(target.dense), Using: &dense, Limit: &part},
					{Query: sparseQuery(target.sparse), Using: &sparse, Limit: &part},
				}})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		wantHits(t, "RRF", run(pb.NewQueryFusion(pb.Fusion_RRF)), fusionScores(lists, func(_ []scored, rank int) float64 {
			return 1 / float64(rank+2)
		}), int(limit))
		k := uint32(60)
		wantHits(t, "RRF 60", run(pb.NewQueryRRF(&pb.Rrf{K: &k})), fusionScores(lists, func(_ []scored, rank int) float64 {
			return 1 / float64(rank+60)
		}), int(limit))
		wantHits(t, "DBSF", run(pb.NewQueryFusion(pb.Fusion_DBSF)), fusionScores(lists, byDistribution), int(limit))
		rescored := slices.DeleteFunc(slices.Clone(denseList), func(hit scored) bool {
			return !slices.ContainsFunc(slices.Concat(lists...), func(other scored) bool { return other.id == hit.id })
		})
		rescore := &pb.QueryPoints{CollectionName: name, Limit: &limit, Query: pb.NewQueryDense(target.dense), Using: &dense,
			Filter: &pb.Filter{MustNot: []*pb.Condition{pb.NewMatch("kind", "a")}},
			Prefetch: []*pb.PrefetchQuery{
				{Query: pb.NewQueryDense(target.dense), Using: &dense, Limit: &part},
				{Query: sparseQuery(target.sparse), Using: &sparse, Limit: &part},
			}}
		batch, err := client.QueryBatch(ctx, &pb.QueryBatchPoints{CollectionName: name,
			QueryPoints: []*pb.QueryPoints{rescore, {Query: pb.NewQueryDense(target.dense), Using: &dense, Limit: &limit,
				Filter: rescore.GetFilter()}}})
		if err != nil || len(batch) != 2 {
			t.Fatal(batch, err)
		}
		wantHits(t, "rescored", batch[0].GetResult(), rescored, int(limit))
		wantHits(t, "in a batch", batch[1].GetResult(), denseList, int(limit))
	}
}
