package guard

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// findDateOrWords finds a date; what is no date, such as "quarterly", is found by its words.
func (c *checker) findDateOrWords(f entity.Field, s string) ([]hit, any, string) {
	if v, ok := value.ParseDate(s, c.page.language); ok {
		hits, reason := c.findDate(f.Role, v)
		return hits, v, reason
	}
	hits, reason := c.findWords(f, s)
	return hits, strings.TrimSpace(s), reason
}

// findDate finds a date: one that begins with it in full years, months and days.
func (c *checker) findDate(role entity.Role, v string) (out []hit, reason string) {
	reason = ValueNotFound
	for i, q := range c.quotes {
		for p, inside := range q.parts {
			for j, d := range p.text.Dates {
				if d.Start < inside.Start || d.End > inside.End || d.Value != v && !strings.HasPrefix(d.Value, v+"-") {
					continue
				}
				if p.isDenied(d.Span) {
					reason = Denied
					continue
				}
				if !hasDateRole(p, j, role) {
					reason = OtherRole
					continue
				}
				at := value.Span{Start: p.Start + d.Start, End: p.Start + d.End}
				out = append(out, hit{quote: i, block: q.block, part: p, at: at, rival: j, date: true, form: &entity.Form{Date: d.Value}})
			}
		}
	}
	return out, reason
}

// hasDateRole reports whether a date can be the start, the end or the deadline: of a time from one to another
// the first is the start, the second the end; words before a date, or the head of its column, can say that it is of
// another role; a deadline has a word such as "by" before it, and is no date from which a change is counted.
func hasDateRole(p *part, i int, role entity.Role) bool {
	dates := p.text.Dates
	if role == "" {
		return true
	}
	d := dates[i]
	if d.Years && role != entity.RoleStart || hasCueBefore(p, d.Start, "after_cue") || isOfOtherColumn(p, role) {
		return false
	}
	if j := firstWord(p, d.End); j >= 0 && strings.Trim(p.text.Text[d.End:p.text.Words[j].Start], " ,\u00A0") == "" {
		if _, n := lexicon.LookupPhrase("date_open", p.text.Language, foldedWords(p.text.Words[j:min(len(p.text.Words), j+4)])); n > 0 {
			return false
		}
	}
	firstOfTwo := i+1 < len(dates) && isTimeBetween(p, d, dates[i+1])
	secondOfTwo := i > 0 && isTimeBetween(p, dates[i-1], d)
	switch {
	case firstOfTwo && hasClass(p.text.Text, p.text.Language, "postponed"):
		return false
	case firstOfTwo || secondOfTwo:
		return firstOfTwo == (role == entity.RoleStart)
	case role == entity.RoleStart:
		return !hasCueBefore(p, d.Start, "end_cue") && !hasCueBefore(p, d.Start, "deadline_cue")
	case role == entity.RoleEnd:
		late := hasCueBefore(p, d.Start, "deadline_cue") || hasCueBefore(p, d.Start, "end_cue")
		return !hasCueBefore(p, d.Start, "before_cue") && (late || !hasCueBefore(p, d.Start, "start_cue") && len(dates) == 1)
	default:
		return isDeadline(p, d)
	}
}

// isDeadline reports whether a date is one by which something is to be done: a word says so, or the head of its column.
func isDeadline(p *part, d value.Date) bool {
	if i := firstWord(p, d.End); i >= 0 && strings.Trim(p.text.Text[d.End:p.text.Words[i].Start], " \u00A0") == "" && lexicon.Has("baseline_after", p.text.Language, p.text.Words[i].Folded) {
		return false
	}
	if hasCueBefore(p, d.Start, "deadline_cue") {
		return true
	}
	if hasCueBefore(p, d.Start, "baseline_before") {
		return false
	}
	labelled := wordsBefore(p, d.Start, 1)
	if len(labelled) == 1 && strings.TrimSpace(p.text.Text[labelled[0].End:d.Start]) == ":" {
		return lexicon.Has("deadline_cue", p.text.Language, labelled[0].Folded)
	}
	return p.isCell && len(p.text.Dates) == 1
}

// isOfOtherColumn reports whether the head of a date's column says another role: an end below "Start".
func isOfOtherColumn(p *part, role entity.Role) bool {
	starts, ends := hasClass(p.head, p.text.Language, "start_cue"), hasClass(p.head, p.text.Language, "end_cue")
	return starts != ends && ends == (role == entity.RoleStart)
}

func isTimeBetween(p *part, a, b value.Date) bool {
	between := strings.TrimSpace(p.text.Text[a.End:b.Start])
	if between == "" {
		return false
	}
	words := value.Words(between)
	if len(words) == 0 {
		return len([]rune(between)) == 1 && value.IsHyphen(first(between))
	}
	return len(words) <= 3 && lexicon.Has("range_between", p.text.Language, words[0].Folded)
}

// findPeriod finds both ends of a time; one that is not found is nil.
func (c *checker) findPeriod(p entity.Period) ([]hit, any, string) {
	var out entity.Period
	var hits []hit
	reason := ValueNotFound
	for _, end := range []struct {
		claimed *string
		out     **string
		role    entity.Role
	}{{p.Start, &out.Start, entity.RoleStart}, {p.End, &out.End, entity.RoleEnd}} {
		if end.claimed == nil {
			continue
		}
		v, ok := value.ParseDate(*end.claimed, c.page.language)
		if !ok {
			continue
		}
		found, why := c.findDate(end.role, v)
		if len(found) == 0 {
			reason = why
			continue
		}
		*end.out = &v
		hits = append(hits, found[0])
	}
	if out.Start != nil && out.End != nil && *out.Start > *out.End && !strings.HasPrefix(*out.Start, *out.End) {
		return nil, p, OtherRole
	}
	return hits, out, reason
}
