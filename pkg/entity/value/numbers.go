package value

import (
	"math/big"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// Number is a number as it is printed, in figures or in words, with what it is of.
type Number struct {
	Span               // the number with its sign and its scale: "1.2 million"
	Readings []float64 // what it can be; none when it is a label, a code or part of a word; two when languages differ
	InWords  bool      // it is written in words
	Unit     Unit      // the unit beside it; Canonical is empty without a known one
	Currency string    // ISO 4217, of money
	Money    Span      // number and currency together
	PerUnit  bool      // money for each of something: $30 per acre
	Range    RangeEnd  // which end of a range it is
	Other    int       // index of the other end among the numbers of the text
	Scaled   bool      // it has a scale of its own: 1.2 million
	IsDate   bool      // it is a year or a part of a date, and no quantity
	IsLabel  bool      // it counts a thing: Goal 2, Table 3
}

// RangeEnd says which end of a range a number is.
type RangeEnd int

// The ends of a range.
const (
	NoRange RangeEnd = iota
	LowEnd
	HighEnd
)

// Is reports whether the number has one reading, and it is v.
func (n Number) Is(v float64) bool { return len(n.Readings) == 1 && n.Readings[0] == v }

// Text is a text with what was read in it.
type Text struct {
	Text     string
	Language string // ISO 639-1, empty when it is not known
	Words    []Word
	Numbers  []Number
	Dates    []Date
}

// Read reads a text in a language, "" when it is not known.
func Read(text, language string) Text {
	t := Text{Text: text, Language: language, Words: Words(text)}
	t.Dates = datesOf(text, t.Words, language)
	for _, f := range figures(text, language) {
		t.addFigure(f)
	}
	figures := len(t.Numbers)
	for _, n := range numerals(text, t.Words, language) {
		t.addNumeral(n, figures)
	}
	slices.SortFunc(t.Numbers, func(a, b Number) int { return a.Start - b.Start })
	t.dropCovered()
	t.dropRatios()
	t.joinRanges()
	return t
}

// dropCovered drops the numbers that are part of another's figure or unit: the 100 of MPN/100 mL,
// the cent of pour cent.
func (t *Text) dropCovered() {
	end := 0
	t.Numbers = slices.DeleteFunc(t.Numbers, func(n Number) bool {
		if n.Start < end {
			return true
		}
		end = max(n.End, n.Unit.End, n.Money.End)
		return false
	})
}

// inDate reports whether a range lies in a date, and whether that is sure to be one.
func (t *Text) inDate(s Span) (in, sure bool) {
	i := sort.Search(len(t.Dates), func(i int) bool { return t.Dates[i].End > s.Start })
	if i < len(t.Dates) && t.Dates[i].Start < s.End {
		return true, t.Dates[i].Cued
	}
	return false, false
}

func (t *Text) addFigure(f figure) {
	n := Number{Span: f.Span}
	if _, sure := t.inDate(f.Span); sure {
		n.IsDate = true
		t.Numbers = append(t.Numbers, n)
		return
	}
	t.addScaled(n, f.readings)
}

// addNumeral adds a number in words, unless one of the figures, which stand first and in order, holds it.
func (t *Text) addNumeral(v numeral, figures int) {
	n := Number{Span: v.Span, InWords: true}
	if i := sort.Search(figures, func(i int) bool { return t.Numbers[i].End > v.Start }); i < figures && t.Numbers[i].Start < v.End {
		return // 1.2 million: the word belongs to the figure
	}
	kept := len(t.Numbers)
	t.addScaled(n, []*big.Rat{v.value})
	if v.article && t.Numbers[kept].Unit.Canonical == "" && t.Numbers[kept].Currency == "" {
		t.Numbers = t.Numbers[:kept]
	}
}

// addScaled reads the scale, currency and unit beside a number, and adds it.
func (t *Text) addScaled(n Number, readings []*big.Rat) {
	text, language := t.Text, t.Language
	money, code, before := currencyBefore(text, n.Start)
	if !n.InWords {
		if end, factor, ok := t.scaleAfter(n.End); ok {
			n.End, n.Scaled, readings = end, true, scaled(readings, factor)
		} else if end, factor, ok := scaleLetter(text, n.End); ok {
			_, _, after := currencyAfter(text, end, language)
			if before || after {
				n.End, n.Scaled, readings = end, true, scaled(readings, factor)
			}
		}
	}
	end, after, ok := currencyAfter(text, n.End, language)
	switch {
	case before:
		n.Currency, n.Money = code, Span{money, n.End}
		if ok && len(text[money:n.Start]) > 0 && strings.TrimSpace(text[money:n.Start]) == "$" { // $300 CAD
			n.Currency, n.Money = after, Span{money, end}
		}
	case ok:
		n.Currency, n.Money = after, Span{n.Start, end}
	}
	if n.Currency != "" {
		_, _, n.PerUnit = readPer(text, n.Money.End, language)
		n.PerUnit = n.PerUnit || isEach(text, n.Money.End, language)
		if t.hasOtherCurrency(n) {
			n.Currency = UnknownUnit
		}
	} else if u, ok := t.unitAfter(n); ok {
		n.Unit = u
	}
	n.IsLabel = t.isLabel(n)
	glued := isLetter(at(text, n.End)) && n.Unit.Canonical == "" && n.Money.End <= n.End // 3rd, 2x, $3B
	if !n.IsLabel && !glued && !t.isOther(n) && !t.isPartial(n) {
		for _, r := range readings {
			v, exact := r.Float64()
			if r.IsInt() && !exact {
				continue // more digits than a number of JSON keeps
			}
			n.Readings = append(n.Readings, v)
		}
	}
	t.Numbers = append(t.Numbers, n)
}

func scaled(readings []*big.Rat, factor *big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(readings))
	for i, r := range readings {
		out[i] = new(big.Rat).Mul(r, factor)
	}
	return out
}

