package retrieval

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// Word is a folded word, and the bytes of the text that it was made of: [Start, End).
type Word struct {
	Text       string
	Start, End int
}

// Words yields what Analyze returns, each with its place. Characters are folded before words
// are divided: m² is one word of two characters, and ½ is two words in one place.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		var word strings.Builder
		start, end := 0, 0
		emit := func() bool {
			if word.Len() == 0 {
				return true
			}
			w := Word{Text: word.String(), Start: start, End: end}
			word.Reset()
			return yield(w)
		}
		for at := 0; at < len(text); {
			folded, n := foldNext(text[at:])
			for _, r := range folded {
				switch {
				case unicode.IsLetter(r) || unicode.IsDigit(r):
					if word.Len() == 0 {
						start = at
					}
					word.WriteRune(r)
					end = at + n
				case unicode.IsMark(r):
					if word.Len() > 0 {
						end = at + n
					}
				case !emit():
					return
				}
			}
			at += n
		}
		emit()
	}
}

// foldNext folds the first characters of a text that no others change, and returns how many
// bytes they are. White space and what is no UTF-8 become a character that divides words.
func foldNext(text string) (folded string, n int) {
	if c := text[0]; c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return string(rune(c)), 1
	}
	if n = norm.NFKC.NextBoundaryInString(text, true); n <= 0 {
		n = len(text)
	}
	if folded = norm.NFKD.String(digest.TextNormV1(text[:n])); folded == "" {
		folded = " "
	}
	return folded, n
}
