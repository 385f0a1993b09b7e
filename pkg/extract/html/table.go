package html

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// What a span may ask for (HTML, "Attributes common to td and th elements").
const (
	maxColSpan = 1000
	maxRowSpan = 65534
)

// table writes a table as a block, its caption before it. It reports false for
// one that only arranges the page: its cells are gone into like any block.
func (b *builder) table(n *node, s state) bool {
	g := &gridReader{b: b}
	g.rows(n)
	if g.row*g.columns > table.MaxCells {
		b.tooLarge(n, g)
		return false
	}
	if g.arranges(n) {
		return false
	}
	g.read()
	if role, ok := b.roles[n]; ok {
		s.role = role
	}
	caption := ""
	for i, n := range g.captions { // the first is the table's
		if i == 0 {
			caption = oneLine(b.read(n.kids, false).text)
		}
		b.child(n, state{role: s.role, lang: s.lang})
	}
	lang := b.lang
	if s.lang != "" {
		lang = s.lang
	}
	t, text := table.Build(g.cells, table.Options{
		Source: table.SourceHTML, Caption: caption, HeaderRows: g.heads, Language: lang, Confidence: 1, Warnings: g.warnings,
	})
	if text == "" && len(g.images) == 0 || n.last < 0 {
		return true
	}
	out := block.Block{
		Type: model.UnitTable, Text: text, Links: g.links, Images: g.images, Confidence: 1, Lang: s.lang, Table: &t,
		Evidence: b.evidence(n, n.first, n.last, text), HTML: b.x.slice(n.first, n.last), Markdown: table.Markdown(&t),
	}
	if s.role != "" {
		out.Type, out.Role = model.UnitFurniture, s.role
	}
	if s.flag != "" {
		out.Flags = []string{s.flag}
	}
	if s.role == "" && b.doubts[n] {
		out.Flags = append(out.Flags, FlagMaybeFurniture)
	}
	n.taken = takenBy(&out)
	b.add(n, out)
	b.hide(g.hidden)
	return true
}

// partial is the confidence of what is there only in part (seeds#conventions).
const partial = 0.6

// tooLarge writes an error unit for a table whose spans ask for more cells than
// any table has. What its cells hold follows, as blocks.
func (b *builder) tooLarge(n *node, g *gridReader) {
	if n.last < 0 || b.saw != nil {
		return
	}
	b.blocks = append(b.blocks, block.Block{
		Type: model.UnitError, HTML: b.x.slice(n.first, n.last), Evidence: b.evidence(n, n.first, n.last, ""),
		Failed: &block.Failed{
			Reason:       fault.LimitExceeded,
			Message:      fmt.Sprintf("a table of %d rows and %d columns, limit %d cells: its cells stand as blocks of their own", g.row, g.columns, table.MaxCells),
			FallbackText: hiddenText(n),
		},
	})
}

// gridReader puts the cells of a table into a grid.
type gridReader struct {
	b        *builder
	captions []*node
	cells    []table.Cell
	nodes    []*node // of the cells
	links    []model.Link
	images   []model.Image
	hidden   []*node
	warnings []string
	taken    map[[2]int]bool // places that a span covers
	row      int
	heads    int  // leading header rows
	body     bool // a row that is no header was seen
	columns  int
	th       bool
	nested   bool // a table, heading or form within a cell
	long     bool // a cell with several paragraphs
}

// rows goes through the rows of a table and its row groups, in the order of
// the document.
func (g *gridReader) rows(n *node) {
	g.taken = map[[2]int]bool{}
	for _, k := range n.kids {
		if k.hidden || k.Type != html.ElementNode {
			continue
		}
		switch k.Data {
		case "caption":
			g.captions = append(g.captions, k)
		case "tr":
			g.tr(k, false, g.row+1)
		case "thead", "tbody", "tfoot":
			end := g.row
			for _, r := range k.kids {
				if isRow(r) {
					end++
				}
			}
			for _, r := range k.kids {
				if isRow(r) {
					g.tr(r, k.Data == "thead", end)
				}
			}
		}
	}
}

func isRow(n *node) bool { return n.Type == html.ElementNode && n.Data == "tr" && !n.hidden }

// tr places the cells of one row; end is the row after the last of its group,
// beyond which no cell reaches.
func (g *gridReader) tr(n *node, head bool, end int) {
	col, all, any := 0, true, false
	for _, k := range n.kids {
		if k.hidden || k.Data != "td" && k.Data != "th" || k.Type != html.ElementNode {
			continue
		}
		for g.taken[[2]int{g.row, col}] {
			col++
		}
		any = true
		all = all && k.Data == "th"
		g.th = g.th || k.Data == "th"
		col += g.cell(k, col, end)
	}
	g.columns = max(g.columns, col)
	if any && (head || all && !g.body) {
		if !g.body {
			g.heads = g.row + 1
		}
	} else if any {
		g.body = true
	}
	g.row++
}

// cell places one cell and returns how many columns it takes.
func (g *gridReader) cell(n *node, col, end int) int {
	colSpan := span(n.attr("colspan"), 1, maxColSpan)
	rowSpan := span(n.attr("rowspan"), 0, maxRowSpan)
	if rowSpan == 0 || rowSpan > end-g.row {
		rowSpan = end - g.row
	}
	rowSpan = max(rowSpan, 1)
	if colSpan*rowSpan > 1 && len(g.taken)+colSpan*rowSpan <= table.MaxCells {
		for r := 1; r < rowSpan; r++ { // its own row is passed by the return value
			for k := range colSpan {
				g.taken[[2]int{g.row + r, col + k}] = true
			}
		}
	}
	g.cells = append(g.cells, table.Cell{Row: g.row, Col: col, RowSpan: rowSpan, ColSpan: colSpan})
	g.nodes = append(g.nodes, n)
	g.nested = g.nested || n.sections
	g.long = g.long || n.long > 1 || n.letters > longParagraph && emptyLines(n) > 1
	return colSpan
}

// read reads what the cells hold, once it is known that they are data: tables
// within tables that arrange the page would be read at every level.
func (g *gridReader) read() {
	for i, n := range g.nodes {
		c := g.b.read(n.kids, false)
		g.cells[i].Text = c.text
		if len(c.links) == 1 && c.links[0].Text == c.text {
			g.cells[i].Link = c.links[0].URL
		}
		g.links = append(g.links, c.links...)
		g.images = append(g.images, c.images...)
		g.hidden = append(g.hidden, c.hidden...)
	}
}

// emptyLines counts the empty lines that br elements make in a cell: they divide
// paragraphs.
func emptyLines(n *node) int {
	count, breaks := 0, 0
	for _, k := range n.kids {
		switch {
		case k.Type == html.TextNode && strings.TrimSpace(k.Data) == "":
		case k.Type == html.ElementNode && k.Data == "br":
			if breaks++; breaks == 2 {
				count++
			}
		default:
			breaks = 0
			if k.Data != "table" {
				count += emptyLines(k)
			}
		}
	}
	return count
}

func span(value string, least, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < least {
		return 1
	}
	return min(n, most)
}

// arranges reports whether a table only arranges the page: by its role, by
// what its cells hold, or because it has a single row or column. A caption or
// header cells speak for data.
func (g *gridReader) arranges(n *node) bool {
	if role := n.attr("role"); role == "presentation" || role == "none" {
		return true
	}
	if len(g.captions) > 0 {
		return false
	}
	if g.th {
		return g.nested && g.long
	}
	return g.nested || g.long || g.row < 2 || g.columns < 2
}
