package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// firstWord returns the index of the first word of a part that begins at or behind byte i, -1 without one.
func firstWord(p *part, i int) int {
	n, _ := slices.BinarySearchFunc(p.text.Words, i, func(w value.Word, at int) int { return w.Start - at })
	if n == len(p.text.Words) {
		return -1
	}
	return n
}

// wordsBefore returns the last words of a part that end at or before byte i, at most count.
func wordsBefore(p *part, i, count int) []value.Word {
	n, _ := slices.BinarySearchFunc(p.text.Words, i, func(w value.Word, at int) int {
		if w.End <= at {
			return -1
		}
		return 1
	})
	return p.text.Words[max(0, n-count):n]
}

// cueReach is how many words before a value a word can stand that says what it is.
const cueReach = 5

// hasCueBefore reports whether a phrase of a class stands in the few words before byte i of a part, with no comma, bracket
// or other number between.
func hasCueBefore(p *part, i int, class string) bool {
	before := wordsBefore(p, i, cueReach)
	words := foldedWords(before)
	for k := range words {
		if _, n := lexicon.LookupPhrase(class, p.text.Language, words[k:]); n > 0 && !strings.ContainsAny(p.text.Text[before[k].Start:i], ",;:()0123456789") {
			return true
		}
	}
	return false
}

// clauseHas reports whether the clause of a place in the part has a word of a class.
func (p *part) clauseHas(at value.Span, class string) bool {
	for _, c := range p.clauses {
		if at.Start < c.End && c.Start < at.End && hasClass(p.text.Text[c.Start:c.End], p.text.Language, class) {
			return true
		}
	}
	return false
}

// hasBoundSign reports whether a sign before a number says that it is a limit: < 5.
func hasBoundSign(p *part, n value.Number) bool {
	head := strings.TrimRight(p.text.Text[:n.Start], " \u00A0")
	return head != "" && strings.ContainsRune("<>\u2264\u2265", last(head))
}

// isBound reports whether a number is a limit of a value where the field wants the value: less than 5 mg/L, "> 30 %
// complete". Targets and thresholds are limits themselves.
func isBound(p *part, n value.Number, f entity.Field) bool {
	if f.Role == entity.RoleTarget || f.Name == "threshold" || f.Name == "kpi" {
		return false
	}
	if hasBoundSign(p, n) || f.Name != "metrics" && isDifference(p, n) {
		return true
	}
	exact := f.Kind == entity.KindNumber || f.Role == entity.RoleProgress
	return exact && (hasCueBefore(p, n.Start, "bound_cue") || hasClass(p.head, p.text.Language, "bound_cue"))
}

// isChange reports whether a number is where a change begins, and no target: 12 of "from 12 mg/L to 10 mg/L".
func isChange(p *part, n value.Number, role entity.Role) bool {
	if role != entity.RoleTarget || n.Range != value.LowEnd || n.Other >= len(p.text.Numbers) {
		return false
	}
	high := p.text.Numbers[n.Other]
	if len(n.Readings) != 1 || len(high.Readings) != 1 || n.Readings[0] > high.Readings[0] {
		return true
	}
	opener := wordsBefore(p, min(n.Start, moneyStart(n)), 1)
	opens := len(opener) == 1 && lexicon.Has("range_opens", p.text.Language, opener[0].Folded) && !lexicon.Has("range_within", p.text.Language, opener[0].Folded)
	roles := p.rolesNear(n.Span, "reduction")
	return opens && (slices.Contains(roles, "reduction") || slices.Contains(roles, "increase"))
}

// isDifference reports whether an amount is by how much something differs: 30 acres less than planned, grew by 30 acres.
func isDifference(p *part, n value.Number) bool {
	end := max(n.End, n.Unit.End)
	if n.Currency != "" {
		end = max(end, n.Money.End)
	}
	if i := firstWord(p, end); i >= 0 && strings.Trim(p.text.Text[end:p.text.Words[i].Start], " \u00A0") == "" {
		if _, k := lexicon.LookupPhrase("compared", p.text.Language, foldedWords(p.text.Words[i:min(len(p.text.Words), i+4)])); k > 0 {
			return true
		}
	}
	return isChangeBy(p, n)
}

// isChangeBy reports whether an amount is by how much something changes: rose by $300.
func isChangeBy(p *part, n value.Number) bool {
	before := wordsBefore(p, min(n.Start, moneyStart(n)), 3)
	if len(before) < 2 || !lexicon.Has("change_by", p.text.Language, before[len(before)-1].Folded) {
		return false
	}
	return slices.ContainsFunc(before[:len(before)-1], func(w value.Word) bool {
		role, ok := lexicon.Lookup("role", p.text.Language, w.Folded)
		return ok && (role == "reduction" || role == "increase")
	})
}

