package value

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// figure is a number in figures as it is printed.
type figure struct {
	Span
	readings []*big.Rat // what it can be: none when it is no quantity, two when languages read it in two ways
}

// maxFigure bounds the digits of a number that is read: more are an account or a code.
const maxFigure = 24

// figures returns the runs of digits of a text as numbers, in a language, "" when it is not
// known. Numbers that are part of a word (N2, 3rd, COVID-19), chapters (1.2.3) and codes are
// returned without reading, so that nothing takes a part of them.
func figures(text, language string) (out []figure) {
	turned := isTurned(text)
	address := 0 // the byte behind the last address that was found
	for i := 0; i < len(text); {
		if i >= address {
			address = addressEnd(text, i)
		}
		if !isDigit(rune(text[i])) {
			part, n := vulgarAt(text, i)
			if part == nil {
				i++
				continue
			}
			f := figure{Span: Span{i, i + n}}
			if !turned && !isLetter(before(text, i)) && !isDoubtful(text, i, i+n) {
				f.readings = []*big.Rat{part}
			}
			out = append(out, f)
			i += n
			continue
		}
		f := readFigure(text, i, language)
		if turned || i < address {
			f.readings = nil
		}
		out = append(out, f)
		i = f.End
	}
	return out
}

// readFigure reads the figure that begins with the digit at byte i.
func readFigure(text string, i int, language string) figure {
	end := figureEnd(text, i)
	f := figure{Span: Span{i, end}}
	if end-i <= maxFigure && !isPartOfWord(text, i, end) {
		f.readings = readings(text[i:end], language)
	}
	if part, n := vulgarAt(text, end); part != nil { // 1½
		f.End = end + n
		if len(f.readings) == 1 && f.readings[0].IsInt() {
			f.readings[0].Add(f.readings[0], part)
		} else {
			f.readings = nil
		}
	}
	switch before(text, i) {
	case '.':
		f.readings = withoutWhole(text, i, f)
	case ',':
		if prev := before(text, i-1); !isDigit(prev) && !isLetter(prev) {
			f.readings = nil // ,5
		}
	}
	start, negative := minusBefore(text, i)
	if negative {
		f.Start = start
		for _, r := range f.readings {
			r.Neg(r)
		}
	}
	if isDoubtful(text, f.Start, f.End) || hasLeadingZero(text[i:end]) {
		f.readings = nil
	}
	return f
}

// withoutWhole reads .5 as a half; where a letter or digit stands before the point there is no reading.
func withoutWhole(text string, i int, f figure) []*big.Rat {
	prev := before(text, i-1)
	printed := text[i:f.End]
	if prev != 0 && prev != ' ' && prev != '\u00A0' || strings.Trim(printed, "0123456789") != "" || len(printed) > maxFigure {
		return nil
	}
	return []*big.Rat{decimal(printed, len(printed))}
}

// hasLeadingZero reports whether a number begins with a zero that is not its whole: it is a code, or part of one.
func hasLeadingZero(printed string) bool {
	return len(printed) > 1 && printed[0] == '0' && (isDigit(rune(printed[1])) || len(strings.FieldsFunc(printed, func(r rune) bool { return !isDigit(r) })) > 2)
}

// figureEnd returns the byte behind the number that begins at i: digits with the signs that
// stand between digits.
func figureEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isDigit(r):
			i += n
		case (r == '.' || r == ',' || isApostrophe(r)) && isDigit(at(text, i+n)):
			i += n
		case isGroupSpace(r) && isGroup(text, i, n):
			i += n
		default:
			return i
		}
	}
	return i
}

// isGroupSpace reports whether a space can divide thousands. One that may break does so where the comma
// is the sign of decimals; elsewhere a number with one has no reading.
func isGroupSpace(r rune) bool {
	return r == ' ' || r == '\u00A0' || r == '\u202F' || r == '\u2009'
}

// isGroup reports whether a space of n bytes at i stands between one to three digits and exactly three.
func isGroup(text string, i, n int) bool {
	digits := 0
	for j := i; j > 0 && isDigit(rune(text[j-1])); j-- {
		digits++
	}
	if digits == 0 || digits > 3 {
		return false
	}
	if r := before(text, i-digits); r == '.' || r == ',' {
		return false // decimals
	}
	next := i + n
	for j := range 3 {
		if next+j >= len(text) || !isDigit(rune(text[next+j])) {
			return false
		}
	}
	return next+3 >= len(text) || !isDigit(rune(text[next+3]))
}

