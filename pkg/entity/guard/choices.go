package guard

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// findChoice finds words that mean a choice. Where the words of one sentence or row mean several states, none counts; in
// a table with a column of states that column alone counts.
func (c *checker) findChoice(f entity.Field, s string) (out []hit, reason string) {
	for i, q := range c.quotes {
		states := f.Words == "status" && q.row != nil && q.row.hasHead("status_head")
		differs := false
		var of []hit
		for p, inside := range q.parts {
			if states && !hasHead(p, "status_head") {
				continue
			}
			meant, other := choicesOf(p, inside, f, s)
			differs = differs || other && (q.row != nil || len(meant) > 0)
			for j := range meant {
				meant[j].quote, meant[j].block = i, q.block
			}
			if !other || !isExclusive(f) {
				of = append(of, meant...)
			}
		}
		if isExclusive(f) && differs && q.row != nil {
			continue
		}
		out = append(out, of...)
	}
	return out, NotInList
}

// isExclusive reports whether a sentence or row that says two choices of a field says none: states, and choices of types
// of one's own.
func isExclusive(f entity.Field) bool { return f.Words == "status" || f.Means != nil }

// letChoicesStand takes the words that mean a choice of a type of one's own out of those that deny: that a motion was rejected
// is then what is asked for.
func (p *part) letChoicesStand(types []entity.Type) {
	if len(types) == 0 {
		return
	}
	words := foldedWords(p.text.Words)
	var meant []value.Span
	for _, t := range types {
		for _, f := range t.Fields {
			for w := range words {
				if _, n := f.Meaning(p.text.Language, words[w:min(len(words), w+longestChoice)]); f.Means != nil && n > 0 {
					meant = append(meant, value.Span{Start: p.text.Words[w].Start, End: p.text.Words[w+n-1].End})
				}
			}
		}
	}
	for i := range p.clauses {
		p.clauses[i].denied = slices.DeleteFunc(p.clauses[i].denied, func(d value.Span) bool {
			return slices.ContainsFunc(meant, func(m value.Span) bool { return p.saysOnly(d, m) })
		})
	}
}

// saysOnly reports whether words that deny are those that mean a choice, small words such as "is" aside.
func (p *part) saysOnly(denial, meant value.Span) bool {
	if denial.Start >= meant.End || meant.Start >= denial.End {
		return false
	}
	for _, w := range p.text.Words {
		inside := denial.Start <= w.Start && w.End <= denial.End
		if inside && (w.Start < meant.Start || w.End > meant.End) && !lexicon.Has("copula", p.text.Language, w.Folded) && !lexicon.Has("predicate", p.text.Language, w.Folded) {
			return false
		}
	}
	return true
}

// longestChoice bounds the words of a phrase that means a choice.
const longestChoice = 8

// choicesOf returns where words of a part mean a choice, and whether other words mean another one.
func choicesOf(p *part, inside value.Span, f entity.Field, s string) (meant []hit, other bool) {
	words := foldedWords(p.text.Words)
	for w := 0; w < len(words); {
		v, n := f.Meaning(p.text.Language, words[w:min(len(words), w+longestChoice)])
		if n == 0 {
			w++
			continue
		}
		at := value.Span{Start: p.text.Words[w].Start, End: p.text.Words[w+n-1].End}
		w += n
		if v != s {
			other = true
			continue
		}
		h := hit{part: p, at: value.Span{Start: p.Start + at.Start, End: p.Start + at.End}, rival: -1}
		unfinished := f.Words == "status" && s == "completed" && isUnfinished(p, at)
		if inside.Start <= at.Start && at.End <= inside.End && !p.void && !p.deniesOther(h) && !unfinished {
			meant = append(meant, h)
		}
	}
	return meant, other
}

// isUnfinished reports whether words before "completed" or the like say that it is not so yet: will be, nearly, 50 %.
func isUnfinished(p *part, at value.Span) bool {
	if hasCueBefore(p, at.Start, "unfinished") {
		return true
	}
	for _, n := range p.text.Numbers {
		end := max(n.End, n.Unit.End)
		if n.Unit.Canonical == "%" && end <= at.Start && strings.TrimSpace(p.text.Text[end:at.Start]) == "" && !n.Is(100) {
			return true
		}
	}
	return false
}

func hasHead(p *part, class string) bool {
	return lexicon.Has(class, p.text.Language, lexicon.Fold(strings.Trim(p.head, ".: ")))
}

func (r *row) hasHead(class string) bool {
	for _, p := range r.cells {
		if hasHead(p, class) {
			return true
		}
	}
	return false
}

