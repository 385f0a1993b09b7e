package retrieval

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	for _, test := range []struct {
		name          string
		dense, sparse []Scored
		weight        float64
		want          []Scored
	}{
		{"nothing", nil, nil, 0.5, []Scored{}},
		{
			"dense from its worst, sparse from zero",
			[]Scored{{"a", 0.9}, {"b", 0.8}, {"c", 0.7}},
			[]Scored{{"b", 8}, {"c", 4}},
			0.5,
			[]Scored{{"b", 0.75}, {"a", 0.5}, {"c", 0.25}},
		},
		{"one list only", nil, []Scored{{"x", 4}, {"y", 1}}, 0.25, []Scored{{"x", 0.75}, {"y", 0.1875}}},
		{"ties by id", []Scored{{"z", 1}, {"m", 1}, {"a", 1}}, nil, 1, []Scored{{"a", 1}, {"m", 1}, {"z", 1}}},
		{"the better of two", nil, []Scored{{"x", 1}, {"y", 2}, {"x", 4}}, 0, []Scored{{"x", 1}, {"y", 0.5}}},
		{"scores of zero", nil, []Scored{{"x", 0}}, 0, []Scored{{"x", 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Fuse(test.dense, test.sparse, test.weight, 0)
			same := slices.EqualFunc(got, test.want, func(a, b Scored) bool {
				return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-9
			})
			if !same {
				t.Errorf("Fuse = %v, want %v", got, test.want)
			}
		})
	}
}

// TestFusionDoesNotDependOnHowFarWasLooked: who looks four times as far down for more hits
// gets the first ones with the scores and in the order of before.
func TestFusionDoesNotDependOnHowFarWasLooked(t *testing.T) {
	var dense, sparse []Scored
	for i := range 4 * FusionDepth {
		// The dense list falls ever more slowly, as cosines do.
		dense = append(dense, Scored{fmt.Sprintf("d%03d", i*7%400), 0.9 - 0.3*math.Sqrt(float64(i)/400)})
		sparse = append(sparse, Scored{fmt.Sprintf("d%03d", i*3%400), 20 / float64(i+1)})
	}
	near := Fuse(dense[:FusionDepth], sparse[:FusionDepth], 0.5, 0)
	far := Fuse(dense, sparse, 0.5, 0)
	for i := range 10 {
		if near[i].ID != far[i].ID || math.Abs(near[i].Score-far[i].Score) > 0.01 {
			t.Errorf("place %d: %v when looking at %d, %v when looking at %d", i+1, near[i], FusionDepth, far[i], len(dense))
		}
	}
}

// TestWordsThatHardlyFitCountLittle: what shares one of many terms with a question does not
// stand before what says the same in other words, as it did where each list's best is best.
func TestWordsThatHardlyFitCountLittle(t *testing.T) {
	dense := []Scored{{"meaning", 0.90}, {"between", 0.86}, {"chance", 0.80}}
	first := func(best float64) string {
		sparse := []Scored{{"chance", best}, {"between", best / 3}}
		return Fuse(dense, sparse, 0.3, FullScore(20, 100_000))[0].ID
	}
	if got := first(10); got != "meaning" {
		t.Errorf("with one rare term of twenty the first is %s", got)
	}
	if got := first(120); got != "chance" {
		t.Errorf("with all terms the first is %s", got)
	}
	if few, many := FullScore(20, 100), FullScore(20, 100_000); few >= many || FullScore(0, 100) != 0 || FullScore(20, 0) != 0 {
		t.Errorf("a full score is %v of few passages and %v of many", few, many)
	}
}

// TestWhatIsFarBelowKeepsItsOrder: below the place from which dense scores are stretched
// hits are in the order of the dense list, not of their names; and where the first hundred
// are alike, what is worse is behind them.
func TestWhatIsFarBelowKeepsItsOrder(t *testing.T) {
	far := make([]Scored, 300)
	for i := range far {
		far[i] = Scored{ID: fmt.Sprintf("%03d", len(far)-i), Score: 0.9 - float64(i)/1000}
	}
	alike := slices.Clone(far)
	for i := range FusionDepth {
		alike[i] = Scored{ID: fmt.Sprintf("a%03d", i), Score: 0.95}
	}
	for name, dense := range map[string][]Scored{"all differ": far, "the first are alike": alike} {
		fused := Fuse(dense, nil, 0.3, 0)
		for i, hit := range fused {
			if hit.ID != dense[i].ID {
				t.Fatalf("%s: place %d has %v, want %v", name, i, hit, dense[i])
			}
		}
		if last := fused[len(fused)-1]; last.Score != 0 {
			t.Errorf("%s: the last has %v", name, last)
		}
	}
}

// TestMix: another ranking counts by its weight, and changes no order where it is silent.
func TestMix(t *testing.T) {
	list := []Scored{{"a", 1}, {"b", 0.5}, {"c", 0.5}}
	for _, c := range []struct {
		name   string
		other  []Scored
		weight float64
		want   []Scored
	}{
		{"silent", nil, 0.1, []Scored{{"a", 0.9}, {"b", 0.45}, {"c", 0.45}}},
		{"it raises one, and brings one", []Scored{{"c", 8}, {"d", 4}}, 0.2, []Scored{{"a", 0.8}, {"c", 0.6}, {"b", 0.4}, {"d", 0.1}}},
		{"one that stands twice", []Scored{{"b", 4}, {"b", 2}}, 0.5, []Scored{{"b", 0.75}, {"a", 0.5}, {"c", 0.25}}},
		{"all of the weight", []Scored{{"d", 1}}, 1, []Scored{{"d", 1}, {"a", 0}, {"b", 0}, {"c", 0}}},
	} {
		got := Mix(list, c.other, c.weight)
		if !slices.EqualFunc(got, c.want, func(a, b Scored) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-9 }) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
