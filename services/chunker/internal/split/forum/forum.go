// Package forum makes one chunk of each post of a thread (contracts#chunker-forum): of
// each record where an entry rule finds them, else of what follows a line that says who
// wrote when.
package forum

import (
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "forum" }

// Takes implements split.Domain.
func (Chunker) Takes(source split.Source, d split.Document) (why string, ok bool) {
	if source.Type != "forum" && source.Type != "comment" {
		return "", false
	}
	switch {
	case d.Units[model.UnitRecord] > 0:
		return "its source is of type " + source.Type + ", and its posts are records", true
	case d.Bylines > 0:
		return "its source is of type " + source.Type + ", and lines say who wrote when", true
	}
	return "", false
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(fill.Whole(o), out)
	return &splitter{Filler: filler, records: o.Document.Units[model.UnitRecord] > 0}, err
}

type splitter struct {
	*fill.Filler

	records bool
	inPost  bool // the open chunk is a post: what follows without a line of its own belongs to it
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	switch {
	case b.Type == model.UnitRecord:
		if err := s.Part(); err != nil {
			return err
		}
		s.inPost = true
	case s.records:
		if s.inPost { // what stands between records is of none
			if err := s.Part(); err != nil {
				return err
			}
		}
		s.inPost = false
	case b.Type != model.UnitHeading && b.Type != model.UnitQuote && marks.Byline(b.Lines[0].Text()):
		if s.inPost || s.Items() > 1 { // else the thread's title belongs to its first post
			if err := s.Next(); err != nil {
				return err
			}
		}
		s.inPost = true
	}
	switch {
	case b.Type == model.UnitHeading && s.inPost && !s.records:
		return s.AddInner(b, b.Level)
	case b.Type == model.UnitHeading:
		return s.AddHeading(b, b.Level)
	}
	return s.AddText(b)
}
