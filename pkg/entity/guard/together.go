package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// isBoundKind reports whether a field's values are said of the entity's names.
func isBoundKind(k entity.Kind) bool {
	switch k {
	case entity.KindQuantity, entity.KindMoney, entity.KindNumber, entity.KindDate, entity.KindPeriod:
		return true
	default:
		return false
	}
}

// bind keeps of each value the places at which it stands together with every name, and returns
// the names and values that have none: a value and the names that contradict it both go.
func (c *checker) bind(found []finding) (out []finding) {
	var names, bound []int
	for i, f := range found {
		switch {
		case f.field.Kind == entity.KindName:
			names = append(names, i)
		case isBoundKind(f.field.Kind):
			bound = append(bound, i)
		}
	}
	lost, held := make(map[int]bool), make(map[int]bool)
	for _, v := range bound {
		for _, n := range names {
			hits := togetherHits(found[v], found[n])
			switch {
			case len(hits) > 0:
				found[v].hits, held[n] = hits, true
			case !shareBlock(found[v], found[n]):
				if !isOnlyName(names, n) {
					lost[n] = lost[n] || !held[n]
					continue
				}
				lost[v] = true
			default:
				lost[v], lost[n] = true, lost[n] || !held[n]
			}
		}
	}
	for i, f := range found {
		if lost[i] && !held[i] {
			c.drop(f.field.Name, NotTogether, f.hits[0].block.unit.FieldsRaw.Text[f.hits[0].at.Start:f.hits[0].at.End])
			continue
		}
		out = append(out, f)
	}
	return c.bindSentences(c.bindTexts(c.bindMarks(out)))
}

// bindTexts keeps what is said beside the values of an entity, such as a place or who is responsible, where it stands
// together with one of them; without values, with a name. A description or message is a sentence of its own.
func (c *checker) bindTexts(found []finding) (out []finding) {
	var values, names []finding
	for _, f := range found {
		switch {
		case isBoundKind(f.field.Kind):
			values = append(values, f)
		case f.field.Kind == entity.KindName:
			names = append(names, f)
		}
	}
	byName := len(values) == 0
	if byName {
		values = names
	}
	for _, f := range found {
		if f.field.Kind == entity.KindText && !isLong(f.field) && len(values) > 0 && !slices.ContainsFunc(values, func(v finding) bool {
			if byName && !isSaidOf(f, v) {
				return false
			}
			return len(togetherHits(v, f)) > 0 || len(togetherHits(f, v)) > 0 && v.field.Kind == entity.KindName
		}) {
			c.drop(f.field.Name, NotTogether, fmt.Sprint(f.value))
			continue
		}
		out = append(out, f)
	}
	return out
}

// isSaidOf reports whether a text may be said of a name without a value: in prose it stands behind the name, or no sign or
// joining word divides it from the name, or it opens the sentence; and no other word of how often stands between.
func isSaidOf(text, name finding) bool {
	return slices.ContainsFunc(text.hits, func(a hit) bool {
		return slices.ContainsFunc(name.hits, func(b hit) bool {
			p := b.part
			switch {
			case a.part != p || p == nil || p.isCell:
				return true
			case a.at.End <= b.at.Start:
				opens := hasOnlyStops(p, a.at.Start-p.Start)
				return opens || divider(p, a.at.End-p.Start, b.at.Start-p.Start) < 0
			case text.field.Name == "frequency" && b.at.End <= a.at.Start:
				return !hasClass(p.text.Text[b.at.End-p.Start:a.at.Start-p.Start], p.text.Language, "frequency")
			default:
				return true
			}
		})
	})
}

// hasOnlyStops reports whether nothing but small words stands before a byte of a sentence.
func hasOnlyStops(p *part, at int) bool {
	for _, w := range p.text.Words {
		if w.Start >= at {
			break
		}
		if !lexicon.Has("stop", p.text.Language, w.Folded) {
			return false
		}
	}
	return true
}

// isOnlyName reports whether an entity has one name: then a value that stands elsewhere goes, not the name.
func isOnlyName(names []int, n int) bool { return len(names) == 1 && names[0] == n }

