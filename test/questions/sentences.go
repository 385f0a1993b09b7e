package questions

import (
	"fmt"
	"strings"
)

// Sentence is a sentence by itself, and what it is.
type Sentence struct {
	Language string
	Type     string // fact, allegation or opinion
	Status   string // confirmed, refuted, under_review or obsolete where the sentence says so, else empty
	Text     string
}

// SentenceSets are the names of the sets: the two halves of the first, and of the second, which was
// written before its author had looked at the tables.
func SentenceSets() []string { return []string{"seen", "unseen", "seen-2", "unseen-2"} }

// Unseen reports whether a set is one that who writes rules never opens: a program counts with
// it, and prints sums by type and language at most.
func Unseen(set string) bool { return strings.HasPrefix(set, "unseen") }

// ReadSentences returns the sentences of a set.
func ReadSentences(set string) ([]Sentence, error) {
	name, ok := map[string]string{
		"seen": "sentences.tsv", "unseen": "sentences-unseen.tsv",
		"seen-2": "sentences-2.tsv", "unseen-2": "sentences-unseen-2.tsv",
	}[set]
	if !ok {
		return nil, fmt.Errorf("there is no set of sentences %q", set)
	}
	return readSentences(name)
}

func readSentences(name string) ([]Sentence, error) {
	rows, err := readRows(name, "language", "type", "status", "sentence")
	var all []Sentence
	for _, r := range rows {
		all = append(all, Sentence{Language: r[0], Type: r[1], Status: unsaid(r[2]), Text: r[3]})
	}
	return all, err
}

// unsaid returns a cell, empty where it has a dash: readRows takes no empty cells.
func unsaid(cell string) string {
	if cell == "-" {
		return ""
	}
	return cell
}
