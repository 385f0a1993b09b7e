package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// word is a folded word of a text.
type word struct {
	text       string
	start, end int
	gap        string // what stands between it and the word before
	upper      bool   // it begins with a capital letter
	capitals   bool   // it has no other letters
	opens      bool   // it begins a block
}

// read divides a text.
func read(text string) []word {
	var words []word
	last := 0
	for w := range retrieval.Words(text) {
		if w.Start < last { // ½ is two words in one place
			continue
		}
		gap, printed := text[last:w.Start], text[w.Start:w.End]
		first, _ := utf8.DecodeRuneInString(printed)
		words = append(words, word{
			text: w.Text, start: w.Start, end: w.End, gap: gap, upper: unicode.IsUpper(first),
			capitals: strings.ToUpper(printed) == printed && unicode.IsLetter(first), opens: last == 0 || strings.Contains(gap, "\n\n"),
		})
		last = w.End
	}
	return words
}

// within reports whether a word goes on with the one before it: 21-3, L. 21.
func (w word) within(gaps ...string) bool {
	for _, gap := range gaps {
		if w.gap == gap {
			return true
		}
	}
	return false
}
