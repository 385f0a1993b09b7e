package retrieval

import (
	"iter"
	"maps"
	"slices"
)

const (
	// bm25K1 and bm25B are BM25's usual constants.
	bm25K1 = 1.2
	bm25B  = 0.75

	// averageTerms stands for the average number of terms of a passage, that of
	// a chunk of about 250 words. It is fixed, for the true average would make a
	// vector depend on what else was captured; half or twice as much moves
	// nDCG@10 by less than 0.005.
	averageTerms = 500
)

// prefixLengths are the lengths, in code points, of the prefixes that stand
// for the forms of a word. They do as well as stemming and need no language;
// as 4-grams, and take half the postings.
var prefixLengths = [...]int{4, 6}

// Sparse returns the sparse vector of a passage: for each of its terms the part
// of BM25 that depends on the passage alone (k1 1.2, b 0.75, a fixed average
// length). The part that depends on all passages, ln(1+(N-df+0.5)/(df+0.5)),
// is the store's IDF modifier. The product with SparseQuery's vector is BM25.
//
// A word gives the term "<word>", and when it is longer than four or six code
// points also its first four or six, "<word" without an end. A term's index is
// its FNV-1a of 32 bits; terms of one index are one term. indices ascend and
// are unique; values[i] belongs to indices[i]. Text without words gives empty
// slices.
func Sparse(text string) (indices []uint32, values []float32) {
	frequencies := make(map[uint32]int)
	length := 0
	for term := range terms(text) {
		frequencies[fnv32a(term)]++
		length++
	}
	norm := 1 - bm25B + float64(bm25B*float64(length))/averageTerms
	indices = slices.Sorted(maps.Keys(frequencies))
	values = make([]float32, len(indices))
	for i, index := range indices {
		tf := float64(frequencies[index])
		values[i] = float32(float64(tf*(bm25K1+1)) / (tf + float64(bm25K1*norm)))
	}
	return indices, values
}

// SparseQuery returns the sparse vector of a question: 1 for each of its
// terms, however often it stands there. It is shaped as that of Sparse.
func SparseQuery(text string) (indices []uint32, values []float32) {
	for term := range terms(text) {
		indices = append(indices, fnv32a(term))
	}
	slices.Sort(indices)
	indices = slices.Compact(indices)
	values = make([]float32, len(indices))
	for i := range values {
		values[i] = 1
	}
	return indices, values
}

// terms yields the terms of text, word by word.
func terms(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range markedWords(text) {
			if !yield(word) {
				return
			}
			for _, length := range prefixLengths {
				prefix := firstRunes(word, length+1)
				if len(word)-len(prefix) > len(">") && !yield(prefix) {
					return
				}
			}
		}
	}
}

// firstRunes returns the first n code points of s, or all of it.
func firstRunes(s string, n int) string {
	end := 0
	for range n {
		if end == len(s) {
			break
		}
		end += runeLength(s[end:])
	}
	return s[:end]
}
