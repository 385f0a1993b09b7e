package statement

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The sorts of actors in the tables.
const (
	actorPerson = "person" // a title that a name follows
	actorBody   = "body"   // a court, a council, a company
)

const (
	// leastTopicWords is how many words of a topic make it the topic of a text: one may be there by
	// the way.
	leastTopicWords = 2
	mostTags        = 8
	mostActors      = 10
	mostCues        = 10
	// longestName is how many words of a name are taken, and how many bytes.
	longestName      = 6
	longestNameBytes = 80
)

// MetaOf says what a text in a language is about (seeds#knowledge, meta): its topic, that whose
// words are in it most often, twice at least; as tags the other topics that it has words of, those with
// more first; whom it names by a title or as a body, as printed; which words show a legal effect. Headings
// are those that it stands below, the innermost last, and title is the document's: the innermost that
// says what sort of text follows decides kind_of_content. A list has no word twice.
func MetaOf(language, title string, headings, paragraphs []string) model.ChunkMeta {
	meta := model.ChunkMeta{KindOfContent: KindOf(language, title, headings)}
	table := tables().of(language)
	if table == nil {
		return meta
	}
	topics := make(map[string]int)
	for _, p := range paragraphs {
		for text := range pieces(p) {
			words := wordsOf(text)
			for h := range table.find(words, tableTopic) {
				topics[h.row.gives]++
			}
			for h := range table.find(words, tableLegal) {
				meta.LegalCues = add(meta.LegalCues, h.row.gives, mostCues)
			}
			for h := range table.find(words, tableActor) {
				meta.Actors = add(meta.Actors, nameOf(text, words, h), mostActors)
			}
		}
	}
	slices.Sort(meta.LegalCues)
	meta.Topic, meta.Tags = topicsOf(topics)
	return meta
}

// KindOf says what sort of text stands below headings of a document, "" where none of them says it.
func KindOf(language, title string, headings []string) string {
	table := tables().of(language)
	if table == nil {
		return ""
	}
	for _, text := range append(reversed(headings), title) {
		first, kind := -1, ""
		for h := range table.find(wordsOf(text), tableKind) {
			if first < 0 || h.from < first {
				first, kind = h.from, h.row.gives
			}
		}
		if kind != "" {
			return kind
		}
	}
	return ""
}

func reversed(s []string) []string {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// pieceBytes is about how much of a paragraph is looked at as one: words of a phrase stand close.
const pieceBytes = 1000

// pieces yields a paragraph in parts that wordsOf takes whole, cut at spaces.
func pieces(p string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(p) > pieceBytes {
			end := strings.LastIndexByte(p[:pieceBytes], ' ')
			if end <= 0 {
				end = pieceBytes
				for end > 0 && !utf8.RuneStart(p[end]) {
					end--
				}
			}
			if !yield(p[:end]) {
				return
			}
			p = p[end:]
		}
		yield(p)
	}
}

func topicsOf(counts map[string]int) (topic string, tags []string) {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	if len(names) > 0 && counts[names[0]] >= leastTopicWords {
		topic, names = names[0], names[1:]
	}
	if len(names) > 0 {
		tags = names[:min(len(names), mostTags)]
	}
	return topic, tags
}

func add(list []string, one string, most int) []string {
	if one == "" || len(list) >= most || slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// nameOf returns whom a hit names, as printed: of a title the capitalised words behind it, with
// it, and nothing without one; of a body its word with the name behind it, if there is one.
func nameOf(text string, words []word, h hit) string {
	end, last := h.to, h.to // last is behind the last word that is a name
	for end < len(words) && end-h.to < longestName {
		w := words[end]
		between := text[words[end-1].end:w.start]
		if strings.Trim(between, " .’'\u00a0-") != "" || strings.Contains(between, ". ") && utf8.RuneCountInString(words[end-1].text) > 4 {
			break
		}
		switch {
		case w.capital:
			last = end + 1
		case !joinsNames(w.text):
			end = len(words)
		}
		end++
	}
	if last == h.to && h.row.gives == actorPerson {
		return ""
	}
	name := strings.TrimSpace(text[words[h.from].start:words[last-1].end])
	if len(name) > longestNameBytes {
		return ""
	}
	return name
}

// joinsNames reports whether a small word stands within names.
func joinsNames(w string) bool {
	switch w {
	case "de", "du", "des", "d'", "la", "le", "l'", "les", "di", "del", "della", "dell'", "dei", "degli", "delle", "da", "do", "dos", "das", "e", "of", "the", "von", "van", "en":
		return true
	}
	return false
}
