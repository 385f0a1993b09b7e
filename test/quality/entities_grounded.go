package quality

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// This file looks whether values stand where they say, and shares no code with the guard that put them there:
// the bytes of each ground against the unit that convert --to ir writes, and the value against these bytes by
// the plainest reading. It knows less than the guard does, and what it does not know is not grounded.

// ungrounded returns the values of an entity for which nothing stands on the page.
func ungrounded(e foundEntity, units map[string]string) (out []string) {
	for name, v := range e.Values {
		field := strings.TrimSuffix(strings.TrimSuffix(name, ".start"), ".end")
		if name == "description" && isEvidence(e, v) {
			field = "evidence" // a sentence that became the description is its quote
		}
		if !slices.ContainsFunc(e.Grounds, func(g foundGround) bool {
			return g.Field == field && stands(g, e, units) && says(g, e, units[g.IRID], v)
		}) {
			out = append(out, fmt.Sprintf("%s %v", name, v))
		}
	}
	for i := range e.Evidence {
		if !slices.ContainsFunc(e.Grounds, func(g foundGround) bool {
			return g.Field == "evidence" && g.Evidence == i && stands(g, e, units) && g.Text == e.Evidence[i]
		}) {
			out = append(out, "evidence "+e.Evidence[i])
		}
	}
	if len(e.Evidence) == 0 {
		out = append(out, "no evidence")
	}
	slices.Sort(out)
	return out
}

func isEvidence(e foundEntity, v any) bool {
	s, ok := v.(string)
	return ok && slices.Contains(e.Evidence, s)
}

// stands reports whether a ground's bytes are those of the unit, and lie in its quote or in a head above the row.
func stands(g foundGround, e foundEntity, units map[string]string) bool {
	text, ok := units[g.IRID]
	if !ok || g.Start < 0 || g.End > len(text) || g.Start >= g.End || text[g.Start:g.End] != g.Text {
		return false
	}
	if g.Evidence < 0 || g.Evidence >= len(e.Evidence) {
		return false
	}
	if g.RowText != "" && !strings.Contains(text, g.RowText) {
		return false
	}
	return strings.Contains(e.Evidence[g.Evidence], g.Text) || g.RowText != ""
}

// says reports whether a ground's bytes say a value.
func says(g foundGround, e foundEntity, unit string, v any) bool {
	switch v := v.(type) {
	case string:
		if isDateText(v) {
			return saysDate(g.Text, v)
		}
		if g.Field == "status" || g.Field == "type" && e.Type == "geographicArea" || g.Field == "unit" {
			return strings.TrimSpace(g.Text) != ""
		}
		return isWithin(foldWords(v), foldWords(g.Text))
	case float64:
		return saysNumber(g.Text, unit, v)
	case map[string]any:
		n, ok := v["value"].(float64)
		return ok && saysNumber(g.Text, unit, n)
	case []any:
		return strings.TrimSpace(g.Text) != ""
	default:
		return false
	}
}

var dateText = regexp.MustCompile(`^\d{4}(-\d{2}){0,2}$`)

func isDateText(s string) bool { return dateText.MatchString(s) }

// saysDate reports whether a text has the year of a date.
func saysDate(text, date string) bool {
	return strings.Contains(text, date[:4]) || strings.Contains(text, date[2:4])
}

// foldWords returns the words of a text in lower case: runs of letters and digits, and single signs but for punctuation.
func foldWords(s string) (out []string) {
	word := ""
	flush := func() {
		if word != "" {
			out = append(out, word)
			word = ""
		}
	}
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			word += string(r)
		case r == '%' || r == '€' || r == '$':
			flush()
			out = append(out, string(r))
		default:
			flush()
		}
	}
	flush()
	return out
}

// isWithin reports whether a run of words stands in others, one after another.
func isWithin(run, words []string) bool {
	for i := 0; i+len(run) <= len(words); i++ {
		if len(run) > 0 && slices.Equal(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

var figure = regexp.MustCompile(`\d+(?:[.,'’\x{00A0}\x{202F} ]\d+)*`)

// saysNumber reports whether a text has a figure that can be read as v, or a numeral of v; in thousands or millions
// where the unit says so.
func saysNumber(text, unit string, v float64) bool {
	readings := []float64{}
	for _, f := range figure.FindAllString(text, -1) {
		readings = append(readings, readingsOf(f)...)
	}
	for _, w := range foldWords(text) {
		if n, ok := numerals()[w]; ok {
			readings = append(readings, n)
		}
	}
	scales := []float64{1}
	for word, scale := range map[string]float64{"thousand": 1e3, "mil": 1e3, "k": 1e3, "1000": 1e3, "1,000": 1e3, "million": 1e6, "milh": 1e6, "milion": 1e6} {
		if strings.Contains(strings.ToLower(unit), word) {
			scales = append(scales, scale)
		}
	}
	for _, r := range readings {
		for _, s := range scales {
			if math.Abs(r*s-math.Abs(v)) <= 1e-9*math.Max(1, math.Abs(v)) {
				return true
			}
		}
	}
	return false
}

// readingsOf returns what a figure can be: with its last sign as the decimal one, and with all signs as those of thousands.
func readingsOf(f string) (out []float64) {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	if n, err := strconv.ParseFloat(digits(f), 64); err == nil {
		out = append(out, n)
	}
	if i := strings.LastIndexAny(f, ".,"); i >= 0 {
		if n, err := strconv.ParseFloat(digits(f[:i])+"."+digits(f[i:]), 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// numerals are numbers in words, of the four languages.
func numerals() map[string]float64 {
	out := make(map[string]float64)
	for _, list := range []string{
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
		"un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
		"um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito dezanove vinte",
		"uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti",
	} {
		for i, w := range strings.Fields(list) {
			out[w] = float64(i + 1)
		}
	}
	for tens, words := range map[float64]string{20: "vingt", 30: "thirty trente trinta trenta", 40: "forty quarante quarenta quaranta", 50: "fifty cinquante cinquenta cinquanta",
		60: "sixty soixante sessenta sessanta", 70: "seventy setenta settanta", 80: "eighty oitenta ottanta", 90: "ninety noventa novanta", 100: "hundred cent cem cento"} {
		for w := range strings.FieldsSeq(words) {
			out[w] = tens
		}
	}
	return out
}
