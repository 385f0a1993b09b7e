package lexicon

import (
	"slices"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/digest"
)

// The language of a text is told by words that the table has in one language only: so many at least, and so many
// times more than of any other language. A table of a dozen cells has as many.
const (
	fewestOwn   = 3
	timesOthers = 3
)

// ownWords are the words that the table has in one language only, with that language.
var ownWords = sync.OnceValue(func() map[string]string {
	languages := make(map[string]string)
	rows, err := parse(data)
	if err != nil {
		panic(err) // the file is part of the build: its test parses it
	}
	for _, r := range rows {
		if r.Language == anyLanguage || slices.Contains(symbols(), r.Class) {
			continue
		}
		for _, phrase := range r.Words {
			for w := range strings.FieldsSeq(divideElided(phrase)) {
				if known, ok := languages[w]; ok && known != r.Language {
					languages[w] = ""
				} else {
					languages[w] = r.Language
				}
			}
		}
	}
	return languages
})

// asWords divides a folded text where words end.
var asWords = strings.NewReplacer("'", "' ", "-", " ", ",", " ", ".", " ", ":", " ", ";", " ", "(", " ", ")", " ")

// Guess returns the language of a text that is too short to be sure of by its letters, by the table's own words:
// one of Languages, or "" where they do not tell.
func Guess(text string) string {
	count := make(map[string]int)
	folded := asWords.Replace(digest.TextNormV1(text))
	for w := range strings.FieldsSeq(folded) {
		if l := ownWords()[w]; l != "" {
			count[l]++
		}
	}
	best, second := "", 0
	for _, l := range listLanguages() {
		switch n := count[l]; {
		case best == "" || n > count[best]:
			best, second = l, count[best]
		case n > second:
			second = n
		}
	}
	if count[best] < fewestOwn || count[best] < timesOthers*second {
		return ""
	}
	return best
}
