package rules

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/guard"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/extract/docxt"
	"github.com/colophon-dev/colophon/pkg/model"
)

func sectionKind(caption string, f *finder) string {
	if caption == "" {
		return ""
	}
	return docxt.KindOf(caption, f.lang)
}

// grid is a table's cells by row and column, and where its rows stand in the unit's text.
type grid struct {
	heads []string
	rows  []gridRow
	read  map[reading]bool // whether a column can be read so, as far as it was asked
}

type gridRow struct {
	cells      map[int]string
	start, end int
}

func newGrid(u *model.Unit) grid {
	t, text := u.FieldsRaw.Table, u.FieldsRaw.Text
	g := grid{read: make(map[reading]bool)}
	at := -1
	for _, c := range t.CellRanges {
		if c.Start < 0 || c.End > len(text) || c.Start > c.End || c.Col < 0 || c.Col > 1000 || c.End-c.Start > guard.MaxSentence {
			continue
		}
		if c.Row < t.HeaderRows {
			for len(g.heads) <= c.Col {
				g.heads = append(g.heads, "")
			}
			g.heads[c.Col] = strings.TrimSpace(g.heads[c.Col] + " " + text[c.Start:c.End])
			continue
		}
		if c.Row != at {
			g.rows = append(g.rows, gridRow{cells: make(map[int]string), start: c.Start, end: c.End})
			at = c.Row
		}
		r := &g.rows[len(g.rows)-1]
		r.cells[c.Col], r.end = text[c.Start:c.End], max(r.end, c.End)
	}
	return g
}

// table proposes an entity for each row of a table whose heads are known.
func (f *finder) table(u *model.Unit, language string) {
	g := newGrid(u)
	m, ok := f.classify(g, u.FieldsRaw.Table.Caption, language)
	if !ok {
		return
	}
	how := byTwo
	if len(m.fields) >= sureColumns {
		how = byTable
	}
	for _, row := range g.rows {
		values := make(map[string]any)
		for col := range g.heads {
			field, known := m.fields[col]
			cell := strings.TrimSpace(row.cells[col])
			if !known || isEmptyCell(cell) {
				continue
			}
			if v := cellValue(field, cell, g.heads[col], unitCell(g, row, language), language); v != nil {
				values[field.Name] = v
			}
		}
		if m.typ.Name == entity.Monitoring {
			addUnit(m, g, row, values, language)
		}
		if isTotal(values, language) || !hasIdentity(m.typ.Name, values) || len(values) < fewestFields {
			continue
		}
		f.add(m.typ.Name, values, u.FieldsRaw.Text[row.start:row.end], how)
	}
}

func hasIdentity(typ string, values map[string]any) bool {
	for _, id := range identity(typ) {
		if values[id] != nil {
			return true
		}
	}
	return false
}

// isEmptyCell reports whether a cell says nothing.
func isEmptyCell(cell string) bool {
	return cell == "" || cell == "-" || cell == "–" || cell == "—" || strings.EqualFold(cell, "n/a")
}

// isTotal reports whether a row sums up those above it: its name begins with a word such as total, and is not that of
// a thing, such as total phosphorus.
func isTotal(values map[string]any, language string) bool {
	for _, name := range []string{"name", "action", "title", "parameter", "pollutant", "activity"} {
		s, ok := values[name].(string)
		if !ok {
			continue
		}
		words := strings.Fields(lexicon.Fold(s))
		if len(words) == 0 || !lexicon.Has("total", language, strings.Trim(words[0], ":")) {
			continue
		}
		_, parameter := lexicon.LookupPhrase("parameter", language, words)
		_, pollutant := lexicon.LookupPhrase("pollutant", language, words)
		if parameter == 0 && pollutant == 0 {
			return true
		}
	}
	return false
}

// unitCell returns what stands in the cell of the row whose column is of units.
func unitCell(g grid, row gridRow, language string) string {
	for col, head := range g.heads {
		if lexicon.Has("unit_head", language, lexicon.Fold(strings.Trim(head, ". "))) {
			return strings.TrimSpace(row.cells[col])
		}
	}
	return ""
}