// isIDColumn reports whether the numbers of a cell's column count nothing: page, number, year.
func isIDColumn(q quote, p *part) bool {
	return q.row != nil && lexicon.Has("id_head", p.text.Language, lexicon.Fold(strings.Trim(p.head, "#.: "))) || q.row != nil && strings.TrimSpace(p.head) == "#"
}

// isPriceColumn reports whether the amounts of a cell's column are prices of one: "Unit cost", "$/acre".
func isPriceColumn(p *part) bool {
	return hasClass(p.head, p.text.Language, "each_head") || strings.Contains(p.head, "$/") || strings.Contains(p.head, "€/") || strings.Contains(p.head, "£/")
}

// isBracketed reports whether a cell is an amount in brackets, as accounts write what is negative.
func isBracketed(p *part, n value.Number) bool {
	text := strings.TrimSpace(p.text.Text)
	return strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && n.End > n.Start
}

// hasCaptionScale reports whether the caption of a table says that its amounts are of thousands, where the head of
// the column does not.
func (b *block) hasCaptionScale(p *part) bool {
	t := b.unit.FieldsRaw.Table
	return t != nil && t.Caption != "" && value.ScaleIn(p.head, p.text.Language) == 1 && value.ScaleIn(t.Caption, p.text.Language) != 1
}

// isPlainNumber reports whether a number has no unit that the table of units does not know, no unit in common with the
// numbers behind it, and is no year.
func isPlainNumber(p *part, n value.Number) bool {
	text := p.text.Text
	if next := first(strings.TrimLeft(text[n.End:], " \u00A0")); next != 0 && strings.ContainsRune("°%\u2030\u2032\u2033'\"^\u00D7\u00F7/~$€£#*+", next) {
		return false
	}
	if printed := text[n.Start:n.End]; len(printed) == 4 && strings.Trim(printed, "0123456789") == "" && (strings.HasPrefix(printed, "19") || strings.HasPrefix(printed, "20") || strings.HasPrefix(printed, "21")) {
		return false
	}
	return !sharesUnit(p, n)
}

// sharesUnit reports whether a number stands in a list whose last number has a unit: 30, 40 and 50 acres.
func sharesUnit(p *part, n value.Number) bool {
	i, _ := slices.BinarySearchFunc(p.text.Numbers, n.Start, func(o value.Number, at int) int { return o.Start - at })
	for ; i+1 < len(p.text.Numbers); i++ {
		a, b := p.text.Numbers[i], p.text.Numbers[i+1]
		if b.Start < a.End || !isListSign(p, a.End, b.Start) {
			return false
		}
		if b.Unit.Canonical != "" || b.Currency != "" {
			return true
		}
	}
	return false
}

func isListSign(p *part, start, end int) bool {
	between := p.text.Text[start:end]
	for _, w := range value.Words(between) {
		if !lexicon.Has("joiner", p.text.Language, w.Folded) {
			return false
		}
	}
	return strings.TrimFunc(between, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsLetter(r) || r == ',' || r == ';' || r == '/'
	}) == ""
}

// maxBetween is how many words may stand between a number and the noun that it counts: 12 new stone check dams. Where
// adjectives follow the noun, one may stand before it.
func maxBetween(language string) int {
	if language == "fr" || language == "pt" || language == "it" {
		return 1
	}
	return 3
}

// endsNoun reports whether a word between a number and a noun ends what is counted, so that the noun is another
// one: "workshops for farmers", "réunions d'agriculteurs", "workshops teaching farmers".
func endsNoun(p *part, n value.Number, i int) bool {
	w := p.text.Words[i].Folded
	if lexicon.Has("stop", p.text.Language, w) && w != "new" || lexicon.Has("joiner", p.text.Language, w) {
		return true
	}
	return p.text.Language == "en" && !n.Is(1) && len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "ous")
}

// isBesideNoun reports whether the noun that is claimed describes another one that is counted: farmer of "12 farmer workshops".
func isBesideNoun(p *part, i int) bool {
	if p.text.Language != "en" || i+1 >= len(p.text.Words) {
		return false
	}
	w, next := p.text.Words[i], p.text.Words[i+1]
	between := p.text.Text[w.End:next.Start]
	return (between == " " || between == "-" || between == "\u00A0") && !strings.HasSuffix(w.Folded, "s") && strings.HasSuffix(next.Folded, "s") && len(next.Folded) > 3 && !lexicon.Has("stop", p.text.Language, next.Folded)
}
