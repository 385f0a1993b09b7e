// Package assemble makes a document again out of the pages of its IR segments:
// blocks in reading order, what spans pages joined, furniture left out
// (contracts#page-depends, contracts#unit-types). It reads page after page and holds no more than what is
// still open.
package assemble

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/proof/header"
)

// Run is a piece of text with where it is from: bytes of one unit's text, or
// the rule that wrote it.
type Run struct {
	Text      string
	IRID      string
	Page      int // 1-based
	From      int // byte in the unit's text; Text is the unit's text from there
	Synthetic string
}

// Line is what is cut only when it is over the budget alone: a block of prose,
// or a row of a table.
type Line []Run

// Text returns the line as it stands in a chunk.
func (l Line) Text() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, r := range l {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Block is one or, joined over pages, several units.
type Block struct {
	Type  model.UnitType
	Level int    // of a heading, 1..6
	Depth int    // of a list item, 1 = outermost; of a definition 1 for the word, 2 for what it means
	Page  int    // 1-based, where it starts
	Lines []Line // one; of a table one for each row
	// Heads says for each line of a table what is repeated before it when it
	// opens a chunk: the head of its own unit (header.TableHead), so that a
	// proof finds it there; "" for the lines of the head.
	Heads []string
}

// Assembler takes the units of a document in order and hands on its blocks.
type Assembler struct {
	emit    func(Block) error
	leftOut func(irID string) bool
	open    *Block       // continues on the next page, if that one says so too
	openEnd int          // its last page
	last    *model.Table // of its last unit
	side    []Block      // notes and figures between the two halves
}

// New returns an assembler that hands each block to emit, in reading order. leftOut
// says which units the document as a whole shows to be running heads or feet.
func New(leftOut func(irID string) bool, emit func(Block) error) *Assembler {
	return &Assembler{emit: emit, leftOut: leftOut}
}

// Add takes the units of the next page.
func (a *Assembler) Add(pageNo int, units []model.Unit) error {
	for _, u := range units {
		if !u.Chunked() || strings.TrimSpace(u.FieldsRaw.Text) == "" || a.leftOut(u.IRID) {
			continue
		}
		if err := a.add(pageNo, u); err != nil {
			return err
		}
	}
	return nil
}

func (a *Assembler) add(pageNo int, u model.Unit) error {
	if a.open != nil {
		switch {
		case u.FieldsRaw.Continued && pageNo == a.openEnd+1 && a.goesOn(u):
			a.join(pageNo, u)
			if u.FieldsRaw.Continues {
				return nil
			}
			return a.Close()
		case beside(u.Type) && pageNo <= a.openEnd+1:
			a.side = append(a.side, blockOf(pageNo, u))
			return nil
		}
		if err := a.Close(); err != nil {
			return err
		}
	}
	b := blockOf(pageNo, u)
	if u.FieldsRaw.Continues {
		a.open, a.openEnd, a.last = &b, pageNo, u.FieldsRaw.Table
		return nil
	}
	return a.emit(b)
}

// Close hands on what is still open. It is to be called after the last page.
func (a *Assembler) Close() error {
	if a.open == nil {
		return nil
	}
	blocks := append([]Block{*a.open}, a.side...)
	a.open, a.side, a.last = nil, nil, nil
	for _, b := range blocks {
		if err := a.emit(b); err != nil {
			return err
		}
	}
	return nil
}

// goesOn reports whether what is open can go on in the unit: a table only in one
// with the same columns.
func (a *Assembler) goesOn(u model.Unit) bool {
	return joins(a.open.Type, u.Type) && (u.Type != model.UnitTable || sameColumns(a.last, u.FieldsRaw.Table))
}

// edgeShift is how far, as a share of the page's width, the columns of a table
// move from page to page at most: its figures are not equally wide everywhere.
const edgeShift = 0.03

// sameColumns reports whether the parts of a table have as many columns, with
// the same head or at the same places.
func sameColumns(a, b *model.Table) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Columns) != len(b.Columns) {
		return false
	}
	if a.HeaderRows > 0 && a.HeaderRows == b.HeaderRows && slices.Equal(a.Columns, b.Columns) {
		return true
	}
	if len(a.ColumnEdges) != len(b.ColumnEdges) {
		return false
	}
	for i, x := range a.ColumnEdges {
		if math.Abs(x-b.ColumnEdges[i]) > edgeShift {
			return false
		}
	}
	return true
}

