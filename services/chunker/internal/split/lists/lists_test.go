package lists_test

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/lists"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
)

// TestItems: a list is cut between its outermost items, and its first line stays with the
// first.
func TestItems(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("with its gate ", 20))
	d := splittest.Document{Lines: []string{
		"# Weirs", "The board keeps:", "- the upper weir", "-- " + long, "-- " + long,
		"- the middle weir", "-- " + long, "-- " + long, "- the lower weir", "- the mill weir", "- the old weir",
	}}
	splittest.Want(t, splittest.Cut(t, lists.Chunker{}, d, 190),
		"Weirs / The board keeps: / the upper weir / "+long+" / "+long,
		"Weirs / the middle weir / "+long+" / "+long+" / the lower weir / the mill weir / the old weir",
	)
	if why, ok := (lists.Chunker{}).Takes(split.Source{}, d.Looks()); !ok || why != "most of it is in lists: 9 items" {
		t.Errorf("%q, %t", why, ok)
	}
	d.Lines = append(d.Lines, strings.Repeat("But there is more to be said of weirs. ", 60))
	if why, ok := (lists.Chunker{}).Takes(split.Source{}, d.Looks()); ok {
		t.Errorf("a report is taken: %q", why)
	}
}
