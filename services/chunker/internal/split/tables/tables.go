// Package tables cuts documents that are tables by their rows, with the head repeated: a
// table begins a chunk with its heading, and no row is cut (contracts#chunker-tables).
package tables

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// most is the share of the text that is in the tables of such a document.
const most = 0.6

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "tables" }

// Takes implements split.Domain.
func (Chunker) Takes(_ split.Source, d split.Document) (why string, ok bool) {
	if n := d.Units[model.UnitTable]; n > 0 && d.Share(model.UnitTable) >= most {
		return fmt.Sprintf("most of it is in tables: %d", n), true
	}
	return "", false
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(o, out)
	return &splitter{Filler: filler}, err
}

type splitter struct {
	*fill.Filler

	held  []assemble.Block // a line before a table belongs to it
	after bool             // the last block was a table
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	table := b.Type == model.UnitTable
	if (table || s.after) && b.Type != model.UnitCaption && b.Type != model.UnitFootnote {
		if err := s.Next(); err != nil {
			return err
		}
	}
	if b.Type != model.UnitCaption && b.Type != model.UnitFootnote {
		s.after = table
	}
	if !table {
		if b.Type == model.UnitParagraph || b.Type == model.UnitCaption && !s.after {
			if err := s.release(); err != nil {
				return err
			}
			s.held = []assemble.Block{b}
			return nil
		}
	}
	if err := s.release(); err != nil {
		return err
	}
	if b.Type == model.UnitHeading {
		return s.AddHeading(b, b.Level)
	}
	return s.AddText(b)
}

func (s *splitter) release() error {
	for _, b := range s.held {
		if err := s.AddText(b); err != nil {
			return err
		}
	}
	s.held = nil
	return nil
}

// Close implements split.Splitter.
func (s *splitter) Close() error {
	if err := s.release(); err != nil {
		return err
	}
	return s.Filler.Close()
}
