package rules

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/model"
)

// How entities of one's own are found. Nobody has labelled pages for them: their confidence is that of no case.
const (
	byOwnTable   = "own-table"   // a row of a table whose heads the schema names
	byOwnPattern = "own-pattern" // a pattern of the schema
)

// maxMatches bounds how often one pattern is found in a block.
const maxMatches = 64

// ownText looks for the patterns of types of one's own in a block of text. Of two matches that overlap, the first pattern's counts.
func (f *finder) ownText(types []entity.Type, text, language string) {
	if len(text) > guard.MaxSentence {
		return
	}
	for _, t := range types {
		var taken [][2]int
		for _, re := range t.Patterns {
			for _, at := range re.FindAllStringSubmatchIndex(text, maxMatches) {
				if slices.ContainsFunc(taken, func(o [2]int) bool { return at[0] < o[1] && o[0] < at[1] }) {
					continue
				}
				values := make(map[string]any)
				for i, name := range re.SubexpNames() {
					if name == "" || at[2*i] < 0 {
						continue
					}
					name, _, _ = strings.Cut(name, "__")
					field, _ := t.Field(name)
					if v := ownValue(field, strings.TrimSpace(text[at[2*i]:at[2*i+1]]), language); v != nil {
						values[name] = v
					}
				}
				if isOwn(t, values) {
					taken = append(taken, [2]int{at[0], at[1]})
					f.add(t.Name, values, strings.TrimSpace(text[at[0]:at[1]]), byOwnPattern)
				}
			}
		}
	}
}

// ownValue reads the words of a group or cell as its field's kind says.
func ownValue(field entity.Field, text, language string) any {
	if text == "" {
		return nil
	}
	if field.Kind != entity.KindChoice {
		return cellValue(field, text, "", "", language)
	}
	words := strings.Fields(lexicon.Fold(strings.Trim(text, ". ,;:")))
	for i := range words {
		if choice, n := field.Meaning(language, words[i:]); n > 0 {
			return choice
		}
	}
	return nil
}

// isOwn reports whether values have a name, and all that a type requires.
func isOwn(t entity.Type, values map[string]any) bool {
	named := false
	for _, f := range t.Fields {
		if f.Required && values[f.Name] == nil {
			return false
		}
		named = named || f.Kind == entity.KindName && values[f.Name] != nil
	}
	return named && len(values) > 1
}

// ownTable proposes an entity of the type whose fields the heads of a table name, for each row.
func (f *finder) ownTable(types []entity.Type, u *model.Unit, language string) {
	g := newGrid(u)
	var best entity.Type
	var columns map[int]entity.Field
	for _, t := range types {
		if m := ownColumns(g, t); len(m) > len(columns) {
			best, columns = t, m
		}
	}
	if len(columns) < fewestFields {
		return
	}
	for _, row := range g.rows {
		values := make(map[string]any)
		for col, field := range columns {
			cell := strings.TrimSpace(row.cells[col])
			if isEmptyCell(cell) {
				continue
			}
			v := ownValue(field, cell, language)
			if field.Kind == entity.KindMoney || field.Kind == entity.KindQuantity {
				v = cellValue(field, cell, g.heads[col], unitCell(g, row, language), language)
			}
			if v != nil {
				values[field.Name] = v
			}
		}
		if isOwn(best, values) {
			f.add(best.Name, values, u.FieldsRaw.Text[row.start:row.end], byOwnTable)
		}
	}
}

// ownColumns returns which columns hold which fields of a type: a head that is, or begins or ends with, words of the field.
func ownColumns(g grid, t entity.Type) map[int]entity.Field {
	out := make(map[int]entity.Field)
	taken := make(map[string]bool)
	for col, head := range g.heads {
		plain := lexicon.Fold(head)
		best, weight := entity.Field{}, 0
		for _, f := range t.Fields {
			for _, words := range f.Columns {
				fits := plain == words || strings.HasPrefix(plain, words+" ") || strings.HasSuffix(plain, " "+words)
				if fits && len(words) > weight && !taken[f.Name] {
					best, weight = f, len(words)
				}
			}
		}
		if weight > 0 {
			out[col], taken[best.Name] = best, true
		}
	}
	return out
}
