package index_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/devstack/qdrant/index"
)

func near(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-4*max(1, math.Abs(float64(a))) }

// TestDenseAgainstProducts adds and removes vectors over some blocks, and compares every product with the plain one.
func TestDenseAgainstProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 3, 8, 33} {
		d, known := index.NewDense(size), map[int][]float32{}
		vector := func(zeros int) []float32 {
			v := make([]float32, size)
			for i := range v {
				if random.IntN(10) >= zeros {
					v[i] = float32(random.NormFloat64())
				}
			}
			return v
		}
		for step := range 900 {
			if step%3 == 2 {
				for row := range known { // any
					d.Remove(row)
					delete(known, row)
					break
				}
				continue
			}
			v := vector(1)
			row := d.Add(v)
			if _, taken := known[row]; taken {
				t.Fatalf("row %d was given away twice", row)
			}
			known[row] = v
		}
		for row, v := range known {
			if !slices.Equal(d.Vector(row), v) {
				t.Fatalf("row %d of %d components came back as another", row, size)
			}
		}
		for zeros := range 11 {
			question, seen := vector(zeros), 0
			for row, product := range d.Dots(question) {
				v, ok := known[row]
				if !ok {
					continue
				}
				seen++
				var want float32
				for i := range v {
					want += v[i] * question[i]
				}
				if !near(want, product) {
					t.Fatalf("product %v, want %v", product, want)
				}
			}
			if seen != len(known) {
				t.Fatalf("%d of %d vectors were compared", seen, len(known))
			}
		}
	}
}

// TestSparseAgainstProducts does the same with sparse vectors, and counts frequencies.
func TestSparseAgainstProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s, known := index.NewSparse(), map[int]map[uint32]float32{}
	vector := func() (indices []uint32, values []float32, all map[uint32]float32) {
		all = map[uint32]float32{}
		for range random.IntN(8) {
			all[random.Uint32N(40)] = random.Float32() + 0.1
		}
		for _, i := range slices.Sorted(maps.Keys(all)) {
			indices, values = append(indices, i), append(values, all[i])
		}
		return indices, values, all
	}
	for step := range 2000 {
		if step%5 > 2 {
			for row, v := range known { // any
				s.Remove(row, slices.Collect(maps.Keys(v)))
				delete(known, row)
				break
			}
			continue
		}
		indices, values, all := vector()
		row := s.Add(indices, values)
		if _, taken := known[row]; taken {
			t.Fatalf("row %d was given away twice", row)
		}
		known[row] = all
	}
	for i := range uint32(41) {
		want := 0
		for _, v := range known {
			if _, has := v[i]; has {
				want++
			}
		}
		if got := s.Frequency(i); got != want {
			t.Errorf("%d vectors have index %d, want %d", got, i, want)
		}
	}
	if s.Len() != len(known) {
		t.Errorf("%d vectors, want %d", s.Len(), len(known))
	}
	for range 50 {
		indices, values, all := vector()
		found := map[int]float32{}
		for row, product := range s.Dots(indices, values) {
			found[row] = product
		}
		for row, v := range known {
			var want float32
			shares := false
			for i, value := range v {
				if q, ok := all[i]; ok {
					want, shares = want+q*value, true
				}
			}
			got, ok := found[row]
			if ok != shares || !near(got, want) {
				t.Fatalf("row %d: %v %v, want %v %v", row, got, ok, want, shares)
			}
			delete(found, row)
		}
		if len(found) != 0 {
			t.Fatalf("found rows that are free: %v", found)
		}
	}
}
