// Package table makes table JSON (seeds#conventions) out of cells, whatever they were
// found in: columns, rows of plain or typed cells, spans, the CSV mirror of
// seeds#extraction, and the unit text (contracts#tables-ir).
package table

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/model"
)

// The sources of a table (contracts#tables-ir).
const (
	SourceRuled     = "ruled"
	SourceHeuristic = "heuristic"
	SourceHTML      = "html"
	SourceText      = "text"
	SourceOCR       = "ocr"
)

// DriftWarning is the name that seeds#extraction gives to columns that do not hold over the rows.
const DriftWarning = "TableDriftWarning"

// MaxCells bounds a grid: a few bytes of markup can ask for a span of millions
// of cells.
const MaxCells = 200_000

// maxHeads bounds what the texts of wide heads take, in bytes, when they are
// written to each of their columns: beyond it they stand in their first alone.
const maxHeads = 1 << 20

// Cell is one cell as found. Row and Col count from 0, header rows included.
type Cell struct {
	Row, Col         int
	RowSpan, ColSpan int // at least 1; 0 counts as 1
	Text             string
	Link             string // absolute URL, when the cell is one link
}

// Options is what is known about a table besides its cells.
type Options struct {
	Source     string
	Caption    string
	HeaderRows int    // leading rows that are heads
	Language   string // ISO 639-1: settles dates and decimal signs
	Confidence float64
	Warnings   []string
}

// Build returns the table and the text of its unit: cells divided by U+0009,
// rows by U+000A, each cell at its first row and column, the rest of a span
// empty. Cells that do not fit into MaxCells are left out with a warning. Of
// two cells at one place the first stays.
func Build(cells []Cell, o Options) (model.Table, string) {
	t := model.Table{
		Caption: o.Caption, Source: o.Source, Confidence: o.Confidence, Warnings: o.Warnings,
		Columns: []string{}, Rows: [][]model.Cell{},
	}
	rows, cols, fits := size(cells)
	if !fits {
		t.Warnings = append(t.Warnings, "cells beyond the limit of the grid are left out")
	}
	if rows == 0 {
		return t, ""
	}
	grid, nuls := make([]*Cell, rows*cols), 0
	for i := range cells {
		c := &cells[i]
		if c.Row >= rows || c.Col >= cols || grid[c.Row*cols+c.Col] != nil {
			continue
		}
		c.Text = strings.Join(strings.Fields(c.Text), " ")
		if strings.Contains(c.Text, "\x00") { // which units do not hold: ranges are those of the text as it is there
			nuls += strings.Count(c.Text, "\x00")
			c.Text = strings.ReplaceAll(c.Text, "\x00", "\uFFFD")
		}
		grid[c.Row*cols+c.Col] = c
		if c.RowSpan > 1 || c.ColSpan > 1 {
			t.Spans = append(t.Spans, model.TableSpan{
				Row: c.Row, Col: c.Col, RowSpan: min(max(c.RowSpan, 1), rows-c.Row), ColSpan: min(max(c.ColSpan, 1), cols-c.Col), Content: c.Text,
			})
		}
	}
	if nuls > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d characters U+0000 stand as U+FFFD", nuls))
	}
	t.HeaderRows = min(max(o.HeaderRows, 0), rows)
	t.Columns = columns(grid, cols, t.HeaderRows, t.Spans)
	for r := t.HeaderRows; r < rows; r++ {
		row := make([]model.Cell, cols)
		for c := range cols {
			row[c] = typed(grid[r*cols+c], o.Language)
		}
		t.Rows = append(t.Rows, row)
	}
	text := render(grid, rows, cols, &t)
	return t, text
}

// size returns the rows and columns of the grid, and whether all cells fit.
func size(cells []Cell) (rows, cols int, fits bool) {
	fits = true
	for _, c := range cells {
		r, k := max(rows, c.Row+1), max(cols, c.Col+1)
		if r*k > MaxCells {
			fits = false
			continue
		}
		rows, cols = r, k
	}
	for _, c := range cells { // spans widen the grid as far as it may go
		r, k := max(rows, c.Row+max(c.RowSpan, 1)), max(cols, c.Col+max(c.ColSpan, 1))
		if k*rows <= MaxCells && c.Row < rows {
			cols = k
		}
		if r*cols <= MaxCells && r-rows <= len(cells) && c.Col < cols {
			rows = r
		}
	}
	return rows, cols, fits
}

// columns joins the header rows of each column by " / ", a span's text in all
// of its columns and once only.
func columns(grid []*Cell, cols, headers int, spans []model.TableSpan) []string {
	out := make([]string, cols)
	if headers == 0 {
		return out
	}
	wide, spent := map[[2]int]string{}, 0
	for _, s := range spans {
		if s.Row >= headers {
			continue
		}
		if spent += len(s.Content) * s.ColSpan; spent <= maxHeads {
			for c := s.Col; c < s.Col+s.ColSpan; c++ {
				wide[[2]int{s.Row, c}] = s.Content
			}
		}
	}
	for c := range cols {
		var parts []string
		for r := range headers {
			text := wide[[2]int{r, c}]
			if cell := grid[r*cols+c]; cell != nil {
				text = cell.Text
			}
			if text != "" {
				parts = append(parts, text)
			}
		}
		out[c] = strings.Join(parts, " / ")
	}
	return out
}

// render writes the unit text, with the place of each cell in it, and the CSV
// mirror (RFC 4180: CRLF, quotes doubled).
func render(grid []*Cell, rows, cols int, t *model.Table) string {
	var text, csv strings.Builder
	for r := range rows {
		if r > 0 {
			text.WriteByte('\n')
		}
		for c := range cols {
			if c > 0 {
				text.WriteByte('\t')
				csv.WriteByte(',')
			}
			cell := grid[r*cols+c]
			if cell == nil || cell.Text == "" {
				if cols == 1 {
					csv.WriteString(`""`) // an empty line is no record to most readers
				}
				continue
			}
			start := text.Len()
			text.WriteString(cell.Text)
			t.CellRanges = append(t.CellRanges, model.CellRange{Row: r, Col: c, Start: start, End: text.Len()})
			csv.WriteString(quoteCSV(cell.Text))
		}
		csv.WriteString("\r\n")
	}
	t.CSV = csv.String()
	return text.String()
}

func quoteCSV(s string) string {
	if !strings.ContainsAny(s, "\",\r\n") && strings.TrimSpace(s) == s {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
