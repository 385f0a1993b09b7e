package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/chunker/internal/split"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/splittest"
	"github.com/colophon-dev/colophon/services/chunker/internal/split/tables"
)

// TestTables: a table is a chunk with its heading and the line before it, if it fits.
func TestTables(t *testing.T) {
	d := splittest.Document{Lines: []string{
		"# Levels", "Measured by hand.", "In centimetres:", "| Year | Lake", "| 2025 | 3", "| 2026 | 5", "It rose.", "## Weirs", "| No | Width", "| 1 | 7",
	}}
	splittest.Want(t, splittest.Cut(t, tables.Chunker{}, d, 0),
		"Levels / Measured by hand.",
		"Levels / In centimetres: / Year | Lake / 2025 | 3 / 2026 | 5",
		"Levels / It rose.",
		"Levels / Weirs / No | Width / 1 | 7",
	)
}

// TestRows: a table above the budget is cut by rows, with its head repeated; a row above
// it is not cut.
func TestRows(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("a weir of stone. ", 100))
	lines := []string{"| No | What it is"}
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("| %d | A weir of stone and oak", i))
	}
	lines = append(lines, "| 40 | "+long, "| 41 | The last")
	seen := 0
	drafts := splittest.Cut(t, tables.Chunker{}, splittest.Document{Lines: lines}, 150)
	for i, d := range drafts {
		rows := strings.Split(d.Content, "\n")
		if rows[0] != "No | What it is" || i > 0 && d.Segments[1].Synthetic != model.SyntheticTableHeader {
			t.Errorf("chunk %d begins with %q, %+v", i, rows[0], d.Segments[1])
		}
		for _, row := range rows[1:] {
			if !strings.HasPrefix(row, fmt.Sprint(seen, " | ")) {
				t.Errorf("row %d is %q", seen, row)
			}
			seen++
		}
		if d.Tokens > 150 && len(rows) != 2 {
			t.Errorf("%d rows in %d tokens", len(rows), d.Tokens)
		}
	}
	if seen != 42 || len(drafts) < 4 {
		t.Errorf("%d rows in %d chunks", seen, len(drafts))
	}
}

// TestTakes: what is tables for the most part.
func TestTakes(t *testing.T) {
	d := splittest.Document{Lines: []string{"# Levels", "| Year of the measure | Height of the lake"}}
	if why, ok := (tables.Chunker{}).Takes(split.Source{}, d.Looks()); !ok || why != "most of it is in tables: 1" {
		t.Errorf("%q, %t", why, ok)
	}
	d.Lines = append(d.Lines, "Of all that is said in this report the table above is the smaller part.")
	if why, ok := (tables.Chunker{}).Takes(split.Source{}, d.Looks()); ok {
		t.Errorf("a report is taken: %q", why)
	}
}
