// Package csv finds the tables of files with delimited values (RFC 4180 and its
// relatives with semicolons, tabs or bars): one table unit for each run of rows,
// every one of them with the heads of the columns. Its evidence is the rows, and
// the row of heads beside them.
package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/colophon-dev/colophon/pkg/extract/block"
	"github.com/colophon-dev/colophon/pkg/extract/coverage"
	"github.com/colophon-dev/colophon/pkg/extract/decoded"
	"github.com/colophon-dev/colophon/pkg/extract/table"
	"github.com/colophon-dev/colophon/pkg/model"
)

const (
	// unitText and unitRows bound the text of one unit in bytes and its rows: it
	// is searched as a whole, with the heads of its columns.
	unitText = 4000
	unitRows = 100
	// looked is how many bytes of a file say how it is delimited.
	looked = 64 << 10
	// maxField is the size of a field, in bytes, above which a quotation mark
	// must have been left open.
	maxField = 64 << 10
)

// ErrNone is returned for a file without a table.
var ErrNone = errors.New("no delimiter divides its lines into columns")

// record is one row and its place in the file.
type record struct {
	fields     []string
	start, end int
}

// Page returns the tables of a file.
func Page(f *decoded.File) (block.Page, error) {
	comma, columns := delimiter(f.Bytes)
	if columns < 2 {
		return block.Page{}, ErrNone
	}
	x := &extraction{file: f, columns: columns}
	r := newReader(f.Bytes, comma)
	for end := 0; len(x.page.Blocks) <= block.MaxBlocks && x.made <= block.MaxText; {
		start := end
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return block.Page{}, fmt.Errorf("row %d: %w", x.rows+1, err)
		}
		end = int(r.InputOffset())
		if err := x.add(record{fields, start, end}); err != nil {
			return block.Page{}, err
		}
	}
	x.flush()
	if x.rows == 0 {
		return block.Page{}, ErrNone
	}
	return x.page, nil
}

func newReader(data []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	return r
}

// delimiter returns what divides the columns of a file, and how many columns
// there are: that under which most rows have the same number of fields, and
// more than one.
func delimiter(data []byte) (comma rune, columns int) {
	if len(data) > looked {
		data = data[:looked]
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	best := 0
	for _, c := range []rune{',', ';', '\t', '|'} {
		widths, rows := map[int]int{}, 0
		for r := newReader(data, c); ; rows++ {
			fields, err := r.Read()
			if err != nil {
				break
			}
			widths[len(fields)]++
		}
		for width, n := range widths {
			// Two of three rows are of one width, in a file of more than one row.
			if width < 2 || n < 2 || n*3 < rows*2 {
				continue
			}
			if score := n * min(width, 8); score > best {
				best, comma, columns = score, c, width
			}
		}
	}
	return comma, columns
}

type extraction struct {
	file    *decoded.File
	page    block.Page
	columns int
	width   int     // fields of the widest row
	heads   *record // nil: none, or not yet
	rows    int     // seen so far, in tables
	held    []record
	size    int // of what is held
	made    int // bytes of text in all blocks
}

// add takes the next row. What stands above the table in fewer columns, a title
// or a note, is a paragraph of its own.
func (x *extraction) add(r record) error {
	r = x.trim(r)
	filled := 0
	for _, field := range r.fields {
		if len(field) > maxField {
			return fmt.Errorf("row %d: a field of %d bytes: a quotation mark is open", x.rows+1, len(field))
		}
		x.page.Visible += coverage.Characters(field)
		if strings.TrimSpace(field) != "" {
			filled++
		}
		x.size += len(field) + 1
	}
	switch {
	case filled == 0:
		return nil
	case x.rows == 0 && x.heads == nil && filled == 1 && (len(r.fields) != x.columns || x.columns > 2 && strings.TrimSpace(r.fields[0]) != ""):
		x.above(r)
		return nil
	case x.rows == 0 && x.heads == nil && len(r.fields) == x.columns && areHeads(r.fields):
		x.heads = &r
		return nil
	}
	x.width = max(x.width, len(r.fields), x.columns)
	if len(x.held) > 0 && (len(x.held)+2)*x.width > table.MaxCells {
		x.flush()
	}
	x.rows++
	if x.held = append(x.held, r); len(x.held) >= unitRows || x.size >= unitText {
		x.flush()
	}
	return nil
}

// trim cuts the line ends off the place of a row.
func (x *extraction) trim(r record) record {
	for r.start < r.end && (x.file.Bytes[r.start] == '\n' || x.file.Bytes[r.start] == '\r') {
		r.start++
	}
	for r.end > r.start && (x.file.Bytes[r.end-1] == '\n' || x.file.Bytes[r.end-1] == '\r') {
		r.end--
	}
	return r
}

func (x *extraction) above(r record) {
	text := strings.TrimSpace(strings.Join(r.fields, " "))
	if x.page.Title == "" {
		x.page.Title = text
	}
	x.page.Blocks = append(x.page.Blocks, x.file.Block(model.UnitParagraph, text, r.start, r.end, 0.8))
	x.size = 0
}

// flush makes a unit of the rows that are held, under the heads.
func (x *extraction) flush() {
	alone := len(x.held) == 0 && x.heads != nil && x.rows == 0 // a table of heads only
	if len(x.held) == 0 && !alone {
		return
	}
	grid, o := x.held, table.Options{Source: table.SourceText, Language: x.file.Language, Confidence: 0.95}
	if x.heads != nil {
		grid, o.HeaderRows = append([]record{*x.heads}, x.held...), 1
		if x.rows > len(x.held) { // the heads are there again
			for _, h := range x.heads.fields {
				x.page.Visible += coverage.Characters(h)
			}
		}
	}
	var cells []table.Cell
	for row, r := range grid {
		for col, field := range r.fields {
			cells = append(cells, table.Cell{Row: row, Col: col, Text: field})
		}
	}
	t, text := table.Build(cells, o)
	first := grid[min(o.HeaderRows, len(grid)-1)]
	if x.rows == len(x.held) { // the first unit: the heads stand right above its rows
		first = grid[0]
	}
	b := x.file.Block(model.UnitTable, text, first.start, grid[len(grid)-1].end, 0.95)
	if x.heads != nil && first.start != x.heads.start {
		heads := x.file.Block(model.UnitTable, strings.Join(x.heads.fields, "\t"), x.heads.start, x.heads.end, 1)
		b.Evidence = append(b.Evidence, heads.Evidence...)
	}
	b.Table, b.Markdown = &t, table.Markdown(&t)
	x.made += len(b.Text) + len(b.Markdown)
	if !alone {
		b.Notes = fmt.Sprintf("rows %d–%d", x.rows-len(x.held)+1, x.rows)
	}
	x.page.Blocks = append(x.page.Blocks, b)
	x.held, x.size = x.held[:0], 0
	if alone {
		x.rows++
	}
}

// areHeads reports whether a first row names the columns: every one of them has
// a name of its own that is no figure, or, behind the first, is a year.
func areHeads(fields []string) bool {
	seen := map[string]bool{}
	for i, f := range fields {
		f = strings.ToLower(strings.TrimSpace(f))
		if f == "" || seen[f] || strings.ContainsAny(f[:1], "0123456789-+.") && (i == 0 || !year.MatchString(f)) {
			return false
		}
		seen[f] = true
	}
	return true
}

var year = regexp.MustCompile(`^(1[89]|20)\d\d$`)
