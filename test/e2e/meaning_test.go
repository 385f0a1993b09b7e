package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	embedding "github.com/colophon-dev/colophon/pkg/devtest/endpoint"
	"github.com/colophon-dev/colophon/test/programs"
)

// sayings are documents whose questions share no word with them.
func sayings() map[string]string {
	return map[string]string{
		"vehicles.txt": "The town bought nine automobiles for its guards.\n",
		"trees.txt":    "Every oak along the quay was felled in March.\n",
		"water.txt":    "The well in the lower village has run dry.\n",
	}
}

// byWords is a question in the words of its document.
const byWords = "dry village"

// sayingsAsked are what is asked, and the documents that answer.
func sayingsAsked() map[string]string {
	return map[string]string{"police cars": "vehicles.txt", "beeches sawn": "trees.txt", "exhausted fountain": "water.txt", byWords: "water.txt"}
}

// senses are what the made-up model knows of words.
func senses() map[string]string {
	return map[string]string{
		"automobiles": "car", "cars": "car", "guards": "police", "police": "police",
		"oak": "tree", "beeches": "tree", "felled": "cut", "sawn": "cut", "well": "spring", "fountain": "spring", "dry": "dry", "exhausted": "dry",
	}
}

type answer struct {
	WordsOnly  bool   `json:"words_only"`
	Collection string `json:"collection"`
	Hits       []struct {
		URL string `json:"url"`
	} `json:"hits"`
}

func ask(t *testing.T, w *world, question string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(w.must(0, "search", question, "--json").out), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// first is the file name of the best hit.
func (a answer) first() string {
	if len(a.Hits) == 0 {
		return ""
	}
	return strings.TrimPrefix(a.Hits[0].URL, "file:///")
}

// TestAnEndpointEmbeds: in other words than the document's it is found, whatever the
// endpoint does meanwhile; no chunk is lost, no text is paid twice; and another model takes
// its place without a gap.
func TestAnEndpointEmbeds(t *testing.T) {
	programs.NeedServers(t)
	const size = 64
	model := embedding.Start(t, size, senses())
	faults := []embedding.Reply{
		{Status: 429, RetryAfter: "1"}, {Status: 500, Body: "oops"}, {Vectors: [][]float32{make([]float32, size)}},
		{Body: `{"data":`}, {Hang: true}, {Status: 503, RetryAfter: "0.2"}, {Status: 401},
	}
	model.Set(func(r embedding.Request) embedding.Reply { // every second call fails, until all faults were seen
		if r.N%2 == 1 && r.N/2 < len(faults) {
			return faults[r.N/2]
		}
		return embedding.Reply{}
	})
	settings := func(name string) []string {
		return []string{
			"COLOPHON_EMBED_URL=" + model.URL, "COLOPHON_EMBED_MODEL=" + name, fmt.Sprint("COLOPHON_EMBED_DIMENSIONS=", size),
			"COLOPHON_EMBED_TIMEOUT=1s", "COLOPHON_EMBED_BATCH_TEXTS=8", "COLOPHON_RECONCILE_EVERY=1s",
		}
	}
	dir, files := t.TempDir(), t.TempDir()
	for name, text := range sayings() {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := startDev(t, dir, settings("made-up"))
	checkOutcomes(t, w.must(3, "capture", "--wait", "--json", documents(t)).out)
	w.must(0, "capture", "--wait", files)
	if n := len(model.Requests()); n < 2*len(faults) {
		t.Fatalf("%d calls: not all faults were seen", n)
	}
	checkMeaning(t, w, "made-up")
	checkPaid(t, model, 1)

	model.Set(func(embedding.Request) embedding.Reply { return embedding.Reply{Status: 500} })
	if a := ask(t, w, byWords); !a.WordsOnly || a.first() != "water.txt" {
		t.Errorf("without the endpoint: %+v", a)
	}
	if r := w.must(0, "search", byWords); !strings.Contains(r.out, "by words alone") {
		t.Errorf("people are not told: %s", r.out)
	}
	model.Set(nil)
	w.stop()

	w = startDev(t, dir, append(settings("made-up-2"), "COLOPHON_EMBED_FORMER_MODEL=made-up", fmt.Sprint("COLOPHON_EMBED_FORMER_DIMENSIONS=", size)))
	checkMeaning(t, w, "made-up")
	all, ended := whileAsked(t, w, func() { w.must(0, "index", "rebuild") })
	checkSwap(t, model, all, ended)
	checkMeaning(t, w, "made-up-2")
	checkPaid(t, model, 2)
	old := ""
	for _, line := range strings.Split(w.must(0, "index", "list").out, "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "retired" {
			old = fields[1]
		}
	}
	w.must(2, "index", "drop", "none")
	w.must(0, "index", "drop", old)
	checkMeaning(t, w, "made-up-2")
}

// checkMeaning searches in other words, and proves the whole corpus.
func checkMeaning(t *testing.T, w *world, model string) {
	t.Helper()
	for question, want := range sayingsAsked() {
		if question == byWords {
			continue
		}
		if a := ask(t, w, question); a.WordsOnly || a.first() != want || !strings.Contains(a.Collection, model) {
			t.Errorf("%q finds %s, want %s (%+v)", question, a.first(), want, a)
		}
	}
	proved := lines[map[string]any](t, w.must(0, "verify", "--all", "--json").out)
	if total := proved[len(proved)-1]; total["broken"] != 0.0 || total["verified"] != total["chunks"] {
		t.Errorf("verify: %v", total)
	}
}

// checkPaid counts how often each text of a chunk was embedded, by so many models.
func checkPaid(t *testing.T, model *embedding.Server, models int) {
	t.Helper()
	chunks := 0
	for text, n := range model.Paid() {
		if sayingsAsked()[text] != "" || strings.HasPrefix(text, numbered) {
			continue
		}
		if chunks++; n != models {
			t.Errorf("paid %d times by %d models: %q", n, models, text)
		}
	}
	if chunks < 100 {
		t.Errorf("%d texts were embedded", chunks)
	}
}
