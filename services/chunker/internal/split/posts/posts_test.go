package posts_test

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/posts"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// TestOnePost: a post is one chunk with all of its headings, however many tokens it has.
func TestOnePost(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("The oven was lit twice a week. ", 200))
	d := splittest.Document{Lines: []string{"# The oven", long, "## Its bread", "It was dark.", "## Its end", long}}
	splittest.Want(t, splittest.Cut(t, posts.Chunker{}, d, 0), "The oven / "+long+" / Its bread / It was dark. / Its end / "+long)
}

// TestAPostAboveAllBounds: what no chunk can hold is cut between its paragraphs, and the
// section goes on.
func TestAPostAboveAllBounds(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("The oven was lit twice a week. ", 2800))
	d := splittest.Document{Lines: []string{"# The oven", long, long}}
	drafts := splittest.Cut(t, posts.Chunker{}, d, 0)
	splittest.Want(t, drafts, "The oven / "+long, "The oven / "+long)
	for _, d := range drafts {
		if len(d.Text) > model.MaxChunkText {
			t.Errorf("%d bytes", len(d.Text))
		}
	}
}

// TestSeveralPosts: on a page of several each begins with its heading, below which is its
// date; a date elsewhere begins nothing.
func TestSeveralPosts(t *testing.T) {
	d := splittest.Document{Lines: []string{
		"# Corti d'Eri", "## The mill", "12 mars 2024", "It ground.", "### Its wheel", "It was of oak.",
		"## The fair", "by A. Leca on 3 May 2024", "It was on 4 May 2024.", "4 May 2024", "It rained.",
	}}
	splittest.Want(t, splittest.Cut(t, posts.Chunker{}, d, 0),
		"Corti d'Eri / The mill / 12 mars 2024 / It ground. / Its wheel / It was of oak.",
		"Corti d'Eri / The fair / by A. Leca on 3 May 2024 / It was on 4 May 2024. / 4 May 2024 / It rained.",
	)
}

// TestTakes: what a source of posts publishes, and short pages that say that they are one.
func TestTakes(t *testing.T) {
	article := []model.PageFact{{Origin: "meta", Name: "og:type", Value: "article"}}
	book := []string{strings.Repeat("much. ", 3000)}
	for _, c := range []struct {
		name string
		from string
		d    splittest.Document
		why  string
	}{
		{"a source of posts", "history", splittest.Document{Lines: book}, "its source publishes posts: its type is history"},
		{"a page that says so", "official", splittest.Document{Facts: article, Lines: []string{"a"}}, "the page says that it is of type article, and is short"},
		{"a long page that says so", "official", splittest.Document{Facts: article, Lines: book}, ""},
		{"any page", "official", splittest.Document{Lines: []string{"a"}}, ""},
		{"a PDF file", "history", splittest.Document{Type: model.TypePDF, Lines: []string{"a"}}, ""},
		{"a table", "history", splittest.Document{Lines: []string{"| Year | Sum", "| 2024 | 3"}}, ""},
	} {
		if why, ok := (posts.Chunker{}).Takes(split.Source{Type: c.from}, c.d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s: %q, %t", c.name, why, ok)
		}
	}
}
