package index

import (
	"iter"
	"slices"
)

// sparseRows is how many rows are added up at once: their sums fit into the fastest cache.
const sparseRows = 4096

// Sparse holds sparse vectors, each in a row: of every index the rows that have it, with their values, and of every row
// its indices. A question reads the lists of its own indices. It is not safe for concurrent use while a row is set or
// cleared.
type Sparse struct {
	lists map[uint32]*list
	rows  [][]uint32 // the indices of each row, ascending; nil where it has no vector
	count int        // of rows that have one
}

// list is the rows of one index, ascending, and the values there.
type list struct {
	rows   []int32
	values []float32
}

// NewSparse returns an empty index.
func NewSparse() *Sparse { return &Sparse{lists: map[uint32]*list{}} }

// Set puts a vector into a row, in place of the one that was there. Its indices are unique and ascending.
func (s *Sparse) Set(row int, indices []uint32, values []float32) {
	s.Clear(row)
	if missing := row + 1 - len(s.rows); missing > 0 {
		s.rows = append(s.rows, make([][]uint32, missing)...)
	}
	for i, index := range indices {
		l := s.lists[index]
		if l == nil {
			l = &list{}
			s.lists[index] = l
		}
		at := len(l.rows) // most rows are new ones
		if at > 0 && l.rows[at-1] > int32(row) {
			at, _ = slices.BinarySearch(l.rows, int32(row))
		}
		l.rows, l.values = slices.Insert(l.rows, at, int32(row)), slices.Insert(l.values, at, values[i])
	}
	s.rows[row] = append(make([]uint32, 0, len(indices)), indices...)
	s.count++
}

// Clear takes the vector out of a row, if it has one.
func (s *Sparse) Clear(row int) {
	if !s.Has(row) {
		return
	}
	for _, index := range s.rows[row] {
		l := s.lists[index]
		at, _ := slices.BinarySearch(l.rows, int32(row))
		l.rows, l.values = slices.Delete(l.rows, at, at+1), slices.Delete(l.values, at, at+1)
		if len(l.rows) == 0 {
			delete(s.lists, index)
		}
	}
	s.rows[row] = nil
	s.count--
}

// Has reports whether a row has a vector.
func (s *Sparse) Has(row int) bool { return row < len(s.rows) && s.rows[row] != nil }

// Vector returns a copy of the vector in a row, which must have one.
func (s *Sparse) Vector(row int) (indices []uint32, values []float32) {
	indices = slices.Clone(s.rows[row])
	values = make([]float32, len(indices))
	for i, index := range indices {
		l := s.lists[index]
		at, _ := slices.BinarySearch(l.rows, int32(row))
		values[i] = l.values[at]
	}
	return indices, values
}

// Len returns how many vectors there are.
func (s *Sparse) Len() int { return s.count }

// Frequency returns how many vectors have an index.
func (s *Sparse) Frequency(index uint32) int {
	if l := s.lists[index]; l != nil {
		return len(l.rows)
	}
	return 0
}

// part is what is left to read of the list of one of a question's indices.
type part struct {
	rows   []int32
	values []float32
	weight float32
}

// Dots yields blocks of rows, each with its first row: those are found that share an index with a question. A block is
// not to be kept. The sums are made in the order of the question's indices, so that they are the same every time.
func (s *Sparse) Dots(indices []uint32, values []float32) iter.Seq2[int, Block] {
	var parts []part
	for i, index := range indices {
		if l := s.lists[index]; l != nil {
			parts = append(parts, part{rows: l.rows, values: l.values, weight: values[i]})
		}
	}
	return func(yield func(int, Block) bool) {
		var (
			sums  [sparseRows]float32
			found [sparseRows]bool
		)
		parts := slices.Clone(parts) // they are read to their ends
		for first := 0; first < len(s.rows); first += sparseRows {
			clear(sums[:])
			clear(found[:])
			some := false
			for i := range parts {
				if parts[i].addTo(&sums, &found, first) {
					some = true
				}
			}
			if end := min(sparseRows, len(s.rows)-first); some && !yield(first, Block{Products: sums[:end], Found: found[:end]}) {
				return
			}
		}
	}
}

// addTo adds what a list has of a block of rows, and reports whether it has any. It begins where it ended in the block
// before.
func (p *part) addTo(sums *[sparseRows]float32, found *[sparseRows]bool, first int) bool {
	n := 0
	for ; n < len(p.rows) && n < len(p.values); n++ {
		at := int(p.rows[n]) - first
		if uint(at) >= sparseRows {
			break
		}
		found[at] = true
		sums[at] += float32(p.weight * p.values[n])
	}
	p.rows, p.values = p.rows[n:], p.values[n:]
	return n > 0
}
