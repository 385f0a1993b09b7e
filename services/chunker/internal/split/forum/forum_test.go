package forum_test

import (
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/forum"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// TestRecords: where an entry rule finds the posts, each is a chunk; what stands before,
// between and after them is of none.
func TestRecords(t *testing.T) {
	d := splittest.Document{Lines: []string{"# Which oven?", "= anna: The old one.", "= ben: The new one.", "Buy ovens here.", "= anna: No."}}
	splittest.Want(t, splittest.Cut(t, forum.Chunker{}, d, 0),
		"Which oven?", "Which oven? / anna: The old one.", "Which oven? / ben: The new one.", "Which oven? / Buy ovens here.", "Which oven? / anna: No.")
}

// TestLines: without a rule a post begins with the line that says who wrote when. The
// thread's title belongs to the first, a quotation to the post that it is in.
func TestLines(t *testing.T) {
	d := splittest.Document{Lines: []string{
		"# Which oven?", "anna · 12/03/2024 18:05", "The old one?", "It was lit on 3 May 2019.",
		"by ben on 13 March 2024, 07:10", "> anna · 12/03/2024 18:05", "The new one.", "## Really", "Yes.",
	}}
	splittest.Want(t, splittest.Cut(t, forum.Chunker{}, d, 0),
		"Which oven? / anna · 12/03/2024 18:05 / The old one? / It was lit on 3 May 2019.",
		"Which oven? / by ben on 13 March 2024, 07:10 / anna · 12/03/2024 18:05 / The new one. / Really / Yes.",
	)
}

// TestTakes: only what its source says is a forum, or comments.
func TestTakes(t *testing.T) {
	records := splittest.Document{Lines: []string{"= anna: The old one."}}
	lines := splittest.Document{Lines: []string{"anna, 12 March 2024", "The old one."}}
	for _, c := range []struct {
		from string
		d    splittest.Document
		why  string
	}{
		{"forum", records, "its source is of type forum, and its posts are records"},
		{"comment", lines, "its source is of type comment, and lines say who wrote when"},
		{"forum", splittest.Document{Lines: []string{"The old one."}}, ""},
		{"official", records, ""},
	} {
		if why, ok := (forum.Chunker{}).Takes(split.Source{Type: c.from}, c.d.Looks()); why != c.why || ok != (c.why != "") {
			t.Errorf("%s %v: %q, %t", c.from, c.d.Lines, why, ok)
		}
	}
}
