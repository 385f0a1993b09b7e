package rules

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// outreach finds events, and how people are reached, with their number and whom they are for. Outside of a section of
// outreach a sentence must name both an event and an audience.
func (f *finder) outreach(t value.Text) {
	events, channels, audience := terms(t, "event"), terms(t, "channel"), terms(t, "audience")
	if len(events)+len(channels) == 0 || len(audience) == 0 && !f.inSection("outreach") {
		return
	}
	counted, many := countOf(t, events, audience)
	if many {
		return // several numbers of events or people: which is whose is not told
	}
	values := map[string]any{"responsibleParty": party(t)}
	switch {
	case counted != nil && counted.of == "event":
		values["activity"] = counted.noun.text
	case len(events) == 1:
		values["activity"] = events[0].text
	case len(events) == 0 && len(channels) == 1:
		values["channel"] = channels[0].text
	}
	if counted != nil {
		values["count"] = entity.Quantity{Value: counted.number.Readings[0], Unit: counted.noun.text}
	}
	var who []term
	for _, x := range audience {
		if counted == nil || x.Span != counted.noun.Span {
			who = append(who, x)
		}
	}
	if len(who) == 1 {
		values["audience"] = audienceOf(t, who[0])
	}
	if counted == nil && (values["audience"] == nil || !f.inSection("outreach")) {
		return
	}
	if when := schedule(t); when != nil {
		values["schedule"] = *when
	}
	f.add(entity.Outreach, values, t.Text, f.by("outreach"))
}

// count is a number with the noun that it counts.
type count struct {
	number value.Number
	noun   term
	of     string // event or people
}

// countOf returns the number that counts events or people: its noun stands within a few words behind it, with no sign
// between. A number of events is preferred; several of one kind are many.
func countOf(t value.Text, events, audience []term) (found *count, many bool) {
	nouns := map[string][]term{"event": events, "people": append(terms(t, "people"), audience...)}
	for _, of := range []string{"event", "people"} {
		for _, n := range t.Numbers {
			if !isCounted(n) || n.Unit.Canonical != "" {
				continue
			}
			for _, x := range nouns[of] {
				if x.Start < n.End || strings.Count(t.Text[n.End:x.Start], " ") > maxCounted || strings.ContainsAny(t.Text[n.End:x.Start], ",;.:()") || hasNumberBetween(t, n.End, x.Start) {
					continue
				}
				if found != nil && found.of == of && found.number.Start != n.Start {
					return nil, true
				}
				if found == nil {
					found = &count{n, x, of}
				}
			}
		}
		if found != nil {
			return found, false
		}
	}
	return nil, false
}

func hasNumberBetween(t value.Text, start, end int) bool {
	for _, n := range t.Numbers {
		if n.Start >= start && n.End <= end {
			return true
		}
	}
	return false
}

// schedule returns the time of a sentence: its two dates are from and to; one alone is an end where a word such
// as "by" stands before it, else a start.
func schedule(t value.Text) *entity.Period {
	switch len(t.Dates) {
	case 2:
		return &entity.Period{Start: &t.Dates[0].Value, End: &t.Dates[1].Value}
	case 1:
		d := t.Dates[0]
		for _, cue := range terms(t, "deadline_cue") {
			if cue.End <= d.Start && strings.TrimSpace(t.Text[cue.End:d.Start]) == "" {
				return &entity.Period{End: &d.Value}
			}
		}
		return &entity.Period{Start: &d.Value}
	default:
		return nil
	}
}

// statement finds an activity of which a sentence says how far it is: "The removal of the weir is completed."
func (f *finder) statement(t value.Text) bool {
	words := folded(t.Words)
	subject := -1
	for i := 1; i < len(words) && i <= longestAction; i++ {
		if lexicon.Has("predicate", t.Language, words[i]) {
			subject = i
			break
		}
		if !areJoined(t, i-1) {
			return false
		}
	}
	if subject < 0 {
		return false
	}
	action := t.Text[t.Words[0].Start:t.Words[subject-1].End]
	states := terms(t, "status")
	if len(terms(value.Read(action, t.Language), "action_noun")) == 0 || strings.ContainsAny(action, "0123456789") || len(states) != 1 || states[0].Start < t.Words[subject].Start {
		return false
	}
	values := map[string]any{"action": action}
	values["status"], _ = lexicon.Lookup("status", t.Language, lexicon.Fold(states[0].text))
	if m := budget(t); m != nil {
		values["budget"] = *m
	}
	f.add(entity.Implementation, values, t.Text, byStatement)
	return true
}

// budget returns the one amount of money of a sentence.
func budget(t value.Text) (found *entity.Money) {
	for _, n := range t.Numbers {
		if n.Currency == "" {
			continue
		}
		if found != nil || n.PerUnit || len(n.Readings) != 1 || n.Range != value.NoRange {
			return nil
		}
		found = &entity.Money{Value: n.Readings[0], Currency: n.Currency}
	}
	return found
}
