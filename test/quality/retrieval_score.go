package quality

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// deepest is how many documents of a ranking count.
const deepest = 10

// gain is nDCG at ten and recall at ten of a ranking of documents, each of which answers or
// does not.
func gain(ranking []string, answers map[string]bool) (ndcg, recall float64) {
	var got, ideal float64
	found := 0
	for i := range deepest {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(ranking) && answers[ranking[i]] {
			got += discount
			found++
		}
		if i < len(answers) {
			ideal += discount
		}
	}
	return got / ideal, float64(found) / float64(len(answers))
}

// best25 is plain BM25 over whole words in lower case, k1 1.2 and b .75: what every search
// engine has. It is written down here so that what stands beside our figures is not ours.
type best25 struct {
	documents []string // of each passage
	inverted  map[string][]inPassage
}

// inPassage is how much a word counts in a passage.
type inPassage struct {
	passage int
	weight  float64
}

// found25 is a word: a run of letters, digits and underscores.
var found25 = regexp.MustCompile(`[\p{L}\p{N}_]+`)

func words25(text string) []string { return found25.FindAllString(strings.ToLower(text), -1) }

// newBest25 indexes passages, whose documents are named beside them.
func newBest25(passages, documents []string) *best25 {
	const k1, b = 1.2, 0.75
	x := &best25{documents: documents, inverted: make(map[string][]inPassage)}
	counts, lengths, all := make([]map[string]int, len(passages)), make([]float64, len(passages)), 0.0
	for i, passage := range passages {
		counts[i] = make(map[string]int)
		for _, word := range words25(passage) {
			counts[i][word]++
			lengths[i]++
		}
		all += lengths[i]
	}
	average := all / float64(max(1, len(passages)))
	for i := range passages {
		norm := k1 * (1 - b + b*lengths[i]/average)
		for word, n := range counts[i] {
			x.inverted[word] = append(x.inverted[word], inPassage{i, float64(n) * (k1 + 1) / (float64(n) + norm)})
		}
	}
	return x
}

// ranking returns the first ten documents for a question, each by its best passage; equal
// ones in the order of the passages.
func (x *best25) ranking(question string) []string {
	scores := make([]float64, len(x.documents))
	asked := make(map[string]bool)
	for _, word := range words25(question) {
		if asked[word] {
			continue
		}
		asked[word] = true
		list := x.inverted[word]
		idf := math.Log(1 + (float64(len(x.documents)-len(list))+.5)/(float64(len(list))+.5))
		for _, p := range list {
			scores[p.passage] += idf * p.weight
		}
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var list []string
	for _, i := range order {
		if len(list) == deepest || scores[i] == 0 {
			break
		}
		if !slices.Contains(list, x.documents[i]) {
			list = append(list, x.documents[i])
		}
	}
	return list
}
