package recipes_test

import (
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/recipes"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// book has two recipes.
var book = splittest.Document{Lines: []string{
	"# Winter", "What to cook when it snows.",
	"## Chestnut soup", "For four.", "### Ingredients:", "- a pound of chestnuts", "- two leeks", "### Preparation", "Peel the chestnuts.",
	"## Fritters", "### Ingredients:", "- flour", "### Preparation", "Fry.", "#### To serve", "Hot.",
}}

// TestRecipes: each recipe is a chunk with its ingredients and what is done.
func TestRecipes(t *testing.T) {
	splittest.Want(t, splittest.Cut(t, recipes.Chunker{}, book, 0),
		"Winter / What to cook when it snows.",
		"Winter / Chestnut soup / For four. / Ingredients: / a pound of chestnuts / two leeks / Preparation / Peel the chestnuts.",
		"Winter / Fritters / Ingredients: / flour / Preparation / Fry. / To serve / Hot.",
	)
}

// TestTakes: what has a heading for ingredients.
func TestTakes(t *testing.T) {
	if why, ok := (recipes.Chunker{}).Takes(split.Source{}, book.Looks()); !ok || why != "it has a heading Ingredients:" {
		t.Errorf("%q, %t", why, ok)
	}
	other := splittest.Document{Lines: []string{"# Winter", "The ingredients of a good winter."}}
	if why, ok := (recipes.Chunker{}).Takes(split.Source{}, other.Looks()); ok {
		t.Errorf("a text is taken: %q", why)
	}
}
