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

// TestAnAddedLanguage: a file of words more is a language more, and what the others are
// found in stays.
func TestAnAddedLanguage(t *testing.T) {
	files, err := Words()
	if err != nil {
		t.Fatal(err)
	}
	// Quenya, of which no file of words knows anything; it is written for this test.
	files["qya.txt"] = "i ar na nar ve lá an elen sila lumenn omentielvo aure entuluva namarie eldar laurie lantar lassi surinen yeni unotime\n\n" +
		"I eldar lantar ve lassi i surinen ar yeni unotime nar laurie. Elen sila lumenn omentielvo, ar aure entuluva an i eldar.\n"
	added, err := Train(files)
	if err != nil {
		t.Fatal(err)
	}
	const text = "Laurie nar i lassi ve i elen sila, ar eldar lantar an aure entuluva lumenn omentielvo ar yeni unotime namarie surinen."
	detected := func(languages *Languages, text string) string {
		if l := New(Hints{Memory: &Memory{Languages: languages}}, "").Block(text, ""); l != nil {
			return l.Lang
		}
		return ""
	}
	if got := detected(nil, text); got == "qya" {
		t.Error("it is known without its file")
	}
	if got := detected(added, text); got != "qya" {
		t.Errorf("with its file the text is in %q", got)
	}
	for want, sample := range samples {
		if before, after := detected(nil, sample), detected(added, sample); before != after {
			t.Errorf("a text in %s: %q before the file and %q with it", want, before, after)
		}
	}
	if _, err := Train(map[string]string{"xx.txt": "1 2 3\n"}); err == nil {
		t.Error("a language without words")
	}
	many := make(map[string]string)
	for i := range width + 1 {
		many[string(rune('a'+i/26))+string(rune('a'+i%26))+".txt"] = "word"
	}
	if _, err := Train(many); err == nil {
		t.Error("more languages of a script than can be told apart")
	}
}