// scaleAfter reads "million" or "mil milhões" behind a figure, or a power of ten.
func (t *Text) scaleAfter(i int) (end int, factor *big.Rat, ok bool) {
	start := skipOne(t.Text, i)
	if r := at(t.Text, start); r == '×' || r == 'x' {
		return t.powerAfter(start + utf8.RuneLen(r))
	}
	first, found := slices.BinarySearchFunc(t.Words, start, func(w Word, at int) int { return w.Start - at })
	if !found || start == i {
		r := at(t.Text, i)
		if !IsHyphen(r) { // "1.2-million"
			return 0, nil, false
		}
		first, found = slices.BinarySearchFunc(t.Words, i+utf8.RuneLen(r), func(w Word, at int) int { return w.Start - at })
		if !found {
			return 0, nil, false
		}
	}
	words := t.Words[first:min(len(t.Words), first+2)]
	if v, n := lexicon.LookupPhrase("scale", t.Language, foldedWords(words)); n > 0 {
		factor, _ = new(big.Rat).SetString(v)
		return words[n-1].End, factor, true
	}
	return 0, nil, false
}

// powerAfter reads "10^6" or "10⁶".
func (t *Text) powerAfter(i int) (end int, factor *big.Rat, ok bool) {
	i = skipOne(t.Text, i)
	if !strings.HasPrefix(t.Text[i:], "10") {
		return 0, nil, false
	}
	i = strings.IndexFunc(t.Text[i+2:], func(r rune) bool { return r != '^' }) + i + 2
	power, any := 0, false
	for i < len(t.Text) {
		r, n := utf8.DecodeRuneInString(t.Text[i:])
		d := strings.IndexRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r)
		switch {
		case d >= 0:
			d = len([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹"[:d]))
		case isDigit(r):
			d = int(r - '0')
		default:
			n = 0
		}
		if n == 0 || power > 9 {
			break
		}
		power, any, i = power*10+d, true, i+n
	}
	if !any || power > 15 {
		return 0, nil, false
	}
	return i, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(power)), nil)), true
}

