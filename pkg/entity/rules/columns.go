package rules

import (
	_ "embed" // columns.tsv
	"fmt"
	"strings"
	"sync"

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

// fieldOf returns which field of a type the head of a column names, and how many letters of it say so.
func fieldOf(typ, head, language string) (field string, weight int) {
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
		w := len(c.words)
		if plain == c.words {
			w += 100 // the whole head
		}
		if fits && w > weight {
			field, weight = c.field, w
		}
	}
	return field, weight
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

// classify returns what a table is of: the type whose columns its heads name best. The kind of the section and
// of the caption decide between equals.
func (f *finder) classify(heads []string, caption, language string) (best mapping, ok bool) {
	top := 0
	for _, t := range entity.Types() {
		m := mapping{typ: t, fields: make(map[int]entity.Field)}
		taken := make(map[string]int)
		score := 0
		for i, head := range heads {
			name, weight := fieldOf(t.Name, head, language)
			if name == "" || taken[name] > 0 {
				continue
			}
			field, _ := t.Field(name)
			m.fields[i], taken[name] = field, weight
			score += 10
			if weight > 100 {
				score += 3
			}
		}
		named := false
		for _, id := range identity(t.Name) {
			named = named || taken[id] > 0
		}
		if !named || len(m.fields) < fewestFields {
			continue
		}
		if f.inSection(sectionOf(t.Name)) || sectionKind(caption, f) == sectionOf(t.Name) {
			score += 8
		}
		if t.Name == entity.GeographicArea && taken["huc"] == 0 {
			continue
		}
		if score > top {
			best, top, ok = m, score, true
		}
	}
	return best, ok
}