// deniesOther reports whether a word of the clause denies the choice, one that is part of the choice aside: not started.
func (p *part) deniesOther(h hit) bool {
	at := value.Span{Start: h.at.Start - p.Start, End: h.at.End - p.Start}
	for _, c := range p.clauses {
		if at.Start >= c.End || c.Start >= at.End {
			continue
		}
		for _, d := range c.denied {
			if d.Start < at.Start || d.End > at.End {
				return true
			}
		}
	}
	return false
}

// bindMarks keeps the states, kinds, codes and coordinates that are said of the entity's name.
// Where no name is proposed they are of whatever the evidence is about.
func (c *checker) bindMarks(found []finding) (out []finding) {
	if !c.proposesName() {
		return found
	}
	var names []hit
	for _, f := range found {
		if f.field.Kind == entity.KindName {
			names = append(names, f.hits...)
		}
	}
	for _, f := range found {
		var kept []hit
		switch f.field.Kind {
		case entity.KindChoice, entity.KindCode, entity.KindPoints:
		default:
			out = append(out, f)
			continue
		}
		for _, h := range f.hits {
			for _, n := range names {
				if isMarkOf(f.field, h, n) {
					kept = append(kept, h)
					break
				}
			}
		}
		if len(kept) == 0 || f.field.Kind == entity.KindPoints && len(kept) < len(f.hits) {
			c.drop(f.field.Name, NotTogether, f.hits[0].block.unit.FieldsRaw.Text[f.hits[0].at.Start:f.hits[0].at.End])
			continue
		}
		f.hits = kept
		out = append(out, f)
	}
	return out
}

// proposesName reports whether the proposal says a name, true or false.
func (c *checker) proposesName() bool {
	return slices.ContainsFunc(c.typ.Fields, func(f entity.Field) bool {
		return f.Kind == entity.KindName && !isNull(c.proposed.Values[f.Name])
	})
}

// isMarkOf reports whether a state, kind, code or place is said of a name.
func isMarkOf(f entity.Field, h, n hit) bool {
	if h.block != n.block || h.part == nil || n.part == nil {
		return false
	}
	switch {
	case n.head: // a head names its own column
		return h.part == n.part && f.Words != "area_type"
	case f.Words == "area_type":
		return isKindOf(h, n)
	case len(h.block.rows) > 0:
		return h.part.row == n.part.row && (f.Kind == entity.KindChoice || h.part != n.part || isNextTo(f, h, n))
	case h.part != n.part:
		return f.Kind == entity.KindChoice && isAnaphor(h, n)
	case f.Kind == entity.KindChoice:
		return true
	default:
		return isNextTo(f, h, n)
	}
}

// isNextTo reports whether no other code or place stands between one and the name that it is of; before the name there may be
// none beside it.
func isNextTo(f entity.Field, h, n hit) bool {
	p := h.part
	name := value.Span{Start: n.at.Start - p.Start, End: n.at.End - p.Start}
	at := value.Span{Start: h.at.Start - p.Start, End: h.at.End - p.Start}
	others := 0
	for _, o := range marksIn(p, f.Kind) {
		if o == at || o.Start < at.End && at.Start < o.End {
			continue
		}
		others++
		if name.End <= o.Start && o.End <= at.Start {
			return false
		}
	}
	return others == 0 || name.End <= at.Start && !isListed(p, name) || name.End <= at.Start && isAfterMark(p, f.Kind, name)
}

// isAfterMark reports whether another code stands before a name: then a joining word before it divides the two.
func isAfterMark(p *part, k entity.Kind, name value.Span) bool {
	for _, o := range marksIn(p, k) {
		if o.End <= name.Start {
			return true
		}
	}
	return false
}

func marksIn(p *part, k entity.Kind) (out []value.Span) {
	if k == entity.KindPoints {
		for _, o := range value.Places(p.text.Text) {
			out = append(out, o.Span)
		}
		return out
	}
	return value.LongCodes(p.text.Text)
}

// isKindOf reports whether the word of a kind is part of a name, or said of it: Boulder County, city of Denver, Alder is a creek;
// in a table also a cell of its own.
func isKindOf(h, n hit) bool {
	if h.part != n.part {
		return len(h.block.rows) > 0 && h.part.row == n.part.row && len(h.part.text.Words) <= longestState
	}
	if h.at.Start < n.at.End && n.at.Start < h.at.End {
		return true
	}
	p, class := h.part, "name_link"
	start, end := h.at.End, n.at.Start
	if n.at.End <= h.at.Start {
		start, end, class = n.at.End, h.at.Start, "copula"
	}
	between := p.text.Text[start-p.Start : end-p.Start]
	for _, w := range value.Words(between) {
		if !lexicon.Has(class, p.text.Language, w.Folded) {
			return false
		}
	}
	return !strings.ContainsAny(between, ",;:.")
}
