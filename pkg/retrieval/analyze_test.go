package retrieval

import (
	"math"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestAnalyze(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"no words", " — «…» ! \n", nil},
		{"case and accents", "QUÓRUM Mínimo", []string{"quorum", "minimo"}},
		{"decomposed accents do not divide", "me\u0301diation", []string{"mediation"}},
		{"elision and hyphen divide", "L'arrêté-cadre d’été", []string{"l", "arrete", "cadre", "d", "ete"}},
		{"digits belong to words", "Art. 2º, §1, RN259", []string{"art", "2o", "1", "rn259"}},
		{"compatibility forms", "ﬁn ① Ⅳ", []string{"fin", "1", "iv"}},
		{"underscore divides", "a_b", []string{"a", "b"}},
		{"other scripts", "Ελλάδα Москва 東京", []string{"ελλαδα", "москва", "東京"}},
		{"not UTF-8 divides", "ab\xffcd", []string{"ab", "cd"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Analyze(test.text); !slices.Equal(got, test.want) {
				t.Errorf("Analyze(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestGrams(t *testing.T) {
	for word, want := range map[string][]string{
		"<a>":      {"<a>"},
		"<ab>":     {"<ab>"},
		"<abc>":    {"<abc", "abc>"},
		"<東京都庁>":   {"<東京都", "東京都庁", "京都庁>"},
		"<norma>":  {"<nor", "norm", "orma", "rma>"},
		"<\u00ba>": {"<\u00ba>"},
	} {
		if got := slices.Collect(grams(word)); !slices.Equal(got, want) {
			t.Errorf("grams(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	got := slices.Collect(terms("Os prazos mínimos"))
	want := []string{"<os>", "<prazos>", "<praz", "<minimos>", "<mini", "<minimo"}
	if !slices.Equal(got, want) {
		t.Errorf("terms = %q, want %q", got, want)
	}
}

// FuzzAnalyze holds what must be so for every text, valid UTF-8 or not.
func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{"", "Art. 2º - Os prazos", "ab\xff\xc3", "e\u0301\u0301", "\u1e9b\u0323", "İI ς Σ", "ﷺ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range Analyze(text) {
			if word == "" || !utf8.ValidString(word) {
				t.Fatalf("word %q", word)
			}
		}
		for _, vector := range []func(string) ([]uint32, []float32){Sparse, SparseQuery} {
			indices, values := vector(text)
			if len(indices) != len(values) || !slices.IsSorted(indices) || len(slices.Compact(slices.Clone(indices))) != len(indices) {
				t.Fatalf("%d indices, %d values, or not ascending", len(indices), len(values))
			}
			for _, value := range values {
				if !(value > 0 && value < bm25K1+1) {
					t.Fatalf("weight %v", value)
				}
			}
		}
		var squares float64
		for _, x := range HashVector(text) {
			squares += float64(x) * float64(x)
		}
		if squares != 0 && math.Abs(squares-1) > 1e-5 {
			t.Fatalf("length² %v", squares)
		}
	})
}
