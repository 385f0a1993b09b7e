package questions

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed *.tsv documents stories
var files embed.FS

// Document is one document, as a server would give it out.
type Document struct {
	ID       string
	File     string // its path in this package: .html, .txt or .md
	Language string // ISO 639-1
	Kind     string // statute, plan, minutes, report, manual, judgment; of stories also post, notice
	Title    string
	URL      string
	Date     time.Time // the day, in UTC, on which it was published
	Content  []byte    // UTF-8
}

// Question is a question and the passage of a document that answers it.
type Question struct {
	ID       string
	Language string // of the question, which is not always the document's
	Document string // Document.ID
	Kind     string // number, date, name, definition, exception, procedure, fact, allegation, opinion
	// Shares is "letters" where question and passage have rare words in common, "meaning"
	// where the question uses words that the passage does not.
	Shares  string
	Text    string
	Passage string // as Holds compares it, it is in the document exactly once
}

// Reference is a question whose words lead to a passage (Pointer) that only names the
// place of the answer; the answer is in Passage, in the same document.
type Reference struct {
	ID       string
	Language string
	Document string
	Text     string
	Pointer  string
	Passage  string
}

// Set is everything but the sentences.
type Set struct {
	Documents  []Document
	Questions  []Question
	Unasked    []Question // committed before they were first asked of the program
	References []Reference
	Golden     []string // ids of Questions and References, in the order of the golden file
}

// Read returns the set. An error names the file and the line that is not as it must be.
func Read() (Set, error) {
	var s Set
	var err error
	if s.Documents, err = readDocuments("documents.tsv"); err != nil {
		return s, err
	}
	if s.Questions, err = readQuestions("questions.tsv"); err != nil {
		return s, err
	}
	if s.Unasked, err = readQuestions("unasked.tsv"); err != nil {
		return s, err
	}
	rows, err := readRows("references.tsv", "id", "language", "document", "question", "pointer", "passage")
	if err != nil {
		return s, err
	}
	for _, r := range rows {
		s.References = append(s.References, Reference{ID: r[0], Language: r[1], Document: r[2], Text: r[3], Pointer: r[4], Passage: r[5]})
	}
	rows, err = readRows("golden.tsv", "id")
	for _, r := range rows {
		s.Golden = append(s.Golden, r[0])
	}
	return s, err
}

// Document returns the document with an id, and whether there is one.
func (s Set) Document(id string) (Document, bool) {
	i := slices.IndexFunc(s.Documents, func(d Document) bool { return d.ID == id })
	if i < 0 {
		return Document{}, false
	}
	return s.Documents[i], true
}

func readQuestions(name string) ([]Question, error) {
	rows, err := readRows(name, "id", "language", "document", "kind", "shares", "question", "passage")
	var all []Question
	for _, r := range rows {
		all = append(all, Question{ID: r[0], Language: r[1], Document: r[2], Kind: r[3], Shares: r[4], Text: r[5], Passage: r[6]})
	}
	return all, err
}

func readDocuments(name string) ([]Document, error) {
	rows, err := readRows(name, "id", "file", "language", "kind", "title", "url", "date")
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, r := range rows {
		d, err := readDocument(r...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// readDocument returns the document of a row: id, file, language, kind, title, URL, date.
func readDocument(row ...string) (Document, error) {
	d := Document{ID: row[0], File: row[1], Language: row[2], Kind: row[3], Title: row[4], URL: row[5]}
	var err error
	if d.Date, err = time.Parse(time.DateOnly, row[6]); err != nil {
		return d, fmt.Errorf("%s: %w", d.ID, err)
	}
	if d.Content, err = files.ReadFile(d.File); err != nil {
		return d, fmt.Errorf("%s: %w", d.ID, err)
	}
	return d, nil
}

// readRows returns the rows of a table whose first line names its columns. No cell is
// empty, and none has white space around it.
func readRows(name string, columns ...string) ([][]string, error) {
	data, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != strings.Join(columns, "\t") {
		return nil, fmt.Errorf("%s: the first line is %q", name, lines[0])
	}
	var rows [][]string
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(columns) || slices.ContainsFunc(cells, func(c string) bool { return c == "" || strings.TrimSpace(c) != c }) {
			return nil, fmt.Errorf("%s:%d: not %d full cells: %q", name, i+2, len(columns), line)
		}
		rows = append(rows, cells)
	}
	return rows, nil
}