func shareBlock(v, n finding) bool {
	return slices.ContainsFunc(v.hits, func(a hit) bool {
		return slices.ContainsFunc(n.hits, func(b hit) bool { return a.block == b.block && (a.part == b.part || len(a.block.rows) == 0) })
	})
}

// togetherHits returns the hits of a value that stand together with a name; a unit's place in a head goes with its number.
func togetherHits(v, n finding) (out []hit) {
	kept := false
	for _, a := range v.hits {
		if a.field != "" {
			if kept {
				out = append(out, a)
			}
			continue
		}
		kept = slices.ContainsFunc(n.hits, func(b hit) bool { return areTogether(a, b) })
		if kept {
			out = append(out, a)
		}
	}
	return out
}

// areTogether reports whether a value and a name stand in one sentence, with no other value between them
// that the name is said of; in one row of a table; or in two sentences that follow each other, of which the second begins with
// a word that means what the first names.
func areTogether(v, n hit) bool {
	if v.block != n.block || v.part == nil || n.part == nil {
		return n.part == nil && v.block == n.block && n.at.Start <= v.at.Start && v.at.End <= n.at.End
	}
	if len(v.block.rows) > 0 {
		if n.head {
			return v.part == n.part
		}
		return v.part.row == n.part.row && (v.part != n.part || inWindow(v, n))
	}
	if v.part == n.part {
		return inWindow(v, n)
	}
	return isAnaphor(v, n)
}

// isAnaphor reports whether the sentence of a value follows that of a name, and begins with a word that means it.
func isAnaphor(v, n hit) bool {
	if v.part.isCell || v.part.index != n.part.index+1 {
		return false
	}
	words := foldedWords(v.part.text.Words[:min(len(v.part.text.Words), 4)])
	if _, count := lexicon.LookupPhrase("anaphor", v.part.text.Language, words); count == 0 {
		return false
	}
	// the sentence before names one thing: what it says with a number of its own is not passed on
	return len(rivals(n.part, -1, -1, false)) == 0
}

// rivals returns the ranges of the other values of a sentence: quantities, or dates.
func rivals(p *part, number, date int, dates bool) (out []value.Span) {
	if dates {
		for i, d := range p.text.Dates {
			if i != date {
				out = append(out, d.Span)
			}
		}
		return out
	}
	for i, n := range p.text.Numbers {
		if i == number || n.IsDate || n.IsLabel || len(n.Readings) == 0 || isSame(p.text.Numbers, number, i) {
			continue
		}
		out = append(out, value.Span{Start: n.Start, End: max(n.End, n.Unit.End, n.Money.End)})
	}
	return out
}

