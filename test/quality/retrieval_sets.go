package quality

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// questionSet is documents and questions about them, of which it is known which documents
// answer.
type questionSet struct {
	name      string
	documents []labelledText
	questions []labelledText
	relevant  map[string]map[string]bool // by question: documents that answer
}

// labelledText is a document or a question.
type labelledText struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// readQuestionSets reads the folders below corpus/retrieval, in the order of their names:
// corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and qrels.tsv (query-id,
// corpus-id, score; with a heading), the form of the BEIR sets. Documents of a score above
// 0 answer; questions without any are left out.
func readQuestionSets(corpus string) ([]questionSet, error) {
	folders, err := filepath.Glob(filepath.Join(corpus, "retrieval", "*", "corpus.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(folders)
	var sets []questionSet
	for _, path := range folders {
		set, err := readQuestionSet(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func readQuestionSet(dir string) (questionSet, error) {
	set := questionSet{name: filepath.Base(dir), relevant: make(map[string]map[string]bool)}
	documents, err := readLabelled(filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return set, err
	}
	set.documents = documents
	known := make(map[string]bool, len(documents))
	for _, d := range documents {
		known[d.ID] = true
	}
	data, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		return set, err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) != 3:
			return set, fmt.Errorf("%s: line %d of qrels.tsv has %d fields, wanted 3", dir, i+1, len(fields))
		case i == 0 || fields[2] == "0":
			continue
		case !known[fields[1]]:
			return set, fmt.Errorf("%s: qrels.tsv names the document %s, which is not in corpus.jsonl", dir, fields[1])
		case set.relevant[fields[0]] == nil:
			set.relevant[fields[0]] = make(map[string]bool)
		}
		set.relevant[fields[0]][fields[1]] = true
	}
	if set.questions, err = readLabelled(filepath.Join(dir, "queries.jsonl")); err != nil {
		return set, err
	}
	set.questions = slices.DeleteFunc(set.questions, func(q labelledText) bool { return len(set.relevant[q.ID]) == 0 })
	if len(set.questions) == 0 {
		return set, fmt.Errorf("%s: no question has an answer", dir)
	}
	return set, nil
}

func readLabelled(path string) (all []labelledText, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewDecoder(bufio.NewReader(f))
	for lines.More() {
		var one labelledText
		if err := lines.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// page is a document as a text file: its title, if it has one, and each of its lines as a
// paragraph.
func (t labelledText) page() string {
	var b strings.Builder
	for line := range strings.Lines(t.Title + "\n" + t.Text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n\n")
		}
	}
	return b.String()
}
