package language

import (
	"embed"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strings"
	"sync"
)

// Each file of words says what is known of one language, and its name is the
// code: first its most frequent words, the most frequent first, then an empty
// line and some text. Lists and texts were written for this purpose.
//
//go:embed words
var words embed.FS

// Logarithms are to base 2, in 64ths, so that everything is calculated in
// integers, and no machine gives another result.
const (
	bit      = 64
	oneShift = 32 // probabilities are fractions of 1<<oneShift
)

// The parts that the voices have in the probability of a word.
const (
	// listed is the share of running text that the words of a language's file
	// make up.
	listed = 1 << (oneShift - 1)
	// alphabet is how many characters a script is taken to have where nothing
	// is known of one.
	alphabet = 64
)

// width is how many languages of one script there may be.
const width = 56

// row has a score for each language of a family.
type row [width]int16

// family tells the languages of one script from each other.
type family struct {
	langs []string
	words map[string]*row // log2 of the probability as a word; absent where a language does not list it
	grams [3]level        // log2 of the probability of a character after none, one and two others
}

// level holds the scores of grams of one length: the logarithms while they are
// learnt, what they cost from then on.
type level struct {
	index index
	logs  []row
	costs []lanes
}

// lanes holds a number of 16 bits for each language, four in a word, so that they
// are added four at once.
type lanes [width / 4]uint64

// costOf returns the logarithms without their sign.
func costOf(logs *row) (out lanes) {
	for k, log := range logs {
		out[k/4] |= uint64(uint16(-log)) << (k % 4 * 16)
	}
	return out
}

// maxAdded is how many costs of a character, of at most oneShift bits each, lanes
// can hold the sum of.
const maxAdded = (1<<16 - 1) / (oneShift * bit)

// index finds the place of a gram in a list: an open table, since grams are looked
// for at each character of each word that is new.
type index struct {
	slots []slot // a power of two, at least half of them empty
	shift uint   // of a hash, to a place in slots
}

// slot holds a gram, 0 for none, and its place.
type slot struct {
	gram gram
	at   int32
}

func newIndex(grams []gram) index {
	size := bits.Len(uint(2 * len(grams)))
	x := index{slots: make([]slot, 1<<size), shift: uint(64 - size)}
	for at, g := range grams {
		i := x.first(g)
		for x.slots[i].gram != 0 {
			i = (i + 1) & (len(x.slots) - 1)
		}
		x.slots[i] = slot{g, int32(at)}
	}
	return x
}

// first is where the search for a gram begins.
func (x *index) first(g gram) int {
	const golden = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	return int(uint64(g) * golden >> x.shift)
}

// find returns the place of a gram; not ok: it is not in the list.
func (x *index) find(g gram) (at int32, ok bool) {
	for i := x.first(g); x.slots[i].gram != 0; i = (i + 1) & (len(x.slots) - 1) {
		if x.slots[i].gram == g {
			return x.slots[i].at, true
		}
	}
	return 0, false
}

// absent is the score of a word in a language that does not list it.
const absent = -1 << 15

// gram is up to three code points, the last the lowest.
type gram uint64

const gramBits = 21

func (g gram) add(r rune) gram { return g<<gramBits | gram(r) }

// last cuts a gram to its last n code points.
func (g gram) last(n int) gram { return g & (1<<(gramBits*n) - 1) }

// edge stands for what is before and after a word.
const edge = ' '

// Languages are what tells languages apart, by script. They are never changed, and safe
// for concurrent use.
type Languages struct{ families map[script]*family }

// builtin are the languages of the files of words. They are calculated at the first
// detection.
var builtin = sync.OnceValue(func() *Languages {
	files, err := Words()
	if err == nil {
		var all *Languages
		if all, err = Train(files); err == nil {
			return all
		}
	}
	panic(err) // the folder is part of the program
})

// Words returns the files of words, each named as its language is called: ISO 639-1, or
// 639-3 where there is no shorter code, and .txt.
func Words() (map[string]string, error) {
	entries, err := words.ReadDir("words")
	if err != nil {
		return nil, err
	}
	files := make(map[string]string, len(entries))
	for _, e := range entries {
		text, err := words.ReadFile(path.Join("words", e.Name()))
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(text)
	}
	return files, nil
}

