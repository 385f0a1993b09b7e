package table

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
)

const currency = `(?:€|\$|£|¥|R\$|US\$|CHF|EUR|USD|GBP|BRL|RON|euros?|reais|lei|k€|M€)`

// number is one number: digits, divided before each three by one sign if they are
// divided at all, or as in India, and a decimal part behind another sign. Numbers
// of sections ("1.2.3"), lists and telephone numbers are none.
const number = `([-+−]?(?:\d+(?:[.,]\d+)?` +
	`|\d{1,3}(?:,\d{3})+(?:\.\d+)?` +
	`|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?` +
	`|\d{1,3}(?:\.\d{3})+(?:,\d+)?` +
	`|\d{1,3}(?:['’]\d{3})+(?:[.,]\d+)?` +
	`|\d{1,3}(?:[\x{00A0}\x{202F}\x{2009} ]\d{3})+(?:[.,]\d+)?))`

var (
	numberForm  = regexp.MustCompile(`^` + number + `$`)
	percentForm = regexp.MustCompile(`^` + number + `[\s\x{00A0}\x{202F}]*%$`)
	moneyAfter  = regexp.MustCompile(`^` + number + `[\s\x{00A0}\x{202F}]*` + currency + `$`)
	moneyBefore = regexp.MustCompile(`^` + currency + `[\s\x{00A0}\x{202F}]*` + number + `$`)
	isoDate     = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})$`)
	numericDate = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4})$`)
	dayFirst    = regexp.MustCompile(`^(\d{1,2})(?:er|º|°|\.|st|nd|rd|th)?\s+(?:de\s+|di\s+)?(\p{L}+)\.?,?\s+(?:de\s+|di\s+)?(\d{4})$`)
	monthFirst  = regexp.MustCompile(`^(\p{L}+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$`)
)

// months are the names of the months in English, French, Portuguese, Italian,
// Spanish, German, Romanian and Corsican, and how they are written without
// accents.
var months = [12]string{
	"january janvier janeiro gennaio enero januar jänner ianuarie ghjennaghju",
	"february février fevrier fevereiro febbraio febrero februar februarie ferraghju frivaghju",
	"march mars março marco marzo märz martie marzu",
	"april avril abril aprile aprilie",
	"may mai maio maggio mayo maghju",
	"june juin junho giugno junio juni iunie ghjugnu",
	"july juillet julho luglio julio juli iulie lugliu",
	"august août aout agosto aostu",
	"september septembre setembro settembre septiembre setiembre septembrie sittembre",
	"october octobre outubro ottobre octubre oktober octombrie uttobre",
	"november novembre novembro noviembre noiembrie nuvembre",
	"december décembre decembre dezembro dicembre diciembre dezember decembrie",
}

// Retype reads the cells of a table again, in a language that was not known when
// it was built. What is just text, or has no sign that languages read in different
// ways, is the same in all.
func Retype(t *model.Table, language string) {
	for _, row := range t.Rows {
		for i := range row {
			if c := &row[i]; c.Type != "" && c.Type != "link" && strings.ContainsAny(c.Formatted, ".,/-") {
				row[i] = typed(&Cell{Text: row[i].Formatted, Link: row[i].URL}, language)
			}
		}
	}
}

// typed returns the typed cell (seeds#conventions) of what c holds, a plain one when it is
// just text. The text as found is always there; a value only when there is one
// way to read it.
func typed(c *Cell, lang string) model.Cell {
	if c == nil {
		return model.Cell{}
	}
	out := model.Cell{Formatted: c.Text}
	text := strings.TrimSpace(c.Text)
	digits, ended := count(text)
	switch { // what a form begins and ends with keeps most cells from being held against it
	case digits == 0 || len(text) > 64:
	case ended && digits >= minDate && c.Link == "" && isDate(text):
		out.Type, out.Value = "date", dateValue(text, lang)
	case text[len(text)-1] == '%' && percentForm.MatchString(text):
		out.Type, out.Value = "percent", numberValue(percentForm.FindStringSubmatch(text)[1], lang)
	case !ended && moneyAfter.MatchString(text):
		out.Type, out.Value = "money", numberValue(moneyAfter.FindStringSubmatch(text)[1], lang)
	case ended && !digit(text[0]) && moneyBefore.MatchString(text):
		out.Type, out.Value = "money", numberValue(moneyBefore.FindStringSubmatch(text)[1], lang)
	case ended && numberForm.MatchString(text):
		out.Type, out.Value = "number", numberValue(text, lang)
	}
	if out.Type == "" && c.Link != "" {
		out.Type = "link"
	}
	out.URL = c.Link
	return out
}

