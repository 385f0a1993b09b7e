package value

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// IsTurning reports whether a character sets the direction of what follows: the page then shows another
// order of digits than its text has.
func IsTurning(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

func isTurned(text string) bool { return strings.IndexFunc(text, IsTurning) >= 0 }

// isForeignToNumber reports whether a character beside a figure makes another number of it: a digit of another
// script, a mark, what is not seen.
func isForeignToNumber(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsNumber(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r)) || r == '^'
}

// divides are the signs between two figures that make one thing of both: a fraction, a ratio, a time, a product, a range.
const divides = ":/\u2044*\u00D7\u00B7\u22C5\u00F7~\u2026_\u2236"

// isDoubtful reports whether what stands beside a figure makes another number of it, or none.
func isDoubtful(text string, start, end int) bool {
	prev, next := before(text, start), at(text, end)
	switch {
	case isForeignToNumber(prev) && !isUnitMark(prev), isForeignToNumber(next):
		return true
	case prev == '[' && next == ']', prev == '+' && isLetter(before(text, start-1)), prev == '\u2014' && !isLetter(before(text, start-utf8.RuneLen(prev))):
		return true
	case next == '.' && at(text, end+1) == '.' && isDigit(at(text, end+2)), prev == '.' && before(text, start-1) == '.' && isDigit(before(text, start-2)):
		return true
	}
	begins := skipSpacesBack(text, start)
	switch sign := before(text, begins); {
	case sign == '\u00B1', sign == '#', sign == '\u00A7', sign == '\u2116':
		return true
	case isDivider(sign) && (sign != ':' || begins == start && isDigit(before(text, begins-1))) && isDigit(before(text, skipSpacesBack(text, begins-utf8.RuneLen(sign)))):
		return true
	}
	behind := skipOne(text, end)
	if sign := at(text, behind); isDivider(sign) && (sign != ':' || behind == end && isDigit(at(text, end+1))) && isDigit(at(text, skipSpaces(text, behind+utf8.RuneLen(sign)))) {
		return !isPower(text, behind)
	}
	return next == '?' || isWholeOfFraction(text, end) || isChained(text, start, end) || isTornBefore(text, start, end) || isTornBehind(text, end)
}

// isTornBefore reports whether a figure may be the end of one that spaces divide: 3 0, 1, 200. A year may stand before it.
func isTornBefore(text string, start, end int) bool {
	i := skipSpacesBack(text, start)
	if i == start || strings.Contains(text[i:start], "\n") {
		return false
	}
	comma := before(text, i) == ','
	if comma {
		if i = skipSpacesBack(text, i-1); end-start != 3 {
			return false
		}
	}
	digits := 0
	for i > 0 && isDigit(rune(text[i-1])) && digits < 4 {
		i, digits = i-1, digits+1
	}
	return digits > 0 && digits < 4
}

// isTornBehind reports whether a figure may be the beginning of one that spaces divide.
func isTornBehind(text string, end int) bool {
	i := skipSpaces(text, end)
	comma := at(text, i) == ','
	if comma {
		i = skipSpaces(text, i+1)
	}
	if i == end || strings.Contains(text[end:i], "\n") {
		return false
	}
	digits := 0
	for i < len(text) && isDigit(rune(text[i])) && digits < 5 {
		i, digits = i+1, digits+1
	}
	if comma {
		return digits == 3 && at(text, end) == ' '
	}
	return digits > 0 && digits < 4
}

// isUnitMark reports whether a sign that is no letter ends a unit, as in mg/m\u00B3.
func isUnitMark(r rune) bool { return isSuperscript(r) }

func isDivider(r rune) bool {
	return r != 0 && (strings.ContainsRune(divides, r) || r == 'x' || r == '\u2715')
}

// isPower reports whether a product is one with a power of ten, which scaleAfter reads.
func isPower(text string, i int) bool {
	r := at(text, i)
	if r != '\u00D7' && r != 'x' {
		return false
	}
	i = skipOne(text, i+utf8.RuneLen(r))
	if !strings.HasPrefix(text[i:], "10") {
		return false
	}
	next := at(text, i+2)
	return next == '^' && isDigit(at(text, i+3)) || isSuperscript(next) && next != '\u207B'
}