// Train learns languages from files of words. A file without a word, and more than 56
// languages of one script, are errors.
func Train(files map[string]string) (*Languages, error) {
	vocabularies := map[script]map[string][]string{}
	for name, text := range files {
		vocabulary := vocabularyOf(text)
		if len(vocabulary) == 0 {
			return nil, fmt.Errorf("%s holds no words", name)
		}
		kind := scriptOf(firstRune(vocabulary[0]))
		if vocabularies[kind] == nil {
			vocabularies[kind] = map[string][]string{}
		}
		vocabularies[kind][strings.TrimSuffix(name, ".txt")] = vocabulary
	}
	out := &Languages{families: make(map[script]*family, len(vocabularies))}
	for kind, byLang := range vocabularies {
		if len(byLang) > width {
			return nil, fmt.Errorf("%d languages of one script, and %d can be told apart", len(byLang), width)
		}
		out.families[kind] = newFamily(byLang)
	}
	return out, nil
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// vocabularyOf returns the words of a text, each once, in the order in which
// they are first met.
func vocabularyOf(text string) []string {
	var out []string
	seen := map[string]bool{}
	eachWord(text, func(w []byte) {
		if !seen[string(w)] {
			seen[string(w)] = true
			out = append(out, string(w))
		}
	})
	return out
}

// newFamily returns the family of the languages with these vocabularies.
func newFamily(vocabularies map[string][]string) *family {
	m := &family{words: map[string]*row{}}
	for lang := range vocabularies {
		m.langs = append(m.langs, lang)
	}
	slices.Sort(m.langs)
	counts := [3]tally{newTally(), newTally(), newTally()}
	for k, lang := range m.langs {
		m.list(k, vocabularies[lang])
		for _, w := range vocabularies[lang] {
			eachGram(w, func(g gram) {
				for n := range counts {
					counts[n].add(g.last(n+1), k)
				}
			})
		}
	}
	m.estimate(counts)
	return m
}

// tally counts grams by language.
type tally struct {
	index map[gram]int32
	grams []gram
	n     [][width]uint32
}

func newTally() tally { return tally{index: map[gram]int32{}} }

func (t *tally) add(g gram, k int) {
	at, ok := t.index[g]
	if !ok {
		at = int32(len(t.grams))
		t.index[g] = at
		t.grams = append(t.grams, g)
		t.n = append(t.n, [width]uint32{})
	}
	t.n[at][k]++
}

// list enters the words of language k. The frequency of a word is taken to be
// one over its place (Zipf), a little flattened at the top.
func (m *family) list(k int, vocabulary []string) {
	const flat = 3
	sum := uint64(0)
	for at := range vocabulary {
		sum += 1 << oneShift / uint64(at+flat)
	}
	for at, w := range vocabulary {
		scores := m.words[w]
		if scores == nil {
			scores = &row{}
			for other := range scores {
				scores[other] = absent
			}
			m.words[w] = scores
		}
		share := 1 << oneShift / uint64(at+flat)
		scores[k] = logOf(share * (listed >> 16) / (sum >> 16))
	}
}

// context is how often a gram was followed by anything, and by how many
// different characters, in each language.
type context struct{ total, kinds [width]uint32 }

// estimate turns counts into the probabilities of a character after those
// before it, each level mixed with the next lower one by the number of
// different continuations (Witten and Bell).
func (m *family) estimate(counts [3]tally) {
	const even = 1 << oneShift / alphabet
	var below [width]uint64
	var belowLogs row
	for k := range below {
		below[k], belowLogs[k] = even, logOf(even)
	}
	var lower [][width]uint64
	for n, t := range counts {
		contexts := map[gram]*context{}
		for at, g := range t.grams {
			c := contexts[g>>gramBits]
			if c == nil {
				c = &context{}
				contexts[g>>gramBits] = c
			}
			for k, count := range t.n[at] {
				c.total[k] += count
				c.kinds[k] += min(count, 1)
			}
		}
		shares, logs := make([][width]uint64, len(t.grams)), make([]row, len(t.grams))
		for at, g := range t.grams {
			if n > 0 {
				from := counts[n-1].index[g.last(n)]
				below, belowLogs = lower[from], m.grams[n-1].logs[from]
			}
			shares[at], logs[at] = below, belowLogs
			c := contexts[g>>gramBits]
			for k := range m.langs {
				if total := uint64(c.total[k]); total > 0 {
					kinds := uint64(c.kinds[k])
					shares[at][k] = (uint64(t.n[at][k])<<oneShift + kinds*below[k]) / (total + kinds)
					logs[at][k] = logOf(shares[at][k])
				}
			}
		}
		costs := make([]lanes, len(logs))
		for at := range logs {
			costs[at] = costOf(&logs[at])
		}
		m.grams[n], lower = level{newIndex(t.grams), logs, costs}, shares
	}
	for n := range m.grams {
		m.grams[n].logs = nil
	}
}

// logOf returns the logarithm of a fraction of 1<<oneShift.
func logOf(share uint64) int16 {
	share = max(share, 1)
	n := bits.Len64(share) - 1
	mantissa := share << (63 - n) >> 32 // 1.31
	out := (n - oneShift) * bit
	for step := bit / 2; step > 0; step /= 2 {
		mantissa = mantissa * mantissa >> 31
		if mantissa >= 1<<32 {
			mantissa >>= 1
			out += step
		}
	}
	return int16(out)
}

// eachGram calls f with the gram that ends at each character of a word, and at
// its end.
func eachGram(w string, f func(gram)) {
	g := gram(0).add(edge).add(edge)
	for _, r := range w {
		g = g.add(r).last(3)
		f(g)
	}
	f(g.add(edge).last(3))
}
