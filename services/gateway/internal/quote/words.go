package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/catalog"
)

// longestWord is how many code points of a word the catalog's index has.
const longestWord = 32

// mostJoined is how many symbols of words that hyphens join are looked at: of marks alone,
// which the index leaves out, there may be any number.
const mostJoined = 4 * longestWord

// dividers are the characters at which quote_words of the catalog divides words, but for
// those of ASCII; spaced those each of which is a word there. Both lists are the same there
// (TestWordsAreThoseOfTheCatalog).
var (
	dividers = table(0x7b, 0xbf, 0xd7, 0xd7, 0xf7, 0xf7, 0x2b0, 0x2ff, 0x37e, 0x37e, 0x387, 0x387, 0x55a, 0x55f, 0x589, 0x58a, 0x5be, 0x5be,
		0x5c0, 0x5c0, 0x5c3, 0x5c3, 0x5f3, 0x5f4, 0x60c, 0x60d, 0x61b, 0x61f, 0x66a, 0x66d, 0x6d4, 0x6d4, 0x964, 0x965, 0x1360, 0x1368,
		0x1680, 0x1680, 0x17d4, 0x17da, 0x1800, 0x180a, 0x2000, 0x206f, 0x20a0, 0x20cf, 0x2190, 0x2bff, 0x2e00, 0x2e7f, 0x3000, 0x303f,
		0x30fb, 0x30fb, 0xfd3e, 0xfd3f, 0xfe10, 0xfe6f, 0xfeff, 0xfeff, 0xfff9, 0xffff, 0x1f000, 0x1faff)
	spaced = table(0xe00, 0xeff, 0x1000, 0x109f, 0x1780, 0x17ff, 0x3040, 0x30ff, 0x3400, 0x9fff, 0xf900, 0xfaff, 0x20000, 0x3ffff)
)

// table makes a table of ranges, given by their ends.
func table(ends ...uint32) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for pair := range slices.Chunk(ends, 2) {
		t.R32 = append(t.R32, unicode.Range32{Lo: pair[0], Hi: pair[1], Stride: 1})
	}
	return t
}

// divides reports whether the catalog divides words at a character.
func divides(r rune) bool {
	if r < 0x7b {
		return r > 0 && r < '0' || r > '9' && r < 'a' && (r < 'A' || r > 'Z')
	}
	return unicode.Is(dividers, r)
}

// IndexForm returns the words that the index of the catalog has of a text (catalog.QuoteWords), of which no line ends with a hyphen.
func IndexForm(text string) []string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r + 'a' - 'A')
		case r == 0xad, r >= 0x300 && r <= 0x36f, r >= 0x200b && r <= 0x200d, r == 0x2060:
		case divides(r):
			b.WriteByte(' ')
		case unicode.Is(spaced, r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if runes := []rune(w); len(runes) > longestWord {
			words[i] = string(runes[:longestWord])
		}
	}
	return words
}

// word is a word of a quotation by which chunks are found.
type word struct {
	from, to int // its symbols, with those of parts that hyphens join to it
	first    int // where its first part ends: all of it is in one chunk, whatever is behind
	forms    catalog.QuoteWord
	edge     bool // it is the first or last: behind it the text may go on
}

// wordsOf returns the words of a quotation that stand in the same form in the index for
// whatever text it may stand in: parts that a hyphen joins are one word, since the hyphen
// may be one at a line's end.
func wordsOf(q folded) []word {
	var words []word
	for from := 0; from < q.Len(); {
		to, parts, known := from+1, []int{from}, from == 0 || q.symbols[from].gap.known
		for to < q.Len() && (q.symbols[to].gap.key == "" || q.symbols[to].gap.hyphen) && !standsAlone(q.symbols[to-1].raw) && !standsAlone(q.symbols[to].raw) {
			if q.symbols[to].gap.hyphen {
				parts = append(parts, to)
			}
			known = known && q.symbols[to].gap.known
			to++
		}
		if to < q.Len() {
			known = known && q.symbols[to].gap.known
		}
		if known {
			words = append(words, formsOf(q, from, to, parts)...)
		}
		from = to
	}
	for i, w := range words {
		first, last := w.from == 0 && !standsAlone(q.symbols[0].raw), w.to == q.Len() && !standsAlone(q.symbols[q.Len()-1].raw)
		words[i].edge = first || last
	}
	return words
}

// standsAlone reports whether the index has a letter as a word of its own, whatever is
// beside it: a text of a script without spaces may go on in the next chunk at each letter.
func standsAlone(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	if unicode.Is(spaced, r) {
		return true
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if !unicode.Is(spaced, part) {
			return false
		}
	}
	return true
}

// formsOf returns the words of symbols that no space divides; parts are where their parts
// behind hyphens begin.
func formsOf(q folded, from, to int, parts []int) []word {
	raw := func(from, to int) string {
		runes := make([]rune, 0, to-from)
		for _, s := range q.symbols[from:to] {
			runes = append(runes, s.raw)
		}
		return string(runes)
	}
	if len(parts) == 1 {
		var words []word
		for _, w := range IndexForm(raw(from, to)) {
			words = append(words, word{from: from, to: to, first: to, forms: casesOf(w)})
		}
		return words
	}
	one := word{from: from, to: to, first: parts[1]}
	for _, end := range append(parts[1:], to) { // whatever of its hyphens are the text's own
		forms := IndexForm(raw(from, end))
		if len(forms) > 0 {
			one.forms = append(one.forms, casesOf(forms[0])...)
		}
		if len(forms) > 1 || len(forms) == 1 && utf8.RuneCountInString(forms[0]) >= longestWord { // what is behind does not change it
			break
		}
		if end-from > mostJoined {
			return nil
		}
	}
	if len(one.forms) == 0 {
		return nil
	}
	return []word{one}
}

// casesOf returns a word in the cases that it may be written in: the index has letters
// beyond ASCII as they are.
func casesOf(w string) catalog.QuoteWord {
	cased := strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII && unicode.SimpleFold(r) != r })
	if !cased {
		return catalog.QuoteWord{w}
	}
	lower := strings.Map(unicode.ToLower, w)
	first := []rune(lower)
	first[0] = unicode.ToUpper(first[0])
	forms := []string{w}
	for _, form := range []string{lower, string(first), strings.Map(unicode.ToUpper, w)} {
		if form = asciiLower(form); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
