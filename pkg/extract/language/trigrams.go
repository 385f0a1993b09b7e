package language

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	_ "unsafe" // for go:linkname

	"github.com/abadojack/whatlanggo"
)

// Nearly all text is in the Latin script, and the library takes more time over
// it than the rest of a page's assembly: it makes a string and a map entry of
// every trigram, and goes through all profiles. detectLatin is its calculation
// on its profiles, without either; a test compares the two.

// latinProfiles are the library's trigrams of each language in the Latin
// script, the most frequent first.
//
//go:linkname latinProfiles github.com/abadojack/whatlanggo.latinLangs
var latinProfiles map[whatlanggo.Lang][]string

// The distance of a profile's trigram that a text does not have, and the score
// of a text at distance 0.
const (
	missing  = 300
	maxScore = 90_000
)

// trigram is three code points; trigrams are in the order of their UTF-8 bytes.
type trigram uint64

func trigramOf(a, b, c rune) trigram { return trigram(a)<<42 | trigram(b)<<21 | trigram(c) }

// rank is the place of a trigram in the profile of a language.
type rank struct {
	lang whatlanggo.Lang
	at   int
}

// latinRanks are the profiles by trigram.
var latinRanks = sync.OnceValue(func() map[trigram][]rank {
	out := make(map[trigram][]rank)
	for lang, profile := range latinProfiles {
		for at, s := range profile {
			if r := []rune(s); len(r) == 3 {
				t := trigramOf(r[0], r[1], r[2])
				out[t] = append(out[t], rank{lang, at})
			}
		}
	}
	return out
})

// isStop reports what stands for a space.
func isStop(r rune) bool {
	return unicode.IsSymbol(r) || unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsDigit(r)
}

// mostlyLatin reports whether more than half of the bytes are Latin letters, so
// that no other script can be that of the text.
func mostlyLatin(text string) bool {
	n := 0
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			n++
		case r >= 0x80 && unicode.Is(unicode.Latin, r) && !isStop(r):
			n++
		}
		if n > len(text)/2 {
			return true
		}
	}
	return false
}

// candidate is a language that a text is compared with.
type candidate struct {
	lang  whatlanggo.Lang
	score int
}

// detectLatin returns what the library says of a text in the Latin script,
// among the given languages or all; a draw is no language, where the library
// picks one at random and says that it is not sure.
func detectLatin(text string, list map[whatlanggo.Lang]bool) (whatlanggo.Lang, float64) {
	found := trigramsOf(text)
	all := make([]candidate, 0, len(latinProfiles))
	at := make([]int, len(whatlanggo.Langs)) // of a language in all, from 1; 0: it is not asked for
	for lang, profile := range latinProfiles {
		if _, wanted := list[lang]; wanted || len(list) == 0 {
			all = append(all, candidate{lang, maxScore - missing*len(profile)})
			at[lang] = len(all)
		}
	}
	ranks := latinRanks()
	for place, t := range found {
		for _, r := range ranks[t] {
			if k := at[r.lang]; k > 0 {
				all[k-1].score += missing - max(place-r.at, r.at-place)
			}
		}
	}
	return best(all, len(found))
}

// best returns the language with the highest score, and how sure it is, given
// the number of trigrams.
func best(all []candidate, trigrams int) (whatlanggo.Lang, float64) {
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.lang, b.lang))
	})
	switch {
	case len(all) == 0:
		return -1, 0
	case len(all) == 1:
		return all[0].lang, 1
	case all[0].score == 0 || all[0].score == all[1].score:
		return -1, 0
	case all[1].score == 0:
		return all[0].lang, min(float64(all[0].score/500), 1)
	}
	rate := float64(all[0].score-all[1].score) / float64(all[1].score)
	if sure := float64(12.0/float64(trigrams)) + 0.05; rate <= sure {
		return all[0].lang, rate / sure
	}
	return all[0].lang, 1
}

// trigramsOf returns the trigrams of a text, each once, the most frequent first
// and, of equally frequent ones, the last first. What is no letter counts as a
// space, and two spaces make no trigram.
func trigramsOf(text string) []trigram {
	all := make([]trigram, 0, len(text)+1)
	r1, r2, first := ' ', ' ', true
	add := func(r rune) {
		if first {
			r2, first = r, false
			return
		}
		if r2 != ' ' || r1 != ' ' && r != ' ' {
			all = append(all, trigramOf(r1, r2, r))
		}
		r1, r2 = r2, r
	}
	for _, r := range text {
		if isStop(r) {
			r = ' '
		}
		add(unicode.ToLower(r))
	}
	add(' ')
	slices.Sort(all)
	type tally struct {
		t trigram
		n int
	}
	tallies := make([]tally, 0, len(all))
	for _, t := range all {
		if n := len(tallies); n > 0 && tallies[n-1].t == t {
			tallies[n-1].n++
			continue
		}
		tallies = append(tallies, tally{t, 1})
	}
	slices.SortFunc(tallies, func(a, b tally) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(b.t, a.t)) })
	for i, t := range tallies {
		all[i] = t.t
	}
	return all[:len(tallies)]
}
