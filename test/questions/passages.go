package questions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Words returns the runs of letters and digits of a text, in lower case. Signs, white
// space and markup between them do not count.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Count returns how often a text has the words of a quote, one after the other.
func Count(text, quote string) int {
	return strings.Count(spaced(text), spaced(quote))
}

// Holds reports whether a text has the whole quote, compared by words.
func Holds(text, quote string) bool { return Count(text, quote) > 0 }

// spaced is a text's words, each with a space on both sides of its own, so that a quote
// is found again right after itself.
func spaced(text string) string { return " " + strings.Join(Words(text), "  ") + " " }

// Share returns how much of a quote a text has, from 0 to 1: the words of the quote's
// longest run that the text has, of all its words. Where a passage was cut in two, the
// larger part has the larger share.
func Share(text, quote string) float64 {
	t, q := Words(text), Words(quote)
	best := 0
	row := make([]int, len(t)+1) // row[j+1] is the length of the run that ends at t[j]
	for _, word := range q {
		for j := len(t) - 1; j >= 0; j-- {
			if t[j] != word {
				row[j+1] = 0
				continue
			}
			row[j+1] = row[j] + 1
			best = max(best, row[j+1])
		}
	}
	return float64(best) / float64(max(len(q), 1))
}

// Blocks returns the headings, paragraphs and rows of tables of a document in order,
// without what stands around its main part. An error is for HTML without a main part.
func (d Document) Blocks() ([]string, error) {
	if !strings.HasSuffix(d.File, ".html") {
		var all []string
		for block := range strings.SplitSeq(string(d.Content), "\n\n") {
			all = append(all, strings.Join(strings.Fields(block), " "))
		}
		return all, nil
	}
	root, err := html.Parse(bytes.NewReader(d.Content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.File, err)
	}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Main || n.DataAtom == atom.Article {
			return blocksOf(n), nil
		}
	}
	return nil, fmt.Errorf("%s: no main part", d.File)
}

func blocksOf(main *html.Node) []string {
	kinds := []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.P, atom.Li, atom.Tr}
	var all []string
	for n := range main.Descendants() {
		if n.Type != html.ElementNode || !slices.Contains(kinds, n.DataAtom) {
			continue
		}
		var text []string
		for t := range n.Descendants() {
			if t.Type == html.TextNode {
				text = append(text, strings.Fields(t.Data)...)
			}
		}
		all = append(all, strings.Join(text, " "))
	}
	return all
}

// Text returns the words of a document's main part, one block a line.
func (d Document) Text() (string, error) {
	blocks, err := d.Blocks()
	return strings.Join(blocks, "\n"), err
}

// passageWords is about how many words a passage of Passages has: some two thirds of
// those of a chunk, so that plain BM25 is not helped by passages that hold everything.
const passageWords = 150

// Passages cuts a document into runs of whole blocks of at most some 150 words, a longer
// block stays whole.
func (d Document) Passages() ([]string, error) {
	blocks, err := d.Blocks()
	var all []string
	words := 0
	for _, block := range blocks {
		n := len(strings.Fields(block))
		if words == 0 || words+n > passageWords {
			all, words = append(all, block), n
			continue
		}
		all[len(all)-1] += "\n" + block
		words += n
	}
	return all, err
}
