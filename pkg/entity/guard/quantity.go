package guard

import (
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// findQuantity finds a number with its unit.
func (c *checker) findQuantity(f entity.Field, q entity.Quantity) ([]hit, string) {
	return c.findNumber(func(quote quote, p *part, inside value.Span, n value.Number) (form *entity.Form, reason string, extra *hit) {
		form = &entity.Form{Unit: n.Unit.Canonical}
		switch {
		case n.Currency != "":
			return nil, UnitNotFound, nil
		case quote.row != nil && isBracketed(p, n):
			return nil, ValueNotFound, nil
		case quote.row != nil:
			var ok bool
			if extra, form.Unit, ok = cellUnit(quote, p, n, q.Unit); !ok {
				return nil, UnitNotFound, nil
			}
		case !proseUnit(p, inside, n, q.Unit):
			return nil, UnitNotFound, nil
		}
		if !hasRole(p, n, f.Role) || isBound(p, n, f) || isChange(p, n, f.Role) || isIDColumn(quote, p) {
			return nil, OtherRole, nil
		}
		return form, "", extra
	}, q.Value)
}

// findMoney finds an amount with its currency; the price of one of something is no amount.
func (c *checker) findMoney(m entity.Money) ([]hit, string) {
	return c.findNumber(func(quote quote, p *part, inside value.Span, n value.Number) (form *entity.Form, reason string, extra *hit) {
		form = &entity.Form{Currency: m.Currency}
		switch {
		case n.PerUnit || quote.row != nil && isPriceColumn(p) || isDifference(p, n) || hasCueBefore(p, moneyStart(n), "no_cost") || hasBoundSign(p, n):
			return nil, OtherRole, nil
		case n.Currency != "" && (n.Money.Start < inside.Start || n.Money.End > inside.End):
			return nil, UnitNotFound, nil
		case quote.row != nil && (isBracketed(p, n) || quote.block.hasCaptionScale(p)):
			return nil, ValueNotFound, nil
		case n.Currency == m.Currency:
			return form, "", nil
		case n.Currency == "" && n.Unit.Canonical == "" && quote.row != nil && value.CurrencyIn(p.head, p.text.Language) == m.Currency:
			return form, "", nil
		default:
			return nil, UnitNotFound, nil
		}
	}, m.Value)
}

// findNumber finds a number for which accepts returns a normal form.
func (c *checker) findNumber(accepts func(q quote, p *part, inside value.Span, n value.Number) (*entity.Form, string, *hit), v float64) (out []hit, reason string) {
	reason = ValueNotFound
	for i, q := range c.quotes {
		tried := 0
		for p, inside := range q.parts {
			for j, n := range p.text.Numbers {
				if n.Start < inside.Start || n.End > inside.End || tried > maxPlaces || !isValue(p, n, v, q.row != nil) {
					continue
				}
				tried++
				if isOtherAmount(p, n) {
					reason = OtherRole
					continue
				}
				form, why, extra := accepts(q, p, inside, n)
				switch {
				case why != "":
					reason = why
					continue
				case p.isDenied(n.Span):
					reason = Denied
					continue
				}
				form.Value = &v
				if n.Range != value.NoRange {
					form.Low, form.High = rangeOf(p.text, n, v)
				}
				end := n.End
				if n.Unit.Canonical != "" && n.Unit.Start >= n.End && n.Range != value.LowEnd {
					end = n.Unit.End
				}
				start := n.Start
				if n.Currency != "" && n.Range == value.NoRange {
					start, end = min(start, n.Money.Start), max(end, n.Money.End)
				}
				h := hit{quote: i, block: q.block, part: p, at: value.Span{Start: p.Start + start, End: p.Start + end}, form: form, rival: j}
				out = append(out, h)
				if extra != nil {
					extra.quote = i
					out = append(out, *extra)
				}
			}
		}
	}
	return out, reason
}

// isValue reports whether a number is v; in a table the head of its column may say that it is of thousands.
func isValue(p *part, n value.Number, v float64, inTable bool) bool {
	scale := 1.0
	if inTable {
		scale = value.ScaleIn(p.head, p.text.Language)
	}
	if scale == 1 || n.Scaled {
		return n.Is(v) && scale == 1 // a scale in the head and one in the cell: nobody knows
	}
	return len(n.Readings) == 1 && n.Readings[0]*scale == v
}

func rangeOf(t value.Text, n value.Number, v float64) (low, high *float64) {
	if n.Other >= len(t.Numbers) || len(t.Numbers[n.Other].Readings) != 1 {
		return nil, nil
	}
	o := t.Numbers[n.Other].Readings[0]
	if n.Range == value.HighEnd {
		return &o, &v
	}
	return &v, &o
}

// proseUnit reports whether the unit that is claimed stands beside a number: a unit of measure
// next to it, or a counted noun within a few words behind it.
func proseUnit(p *part, inside value.Span, n value.Number, claim string) bool {
	canonical, rest, ok := value.CanonicalUnit(claim, p.text.Language)
	switch {
	case strings.TrimSpace(claim) == "":
		return n.Unit.Canonical == "" && isPlainNumber(p, n)
	case ok:
		return n.Unit.Canonical == canonical && n.Unit.End <= inside.End && restHolds(p, n, rest)
	default:
		return n.Unit.Canonical == "" && countsNoun(p, inside, n, claim)
	}
}

// countsNoun reports whether the words of claim follow a number, with nothing but words between, or
// stand before it and a colon.
func countsNoun(p *part, inside value.Span, n value.Number, claim string) bool {
	wanted := foldedWords(value.Words(claim))
	if len(wanted) == 0 {
		return false
	}
	first := firstWord(p, n.End)
	for k := 0; first >= 0 && k <= maxBetween(p.text.Language) && first+k+len(wanted) <= len(p.text.Words); k++ {
		words := p.text.Words[first+k : first+k+len(wanted)]
		if k > 0 && endsNoun(p, n, first+k-1) {
			return false
		}
		if sameWords(foldedWords(words), wanted) && words[len(words)-1].End <= inside.End && isPlainBetween(p, n.End, words[len(words)-1].Start) {
			return !isBesideNoun(p, first+k+len(wanted)-1)
		}
	}
	before := p.text.Words[:max(0, firstWord(p, n.Start))]
	if len(before) < len(wanted) {
		return false
	}
	before = before[len(before)-len(wanted):]
	return before[0].Start >= inside.Start && sameWords(foldedWords(before), wanted) && strings.TrimSpace(p.text.Text[before[len(before)-1].End:n.Start]) == ":"
}

// isPlainBetween reports whether between a number and the end of its noun nothing but words, spaces and
// hyphens stands: no other number, no sign, and no word that joins parts of a sentence.
func isPlainBetween(p *part, start, end int) bool {
	text := p.text.Text[start:end]
	if strings.ContainsAny(text, ",;:.()[]/%&+=\n\t0123456789\"") {
		return false
	}
	for _, w := range value.Words(text) {
		if lexicon.Has("joiner", p.text.Language, w.Folded) || lexicon.Has("numeral", p.text.Language, w.Folded) && !lexicon.Has("article", p.text.Language, w.Folded) {
			return false
		}
	}
	return true
}

// sameWords compares words, the plural's s aside.
func sameWords(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || x+"s" == y || x == y+"s" })
}

