package retrieval

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// gramLength is the length of a character gram in code points (contracts#hash-embedder).
const gramLength = 4

// Analyze returns the folded words of text in their order: textnorm_v1, then
// NFKD with all marks removed, then each run of letters and digits
// (contracts#hash-embedder). Text without letters and digits has no words. Bytes that
// are not UTF-8 divide words like punctuation does. Whoever changes what comes out names the
// embedder anew: vectors of different terms, indices or weights must not be compared.
func Analyze(text string) []string {
	var words []string
	for word := range markedWords(text) {
		words = append(words, word[1:len(word)-1])
	}
	return words
}

// markedWords yields each word of text as "<word>". The marks tell the grams
// at a word's ends from those inside it.
func markedWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var word strings.Builder
		word.WriteByte('<')
		end := func() bool {
			if word.Len() == 1 {
				return true
			}
			word.WriteByte('>')
			more := yield(word.String())
			word.Reset()
			word.WriteByte('<')
			return more
		}
		for _, r := range norm.NFKD.String(digest.TextNormV1(text)) {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				word.WriteRune(r)
			case unicode.IsMark(r):
			case !end():
				return
			}
		}
		end()
	}
}

// grams yields the windows of four code points of a marked word; a shorter
// word is one gram.
func grams(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, end := 0, 0
		for range gramLength {
			if end == len(word) {
				yield(word)
				return
			}
			end += runeLength(word[end:])
		}
		for yield(word[start:end]) && end < len(word) {
			start += runeLength(word[start:])
			end += runeLength(word[end:])
		}
	}
}

func runeLength(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
