package lexicon

import (
	"strings"
	"testing"
)

// The table of the build can be read, and each class that the code asks for has rows in all languages.
func TestTable(t *testing.T) {
	rows, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	have := make(map[string]map[string]bool)
	for _, r := range rows {
		if have[r.Class] == nil {
			have[r.Class] = make(map[string]bool)
		}
		have[r.Class][r.Language] = true
	}
	for _, class := range []string{"numeral", "article", "hundred", "scale", "month", "year_cue", "unit_word", "currency_word",
		"negation", "negation_idiom", "contrast", "joiner", "range_between", "label", "stop", "role", "status", "area_type"} {
		for _, lang := range listLanguages() {
			if !have[class][lang] {
				t.Errorf("class %s has no rows in %s", class, lang)
			}
		}
	}
}

// A table that is wrong says in which line.
func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a\ten\tb":         "lexicon.tsv:1: 3 columns",
		"# x\na\txx\tb\tc": "lexicon.tsv:2: language",
		"a\ten\tb\tc||d":   "lexicon.tsv:1: an empty word",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Phrases are found longest first, in the page's language, and in all when it is not known.
func TestLookupPhrase(t *testing.T) {
	for _, c := range []struct {
		class, lang string
		words       []string
		want        string
		n           int
	}{
		{"unit_word", "en", []string{"cubic", "feet", "per", "second", "now"}, "cfs", 4},
		{"unit_word", "en", []string{"cubic", "feet", "of"}, "ft³", 2},
		{"unit_word", "pt", []string{"por", "cento"}, "%", 2},
		{"unit_word", "", []string{"per", "cento"}, "%", 2},
		{"unit_word", "en", []string{"hectares"}, "ha", 1},
		{"month", "it", []string{"march"}, "", 0},
		{"status", "fr", []string{"en", "cours"}, "in-progress", 2},
		{"area_type", "fr", []string{"cours", "d'", "eau"}, "hydrologic", 3},
	} {
		if v, n := LookupPhrase(c.class, c.lang, c.words); v != c.want || n != c.n {
			t.Errorf("%s %s %q: %q, %d", c.class, c.lang, c.words, v, n)
		}
	}
}