// unitAfter reads the unit behind a number: "30 acres", "30-acre", "thirty (30) percent".
func (t *Text) unitAfter(n Number) (Unit, bool) {
	i := n.End
	if r := at(t.Text, i); IsHyphen(r) {
		i += utf8.RuneLen(r)
	} else {
		if r == ')' && before(t.Text, n.Start) == '(' {
			i++
		}
		i = skipOne(t.Text, i)
	}
	if strings.ContainsAny(t.Text[n.End:i], "\n\t") {
		return Unit{}, false
	}
	return readUnit(t.Text, i, t.Language)
}

// isLabel reports whether a number without unit counts the thing named before it, or an item of a list.
func (t *Text) isLabel(n Number) bool {
	if n.Unit.Canonical != "" || n.Currency != "" || n.InWords {
		return false
	}
	if start := skipSpacesBack(t.Text, n.Start); start == 0 {
		next := at(t.Text, n.End)
		if (next == '.' || next == ')') && n.End+1 < len(t.Text) && unicode.IsSpace(at(t.Text, n.End+1)) {
			return true
		}
	}
	i := t.wordBefore(n.Start)
	if i < 0 {
		return false
	}
	between := strings.TrimSpace(t.Text[t.Words[i].End:n.Start])
	return lexicon.Has("label", t.Language, t.Words[i].Folded) && (between == "" || between == "." || between == "°" || between == "º")
}

// joinRanges finds the two ends of ranges, and gives the lower end the unit of the upper.
func (t *Text) joinRanges() {
	for i := 0; i+1 < len(t.Numbers); i++ {
		a, b := &t.Numbers[i], &t.Numbers[i+1]
		if a.IsDate || b.IsDate || a.IsLabel || len(b.Readings) == 0 || len(a.Readings) == 0 || a.Range == HighEnd || !t.isRange(a, b) {
			continue
		}
		a.Range, b.Range, a.Other, b.Other = LowEnd, HighEnd, i+1, i
		if b.Scaled && !a.Scaled { // $1.2 to $1.5 million: the scale may be of both
			a.Readings = nil
		}
		if a.Unit.Canonical == "" && a.Currency == "" {
			a.Unit, a.PerUnit = b.Unit, b.PerUnit
			if b.Currency != "" {
				a.Currency, a.Money = b.Currency, Span{a.Start, b.Money.End}
			}
		}
		if b.Currency == "" && b.Unit.Canonical == "" && a.Currency != "" {
			b.Currency, b.Money = a.Currency, Span{a.Money.Start, b.End}
		}
	}
}

func (t *Text) isRange(a, b *Number) bool {
	end := a.End
	if a.Unit.Canonical != "" && a.Unit.End <= b.Start {
		end = a.Unit.End
	}
	if a.Currency != "" {
		end = max(end, min(a.Money.End, b.Start))
	}
	start := b.Start
	if b.Currency != "" {
		start = min(start, max(b.Money.Start, end))
	}
	if start < end {
		return false
	}
	between := strings.TrimSpace(t.Text[end:start])
	if between == "" {
		return false
	}
	if r, n := utf8.DecodeRuneInString(between); IsHyphen(r) && n == len(between) {
		return a.Unit.Canonical == "" || b.Unit.Canonical == a.Unit.Canonical
	}
	words := Words(between)
	if len(words) == 0 || len(words) > 2 || !lexicon.Has("range_between", t.Language, strings.Join(foldedWords(words), " ")) {
		return false
	}
	if !lexicon.Has("joiner", t.Language, words[0].Folded) { // "to" and "à" are ranges; "and" only behind "between"
		return true
	}
	first := skipSpacesBack(t.Text, min(a.Start, orStart(a)))
	i := t.wordBefore(first)
	return i >= 0 && t.Words[i].End == first && lexicon.Has("range_opens", t.Language, t.Words[i].Folded)
}

func orStart(n *Number) int {
	if n.Currency != "" {
		return n.Money.Start
	}
	return n.Start
}