// minDate is how many digits a date has at least: a day and a year.
const minDate = 5

// count returns how many digits a text has, and whether it ends with one.
func count(s string) (digits int, ended bool) {
	for i := range len(s) {
		if digit(s[i]) {
			digits++
		}
	}
	return digits, s != "" && digit(s[len(s)-1])
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// numberValue returns a number with a decimal point and no separators, "" when
// it can be read in two ways: 500,000 without a language that tells.
func numberValue(s, lang string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00A0', '\u202F', '\u2009', '\'', '’', '+':
			return -1
		case '−':
			return '-'
		}
		return r
	}, s)
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	switch {
	case dots == 0 && commas == 0:
	case dots > 0 && commas > 0:
		thousands, decimal := ",", "."
		if strings.LastIndex(s, ",") > strings.LastIndex(s, ".") {
			thousands, decimal = ".", ","
		}
		s = strings.ReplaceAll(strings.ReplaceAll(s, thousands, ""), decimal, ".")
	case dots+commas > 1:
		s = strings.NewReplacer(".", "", ",", "").Replace(s)
	default:
		at := strings.IndexAny(s, ".,")
		whole := strings.TrimPrefix(s[:at], "-")
		if len(s)-at-1 != 3 || len(whole) > 3 || whole == "0" || whole == "" {
			s = strings.Replace(s, ",", ".", 1)
			break
		}
		switch { // one separator before three digits
		case lang == "en" && commas == 1, isContinental(lang) && dots == 1:
			s = s[:at] + s[at+1:]
		case lang == "en":
		default:
			return ""
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return ""
	}
	return s
}

func isContinental(lang string) bool {
	switch lang {
	case "fr", "pt", "it", "es", "de", "ro", "co", "nl", "ca":
		return true
	}
	return false
}

func isDate(s string) bool {
	if isoDate.MatchString(s) || numericDate.MatchString(s) {
		return true
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		return month(m[2]) > 0
	}
	m := monthFirst.FindStringSubmatch(s)
	return m != nil && month(m[1]) > 0
}

// dateValue returns the date as YYYY-MM-DD, "" when it is none or day and
// month cannot be told apart.
func dateValue(s, lang string) string {
	if m := isoDate.FindStringSubmatch(s); m != nil {
		return calendar(m[1], m[2], m[3])
	}
	if m := numericDate.FindStringSubmatch(s); m != nil {
		first, _ := strconv.Atoi(m[1])
		second, _ := strconv.Atoi(m[3])
		switch {
		case first > 12, m[2] == ".", isContinental(lang), first == second:
			return calendar(m[4], m[3], m[1])
		case second > 12:
			return calendar(m[4], m[1], m[3])
		}
		return ""
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		return calendar(m[3], strconv.Itoa(month(m[2])), m[1])
	}
	if m := monthFirst.FindStringSubmatch(s); m != nil {
		return calendar(m[3], strconv.Itoa(month(m[1])), m[2])
	}
	return ""
}

func calendar(year, month, day string) string {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	s := fmt.Sprintf("%04d-%02d-%02d", y, m, d)
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return ""
	}
	return s
}

// month returns the number of the month from 1, 0 when name is none: a name, or
// three and more letters that only names of one month begin with.
func month(name string) int {
	name = strings.ToLower(name)
	if utf8.RuneCountInString(name) < 3 {
		return 0
	}
	found := 0
	for i, names := range months {
		for full := range strings.FieldsSeq(names) {
			switch {
			case full == name:
				return i + 1
			case strings.HasPrefix(full, name) && found > 0 && found != i+1:
				return 0
			case strings.HasPrefix(full, name):
				found = i + 1
			}
		}
	}
	return found
}
