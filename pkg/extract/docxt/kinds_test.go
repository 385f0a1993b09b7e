package docxt

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
)

// TestEachRowOfKinds: the heading that a row gives as its example has the row's kind, by
// this row alone: without it the heading has another kind, or none.
func TestEachRowOfKinds(t *testing.T) {
	all, err := parseKinds(kindsTSV)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for i, r := range l.source {
			if got := l.kind(wordsOf(r.example)); got != r.kind {
				t.Errorf("%s: %q is %q, want %q", l.lang, r.example, got, r.kind)
				continue
			}
			without := l
			without.rows = map[string][]kindRow{}
			for _, other := range slices.Concat(l.source[:i], l.source[i+1:]) {
				for _, word := range other.words[0] {
					without.rows[word] = append(without.rows[word], other)
				}
			}
			if without.kind(wordsOf(r.example)) == r.kind {
				t.Errorf("%s: %q is %s also without its row %v", l.lang, r.example, r.kind, r.words)
			}
		}
	}
}

// TestKindOf: which phrase of a heading says its kind, and by the words of which language.
func TestKindOf(t *testing.T) {
	in := func(lang string, sure float64, others ...string) *model.Language {
		l := &model.Language{Lang: lang, Confidence: sure}
		for _, code := range others {
			l.Languages = append(l.Languages, model.LanguageShare{Code: code})
		}
		return l
	}
	for _, c := range []struct {
		heading string
		page    *model.Language
		want    string
	}{
		{"GOALS AND OBJECTIVES", in("en", 1), "goal"},
		{"2.1.3 – Goals:", in("en", 1), "goal"},
		{"Chapter IV. Monitoring", in("en", 1), "monitoring"},
		{"(c) Monitoring", in("en", 1), "monitoring"},
		{"Outreach goals", in("en", 1), "goal"},                                                 // the last word is the head
		{"Goals for outreach", in("en", 1), "goal"},                                             // but for what follows "for"
		{"Plan for monitoring", in("en", 1), "monitoring"},                                      // a plan says less
		{"Gaps in monitoring", in("en", 1), "monitoring"},                                       // gaps are none of the kinds, what they are in is
		{"What the long dry summer did to wells and to our monitoring", in("en", 1), "generic"}, // a sentence
		{"Why monitoring matters", in("en", 1), "generic"},
		{"Well-being - goals", in("en", 1), "goal"}, // a dash divides, a hyphen does not
		{"Goal-keepers", in("en", 1), "generic"},
		{"Planning, outreach and funding", in("en", 1), "outreach"}, // the first that says one
		{"Computer vision", in("en", 1), "generic"},
		{"Plan de suivi", in("fr", 1), "monitoring"},
		{"Les objectifs du programme d’actions", in("fr", 1), "goal"},
		{"Sommaire", in("fr", 1), "administrative"},
		{"Sommario", in("it", 1), "administrative"},
		{"DAS DISPOSIÇÕES FINAIS", in("pt", 1), "administrative"},
		{"Goals", in("fr", 1), "generic"},          // no word of French
		{"Goals", in("fr", 0.2), "goal"},           // the language may be another
		{"Goals", in("fr", 1, "fr", "en"), "goal"}, // the page is in both
		{"Goals", in("de", 1), "generic"},          // a language without words
		{"Goals", nil, "goal"},
		{"Goal civic pride", in("en", 1), "generic"}, // no Roman numeral, by its letters alone
		{"Table mix", in("en", 1), "generic"},        // well formed, but in lower case
		{"Table IIX", in("en", 1), "generic"},
		{"Table XIV", in("en", 1), "table"},
		{"Goal xi) Clean wells", in("en", 1), "goal"}, // a list mark
		{"xii. Monitoring", in("en", 1), "monitoring"},
		{"TABELLA DI CAMPO", in("it", 1), "generic"},                // DI counts nothing
		{"Step 3: Consult the neighbours", in("en", 1), "outreach"}, // more than a step
		{"Step 3: Wells", in("en", 1), "implementation"},
		{"What are the goals?", in("en", 1), "goal"},
		{"", nil, "generic"}, {"…", nil, "generic"}, {"3", nil, "generic"}, {"3.", in("en", 1), "generic"},
		{"\xff\x00 Goals", in("en", 1), "goal"},
		{strings.Repeat("word ", 30) + ": Goals", in("en", 1), "generic"}, // no heading
	} {
		if got := KindOf(c.heading, c.page); got != c.want {
			t.Errorf("%q on a page in %+v is %s, want %s", c.heading, c.page, got, c.want)
		}
	}
}

// TestKindsAreTheSeeds: each kind that seeds#extraction lists has words in each of the
// four languages, and no other has; generic has exceptions alone.
func TestKindsAreTheSeeds(t *testing.T) {
	want := strings.Split("summary goal bmp implementation monitoring outreach administrative table figure footnote", " ")
	slices.Sort(want)
	var langs []string
	for _, l := range lexica() {
		langs = append(langs, l.lang)
		var got []string
		for _, r := range l.source {
			if r.kind != kindGeneric {
				got = append(got, r.kind)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s has words of %v", l.lang, got)
		}
	}
	if !slices.Equal(langs, []string{"en", "fr", "pt", "it"}) {
		t.Errorf("words of %v", langs)
	}
}

func FuzzKindOf(f *testing.F) {
	f.Add("1.2 Goals and objectives: “water” – l’eau\u00AD e\u0301 \xff")
	f.Fuzz(func(t *testing.T, heading string) {
		if a, b := KindOf(heading, nil), KindOf(heading, nil); a != b || a == "" {
			t.Errorf("%q is %q, then %q", heading, a, b)
		}
	})
}

// TestHeadingsOfEachKind: headings that we wrote, as such documents have them, are of
// their kinds: a row may go only where no heading of the list needs it.
func TestHeadingsOfEachKind(t *testing.T) {
	list, err := os.ReadFile("testdata/headings.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n")[1:] {
		f := strings.Split(line, "\t")
		for _, heading := range []string{f[3], strings.ToUpper(f[3]), "2.1. " + f[3] + " :"} {
			if got := KindOf(heading, &model.Language{Lang: f[1], Confidence: 1}); got != f[2] {
				t.Errorf("%s: %q is %s, want %s", f[1], heading, got, f[2])
			}
		}
	}
}
