// Package minutes cuts agendas and minutes into a chunk of context (who was called, who
// came) and one for each item (contracts#chunker-minutes).
package minutes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// fewItems is how many items a document of a meeting has at least.
const fewItems = 3

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "minutes" }

// Takes implements split.Domain.
func (Chunker) Takes(_ split.Source, d split.Document) (why string, ok bool) {
	items := itemsOf(d)
	if items == nothing {
		return "", false
	}
	words := agendas()
	if items != listed {
		words = append(words, records()...)
	}
	const first = 4
	if word := wordIn(append([]string{d.Title}, d.Headings[:min(first, len(d.Headings))]...), words); word != "" {
		return fmt.Sprintf("%q is in its title or first headings, and it has %s", word, items), true
	}
	if items == marked {
		return "it has " + string(items), true
	}
	if item, ok := usualIn(d.Items, items); ok {
		return fmt.Sprintf("%q begins one of its %s", item, items), true
	}
	if items != listed {
		if word := beginning(d.Leads, attendances()); word != "" {
			return fmt.Sprintf("%q begins a line before its %s", word, items), true
		}
		if word := bodyOf(append([]string{d.Title}, d.Headings[:min(first, len(d.Headings))]...)); word != "" {
			return fmt.Sprintf("%q and a date are in its title or first headings, and it has %s", word, items), true
		}
	}
	if word := wordIn(d.Leads, append(agendas(), summons()...)); word != "" && items != headed {
		return fmt.Sprintf("%q stands before its %s", word, items), true
	}
	return "", false
}

// wordIn returns one of the words, which stands alone in one of the texts, "" for none.
func wordIn(texts, words []string) string {
	for _, text := range texts {
		lower := strings.ToLower(text)
		for _, word := range words {
			if standsAlone(lower, word) {
				return word
			}
		}
	}
	return ""
}

// standsAlone reports whether a word begins a text or follows a space in it, and ends there: an
// agenda, and not agendas, of which a page may be an archive.
func standsAlone(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before := at == 0 || strings.HasSuffix(text[:at], " ")
		at += len(word)
		if next, _ := utf8.DecodeRuneInString(text[at:]); before && !unicode.IsLetter(next) {
			return true
		}
	}
}

// usualIn returns what begins one of the items and is usual in meetings alone. Of a plain list two
// must be, since pages have lists of anything.
func usualIn(items []string, as form) (first string, ok bool) {
	n := 0
	for _, item := range items {
		if word := beginning([]string{item}, usual()); word != "" {
			first = cmp.Or(first, word)
			n++
		}
	}
	return first, n > 1 || n > 0 && as != listed
}

// beginning returns which of the words, as whole words, begin one of the texts, "" for none.
func beginning(texts, words []string) string {
	for _, text := range texts {
		lower := strings.ToLower(text)
		for _, word := range words {
			if rest, ok := strings.CutPrefix(lower, word); ok {
				if next, _ := utf8.DecodeRuneInString(rest); !unicode.IsLetter(next) || !endsInLetter(word) {
					return word
				}
			}
		}
	}
	return ""
}

func endsInLetter(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsLetter(last)
}

// bodyOf returns the word of a body that meets, of a line that says its date, too: "Conseil
// municipal du 12 mars 2024"; "" for none.
func bodyOf(lines []string) string {
	for _, line := range lines {
		if marks.Dated(line) {
			if word := wordIn([]string{line}, bodies()); word != "" {
				return word
			}
		}
	}
	return ""
}

// form is how the items of a document are known.
type form string

const (
	nothing  form = ""
	marked   form = "items that name themselves"
	headed   form = "numbered headings"
	numbered form = "numbered paragraphs"
	listed   form = "items of a list"
)

// itemsOf returns how items are known: by the plainest form of which there are enough. A
// list in front of headings is part of the context.
func itemsOf(d split.Document) form {
	switch {
	case d.Marks[marks.Agenda] >= fewItems:
		return marked
	case d.HeadingMarks[marks.Numbered] >= fewItems:
		return headed
	case d.Marks[marks.Numbered]-d.HeadingMarks[marks.Numbered] >= fewItems:
		return numbered
	case d.Units[model.UnitListItem] >= fewItems:
		return listed
	}
	return nothing
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(o, out)
	return &splitter{Filler: filler, form: itemsOf(o.Document)}, err
}

type splitter struct {
	*fill.Filler

	form  form
	last  int // number of the last item
	items int // that were opened
	level int // of the last item's heading, 0 for one that is none
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	heading := b.Type == model.UnitHeading
	if s.opens(b) {
		if err := s.Part(); err != nil {
			return err
		}
		s.items, s.level = s.items+1, 0
		if heading {
			s.level = b.Level
		}
	}
	switch {
	case heading && (s.items == 0 || s.level > 0 && b.Level > s.level):
		return s.AddInner(b, b.Level) // of the context, or within an item
	case heading:
		return s.AddHeading(b, b.Level)
	}
	return s.AddText(b)
}

// opens reports whether a block opens an item.
func (s *splitter) opens(b assemble.Block) bool {
	text := b.Lines[0].Text()
	m, ok := marks.Of(text)
	heading := b.Type == model.UnitHeading
	switch s.form {
	case marked:
		return ok && m.Kind == marks.Agenda && (heading || m.Opens())
	case headed:
		return heading && ok && m.Kind == marks.Numbered
	case numbered:
		// Numbers within an item begin anew: they are below those of the items.
		outer := slices.Contains([]model.UnitType{model.UnitParagraph, model.UnitListItem, model.UnitHeading}, b.Type) && b.Depth <= 1
		if !outer || !ok || m.Kind != marks.Numbered || m.Number != s.last+1 {
			return false
		}
		s.last = m.Number
		return true
	case listed:
		return b.Type == model.UnitListItem && b.Depth <= 1
	default:
		return false
	}
}
