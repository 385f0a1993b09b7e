// Package score holds the numbers of a vector search: distances, sparse products, inverse document frequency and the
// fusion of several result lists, as the Qdrant server defines them.
package score

import (
	"fmt"
	"math"
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
)

// normalTolerance is how far a squared length may be from 1 before a vector is normalised; one that was normalised and
// stored comes out unchanged.
const normalTolerance = 1e-6

// Normalize returns the vector at length 1, as cosine vectors are stored. A zero vector stays as it is.
func Normalize(vector []float32) []float32 {
	length := Dot(vector, vector)
	if length < math.SmallestNonzeroFloat32 || math.Abs(float64(length)-1) <= normalTolerance {
		return vector
	}
	scale := float32(math.Sqrt(float64(length)))
	normal := make([]float32, len(vector))
	for i, value := range vector {
		normal[i] = value / scale
	}
	return normal
}

// Dot is the inner product of two vectors of equal length.
func Dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float32(a[0] * b[0])
		s1 += float32(a[1] * b[1])
		s2 += float32(a[2] * b[2])
		s3 += float32(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		s0 += float32(a[i] * b[i])
	}
	return s0 + s1 + s2 + s3
}

func euclid(a, b []float32) float32 {
	var sum float32
	for i, value := range a {
		d := value - b[i]
		sum += float32(d * d)
	}
	return float32(math.Sqrt(float64(sum)))
}

func manhattan(a, b []float32) float32 {
	var sum float32
	for i, value := range a {
		sum += float32(math.Abs(float64(value - b[i])))
	}
	return sum
}

// Metric is how two dense vectors are compared, and which scores are the better ones.
type Metric struct {
	Score    func(a, b []float32) float32
	Smaller  bool // smaller scores are better: the score is a distance
	Product  bool // the score is the inner product
	Prepares bool // vectors are normalised before they are stored and asked with
}

// MetricOf returns the metric of a distance.
func MetricOf(distance pb.Distance) (Metric, error) {
	switch distance {
	case pb.Distance_Cosine:
		return Metric{Score: Dot, Product: true, Prepares: true}, nil
	case pb.Distance_Dot:
		return Metric{Score: Dot, Product: true}, nil
	case pb.Distance_Euclid:
		return Metric{Score: euclid, Smaller: true}, nil
	case pb.Distance_Manhattan:
		return Metric{Score: manhattan, Smaller: true}, nil
	default:
		return Metric{}, fmt.Errorf("unknown distance %v", distance)
	}
}

// Sparse is a sparse vector with ascending indices.
type Sparse struct {
	Indices []uint32
	Values  []float32
}

// NewSparse sorts the entries by index. Indices and values must be of equal length and indices unique.
func NewSparse(indices []uint32, values []float32) Sparse {
	order := make([]int, len(indices))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(int64(indices[a]) - int64(indices[b])) })
	sorted := Sparse{Indices: make([]uint32, len(indices)), Values: make([]float32, len(indices))}
	for to, from := range order {
		sorted.Indices[to], sorted.Values[to] = indices[from], values[from]
	}
	return sorted
}

// Dot is the inner product of a query with a stored vector, and whether they share an index at all: without one the
// point is no result.
func (s Sparse) Dot(stored Sparse) (float32, bool) {
	var sum float32
	shares := false
	rest := stored
	for i, index := range s.Indices {
		at, found := slices.BinarySearch(rest.Indices, index)
		if found {
			sum += float32(s.Values[i] * rest.Values[at])
			shares = true
		}
		rest = Sparse{Indices: rest.Indices[at:], Values: rest.Values[at:]}
	}
	return sum, shares
}

// weighTerm is the inverse document frequency of an index that frequency of total vectors have.
func weighTerm(total, frequency int) float32 {
	n, df := float64(total), float64(frequency)
	return float32(math.Log((n-df+0.5)/(df+0.5) + 1))
}

// Weigh multiplies each value by its index's inverse document frequency: frequency says how many of total vectors have
// an index.
func (s Sparse) Weigh(total int, frequency func(index uint32) int) Sparse {
	weighed := Sparse{Indices: s.Indices, Values: make([]float32, len(s.Values))}
	for i, index := range s.Indices {
		weighed.Values[i] = s.Values[i] * weighTerm(total, frequency(index))
	}
	return weighed
}

// Reciprocal is the score that a result at a rank (from 0) brings into a reciprocal rank fusion.
func Reciprocal(rank int, k uint32, weight float32) float32 {
	return 1 / (float32(rank+1)/weight + float32(k) - 1)
}

// lonely is the normalised score where a list has no spread.
const lonely = 0.5

// spread is how many standard deviations around the mean are mapped to 0..1.
const spread = 3

// NormalizeByDistribution maps the scores of one list so that mean - 3 and mean + 3 sample standard deviations become
// 0 and 1 (distribution-based score fusion).
func NormalizeByDistribution(scores []float32) []float32 {
	normal := make([]float32, len(scores))
	mean, deviation := meanAndDeviation(scores)
	for i, score := range scores {
		if deviation == 0 {
			normal[i] = lonely
			continue
		}
		low := mean - float64(spread*deviation)
		normal[i] = float32((float64(score) - low) / (2 * spread * deviation))
	}
	return normal
}

func meanAndDeviation(scores []float32) (mean, deviation float64) {
	if len(scores) < 2 {
		return 0, 0
	}
	for _, score := range scores {
		mean += float64(score)
	}
	mean /= float64(len(scores))
	var squares float64
	for _, score := range scores {
		d := float64(score) - mean
		squares += float64(d * d)
	}
	return mean, math.Sqrt(squares / float64(len(scores)-1))
}
