package rules

import (
	_ "embed" // columns.tsv
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

//go:embed columns.tsv
var columnsTSV string

// column is a row of columns.tsv with one alternative of its words.
type column struct {
	typ, field, language string
	words                string
}

var columns = sync.OnceValue(func() []column {
	out, err := parseColumns(columnsTSV)
	if err != nil {
		panic(err) // the file is part of the build: its test parses it
	}
	return out
})

func parseColumns(text string) (out []column, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("columns.tsv:%d: %d columns, must be 4", n, len(cells))
		}
		t, ok := entity.TypeOf(cells[0])
		if !ok {
			return nil, fmt.Errorf("columns.tsv:%d: type %q", n, cells[0])
		}
		if f, ok := t.Field(cells[1]); !ok || f.Name != cells[1] {
			return nil, fmt.Errorf("columns.tsv:%d: %s has no field %q", n, cells[0], cells[1])
		}
		for w := range strings.SplitSeq(cells[3], "|") {
			out = append(out, column{cells[0], cells[1], cells[2], lexicon.Fold(w)})
		}
	}
	return out, nil
}

// candidate is a field that the head of a column can name, and how many letters of it say so.
type candidate struct {
	field  string
	weight int
}

// wholeHead is added to the weight of words that are the whole head.
const wholeHead = 100

// fieldsOf returns the fields of a type that the head of a column can name, the surest first.
func fieldsOf(typ, head, language string) (out []candidate) {
	plain := head
	if i := strings.IndexAny(plain, "(["); i >= 0 {
		plain = plain[:i]
	}
	plain = strings.Trim(lexicon.Fold(plain), " .:,%#")
	for _, c := range columns() {
		if c.typ != typ || language != "" && c.language != language || len(c.words) > len(plain) {
			continue
		}
		rest := len(plain) - len(c.words)
		fits := rest == 0 && plain == c.words || rest > 0 && (plain[len(c.words)] == ' ' && strings.HasPrefix(plain, c.words) || plain[rest-1] == ' ' && strings.HasSuffix(plain, c.words))
		if !fits {
			continue
		}
		w := len(c.words)
		if plain == c.words {
			w += wholeHead
		}
		if i := slices.IndexFunc(out, func(o candidate) bool { return o.field == c.field }); i >= 0 {
			out[i].weight = max(out[i].weight, w)
		} else {
			out = append(out, candidate{c.field, w})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return b.weight - a.weight })
	return out
}

// mapping says which column of a table holds which field of a type.
type mapping struct {
	typ    entity.Type
	fields map[int]entity.Field
}

// identity are the fields of which a row must have one.
func identity(typ string) []string {
	return map[string][]string{
		entity.Goal: {"title", "pollutant"}, entity.BMP: {"name"}, entity.Implementation: {"action"}, entity.Monitoring: {"parameter"},
		entity.Outreach: {"activity", "audience"}, entity.GeographicArea: {"name"},
	}[typ]
}

// sectionOf is the kind of section in which entities of a type stand.
func sectionOf(typ string) string {
	return map[string]string{entity.Goal: "goal", entity.BMP: "bmp", entity.Implementation: "implementation", entity.Monitoring: "monitoring", entity.Outreach: "outreach"}[typ]
}

// classify returns what a table is of: the type whose columns its heads name best, where what stands below them
// fits. The kind of the section and of the caption decide between equals.
func (f *finder) classify(g grid, caption, language string) (best mapping, ok bool) {
	top := 0
	for _, t := range entity.Types() {
		m, score := g.mapColumns(t, language)
		if len(m.fields) < fewestFields || !m.hasIdentity() {
			continue
		}
		if f.inSection(sectionOf(t.Name)) || sectionKind(caption, f) == sectionOf(t.Name) {
			score += sectionScore
		}
		if t.Name == entity.GeographicArea && !m.has("huc") {
			continue
		}
		if score > top {
			best, top, ok = m, score, true
		}
	}
	return best, ok
}

// What the choice between types counts: a column that is known, one whose whole head is, a section of the type's kind.
const (
	columnScore  = 10
	wholeScore   = 3
	sectionScore = 8
)

// mapColumns gives each column the surest field of a type that its head names, that no column before it has, and that
// its cells can be read as.
func (g grid) mapColumns(t entity.Type, language string) (m mapping, score int) {
	m = mapping{typ: t, fields: make(map[int]entity.Field)}
	for i, head := range g.heads {
		for _, c := range fieldsOf(t.Name, head, language) {
			field, _ := t.Field(c.field)
			if m.has(c.field) || !g.fits(i, field, language) {
				continue
			}
			m.fields[i] = field
			score += columnScore
			if c.weight > wholeHead {
				score += wholeScore
			}
			break
		}
	}
	return m, score
}

// sampleRows is how many rows of a table say what its columns hold.
const sampleRows = 20

// fits reports whether half or more of a column's cells can be read as a field.
func (g grid) fits(col int, field entity.Field, language string) bool {
	cells, fit := 0, 0
	for _, row := range g.rows[:min(len(g.rows), sampleRows)] {
		cell := strings.TrimSpace(row.cells[col])
		if isEmptyCell(cell) {
			continue
		}
		cells++
		if field.Kind == entity.KindName && !strings.ContainsFunc(cell, unicode.IsLetter) {
			continue
		}
		if cellValue(field, cell, g.heads[col], unitCell(g, row, language), language) != nil {
			fit++
		}
	}
	return 2*fit >= cells
}

func (m mapping) has(field string) bool {
	for _, f := range m.fields {
		if f.Name == field {
			return true
		}
	}
	return false
}

func (m mapping) hasIdentity() bool {
	return slices.ContainsFunc(identity(m.typ.Name), m.has)
}
