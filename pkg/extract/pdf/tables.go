package pdf

import (
	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/layout"
	"github.com/colophon-dev/colophon/pkg/extract/pdf/table"
	shared "github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/pdfium"
)

// shapes returns the drawn lines of the page on the upright page.
func (s sheet) shapes(g pdfium.Graphics) []table.Shape {
	var out []table.Shape
	for i := range g.Paths {
		p := &g.Paths[i]
		if !p.Stroke && !p.Fill {
			continue
		}
		var last *table.Shape
		for _, point := range p.Points {
			if point.Kind == pdfium.MoveTo || last == nil {
				out = append(out, table.Shape{Stroke: p.Stroke, Fill: p.Fill})
				last = &out[len(out)-1]
			}
			if point.Kind == pdfium.CurveTo {
				last.Curved = true
			}
			x, y := s.point(point.X, point.Y)
			last.Points = append(last.Points, table.Point{X: x, Y: y})
			last.Closed = last.Closed || point.Close
		}
	}
	return out
}

// table makes the block of a table.
func (r *reader) table(t *table.Table, caption string, words layout.Words) block.Block {
	cells := make([]shared.Cell, len(t.Cells))
	glyphs := t.Glyphs()
	for i := range t.Cells {
		c := &t.Cells[i]
		cells[i] = shared.Cell{
			Row: c.Row, Col: c.Col, RowSpan: c.RowSpan, ColSpan: c.ColSpan, Text: layout.Join(c.Lines, words),
		}
	}
	source := shared.SourceRuled
	if !t.Ruled {
		source = shared.SourceHeuristic
	}
	found, text := shared.Build(cells, shared.Options{
		Source: source, Caption: caption, HeaderRows: t.HeaderRows, Confidence: t.Confidence,
	})
	box := model.BBox(r.sheet.box(t.Box))
	found.BBox = &box
	for _, x := range t.Edges {
		found.ColumnEdges = append(found.ColumnEdges, r.sheet.box(layout.Rect{Left: x, Right: x, Bottom: r.sheet.height}).X)
	}
	out := block.Block{Type: model.UnitTable, Text: text, Table: &found, Confidence: t.Confidence, Evidence: r.evidence(glyphs)}
	if len(out.Evidence) == 1 {
		out.Evidence[0].BBox = &box
	}
	r.count(glyphs, text)
	return out
}

// captionOf returns the text of the caption that stands next to block i.
func captionOf(blocks []layout.Block, i int, words layout.Words) string {
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(blocks) && blocks[k].Kind == layout.Caption {
			text, _ := blocks[k].Text(words)
			return text
		}
	}
	return ""
}
