package value

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// longestCurrency bounds a currency's symbol or code, in characters.
const longestCurrency = 5

// currencyBefore returns the currency that ends before byte i, spaces aside, and where it begins.
func currencyBefore(text string, i int) (start int, code string, ok bool) {
	end := skipSpacesBack(text, i)
	if strings.Contains(text[end:i], "\n") {
		return 0, "", false
	}
	start = end
	for range longestCurrency {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if n == 0 || r == ' ' {
			break
		}
		start -= n
		if v, known := lookupCurrency(text[start:end]); known && !isLetter(before(text, start)) && before(text, start) != '$' {
			code, ok = v, true
			i = start
		}
	}
	return i, code, ok
}

func lookupCurrency(s string) (string, bool) {
	if v, ok := lexicon.Lookup("currency_symbol", "", s); ok {
		return v, true
	}
	return lexicon.Lookup("currency_code", "", s)
}

// currencyAfter returns the currency that begins at byte i or behind one space, and where it ends.
func currencyAfter(text string, i int, language string) (end int, code string, ok bool) {
	start := skipOne(text, i)
	for n := start; n < len(text) && n-start < 2*longestCurrency; {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
		v, known := lookupCurrency(text[start:n])
		if !known {
			continue
		}
		if next := at(text, n); isLetter(next) || isDigit(next) || next == '$' {
			continue
		}
		end, code, ok = n, v, true
	}
	if ok {
		return end, code, true
	}
	words := Words(text[start:cut(text, start+48)])
	skip := 0
	if len(words) > 1 && slices.Contains([]string{"d'", "de", "di", "of"}, words[0].Folded) {
		skip = 1
	}
	if len(words) <= skip || words[0].Start != 0 {
		return 0, "", false
	}
	code, n := lexicon.LookupPhrase("currency_word", language, foldedWords(words[skip:min(len(words), skip+3)]))
	if n == 0 {
		return 0, "", false
	}
	return start + words[skip+n-1].End, code, true
}

// hasOtherCurrency reports whether another currency stands beside an amount and its currency: CAD $300, $300 (CAD),
// $300 Canadian.
func (t *Text) hasOtherCurrency(n Number) bool {
	if _, code, ok := currencyBefore(t.Text, n.Money.Start); ok && code != n.Currency {
		return true
	}
	end := skipSpaces(t.Text, n.Money.End)
	if at(t.Text, end) == '(' {
		end++
	}
	if _, code, ok := currencyAfter(t.Text, end, t.Language); ok && code != n.Currency && !isDigit(at(t.Text, end)) {
		return true
	}
	i := t.wordAfter(n.Money.End)
	if i < 0 || strings.Trim(t.Text[n.Money.End:t.Words[i].Start], " \u00A0(") != "" {
		return false
	}
	return t.phraseAt(i, "currency_nation") || t.phraseAt(i, "scale_doubt") || t.phraseAt(i, "other_scale")
}

// scaleLetter reads the letter behind a figure that stands for thousands or more, as in $1.2M,
// 3 k€ or 4 mln.
func scaleLetter(text string, i int) (end int, factor *big.Rat, ok bool) {
	start := skipOne(text, i)
	end = start
	for end < len(text) && end-start < 4 && isLetter(rune(text[end])) && text[end] < utf8.RuneSelf {
		end++
	}
	if end == start || isDigit(at(text, end)) {
		return 0, nil, false
	}
	factor, ok = lookupNumber("scale_letter", "", lexicon.Fold(text[start:end]))
	return end, factor, ok
}
