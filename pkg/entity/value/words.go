// Package value reads what a text says: numbers in figures and in words, with units and
// money, dates, coordinates and hydrologic unit codes, in English, French, Portuguese and
// Italian. It finds them where they are printed, in bytes of the text, and reads nothing
// into it: what can be read in two ways has no value. All functions are pure.
package value

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// Span is a half-open range of bytes of a text.
type Span struct {
	Start int `json:"start"` // first byte
	End   int `json:"end"`   // the byte behind the last one
}

// Word is a run of letters, marks and digits in a text, with the folded form by which the
// lexicon knows it.
type Word struct {
	Span
	Folded string
}

// Words returns the words of a text. Apostrophes and hyphens divide words; an apostrophe
// stays with the letters before it, as in l', d' and n'.
func Words(text string) []Word {
	out := make([]Word, 0, len(text)/5)
	start := -1
	end := func(at, with int) {
		if start >= 0 {
			out = append(out, Word{Span{start, at + with}, lexicon.Fold(text[start : at+with])})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case isLetter(r) || isDigit(r):
			if start < 0 {
				start = i
			}
		case isApostrophe(r) && start >= 0 && i > 0 && !endsInDigit(text[:i]):
			if strings.HasSuffix(strings.ToLower(text[start:i]), "n") && strings.HasPrefix(text[i+utf8.RuneLen(r):], "t") && i-start > 1 {
				end(i-1, 0) // don't: do and n't
				start = i - 1
				continue
			}
			if (text[start] == 'n' || text[start] == 'N') && i-start == 1 && strings.HasPrefix(text[i+utf8.RuneLen(r):], "t") && start > 0 && isLetter(before(text, start)) {
				continue // n't
			}
			end(i, utf8.RuneLen(r))
		default:
			end(i, 0)
		}
	}
	end(len(text), 0)
	return out
}

func endsInDigit(s string) bool { return s != "" && isDigit(rune(s[len(s)-1])) }

func isLetter(r rune) bool     { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }
func isDigit(r rune) bool      { return r >= '0' && r <= '9' }
func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' || r == '‘' }

// IsHyphen reports whether a character divides or joins words as a hyphen does; a minus and
// the dashes of ranges are among them.
func IsHyphen(r rune) bool {
	return r == '-' || r >= '\u2010' && r <= '\u2015' || r == '\u2212' || r == '\uFE63' || r == '\uFF0D'
}

// isMinus reports whether a character before a figure makes it negative.
func isMinus(r rune) bool {
	return r == '-' || r >= '\u2010' && r <= '\u2013' || r == '\u2212' || r == '\uFE63' || r == '\uFF0D'
}

// before returns the character that ends at byte i, 0 at the beginning.
func before(text string, i int) rune {
	if i <= 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return r
}

// at returns the character at byte i, 0 at the end.
func at(text string, i int) rune {
	if i < 0 || i >= len(text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r
}

// skipSpaces returns the first byte at or after i that is no white space.
func skipSpaces(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			return i
		}
		i += n
	}
	return i
}

// skipSpacesBack returns the first byte of the white space that ends at i.
func skipSpacesBack(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		if !unicode.IsSpace(r) {
			return i
		}
		i -= n
	}
	return i
}

// foldedWords are the words' folded forms.
func foldedWords(words []Word) []string {
	out := make([]string, len(words))
	for i := range words {
		out[i] = words[i].Folded
	}
	return out
}

// lastWordBefore returns the index of the last word that ends at or before byte i, -1 without one.
func lastWordBefore(words []Word, i int) int {
	n, _ := slices.BinarySearchFunc(words, i, func(w Word, at int) int {
		if w.End <= at {
			return -1
		}
		return 1
	})
	return n - 1
}

// firstWordAfter returns the index of the first word that begins at or behind byte i, -1 without one.
func firstWordAfter(words []Word, i int) int {
	n, _ := slices.BinarySearchFunc(words, i, func(w Word, at int) int {
		if w.Start < at {
			return -1
		}
		return 1
	})
	if n == len(words) {
		return -1
	}
	return n
}
