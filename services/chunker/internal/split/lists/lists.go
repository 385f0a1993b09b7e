// Package lists cuts documents that are lists between their outermost items: an item stays
// with what stands below it, and the first with the line that leads to the list
// (contracts#chunker-lists).
package lists

import (
	"fmt"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

const (
	// most is the share of the text that is in the lists of such a document.
	most = 0.6
	// fewItems is how many items it has at least.
	fewItems = 5
)

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "lists" }

// Takes implements split.Domain.
func (Chunker) Takes(_ split.Source, d split.Document) (why string, ok bool) {
	if n := d.Units[model.UnitListItem]; n >= fewItems && d.Share(model.UnitListItem) >= most {
		return fmt.Sprintf("most of it is in lists: %d items", n), true
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

	held []assemble.Block // an item with what stands below it, or a line before a list
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	below := b.Type == model.UnitListItem && b.Depth > 1
	led := b.Type == model.UnitListItem && len(s.held) == 1 && s.held[0].Type == model.UnitParagraph
	if !below && !led {
		if err := s.release(); err != nil {
			return err
		}
	}
	if b.Type == model.UnitHeading {
		return s.AddHeading(b, b.Level)
	}
	s.held = append(s.held, b)
	return nil
}

// release adds what is held, together where it fits.
func (s *splitter) release() error {
	held := s.held
	s.held = nil
	return s.AddTogether(held)
}

// Close implements split.Splitter.
func (s *splitter) Close() error {
	if err := s.release(); err != nil {
		return err
	}
	return s.Filler.Close()
}
