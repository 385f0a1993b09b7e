package questions

// Sentence is a sentence by itself, and what it is.
type Sentence struct {
	Language string
	Type     string // fact, allegation or opinion
	Status   string // confirmed, refuted, under_review or obsolete where the sentence says so, else empty
	Text     string
}

// ReadSentences returns the sentences that who writes rules may look at.
func ReadSentences() ([]Sentence, error) { return readSentences("sentences.tsv") }

// ReadUnseenSentences returns those that nobody looks at who writes rules: a program
// counts with them, and prints sums by type and language at most.
func ReadUnseenSentences() ([]Sentence, error) { return readSentences("sentences-unseen.tsv") }

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
