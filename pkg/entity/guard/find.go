package guard

import (
	"fmt"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// findValues finds each field's value in the quotes; what is not found is dropped.
func (c *checker) findValues() (out []finding) {
	for _, f := range c.typ.Fields {
		v := c.proposed.Values[f.Name]
		if isNull(v) || f.Kind == entity.KindUnit {
			continue
		}
		if f.Kind == entity.KindReferences {
			out = append(out, finding{field: f, value: v})
			continue
		}
		hits, v, reason := c.find(f, v)
		if len(hits) == 0 {
			c.drop(f.Name, reason, fmt.Sprint(v))
			continue
		}
		out = append(out, finding{f, v, hits})
	}
	return out
}

func isNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []string:
		return len(v) == 0
	case []entity.Point:
		return len(v) == 0
	case entity.Period:
		return v.Start == nil && v.End == nil
	default:
		return false
	}
}

// find returns where the value of a field stands, the value in its normal form, and why it does not stand there.
func (c *checker) find(f entity.Field, v any) ([]hit, any, string) {
	switch f.Kind {
	case entity.KindText, entity.KindName:
		if s, ok := v.(string); ok {
			hits, reason := c.findWords(f, s)
			return hits, strings.TrimSpace(s), reason
		}
	case entity.KindChoice:
		if s, ok := v.(string); ok {
			hits, reason := c.findChoice(f, s)
			return hits, s, reason
		}
	case entity.KindNumber:
		if n, ok := v.(float64); ok {
			unit, _ := c.proposed.Values["unit"].(string)
			hits, reason := c.findQuantity(f, entity.Quantity{Value: n, Unit: unit})
			return hits, n, reason
		}
	case entity.KindQuantity:
		if q, ok := v.(entity.Quantity); ok {
			hits, reason := c.findQuantity(f, q)
			return hits, q, reason
		}
	case entity.KindMoney:
		if m, ok := v.(entity.Money); ok {
			hits, reason := c.findMoney(m)
			return hits, m, reason
		}
	case entity.KindDate:
		if s, ok := v.(string); ok {
			return c.findDateOrWords(f, s)
		}
	case entity.KindPeriod:
		if p, ok := v.(entity.Period); ok {
			return c.findPeriod(p)
		}
	case entity.KindCode:
		if s, ok := v.(string); ok {
			return c.findCode(s), s, ValueNotFound
		}
	case entity.KindPoints:
		if p, ok := v.([]entity.Point); ok {
			return c.findPoints(p)
		}
	}
	return nil, v, UnknownType
}

// findWords finds a text, word for word.
func (c *checker) findWords(f entity.Field, s string) (out []hit, reason string) {
	reason = ValueNotFound
	plain, barred := fold(s, false).text, fold(s, true).text
	if !c.saysSomething(f, s) {
		return nil, reason
	}
	for i, q := range c.quotes {
		wanted := plain
		if q.row != nil {
			wanted = barred
		}
		for _, at := range q.block.fold.findIn(wanted, q.span) {
			h := hit{quote: i, block: q.block, at: at, rival: -1, part: q.partOf(at)}
			switch {
			case h.part == nil && !isLong(f), f.Kind == entity.KindName && isPartOfName(q.block.unit.FieldsRaw.Text, at), h.part != nil && cutsName(c.typ, f, h):
				continue
			case c.isTextDenied(f, h) || hasPrefix(h):
				reason = Denied
				continue
			}
			out = append(out, h)
		}
		if f.Kind == entity.KindName && len(out) == 0 && q.row != nil {
			out = append(out, headsNamed(i, q, plain)...)
		}
	}
	return out, reason
}

// headsNamed finds a name in the heads of the columns of a row.
func headsNamed(i int, q quote, name string) (out []hit) {
	text := q.block.unit.FieldsRaw.Text
	for _, cell := range q.row.cells {
		if len(cell.head) < len(name)/2 || len(fold(cell.head, true).find(name, true)) == 0 {
			continue
		}
		for _, r := range q.block.heads[cell.col] {
			if len(fold(text[r.Start:r.End], true).find(name, true)) > 0 {
				out = append(out, hit{quote: i, block: q.block, part: cell, at: value.Span{Start: r.Start, End: r.End}, head: true, rival: -1})
			}
		}
	}
	return out
}

// isTextDenied reports whether words are denied, or leave out what denies them. An area that is
// denied is an area still.
func (c *checker) isTextDenied(f entity.Field, h hit) bool {
	if c.typ.Name == entity.GeographicArea || h.part == nil {
		return false
	}
	at := value.Span{Start: h.at.Start - h.part.Start, End: h.at.End - h.part.Start}
	if isLong(f) {
		return h.part.cutsDenial(at)
	}
	return h.part.isDenied(at)
}
