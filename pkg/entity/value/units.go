package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// Unit is a unit of measure as it is printed, and as it is normalised.
type Unit struct {
	Span
	Canonical string // such as mg/L, %, lb/yr, MPN/100 mL
}

// UnknownUnit is the normal form of a unit that begins as a known one and goes on: m^2, kg per cow, kW·h; and of a
// currency that another one beside it contradicts. No claim is found in it.
const UnknownUnit = "?"

// longestSymbol bounds a unit's symbol, in characters.
const longestSymbol = 8

// maxPer bounds the divisions of a unit: lb/ac/yr has two.
const maxPer = 2

// readUnit reads the unit that begins at byte i of a text: symbols as written, words in the
// language, and what they are per. ok is false when no known unit begins there.
func readUnit(text string, i int, language string) (u Unit, ok bool) {
	end, name, ok := readAtom(text, i, language, false)
	if !ok {
		return Unit{}, false
	}
	for range maxPer {
		next, per, more := readPer(text, end, language)
		if !more {
			break
		}
		end, name = next, name+"/"+per
	}
	if goesOn(text, end, name, language) {
		name = UnknownUnit
	}
	return Unit{Span{i, end}, name}, true
}

// goesOn reports whether a unit that ends at byte i is the beginning of another one.
func goesOn(text string, i int, name, language string) bool {
	next := at(text, i)
	beyond := at(text, i+utf8.RuneLen(max(next, 1)))
	switch {
	case next == '^', next == '/' && beyond != ' ', isSuperscript(next):
		return true
	case (next == '·' || next == '⋅' || next == '*' || IsHyphen(next)) && (isLetter(beyond) || isDigit(beyond)):
		return name != "%" || !IsHyphen(next) || isLetter(beyond)
	}
	start := skipSpaces(text, i)
	if at(text, start) == '/' {
		return true
	}
	if next != ' ' && next != '\u00A0' {
		return false
	}
	if digit := at(text, start); isLength(name) && (digit == '2' || digit == '3') && !isDigit(at(text, start+1)) && !isPoint(text, start+1) {
		return true // m 2
	}
	words := Words(text[start:cut(text, start+48)])
	if len(words) == 0 || words[0].Start != 0 {
		return false
	}
	folded := foldedWords(words[:min(len(words), 3)])
	if name == "%" {
		return lexicon.Has("percent_point", language, folded[0])
	}
	if isLength(name) && lexicon.Has("power_word", language, folded[0]) {
		return true
	}
	return isEach(text, i, language)
}

func isPoint(text string, i int) bool {
	r := at(text, i)
	return (r == '.' || r == ',') && isDigit(at(text, i+1))
}

func isLength(name string) bool {
	switch name {
	case "m", "km", "cm", "mm", "ft", "mi", "yd", "in":
		return true
	}
	return false
}

// isEach reports whether what ends at byte i is said of each of something: "per tree", "/tree", "each", "a tree".
func isEach(text string, i int, language string) bool {
	start := skipSpaces(text, i)
	if at(text, start) == '/' {
		next := at(text, skipSpaces(text, start+1))
		return isLetter(next) || next == '('
	}
	words := Words(text[start:cut(text, start+64)])
	if len(words) == 0 || words[0].Start != 0 || strings.ContainsAny(text[i:start], ",;\n") {
		return false
	}
	folded := foldedWords(words[:min(len(words), 4)])
	if _, n := lexicon.LookupPhrase("each", language, folded); n > 0 {
		return true
	}
	if _, n := lexicon.LookupPhrase("each_of", language, folded); n > 0 && n < len(folded) {
		next := words[n]
		r, _ := utf8.DecodeRuneInString(text[start+next.Start:])
		return strings.TrimSpace(text[start+words[n-1].End:start+next.Start]) == "" && unicode.IsLower(r) && !lexicon.Has("stop", language, next.Folded)
	}
	return false
}

// CanonicalUnit returns a unit as it is normalised when the whole text is one: "mg/l" is mg/L,
// "percent" is %. rest are the words behind the unit, as "reduction" of "% reduction".
func CanonicalUnit(text, language string) (canonical, rest string, ok bool) {
	text = strings.TrimSpace(text)
	u, ok := readUnit(text, 0, language)
	if !ok || u.Canonical == UnknownUnit {
		return "", text, false
	}
	return u.Canonical, strings.TrimSpace(text[u.End:]), true
}

// readAtom reads one unit without a division.
func readAtom(text string, i int, language string, below bool) (end int, name string, ok bool) {
	word, phrase, found := readUnitWord(text, i, language)
	if end, name, ok := readSymbol(text, i, below); ok && (!found || end >= word) {
		return end, name, true
	}
	return word, phrase, found
}

