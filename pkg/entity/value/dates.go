package value

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
)

// Date is a date as it is printed.
type Date struct {
	Span
	Value string // YYYY, YYYY-MM or YYYY-MM-DD: as much as the page says in one way
	Years bool   // it is the first of two years: 2024-25
	Cued  bool   // words or signs beside it say that it is a date; a bare year is not sure
}

// Years that are read as years when they stand alone.
const (
	firstYear = 1900
	lastYear  = 2199
)

var (
	isoDate     = regexp.MustCompile(`\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?`)
	numericDate = regexp.MustCompile(`\d{1,2}([/.-])\d{1,2}[/.-]\d{4}`)
	numericMon  = regexp.MustCompile(`\d{1,2}/\d{4}`)
	claimedDate = regexp.MustCompile(`^\d{4}(?:-\d{2}(?:-\d{2})?)?$`)
)

// CheckDate reports whether a text is a date of the calendar, YYYY, YYYY-MM or YYYY-MM-DD.
func CheckDate(s string) bool {
	if !claimedDate.MatchString(s) {
		return false
	}
	layout := "2006-01-02"[:len(s)]
	_, err := time.Parse(layout, s)
	return err == nil
}

// ParseDate returns a text that is one date and nothing else as YYYY[-MM[-DD]].
func ParseDate(s, language string) (string, bool) {
	s = strings.TrimSpace(s)
	if CheckDate(s) {
		return s, true
	}
	found := Dates(s, language)
	if len(found) != 1 || found[0].Start != 0 || found[0].End != len(s) {
		return "", false
	}
	return found[0].Value, true
}

// Dates returns the dates of a text, in their order, none inside of another.
func Dates(text, language string) []Date {
	return datesOf(text, Words(text), language)
}

func datesOf(text string, words []Word, language string) (out []Date) {
	taken := make(map[int]bool) // starts of the runs of digits that dates hold
	add := func(d Date) {
		var starts []int
		for i := d.Start; i < d.End; i++ {
			if isDigit(rune(text[i])) && (i == 0 || !isDigit(rune(text[i-1]))) {
				if taken[i] {
					return
				}
				starts = append(starts, i)
			}
		}
		for _, i := range starts {
			taken[i] = true
		}
		out = append(out, d)
	}
	for _, d := range namedDates(text, words, language) {
		add(d)
	}
	for _, m := range isoDate.FindAllStringIndex(text, -1) {
		if d, ok := readISO(text, m[0], m[1]); ok {
			add(d)
		}
	}
	for _, m := range numericDate.FindAllStringIndex(text, -1) {
		if d, ok := readNumeric(text, m[0], m[1], language); ok {
			add(d)
		}
	}
	for _, m := range numericMon.FindAllStringIndex(text, -1) {
		if month, year, ok := strings.Cut(text[m[0]:m[1]], "/"); ok && isAlone(text, m[0], m[1]) {
			if v := fmt.Sprintf("%s-%02s", year, month); CheckDate(v) && isYear(year) {
				add(Date{Span: Span{m[0], m[1]}, Value: v, Cued: true})
			}
		}
	}
	for i := range words {
		if d, ok := readYear(text, words, i, language); ok {
			add(d)
		}
	}
	slices.SortFunc(out, func(a, b Date) int { return a.Start - b.Start })
	return out
}

// isAlone reports whether no digit, letter or sign of a longer number touches a range.
func isAlone(text string, start, end int) bool {
	prev, next := before(text, start), at(text, end)
	if isDigit(prev) || isLetter(prev) || isDigit(next) || isLetter(next) {
		return false
	}
	joinedBefore := (prev == '.' || prev == ',' || prev == '/' || prev == '-') && isDigit(before(text, start-1))
	joinedAfter := (next == '.' || next == ',' || next == '/' || next == '-') && isDigit(at(text, end+1))
	return !joinedBefore && !joinedAfter
}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= firstYear && n <= lastYear
}

func readISO(text string, start, end int) (Date, bool) {
	parts := strings.FieldsFunc(text[start:end], func(r rune) bool { return r == '-' || r == '/' })
	if !isAlone(text, start, end) || !isYear(parts[0]) {
		return Date{}, false
	}
	if len(parts) == 2 {
		month, _ := strconv.Atoi(parts[1])
		year, _ := strconv.Atoi(parts[0][2:])
		if len(parts[1]) != 2 || month == (year+1)%100 || month < 1 || month > 12 {
			return Date{Span: Span{start, start + 4}, Value: parts[0], Years: true, Cued: true}, true // 2010-11
		}
		return Date{Span: Span{start, end}, Value: parts[0] + "-" + parts[1], Cued: true}, true
	}
	v := fmt.Sprintf("%s-%02s-%02s", parts[0], parts[1], parts[2])
	return Date{Span: Span{start, end}, Value: v, Cued: true}, CheckDate(v)
}

