package score_test

import (
	"math"
	"testing"

	"github.com/colophon-dev/colophon/devstack/qdrant/score"
)

func TestNormalizeIsIdempotent(t *testing.T) {
	vector := []float32{3, -4, 12, 0.1, 7}
	once := score.Normalize(vector)
	twice := score.Normalize(once)
	for i := range once {
		if once[i] != twice[i] {
			t.Errorf("component %d: %v, then %v", i, once[i], twice[i])
		}
	}
	if length := score.Dot(once, once); math.Abs(float64(length)-1) > 1e-6 {
		t.Errorf("length %v", length)
	}
	if zero := score.Normalize([]float32{0, 0}); zero[0] != 0 || zero[1] != 0 {
		t.Errorf("zero became %v", zero)
	}
}

func TestSparseDot(t *testing.T) {
	a := score.NewSparse([]uint32{9, 2, 5}, []float32{1, 2, 3})
	b := score.NewSparse([]uint32{5, 9, 100}, []float32{10, 20, 30})
	if sum, shares := a.Dot(b); sum != 50 || !shares {
		t.Errorf("product %v, %v", sum, shares)
	}
	if sum, shares := a.Dot(score.NewSparse([]uint32{1}, []float32{1})); sum != 0 || shares {
		t.Errorf("product of strangers %v, %v", sum, shares)
	}
}

func TestReciprocal(t *testing.T) {
	for rank, want := range []float32{0.5, 1.0 / 3, 0.25} {
		if got := score.Reciprocal(rank, 2, 1); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("rank %d: %v, want %v", rank, got, want)
		}
	}
}

func TestNormalizeByDistribution(t *testing.T) {
	for _, scores := range [][]float32{{7}, {2, 2, 2}} {
		for _, got := range score.NormalizeByDistribution(scores) {
			if got != 0.5 {
				t.Errorf("scores without spread become %v", got)
			}
		}
	}
	got := score.NormalizeByDistribution([]float32{3, 1})
	if math.Abs(float64(got[0]+got[1])-1) > 1e-6 || got[0] <= got[1] {
		t.Errorf("normalised to %v", got)
	}
}
