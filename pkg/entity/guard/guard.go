package guard

import (
	"bytes"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// Reasons why something was dropped, as they are counted.
const (
	EvidenceNotFound = "evidence_not_found" // the quote is not on the page, or cuts a word or number
	ValueNotFound    = "value_not_found"    // the value is not in its evidence
	UnitNotFound     = "unit_not_found"     // the number is there, its unit or currency is not beside it
	NotTogether      = "not_together"       // value and name are there, and not in one sentence or row
	Denied           = "denied"             // the page says that it is not so, or the quote leaves that out
	OtherRole        = "other_role"         // the page says it of something else: progress for a target, a start for an end
	NotInList        = "not_in_list"        // no word of the evidence means this choice
	ReferenceUnknown = "reference_unknown"  // no entity of the page has this title or id
	NothingLeft      = "nothing_left"       // the entity has no value of its own left
	UnknownType      = "unknown_type"       // there is no such type or field
)

// Drop is something that the guard did not let pass.
type Drop struct {
	Type   string `json:"type"`            // of the entity
	Title  string `json:"title,omitempty"` // as proposed
	Field  string `json:"field,omitempty"` // empty: the whole entity
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"` // the quote or value as proposed, cut at 200 bytes
}

// Result is what the guard let pass, with ids, and what it dropped.
type Result struct {
	Entities []entity.Entity
	Drops    []Drop
}

// Counts returns how much was dropped, by reason.
func (r Result) Counts() map[string]int {
	out := make(map[string]int)
	for _, d := range r.Drops {
		out[d.Reason]++
	}
	return out
}

// Page is a page that proposals are held against. It is safe for concurrent use.
type Page struct {
	in   entity.PageInput
	page *page
}

// Prepare reads a page once for any number of proposals.
func Prepare(in entity.PageInput) *Page {
	return &Page{in: in, page: newPage(in)}
}

// Check returns what of the proposals stands on the page, in their order, without
// repetitions, and what was dropped (contracts#entity-guard). It does not change the proposals.
func (p *Page) Check(proposals []entity.Entity) Result {
	var r Result
	called := make(map[string]string) // title of what a proposal was called, "" where several were
	seen := make(repeated)
	found := make(map[string]placed)
	for _, e := range proposals {
		c := checker{page: p.page, proposed: e, found: found}
		out, ok := c.check()
		r.Drops = append(r.Drops, c.drops...)
		if !ok || seen.isRepeated(out) {
			continue
		}
		key := e.Type + " " + e.ID
		if _, known := called[key]; known || e.ID == "" {
			called[key] = ""
		} else {
			called[key] = out.Title()
		}
		r.Entities = append(r.Entities, out)
	}
	entity.AssignIDs(p.in.PageID, r.Entities)
	r.resolve(p.in, called)
	return r
}

// Check is Prepare and Check of one list.
func Check(in entity.PageInput, proposals []entity.Entity) Result {
	return Prepare(in).Check(proposals)
}

// repeated knows the entities that were seen, by what is cheap to compare.
type repeated map[string][]entity.Entity

// isRepeated reports whether an entity was seen before, but for its id, and marks it as seen.
func (seen repeated) isRepeated(e entity.Entity) bool {
	key := e.Type + "\x00" + strings.Join(e.Evidence, "\x00")
	e.ID = ""
	if others := seen[key]; len(others) > 0 {
		data, err := e.MarshalJSON()
		if err != nil {
			return false
		}
		for _, other := range others {
			if known, err := other.MarshalJSON(); err == nil && bytes.Equal(known, data) {
				return true
			}
		}
	}
	seen[key] = append(seen[key], e)
	return false
}

// longestDropped bounds the text of a drop, in bytes.
const longestDropped = 200

func drop(e entity.Entity, field, reason, text string) Drop {
	if len(text) > longestDropped {
		text = strings.ToValidUTF8(text[:longestDropped], "")
	}
	return Drop{Type: e.Type, Title: e.Title(), Field: field, Reason: reason, Text: text}
}

// quote is a quote of an entity and where it stands.
type quote struct {
	block *block
	span  value.Span // of the block's text; of a table the whole row
	row   *row
}

// placed is where a quote stands, and why it does not.
type placed struct {
	quotes []quote
	reason string
}

// checker checks one proposal.
type checker struct {
	page     *page
	found    map[string]placed // quotes that were looked for before
	proposed entity.Entity
	typ      entity.Type
	quotes   []quote
	drops    []Drop
}

func (c *checker) drop(field, reason, text string) {
	c.drops = append(c.drops, drop(c.proposed, field, reason, text))
}

// check returns the entity as it stands on the page.
func (c *checker) check() (out entity.Entity, ok bool) {
	var known bool
	if c.typ, known = c.page.in.TypeOf(c.proposed.Type); !known {
		c.drop("", UnknownType, c.proposed.Type)
		return out, false
	}
	for name := range c.proposed.Values {
		if f, ok := c.typ.Field(name); !ok || f.Name != name {
			c.drop(name, UnknownType, name)
		}
	}
	if !c.findQuotes() {
		c.drop("", EvidenceNotFound, "")
		return out, false
	}
	found := c.findValues()
	return c.build(found)
}

// findQuotes finds each quote on the page, at the place of several that holds the most values.
func (c *checker) findQuotes() bool {
	for _, text := range c.proposed.Evidence {
		known, ok := c.found[text]
		if !ok {
			known.quotes, known.reason = c.places(text)
			c.found[text] = known
		}
		places := known.quotes
		if len(places) == 0 {
			c.drop("evidence", known.reason, text)
			continue
		}
		best, most := places[0], -1
		for _, q := range places {
			n := 0
			if len(places) > 1 {
				one := checker{page: c.page, proposed: c.proposed, typ: c.typ, quotes: []quote{q}}
				n = len(one.findValues())
			}
			if n > most {
				best, most = q, n
			}
		}
		if !slices.ContainsFunc(c.quotes, func(q quote) bool { return q.block == best.block && q.span == best.span }) {
			c.quotes = append(c.quotes, best)
		}
	}
	return len(c.quotes) > 0
}

// fewestLetters is how many letters and digits a quote has at least: fewer stand anywhere.
const fewestLetters = 2

func countLetters(s string) (n int) {
	for _, r := range s {
		if isWord(r) {
			n++
		}
	}
	return n
}

// places returns where a quote stands, and why it does not.
func (c *checker) places(text string) (out []quote, reason string) {
	plain, barred := fold(text, false).text, fold(text, true).text
	if countLetters(plain) < fewestLetters {
		return nil, EvidenceNotFound
	}
	reason = EvidenceNotFound
	for _, at := range c.page.find(plain, barred) {
		q := quote{block: at.block, span: at.span}
		if len(q.block.heads) > 0 || len(q.block.rows) > 0 {
			if q.row = q.block.rowOf(at.span); q.row == nil {
				continue // a head, or parts of several rows
			}
			q.span = q.row.Span
		}
		if q.block.void || q.cutsDenial() {
			reason = Denied
			continue
		}
		if out = append(out, q); len(out) == maxPlaces {
			break
		}
	}
	return out, reason
}

// cutsDenial reports whether a quote of prose leaves out the word that denies what it says.
func (q quote) cutsDenial() bool {
	if q.row != nil {
		return false
	}
	for i := q.block.partAt(q.span.Start); i < len(q.block.parts) && q.block.parts[i].Start < q.span.End; i++ {
		p := &q.block.parts[i]
		start, end := max(p.Start, q.span.Start), min(p.End, q.span.End)
		if start < end && p.cutsDenial(value.Span{Start: start - p.Start, End: end - p.Start}) {
			return true
		}
	}
	return false
}

// parts yields the sentences or cells of a quote, and which part of each it holds.
func (q quote) parts(yield func(p *part, inside value.Span) bool) {
	if q.row != nil {
		for _, p := range q.row.cells {
			if !yield(p, value.Span{Start: 0, End: p.End - p.Start}) {
				return
			}
		}
		return
	}
	for i := q.block.partAt(q.span.Start); i < len(q.block.parts) && q.block.parts[i].Start < q.span.End; i++ {
		p := &q.block.parts[i]
		start, end := max(p.Start, q.span.Start), min(p.End, q.span.End)
		if start < end && !yield(p, value.Span{Start: start - p.Start, End: end - p.Start}) {
			return
		}
	}
}

// partOf returns the sentence or cell of the quote that holds a range of the block's text, nil when several do.
func (q quote) partOf(at value.Span) *part {
	for p, inside := range q.parts {
		if p.Start+inside.Start <= at.Start && at.End <= p.Start+inside.End {
			return p
		}
	}
	return nil
}

// hit is where a value stands.
type hit struct {
	quote int
	part  *part      // nil: of a text that spans several
	at    value.Span // in the block's text
	block *block
	form  *entity.Form
	field string // of a second ground of the same field, such as unit
	head  bool   // it stands in the head of the column of part
	rival int    // index of the number or date in its part, -1 of words
	date  bool   // rival is an index of dates
}

// finding is a field that was found, at one or several places.
type finding struct {
	field entity.Field
	value any
	hits  []hit
}
