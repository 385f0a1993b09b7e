package rules

import (
	"strings"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// folded returns the folded words of a sentence from one on.
func folded(words []value.Word) []string {
	out := make([]string, len(words))
	for i := range words {
		out[i] = words[i].Folded
	}
	return out
}

// between is what is printed between two words that follow each other.
func between(t value.Text, i int) string { return t.Text[t.Words[i].End:t.Words[i+1].Start] }

// areJoined reports whether nothing but a space, hyphen or apostrophe stands between a word and the next one.
func areJoined(t value.Text, i int) bool {
	return i+1 < len(t.Words) && (between(t, i) == " " || between(t, i) == "-" || between(t, i) == "" || between(t, i) == "\u00A0")
}

// place returns the proper name behind a word such as "in" or "along", with the word of its kind ("lac de"), where a
// sentence has one such name; "" where it has none or several.
func place(t value.Text) string {
	found := ""
	words := folded(t.Words)
	for i := 0; i < len(words); i++ {
		_, n := lexicon.LookupPhrase("place_prep", t.Language, words[i:])
		if n == 0 || i+n >= len(words) || !areJoined(t, i+n-1) {
			continue
		}
		start, end, ok := nameAt(t, i+n)
		if !ok {
			continue
		}
		name := t.Text[start:end]
		if found != "" && found != name {
			return ""
		}
		found = name
	}
	return found
}

// nameAt returns the proper name that begins at a word, or behind an article or words of its kind.
func nameAt(t value.Text, i int) (start, end int, ok bool) {
	first := i
	for !isUpperAt(t.Text, t.Words[i].Start) {
		if !lexicon.Has("place_kind", t.Language, t.Words[i].Folded) || !areJoined(t, i) {
			return 0, 0, false
		}
		i++
	}
	w := t.Words[i]
	if isNoPlace(t, i) {
		return 0, 0, false
	}
	end = w.End
	for areJoined(t, i) {
		next := i + 1
		for next < len(t.Words)-1 && lexicon.Has("name_link", t.Language, t.Words[next].Folded) && areJoined(t, next) {
			next++
		}
		if !isUpperAt(t.Text, t.Words[next].Start) && !isNumbered(t, next) || isNoPlace(t, next) {
			break
		}
		i, end = next, t.Words[next].End
	}
	for first < i && lexicon.Has("filler", t.Language, t.Words[first].Folded) { // articles are not part of the name
		first++
	}
	return t.Words[first].Start, end, true
}

// isNumbered reports whether a word is the number of a station: AC-2.
func isNumbered(t value.Text, i int) bool {
	return i > 0 && t.Text[t.Words[i-1].End:t.Words[i].Start] == "-" && !strings.ContainsFunc(t.Text[t.Words[i].Start:t.Words[i].End], func(r rune) bool { return !unicode.IsDigit(r) })
}

// isNoPlace reports whether a word with a capital letter is a month, a substance, or what is counted (Phase, Table).
func isNoPlace(t value.Text, i int) bool {
	w := t.Words[i].Folded
	if lexicon.Has("month", t.Language, w) || lexicon.Has("label", t.Language, w) && !lexicon.Has("place_kind", t.Language, w) {
		return true
	}
	rest := folded(t.Words[i:])
	for _, class := range []string{"pollutant", "parameter", "practice", "currency_word"} {
		if _, n := lexicon.LookupPhrase(class, t.Language, rest); n > 0 {
			return true
		}
	}
	return false
}

// timeframe returns the date of a sentence that has one, as it is printed.
func timeframe(t value.Text) string {
	if len(t.Dates) != 1 {
		return ""
	}
	return t.Text[t.Dates[0].Start:t.Dates[0].End]
}

// longestParty bounds the words of who does something.
const longestParty = 6

// party returns who does what a sentence says: the words before a verb such as "will hold", at the sentence's beginning.
func party(t value.Text) string {
	words := folded(t.Words)
	for i := 1; i < len(words) && i <= longestParty; i++ {
		if _, n := lexicon.LookupPhrase("holds", t.Language, words[i:]); n > 0 {
			who := strings.TrimSpace(t.Text[t.Words[0].Start:t.Words[i-1].End])
			if strings.ContainsAny(who, ",;:()0123456789") {
				return ""
			}
			return who
		}
		if !areJoined(t, i-1) {
			return ""
		}
	}
	return ""
}

// longestAudience bounds the words of those whom outreach is for, beside the word that says who they are.
const longestAudience = 3

// audience returns those whom a sentence says that something is for: in English the words from "for" to the word of the
// class, in the other languages from that word on, with what is joined to it.
func audienceOf(t value.Text, x term) string {
	first, last := -1, -1
	for i, w := range t.Words {
		if w.Start >= x.Start && w.End <= x.End {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return x.text
	}
	if t.Language == "en" {
		for n := 0; n < longestAudience && first > 0 && areJoined(t, first-1); n++ {
			w := t.Words[first-1].Folded
			if lexicon.Has("stop", t.Language, w) || lexicon.Has("joiner", t.Language, w) || isInNumber(t, first-1) {
				break
			}
			first--
		}
		return t.Text[t.Words[first].Start:t.Words[last].End]
	}
	end := last
	for n := 0; n < longestAudience && end+2 < len(t.Words) && areJoined(t, end) && areJoined(t, end+1); n++ {
		if !lexicon.Has("name_link", t.Language, t.Words[end+1].Folded) || isUpperAt(t.Text, t.Words[end+2].Start) || isInNumber(t, end+2) {
			break
		}
		end += 2
	}
	if areJoined(t, end) && end == last && isAdjective(t, end+1) {
		end++
	}
	return t.Text[t.Words[first].Start:t.Words[end].End]
}

// isAdjective reports whether a word behind a noun may be said of it: it is none of the small words, no name and no number.
func isAdjective(t value.Text, i int) bool {
	w := t.Words[i]
	return !lexicon.Has("stop", t.Language, w.Folded) && !lexicon.Has("joiner", t.Language, w.Folded) && !lexicon.Has("holds", t.Language, w.Folded) &&
		!lexicon.Has("place_prep", t.Language, w.Folded) && !lexicon.Has("predicate", t.Language, w.Folded) && !isUpperAt(t.Text, w.Start) && !isInNumber(t, i)
}

func isInNumber(t value.Text, i int) bool {
	w := t.Words[i]
	for _, n := range t.Numbers {
		if w.Start < max(n.End, n.Unit.End) && n.Start < w.End {
			return true
		}
	}
	for _, d := range t.Dates {
		if w.Start < d.End && d.Start < w.End {
			return true
		}
	}
	return false
}
