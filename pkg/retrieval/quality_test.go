package retrieval

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestQuality prints nDCG@10 on labelled questions. COLOPHON_CORPUS names a
// folder whose retrieval/NAME/ folders hold corpus.jsonl (_id, title, text),
// queries.jsonl (_id, text) and qrels.tsv (query-id, corpus-id, score; with a
// heading), the form of the BEIR sets. Without it the test is skipped.
//
// "doc" searches each set alone, whole documents; "all" searches chunks of 140
// words of all sets in one index, a document counting by its best chunk.
func TestQuality(t *testing.T) {
	root := os.Getenv("COLOPHON_CORPUS")
	if root == "" {
		t.Skip("COLOPHON_CORPUS names no corpus")
	}
	folders, err := filepath.Glob(filepath.Join(root, "retrieval", "*", "corpus.jsonl"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no retrieval sets in %s: %v", root, err)
	}
	var sets []labelled
	all := newIndex()
	for _, path := range folders {
		set := readLabelled(t, filepath.Dir(path))
		for _, document := range set.documents {
			for _, chunk := range chunks(document.text) {
				all.add(document.id, chunk)
			}
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		alone := newIndex()
		for _, document := range set.documents {
			alone.add(document.id, document.text)
		}
		report(t, set, "doc", alone)
		report(t, set, "all", all)
	}
}

func report(t *testing.T, set labelled, view string, index *corpusIndex) {
	const depth = 100
	weights := []float64{0, 0.1, 0.2, HashDenseWeight, 0.5, 1}
	totals := make([]float64, len(weights))
	asked := 0
	for _, question := range set.questions {
		relevant := set.relevant[question.id]
		if len(relevant) == 0 {
			continue
		}
		asked++
		dense, sparse := index.dense(question.text, depth), index.sparse(question.text, depth)
		for i, weight := range weights {
			totals[i] += ndcg10(index.ranking(Fuse(dense, sparse, weight)), relevant)
		}
	}
	for i := range totals {
		totals[i] /= float64(asked)
	}
	t.Logf("%s %s: %d questions, %.0f postings a passage; nDCG@10 sparse %.3f, fused .1 %.3f, .2 %.3f, .3 %.3f, .5 %.3f, dense %.3f",
		set.name, view, asked, float64(index.postings)/float64(len(index.vectors)),
		totals[0], totals[1], totals[2], totals[3], totals[4], totals[5])
}

type entry struct{ id, text string }

type labelled struct {
	name      string
	documents []entry
	questions []entry
	relevant  map[string]map[string]bool // question, document
}

func readLabelled(t *testing.T, dir string) labelled {
	set := labelled{name: filepath.Base(dir), relevant: map[string]map[string]bool{}}
	set.documents = readEntries(t, filepath.Join(dir, "corpus.jsonl"))
	set.questions = readEntries(t, filepath.Join(dir, "queries.jsonl"))
	data, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[2] != "1" {
			continue
		}
		if set.relevant[fields[0]] == nil {
			set.relevant[fields[0]] = map[string]bool{}
		}
		set.relevant[fields[0]][fields[1]] = true
	}
	return set
}

func readEntries(t *testing.T, path string) []entry {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var entries []entry
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		entries = append(entries, entry{line.ID, strings.TrimSpace(line.Title + " " + line.Text)})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return entries
}

// chunks cuts text into windows of 140 words, 110 words apart.
func chunks(text string) []string {
	words := strings.Fields(text)
	var list []string
	for start := 0; ; start += 110 {
		end := min(start+140, len(words))
		list = append(list, strings.Join(words[start:end], " "))
		if end == len(words) {
			return list
		}
	}
}

// corpusIndex searches as the vector store does: cosine, and the sparse product
// with the store's IDF modifier.
type corpusIndex struct {
	documents []string // of each passage
	vectors   [][]float32
	inverted  map[uint32][]posting
	postings  int
}

type posting struct {
	passage int
	weight  float32
}

func newIndex() *corpusIndex { return &corpusIndex{inverted: map[uint32][]posting{}} }

func (x *corpusIndex) add(document, text string) {
	passage := len(x.documents)
	x.documents = append(x.documents, document)
	x.vectors = append(x.vectors, HashVector(text))
	indices, values := Sparse(text)
	for i, index := range indices {
		x.inverted[index] = append(x.inverted[index], posting{passage, values[i]})
	}
	x.postings += len(indices)
}

func (x *corpusIndex) dense(question string, depth int) []Scored {
	vector := HashVector(question)
	scores := make([]float64, len(x.vectors))
	for i, other := range x.vectors {
		scores[i] = dot(vector, other)
	}
	return best(scores, depth)
}

func (x *corpusIndex) sparse(question string, depth int) []Scored {
	indices, values := SparseQuery(question)
	scores := make([]float64, len(x.vectors))
	for i, index := range indices {
		list := x.inverted[index]
		df := float64(len(list))
		idf := math.Log(1 + (float64(len(x.vectors))-df+0.5)/(df+0.5))
		for _, p := range list {
			scores[p.passage] += idf * float64(values[i]*p.weight)
		}
	}
	return slices.DeleteFunc(best(scores, depth), func(s Scored) bool { return s.Score == 0 })
}

// best returns the passages of the highest scores; an id is a passage's number.
func best(scores []float64, depth int) []Scored {
	list := make([]Scored, len(scores))
	for i, score := range scores {
		list[i] = Scored{ID: passageID(i), Score: score}
	}
	slices.SortStableFunc(list, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(depth, len(list))]
}

func passageID(i int) string { return string(rune(i + 0x10000)) }

// ranking returns the documents of hits in their order, each once.
func (x *corpusIndex) ranking(hits []Scored) []string {
	var list []string
	for _, hit := range hits {
		document := x.documents[[]rune(hit.ID)[0]-0x10000]
		if !slices.Contains(list, document) {
			list = append(list, document)
		}
	}
	return list
}

func ndcg10(ranking []string, relevant map[string]bool) float64 {
	var gain, ideal float64
	for i := range 10 {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(ranking) && relevant[ranking[i]] {
			gain += discount
		}
		if i < len(relevant) {
			ideal += discount
		}
	}
	return gain / ideal
}