// isWholeOfFraction reports whether a figure is the whole of a mixed fraction: 1 of 1 1/2.
func isWholeOfFraction(text string, end int) bool {
	i := skipOne(text, end)
	if i == end {
		return false
	}
	j := i
	for j < len(text) && isDigit(rune(text[j])) && j-i < 3 {
		j++
	}
	sign := at(text, j)
	return j > i && (sign == '/' || sign == '\u2044') && isDigit(at(text, j+utf8.RuneLen(sign)))
}

// isChained reports whether a figure is part of a number whose parts hyphens join: 12-345-6, 555-0142.
func isChained(text string, start, end int) bool {
	hyphens := 0
	zero := false
	for i := start; hyphens < 3; hyphens++ {
		r := before(text, i)
		if !IsHyphen(r) || !isDigit(before(text, i-utf8.RuneLen(r))) {
			break
		}
		i -= utf8.RuneLen(r)
		for i > 0 && isDigit(rune(text[i-1])) && start-i < 2*maxFigure {
			i--
		}
	}
	for i := end; hyphens < 3; hyphens++ {
		r := at(text, i)
		if !IsHyphen(r) || !isDigit(at(text, i+utf8.RuneLen(r))) {
			break
		}
		i += utf8.RuneLen(r)
		zero = zero || text[i] == '0' && isDigit(at(text, i+1))
		for i < len(text) && isDigit(rune(text[i])) && i-end < 2*maxFigure {
			i++
		}
	}
	return hyphens > 1 || zero
}

// longestAddress bounds the bytes of an address of the web or of mail that is recognized.
const longestAddress = 2048

// addressEnd returns the byte behind the address that begins at byte i, i when none does: numbers in it are none.
func addressEnd(text string, i int) int {
	if prev := before(text, i); i > 0 && !unicode.IsSpace(prev) {
		return i
	}
	end := i + strings.IndexFunc(text[i:cut(text, i+longestAddress)], unicode.IsSpace)
	if end < i {
		end = cut(text, i+longestAddress)
	}
	token := text[i:end]
	if strings.Contains(token, "://") || strings.Contains(token, "@") || strings.HasPrefix(token, "www.") {
		return end
	}
	return i
}