// restHolds reports whether the words behind a claimed unit, as reduction of "% reduction", are said of
// the number: the next words behind its unit, or a word of the clause that means the same, where
// none means the opposite.
func restHolds(p *part, n value.Number, rest string) bool {
	wanted := foldedWords(value.Words(rest))
	if len(wanted) == 0 {
		return rest == ""
	}
	isFiller := func(w string) bool { return lexicon.Has("filler", p.text.Language, w) }
	wanted = slices.DeleteFunc(wanted, isFiller)
	if len(wanted) == 0 || strings.ContainsAny(rest, "%\u2030$€£<>=/^0123456789") {
		return false
	}
	if behind := firstWord(p, n.Unit.End); behind >= 0 {
		next := slices.DeleteFunc(foldedWords(p.text.Words[behind:min(len(p.text.Words), behind+4*len(wanted)+4)]), isFiller)
		if len(next) >= len(wanted) && sameWords(next[:len(wanted)], wanted) {
			return true
		}
	}
	for _, w := range wanted {
		role, ok := lexicon.Lookup("role", p.text.Language, w)
		if !ok || !slices.Equal(p.rolesNear(n.Span, role), []string{role}) {
			return false
		}
	}
	return true
}

// rolesNear returns the roles that words of a number's clause mean, and its column's head; of
// reduction, increase and completion each once.
func (p *part) rolesNear(at value.Span, of string) (out []string) {
	add := func(t string) {
		words := foldedWords(value.Words(t))
		for i := range words {
			role, n := lexicon.LookupPhrase("role", p.text.Language, words[i:min(len(words), i+4)])
			if n > 0 && !slices.Contains(out, role) && (role == of || of == "" || role == "reduction" || role == "increase") {
				out = append(out, role)
			}
		}
	}
	for _, c := range p.clauses {
		if at.Start < c.End && c.Start < at.End {
			add(p.text.Text[c.Start:c.End])
		}
	}
	add(p.head)
	return out
}

