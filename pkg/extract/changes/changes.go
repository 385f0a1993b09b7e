// Package changes says what differs between two extractions of one snapshot,
// page by page and unit by unit: what another parser version, or other rules of
// the source, make of the same bytes. It is pure.
package changes

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
)

// Kind is how a unit changed.
type Kind string

// The kinds. A unit that changed in several ways has the first that fits.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Text    Kind = "text"   // another text at the same place
	Type    Kind = "type"   // the same text as another type, level, depth or role
	Order   Kind = "order"  // the same text at another place in the reading order
	Fields  Kind = "fields" // other fields: a table's grid, flags, evidence, confidence
	Page    Kind = "page"   // the page itself: its status or its coverage
)

// Kinds returns all kinds in the order in which they are told.
func Kinds() []Kind { return []Kind{Page, Removed, Added, Text, Type, Order, Fields} }

// Change is one difference. Of a unit that is there on one side only the other
// side is empty.
type Change struct {
	PageNo int    `json:"page_no"`
	Kind   Kind   `json:"kind"`
	From   string `json:"from,omitempty"` // block_id; of a page its state
	To     string `json:"to,omitempty"`
	// FromType and ToType are the units' types with level, depth or role.
	FromType string `json:"from_type,omitempty"`
	ToType   string `json:"to_type,omitempty"`
	// Text is the unit's, shortened; of another text what differs, as
	// "before [-was-]{+is+} after".
	Text   string   `json:"text,omitempty"`
	Fields []string `json:"fields,omitempty"` // of Fields: which, sorted
}

// Pages compares the frames of one page; nil stands for a page that one side
// does not have. The changes are in the reading order of the newer side, removed
// units where they stood.
func Pages(from, to *segment.Frame) []Change {
	var a, b []model.Unit
	no := 0
	if from != nil {
		a, no = from.Units, from.Page.PageNo
	}
	if to != nil {
		b, no = to.Units, to.Page.PageNo
	}
	p := &pairing{from: make([]int, len(a)), to: make([]int, len(b)), moved: map[int]bool{}}
	p.pair(a, b)
	out := pageChange(no, from, to)
	next := 0
	gone := func(until int) {
		for ; next < until; next++ {
			if p.from[next] < 0 {
				out = append(out, one(no, Removed, &a[next], nil))
			}
		}
	}
	for i := range b {
		k := p.to[i]
		if k < 0 {
			out = append(out, one(no, Added, nil, &b[i]))
			continue
		}
		if !p.moved[i] {
			gone(k)
		}
		if c, differs := compare(no, &a[k], &b[i], p.moved[i]); differs {
			out = append(out, c)
		}
	}
	gone(len(a))
	return out
}

func pageChange(no int, from, to *segment.Frame) []Change {
	state := func(f *segment.Frame) string {
		switch {
		case f == nil:
			return "missing"
		case f.Page.Status == model.PageFailed:
			return string(f.Page.Status) + " " + f.Page.Reason
		default:
			return string(f.Page.Status) + ", coverage " + strconv.FormatFloat(f.Page.Coverage, 'f', 4, 64)
		}
	}
	if a, b := state(from), state(to); a != b {
		return []Change{{PageNo: no, Kind: Page, From: a, To: b}}
	}
	return nil
}

func one(no int, kind Kind, a, b *model.Unit) Change {
	c := Change{PageNo: no, Kind: kind}
	if a != nil {
		c.From, c.FromType, c.Text = a.FieldsRaw.BlockID, typeOf(a), shorten(a.FieldsRaw.Text)
	}
	if b != nil {
		c.To, c.ToType, c.Text = b.FieldsRaw.BlockID, typeOf(b), shorten(b.FieldsRaw.Text)
	}
	return c
}

// typeOf is a unit's type with what divides it further.
func typeOf(u *model.Unit) string {
	s := string(u.Type)
	switch {
	case u.Role != "":
		s += " " + u.Role
	case u.FieldsRaw.Level > 0:
		s += " " + strconv.Itoa(u.FieldsRaw.Level)
	case u.FieldsRaw.Depth > 0:
		s += " " + strconv.Itoa(u.FieldsRaw.Depth)
	}
	return s
}

func compare(no int, a, b *model.Unit, moved bool) (Change, bool) {
	c := one(no, Fields, a, b)
	switch {
	case a.FieldsRaw.Text != b.FieldsRaw.Text:
		c.Kind, c.Text = Text, difference(a.FieldsRaw.Text, b.FieldsRaw.Text)
	case c.FromType != c.ToType:
		c.Kind = Type
	case moved:
		c.Kind = Order
	default:
		if c.Fields = fields(a, b); len(c.Fields) == 0 {
			return Change{}, false
		}
	}
	return c, true
}

// Count returns how many changes there are of each kind that there are.
func Count(all []Change) map[Kind]int {
	n := make(map[Kind]int)
	for _, c := range all {
		n[c.Kind]++
	}
	return n
}

// Sort orders changes by page, and keeps the order within a page.
func Sort(all []Change) {
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.PageNo, b.PageNo) })
}