// vulgarAt returns the fraction that one character at byte i stands for, and its length.
func vulgarAt(text string, i int) (*big.Rat, int) {
	if i >= len(text) || text[i] < utf8.RuneSelf {
		return nil, 0
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	k := strings.IndexRune("\u00BC\u00BD\u00BE\u2153\u2154\u215B\u215C\u215D\u215E", r)
	if k < 0 {
		return nil, 0
	}
	parts := [][2]int64{{1, 4}, {1, 2}, {3, 4}, {1, 3}, {2, 3}, {1, 8}, {3, 8}, {5, 8}, {7, 8}}
	p := parts[len([]rune("\u00BC\u00BD\u00BE\u2153\u2154\u215B\u215C\u215D\u215E"[:k]))]
	return big.NewRat(p[0], p[1]), n
}

// isOther reports whether words around a number make another one of it: three quarters, one in five, the
// twenty-first, 3 dozen, minus 5, 5 below zero, per 1,000, a name such as Twenty Mile Creek.
func (t *Text) isOther(n Number) bool {
	prev, next := t.wordBefore(n.Start), t.wordAfter(max(n.End, n.Unit.End))
	if prev >= 0 && strings.TrimSpace(t.Text[t.Words[prev].End:n.Start]) == "" {
		w := t.Words[prev].Folded
		if lexicon.Has("minus", t.Language, w) || lexicon.Has("divisor", t.Language, w) || isAbout(t, prev, "divisor") {
			return true
		}
		if n.InWords && strings.Trim(w, "0123456789") == "" && len(w) != 4 && t.Words[prev].End < n.Start {
			return true // 3 dozen; a year may stand before a number
		}
		if prev > 0 && lexicon.Has("ratio", t.Language, w) && lexicon.Has("article", t.Language, t.Words[prev-1].Folded) {
			return true // one in five
		}
	}
	if next >= 0 && strings.Trim(t.Text[max(n.End, n.Unit.End):t.Words[next].Start], " \u00A0") == "" && t.phraseAt(next, "below_zero") {
		return true
	}
	after := t.wordAfter(n.End)
	if after < 0 {
		return false
	}
	between := t.Text[n.End:t.Words[after].Start]
	switch {
	case between != "" && strings.Trim(between, " \u00A0") == "" && (t.phraseAt(after, "fraction") || t.phraseAt(after, "hundred") || t.phraseAt(after, "dozen") || t.phraseAt(after, "other_scale")):
		return true
	case n.Unit.Canonical != "" || n.Currency != "":
	case isHyphenOnly(between) && isLetter(at(t.Text, t.Words[after].Start)):
		return true // 5-fold, twenty-first
	}
	return t.isInName(n, after)
}

// isPartial reports whether words before a number say that only some of it is meant: few of the 30 acres.
func (t *Text) isPartial(n Number) bool {
	start := n.Start
	if n.Currency != "" {
		start = min(start, n.Money.Start)
	}
	i := t.wordBefore(start)
	of := false
	for back := 0; i >= 0 && back < 4; back++ {
		w := t.Words[i]
		if strings.TrimSpace(t.Text[w.End:start]) != "" {
			return false
		}
		if lexicon.Has("partial", t.Language, w.Folded) {
			return of
		}
		if !lexicon.Has("stop", t.Language, w.Folded) {
			return false
		}
		of = of || lexicon.Has("share_of", t.Language, w.Folded)
		start = w.Start
		i--
	}
	return false
}

func isHyphenOnly(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return s != "" && n == len(s) && IsHyphen(r)
}

func isAbout(t *Text, last int, class string) bool {
	return last > 0 && lexicon.Has(class, t.Language, t.Words[last-1].Folded+" "+t.Words[last].Folded)
}

// wordBefore returns the index of the last word that ends at or before byte i, -1 without one.
func (t *Text) wordBefore(i int) int { return lastWordBefore(t.Words, i) }

// wordAfter returns the index of the first word that begins at or behind byte i, -1 without one.
func (t *Text) wordAfter(i int) int { return firstWordAfter(t.Words, i) }

// phraseAt reports whether a phrase of a class begins with a word.
func (t *Text) phraseAt(i int, class string) bool {
	_, n := lexicon.LookupPhrase(class, t.Language, foldedWords(t.Words[i:min(len(t.Words), i+4)]))
	return n > 0
}

// isInName reports whether a number begins a proper name: two words with capital letters follow it directly, in a text
// that has other words without.
func (t *Text) isInName(n Number, after int) bool {
	if after+1 >= len(t.Words) || n.Currency != "" || n.Start == 0 && !n.InWords || t.Text[n.End:t.Words[after].Start] != " " {
		return false
	}
	if t.Text[t.Words[after].End:t.Words[after+1].Start] != " " || !t.isName(after) || !t.isName(after+1) {
		return false
	}
	return n.Start == 0 && n.InWords || t.wordBefore(n.Start) >= 0 && !t.isName(t.wordBefore(n.Start))
}

// isName reports whether a word is written as proper names are: a capital letter, then small ones.
func (t *Text) isName(i int) bool {
	w := t.Text[t.Words[i].Start:t.Words[i].End]
	r, n := utf8.DecodeRuneInString(w)
	next, _ := utf8.DecodeRuneInString(w[n:])
	return unicode.IsUpper(r) && unicode.IsLower(next)
}

// dropRatios takes the readings of two numbers of which one is said of the other: one in five, 3 out of 10; and of
// a number in words that the figure behind it in brackets contradicts.
func (t *Text) dropRatios() {
	for i := 0; i+1 < len(t.Numbers); i++ {
		a, b := &t.Numbers[i], &t.Numbers[i+1]
		if b.IsDate || b.Start <= a.End || b.Start-a.End > 32 {
			continue
		}
		between := t.Text[a.End:b.Start]
		if a.Unit.Canonical == "" && a.Currency == "" && strings.Trim(between, " \u00A0") != "" && lexicon.Has("ratio", t.Language, lexicon.Fold(between)) {
			a.Readings, b.Readings = nil, nil
		}
		if a.Unit.Canonical == "%" && b.Start >= a.Unit.End && lexicon.Has("share_of", t.Language, lexicon.Fold(strings.TrimRight(t.Text[a.Unit.End:b.Start], "$€£ "))) {
			b.Readings = nil // 30 % of 200 acres
		}
		if strings.TrimSpace(between) == "(" && a.InWords != b.InWords && len(a.Readings) == 1 && !b.Is(a.Readings[0]) && at(t.Text, b.End) == ')' {
			a.Readings, b.Readings = nil, nil
		}
	}
}