// isPartOfWord reports whether letters, superscripts or slashes of another number join the figure.
func isPartOfWord(text string, start, end int) bool {
	prev, next := before(text, start), at(text, end)
	switch {
	case isLetter(prev) || isSuperscript(next) || prev == '_' || next == '_':
		return true
	case IsHyphen(prev) && isLetter(before(text, start-utf8.RuneLen(prev))): // COVID-19
		return true
	case prev == '#' || prev == '§' || prev == '№':
		return true
	}
	return false
}

func isSuperscript(r rune) bool {
	return r == '¹' || r == '²' || r == '³' || r >= '⁰' && r <= '⁹' || r == 'º' || r == 'ª' || r == '⁻'
}

// minusBefore returns where the sign of a figure at i begins. A hyphen after a digit or a letter is none.
func minusBefore(text string, i int) (int, bool) {
	r := before(text, i)
	if r == ' ' { // "Change: - 5 %"
		if sign := before(text, i-1); isMinus(sign) {
			begins := i - 1 - utf8.RuneLen(sign)
			if prev := before(text, skipSpacesBack(text, begins)); prev == ':' || prev == '=' || prev == '(' {
				return begins, true
			}
		}
		return 0, false
	}
	if !isMinus(r) {
		return 0, false
	}
	start := i - utf8.RuneLen(r)
	if prev := before(text, start); isLetter(prev) || isDigit(prev) || prev == '.' || prev == '%' || prev == ')' || IsHyphen(prev) {
		return 0, false
	}
	return start, true
}

// readings returns what a printed number can be. One sign that can be of thousands or of
// decimals is what the language makes of it; where that is not known there are two readings.
func readings(printed, language string) []*big.Rat {
	var plain strings.Builder
	var signs []rune // signs between digits
	var groups []int // digits between the signs
	digits := 0
	for _, r := range printed {
		if isDigit(r) {
			digits++
			plain.WriteRune(r)
			continue
		}
		signs, groups, digits = append(signs, r), append(groups, digits), 0
	}
	groups = append(groups, digits)
	if slices.Contains(signs, ' ') && !isCommaLanguage(language) {
		return nil
	}
	all := plain.String()
	whole := func() []*big.Rat { return []*big.Rat{decimal(all, 0)} }
	fraction := func() []*big.Rat { return []*big.Rat{decimal(all, groups[len(groups)-1])} }
	switch {
	case len(signs) == 0:
		return whole()
	case len(signs) == 1 && signs[0] != '.' && signs[0] != ',':
		return whole()
	case len(signs) == 1:
		return oneSign(signs[0], groups, all[0] == '0', language, whole, fraction)
	}
	last := signs[len(signs)-1]
	others := signs[:len(signs)-1]
	for _, s := range others[1:] {
		if s != others[0] {
			return nil
		}
	}
	switch {
	case last == others[0] && isThousands(groups):
		return whole()
	case last == others[0]:
		return nil // 1.2.3, 12.05.2024
	case (last == '.' || last == ',') && isThousands(groups[:len(groups)-1]):
		return fraction()
	default:
		return nil
	}
}

// isCommaLanguage reports whether the comma is the sign of decimals.
func isCommaLanguage(language string) bool {
	return language == "fr" || language == "pt" || language == "it"
}

// oneSign reads a number with one point or comma.
func oneSign(sign rune, groups []int, startsWithZero bool, language string, whole, fraction func() []*big.Rat) []*big.Rat {
	if groups[1] != 3 || groups[0] > 3 || groups[0] == 0 || startsWithZero {
		return fraction()
	}
	comma := isCommaLanguage(language)
	known := comma || language == "en"
	switch {
	case known && (sign == ',') == comma:
		return fraction()
	case known:
		return whole()
	default:
		return append(whole(), fraction()...)
	}
}

// isThousands reports whether all groups of digits but the first have three.
func isThousands(groups []int) bool {
	if groups[0] == 0 || groups[0] > 3 {
		return false
	}
	for _, g := range groups[1:] {
		if g != 3 {
			return false
		}
	}
	return true
}

// decimal returns the number of which digits are all digits and the last n are decimals.
func decimal(digits string, n int) *big.Rat {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return new(big.Rat)
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	return r.Quo(r, new(big.Rat).SetInt(ten))
}
