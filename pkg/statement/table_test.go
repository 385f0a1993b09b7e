package statement

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestEachRowHasItsExample: each pattern of each row is matched by an example beside it, which comes
// out as what the row gives; and each set is used.
func TestEachRowHasItsExample(t *testing.T) {
	for _, language := range Languages() {
		rows, err := Rows(language)
		if err != nil {
			t.Fatal(err)
		}
		sets := make(map[string][]string)
		for _, r := range rows {
			if r.Table == tableSet {
				sets[r.Gives] = append(sets[r.Gives], r.Words...)
			}
		}
		used := ""
		for _, r := range rows {
			if r.Table == tableSet {
				continue
			}
			name := fmt.Sprintf("%s.tsv:%d", language, r.Line)
			for _, p := range append(slices.Clone(r.Words), r.Unless...) {
				used += p + " "
			}
			for _, p := range r.Words {
				parsed, err := parsePattern(p, sets)
				if err != nil {
					t.Fatalf("%s: %q: %v", name, p, err)
				}
				if !slices.ContainsFunc(r.Examples, func(e string) bool { return anyMatch([]pattern{parsed}, wordsOf(e)) }) {
					t.Errorf("%s: no example of %q: %q", name, p, r.Examples)
				}
			}
			for _, e := range r.Examples {
				if got := comesOut(language, r.Table, e); !slices.Contains(got, r.Gives) {
					t.Errorf("%s: %q comes out as %q, not %q", name, e, got, r.Gives)
				}
			}
		}
		for set := range sets {
			if !strings.Contains(used, "<"+set+">") {
				t.Errorf("%s: set %s is not used", language, set)
			}
		}
	}
}

// comesOut is what a table makes of an example.
func comesOut(language, table, example string) []string {
	switch table {
	case tableSays:
		typ, status := Sentence(language, example)
		return []string{strings.TrimSpace(string(typ) + " " + string(status))}
	case tableDate:
		d, _ := DateOf(language, example)
		return []string{d.Kind}
	case tableKind:
		return []string{KindOf(language, example, nil)}
	}
	var got []string
	for h := range tables().of(language).find(wordsOf(example), table) {
		got = append(got, h.row.gives)
	}
	return got
}

// TestSourcesHaveTheirDefault: each type of a source has one row.
func TestSourcesHaveTheirDefault(t *testing.T) {
	rows, err := Rows("sources")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]model.ChunkType{"comment": model.ChunkOpinion, "forum": model.ChunkOpinion}
	for _, s := range model.SourceTypes() {
		n := 0
		for _, r := range rows {
			if slices.Equal(r.Words, []string{s}) {
				n++
			}
		}
		expected := model.ChunkFact
		if w, ok := want[s]; ok {
			expected = w
		}
		if got := Judge("", s, nil).Type; n != 1 || got != expected {
			t.Errorf("%s has %d rows and is %s", s, n, got)
		}
	}
}

func TestRowsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"says\tfact\tx":                 "x.tsv:1: 3 columns",
		"\n\nlie\tfact\ta word\t-\tb":   "x.tsv:3: there is no table",
		"says\tlie\ta word\t-\tb":       `"lie" is nothing that a sentence can be`,
		"says\tfact\t-\t-\tb":           "without words",
		"actor\tghost\ta\t-\tb":         "is no actor",
		"date\tsome\ta\t-\tb":           "is no sort of date",
		"source\tfact\tnewspaper\t-\tb": "is no type of a source",
	} {
		if _, err := parseRows("x.tsv", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for p, want := range map[string]string{
		"":         "the first element",
		".. a":     "the first element",
		"[a] ..":   "the first element",
		"*ing":     "begins too many",
		"ab* c":    "begins too many",
		"a [b":     "has no end",
		"<none> b": "no set",
		"a $ b":    "behind $",
		"a |b":     "empty word",
		"abc*d e":  "no word",
	} {
		if _, err := parsePattern(p, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", p, err, want)
		}
	}
}
