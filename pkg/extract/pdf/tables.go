package pdf

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	shared "github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/layout"
	"github.com/colophon-dev/colophon/pkg/layout/table"
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

// Columns drift when more than driftShare of the rows have text across them, or
// less than heldShare of the texts stand in line.
const (
	driftShare = 0.1
	heldShare  = 0.85
)

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
	o := shared.Options{Source: shared.SourceRuled, Caption: caption, HeaderRows: t.HeaderRows, Confidence: t.Confidence}
	if !t.Ruled {
		o.Source = shared.SourceHeuristic
	}
	if t.Body > 0 && (float64(t.Drift) > driftShare*float64(t.Body) || t.Held < heldShare) {
		o.Confidence -= 0.2
		o.Warnings = append(o.Warnings, fmt.Sprintf("%s: %d of %d rows have text across the columns, %.0f %% of the texts are in line",
			shared.DriftWarning, t.Drift, t.Body, math.Floor(100*t.Held)))
	}
	found, text := shared.Build(cells, o)
	box := model.BBox(r.sheet.box(t.Box))
	found.BBox = &box
	for _, x := range t.Edges {
		found.ColumnEdges = append(found.ColumnEdges, r.sheet.box(layout.Rect{Left: x, Right: x, Bottom: r.sheet.height}).X)
	}
	for _, y := range t.RowEdges() {
		found.RowEdges = append(found.RowEdges, r.sheet.box(layout.Rect{Right: r.sheet.width, Top: y, Bottom: y}).Y)
	}
	out := block.Block{
		Type: model.UnitTable, Text: text, Markdown: shared.Markdown(&found), Table: &found, Confidence: o.Confidence, Evidence: r.evidence(glyphs),
	}
	if t.Turn != 0 {
		out.Flags = append(out.Flags, FlagTurned)
	}
	if len(out.Evidence) == 1 {
		out.Evidence[0].BBox = &box
	}
	r.put(glyphs)
	r.count(glyphs, text)
	return out
}

var (
	// tableWord begins the caption of a table, tableLabel is one without a title.
	tableWord  = regexp.MustCompile(`^(?i:table|tableau|tabela|tabella|tabelle|tabla|tabel|tavola|quadro)(?:\W|\d|$)`)
	tableLabel = regexp.MustCompile(`^(?i:table|tableau|tabela|tabella|tabelle|tabla|tabel|tavola|quadro)\s+[\dIVXA-Z][\d.\-–A-Za-z]*[.:]?$`)
	// otherWord begins the caption of something else.
	otherWord = regexp.MustCompile(`^(?i:fig\.|figure|figura|abb\.|abbildung|graph|gráf|graf|chart|map|carte)`)
	// sentence is one that tells of a table or figure.
	sentence = regexp.MustCompile(`^\pL+\.?\s+[\dIVXA-Z][\d.\-–A-Za-z]*\s+\p{Ll}.*\.$`)
)

const (
	// captionGap is how far above a table, in ems, its caption stands at most.
	captionGap = 3
	// maxCaption is how many bytes a caption has at most.
	maxCaption = 600
)

// captionOf returns the text of the caption of the table in block i: of the
// blocks right above it the first that is called a caption or begins as one,
// with the title below a label alone; else a caption right below it that
// belongs to nothing else.
func captionOf(blocks []layout.Block, i int, words layout.Words) string {
	between := "" // what stands between the caption and the table
	edge := blocks[i].Box.Top
	for _, k := range heads(blocks, i) {
		b := &blocks[k]
		if b.Kind == layout.Box || edge-b.Box.Bottom > captionGap*b.Size {
			break
		}
		text, _ := b.Text(words)
		if len(text) > maxCaption || otherWord.MatchString(text) {
			break
		}
		if (b.Kind == layout.Caption || tableWord.MatchString(text)) && !sentence.MatchString(text) {
			if tableLabel.MatchString(text) && between != "" {
				text += " " + between
			}
			return text
		}
		edge, between = b.Box.Top, text
	}
	if k := i + 1; k < len(blocks) && blocks[k].Kind == layout.Caption && (k+1 == len(blocks) || blocks[k+1].Kind != layout.Box) {
		if text, _ := blocks[k].Text(words); !otherWord.MatchString(text) && !sentence.MatchString(text) {
			return text
		}
	}
	return ""
}

// heads returns the blocks that stand above block i, the nearest first, no more
// than a caption with its notes has.
func heads(blocks []layout.Block, i int) []int {
	box := blocks[i].Box
	var out []int
	for k := range blocks {
		b := &blocks[k]
		over := b.Box.Top < box.Top && b.Box.Bottom < box.Top+b.Size
		if k != i && over && b.Turn == 0 && b.Box.Right > box.Left && b.Box.Left < box.Right {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(blocks[b].Box.Bottom, blocks[a].Box.Bottom) })
	return out[:min(len(out), 3)]
}

const (
	// pageTop and pageBottom are the parts of the page that a table begins in
	// when it is the rest of one, and ends in when it goes on.
	pageTop    = 0.35
	pageBottom = 0.7
)

// runsOver reports whether the table in block i began on the page before, being
// the first of the body without a caption, and whether it goes on on the next,
// being the last.
func (r *reader) runsOver(blocks []layout.Block, i int, caption string) (continued, continues bool) {
	box := blocks[i].Box
	continued, continues = caption == "" && box.Top < pageTop*r.sheet.height, box.Bottom > pageBottom*r.sheet.height
	for k := range blocks {
		b := &blocks[k]
		if k == i || b.Turn != 0 || b.Hidden || b.Outside {
			continue
		}
		switch b.Kind {
		case layout.PageHeader, layout.PageFooter:
			continue
		case layout.Footnote:
			continued = continued && b.Box.Top > box.Top
			continues = continues && b.Ref != 1+blocks[i].Ref // its notes end it
			continue
		}
		continued = continued && b.Box.Top > box.Top
		continues = continues && b.Box.Bottom < box.Bottom
	}
	return continued, continues
}
