// Package reference finds in a text which places of documents it refers to ("nos termos do
// art. 2º da RN 259", "l'article L. 123-4"), and which places a text is itself: articles,
// sections, chapters, measures, items. Both are written alike, so that one is found by the
// other (contracts#references). Words are data, folded as retrieval folds them, of English,
// French, Portuguese, Italian and Spanish together.
package reference

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place is a numbered place of a document, as it is compared.
type Place struct {
	Kind   string // of kinds.tsv, in the singular; "" where only its number says what it is
	Number string // in digits where it has any: 55, l-21-3, m-9, a
}

// Law names another document.
type Law struct {
	Words []string // folded, of its name; of what has a number its kind, alone
	Parts []string // of its number: 18, 2021; none where it has a name only
}

// Empty reports whether no other document is named.
func (l Law) Empty() bool { return len(l.Words) == 0 }

// Reference is a place that a text refers to.
type Reference struct {
	Place
	Law        Law // the document that it is in; empty for the text's own
	Start, End int // bytes of the text
}

// The most that is read of one text: of lists, and of all.
const (
	maxListed     = 12
	maxRange      = 6
	maxReferences = 64
)

// Grammar is the data by which references are read. It is safe for concurrent use.
type Grammar struct {
	kinds    map[string]string   // word: kind
	laws     map[string]string   // word: kind of law
	aliases  map[string][]string // short word: words that it stands for
	ordinals map[string]string   // word: number
	join     map[string]bool
	through  map[string]bool
	of       map[string]bool
	own      map[string]bool
	short    map[string]bool // a point behind them ends no sentence
}

// Find returns the references of a text in their order. The text's own labels, at the
// beginning of its blocks, are none.
func (g *Grammar) Find(text string) []Reference {
	words := read(text)
	var found []Reference
	for i := 0; i < len(words) && len(found) < maxReferences; i++ {
		kind, named := g.kinds[words[i].text]
		switch {
		case named && !words[i].opens:
			places, next := g.list(words, kind, i+1)
			if len(places) == 0 {
				continue
			}
			law, end, other := g.lawAfter(words, next)
			for _, number := range places {
				r := Reference{Place: Place{kind, number}, Start: words[i].start, End: words[next-1].end}
				if other {
					r.Law, r.End = law, words[end-1].end
				}
				found = append(found, r)
			}
			i = max(next, end) - 1
		case !named:
			if law, end, ok := g.numbered(words, i); ok && !words[i].opens {
				found = append(found, Reference{Law: law, Start: words[i].start, End: words[end-1].end})
				i = end - 1
			}
		}
	}
	return found
}

// list reads the numbers of places from words[i] on, and returns them with the index of
// the word after them.
func (g *Grammar) list(words []word, kind string, i int) (numbers []string, next int) {
	next = i
	for len(numbers) < maxListed {
		at := i
		for at < len(words) && at < i+2 && (words[at].text == "n" || words[at].text == "no" || words[at].text == "nr" || words[at].text == "numero") {
			at++
		}
		number, end, ok := g.number(words, kind, at)
		if !ok || words[at].opens || len(numbers) == 0 && !g.follows(words, at) {
			break
		}
		numbers, next = append(numbers, number), end
		if next >= len(words) || words[next].opens {
			break
		}
		switch w := words[next]; {
		case g.join[w.text] || g.through[w.text]:
			last, _, ok := g.number(words, kind, next+1)
			if !ok || !plainNumber(last) || !plainNumber(number) {
				return numbers, next
			}
			if g.through[w.text] {
				numbers = append(numbers, between(number, last)...)
			}
			i = next + 1
		case w.gap == ", " && unicode.IsDigit(rune(w.text[0])):
			i = next
		default:
			return numbers, next
		}
	}
	return numbers, next
}

// follows reports whether the number at words[i] belongs to the word before it: "art. 5",
// "section 5", and not "a measure, 5".
func (g *Grammar) follows(words []word, i int) bool {
	gap := words[i].gap
	if strings.Contains(gap, ".") {
		return g.short[words[i-1].text] && !strings.Contains(gap, "\n")
	}
	return plainGap(gap)
}

// between returns the whole numbers between two, none where there are many.
func between(from, to string) []string {
	a, b := atoi(from), atoi(to)
	if b-a > maxRange {
		return nil
	}
	var all []string
	for n := a + 1; n < b; n++ {
		all = append(all, itoa(n))
	}
	return all
}

// Place returns the place that a line is the label of: it begins with a kind and a number,
// or with a number alone, after which a sign or the line ends, or a name begins.
func (g *Grammar) Place(line string) (Place, bool) {
	const enough = 160
	if len(line) > enough {
		line = line[:enough]
		for !utf8.ValidString(line) && line != "" {
			line = line[:len(line)-1]
		}
	}
	words := read(line)
	if len(words) == 0 {
		return Place{}, false
	}
	at, kind := 0, ""
	for i := range min(2, len(words)) { // standing order 31
		if _, _, numbered := g.number(words, "", 0); i > 0 && numbered {
			break // III. Grounds
		}
		if k, ok := g.kinds[words[i].text]; ok {
			at, kind = i+1, k
			break
		}
	}
	if at < len(words) && kind != "" && (words[at].text == "n" || words[at].text == "no") {
		at++
	}
	number, end, ok := g.number(words, kind, at)
	if !ok || !closes(line, words, end, kind) {
		return Place{}, false
	}
	return Place{kind, number}, true
}

// closes reports whether a label ends before words[end]: "Art. 3 Objeto" does, "3 marks are
// paid" does not.
func closes(line string, words []word, end int, kind string) bool {
	last := words[end-1].end
	if last >= len(line) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(line[last:])
	if end >= len(words) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(line[words[end].start:])
	if kind != "" {
		return r != ',' && (unicode.IsUpper(next) || r != ' ')
	}
	return slices.Contains([]rune{'.', ')', ':', '–', '—', '-'}, r) || r == ' ' && unicode.IsUpper(next)
}

// kindsIn returns the kinds that a heading names, as "Fundamentos de derecho" names
// grounds.
func (g *Grammar) kindsIn(heading string) []string {
	var kinds []string
	for _, w := range read(heading) {
		if kind, ok := g.kinds[w.text]; ok && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
