// Package regulations cuts laws and other rules by their articles: each is a chunk of its
// own, with its paragraphs and items; one above the budget is cut between these
// (contracts#chunker-regulations).
package regulations

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

const (
	// enoughArticles is how many articles make a law of a document, and fewArticles of one
	// whose source says that it publishes laws.
	enoughArticles, fewArticles = 4, 2
	// maxApart is how many blocks there may be for each article: a report that quotes a
	// few is no law.
	maxApart = 30
	// articleLevel is that of an article in a section path, below all chapters.
	articleLevel = 6
)

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "regulations" }

// Takes implements split.Domain.
func (Chunker) Takes(source split.Source, d split.Document) (why string, ok bool) {
	kind, n := articles(d)
	least := enoughArticles
	switch source.Domain {
	case "law", "legal", "legislation", "regulation", "regulations", "regulatory":
		least = fewArticles
	}
	if n < least || n*maxApart < d.Count() {
		return "", false
	}
	if kind == marks.Section {
		return fmt.Sprintf("it has %d numbered sections", n), true
	}
	return fmt.Sprintf("it has %d articles", n), true
}

// articles returns what the articles of a document are called, and how many there are:
// sections where there are no articles, and more sections than other headings.
func articles(d split.Document) (marks.Kind, int) {
	if n := d.Marks[marks.Article]; n >= fewArticles {
		return marks.Article, n
	}
	n := d.Marks[marks.Section]
	others := len(d.Headings) - d.HeadingMarks[marks.Section] - d.HeadingMarks[marks.Chapter]
	if d.HeadingMarks[marks.Section] > 0 && others > n {
		return marks.Section, 0
	}
	return marks.Section, n
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(o, out)
	if err != nil {
		return nil, err
	}
	kind, _ := articles(o.Document)
	return &splitter{Filler: filler, article: kind}, nil
}

type splitter struct {
	*fill.Filler

	article marks.Kind
	last    int  // number of the last article
	bare    bool // the last block named a chapter and said no more
	level   int  // of that chapter
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	text := b.Lines[0].Text()
	heading := b.Type == model.UnitHeading
	m, marked := marks.Of(text)
	wasBare := s.bare
	s.bare = false
	switch {
	case b.Type == model.UnitTable:
		return s.AddText(b)
	case marked && m.Kind == s.article && s.opens(m, heading):
		s.last = m.Number
		if err := s.Next(); err != nil || heading {
			return s.orHeading(err, b, b.Level)
		}
		return s.AddText(b)
	case marked && (m.Kind == marks.Chapter || m.Kind == marks.Section) && (heading || marks.IsTitle(text) && m.Opens() && m.Level < articleLevel):
		s.bare, s.level = m.Bare(), m.Level
		if heading {
			s.level = b.Level
		}
		return s.AddHeading(b, s.level)
	case heading:
		return s.AddHeading(b, b.Level)
	case wasBare && !marked && marks.IsTitle(text):
		return s.AddHeading(b, s.level+1)
	case marked && m.Kind == s.article:
		return s.AddPlain(b) // it only speaks of an article
	}
	return s.AddText(b)
}

func (s *splitter) orHeading(err error, b assemble.Block, level int) error {
	if err != nil {
		return err
	}
	return s.AddHeading(b, level)
}

// opens reports whether a mark opens an article, and does not only speak of one: as a
// heading, or where it goes on as one does and the numbers rise, or begin anew.
func (s *splitter) opens(m marks.Mark, heading bool) bool {
	return heading || m.Opens() && (m.Number == 0 || m.Number == 1 || m.Number >= s.last)
}
