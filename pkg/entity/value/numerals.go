package value

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// numeral is a number in words.
type numeral struct {
	Span
	value   *big.Rat
	article bool // it may be an article: a number only before a unit
}

// maxNumeral bounds how many words a number in words has.
const maxNumeral = 16

// numerals returns the numbers in words of a text, the longest at each place.
func numerals(text string, words []Word, language string) (out []numeral) {
	r := reading{total: new(big.Rat), group: new(big.Rat)} // of one number after the other
	for i := 0; i < len(words); {
		if n, v, ok := r.readNumeral(text, words[i:min(len(words), i+maxNumeral)], language); ok {
			article := n == 1 && lexicon.Has("article", language, words[i].Folded)
			out = append(out, numeral{Span{words[i].Start, words[i+n-1].End}, v, article})
			i += n
			continue
		}
		i++
	}
	return out
}

// reading adds up the words of a number.
type reading struct {
	total, group *big.Rat // what is done, and the group of hundreds that is open
	last         int64    // what the last word below a hundred was, 0 after another
	any          bool
	scale        *big.Rat // of the last word of thousands: the next must be smaller
	hundreds     bool     // the open group has its hundreds
	small        bool     // the open group has its units
}

// readNumeral reads the longest number that the words begin with, and returns how many words it has.
func (r *reading) readNumeral(text string, words []Word, language string) (n int, v *big.Rat, ok bool) {
	*r = reading{total: r.total.SetInt64(0), group: r.group.SetInt64(0)}
	for i := 0; i < len(words); {
		if i > 0 && !joined(text, words[i-1], words[i]) {
			break
		}
		used := r.take(words[i:], language, i == 0)
		if used == 0 {
			break
		}
		i += used
		n = i
	}
	if n == 0 {
		return 0, nil, false
	}
	v = new(big.Rat).Add(r.total, r.group)
	if more, half := halfAfter(words[n:], language); more > 0 && joined(text, words[n-1], words[n]) {
		n, v = n+more, v.Add(v, half)
		if n < len(words) { // two and a half million
			if m, ok := lookupNumber("scale", language, words[n].Folded); ok {
				n, v = n+1, v.Mul(v, m)
			}
		}
	} else if more, part := decimalsAfter(words[n:], language); more > 0 {
		n, v = n+more, v.Add(v, part)
	}
	return n, v, true
}

// joined reports whether nothing but spaces and hyphens stands between two words.
func joined(text string, a, b Word) bool {
	for _, r := range text[a.End:b.Start] {
		if r != ' ' && r != '\u00A0' && r != '\n' && !IsHyphen(r) {
			return false
		}
	}
	return true
}

// take reads the next word or words into the number and returns how many they are, 0 when
// the number ends before them.
func (r *reading) take(words []Word, language string, first bool) int {
	word := words[0].Folded
	if lexicon.Has("numeral_and", language, word) && !first {
		if len(words) < 2 || !r.any {
			return 0
		}
		if used := r.takeOne(words[1].Folded, words[1:], language); used > 0 {
			return used + 1
		}
		return 0
	}
	return r.takeOne(word, words, language)
}

func (r *reading) takeOne(word string, words []Word, language string) int {
	if v, ok := lookupNumber("numeral", language, word); ok {
		return r.addSmall(v)
	}
	if v, ok := lookupNumber("dozen", language, word); ok {
		if r.any && (r.hundreds || r.last == 0) {
			return 0
		}
		r.group = orOne(r.group)
		r.group.Mul(r.group, v)
		r.any, r.small, r.last = true, true, 0
		return 1
	}
	if v, ok := lookupNumber("hundred", language, word); ok {
		return r.addHundred(v, word, language)
	}
	if v, ok := lookupNumber("scale", language, word); ok {
		return r.addScale(v, len(words))
	}
	if v, ok := compound(word, language); ok && !r.small && !r.hundreds {
		r.group.Add(r.group, v)
		if v.Cmp(big.NewRat(1000, 1)) >= 0 {
			r.total.Add(r.total, r.group)
			r.group, r.scale = new(big.Rat), big.NewRat(1000, 1)
		}
		r.any, r.small = true, true
		return 1
	}
	return 0
}

// addSmall adds a number below a hundred to the open group: units after tens, and in
// French those up to 19 after sixty and four times twenty.
func (r *reading) addSmall(v *big.Rat) int {
	n := v.Num().Int64()
	switch {
	case !r.small:
		r.group.Add(r.group, v)
	case n == 20 && r.last == 4: // quatre-vingt
		r.group.Add(r.group, big.NewRat(76, 1))
		n = 80
	case r.last >= 20 && r.last%10 == 0 && n > 0 && n < 10,
		(r.last == 60 || r.last == 80) && n >= 10 && n < 20,
		r.last >= 10 && r.last%10 == 0 && r.last != 20 && n >= 7 && n <= 9 && r.last == 10: // dix-sept
		r.group.Add(r.group, v)
		if n == 10 { // soixante-dix-sept
			r.last = 10
			return 1
		}
		n = 0
	default:
		return 0
	}
	r.small, r.any, r.last = true, true, n
	return 1
}

