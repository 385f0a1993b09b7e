package questions

import (
	"cmp"
	"math"
	"slices"
)

const (
	// bm25K1 and bm25B are BM25's usual constants.
	bm25K1 = 1.2
	bm25B  = 0.75
)

// Index finds passages by the letters of their words alone: BM25 over whole words in
// lower case, with no stems, no parts of words and no lists of stop words. It shows what
// letters find, and is no part of the program.
type Index struct {
	passages []string
	counts   []map[string]int
	lengths  []int
	holding  map[string]int
	average  float64
}

// NewIndex indexes passages.
func NewIndex(passages []string) *Index {
	x := &Index{passages: passages, holding: make(map[string]int)}
	total := 0
	for _, passage := range passages {
		words := Words(passage)
		counts := make(map[string]int)
		for _, word := range words {
			counts[word]++
		}
		for word := range counts {
			x.holding[word]++
		}
		x.counts, x.lengths = append(x.counts, counts), append(x.lengths, len(words))
		total += len(words)
	}
	x.average = float64(total) / float64(max(len(passages), 1))
	return x
}

// First returns the n best passages for a question, best first; of equal ones that which
// was given first.
func (x *Index) First(question string, n int) []string {
	scores := make([]float64, len(x.passages))
	order := make([]int, len(x.passages))
	words := slices.Compact(slices.Sorted(slices.Values(Words(question))))
	for i := range x.passages {
		order[i] = i
		for _, word := range words {
			scores[i] += x.score(i, word)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var first []string
	for _, i := range order[:min(n, len(order))] {
		first = append(first, x.passages[i])
	}
	return first
}

func (x *Index) score(passage int, word string) float64 {
	n, df := float64(len(x.passages)), float64(x.holding[word])
	tf := float64(x.counts[passage][word])
	norm := 1 - bm25B + bm25B*float64(x.lengths[passage])/x.average
	return math.Log(1+(n-df+0.5)/(df+0.5)) * tf * (bm25K1 + 1) / (tf + bm25K1*norm)
}
