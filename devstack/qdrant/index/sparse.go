package index

import "slices"

// Sparse holds sparse vectors, each in a row: of every index the rows that have it. A question reads the lists of its
// own indices. It is not safe for concurrent use while a row is added or removed.
type Sparse struct {
	lists map[uint32]*list
	rows  int // in use or not
	free  []int
}

// list is the rows of one index, ascending, and the values there.
type list struct {
	rows   []int32
	values []float32
}

// NewSparse returns an empty index.
func NewSparse() *Sparse { return &Sparse{lists: map[uint32]*list{}} }

// Add takes a vector, whose indices are unique, and returns its row.
func (s *Sparse) Add(indices []uint32, values []float32) (row int) {
	if n := len(s.free); n > 0 {
		row, s.free = s.free[n-1], s.free[:n-1]
	} else {
		row = s.rows
		s.rows++
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
	return row
}

// Remove takes the vector in a row out, whose indices these are. Another vector may take the row.
func (s *Sparse) Remove(row int, indices []uint32) {
	for _, index := range indices {
		l := s.lists[index]
		at, _ := slices.BinarySearch(l.rows, int32(row))
		l.rows, l.values = slices.Delete(l.rows, at, at+1), slices.Delete(l.values, at, at+1)
		if len(l.rows) == 0 {
			delete(s.lists, index)
		}
	}
	s.free = append(s.free, row)
}

// Rows returns how many rows there are, in use or not.
func (s *Sparse) Rows() int { return s.rows }

// Len returns how many vectors there are.
func (s *Sparse) Len() int { return s.rows - len(s.free) }

// Frequency returns how many vectors have an index.
func (s *Sparse) Frequency(index uint32) int {
	if l := s.lists[index]; l != nil {
		return len(l.rows)
	}
	return 0
}

// Dots yields each row that shares an index with a question, with the inner product of both, in the order in which the
// question's indices find them. The sums are made in the order of the question's indices.
func (s *Sparse) Dots(indices []uint32, values []float32) func(yield func(row int, product float32) bool) {
	return func(yield func(row int, product float32) bool) {
		sums, shares := make([]float32, s.rows), make([]bool, s.rows)
		var found []int32
		for i, index := range indices {
			l := s.lists[index]
			if l == nil {
				continue
			}
			for n, row := range l.rows {
				if !shares[row] {
					shares[row] = true
					found = append(found, row)
				}
				sums[row] += float32(values[i] * l.values[n])
			}
		}
		for _, row := range found {
			if !yield(int(row), sums[row]) {
				return
			}
		}
	}
}