// addUnit gives a value of monitoring the unit of its head, where its row has none.
func addUnit(m mapping, g grid, row gridRow, values map[string]any, language string) {
	if values["value"] == nil {
		delete(values, "unit")
		return
	}
	if values["unit"] != nil {
		return
	}
	for col, field := range m.fields {
		if field.Name != "value" {
			continue
		}
		cell := value.Read(row.cells[col], language)
		if len(cell.Numbers) > 0 && cell.Numbers[0].Unit.Canonical != "" {
			values["unit"] = cell.Text[cell.Numbers[0].Unit.Start:cell.Numbers[0].Unit.End]
		} else if u := value.UnitIn(g.heads[col], language); u != "" {
			values["unit"] = u
		}
	}
}

// withoutGaps joins the groups of a code.
var withoutGaps = strings.NewReplacer(" ", "", "-", "")

// cellValue reads a cell as its field's kind says; nil where it cannot be read in one way.
func cellValue(field entity.Field, cell, head, unit, language string) any {
	switch field.Kind {
	case entity.KindQuantity:
		return cellQuantity(cell, head, unit, language)
	case entity.KindNumber:
		if n, ok := onlyNumber(value.Read(cell, language)); ok && len(n.Readings) == 1 {
			return n.Readings[0]
		}
	case entity.KindMoney:
		return cellMoney(cell, head, language)
	case entity.KindDate:
		if v, ok := value.ParseDate(cell, language); ok {
			return v
		}
		return dateOf(cell, field.Role, language)
	case entity.KindChoice:
		if v, ok := lexicon.Lookup(field.Words, language, lexicon.Fold(strings.Trim(cell, ". "))); ok {
			return v
		}
	case entity.KindCode:
		if code := withoutGaps.Replace(cell); value.CheckHUC(code) {
			return code
		}
	case entity.KindText, entity.KindName, entity.KindUnit:
		return cell
	}
	return nil
}

// onlyNumber returns the number of a cell that has one, or the upper end of its one range.
func onlyNumber(t value.Text) (value.Number, bool) {
	var found []value.Number
	for _, n := range t.Numbers {
		if !n.IsLabel && len(n.Readings) == 1 {
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], true
	case len(found) == 2 && found[1].Range == value.HighEnd:
		return found[1], true
	default:
		return value.Number{}, false
	}
}

func cellQuantity(cell, head, unit, language string) any {
	t := value.Read(cell, language)
	n, ok := onlyNumber(t)
	if !ok || n.Currency != "" {
		return nil
	}
	q := entity.Quantity{Value: n.Readings[0] * value.ScaleIn(head, language)}
	switch {
	case n.Unit.Canonical != "":
		q.Unit = t.Text[n.Unit.Start:n.Unit.End]
	case unit != "":
		q.Unit = unit
	case value.UnitIn(head, language) != "":
		q.Unit = value.UnitIn(head, language)
	default:
		q.Unit = strings.TrimSpace(strings.Trim(t.Text[n.End:], " .()"))
		if q.Unit == "" {
			q.Unit = nounOf(head, language)
		}
	}
	return q
}

// nounOf returns the noun of a head that counts things: participants, trees.
func nounOf(head, language string) string {
	if i := strings.IndexAny(head, "([,"); i >= 0 {
		head = head[:i]
	}
	words := value.Words(head)
	if len(words) != 1 || lexicon.Has("amount_head", language, words[0].Folded) {
		return ""
	}
	return head[words[0].Start:words[0].End]
}

func cellMoney(cell, head, language string) any {
	n, ok := onlyNumber(value.Read(cell, language))
	if !ok || n.PerUnit || n.Unit.Canonical != "" {
		return nil
	}
	if n.Currency != "" {
		return entity.Money{Value: n.Readings[0], Currency: n.Currency}
	}
	if code := value.CurrencyIn(head, language); code != "" {
		return entity.Money{Value: n.Readings[0] * value.ScaleIn(head, language), Currency: code}
	}
	return nil
}

// dateOf returns the date of a cell that has one, or of two that which its role asks for.
func dateOf(cell string, role entity.Role, language string) any {
	dates := value.Dates(cell, language)
	switch {
	case len(dates) == 1:
		return dates[0].Value
	case len(dates) == 2 && role == entity.RoleStart:
		return dates[0].Value
	case len(dates) == 2:
		return dates[1].Value
	default:
		return nil
	}
}
