// Package boundaryset makes documents whose parts are known: statutes by their articles,
// minutes by their items, forums by their posts, dictionaries by their entries, pages of
// posts, tables. It is made in two halves with other words, other markup and another
// layout: one that whoever writes rules looks at, and one of which only sums are printed.
// Everything is invented. Equal seeds give equal documents.
package boundaryset

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Document is a file with what is known of its parts.
type Document struct {
	Kind       string // statute, minutes, forum, dictionary, post or table
	Language   string // ISO 639-1
	Name       string // of its file
	Content    []byte
	SourceType string // what the registry says of its source, "" for nothing
	Domain     string
	EntryRule  string // JSON, "" for none
	Parts      []Part // in order; the first begins with the document
}

// Part is what should be one chunk, or the chunks of nothing else.
type Part struct {
	Opening string // the words that it begins with, which are nowhere before in the document
	// Long says that the part is above any budget: it may be cut, before the words of
	// Inner only, anywhere where that is nil.
	Long  bool
	Inner []string
}

// maker draws what documents say.
type maker struct {
	rand *rand.Rand
	n    int
}

func newMaker(seed uint64, half string) *maker {
	stream := uint64(0)
	for _, c := range half {
		stream = stream*31 + uint64(c)
	}
	return &maker{rand: rand.New(rand.NewPCG(seed, stream))} //nolint:gosec // nothing secret is drawn
}

func (m *maker) one(of []string) string { return of[m.rand.IntN(len(of))] }

func (m *maker) between(least, most int) int { return least + m.rand.IntN(most-least+1) }

// name is a word that no other call gives: it makes openings unique.
func (m *maker) name() string {
	const onsets, vowels = "bdfglmnprstv", "aeiou"
	m.n++
	var b strings.Builder
	for n := m.n; b.Len() < 8; n = n/7 + 3 {
		b.WriteByte(onsets[n%len(onsets)])
		b.WriteByte(vowels[(n/len(onsets)+m.n)%len(vowels)])
	}
	return fmt.Sprintf("%s%d", strings.ToUpper(b.String()[:1])+b.String()[1:], m.n)
}

// phrases are what sentences of a language are drawn from.
type phrases struct{ subjects, verbs, objects []string }

func (m *maker) sentence(p phrases) string {
	s := m.one(p.subjects) + " " + m.one(p.verbs) + " " + m.one(p.objects) + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func (m *maker) text(p phrases, least, most int) string {
	var all []string
	for range m.between(least, most) {
		all = append(all, m.sentence(p))
	}
	return strings.Join(all, " ")
}

// sheet is a document while it is written.
type sheet struct {
	body  strings.Builder
	parts []Part
}

func (s *sheet) add(format string, args ...any) { fmt.Fprintf(&s.body, format, args...) }

// part notes that a part begins with words that are written next.
func (s *sheet) part(opening string) { s.parts = append(s.parts, Part{Opening: opening}) }

// long says that the last part is above any budget.
func (s *sheet) long(inner []string) {
	last := &s.parts[len(s.parts)-1]
	last.Long, last.Inner = true, inner
}

func (s *sheet) document(kind, language, name string) Document {
	return Document{Kind: kind, Language: language, Name: name, Content: []byte(s.body.String()), Parts: s.parts}
}
