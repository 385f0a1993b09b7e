// Package general splits a document into chunks by its headings and paragraphs
// (contracts#cutting). It is the chunker of documents that no domain takes. Articles that
// such a document has, be they few, are in chunks of their own, too.
package general

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// Chunker implements split.Chunker.
type Chunker struct{}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(o, out)
	return splitter{filler}, err
}

type splitter struct{ *fill.Filler }

// Add implements split.Splitter.
func (s splitter) Add(b assemble.Block) error {
	if len(b.Lines) > 0 && b.Type != model.UnitHeading && b.Type != model.UnitTable {
		if m, ok := marks.Of(b.Lines[0].Text()); ok && m.Kind == marks.Article && m.Opens() {
			if err := s.Next(); err != nil {
				return err
			}
		}
	}
	return s.Filler.Add(b)
}