// isSame reports whether two numbers are the ends of one range, or one number written twice: thirty (30).
func isSame(all []value.Number, i, j int) bool {
	if i < 0 {
		return false
	}
	a, b := all[i], all[j]
	if a.Range != value.NoRange && a.Other == j {
		return true
	}
	return a.InWords != b.InWords && len(a.Readings) == 1 && b.Is(a.Readings[0]) && abs(a.Start-b.End) <= 3 || a.InWords != b.InWords && len(a.Readings) == 1 && b.Is(a.Readings[0]) && abs(b.Start-a.End) <= 3
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// inWindow reports whether a name is said with this value of a sentence, and not with another: it stands between the
// signs and words that divide the value from those beside it, or before all of them where nothing else is named beside the value.
func inWindow(v, n hit) bool {
	p := v.part
	at := value.Span{Start: v.at.Start - p.Start, End: v.at.End - p.Start}
	name := value.Span{Start: n.at.Start - p.Start, End: n.at.End - p.Start}
	number, date := v.rival, -1
	if v.date {
		number, date = -1, v.rival
	}
	others := rivals(p, number, date, v.date)
	if name.Start <= at.Start && at.End <= name.End { // the name holds its value: Reduce nitrogen by 30 %
		return true
	}
	if len(others) == 0 {
		return true
	}
	if hasClass(p.text.Text, p.text.Language, "respectively") {
		return false
	}
	window := value.Span{Start: 0, End: len(p.text.Text)}
	firstRival := len(p.text.Text)
	for _, o := range others {
		firstRival = min(firstRival, o.Start)
		if o.End <= at.Start {
			window.Start = max(window.Start, boundary(p, o.End, at.Start))
		} else if o.Start >= at.End {
			window.End = min(window.End, boundaryBefore(p, at.End, o.Start))
		}
	}
	if window.Start <= name.Start && name.End <= window.End {
		return !isListed(p, name) || !sharesHead(p, others, at)
	}
	return name.End <= min(firstRival, at.Start) && !isListed(p, name) && isBare(p, window, at)
}

// boundary returns where the part of the sentence of a value begins, behind another value that ends at start.
func boundary(p *part, start, end int) int {
	if i := divider(p, start, end); i >= 0 {
		return i
	}
	return start
}

// boundaryBefore returns where the part of the sentence of a value ends, before another value that begins at end.
func boundaryBefore(p *part, start, end int) int {
	if i := divider(p, start, end); i >= 0 {
		return i
	}
	return end
}

// divider returns where the first sign or word stands that divides two values, -1 without one.
func divider(p *part, start, end int) int {
	text := p.text.Text[start:end]
	at := strings.IndexAny(text, ",;:()")
	for _, w := range value.Words(text) {
		if lexicon.Has("joiner", p.text.Language, w.Folded) || lexicon.Has("contrast", p.text.Language, w.Folded) {
			if at < 0 || w.Start < at {
				at = w.Start
			}
			break
		}
	}
	if at < 0 {
		return -1
	}
	return start + at
}

// isListed reports whether a name is one of several that "and" joins or commas divide.
func isListed(p *part, name value.Span) bool {
	before, after := -1, -1
	for i, w := range p.text.Words {
		if w.End <= name.Start {
			before = i
		}
		if w.Start >= name.End && after < 0 {
			after = i
		}
	}
	isJoin := func(i int) bool {
		return i >= 0 && lexicon.Has("joiner", p.text.Language, p.text.Words[i].Folded)
	}
	for before >= 0 && lexicon.Has("stop", p.text.Language, p.text.Words[before].Folded) && !isJoin(before) {
		before--
	}
	return isJoin(before) && before > 0 || isJoin(after)
}

// sharesHead reports whether one of the other values has no name beside it: then what stands before the first is said of all.
func sharesHead(p *part, others []value.Span, at value.Span) bool {
	all := append(slices.Clone(others), at)
	slices.SortFunc(all, func(a, b value.Span) int { return a.Start - b.Start })
	for i := 1; i < len(all); i++ {
		w := value.Span{Start: boundary(p, all[i-1].End, all[i].Start), End: len(p.text.Text)}
		if i+1 < len(all) {
			w.End = boundaryBefore(p, all[i].End, all[i+1].Start)
		}
		if isBare(p, w, all[i]) {
			return true
		}
	}
	return false
}

// isBare reports whether a part of a sentence names nothing beside its value: words that mean something of their own are missing.
func isBare(p *part, window, at value.Span) bool {
	for _, w := range p.text.Words {
		if w.Start < window.Start || w.End > window.End || w.Start >= at.Start && w.End <= at.End {
			continue
		}
		if isInNumber(p, w) || lexicon.Has("stop", p.text.Language, w.Folded) || lexicon.Has("year_cue", p.text.Language, w.Folded) || lexicon.Has("joiner", p.text.Language, w.Folded) ||
			lexicon.Has("role", p.text.Language, w.Folded) || lexicon.Has("money_word", p.text.Language, w.Folded) || lexicon.Has("month", p.text.Language, w.Folded) || lexicon.Has("range_between", p.text.Language, w.Folded) {
			continue
		}
		return false
	}
	return true
}

func isInNumber(p *part, w value.Word) bool {
	for _, n := range p.text.Numbers {
		if w.Start < max(n.End, n.Unit.End, n.Money.End) && w.End > min(n.Start, moneyStart(n)) {
			return true
		}
	}
	for _, d := range p.text.Dates {
		if w.Start < d.End && w.End > d.Start {
			return true
		}
	}
	return false
}

func moneyStart(n value.Number) int {
	if n.Currency == "" {
		return n.Start
	}
	return n.Money.Start
}
