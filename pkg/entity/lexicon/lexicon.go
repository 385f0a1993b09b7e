// Package lexicon holds the words by which values are read and checked, as a table:
// numerals, months, units, currencies, words of denial, words that say what a value is
// of. A language is more rows of lexicon.tsv. All functions are pure.
package lexicon

import (
	_ "embed" // lexicon.tsv
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/colophon-dev/colophon/pkg/digest"
)

//go:embed lexicon.tsv
var data string

// anyLanguage in the language's column means that a row counts in all languages.
const anyLanguage = "*"

// listLanguages are those that the table knows, ISO 639-1.
func listLanguages() []string { return []string{"en", "fr", "pt", "it"} }

// tableRow is one line of the table: words of one class that mean one thing.
type tableRow struct {
	Class    string   // what the words are, such as numeral or negation
	Language string   // ISO 639-1 or anyLanguage
	Value    string   // what they mean: a number, a symbol, a kind; may be empty
	Words    []string // as they are written; folded by Fold but for classes of symbols
}

// wordMeaning is what a word or phrase means.
type wordMeaning struct {
	Value    string
	Language string
}

// class is one class's rows by their words.
type class struct {
	words   map[string][]wordMeaning
	longest int            // words of the longest phrase
	first   map[string]int // words of the longest phrase that begins with a word
}

// symbols are the classes whose words count as written, capital letters too: MW is not mW.
func symbols() []string { return []string{"unit_symbol", "currency_symbol", "currency_code"} }

var classes = sync.OnceValue(func() map[string]class {
	rows, err := parse(data)
	if err != nil {
		panic(err) // the file is part of the build: its test parses it
	}
	out := make(map[string]class)
	for _, r := range rows {
		c, ok := out[r.Class]
		if !ok {
			c.words, c.first = make(map[string][]wordMeaning), make(map[string]int)
		}
		for _, w := range r.Words {
			c.add(w, r)
			if divided := divideElided(w); divided != w {
				c.add(divided, r)
			}
		}
		out[r.Class] = c
	}
	return out
})

func (c *class) add(w string, r tableRow) {
	c.words[w] = append(c.words[w], wordMeaning{Value: r.Value, Language: r.Language})
	if parts := strings.Fields(w); len(parts) > 0 {
		c.longest = max(c.longest, len(parts))
		c.first[parts[0]] = max(c.first[parts[0]], len(parts))
	}
}

// divideElided divides a phrase as texts are divided into words, behind apostrophes: "d'ici" is found as "d' ici".
func divideElided(w string) string {
	return strings.TrimSpace(strings.ReplaceAll(w, "'", "' "))
}

// parse reads the table. A line that has not four columns, or that has an unknown language, is an error.
func parse(text string) (rows []tableRow, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("lexicon.tsv:%d: %d columns, must be 4", n, len(cells))
		}
		if cells[1] != anyLanguage && !slices.Contains(listLanguages(), cells[1]) {
			return nil, fmt.Errorf("lexicon.tsv:%d: language %q", n, cells[1])
		}
		r := tableRow{Class: cells[0], Language: cells[1], Value: cells[2]}
		for w := range strings.SplitSeq(cells[3], "|") {
			if !slices.Contains(symbols(), r.Class) {
				w = Fold(w)
			}
			if w == "" {
				return nil, fmt.Errorf("lexicon.tsv:%d: an empty word", n)
			}
			r.Words = append(r.Words, w)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Fold returns a word or phrase as the table's are compared: textnorm_v1, hyphens as spaces.
func Fold(s string) string {
	if isPlainWord(s) { // as most are
		return strings.ToLower(s)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(digest.TextNormV1(s), "-", " ")), " ")
}

// isPlainWord reports whether a text is letters and digits of ASCII alone.
func isPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Lookup returns what a folded word or phrase means in a class and a language. An unknown or
// empty language means all.
func Lookup(name, language, word string) (value string, ok bool) {
	for _, m := range classes()[name].words[word] {
		if speaks(m.Language, language) {
			return m.Value, true
		}
	}
	return "", false
}

// Has reports whether a folded word or phrase is in a class.
func Has(name, language, word string) bool {
	_, ok := Lookup(name, language, word)
	return ok
}

// Longest returns how many words the longest phrase of a class has.
func Longest(name string) int { return classes()[name].longest }

// LookupPhrase returns what the longest phrase that begins the folded words means in a class,
// and how many words it has; 0 when none does.
func LookupPhrase(name, language string, words []string) (value string, n int) {
	if len(words) == 0 {
		return "", 0
	}
	for n = min(classes()[name].first[words[0]], len(words)); n > 0; n-- {
		if v, ok := Lookup(name, language, strings.Join(words[:n], " ")); ok {
			return v, n
		}
	}
	return "", 0
}

func speaks(row, language string) bool {
	if row == anyLanguage || row == language {
		return true
	}
	switch language {
	case "en", "fr", "pt", "it": // Languages
		return false
	default:
		return true
	}
}

// Words returns the words and phrases of a class in a language, of all where it is unknown.
func Words(name, language string) (out []string) {
	for w, matches := range classes()[name].words {
		for _, m := range matches {
			if speaks(m.Language, language) {
				out = append(out, w)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}
