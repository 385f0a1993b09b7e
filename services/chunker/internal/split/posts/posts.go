// Package posts makes one chunk of a post, whatever its length up to what a chunk may hold
// (contracts#chunker-posts). A page of several posts, each with its date below its
// heading, gives one for each.
package posts

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/marks"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// maxLook is how many bytes of text a page has at most that is taken for a post by what it
// says of itself: reports and books call themselves articles, too. What a source of posts
// publishes has no such bound.
const maxLook = 12 << 10

// declared are the types of pages that are posts (og:type, JSON-LD).
var declared = []string{"article", "blog", "blogposting", "newsarticle", "socialmediaposting"}

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "posts" }

// Takes implements split.Domain.
func (Chunker) Takes(source split.Source, d split.Document) (why string, ok bool) {
	if d.Type != model.TypeHTML || d.Share(model.UnitTable, model.UnitRecord) > 0.5 {
		return "", false
	}
	switch source.Type {
	case "history", "cortideri", "blog":
		return "its source publishes posts: its type is " + source.Type, true
	}
	for _, name := range d.Declared {
		if slices.Contains(declared, strings.TrimPrefix(name, "https://schema.org/")) && d.Size() <= maxLook {
			return "the page says that it is of type " + name + ", and is short", true
		}
	}
	return "", false
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(fill.Whole(o), out)
	return &splitter{filler: filler}, err
}

type splitter struct {
	filler *fill.Filler
	held   []assemble.Block // headings of which it is not known whether a post begins with them
	text   bool             // there was text before these
}

// Add implements split.Splitter.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	if b.Type == model.UnitHeading {
		s.held = append(s.held, b)
		return nil
	}
	if len(s.held) > 0 && s.text && marks.Dated(b.Lines[0].Text()) {
		if err := s.filler.Part(); err != nil {
			return err
		}
	}
	s.text = true
	if err := s.release(); err != nil {
		return err
	}
	return s.filler.AddText(b)
}

// release hands the headings that were held to the post that is open. A heading within a
// post ends no chunk.
func (s *splitter) release() error {
	for _, b := range s.held {
		if err := s.filler.AddInner(b, b.Level); err != nil {
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
	return s.filler.Close()
}
