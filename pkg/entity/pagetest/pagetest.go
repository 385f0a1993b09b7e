// Package pagetest makes pages of units for tests of entities, from a few lines: "# " begins
// a heading, "- " an item of a list, lines with | make a table whose first row is its head,
// and other lines are paragraphs.
package pagetest

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Page returns page 1 of a document in a language, of these lines. Blocks are set below each other.
func Page(language, lines string) entity.PageInput {
	in := entity.PageInput{PageID: digest.PageID("snap_test", 1), PageNo: 1, Language: language}
	var table [][]string
	flush := func() {
		if table != nil {
			in.Units = append(in.Units, tableUnit(len(in.Units), table))
			table = nil
		}
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.Contains(line, "|") {
			var cells []string
			for c := range strings.SplitSeq(line, "|") {
				cells = append(cells, strings.TrimSpace(c))
			}
			table = append(table, cells)
			continue
		}
		flush()
		switch {
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "# "):
			u := textUnit(len(in.Units), model.UnitHeading, line[2:])
			u.FieldsRaw.Level = 2
			in.Units = append(in.Units, u)
		case strings.HasPrefix(line, "- "):
			in.Units = append(in.Units, textUnit(len(in.Units), model.UnitListItem, line[2:]))
		default:
			in.Units = append(in.Units, textUnit(len(in.Units), model.UnitParagraph, line))
		}
	}
	flush()
	return in
}

// height is how much of a page a block takes.
const height = 0.02

func textUnit(n int, typ model.UnitType, text string) model.Unit {
	return model.Unit{IRID: fmt.Sprintf("ir_%03d", n), Type: typ, FieldsRaw: model.Fields{Text: text, Verbatim: true},
		Evidence: []model.Evidence{{PageNumber: 1, BBox: &model.BBox{X: 0.1, Y: height * float64(n), W: 0.8, H: height}}}}
}

func tableUnit(n int, rows [][]string) model.Unit {
	t := &model.Table{Columns: rows[0], HeaderRows: 1, Source: "ruled", BBox: &model.BBox{X: 0.1, Y: height * float64(n), W: 0.8, H: height * float64(len(rows))}}
	var b strings.Builder
	for r, row := range rows {
		t.RowEdges = append(t.RowEdges, t.BBox.Y+height*float64(r))
		var cells []model.Cell
		for c, cell := range row {
			if c > 0 {
				b.WriteByte('\t')
			}
			t.CellRanges = append(t.CellRanges, model.CellRange{Row: r, Col: c, Start: b.Len(), End: b.Len() + len(cell)})
			b.WriteString(cell)
			cells = append(cells, model.Cell{Formatted: cell})
		}
		if r > 0 {
			t.Rows = append(t.Rows, cells)
		}
		if r+1 < len(rows) {
			b.WriteByte('\n')
		}
	}
	t.RowEdges = append(t.RowEdges, t.BBox.Y+t.BBox.H)
	for c := range len(rows[0]) + 1 {
		t.ColumnEdges = append(t.ColumnEdges, t.BBox.X+t.BBox.W*float64(c)/float64(len(rows[0])))
	}
	u := textUnit(n, model.UnitTable, b.String())
	u.FieldsRaw.Table = t
	return u
}
