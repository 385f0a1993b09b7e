package consolidate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// manySentences are hits whose sentences have some words in common, out of so many words.
func manySentences(items, vocabulary int) search.Answer {
	random := rand.New(rand.NewPCG(1, 2))
	found := search.Answer{Query: "q"}
	for i := range items {
		var b strings.Builder
		for range mostOfItem {
			for range 12 {
				fmt.Fprintf(&b, "wo%crd%c ", 'a'+rune(random.IntN(vocabulary)%26), 'a'+rune(random.IntN(vocabulary)/26))
			}
			fmt.Fprintf(&b, "%d.\n", random.IntN(3))
		}
		found.Hits = append(found.Hits, hit(fmt.Sprintf("%d:0", i), "fact", "confirmed", fmt.Sprintf("2024-01-%02d", i%28+1), b.String(), 0.5))
	}
	return found
}

// comparedWhole reports whether two sentences are about the same, by all of their words.
func comparedWhole(x, y sentence) bool {
	both := len(shared(x, y))
	return both >= leastShared && float64(both) >= leastOverlap*float64(len(distinct(x.words))+len(distinct(y.words))-both)
}

// TestTheSamePairsAreFoundAsByComparingAll: the index leaves out none.
func TestTheSamePairsAreFoundAsByComparingAll(t *testing.T) {
	for _, vocabulary := range []int{5, 12, 20, 60} {
		a := consolidated(t, manySentences(12, vocabulary), LeastBudget)
		items, k := a.Items(), newKnown()
		var all [][]sentence
		for _, item := range items {
			of := sentencesOf(item.Content)
			for i := range of {
				of[i].set = k.number(of[i].words)
			}
			all = append(all, of)
		}
		var want []string
		for j := range items {
			for i := range j {
				var pairs [][2]int
				for x := range all[i] {
					for y := range all[j] {
						if comparedWhole(all[i][x], all[j][y]) {
							pairs = append(pairs, [2]int{x, y})
						}
					}
				}
				if c, ok := contradict(items[i], items[j], all[i], all[j], pairs); ok {
					want = append(want, fmt.Sprint(c))
				}
			}
		}
		for _, c := range a.Contradictions {
			if !slices.Contains(want, fmt.Sprint(c)) {
				t.Errorf("of %d words: %+v is not found by comparing all", vocabulary, c)
			}
		}
		if vocabulary == 5 && len(want) == 0 {
			t.Error("of few words none contradict each other")
		}
		if len(a.Contradictions) != min(mostPairs, len(want)) {
			t.Errorf("of %d words: %d contradictions, %d by comparing all", vocabulary, len(a.Contradictions), len(want))
		}
	}
}

// TestWhoHasGoneIsNotComparedFor: the work ends with the request.
func TestWhoHasGoneIsNotComparedFor(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := Of(gone, of(), DefaultBudget); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// BenchmarkOf has as many hits as a question may have, each with more sentences than are
// compared: of words as documents have them, and of few words, which all share.
func BenchmarkOf(b *testing.B) {
	for _, vocabulary := range []int{676, 60, 12} {
		b.Run(fmt.Sprint(vocabulary), func(b *testing.B) {
			found := manySentences(100, vocabulary)
			for b.Loop() {
				consolidated(b, found, DefaultBudget)
			}
		})
	}
}

// TestComparingTakesTheOrderOfItsSentences: the sentences of a full answer are not taken
// apart again for each pair of them.
func TestComparingTakesTheOrderOfItsSentences(t *testing.T) {
	found := manySentences(100, 676)
	sentences := float64(len(found.Hits) * mostOfItem)
	if n := testing.AllocsPerRun(1, func() { consolidated(t, found, DefaultBudget) }); n > 100*sentences {
		t.Errorf("%.0f allocations for %.0f sentences", n, sentences)
	}
}
