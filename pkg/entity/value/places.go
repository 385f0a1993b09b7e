package value

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Place is a point on the earth as it is printed.
type Place struct {
	Span
	Lat, Lon float64 // decimal degrees
}

// CheckHUC reports whether a text is a hydrologic unit code: 2, 4, 6, 8, 10, 12, 14 or 16 digits
// that begin with a region, 01 to 22.
func CheckHUC(s string) bool {
	if len(s) < 2 || len(s) > 16 || len(s)%2 != 0 || strings.Trim(s, "0123456789") != "" {
		return false
	}
	region, err := strconv.Atoi(s[:2])
	return err == nil && region >= 1 && region <= 22
}

// Codes returns where a code stands in a text, its digits divided by nothing or by spaces or
// hyphens, and by no other digit at its ends.
func Codes(text, code string) (out []Span) {
	for i := 0; i < len(text); i++ {
		if !isDigit(rune(text[i])) || i > 0 && (isDigit(rune(text[i-1])) || isLetter(before(text, i))) {
			continue
		}
		if prev := before(text, i); (prev == '.' || prev == ',' || prev == '-') && isDigit(before(text, i-1)) {
			continue
		}
		j, k := i, 0
		for j < len(text) && k < len(code) {
			switch {
			case text[j] == code[k]:
				k++
			case (text[j] == ' ' || text[j] == '-') && k > 0 && k%2 == 0:
			default:
				j = len(text)
				continue
			}
			j++
		}
		if next := at(text, j); k == len(code) && !isDigit(next) && !isLetter(next) && !((next == '.' || next == ',' || next == '-') && isDigit(at(text, j+1))) {
			out = append(out, Span{i, j})
		}
	}
	return out
}

var (
	degrees = `([-−+]?)(\d{1,3})(?:(\.\d+)\s*°?|\s*°\s*(\d{1,2})\s*['′’]\s*(?:(\d{1,2}(?:\.\d+)?)\s*(?:["″”]|''))?)\s*([NSEWO]?)\b`
	pair    = regexp.MustCompile(degrees + `(?:\s*[,;/]\s*|\s+)(?:lon(?:gitude)?\.?\s*:?\s*)?` + degrees)
)

// Places returns the pairs of latitude and longitude of a text: decimal degrees, or degrees,
// minutes and seconds, with a sign or a letter. What is out of range is none.
func Places(text string) (out []Place) {
	for _, m := range pair.FindAllStringSubmatchIndex(text, -1) {
		lat, okLat := degree(text, m[2:14], "NS")
		lon, okLon := degree(text, m[14:26], "EWO")
		if prev := before(text, m[0]); isDigit(prev) || prev == '.' {
			continue
		}
		if !isMarked(text, m) {
			continue
		}
		if okLat && okLon && math.Abs(lat) <= 90 && math.Abs(lon) <= 180 {
			out = append(out, Place{Span{m[0], m[1]}, lat, lon})
		}
	}
	return out
}

// isMarked reports whether a pair of numbers is called a place: by signs of degrees or letters of both, or by a word before
// it and enough decimals.
func isMarked(text string, m []int) bool {
	const fewestDecimals = 3 // a hundred metres
	marks, decimals := 0, 0
	for _, g := range [][]int{m[2:14], m[14:26]} {
		end := max(g[5], g[3])
		if g[6] >= 0 || g[11] > g[10] || strings.HasPrefix(strings.TrimLeft(text[end:], " "), "°") {
			marks++
		}
		if g[5]-g[4] > fewestDecimals {
			decimals++
		}
	}
	if marks == 2 {
		return true
	}
	start := cut(text, max(0, m[0]-longestCue))
	before := strings.ToLower(text[start:m[0]])
	return decimals == 2 && (strings.Contains(before, "lat") || strings.Contains(before, "coord") || strings.Contains(before, "gps") || m[0] == 0 && m[1] == len(text))
}

// longestCue bounds how far before coordinates, in bytes, a word can stand that says so.
const longestCue = 48

// LongCodes returns where runs of eight digits or more stand, which can be hydrologic unit codes.
func LongCodes(text string) (out []Span) {
	for i := 0; i < len(text); {
		if !isDigit(rune(text[i])) {
			i++
			continue
		}
		j, digits := i, 0
		for j < len(text) && (isDigit(rune(text[j])) || digits > 0 && (text[j] == ' ' || text[j] == '-') && isDigit(at(text, j+1))) {
			if isDigit(rune(text[j])) {
				digits++
			}
			j++
		}
		if digits >= 8 {
			out = append(out, Span{i, j})
		}
		i = j
	}
	return out
}

// degree reads one angle of six groups: sign, degrees, decimals, minutes, seconds, letter.
func degree(text string, m []int, letters string) (float64, bool) {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	letter := group(5)
	if letter != "" && !strings.Contains(letters, letter) {
		return 0, false
	}
	v, err := strconv.ParseFloat(group(1)+group(2), 64)
	if err != nil {
		return 0, false
	}
	for i, part := range []string{group(3), group(4)} {
		if part == "" {
			continue
		}
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n >= 60 {
			return 0, false
		}
		v += n / []float64{60, 3600}[i]
	}
	if sign := group(0); sign == "-" || sign == "−" || letter == "S" || letter == "W" || letter == "O" {
		v = -v
	}
	return v, true
}