func (r *reading) addHundred(v *big.Rat, word, language string) int {
	multiplies := language != "pt" && v.Cmp(big.NewRat(100, 1)) == 0
	switch {
	case r.hundreds:
		return 0
	case r.small && !multiplies:
		return 0
	case r.small && r.last >= 100, r.small && r.group.Cmp(big.NewRat(100, 1)) >= 0:
		return 0
	case r.small:
		r.group.Mul(r.group, v)
	case word == "hundred" && !r.any:
		return 0 // "a hundred" is read by its article, "hundreds" is no number
	default:
		r.group.Add(r.group, v)
	}
	_ = language
	r.any, r.hundreds, r.small, r.last = true, true, false, 0
	return 1
}

func (r *reading) addScale(v *big.Rat, _ int) int {
	if r.scale != nil && v.Cmp(r.scale) >= 0 {
		return 0
	}
	if r.group.Sign() == 0 && (r.any || v.Cmp(big.NewRat(1000, 1)) != 0) {
		return 0 // million alone is no number; mille is
	}
	r.group = orOne(r.group)
	r.total.Add(r.total, r.group.Mul(r.group, v))
	r.group, r.scale = new(big.Rat), v
	r.any, r.hundreds, r.small, r.last = true, false, false, 0
	return 1
}

func orOne(v *big.Rat) *big.Rat {
	if v.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return v
}

// halfAfter reads "and a half".
func halfAfter(words []Word, language string) (int, *big.Rat) {
	if _, n := lexicon.LookupPhrase("half", language, foldedWords(words)); n > 0 {
		return n, big.NewRat(1, 2)
	}
	return 0, nil
}

// decimalsAfter reads "point two five".
func decimalsAfter(words []Word, language string) (n int, part *big.Rat) {
	if len(words) < 2 || !lexicon.Has("point", language, words[0].Folded) {
		return 0, nil
	}
	digits := ""
	for n = 1; n < len(words); n++ {
		v, ok := lookupNumber("numeral", language, words[n].Folded)
		if !ok || (v.Cmp(big.NewRat(10, 1)) >= 0 && digits != "") {
			break
		}
		digits += v.Num().String()
		if v.Cmp(big.NewRat(10, 1)) >= 0 {
			n++
			break
		}
	}
	if digits == "" {
		return 0, nil
	}
	return n, decimal(digits, len(digits))
}

// compound reads a number that Italian writes as one word: duecentocinquanta.
func compound(word, language string) (*big.Rat, bool) {
	if language != "it" && language != "" || len(word) < 6 {
		return nil, false
	}
	for _, mille := range []struct {
		part  string
		value int64
	}{{"mila", 1000}, {"mille", 1000}} {
		before, after, found := strings.Cut(word, mille.part)
		if !found {
			continue
		}
		head, tail := int64(1), int64(0)
		ok := true
		if before != "" {
			head, ok = belowThousand(before)
		}
		if ok && after != "" {
			tail, ok = belowThousand(after)
		}
		if ok {
			return big.NewRat(head*mille.value+tail, 1), true
		}
	}
	v, ok := belowThousand(word)
	return big.NewRat(v, 1), ok
}

func belowThousand(word string) (int64, bool) {
	if before, after, found := strings.Cut(word, "cent"); found && (strings.HasPrefix(after, "o") || strings.HasPrefix(after, "otto") || after == "" || strings.HasPrefix(after, "ott")) {
		head, tail := int64(1), int64(0)
		ok := true
		if before != "" {
			head, ok = belowHundred(before)
			ok = ok && head > 1 && head < 10
		}
		if !ok {
			return 0, false
		}
		for _, rest := range []string{strings.TrimPrefix(after, "o"), after} {
			if rest == "" {
				return head * 100, true
			}
			if tail, ok = belowHundred(rest); ok {
				return head*100 + tail, true
			}
		}
		return 0, false
	}
	return belowHundred(word)
}

func belowHundred(word string) (int64, bool) {
	if v, ok := lookupNumber("numeral", "it", word); ok {
		return v.Num().Int64(), true
	}
	for _, class := range []string{"numeral", "numeral_elided"} {
		for cut := 4; cut < len(word)-1; cut++ {
			tens, ok := lookupNumber(class, "it", word[:cut])
			if !ok || tens.Num().Int64() < 20 {
				continue
			}
			unit, ok := lookupNumber("numeral", "it", word[cut:])
			if ok && unit.Num().Int64() > 0 && unit.Num().Int64() < 10 {
				return tens.Num().Int64() + unit.Num().Int64(), true
			}
		}
	}
	return 0, false
}

func lookupNumber(class, language, word string) (*big.Rat, bool) {
	v, ok := lexicon.Lookup(class, language, word)
	if !ok {
		return nil, false
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return nil, false
	}
	return big.NewRat(n, 1), true
}
