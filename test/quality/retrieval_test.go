package quality

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGain(t *testing.T) {
	answers := map[string]bool{"a": true, "b": true}
	for _, test := range []struct {
		name         string
		ranking      []string
		ndcg, recall float64
	}{
		{"both first", []string{"b", "a", "x"}, 1, 1},
		{"one second", []string{"x", "a"}, (1 / math.Log2(3)) / (1 + 1/math.Log2(3)), 0.5},
		{"nothing", nil, 0, 0},
		{"beyond ten", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b"}, 0, 0},
	} {
		ndcg, recall := gain(test.ranking, answers)
		if math.Abs(ndcg-test.ndcg) > 1e-12 || recall != test.recall {
			t.Errorf("%s: %v, %v", test.name, ndcg, recall)
		}
	}
}

func TestPlainBM25(t *testing.T) {
	x := newBest25([]string{"The council met.", "The river rose, the RIVER fell.", "A river of the plain is long and wide and slow.", "Nothing."},
		[]string{"minutes", "flood", "flood", "empty"})
	if got := x.ranking("river council"); !slices.Equal(got, []string{"minutes", "flood"}) {
		t.Errorf("%v", got)
	}
	if got := x.ranking("River?"); !slices.Equal(got, []string{"flood"}) {
		t.Errorf("%v", got)
	}
	if got := x.ranking("élan"); got != nil {
		t.Errorf("%v", got)
	}
	// One passage of the word, of average length: idf · 2.2 / 2.2.
	y := newBest25([]string{"a b", "c d"}, []string{"1", "2"})
	if list := y.inverted["a"]; len(list) != 1 || math.Abs(list[0].weight-1) > 1e-12 {
		t.Errorf("%+v", list)
	}
}

func TestQuestionSets(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, "retrieval", "one", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("corpus.jsonl", `{"_id":"d1","title":"T","text":"one\n\n two "}`+"\n"+`{"_id":"d2","text":"three"}`+"\n")
	write("queries.jsonl", `{"_id":"q1","text":"?"}`+"\n"+`{"_id":"q2","text":"nobody answers"}`+"\n")
	write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
	sets, err := readQuestionSets(root)
	if err != nil || len(sets) != 1 || len(sets[0].questions) != 1 || len(sets[0].relevant["q1"]) != 1 {
		t.Fatalf("%+v, %v", sets, err)
	}
	if got := sets[0].documents[0].page(); got != "T\n\none\n\ntwo\n\n" {
		t.Errorf("%q", got)
	}
	of, err := writeDocuments(t.TempDir(), sets)
	if err != nil || len(of) != 2 || of["000001.txt"] != "one/d2" {
		t.Errorf("%v, %v", of, err)
	}
	write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td3\t1\n")
	if _, err := readQuestionSets(root); err == nil {
		t.Error("an answer that is no document must be an error")
	}
}

func TestRankingCountsEachDocumentByItsBestChunk(t *testing.T) {
	var a searchAnswer
	err := json.Unmarshal([]byte(`{"hits":[{"sources":[{"url":"file:///x/000001.txt"},{"url":"file:///000002.txt"}]},
		{"sources":[{"url":"file:///000001.txt"}]},{"sources":[{"url":"file:///000000.txt"},{"url":"file:///other.txt"}]}]}`), &a)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{"000000.txt": "s/a", "000001.txt": "s/b", "000002.txt": "s/c"}
	if got := a.ranking(of); !slices.Equal(got, []string{"s/b", "s/c", "s/a"}) {
		t.Errorf("%v", got)
	}
}

// TestVectorsAreKept: a text of a model is asked for once, also by another run; errors are
// passed on and not kept.
func TestVectorsAreKept(t *testing.T) {
	var texts []string
	fails := false
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		var asked embedding
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		texts = append(texts, asked.Input...)
		answer := embedded{Object: "list"}
		for i, text := range asked.Input { // the other way round: the index counts
			answer.Data = append([]oneVector{{"embedding", i, []float32{float32(len(text)), -0.5}}}, answer.Data...)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer upstream.Close()
	dir := t.TempDir()
	ask := func(model string, input ...string) (int, [][]float32) {
		t.Helper()
		k, err := keepVectors(upstream.URL+"/", dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = k.close() }()
		body, _ := json.Marshal(embedding{Model: model, Input: input})
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url+"/embeddings", strings.NewReader(string(body)))
		req.Header.Set("Authorization", "Bearer k")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		var got embedded
		_ = json.NewDecoder(answer.Body).Decode(&got)
		var vectors [][]float32
		for i, one := range got.Data {
			if one.Index != i {
				t.Errorf("vector %d has the index %d", i, one.Index)
			}
			vectors = append(vectors, one.Embedding)
		}
		return answer.StatusCode, vectors
	}
	for range 2 {
		status, got := ask("m", "aa", "b", "cccc")
		if status != http.StatusOK || len(got) != 3 || got[0][0] != 2 || got[1][0] != 1 || got[2][0] != 4 || got[2][1] != -0.5 {
			t.Fatalf("%d %v", status, got)
		}
	}
	if _, got := ask("m", "b", "dd"); len(got) != 2 || got[1][0] != 2 {
		t.Errorf("%v", got)
	}
	if _, got := ask("another", "b"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if want := []string{"aa", "b", "cccc", "dd", "b"}; !slices.Equal(texts, want) {
		t.Errorf("asked for %q, wanted %q", texts, want)
	}
	fails = true
	if status, _ := ask("m", "e"); status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
	if status, got := ask("m", "aa"); status != http.StatusOK || len(got) != 1 {
		t.Errorf("%d %v", status, got)
	}
}

func TestRetrievalReport(t *testing.T) {
	var b strings.Builder
	r := Retrieval{Collection: "kb_hash-char4-1024_1024", Chunks: 3, Sets: []SetScore{
		{Set: "faquad-pt", NDCG: 0.9301, PlainNDCG: 0.9}, {Set: "service-public-fr", NDCG: 0.9699}, {Set: "held-back", NDCG: 1},
	}}
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"≥ 0.930  reached", "≥ 0.970  not reached", "+1.0000"} {
		if !strings.HasSuffix(strings.TrimSpace(lines[i+2]), want) {
			t.Errorf("%q, wanted %q at its end", lines[i+2], want)
		}
	}
	if r.Collection = "kb_e5-passage_384"; r.goal("faquad-pt") != 0.935 {
		t.Errorf("the goal of a real model is %v", r.goal("faquad-pt"))
	}
	if got := searchSettings([]string{"COLOPHON_EMBED_URL=http://x", "EMBED_MODEL=no", "COLOPHON_NATS_URL=no", "COLOPHON_RERANK_MODEL=m=n"}); !slices.Equal(got, settings{"EMBED_URL=http://x", "RERANK_MODEL=m=n"}) || got.value("RERANK_MODEL") != "m=n" || got.value("EMBED_KEY") != "" {
		t.Errorf("%q", got)
	}
}
