package quality

import (
	"math/bits"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// PRF is precision, recall and their harmonic mean, each 0..1.
type PRF struct{ Precision, Recall, F1 float64 }

// newPRF counts: right of truth wanted and right of out found.
func newPRF(right, truth, out int) PRF {
	p, r := float64(right)/float64(max(1, out)), float64(right)/float64(max(1, truth))
	if p+r == 0 {
		return PRF{}
	}
	return PRF{p, r, 2 * p * r / (p + r)}
}

// Canon is the form in which texts are compared: NFKC, no soft hyphens, one
// kind of apostrophe, quotation mark and dash, runs of white space as one
// space, none at the ends.
func Canon(s string) string {
	s = norm.NFKC.String(s)
	s = strings.NewReplacer("\u00ad", "", "’", "'", "‘", "'", "“", `"`, "”", `"`,
		"‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// Words returns the runs of letters, digits and underscores of the canonical
// text in lower case. Combining marks that NFKC leaves alone divide words.
func Words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(Canon(s)), func(r rune) bool { return r != '_' && !alphanumeric(r) })
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// TokenScore compares the words as multisets: their order does not count.
func TokenScore(truth, out string) PRF {
	return multisets(Words(truth), Words(out))
}

// ShingleScore compares the runs of four words as multisets. A text of fewer
// words is one run.
func ShingleScore(truth, out string) PRF {
	return multisets(shingles(Words(truth)), shingles(Words(out)))
}

func shingles(words []string) []string {
	const n = 4
	runs := make([]string, max(1, len(words)-n+1))
	for i := range runs {
		runs[i] = strings.Join(words[i:min(i+n, len(words))], " ")
	}
	return runs
}

func multisets[T comparable](truth, out []T) PRF {
	return newPRF(common(countOf(truth), countOf(out)), len(truth), len(out))
}

func countOf[T comparable](all []T) map[T]int {
	n := make(map[T]int, len(all))
	for _, x := range all {
		n[x]++
	}
	return n
}

// common is the size of the intersection of two multisets.
func common[T comparable](a, b map[T]int) int {
	n := 0
	for x, k := range a {
		n += min(k, b[x])
	}
	return n
}

// OrderScore is the likeness of two texts as sequences of words, 0..1: one
// minus the insertions and deletions that turn one into the other, divided by
// both lengths. It falls when blocks are read in another order.
func OrderScore(truth, out string) float64 {
	a, b := Words(truth), Words(out)
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(2*longestCommon(a, b)) / float64(len(a)+len(b))
}

// longestCommon is the length of the longest common subsequence, found with a
// row of the table as bits (Hyyrö 2004): a book against a book is a second.
func longestCommon(a, b []string) int {
	size := (len(a) + 63) / 64
	masks := make(map[string][]uint64)
	for i, w := range a {
		if masks[w] == nil {
			masks[w] = make([]uint64, size)
		}
		masks[w][i/64] |= 1 << (i % 64)
	}
	row := make([]uint64, size)
	for i := range row {
		row[i] = ^uint64(0)
	}
	for _, w := range b {
		mask := masks[w]
		if mask == nil {
			continue
		}
		var carry uint64
		for i, v := range row {
			var sum uint64
			sum, carry = bits.Add64(v, v&mask[i], carry)
			row[i] = sum | v&^mask[i]
		}
	}
	n := 0
	for _, v := range row { // bits beyond len(a) stay ones
		n += bits.OnesCount64(^v)
	}
	return n
}

// CharacterErrors is the edit distance of the canonical texts per character of
// the truth: 0 is right, and it can pass 1.
func CharacterErrors(truth, out string) float64 {
	a, b := []rune(Canon(truth)), []rune(Canon(out))
	return float64(editDistance(a, b)) / float64(max(1, len(a)))
}

// editDistance is Levenshtein's.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
