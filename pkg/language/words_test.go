package language

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// The files of words are named as their languages are called elsewhere, and are
// in the form in which texts are compared.
func TestWords(t *testing.T) {
	entries, err := words.ReadDir("words")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		code := strings.TrimSuffix(e.Name(), ".txt")
		if got := Code(code); got != code {
			t.Errorf("%s is called %q", code, got)
		}
		text, err := words.ReadFile("words/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !norm.NFC.IsNormal(text) {
			t.Errorf("%s is not in NFC", code)
		}
		if list, _, ok := strings.Cut(string(text), "\n\n"); !ok || len(vocabularyOf(list)) < 50 {
			t.Errorf("%s needs a list of frequent words, an empty line and some text", code)
		}
	}
}
