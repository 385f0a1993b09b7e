package text

import (
	"regexp"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// maxLine and maxLines bound the lines that may be rows of a table.
	maxLine  = 1000
	maxLines = 5000
	// minGap is how many empty columns divide two columns of text.
	minGap = 2
	// tabStop is how wide a tabulator is at most.
	tabStop = 8
)

var (
	border    = regexp.MustCompile(`^[-+|:=\s]*[-=]{2,}[-+|:=\s]*$`)
	hasFigure = regexp.MustCompile(`^[^\pL]*\d`)
)

// barred takes rows with bars for a table, wherever among the lines they stand,
// and reports whether there are any.
func (x *extraction) barred(lines []line) bool {
	from, to := 0, 0
	for ; from < len(lines); from = to + 1 {
		for to = from; to < len(lines) && (strings.Contains(lines[to].text, "|") || isBorder(lines[to].text)); {
			to++
		}
		if to-from < 2 || to-from > maxLines {
			continue
		}
		rows, heads, ok := barred(lines[from:to])
		if !ok {
			continue
		}
		if from > 0 {
			x.group(lines[:from])
		}
		x.addTable(lines[from:to], rows, heads, 0.9)
		if to < len(lines) {
			x.group(lines[to:])
		}
		return true
	}
	return false
}

// columned takes lines for a table when their text stands in columns, with a
// caption right above or not, and reports whether it does.
func (x *extraction) columned(lines []line) bool {
	if len(lines) > maxLines {
		return false
	}
	rows, heads, ok := columned(lines)
	if !ok && len(lines) > 1 && !strings.Contains(lines[0].text, "  ") {
		if rows, heads, ok = columned(lines[1:]); ok {
			x.add(model.UnitCaption, lines[:1], 0.7)
			lines = lines[1:]
		}
	}
	if ok {
		x.addTable(lines, rows, heads, 0.7)
	}
	return ok
}

func (x *extraction) addTable(lines []line, rows [][]string, heads int, confidence float64) {
	var cells []table.Cell
	for r, row := range rows {
		for c, text := range row {
			cells = append(cells, table.Cell{Row: r, Col: c, Text: text})
			x.visible += coverage.Characters(text)
		}
	}
	t, text := table.Build(cells, table.Options{Source: table.SourceText, Language: x.language, HeaderRows: heads, Confidence: confidence})
	x.indents = nil
	b := x.block(model.UnitTable, text, lines, confidence)
	b.Table, b.Markdown = &t, table.Markdown(&t)
}

// barred reads rows whose cells are divided by bars: Markdown's tables, with a
// line of hyphens below the heads, and those whose rows begin with a bar.
func barred(lines []line) (rows [][]string, heads int, ok bool) {
	framed, ruled := true, false
	for _, l := range lines {
		if isBorder(l.text) && len(l.text) > 2 {
			if heads == 0 && len(rows) > 0 {
				heads = len(rows)
			}
			ruled = ruled || strings.Contains(l.text, "|") || strings.Contains(l.text, "+")
			continue
		}
		if !strings.Contains(l.text, "|") {
			return nil, 0, false
		}
		framed = framed && strings.HasPrefix(l.text, "|")
		rows = append(rows, bars(l.text))
	}
	if len(rows) == 0 || len(rows[0]) < 2 || !ruled && (!framed || len(rows) < 2) {
		return nil, 0, false
	}
	if heads == len(rows) && len(rows) > 1 {
		heads = 0 // the line below the last row ends the table
	}
	return rows, heads, true
}

// bars divides a row at its bars. One after a backslash is text.
func bars(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "|"), "|")
	var out []string
	var cell strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '|':
			cell.WriteByte('|')
			i++
		case s[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(s[i])
		}
	}
	return append(out, strings.TrimSpace(cell.String()))
}

