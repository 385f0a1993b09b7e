package table

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

var cellEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ")

// Markdown returns a table as a Markdown table, whose head is the columns:
// empty ones when the table has no header rows.
func Markdown(t *model.Table) string {
	if len(t.Columns) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) {
		b.WriteByte('|')
		for _, c := range cells {
			b.WriteString(" " + cellEscapes.Replace(c) + " |")
		}
		b.WriteByte('\n')
	}
	line(t.Columns)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.Columns)) + "\n")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = c.Formatted
		}
		line(cells)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
