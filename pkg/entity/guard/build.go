package guard

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
)

// build makes the entity of what was found. A description that is not on the page is replaced by
// the quote in which its first value stands, which is; an entity without a required field, or without any value of its own, is dropped.
func (c *checker) build(found []finding) (out entity.Entity, ok bool) {
	found = c.bind(found)
	c.dropIdleQuotes(found)
	out = entity.Entity{Type: c.typ.Name, Values: make(map[string]any), Confidence: c.proposed.Confidence, Origin: c.proposed.Origin, FoundBy: c.proposed.FoundBy}
	for i, q := range c.quotes {
		text := q.block.unit.FieldsRaw.Text[q.span.Start:q.span.End]
		out.Evidence = append(out.Evidence, text)
		out.Grounds = append(out.Grounds, entity.Ground{Field: "evidence", Evidence: i, IRID: q.block.unit.IRID, Start: q.span.Start, End: q.span.End, Text: text, BBox: q.block.box(q.span)})
	}
	own := false
	for _, f := range found {
		out.Values[f.field.Name] = f.value
		out.Grounds = append(out.Grounds, c.grounds(f)...)
		own = own || c.isOwn(f.field)
		if f.field.Kind == entity.KindNumber {
			if unit, ok := c.proposed.Values["unit"].(string); ok && unit != "" {
				out.Values["unit"] = unit
				out.Grounds = append(out.Grounds, c.unitGround(f, unit))
			}
		}
	}
	for _, f := range c.typ.Fields {
		if !f.Required || out.Values[f.Name] != nil {
			continue
		}
		if f.Name != "description" || !own {
			c.drop("", NothingLeft, f.Name)
			return out, false
		}
		of := firstQuoteOf(found)
		out.Values[f.Name] = out.Evidence[of]
		first := out.Grounds[of]
		first.Field = f.Name
		out.Grounds = append(out.Grounds, first)
	}
	if !own {
		c.drop("", NothingLeft, "")
		return out, false
	}
	return out, true
}

// isOwn reports whether a field alone makes an entity: a place or a reference says nothing of its own, nor does a description
// where more was proposed and nothing of it is so.
func (c *checker) isOwn(f entity.Field) bool {
	if !isLong(f) {
		return f.Kind != entity.KindReferences && f.Name != "location"
	}
	for _, other := range c.typ.Fields {
		if !isLong(other) && !isNull(c.proposed.Values[other.Name]) {
			return false
		}
	}
	return true
}

// grounds returns where a finding stands: its first place, that of a period's other end, and of a unit in a head.
func (c *checker) grounds(f finding) (out []entity.Ground) {
	for i, h := range f.hits {
		extra := h.field != "" && i > 0 && i == 1
		if i > 0 && !extra && f.field.Kind != entity.KindPeriod && f.field.Kind != entity.KindPoints {
			continue
		}
		g := entity.Ground{
			Field: f.field.Name, Evidence: h.quote, IRID: h.block.unit.IRID, Start: h.at.Start, End: h.at.End,
			Text: h.block.unit.FieldsRaw.Text[h.at.Start:h.at.End], BBox: h.block.box(h.at), Form: h.form,
		}
		if h.field != "" {
			g.Field += "." + h.field
		}
		if h.head {
			g.BBox = h.block.headBox(h)
		}
		if q := c.quotes[h.quote]; q.row != nil && isBoundKind(f.field.Kind) && h.field == "" {
			g.RowText = h.block.unit.FieldsRaw.Text[q.row.Start:q.row.End]
		}
		out = append(out, g)
	}
	return out
}

// unitGround returns where the unit of a number stands that is a field of its own: in the head or cell that its
// finding names, beside the number, or as the noun that the number counts.
func (c *checker) unitGround(f finding, unit string) entity.Ground {
	h := f.hits[0]
	at := h.at
	if len(f.hits) > 1 && f.hits[1].field == "unit" {
		h = f.hits[1]
		at = h.at
	} else if p := h.part; p != nil && h.rival >= 0 {
		n := p.text.Numbers[h.rival]
		switch noun, ok := nounBehind(p, n, unit); {
		case n.Unit.Canonical != "":
			at = value.Span{Start: p.Start + n.Unit.Start, End: p.Start + n.Unit.End}
		case ok:
			at = value.Span{Start: p.Start + noun.Start, End: p.Start + noun.End}
		}
	}
	g := entity.Ground{Field: "unit", Evidence: f.hits[0].quote, IRID: h.block.unit.IRID, Start: at.Start, End: at.End,
		Text: h.block.unit.FieldsRaw.Text[at.Start:at.End], BBox: h.block.box(at), Form: f.hits[0].form}
	if h.head {
		g.BBox = h.block.headBox(h)
	}
	if q := c.quotes[f.hits[0].quote]; q.row != nil {
		g.RowText = h.block.unit.FieldsRaw.Text[q.row.Start:q.row.End]
	}
	return g
}

// nounBehind returns where the words of a unit stand behind a number.
func nounBehind(p *part, n value.Number, unit string) (value.Span, bool) {
	wanted := foldedWords(value.Words(unit))
	for i := range p.text.Words {
		if p.text.Words[i].Start < n.End || len(wanted) == 0 || i+len(wanted) > len(p.text.Words) {
			continue
		}
		if words := p.text.Words[i : i+len(wanted)]; sameWords(foldedWords(words), wanted) {
			return value.Span{Start: words[0].Start, End: words[len(words)-1].End}, true
		}
	}
	return value.Span{}, false
}

// headBox returns the box of the head of a column.
func (b *block) headBox(h hit) *model.BBox {
	t := b.unit.FieldsRaw.Table
	heads := b.heads[h.part.col]
	i := slices.IndexFunc(heads, func(r model.CellRange) bool { return (value.Span{Start: r.Start, End: r.End}) == h.at })
	if i < 0 || t.BBox == nil {
		return b.box(h.at)
	}
	r := heads[i]
	box := *t.BBox
	if r.Row+1 < len(t.RowEdges) {
		box.Y, box.H = t.RowEdges[r.Row], max(0, t.RowEdges[r.Row+1]-t.RowEdges[r.Row])
	}
	if r.Col+1 < len(t.ColumnEdges) {
		box.X, box.W = t.ColumnEdges[r.Col], max(0, t.ColumnEdges[r.Col+1]-t.ColumnEdges[r.Col])
	}
	return &box
}
