package questions

import (
	"slices"
	"strings"
	"testing"
)

// TestStoriesAreToldByTheirDocuments: each answer is in its document once, the document
// was published by the date of the question, and of its URL there is no newer one by then.
func TestStoriesAreToldByTheirDocuments(t *testing.T) {
	tellings, asked, err := ReadStories()
	if err != nil {
		t.Fatal(err)
	}
	stories, urls := map[string]int{}, map[string]int{}
	for i, d := range tellings {
		stories[d.Story]++
		urls[d.URL]++
		if i > 0 && tellings[i-1].Story == d.Story && tellings[i-1].Date.After(d.Date) {
			t.Errorf("%s is older than what stands before it", d.ID)
		}
	}
	if stories["soupcon"] != 3 || stories["regulation"] != 3 || stories["notice"] != 2 || urls["https://www.alvordosal.example/regulamentos/mercado"] != 3 {
		t.Errorf("stories %v, URLs %v", stories, urls)
	}
	for _, q := range asked {
		i := slices.IndexFunc(tellings, func(d Telling) bool { return d.ID == q.Document })
		if i < 0 || tellings[i].Story != q.Story {
			t.Fatalf("no document %q in %s", q.Document, q.Story)
		}
		d := tellings[i]
		text, err := d.Text()
		if err != nil {
			t.Fatal(err)
		}
		if n := Count(text, q.Passage); n != 1 {
			t.Errorf("%s: the passage is there %d times: %s", d.ID, n, q.Passage)
		}
		if day := d.Date.Format("2006-01-02"); day > q.AsOf {
			t.Errorf("%s of %s is asked for as of %s", d.ID, day, q.AsOf)
		}
		for _, other := range tellings {
			if day := other.Date.Format("2006-01-02"); other.URL == d.URL && day <= q.AsOf && other.Date.After(d.Date) {
				t.Errorf("%s: %s is current as of %s", d.ID, other.ID, q.AsOf)
			}
		}
	}
}

// TestTheNoticeIsOneText: both sources publish the same words.
func TestTheNoticeIsOneText(t *testing.T) {
	tellings, _, err := ReadStories()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range tellings {
		if d.Story != "notice" {
			continue
		}
		text, err := d.Text()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if len(texts) != 2 || texts[0] != texts[1] {
		t.Errorf("%d texts, or they differ", len(texts))
	}
}

// TestSentencesAreMarked: 300 and 250 more, half of each unseen, four languages, and the three types
// about equally often; no sentence in two sets. What the unseen ones are is not printed.
func TestSentencesAreMarked(t *testing.T) {
	once := map[string]bool{}
	for _, name := range SentenceSets() {
		set, err := ReadSentences(name)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for i, s := range set {
			if once[s.Text] {
				t.Errorf("%s %d is there twice", name, i+1)
			}
			once[s.Text] = true
			if !slices.Contains([]string{"fact", "allegation", "opinion"}, s.Type) || !slices.Contains([]string{"", "confirmed", "refuted", "under_review", "obsolete"}, s.Status) {
				t.Errorf("%s %d is %q, %q", name, i+1, s.Type, s.Status)
			}
			counts[s.Language+" "+s.Type]++
			counts[s.Status]++
		}
		t.Logf("%s: %v", name, counts)
		least, ofEach, statuses := 150, 12, 4
		if strings.HasSuffix(name, "-2") { // written for types: few of its sentences say a status
			least, ofEach, statuses = 120, 9, 0
		}
		if len(set) < least {
			t.Errorf("%s: %d sentences", name, len(set))
		}
		for _, language := range []string{"en", "fr", "it", "pt"} {
			for _, kind := range []string{"fact", "allegation", "opinion"} {
				if counts[language+" "+kind] < ofEach {
					t.Errorf("%s: %d of %s %s", name, counts[language+" "+kind], language, kind)
				}
			}
		}
		for _, status := range []string{"confirmed", "refuted", "under_review", "obsolete"} {
			if counts[status] < statuses {
				t.Errorf("%s: %d are %s", name, counts[status], status)
			}
		}
	}
	if _, err := ReadSentences("another"); err == nil {
		t.Error("a set that does not exist is read")
	}
}
