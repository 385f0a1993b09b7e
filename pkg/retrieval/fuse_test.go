package retrieval

import (
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
			got := Fuse(test.dense, test.sparse, test.weight)
			same := slices.EqualFunc(got, test.want, func(a, b Scored) bool {
				return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-9
			})
			if !same {
				t.Errorf("Fuse = %v, want %v", got, test.want)
			}
		})
	}
}
