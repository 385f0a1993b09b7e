package dictionary_test

import (
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/dictionary"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

var (
	records     = splittest.Document{Lines: []string{"# B", "= bara n. work", "= bato n. boat", "End of B"}}
	definitions = splittest.Document{Lines: []string{
		"# B", ": bara", ": bàra", ":: work", ":: a work", ": bato", ":: boat", ": bela", ":: stone", ": bila", ":: to put",
		": bolo", ":: hand", ": buru", ":: horn"}}
	paragraphs = splittest.Document{Lines: []string{
		"# B", "bara, bàra n. work", "He works: a bàra kɛ.", "bato s. f. boat", "bela (n.) stone", "bila v. to put", "bolo adj. handy"}}
)

// TestEntries: each record, each word with what it means, each paragraph that begins as
// entries do is a chunk.
func TestEntries(t *testing.T) {
	splittest.Want(t, splittest.Cut(t, dictionary.Chunker{}, records, 0), "B", "B / bara n. work", "B / bato n. boat", "B / End of B")
	splittest.Want(t, splittest.Cut(t, dictionary.Chunker{}, definitions, 0),
		"B / bara / bàra / work / a work", "B / bato / boat", "B / bela / stone", "B / bila / to put", "B / bolo / hand", "B / buru / horn")
	splittest.Want(t, splittest.Cut(t, dictionary.Chunker{}, paragraphs, 0),
		"B / bara, bàra n. work / He works: a bàra kɛ.", "B / bato s. f. boat", "B / bela (n.) stone", "B / bila v. to put", "B / bolo adj. handy")
}

// TestTakes: what is nothing but entries, whatever its source.
func TestTakes(t *testing.T) {
	for _, c := range []struct {
		name string
		d    splittest.Document
		from split.Source
		why  string
	}{
		{"records", records, split.Source{}, "most of it is records: 2"},
		{"definitions", definitions, split.Source{}, "most of it is words and what they mean"},
		{"paragraphs", paragraphs, split.Source{}, "5 of its blocks begin as entries of dictionaries do"},
		{"prose", splittest.Document{Lines: []string{"A stone, n. 5, was put there.", "b", "c"}}, split.Source{Domain: "dictionary"}, ""},
	} {
		if why, ok := (dictionary.Chunker{}).Takes(c.from, c.d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s: %q, %t", c.name, why, ok)
		}
	}
}