func readUnitWord(text string, i int, language string) (end int, name string, ok bool) {
	if !isLetter(at(text, i)) || isLetter(before(text, i)) {
		return 0, "", false
	}
	const reach = 64 // bytes that the longest unit in words takes
	words := Words(text[i:cut(text, i+reach)])
	words = words[:min(len(words), lexicon.Longest("unit_word"))]
	for n := 1; n < len(words); n++ {
		if !joined(text[i:], words[n-1], words[n]) {
			words = words[:n]
		}
	}
	name, n := lexicon.LookupPhrase("unit_word", language, foldedWords(words))
	if n == 0 {
		return 0, "", false
	}
	return i + words[n-1].End, name, true
}

// cut returns i, or the length of the text, moved back to where a character begins.
func cut(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

func readSymbol(text string, i int, below bool) (end int, name string, ok bool) {
	end = i
	for range longestSymbol {
		r, n := utf8.DecodeRuneInString(text[end:])
		if n == 0 || r == utf8.RuneError {
			break
		}
		end += n
		symbol := text[i:end]
		v, known := lexicon.Lookup("unit_symbol", "", symbol)
		if !known || symbol == "a" && !below || !endsSymbol(text, end, symbol) {
			continue
		}
		name, ok = v, true
	}
	if !ok {
		return 0, "", false
	}
	for end > i { // back to the longest that is known
		if v, known := lexicon.Lookup("unit_symbol", "", text[i:end]); known && v == name && endsSymbol(text, end, text[i:end]) {
			return end, name, true
		}
		_, n := utf8.DecodeLastRuneInString(text[:end])
		end -= n
	}
	return 0, "", false
}

// endsSymbol reports whether a unit's symbol can end at byte i.
func endsSymbol(text string, i int, symbol string) bool {
	next := at(text, i)
	if symbol == "%" || symbol == "‰" {
		return true
	}
	return !isLetter(next) && !isDigit(next) && !isSuperscript(next) && !isApostrophe(next) && next != '$' && next != '€'
}

// readPer reads "/L", "per year", "par an", "/100 mL", "·L⁻¹" at byte i.
func readPer(text string, i int, language string) (end int, name string, ok bool) {
	at0 := skipSpaces(text, i)
	if at(text, at0) == '/' {
		return readDivisor(text, skipOne(text, at0+1), language)
	}
	if end, name, ok := readInverse(text, at0); ok {
		return end, name, true
	}
	words := Words(text[at0:cut(text, at0+48)])
	if len(words) == 0 || words[0].Start != 0 || at0 == i && !IsHyphen(before(text, i)) {
		return 0, "", false
	}
	if n := substance(words, language); n > 0 {
		if at(text, at0+words[n-1].End) == '/' {
			return readDivisor(text, at0+words[n-1].End+1, language)
		}
		words = words[n:]
		if len(words) == 0 {
			return 0, "", false
		}
	}
	if _, n := lexicon.LookupPhrase("per", language, foldedWords(words[:min(len(words), 2)])); n > 0 {
		return readDivisor(text, skipOne(text, at0+words[n-1].End), language)
	}
	return 0, "", false
}

// substance returns how many words say what is measured between a unit and what it is per:
// "of nitrogen", "N", "d'azote".
func substance(words []Word, language string) int {
	n := 0
	if n < len(words) && (words[n].Folded == "of" || words[n].Folded == "de" || words[n].Folded == "di" || words[n].Folded == "d'" || words[n].Folded == "as") {
		n++
	}
	if n < len(words) && lexicon.Has("substance", language, words[n].Folded) {
		return n + 1
	}
	return 0
}

func readDivisor(text string, i int, language string) (end int, name string, ok bool) {
	number := ""
	start := i
	for i < len(text) && isDigit(rune(text[i])) {
		i++
	}
	if i > start {
		number = text[start:i] + " "
		i = skipOne(text, i)
	}
	end, name, ok = readAtom(text, i, language, true)
	return end, number + name, ok
}

// readInverse reads "L⁻¹" or "·L-1".
func readInverse(text string, i int) (end int, name string, ok bool) {
	if r := at(text, i); r == '·' || r == '⋅' {
		i += utf8.RuneLen(r)
	}
	for _, mark := range []string{"⁻¹", "^-1", "-1", "−1"} {
		for n := 1; n <= 4 && i+n+len(mark) <= len(text); n++ {
			if !strings.HasPrefix(text[i+n:], mark) || isDigit(at(text, i+n+len(mark))) {
				continue
			}
			if v, known := lexicon.Lookup("unit_symbol", "", text[i:i+n]); known {
				return i + n + len(mark), v, true
			}
		}
	}
	return 0, "", false
}

// skipOne skips the white space before a unit, of which there is one or none.
func skipOne(text string, i int) int {
	if j := skipSpaces(text, i); j-i <= 3 {
		return j
	}
	return i
}