// readNumeric reads 30/06/2026: the day first but in English, where it is read only when one
// of the two numbers can be no month.
func readNumeric(text string, start, end int, language string) (Date, bool) {
	if !isAlone(text, start, end) {
		return Date{}, false
	}
	parts := strings.FieldsFunc(text[start:end], func(r rune) bool { return r < '0' || r > '9' })
	if !isYear(parts[2]) {
		return Date{}, false
	}
	first, _ := strconv.Atoi(parts[0])
	second, _ := strconv.Atoi(parts[1])
	dayFirst := fmt.Sprintf("%s-%02d-%02d", parts[2], second, first)
	monthFirst := fmt.Sprintf("%s-%02d-%02d", parts[2], first, second)
	sure := language == "fr" || language == "pt" || language == "it" || strings.Contains(text[start:end], ".")
	d := Date{Span: Span{start, end}, Cued: true}
	switch {
	case CheckDate(dayFirst) && (sure || first > 12 || first == second):
		d.Value = dayFirst
	case CheckDate(monthFirst) && !sure && second > 12:
		d.Value = monthFirst
	case CheckDate(dayFirst) && CheckDate(monthFirst):
		d.Value = parts[2]
	default:
		return Date{}, false
	}
	return d, true
}

// namedDates reads the dates that name their month: 30 June 2026, June 30, 2026, juin 2026.
func namedDates(text string, words []Word, language string) (out []Date) {
	for i, w := range words {
		month, ok := lexicon.Lookup("month", language, w.Folded)
		if !ok {
			continue
		}
		begin, day := dayBefore(text, words, i)
		j, after := i+1, ""
		if day == "" && j < len(words) && near(text, words[j-1], words[j], " .,") {
			if d, ok := dayOf(words[j].Folded); ok {
				after, j = d, j+1
			}
		}
		for j < len(words) && (words[j].Folded == "de" || words[j].Folded == "del" || words[j].Folded == "of" || words[j].Folded == "do" || words[j].Folded == "dell'") {
			j++
		}
		if j >= len(words) || !isYear(words[j].Folded) || !near(text, words[j-1], words[j], " .,") {
			continue
		}
		v := words[j].Folded + "-" + month
		switch {
		case day != "" && CheckDate(v+"-"+day):
			out = append(out, Date{Span: Span{begin, words[j].End}, Value: v + "-" + day, Cued: true})
		case after != "" && CheckDate(v+"-"+after):
			out = append(out, Date{Span: Span{w.Start, words[j].End}, Value: v + "-" + after, Cued: true})
		case after == "":
			out = append(out, Date{Span: Span{w.Start, words[j].End}, Value: v, Cued: true})
		}
	}
	return out
}

// near reports whether only the given signs stand between two words.
func near(text string, a, b Word, signs string) bool {
	between := text[a.End:b.Start]
	return len(between) <= 3 && strings.Trim(between, signs+"\u00A0\n") == ""
}

// dayBefore returns the day of the month before word i, with two digits, and where it begins.
func dayBefore(text string, words []Word, i int) (start int, day string) {
	for back := 1; back <= 2 && back <= i; back++ {
		w := words[i-back]
		if d, ok := dayOf(w.Folded); ok && near(text, w, words[i-back+1], " .º°") {
			if prev := before(text, w.Start); prev == '.' || prev == ',' || prev == '/' || IsHyphen(prev) && isDigit(before(text, w.Start-1)) {
				return 0, ""
			}
			return w.Start, d
		}
		if w.Folded != "de" && w.Folded != "di" && w.Folded != "of" && w.Folded != "d'" {
			break
		}
	}
	return 0, ""
}

// dayOf reads a day of the month: 1, 01, 1st, 1er, 1º.
func dayOf(s string) (string, bool) {
	for _, suffix := range []string{"st", "nd", "rd", "th", "er", "º", "°"} {
		s = strings.TrimSuffix(s, suffix)
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 31 || len(s) > 2 {
		return "", false
	}
	return fmt.Sprintf("%02d", n), true
}

// readYear reads a year that stands alone: words[i] has four digits, and no unit, currency or
// longer number beside it.
func readYear(text string, words []Word, i int, language string) (Date, bool) {
	w := words[i]
	digits := strings.TrimPrefix(w.Folded, "fy")
	if !isYear(digits) || !isYearAlone(text, w) {
		return Date{}, false
	}
	if i > 0 && lexicon.Has("numbered", language, words[i-1].Folded) && strings.Trim(text[words[i-1].End:w.Start], " .\u00A0") == "" {
		return Date{}, false // Resolution 2026
	}
	if _, _, money := currencyBefore(text, w.Start); money {
		return Date{}, false
	}
	if _, _, money := currencyAfter(text, w.End, language); money {
		return Date{}, false
	}
	if _, ok := readUnit(text, skipOne(text, w.End), language); ok {
		return Date{}, false
	}
	cued := len(digits) < len(w.Folded) || i > 0 && lexicon.Has("year_cue", language, words[i-1].Folded) && joined(text, words[i-1], w) ||
		i > 0 && isYear(words[i-1].Folded)
	counts := i+1 < len(words) && strings.TrimSpace(text[w.End:words[i+1].Start]) == "" && words[i+1].Start > w.End &&
		!lexicon.Has("stop", language, words[i+1].Folded) && !isDigit(rune(words[i+1].Folded[0])) && !lexicon.Has("contrast", language, words[i+1].Folded)
	if counts && !cued && i > 0 {
		return Date{}, false // 2000 trees
	}
	return Date{Span: Span{w.Start, w.End}, Value: digits, Cued: cued && !counts}, true
}

// isYearAlone reports whether four digits are no part of a number: 2,026 or 2026.5. Years of a range may follow.
func isYearAlone(text string, w Word) bool {
	prev, next := before(text, w.Start), at(text, w.End)
	if (prev == '.' || prev == ',') && isDigit(before(text, w.Start-1)) || (next == '.' || next == ',') && isDigit(at(text, w.End+1)) {
		return false
	}
	return next != '%' && prev != '#' && !isApostrophe(next)
}
