package retrieval

import (
	"slices"
	"strings"
	"testing"
)

// TestWordsHaveTheirPlaces: what folds to several characters, or to others, is where it was.
func TestWordsHaveTheirPlaces(t *testing.T) {
	for text, want := range map[string][]string{
		"Acme™ has 12 m² of ½ Å, 5㎞.": {"acmeTM=Acme™", "has=has", "12=12", "m2=m²", "of=of", "1=½", "2=½", "a=Å", "5km=5㎞"},
		"QUÓRUM me\u0301diation":      {"quorum=QUÓRUM", "mediation=me\u0301diation"},
		"x\u0301\u0301-ﬁn\u00a0①":     {"x=x\u0301\u0301", "fin=ﬁn", "1=①"},
		"ab\xffcd":                    {"ab=ab", "cd=cd"},
		"  \n":                        nil,
	} {
		var got []string
		for w := range Words(text) {
			got = append(got, w.Text+"="+text[w.Start:w.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzWords: whoever finds a word by its place finds the word of which vectors were made.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"", "12 m² ½ ™ ﬁn", "ab\xff\xc3", "e\u0301\u0301", "\u1e9b\u0323", "İI ς Σ", "ﷺ", "각\u1100\u1161\u11a8", "\u1100\u1161", "a\ufeffb",
		strings.Repeat("\u0301", 70) + "a", "a" + strings.Repeat("\u0327\u0301", 40), "\u0345\u0391\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got []string
		last := 0
		for w := range Words(text) {
			if w.Start < last || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: %+v after a word that began at %d", text, w, last)
			}
			last = w.Start
			got = append(got, w.Text)
		}
		if want := Analyze(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, Analyze says %q", text, got, want)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("Le quórum mínimo des sessions est de sept membres (12 m²), dit l’arrêté. ", 30)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range Words(text) {
		}
	}
}
