// Package guard decides what of a proposed entity stands on its page. A quote must be found
// on the page, exactly after folding; each value must be found in a quote, by what it means;
// a value and its unit stand together; a value and the name that it is of stand in one
// sentence, list item or table row; and what the page denies is no value. What is not found is dropped and counted.
// The guard never searches for what is merely similar, and reads the page's own words, never
// the quote's (contracts#entity-guard). It is a pure function.
package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// folded is a text as quotes and names are compared: NFC, lower case, straight quotation marks,
// one hyphen for all, ligatures undone, invisible characters left out, each run of white space one space.
type folded struct {
	text string
	from []int32 // of each byte of text: where what it was made of begins in the original
	to   []int32 // likewise: where that ends
}

// Folded returns a text as the guard compares it: NFC, lower case, straight quotation marks, one hyphen
// for all, ligatures undone, invisible characters left out, each run of white space one space.
func Folded(s string) string { return fold(s, false).text }

// fold folds a text. In tables bars count as space, too: that is how rows are often quoted.
func fold(s string, bars bool) folded {
	f := folded{from: make([]int32, 0, len(s)), to: make([]int32, 0, len(s))}
	var b strings.Builder
	b.Grow(len(s))
	space := true
	add := func(r rune, start, end int) {
		n := b.Len()
		b.WriteRune(r)
		for range b.Len() - n {
			f.from, f.to = append(f.from, int32(start)), append(f.to, int32(end))
		}
	}
	take := func(r rune, start, end int) {
		switch {
		case isInvisible(r):
		case unicode.IsSpace(r) || r == '\uFEFF' || bars && r == '|':
			if !space {
				add(' ', start, end)
			}
			space = true
		case r < utf8.RuneSelf:
			space = false
			add(unicode.ToLower(r), start, end)
		default:
			space = false
			for _, c := range plain(r) {
				add(c, start, end)
			}
		}
	}
	for at := 0; at < len(s); {
		if isAlone(s, at) {
			take(rune(s[at]), at, at+1)
			at++
			continue
		}
		other := at + 1 // what is composed ends where two characters of ASCII follow each other
		for other < len(s) && !isAlone(s, other) {
			other++
		}
		var it norm.Iter
		it.InitString(norm.NFC, s[at:other])
		for !it.Done() {
			start := at + it.Pos()
			segment := it.Next()
			end := at + it.Pos()
			for len(segment) > 0 {
				r, n := utf8.DecodeRune(segment)
				segment = segment[n:]
				take(r, start, end)
			}
		}
		at = other
	}
	f.text = b.String()
	if n := len(f.text); n > 0 && f.text[n-1] == ' ' {
		f.text, f.from, f.to = f.text[:n-1], f.from[:n-1], f.to[:n-1]
	}
	return f
}

// isAlone reports whether byte i of a text is a character of ASCII behind which nothing follows that could be composed with it.
func isAlone(s string, i int) bool {
	return s[i] < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf)
}

func isInvisible(r rune) bool {
	return r == '\u00AD' || r >= '\u200B' && r <= '\u200F' || r == '\u2060' || r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// plain returns what a character is folded to.
func plain(r rune) []rune {
	switch {
	case r >= '\u2018' && r <= '\u201B' || r == '\u2032' || r == 'ʼ':
		return []rune{'\''}
	case r >= '\u201C' && r <= '\u201F' || r == '\u2033':
		return []rune{'"'}
	case value.IsHyphen(r):
		return []rune{'-'}
	case r >= '\uFB00' && r <= '\uFB06':
		return []rune(norm.NFKC.String(string(r)))
	default:
		return []rune{unicode.ToLower(r)}
	}
}

// span returns the bytes of the original that the bytes [i, j) of the folded text stand for.
func (f folded) span(i, j int) value.Span {
	return value.Span{Start: int(f.from[i]), End: int(f.to[j-1])}
}

// maxPlaces bounds how many places of one quote on a page are looked at.
const maxPlaces = 16

// find returns where a folded text stands in f with whole words, figures and signs at its ends.
func (f folded) find(quote string, loose bool) (out []value.Span) {
	if quote == "" {
		return nil
	}
	for at := 0; at <= len(f.text)-len(quote) && len(out) < maxPlaces; {
		i := strings.Index(f.text[at:], quote)
		if i < 0 {
			return out
		}
		i += at
		if j := i + len(quote); !joinsAt(f.text, i, loose, true) && !joinsAt(f.text, j, loose, false) {
			out = append(out, f.span(i, j))
		}
		_, n := utf8.DecodeRuneInString(f.text[i:])
		at = i + n
	}
	return out
}

// findIn returns where a folded name stands in a range of the original.
func (f folded) findIn(name string, within value.Span) (out []value.Span) {
	if name == "" {
		return nil
	}
	low, _ := slices.BinarySearch(f.from, int32(within.Start))
	high, _ := slices.BinarySearch(f.from, int32(within.End))
	for at := low; at <= high-len(name) && len(out) < maxPlaces; {
		i := strings.Index(f.text[at:high], name)
		if i < 0 {
			return out
		}
		i += at
		if j := i + len(name); !joinsAt(f.text, i, true, true) && !joinsAt(f.text, j, true, false) {
			out = append(out, f.span(i, j))
		}
		_, n := utf8.DecodeRuneInString(f.text[i:])
		at = i + n
	}
	return out
}

// joinsAt reports whether a cut at byte i of a folded text would divide what is one: a word, a
// number from its sign, its decimals, its percent or its currency. Loose is for names, which
// a slash divides.
func joinsAt(text string, i int, loose, begins bool) bool {
	if i == 0 || i == len(text) {
		return false
	}
	prev, next := last(text[:i]), first(text[i:])
	beyond, ahead := last(strings.TrimSuffix(text[:i], string(prev))), first(text[i+utf8.RuneLen(next):])
	switch {
	case isWord(prev) && isWord(next):
		return true
	case isJoiner(prev, loose) && isWord(beyond) && isWord(next), isJoiner(next, loose) && isWord(prev) && isWord(ahead):
		return true
	case isPoint(prev) && isDigit(next) && (isDigit(beyond) || prev == '.' && beyond == ' '), isPoint(next) && isDigit(prev) && isDigit(ahead):
		return true
	case isSign(prev) && isDigit(next), isDigit(prev) && (next == '%' || next == '‰' || next == '°' || next == '€' || next == '$'):
		return true
	}
	if begins { // "< 5", "$ 5", "- 5"
		head := strings.TrimSuffix(text[:i], " ")
		return isDigit(next) && strings.ContainsRune("<>≤≥±$€£≈~", last(head))
	}
	tail := strings.TrimPrefix(text[i:], " ")
	return isDigit(prev) && tail != "" && strings.ContainsRune("%‰€£", first(tail))
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	if s == "" {
		return 0
	}
	return r
}

func last(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	if s == "" {
		return 0
	}
	return r
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}
func isPoint(r rune) bool { return r == '.' || r == ',' }
func isSign(r rune) bool  { return strings.ContainsRune("-+<>≤≥±~≈$€£#", r) && r != 0 }

// isJoiner reports whether a sign between letters or digits makes one word of them.
func isJoiner(r rune, loose bool) bool { return r == '-' || r == '/' && !loose || r == '_' }