// hasRole reports whether a number can be what its field says: progress has a word of progress in its
// clause or the head of its column, a target has no word of completion behind it or in that head.
func hasRole(p *part, n value.Number, role entity.Role) bool {
	switch role {
	case entity.RoleProgress:
		roles := p.rolesNear(n.Span, "")
		return (slices.Contains(roles, "complete") || slices.Contains(roles, "achieved")) && !p.clauseHas(n.Span, "remaining")
	case entity.RoleTarget:
		if hasCueBefore(p, n.Start, "baseline_cue") || hasCueBefore(p, n.Start, "was_cue") && !p.clauseHas(n.Span, "goal_word") || hasClass(p.head, p.text.Language, "baseline_cue") {
			return false
		}
		end := max(n.End, n.Unit.End)
		behind := value.Words(p.text.Text[end:])
		for i, w := range behind[:min(len(behind), 2)] {
			role, ok := lexicon.Lookup("role", p.text.Language, w.Folded)
			if ok && (role == "complete" || role == "achieved") && (i == 0 || !strings.ContainsAny(p.text.Text[end:end+w.Start], ",;.")) {
				return false
			}
		}
		return !hasClass(p.head, p.text.Language, "progress_head")
	default:
		return true
	}
}

// cellUnit reports whether the unit that is claimed is that of a number in a cell: beside it, in the head of
// its column, or in the cell of the row whose column is of units. It returns where it stands, if not beside it.
func cellUnit(q quote, p *part, n value.Number, claim string) (*hit, string, bool) {
	inside := value.Span{Start: 0, End: len(p.text.Text)}
	canonical, rest, known := value.CanonicalUnit(claim, p.text.Language)
	printed := n.Unit.Canonical
	headUnit := value.UnitIn(p.head, p.text.Language)
	switch {
	case strings.TrimSpace(claim) == "":
		return nil, "", printed == "" && isPlainNumber(p, n) && headUnit == "" && value.CurrencyIn(p.head, p.text.Language) == ""
	case printed != "":
		ok := known && printed == canonical && (restHolds(p, n, rest) || headHas(p.head, rest))
		return nil, printed, ok
	case value.CurrencyIn(p.head, p.text.Language) != "":
		return nil, "", false
	case !known && countsNoun(p, inside, n, claim):
		return nil, "", true
	}
	if h, ok := unitCell(q, p, claim, canonical); ok {
		return &h, canonical, true
	}
	if known && headUnit == canonical && (rest == "" || headHas(p.head, rest) || restHolds(p, n, rest)) || !known && headUnit == "" && headHas(p.head, claim) {
		return headHit(q, p), canonical, true
	}
	return nil, "", false
}

// headHas reports whether the head of a column has these words, or a word that means the same.
func headHas(head, words string) bool {
	wanted := foldedWords(value.Words(words))
	have := foldedWords(value.Words(head))
	for i := 0; len(wanted) > 0 && i+len(wanted) <= len(have); i++ {
		if sameWords(have[i:i+len(wanted)], wanted) {
			return true
		}
	}
	return false
}

func headHit(q quote, p *part) *hit {
	for _, r := range q.block.heads[p.col] {
		if r.End > r.Start {
			return &hit{block: q.block, part: p, at: value.Span{Start: r.Start, End: r.End}, field: "unit", head: true, rival: -1}
		}
	}
	return nil
}

// unitCell finds the unit in the cell of the row that is under a head such as "Unit".
func unitCell(q quote, p *part, claim, canonical string) (hit, bool) {
	for _, cell := range q.row.cells {
		if cell == p || !lexicon.Has("unit_head", cell.text.Language, lexicon.Fold(strings.Trim(cell.head, ". "))) {
			continue
		}
		text := strings.TrimSpace(cell.text.Text)
		u, rest, ok := value.CanonicalUnit(text, cell.text.Language)
		if ok && rest == "" && u == canonical || sameWords(foldedWords(value.Words(text)), foldedWords(value.Words(claim))) {
			return hit{block: q.block, part: cell, at: cell.Span, field: "unit", rival: -1}, true
		}
	}
	return hit{}, false
}
