package guard

import (
	"sort"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
)

// block is a unit of the page as the guard reads it.
type block struct {
	unit     *model.Unit
	language string
	fold     folded
	rows     []row                     // of a table
	heads    map[int][]model.CellRange // cells of the heads of a table, by column
	parts    []part                    // sentences of prose, cells of a table
	void     bool                      // what stands above it says that it does not hold, or it is struck out
}

// part is a sentence of a block of prose, or a cell of a table: values and the names that they
// are of stand in one, but for cells, whose names are in their row or column.
type part struct {
	value.Span
	text     value.Text // read with its offsets in the part
	row, col int        // of a cell: grid row and column
	head     string     // of a cell: the head of its column
	clauses  []clause
	index    int  // among the sentences of its block
	isCell   bool // of a table
	void     bool // it asks, or what follows, its head or its row says that it is not so
}

// row is a printed row of a table.
type row struct {
	value.Span
	grid  int
	cells []*part
}

// page is a page as the guard reads it.
type page struct {
	in       entity.PageInput
	language string
	blocks   []*block
	prose    *index // of its blocks of text
	tables   *index // of its tables
}

// newPage reads the units that hold the page's own content: no furniture, no running heads.
func newPage(in entity.PageInput) *page {
	p := &page{in: in, language: in.Language}
	var open sections // those that say that what stands in them does not hold
	for _, s := range in.Open {
		open.enter(s.Level, hasClass(fold(s.Text, false).text, in.Language, "void"))
	}
	intro := false // what opens a list says so
	for i := range in.Units {
		u := &in.Units[i]
		if !u.Chunked() {
			continue
		}
		b := newBlock(u, in)
		listed := u.Type == model.UnitListItem || u.Type == model.UnitDefinition || u.FieldsRaw.Table != nil
		switch {
		case u.Type == model.UnitHeading:
			open.enter(u.FieldsRaw.Level, hasClass(b.fold.text, b.language, "void") || isExampleHead(u.FieldsRaw.Text, b.language))
			intro = false
		case !listed:
			intro = b.deniesList()
		}
		b.void = open.areVoid() || intro && listed || isStruck(u.FieldsRaw.HTML)
		p.blocks = append(p.blocks, b)
	}
	var prose, tables []*block
	for _, b := range p.blocks {
		if b.unit.FieldsRaw.Table != nil {
			tables = append(tables, b)
		} else {
			prose = append(prose, b)
		}
	}
	p.voidByNotes()
	p.prose, p.tables = newIndex(prose), newIndex(tables)
	return p
}

func newBlock(u *model.Unit, in entity.PageInput) *block {
	language := in.Language
	if l := u.FieldsRaw.Language; l != nil && l.Lang != "" {
		language = l.Lang
	}
	text := u.FieldsRaw.Text
	b := &block{unit: u, language: language, fold: fold(text, u.FieldsRaw.Table != nil)}
	if t := u.FieldsRaw.Table; t != nil {
		b.readTable(t, in.Types)
		return b
	}
	for _, s := range Sentences(text) {
		b.parts = append(b.parts, newPart(text, s, language))
	}
	for i := range b.parts {
		b.parts[i].letChoicesStand(in.Types)
	}
	for i := range b.parts {
		p := &b.parts[i]
		p.index = i
		p.void = p.void || asks(p.text.Text) || p.isUnreal()
		if i+1 < len(b.parts) {
			next := &b.parts[i+1]
			p.void = p.void || next.deniesBefore() || next.revokesBefore()
		}
	}
	return b
}

// What is read is bounded, so that a page made to be slow is not: a sentence or cell that is longer, or
// that has more numbers, is none, and holds no value; nor does a row of more cells or bytes.
const (
	MaxSentence = 4 << 10 // bytes of a sentence or cell
	MaxNumbers  = 64      // numbers or dates of a sentence or cell
	maxCells    = 256     // of a row
	maxRow      = 64 << 10
	maxHead     = 512 // bytes of the head of a column
)

func newPart(text string, s value.Span, language string) part {
	if s.End-s.Start > MaxSentence {
		return part{Span: s, text: value.Text{Text: text[s.Start:s.End], Language: language}, void: true}
	}
	p := part{Span: s, text: value.Read(text[s.Start:s.End], language)}
	if len(p.text.Numbers) > MaxNumbers || len(p.text.Dates) > MaxNumbers {
		return part{Span: s, text: value.Text{Text: text[s.Start:s.End], Language: language}, void: true}
	}
	p.clauses = clausesOf(p.text)
	return p
}

// readTable reads the cells of a table from where they stand in the unit's text.
func (b *block) readTable(t *model.Table, types []entity.Type) {
	text := b.unit.FieldsRaw.Text
	heads := make(map[int]string)
	b.heads = make(map[int][]model.CellRange)
	for _, c := range t.CellRanges {
		if c.Start < 0 || c.End > len(text) || c.Start > c.End {
			continue
		}
		if c.Row < t.HeaderRows {
			if len(heads[c.Col])+c.End-c.Start < maxHead {
				heads[c.Col] = strings.TrimSpace(heads[c.Col] + " " + text[c.Start:c.End])
			}
			b.heads[c.Col] = append(b.heads[c.Col], c)
			continue
		}
		p := newPart(text, value.Span{Start: c.Start, End: c.End}, b.language)
		p.row, p.col, p.isCell = c.Row, c.Col, true
		p.letChoicesStand(types)
		b.parts = append(b.parts, p)
	}
	for i := range b.parts {
		p := &b.parts[i]
		p.head = heads[p.col]
		if p.head == "" && p.col < len(t.Columns) {
			p.head = t.Columns[p.col]
		}
		if n := len(b.rows); n == 0 || b.rows[n-1].grid != p.row {
			b.rows = append(b.rows, row{Span: p.Span, grid: p.row})
		}
		r := &b.rows[len(b.rows)-1]
		r.Start, r.End = min(r.Start, p.Start), max(r.End, p.End)
		r.cells = append(r.cells, p)
	}
	b.voidCells(t.Caption, types)
}

// rowOf returns the row that holds a range, nil when it holds several or none. Rows are in the order of the text.
func (b *block) rowOf(s value.Span) *row {
	i := sort.Search(len(b.rows), func(i int) bool { return b.rows[i].End >= s.End })
	if i == len(b.rows) || b.rows[i].Start > s.Start {
		return nil
	}
	r := &b.rows[i]
	if len(r.cells) > maxCells || r.End-r.Start > maxRow {
		return nil
	}
	return r
}

// box returns the box of a range of the block: of the cell, of the row, or of the unit.
func (b *block) box(s value.Span) *model.BBox {
	t := b.unit.FieldsRaw.Table
	if t == nil || t.BBox == nil {
		return unitBox(b.unit)
	}
	r := b.rowOf(s)
	if r == nil || r.grid+1 >= len(t.RowEdges) {
		return t.BBox
	}
	box := model.BBox{X: t.BBox.X, W: t.BBox.W, Y: t.RowEdges[r.grid], H: max(0, t.RowEdges[r.grid+1]-t.RowEdges[r.grid])}
	for _, c := range r.cells {
		if c.Start <= s.Start && s.End <= c.End && c.col+1 < len(t.ColumnEdges) {
			box.X, box.W = t.ColumnEdges[c.col], max(0, t.ColumnEdges[c.col+1]-t.ColumnEdges[c.col])
		}
	}
	return &box
}

func unitBox(u *model.Unit) *model.BBox {
	for _, e := range u.Evidence {
		if e.BBox != nil {
			return e.BBox
		}
	}
	return nil
}
