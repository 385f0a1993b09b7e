package table

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

var (
	cellEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ")
	urlEscapes  = strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E", " ", "%20", "\n", "", "\\", "%5C")
)

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
			b.WriteString(" " + c + " |")
		}
		b.WriteByte('\n')
	}
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = cellEscapes.Replace(c)
	}
	line(heads)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.Columns)) + "\n")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cell(c)
		}
		line(cells)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cell returns a cell in Markdown, a link when it is one.
func cell(c model.Cell) string {
	text := cellEscapes.Replace(c.Formatted)
	if c.URL == "" || text == "" {
		return text
	}
	return "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(text) + "](<" + urlEscapes.Replace(c.URL) + ">)"
}
