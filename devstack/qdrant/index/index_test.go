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

// rows gives rows away, and takes them back.
type rows struct {
	next int
	free []int
}

func (r *rows) take(random *rand.Rand) int {
	if n := len(r.free); n > 0 && random.IntN(2) == 0 {
		row := r.free[n-1]
		r.free = r.free[:n-1]
		return row
	}
	r.next += 1 + random.IntN(3) // some rows are never used here
	return r.next
}

// anyOf returns some row that is in use.
func anyOf[V any](known map[int]V) int {
	for row := range known {
		return row
	}
	return -1
}

// TestDenseAgainstProducts sets and clears vectors over some blocks, some rows twice, and compares every product with
// the plain one.
func TestDenseAgainstProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 3, 8, 33} {
		d, known, all := index.NewDense(size), map[int][]float32{}, rows{next: blocksSkipped}
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
			row := anyOf(known)
			switch step % 5 {
			case 2:
				d.Clear(row)
				d.Clear(row)
				delete(known, row)
				all.free = append(all.free, row)
				continue
			case 1, 3, 4:
				row = all.take(random)
			}
			if row < 0 {
				continue
			}
			known[row] = vector(1)
			d.Set(row, known[row])
		}
		for row := range all.next + 10 {
			if _, ok := known[row]; d.Has(row) != ok {
				t.Fatalf("row %d of %d components: it has a vector: %t", row, size, d.Has(row))
			}
		}
		for row, v := range known {
			if !slices.Equal(d.Vector(row), v) {
				t.Fatalf("row %d of %d components came back as another", row, size)
			}
		}
		for zeros := range 11 {
			question, seen := vector(zeros), 0
			for first, block := range d.Dots(question) {
				for i, product := range block.Products {
					v, ok := known[first+i]
					if block.Found[i] != ok {
						t.Fatalf("row %d is found: %t", first+i, block.Found[i])
					}
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
			}
			if seen != len(known) {
				t.Fatalf("%d of %d vectors were compared", seen, len(known))
			}
		}
	}
}

// blocksSkipped is a first row before which whole blocks have no vector.
const blocksSkipped = 1000

// TestSparseAgainstProducts does the same with sparse vectors, over some blocks, and counts frequencies.
func TestSparseAgainstProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s, known, all := index.NewSparse(), map[int]map[uint32]float32{}, rows{next: 9 * blocksSkipped}
	for step := range 6000 {
		row := anyOf(known)
		switch step % 5 {
		case 2:
			s.Clear(row)
			s.Clear(row)
			delete(known, row)
			all.free = append(all.free, row)
			continue
		case 1, 3, 4:
			row = all.take(random)
		}
		if row < 0 {
			continue
		}
		var indices []uint32
		var values []float32
		indices, values, known[row] = sparseVector(random)
		s.Set(row, indices, values)
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
	for row := range all.next + 10 {
		v, ok := known[row]
		if s.Has(row) != ok {
			t.Fatalf("row %d: it has a vector: %t", row, s.Has(row))
		}
		if !ok {
			continue
		}
		got := map[uint32]float32{}
		indices, values := s.Vector(row)
		for i, index := range indices {
			got[index] = values[i]
		}
		if !maps.Equal(got, v) || !slices.IsSorted(indices) {
			t.Fatalf("row %d came back as another", row)
		}
	}
	for range 50 {
		wantProducts(t, s, known, random)
	}
}

// sparseVector makes a vector of a few indices, or of none.
func sparseVector(random *rand.Rand) (indices []uint32, values []float32, all map[uint32]float32) {
	all = map[uint32]float32{}
	for range random.IntN(8) {
		all[random.Uint32N(40)] = random.Float32() - 0.3
	}
	for _, i := range slices.Sorted(maps.Keys(all)) {
		indices, values = append(indices, i), append(values, all[i])
	}
	return indices, values, all
}

// wantProducts asks a question: what shares an index with it is found, with its product, and nothing else.
func wantProducts(t *testing.T, s *index.Sparse, known map[int]map[uint32]float32, random *rand.Rand) {
	t.Helper()
	indices, values, all := sparseVector(random)
	found := map[int]float32{}
	for first, block := range s.Dots(indices, values) {
		for i, product := range block.Products {
			if block.Found[i] {
				found[first+i] = product
			}
		}
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