// columned reads rows of text in columns: at least three, divided at the same
// places by two or more spaces in every row, or as a line of hyphens shows.
func columned(lines []line) (rows [][]string, heads int, ok bool) {
	const minRows = 3
	var grid [][]rune
	var rule []rune
	if !slices.ContainsFunc(lines, mayDivide) {
		return nil, 0, false
	}
	items := 0
	for _, l := range lines {
		wide := expand(l)
		if len(wide) > maxLine {
			return nil, 0, false
		}
		if isBorder(l.text) {
			if rule == nil {
				rule, heads = wide, len(grid)
			}
			continue
		}
		if hasItem(l) {
			items++
		}
		grid = append(grid, wide)
	}
	if len(grid) < minRows || items*2 > len(grid) {
		return nil, 0, false
	}
	starts := columns(grid, rule)
	if len(starts) < 2 {
		return nil, 0, false
	}
	full := 0
	for _, wide := range grid {
		row := cut(wide, starts)
		if len(row)-countEmpty(row) >= min(len(row), 2) && row[0] != "" {
			full++
		}
		rows = append(rows, row)
	}
	if full*5 < len(rows)*4 {
		return nil, 0, false
	}
	if rule == nil {
		heads = guessHeads(rows)
	}
	if heads == len(rows) {
		heads = 0
	}
	return rows, heads, true
}

// mayDivide reports whether a line has room between columns or before them, or is a
// rule: without such lines there is one column.
func mayDivide(l line) bool {
	return l.indent > 0 || strings.Contains(l.text, "  ") || strings.ContainsAny(l.text, "\t\u00A0") || isBorder(l.text)
}

// isBorder reports whether a line, without white space at its ends, is one between
// rows.
func isBorder(text string) bool {
	return text != "" && strings.IndexByte("-+|:=", text[0]) >= 0 && border.MatchString(text)
}

// expand returns a line with its indent and with tabulators as spaces.
func expand(l line) []rune {
	out := slices.Repeat([]rune{' '}, min(l.indent, maxLine))
	for _, r := range l.text {
		if r != '\t' {
			out = append(out, r)
			continue
		}
		out = append(out, ' ')
		for len(out)%tabStop != 0 {
			out = append(out, ' ')
		}
	}
	return out
}

// columns returns where the columns of a grid begin: after places that are
// empty in every row, and that a rule, if there is one with gaps, leaves empty too.
func columns(grid [][]rune, rule []rune) []int {
	gap := minGap
	if strings.Contains(strings.TrimSpace(string(rule)), " ") {
		gap = 1
	} else {
		rule = nil // it goes across all columns
	}
	width := len(rule)
	for _, row := range grid {
		width = max(width, len(row))
	}
	taken := make([]bool, width)
	for _, row := range append(slices.Clone(grid), rule) {
		for c, r := range row {
			taken[c] = taken[c] || r != ' ' && r != '\u00A0'
		}
	}
	var starts []int
	empty := gap // the first column needs no gap before it
	for c, t := range taken {
		switch {
		case !t:
			empty++
			continue
		case empty >= gap:
			starts = append(starts, c)
		}
		empty = 0
	}
	return starts
}

func cut(wide []rune, starts []int) []string {
	row := make([]string, len(starts))
	for i, start := range starts {
		end := len(wide)
		if i+1 < len(starts) {
			end = min(starts[i+1], len(wide))
		}
		if start < end {
			row[i] = strings.TrimSpace(string(wide[start:end]))
		}
	}
	return row
}

func countEmpty(row []string) int {
	n := 0
	for _, cell := range row {
		if cell == "" {
			n++
		}
	}
	return n
}

// guessHeads returns 1 when the first row has no figure, and another row has one
// in some column.
func guessHeads(rows [][]string) int {
	if slices.ContainsFunc(rows[0], hasFigure.MatchString) {
		return 0
	}
	for _, row := range rows[1:] {
		if slices.ContainsFunc(row, hasFigure.MatchString) {
			return 1
		}
	}
	return 0
}
