package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity"
	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// isLong reports whether a field may hold several sentences.
func isLong(f entity.Field) bool { return f.Name == "description" || f.Name == "message" }

// isProperField reports whether a field holds the name of a place or of somebody.
func isProperField(typ entity.Type, f entity.Field) bool {
	return typ.Name == entity.GeographicArea && f.Kind == entity.KindName || f.Name == "location" || isParty(f)
}

func isParty(f entity.Field) bool { return f.Name == "responsibleParty" || f.Name == "actor" }

// saysSomething reports whether a text can be a value: it has nothing that is not seen, and a word that means something
// of its own, beside numbers, units and words such as "of the". A name of a place is more than the word for its kind.
func (c *checker) saysSomething(f entity.Field, s string) bool {
	if strings.IndexFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) || r == utf8.RuneError
	}) >= 0 {
		return false
	}
	words := value.Words(s)
	if f.Kind == entity.KindName && f.Name != "title" && f.Name != "action" && len(words) > 1 && strings.Trim(words[0].Folded, "0123456789") == "" && strings.ContainsAny(s[words[0].End:words[1].Start], " \u00A0.,") {
		return false // a number of something, and not its name
	}
	if f.Name == "timeframe" || f.Name == "frequency" {
		return len(words) > 0
	}
	language := c.page.language
	kinds, meant := 0, 0
	for _, w := range words {
		switch {
		case strings.IndexFunc(w.Folded, unicode.IsLetter) < 0, isUnitWord(s[w.Start:w.End], w.Folded, language):
		case lexicon.Has("stop", language, w.Folded), lexicon.Has("joiner", language, w.Folded), lexicon.Has("numeral", language, w.Folded):
		case utf8.RuneCountInString(w.Folded) < 2 && !lexicon.Has("substance", language, w.Folded):
		default:
			meant++
			if lexicon.Has("area_type", "", w.Folded) {
				kinds++
			}
		}
	}
	if typ := c.typ.Name; typ == entity.GeographicArea && f.Kind == entity.KindName && kinds == meant && len(words) == meant {
		return false
	}
	return meant > 0
}

// isUnitWord reports whether a word is a unit; inhabitants are also whom something is for.
func isUnitWord(printed, folded, language string) bool {
	if u, ok := lexicon.Lookup("unit_word", language, folded); ok {
		return u != "hab"
	}
	_, ok := lexicon.Lookup("unit_symbol", "", printed)
	return ok && !lexicon.Has("substance", language, folded)
}

// hasPrefix reports whether a word before a text makes another one of it: structural of "non structural".
func hasPrefix(h hit) bool {
	if h.part == nil {
		return false
	}
	before := wordsBefore(h.part, h.at.Start-h.part.Start, 1)
	return len(before) == 1 && lexicon.Has("prefix", h.part.text.Language, before[0].Folded) && h.part.text.Text[before[0].End:h.at.Start-h.part.Start] == " "
}

// cutsName reports whether the name of a place or of somebody is part of a longer one on the page: Clear of Clear Creek, Rio of
// Rio de Janeiro, Brien of O'Brien.
func cutsName(typ entity.Type, f entity.Field, h hit) bool {
	p := h.part
	text := p.text.Text
	start, end := h.at.Start-p.Start, h.at.End-p.Start
	if !isProperField(typ, f) || !unicode.IsUpper(first(text[start:])) {
		return false
	}
	return goesOnBehind(p, end) || goesOnBefore(p, start, isParty(f))
}

func goesOnBehind(p *part, end int) bool {
	text := p.text.Text
	i := firstWord(p, end)
	if i < 0 || text[end:p.text.Words[i].Start] != " " {
		return false
	}
	if lexicon.Has("name_link", p.text.Language, p.text.Words[i].Folded) { // Rio de Janeiro, but not Rio de
		for i < len(p.text.Words)-1 && lexicon.Has("name_link", p.text.Language, p.text.Words[i].Folded) {
			i++
		}
	}
	return unicode.IsUpper(first(text[p.text.Words[i].Start:]))
}

func goesOnBefore(p *part, start int, party bool) bool {
	text := p.text.Text
	before := wordsBefore(p, start, 2)
	if len(before) == 0 {
		return false
	}
	w := before[len(before)-1]
	between := text[w.End:start]
	capital := unicode.IsUpper(first(text[w.Start:]))
	letters := utf8.RuneCountInString(strings.TrimRight(text[w.Start:w.End], "'\u2019"))
	switch {
	case between == "" && capital && letters == 1: // O'Brien
		return p.text.Language == "en" || !lexicon.Has("stop", p.text.Language, w.Folded)
	case between == ". " && capital && letters == 1: // J. Smith
		return party
	case between == " " && capital && w.Start > 0:
		return !lexicon.Has("stop", p.text.Language, w.Folded)
	case party && between == " " && len(before) == 2 && lexicon.Has("name_link", p.text.Language, w.Folded):
		return text[before[0].End:w.Start] == " " && unicode.IsUpper(first(text[before[0].Start:])) && before[0].Start > 0
	}
	return false
}

// longestQualifier bounds the bytes before a name in which a word is looked for that is part of it.
const longestQualifier = 64

// isPartOfName reports whether a proper name is part of a longer one: Creek of North Creek.
func isPartOfName(text string, at value.Span) bool {
	if !unicode.IsUpper(first(text[at.Start:])) {
		return false
	}
	head := strings.TrimSuffix(text[:at.Start], " ")
	if head == text[:at.Start] {
		return false
	}
	head = strings.ToValidUTF8(head[max(0, len(head)-longestQualifier):], "")
	words := value.Words(head[max(0, strings.LastIndexAny(head, " \t\n")+1):])
	if len(words) == 0 {
		return false
	}
	word := head[len(head)-(words[len(words)-1].End-words[len(words)-1].Start):]
	return unicode.IsUpper(first(word)) && lexicon.Has("qualifier", "", lexicon.Fold(word))
}
