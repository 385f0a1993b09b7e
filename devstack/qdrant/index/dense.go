// Package index keeps the vectors of a collection so that a search reads no more of them than the question touches, and
// is exact all the same: dense vectors by component, sparse vectors by index.
package index

// blockRows is how many vectors lie in one block: their scores fit into the fastest cache.
const blockRows = 256

// Dense holds vectors of one length, each in a row. In a block of rows all first components lie side by side, then all
// second ones: a question whose vector has few components other than zero, such as that of a short text by feature
// hashing, reads only those. It is not safe for concurrent use while a row is added or removed.
type Dense struct {
	size   int
	blocks [][]float32 // component × row
	rows   int         // of all blocks, in use or not
	free   []int
}

// NewDense returns an empty index of vectors of this length.
func NewDense(size int) *Dense { return &Dense{size: size} }

// Add copies a vector and returns its row, the lowest that has become free.
func (d *Dense) Add(vector []float32) (row int) {
	if n := len(d.free); n > 0 {
		row, d.free = d.free[n-1], d.free[:n-1]
	} else {
		row = d.rows
		d.rows++
		if row%blockRows == 0 {
			d.blocks = append(d.blocks, make([]float32, d.size*blockRows))
		}
	}
	block, at := d.blocks[row/blockRows], row%blockRows
	for i, value := range vector {
		block[i*blockRows+at] = value
	}
	return row
}

// Remove frees a row, which another vector may take. What is read of it until then is of no meaning.
func (d *Dense) Remove(row int) { d.free = append(d.free, row) }

// Vector returns a copy of the vector in a row.
func (d *Dense) Vector(row int) []float32 {
	vector := make([]float32, d.size)
	block, at := d.blocks[row/blockRows], row%blockRows
	for i := range vector {
		vector[i] = block[i*blockRows+at]
	}
	return vector
}

// Rows returns how many rows there are, in use or not.
func (d *Dense) Rows() int { return d.rows }

// term is a component of a question.
type term struct {
	at    int // where its column begins in a block
	value float32
}

// Dots yields each row with the inner product of its vector and a question's, in the order of the rows. Rows that are
// free are among them. The sums are made in the order of the components, so that they are the same every time.
func (d *Dense) Dots(question []float32) func(yield func(row int, product float32) bool) {
	var terms []term
	for i, value := range question {
		if value != 0 {
			terms = append(terms, term{i * blockRows, value})
		}
	}
	return func(yield func(row int, product float32) bool) {
		var sums [blockRows]float32
		for b, block := range d.blocks {
			clear(sums[:])
			rest := terms
			for ; len(rest) >= 4; rest = rest[4:] {
				addColumns(&sums, block, (*[4]term)(rest))
			}
			for _, t := range rest {
				column := (*[blockRows]float32)(block[t.at:])
				for i, value := range column {
					sums[i] += float32(t.value * value)
				}
			}
			for i := range min(blockRows, d.rows-b*blockRows) {
				if !yield(b*blockRows+i, sums[i]) {
					return
				}
			}
		}
	}
}

// addColumns adds four columns at once, so that each sum is read and written a quarter as often. The conversions keep
// the compiler from fusing a product with its sum, which other machines would do and round otherwise.
func addColumns(sums *[blockRows]float32, block []float32, terms *[4]term) {
	c0, c1 := (*[blockRows]float32)(block[terms[0].at:]), (*[blockRows]float32)(block[terms[1].at:])
	c2, c3 := (*[blockRows]float32)(block[terms[2].at:]), (*[blockRows]float32)(block[terms[3].at:])
	v0, v1, v2, v3 := terms[0].value, terms[1].value, terms[2].value, terms[3].value
	for i := range sums {
		sums[i] = sums[i] + float32(v0*c0[i]) + float32(v1*c1[i]) + float32(v2*c2[i]) + float32(v3*c3[i])
	}
}
