// Package dictionary makes one chunk of each entry of a dictionary (contracts#chunker-dictionary):
// of each record where an entry rule finds them, of each word with what it means, or of
// each paragraph that begins as entries do.
package dictionary

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

const (
	// fewEntries is how many entries a dictionary has at least.
	fewEntries = 5
	// most is the share of the text, or of the units, that is a dictionary's.
	most = 0.6
)

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "dictionary" }

// Takes implements split.Domain.
func (Chunker) Takes(source split.Source, d split.Document) (why string, ok bool) {
	switch {
	case d.Units[model.UnitRecord] > 0 && d.Share(model.UnitRecord) >= most:
		return fmt.Sprintf("most of it is records: %d", d.Units[model.UnitRecord]), true
	case d.Units[model.UnitDefinition] >= 2*fewEntries && d.Share(model.UnitDefinition) >= most:
		return "most of it is words and what they mean", true
	case d.Entries >= fewEntries && float64(d.Entries) >= most*float64(d.Count()-len(d.Headings)):
		return fmt.Sprintf("%d of its blocks begin as entries of dictionaries do", d.Entries), true
	case source.Domain == "dictionary" && d.Entries >= fewEntries:
		return fmt.Sprintf("it is of a dictionary, and has %d entries", d.Entries), true
	}
	return "", false
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(fill.Whole(o), out)
	return &splitter{Filler: filler, form: formOf(o.Document)}, err
}

// formOf is the type of unit that entries begin with: a record, a word to define, or any
// other that begins as entries do.
func formOf(d split.Document) model.UnitType {
	switch {
	case d.Units[model.UnitRecord] > 0:
		return model.UnitRecord
	case d.Units[model.UnitDefinition] > d.Entries:
		return model.UnitDefinition
	}
	return model.UnitParagraph
}

type splitter struct {
	*fill.Filler

	form model.UnitType
	last assemble.Block // the block before, without its text
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	last := s.last
	s.last = assemble.Block{Type: b.Type, Depth: b.Depth}
	var err error
	switch {
	case s.form == model.UnitRecord && (b.Type == model.UnitRecord || last.Type == model.UnitRecord):
		err = s.Part()
	case s.form == model.UnitDefinition && b.Type == model.UnitDefinition && b.Depth <= 1 && (last.Type != model.UnitDefinition || last.Depth > 1):
		err = s.Next() // words without a meaning between them share one
	case s.form == model.UnitParagraph && b.Type != model.UnitHeading && marks.Entry(b.Lines[0].Text()):
		err = s.Next()
	}
	if err != nil {
		return err
	}
	if b.Type == model.UnitHeading {
		return s.AddHeading(b, b.Level)
	}
	return s.AddText(b)
}
