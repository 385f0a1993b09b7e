// Package recipes makes one chunk of each recipe: its title, what goes in and what is done
// (contracts#chunker-recipes). It is the example of docs/chunkers.md.
package recipes

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/assemble"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/fill"
)

// ingredients are the headings under which recipes say what goes in, in lower case.
var ingredients = map[string]bool{
	"ingredients": true, "ingrédients": true, "ingredienti": true, "ingredientes": true,
}

// Chunker implements split.Domain.
type Chunker struct{}

// Name implements split.Domain.
func (Chunker) Name() string { return "recipes" }

// Takes implements split.Domain: a document with a heading such as "Ingredients".
func (Chunker) Takes(_ split.Source, d split.Document) (why string, ok bool) {
	for _, heading := range d.Headings {
		if ingredients[nameOf(heading)] {
			return "it has a heading " + heading, true
		}
	}
	return "", false
}

// nameOf is a heading without its colon, in lower case.
func nameOf(heading string) string {
	return strings.ToLower(strings.TrimRight(heading, " :\u00a0"))
}

// New implements split.Chunker.
func (Chunker) New(o split.Options, out func(split.Draft) error) (split.Splitter, error) {
	filler, err := fill.New(o, out)
	return &splitter{Filler: filler}, err
}

type splitter struct {
	*fill.Filler

	level int // of the headings within recipes, 0 before the first
}

// Add implements split.Splitter. A heading above those of ingredients begins a recipe, the
// others stand within one.
func (s *splitter) Add(b assemble.Block) error {
	if len(b.Lines) == 0 {
		return nil
	}
	if b.Type != model.UnitHeading {
		return s.AddText(b)
	}
	if ingredients[nameOf(b.Lines[0].Text())] {
		s.level = b.Level
		return s.AddInner(b, b.Level)
	}
	if s.level > 0 && b.Level >= s.level {
		return s.AddInner(b, b.Level)
	}
	return s.AddHeading(b, b.Level)
}
