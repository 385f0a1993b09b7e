package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
)

// abbreviations are words that a point follows without ending a sentence.
func abbreviations() []string {
	return []string{"no", "nos", "st", "dr", "mr", "mrs", "ms", "mt", "ft", "approx", "fig", "figs", "art", "e.g", "i.e", "vs", "ca", "cf", "etc", "inc",
		"lb", "lbs", "ac", "gal", "yr", "hr", "av", "ave", "n", "nº", "sr", "sra", "dra", "sig", "dott", "prof", "hab", "env", "min", "max", "p", "pp", "vol", "jan", "feb",
		"mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "janv", "févr", "juil", "déc", "fev", "set", "out", "dez", "gen", "giu", "lug", "ago", "ott", "dic"}
}

// Sentences divides a text behind the points that end sentences: abbreviations, initials and numbers of lists end none.
func Sentences(text string) (out []value.Span) {
	start := 0
	add := func(end int) {
		for start < end {
			r, n := utf8.DecodeRuneInString(text[start:])
			if !unicode.IsSpace(r) {
				break
			}
			start += n
		}
		if start < end {
			out = append(out, value.Span{Start: start, End: end})
		}
		start = end
	}
	for i, r := range text {
		if i < start || r != '.' && r != '!' && r != '?' && r != '…' && r != '\n' {
			continue
		}
		if r == '\n' {
			if isLineEnd(text, i) {
				add(i)
			}
			continue
		}
		end := i + utf8.RuneLen(r)
		for end < len(text) && strings.ContainsRune(`"')]»”’.!?`, first(text[end:])) {
			end += utf8.RuneLen(first(text[end:]))
		}
		if r == '.' && isAbbreviation(text[start:i]) || !opensSentence(text[end:]) {
			continue
		}
		add(end)
	}
	add(len(text))
	return out
}

// isLineEnd reports whether a line ends an item of a text that has no sentences: a blank line follows,
// or the next line begins with a bullet.
func isLineEnd(text string, i int) bool {
	rest := strings.TrimLeft(text[i+1:], " \t")
	return strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "• ") || strings.HasPrefix(rest, "* ")
}

// longestAbbreviation bounds the bytes of a word that a point may follow without ending a sentence.
const longestAbbreviation = 32

func isAbbreviation(before string) bool {
	before = strings.TrimRightFunc(before, unicode.IsSpace)
	if before == "" {
		return true
	}
	space := strings.LastIndexFunc(before[max(0, len(before)-longestAbbreviation):], unicode.IsSpace)
	if space < 0 && len(before) > longestAbbreviation {
		return false
	}
	isFirst := space < 0
	word := strings.ToLower(strings.TrimLeft(before[max(0, len(before)-longestAbbreviation):][space+1:], `("'«`))
	if isFirst && strings.Trim(word, "0123456789.") == "" {
		return true // "1." of a list
	}
	return slices.Contains(abbreviations(), word) || utf8.RuneCountInString(word) == 1 && unicode.IsLetter(first(word)) && word != "l" && word != "i" && word != "t" && word != "a" ||
		strings.Contains(word, ".") && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz.") == ""
}

// opensSentence reports whether what follows a point begins a sentence: white space, and then no small letter.
func opensSentence(rest string) bool {
	if rest == "" {
		return true
	}
	trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
	return len(trimmed) < len(rest) && !unicode.IsLower(first(strings.TrimLeft(trimmed, `"'(«“‘[`)))
}

// clause is a part of a sentence that is denied as a whole or not at all.
type clause struct {
	value.Span
	denied []value.Span // words that deny it
}

// clausesOf divides a sentence at semicolons, at words of contrast, and behind a clause that
// begins it with "although" or the like, and finds the words that deny.
func clausesOf(t value.Text) []clause {
	var cuts []int
	words := foldedWords(t.Words)
	for i, w := range t.Words {
		if _, n := lexicon.LookupPhrase("contrast", t.Language, words[i:min(len(words), i+4)]); n > 0 && i > 0 && !isAside(t, i, i+n-1) {
			cuts = append(cuts, w.Start)
		}
	}
	for i, r := range t.Text {
		if r == ';' {
			cuts = append(cuts, i)
		}
	}
	if _, n := lexicon.LookupPhrase("subordinate", t.Language, words[:min(len(words), 4)]); n > 0 {
		if i := strings.Index(t.Text, ", "); i > 0 {
			cuts = append(cuts, i)
		}
	}
	slices.Sort(cuts)
	var out []clause
	start := 0
	for _, c := range append(cuts, len(t.Text)) {
		if c > start {
			out = append(out, clause{Span: value.Span{Start: start, End: c}})
			start = c
		}
	}
	i := 0
	for _, d := range denials(t) { // in order, as clauses are
		for i < len(out) && out[i].End <= d.Start {
			i++
		}
		if i < len(out) {
			out[i].denied = append(out[i].denied, d)
		}
	}
	return out
}

// isAside reports whether words stand between two commas, as in "does not, however, fall": they divide nothing.
func isAside(t value.Text, from, to int) bool {
	before, after := "", ""
	if from > 0 {
		before = t.Text[t.Words[from-1].End:t.Words[from].Start]
	}
	if to+1 < len(t.Words) {
		after = t.Text[t.Words[to].End:t.Words[to+1].Start]
	}
	return strings.Contains(before, ",") && strings.Contains(after, ",")
}

// denials returns the words of a text that deny, those of idioms that deny nothing left out.
func denials(t value.Text) (out []value.Span) {
	words := foldedWords(t.Words)
	for i := 0; i < len(words); {
		rest := words[i:min(len(words), i+6)]
		if _, n := lexicon.LookupPhrase("negation_idiom", t.Language, rest); n > 0 {
			i += n
			continue
		}
		if _, n := lexicon.LookupPhrase("negation", t.Language, rest); n > 0 && !isNumberSign(t, i) {
			out = append(out, value.Span{Start: t.Words[i].Start, End: t.Words[i+n-1].End})
			i += n
			continue
		}
		i++
	}
	return out
}

// isNumberSign reports whether a word is "No" before a number, within a sentence: Regulation No 12.
func isNumberSign(t value.Text, i int) bool {
	w := t.Words[i]
	if i == 0 || i+1 == len(t.Words) || t.Text[w.Start:w.End] != "No" {
		return false
	}
	next := t.Words[i+1]
	return strings.Trim(t.Text[w.End:next.Start], ". \u00A0") == "" && unicode.IsDigit(first(t.Text[next.Start:]))
}

// isDenied reports whether the clause of a place in the part is denied.
func (p *part) isDenied(at value.Span) bool {
	if p.void {
		return true
	}
	for _, c := range p.clauses {
		if at.Start < c.End && c.Start < at.End && len(c.denied) > 0 {
			return true
		}
	}
	return false
}

// isDeniedAtEnd reports whether the last clause is denied.
func (p *part) isDeniedAtEnd() bool {
	return len(p.clauses) > 0 && len(p.clauses[len(p.clauses)-1].denied) > 0
}

// cutsDenial reports whether a range of the part leaves out the word that denies its clause.
func (p *part) cutsDenial(at value.Span) bool {
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

func foldedWords(words []value.Word) []string {
	out := make([]string, len(words))
	for i := range words {
		out[i] = words[i].Folded
	}
	return out
}

// hasClass reports whether a text has a word or phrase of a class.
func hasClass(text, language, class string) bool {
	words := foldedWords(value.Words(text))
	for i := range words {
		if _, n := lexicon.LookupPhrase(class, language, words[i:min(len(words), i+6)]); n > 0 {
			return true
		}
	}
	return false
}
