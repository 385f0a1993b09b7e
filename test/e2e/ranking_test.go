package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/test/programs"
	"github.com/colophon-dev/colophon/test/questions"
)

// golden is the ranking of the forty questions, as it was last looked at.
const golden = "testdata/ranking.tsv"

// rankedHits is how many hits of each question the golden file has; foundHits among how
// many the passage counts as found.
const (
	rankedHits = 3
	foundHits  = 10
)

// TestRanking: forty questions over documents of our own find what they found when the
// file was last looked at, in the same order and with the same scores. -update rewrites it.
func TestRanking(t *testing.T) {
	programs.NeedServers(t)
	set, err := questions.Read()
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	for _, d := range set.Documents {
		if err := os.WriteFile(filepath.Join(files, d.ID+path.Ext(d.File)), d.Content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := startDev(t, t.TempDir(), nil)
	w.must(0, "capture", "--wait", "--at", "2026-01-01T00:00:00Z", files)
	values, err := config.ReadFile(filepath.Join(w.dir, config.EndpointsFile))
	if err != nil {
		t.Fatal(err)
	}
	gateway := values[config.Prefix+"GATEWAY_URL"]
	var b strings.Builder
	b.WriteString("question\tplace\tscore\tdocument\tanswers\tends\n")
	first, found := 0, 0
	for _, id := range set.Golden {
		question, passage := goldenQuestion(t, set, id)
		hits := rank(t, gateway, question)
		if at := slices.IndexFunc(hits, func(h ranked) bool { return h.answers(passage) }); at == 0 {
			first++
			found++
		} else if at > 0 {
			found++
		}
		for i, h := range hits[:min(rankedHits, len(hits))] {
			fmt.Fprintf(&b, "%s\t%d\t%.4f\t%s\t%t\t%s\n", id, i+1, h.Score, path.Base(h.URL), h.answers(passage), h.ends())
		}
	}
	fmt.Fprintf(&b, "# of %d questions %d are answered by the first hit, %d by one of the first %d\n", len(set.Golden), first, found, foundHits)
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Fatal(golden + " is rewritten: run again without -update")
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			t.Fatalf("the ranking is another from line %d on: look at it, then run with -update\n%s", i+1, b.String())
		}
	}
}

// goldenQuestion returns a question and the passage that answers it.
func goldenQuestion(t *testing.T, set questions.Set, id string) (question, passage string) {
	t.Helper()
	for _, q := range slices.Concat(set.Questions, set.Unasked) {
		if q.ID == id {
			return q.Text, q.Passage
		}
	}
	for _, r := range set.References {
		if r.ID == id {
			return r.Text, r.Passage
		}
	}
	t.Fatalf("the golden question %s is none of the set", id)
	return "", ""
}

// ranked is what is read of a hit.
type ranked struct {
	Score   float64 `json:"score"`
	URL     string  `json:"url"`
	Content string  `json:"content"`
}

// answers reports whether a hit has more than half of a passage.
func (h ranked) answers(passage string) bool { return questions.Share(h.Content, passage) > 0.5 }

// ends is the end of what a hit says, by which a reader knows it: chunks of a section
// begin alike.
func (h ranked) ends() string {
	words := strings.Fields(h.Content)
	return "… " + strings.Join(words[max(0, len(words)-8):], " ")
}

func rank(t *testing.T, gateway, question string) []ranked {
	t.Helper()
	query := url.Values{"q": {question}, "limit": {fmt.Sprint(foundHits)}, "boxes": {"false"}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, gateway+"/v1/search?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var found struct {
		Hits []ranked `json:"hits"`
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%q: %s, %v", question, response.Status, err)
	}
	return found.Hits
}
