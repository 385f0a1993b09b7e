package questions

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// read returns the set, read once by each test.
func read(t *testing.T) Set {
	t.Helper()
	s, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// textOf returns the text of the document with an id.
func textOf(t *testing.T, s Set, id string) string {
	t.Helper()
	d, found := s.Document(id)
	if !found {
		t.Fatalf("no document %q", id)
	}
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// minWords is what a document of ten pages has at least, at 330 words a page with
// headings and tables.
const minWords = 3300

// TestDocumentsAreLongAndOfManyKinds: ten pages each, five languages, kinds as README.md
// says, each once.
func TestDocumentsAreLongAndOfManyKinds(t *testing.T) {
	s := read(t)
	languages, kinds, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, d := range s.Documents {
		for _, unique := range []string{d.ID, d.File, d.Title, d.URL} {
			if seen[unique] {
				t.Errorf("%s: %q is there twice", d.ID, unique)
			}
			seen[unique] = true
		}
		languages[d.Language]++
		kinds[d.Kind]++
		if n := len(strings.Fields(textOf(t, s, d.ID))); n < minWords {
			t.Errorf("%s has %d words", d.ID, n)
		}
	}
	if len(s.Documents) < 10 || len(languages) < 5 || len(kinds) < 6 {
		t.Errorf("%d documents, languages %v, kinds %v", len(s.Documents), languages, kinds)
	}
	for language, n := range languages {
		if n < 2 {
			t.Errorf("%d documents in %s", n, language)
		}
	}
}

// TestEachPassageIsFoundOnce: a program can say which chunk holds the answer.
func TestEachPassageIsFoundOnce(t *testing.T) {
	s := read(t)
	texts := map[string]string{}
	for _, d := range s.Documents {
		texts[d.ID] = spaced(textOf(t, s, d.ID))
	}
	once := func(id, document, passage string) {
		quote := spaced(passage)
		if n := strings.Count(texts[document], quote); n != 1 {
			t.Errorf("%s: the passage is %d times in %q: %s", id, n, document, passage)
		}
		for other, text := range texts {
			if other != document && strings.Contains(text, quote) {
				t.Errorf("%s: %q holds the passage, too", id, other)
			}
		}
	}
	for _, q := range slices.Concat(s.Questions, s.Unasked) {
		once(q.ID, q.Document, q.Passage)
	}
	for _, r := range s.References {
		once(r.ID, r.Document, r.Pointer)
		once(r.ID, r.Document, r.Passage)
		if Holds(r.Pointer, r.Passage) || Holds(r.Passage, r.Pointer) {
			t.Errorf("%s: one passage is within the other", r.ID)
		}
	}
}

// TestQuestionsAreManyAndDiffer: the numbers that README.md gives, each language with its
// own, and no question asked twice.
func TestQuestionsAreManyAndDiffer(t *testing.T) {
	s := read(t)
	seen := map[string]bool{}
	once := func(id, text string) {
		if folded := strings.Join(Words(text), " "); seen[id] || seen[folded] {
			t.Errorf("%s is there twice: %s", id, text)
		} else {
			seen[id], seen[folded] = true, true
		}
	}
	languages, kinds, across, meaning := map[string]int{}, map[string]int{}, 0, 0
	for _, q := range s.Questions {
		once(q.ID, q.Text)
		if q.Shares != "letters" && q.Shares != "meaning" {
			t.Errorf("%s shares %q", q.ID, q.Shares)
		}
		if d, _ := s.Document(q.Document); d.Language == q.Language {
			languages[q.Language]++
		} else {
			across++
		}
		kinds[q.Kind]++
		if q.Shares == "meaning" {
			meaning++
		}
	}
	for _, q := range s.Unasked {
		once(q.ID, q.Text)
		if q.Shares != "meaning" {
			t.Errorf("%s shares %q", q.ID, q.Shares)
		}
	}
	for _, r := range s.References {
		once(r.ID, r.Text)
	}
	t.Logf("%d questions (%d share meaning alone, %d across languages), %v, %v; %d unasked, %d behind references",
		len(s.Questions), meaning, across, languages, kinds, len(s.Unasked), len(s.References))
	if len(s.Questions) < 120 || meaning*3 < len(s.Questions) || across == 0 || across > 10 || len(kinds) < 8 {
		t.Error("too few questions, or not of all kinds")
	}
	if len(s.Unasked) != 20 || len(s.References) < 60 {
		t.Errorf("%d unasked, %d behind references", len(s.Unasked), len(s.References))
	}
	if len(languages) != 5 || slices.Min(slices.Collect(maps.Values(languages))) < 20 {
		t.Errorf("languages %v", languages)
	}
	for _, id := range s.Golden {
		if !seen[id] || slices.ContainsFunc(s.Unasked, func(q Question) bool { return q.ID == id }) {
			t.Errorf("golden: no question %q", id)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(s.Golden)))); n != 40 || len(s.Golden) != 40 {
		t.Errorf("%d golden questions, %d different", len(s.Golden), n)
	}
}

// TestLettersAloneDoNotAnswerTheUnasked prints for how many questions BM25's first ten
// passages, of all documents, hold the answer.
func TestLettersAloneDoNotAnswerTheUnasked(t *testing.T) {
	s := read(t)
	var passages []string
	for _, d := range s.Documents {
		p, err := d.Passages()
		if err != nil {
			t.Fatal(err)
		}
		passages = append(passages, p...)
	}
	index := NewIndex(passages)
	found := func(q Question) bool {
		return slices.ContainsFunc(index.First(q.Text, 10), func(p string) bool { return Share(p, q.Passage) > 0.5 })
	}
	count := func(questions []Question, shares string) (hits, of int) {
		for _, q := range questions {
			if q.Shares != shares {
				continue
			}
			of++
			if found(q) {
				hits++
				t.Logf("%s (%s) is found", q.ID, shares)
			}
		}
		return hits, of
	}
	letters, ofLetters := count(s.Questions, "letters")
	meaning, ofMeaning := count(s.Questions, "meaning")
	unasked, ofUnasked := count(s.Unasked, "meaning")
	behind := 0
	for _, r := range s.References {
		if slices.ContainsFunc(index.First(r.Text, 10), func(p string) bool { return Share(p, r.Passage) > 0.5 }) {
			behind++
		}
	}
	t.Logf("BM25's first 10 of %d passages hold the answer of %d of %d (letters), %d of %d (meaning), %d of %d (unasked), %d of %d (behind references)",
		len(passages), letters, ofLetters, meaning, ofMeaning, unasked, ofUnasked, behind, len(s.References))
	if unasked*2 >= ofUnasked {
		t.Error("letters answer most of the unasked questions")
	}
	if behind*3 >= len(s.References) {
		t.Error("letters answer many of the questions behind references")
	}
	if float64(letters) < 0.9*float64(ofLetters) {
		t.Error("letters do not answer those that share letters")
	}
}