// joins reports whether a unit of the second type can go on with one of the
// first: the rest of a list item or a quotation stands on the next page as a
// plain paragraph.
func joins(first, second model.UnitType) bool {
	return first == second || second == model.UnitParagraph &&
		(first == model.UnitListItem || first == model.UnitDefinition || first == model.UnitQuote)
}

// beside reports whether units of this type stand between the halves of a block
// without ending it.
func beside(t model.UnitType) bool {
	switch t {
	case model.UnitFootnote, model.UnitFigure, model.UnitCaption, model.UnitAnnotation, model.UnitFormField:
		return true
	default:
		return false
	}
}

func (a *Assembler) join(pageNo int, u model.Unit) {
	next := blockOf(pageNo, u)
	a.openEnd, a.last = pageNo, u.FieldsRaw.Table
	if a.open.Type == model.UnitTable {
		from := 0
		if head := headLines(next); head == headLines(*a.open) {
			for from < len(next.Lines) && next.Heads[from] == "" && head != "" { // the head printed again
				from++
			}
		}
		a.open.Lines = append(a.open.Lines, next.Lines[from:]...)
		a.open.Heads = append(a.open.Heads, next.Heads[from:]...)
		return
	}
	line := a.open.Lines[0]
	last := &line[len(line)-1]
	if cut, ok := lineEndHyphen(last.Text, u.FieldsRaw.Text); ok {
		last.Text = cut
	} else {
		line = append(line, Run{Text: " ", Synthetic: model.SyntheticSeparator})
	}
	a.open.Lines[0] = append(line, next.Lines[0]...)
}

// lineEndHyphen returns s without the hyphen that divides its last word from
// the rest of it in next, as the extractor joins the lines of one page.
func lineEndHyphen(s, next string) (string, bool) {
	hyphen, size := utf8.DecodeLastRuneInString(s)
	if hyphen != '-' && hyphen != '\u2010' && hyphen != '\u00ad' {
		return "", false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
	after, _ := utf8.DecodeRuneInString(next)
	if !unicode.IsLetter(before) || !unicode.IsLower(after) {
		return "", false
	}
	return s[:len(s)-size], true
}

func blockOf(pageNo int, u model.Unit) Block {
	b := Block{Type: u.Type, Level: u.FieldsRaw.Level, Depth: u.FieldsRaw.Depth, Page: pageNo}
	if u.Type != model.UnitTable {
		b.Lines = []Line{{{Text: u.FieldsRaw.Text, IRID: u.IRID, Page: pageNo}}}
		return b
	}
	rows, head := header.Rows(u)
	repeat := header.TableHead(u)
	for i, row := range rows {
		line := rowLine(pageNo, u, row)
		if line == nil {
			continue
		}
		b.Lines = append(b.Lines, line)
		if i < head {
			b.Heads = append(b.Heads, "")
		} else {
			b.Heads = append(b.Heads, repeat)
		}
	}
	return b
}

// headLines returns the head of the last unit of a table, "" without one.
func headLines(b Block) string {
	if len(b.Heads) == 0 {
		return ""
	}
	return b.Heads[len(b.Heads)-1]
}

// rowLine returns a row with its separators, or nil for one without any text.
func rowLine(pageNo int, u model.Unit, row []header.Cell) Line {
	var line Line
	filled := false
	for i, c := range row {
		if i > 0 {
			line = append(line, Run{Text: header.CellSeparator, Synthetic: model.SyntheticSeparator})
		}
		if c.To > c.From {
			text := u.FieldsRaw.Text[c.From:c.To]
			line = append(line, Run{Text: text, IRID: u.IRID, Page: pageNo, From: c.From})
			filled = filled || strings.TrimSpace(text) != ""
		}
	}
	if !filled {
		return nil
	}
	return line
}
