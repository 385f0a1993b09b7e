package value

import (
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// UnitIn returns the unit that the head of a column names, in its normal form: in brackets, after
// a comma, as a word, or as a sign of percent. It is empty where none or several are named.
func UnitIn(head, language string) string {
	found := ""
	add := func(u string) bool {
		if found != "" && found != u {
			return false
		}
		found = u
		return true
	}
	for _, part := range headParts(head) {
		if u, rest, ok := CanonicalUnit(part, language); ok && (rest == "" || u == "%") && !add(u) {
			return ""
		}
	}
	for _, w := range Words(head) {
		if end, u, ok := readUnitWord(head, w.Start, language); ok && end > w.Start && found == "" && len(w.Folded) > 2 {
			if _, isMonth := lexicon.Lookup("month", language, w.Folded); !isMonth && !isTime(u) {
				found = withPer(head, end, u, language)
			}
		}
	}
	if found == "" && strings.Contains(head, "%") {
		return "%"
	}
	return found
}

// isTime reports whether a unit is one of time, whose words in heads are of dates: Year, Month.
func isTime(u string) bool {
	return u == "yr" || u == "mo" || u == "d" || u == "h" || u == "min" || u == "s" || u == "wk"
}

func withPer(head string, end int, u, language string) string {
	if _, per, ok := readPer(head, end, language); ok {
		return u + "/" + per
	}
	return u
}

// headParts are the parts of a head in brackets and behind commas, and the whole.
func headParts(head string) (out []string) {
	rest := head
	for {
		i := strings.IndexAny(rest, "([")
		if i < 0 {
			break
		}
		j := strings.IndexAny(rest[i:], ")]")
		if j < 0 {
			break
		}
		out = append(out, rest[i+1:i+j])
		rest = rest[i+j+1:]
	}
	if i := strings.LastIndex(head, ","); i >= 0 {
		out = append(out, head[i+1:])
	}
	return append(out, head)
}

// CurrencyIn returns the currency that the head of a column names, ISO 4217; empty where none
// or several are named.
func CurrencyIn(head, language string) string {
	found := ""
	for _, token := range strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" \t\n()[],;:/0123456789", r) }) {
		for _, t := range []string{token, strings.TrimLeft(token, "kKM"), strings.TrimRight(token, "kKM")} {
			code, ok := lookupCurrency(t)
			if !ok {
				code, ok = lexicon.Lookup("currency_word", language, lexicon.Fold(t))
			}
			if ok && found != "" && found != code {
				return ""
			}
			if ok {
				found = code
			}
		}
	}
	return found
}

// withoutMoney leaves out what a head says of money beside its scale.
var withoutMoney = strings.NewReplacer("$", "", "€", "", "£", "", "'", "", "’", "", "USD", "", "EUR", "")

// ScaleIn returns by how much the numbers of a column count: 1,000 under "k€", "$1,000" or "in thousands".
func ScaleIn(head, language string) float64 {
	for _, token := range strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" \t\n()[];:", r) }) {
		plain := withoutMoney.Replace(token)
		switch {
		case plain == "1,000" || plain == "1.000" || plain == "1000" || plain == "1000s" || plain == "000" || plain == "000s" || plain == "k" && plain != token || plain == "K" && plain != token:
			return 1e3
		case plain == "M" && plain != token:
			return 1e6
		}
		word := lexicon.Fold(token)
		for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
			if v, ok := lookupNumber("scale", language, w); ok && w != "mil" {
				f, _ := v.Float64()
				return f
			}
		}
	}
	return 1
}
