package header_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
)

func TestContextLine(t *testing.T) {
	for _, c := range []struct {
		name, title string
		path        []string
		source      string
		want        string
	}{
		{"all", "Fees", []string{"Title I", "Pool"}, "Town", "Fees › Title I › Pool › 2026-01-02 › Town"},
		{"a heading that is the title", "Fees", []string{"Fees", "Pool"}, "Town", "Fees › Pool › 2026-01-02 › Town"},
		{"neither title nor heading", "", nil, "Town", "2026-01-02 › Town"},
		{"more lines than one", "Fees\n\nof\t2026", []string{" ", "A\u0085B"}, "T\r\nown", "Fees of 2026 › A B › 2026-01-02 › T own"},
		{"the outermost heading goes", "Fees", []string{strings.Repeat("é", 100), strings.Repeat("à", 100)}, "Town", "Fees › " + strings.Repeat("à", 100) + " › 2026-01-02 › Town"},
		{"long ones are cut", strings.Repeat("t", 130), []string{strings.Repeat("h", 170)}, strings.Repeat("s", 90),
			strings.Repeat("t", 120) + " › " + strings.Repeat("h", 160) + " › 2026-01-02 › " + strings.Repeat("s", 80)},
	} {
		got := header.ContextLine(c.title, c.path, "2026-01-02", c.source)
		if got != c.want || utf8.RuneCountInString(got) > 400 {
			t.Errorf("%s: %q", c.name, got)
		}
		chunk := model.Chunk{Title: c.title, SectionPath: c.path, InfoDate: "2026-01-02", Source: c.source}
		if of := header.ContextLineOf(chunk); of != got {
			t.Errorf("%s: of a chunk %q", c.name, of)
		}
	}
}
