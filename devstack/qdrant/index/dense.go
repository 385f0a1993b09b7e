// Package index keeps the vectors of a collection so that a search reads no more of them than the question touches, and
// is exact all the same: dense vectors by component, sparse vectors by index. Who has vectors says in which row each
// lies; rows are numbered from 0, and those of points that are gone are given to others.
package index

import "iter"

// Block is what a question has in common with rows that follow each other.
type Block struct {
	Products []float32 // inner products with the vectors of the rows
	Found    []bool    // whether a row is found at all: the products of others say nothing
}

// blockRows is how many vectors lie in one block: their scores fit into the fastest cache.
const blockRows = 256

// Dense holds vectors of one length, each in a row. In a block of rows all first components lie side by side, then all
// second ones: a question whose vector has few components other than zero, such as that of a short text by feature
// hashing, reads only those. It is not safe for concurrent use while a row is set or cleared.
type Dense struct {
	size   int
	blocks [][]float32 // component × row; nil where no row has ever had a vector
	has    []bool      // by row
}

// NewDense returns an empty index of vectors of this length.
func NewDense(size int) *Dense { return &Dense{size: size} }

// Set copies a vector into a row, in place of the one that was there.
func (d *Dense) Set(row int, vector []float32) {
	if missing := row + 1 - len(d.has); missing > 0 {
		d.has = append(d.has, make([]bool, missing)...)
	}
	for len(d.blocks) <= row/blockRows {
		d.blocks = append(d.blocks, nil)
	}
	block, at := d.blocks[row/blockRows], row%blockRows
	if block == nil {
		block = make([]float32, d.size*blockRows)
		d.blocks[row/blockRows] = block
	}
	for i, value := range vector {
		block[i*blockRows+at] = value
	}
	d.has[row] = true
}

// Clear takes the vector out of a row, if it has one.
func (d *Dense) Clear(row int) {
	if d.Has(row) {
		d.has[row] = false
	}
}

// Has reports whether a row has a vector.
func (d *Dense) Has(row int) bool { return row < len(d.has) && d.has[row] }

// Vector returns a copy of the vector in a row, which must have one.
func (d *Dense) Vector(row int) []float32 {
	vector := make([]float32, d.size)
	block, at := d.blocks[row/blockRows], row%blockRows
	for i := range vector {
		vector[i] = block[i*blockRows+at]
	}
	return vector
}

// term is a component of a question.
type term struct {
	at    int // where its column begins in a block
	value float32
}

// Dots yields blocks of rows, each with its first row: all that have a vector are found. A block is not to be kept;
// its products may be written over. The sums are made in the order of the components, so that they are the same every time.
func (d *Dense) Dots(question []float32) iter.Seq2[int, Block] {
	var terms []term
	for i, value := range question {
		if value != 0 {
			terms = append(terms, term{i * blockRows, value})
		}
	}
	return func(yield func(int, Block) bool) {
		var sums [blockRows]float32
		for b, block := range d.blocks {
			if block == nil {
				continue
			}
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
			first := b * blockRows
			end := min(blockRows, len(d.has)-first)
			if !yield(first, Block{Products: sums[:end], Found: d.has[first : first+end]}) {
				return
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
