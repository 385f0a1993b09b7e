package language

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestForm: costs that are added four at once come to what they are one by one,
// whatever the length of a word.
func TestForm(t *testing.T) {
	for kind, m := range builtin().families {
		for _, word := range []string{"", "a", "palavra", "слово", "zzqxj", strings.Repeat("xq", maxAdded), strings.Repeat("ß", 3*maxAdded), strings.Repeat("ж", 500)} {
			var got, want [width]int32
			m.form([]byte(word), &got)
			eachGram(word, func(g gram) {
				cost := m.cost(g)
				for k := range want {
					want[k] -= int32(cost[k/4] >> (k % 4 * 16) & 0xFFFF)
				}
			})
			if got != want {
				t.Errorf("script %d, %.10s of %d letters: %v, one by one %v", kind, word, utf8.RuneCountInString(word), got, want)
			}
		}
	}
	if least := -int(logOf(0)); least*maxAdded > 1<<16-1 {
		t.Errorf("%d costs of up to %d are more than 16 bits hold", maxAdded, least)
	}
}

func TestIndex(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000} {
		var grams []gram
		for i := range n {
			grams = append(grams, gram(0).add(edge).add(rune(0x20+i*i%0x3000)).add(rune(0x400+i)))
		}
		x := newIndex(grams)
		for at, g := range grams {
			if got, ok := x.find(g); !ok || int(got) != at {
				t.Fatalf("%d of %d grams is at %d, %v", at, n, got, ok)
			}
		}
		for i := range 1000 {
			if g := gram(1<<40 + i); !slices.Contains(grams, g) {
				if at, ok := x.find(g); ok {
					t.Fatalf("a gram that is not there is at %d of %d", at, n)
				}
			}
		}
	}
}

// TestPlausibleWithMemory: what was kept of texts before changes nothing.
func TestPlausibleWithMemory(t *testing.T) {
	var kept Memory
	for _, text := range []string{"Dies ist ein Satz über Flüsse.", "Это предложение о реках.", "C'est une phrase sur les rivières.", "Dies ist ein Satz über Bäche.", "\x00\u0081 ÃÃ¼"} {
		if got, want := kept.Plausible(text), Plausible(text); got != want {
			t.Errorf("%q: %d, without what was kept %d", text, got, want)
		}
	}
}
