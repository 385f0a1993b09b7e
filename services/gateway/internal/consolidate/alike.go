package consolidate

import "slices"

// known are the sentences of the items that were read, and where their words are.
type known struct {
	numbers   map[string]int // of words
	byWord    [][]int        // by the number of a word: places of the sentences that have it
	sentences []sentence
	both      []int // by the place of a sentence: how many words it shares with the one that is looked at
}

func newKnown() *known { return &known{numbers: map[string]int{}} }

// number returns the numbers of words, each once, in their order.
func (k *known) number(words []string) []int {
	set := make([]int, len(words))
	for i, w := range words {
		n, there := k.numbers[w]
		if !there {
			n = len(k.byWord)
			k.numbers[w], k.byWord = n, append(k.byWord, nil)
		}
		set[i] = n
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// add takes the sentences of an item, whose words are numbered.
func (k *known) add(of []sentence) {
	for _, s := range of {
		for _, n := range s.set {
			k.byWord[n] = append(k.byWord[n], len(k.sentences))
		}
		k.sentences, k.both = append(k.sentences, s), append(k.both, 0)
	}
}

// alike returns the places of the sentences that have enough words in common with one to
// be about the same.
func (k *known) alike(y sentence) (places []int) {
	var sharing []int
	for _, w := range y.set {
		for _, at := range k.byWord[w] {
			if k.both[at]++; k.both[at] == leastShared {
				sharing = append(sharing, at)
			}
		}
	}
	for _, at := range sharing {
		all := len(k.sentences[at].set) + len(y.set) - k.both[at]
		if float64(k.both[at]) >= leastOverlap*float64(all) {
			places = append(places, at)
		}
	}
	clear(k.both)
	return places
}
