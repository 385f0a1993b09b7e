package reference

import (
	"strconv"
	"strings"
)

// suffixes may follow a number: article 12 bis.
const suffixes = " bis ter quater quinquies sexies septies octies "

// lettered are the kinds whose places may be called by a letter.
const lettered = " annex part section title chapter "

// number reads the number of a place from words[i] on: 55, 1º, 21-3, L. 21-3, M-09, IV, A,
// noveno. It returns it in one form, and the index of the word after it.
func (g *Grammar) number(words []word, kind string, i int) (number string, next int, ok bool) {
	if i >= len(words) {
		return "", i, false
	}
	w := words[i]
	if n, named := g.ordinals[w.text]; named {
		return n, i + 1, true
	}
	if digits, ok := digitsOf(w.text); ok {
		number, next = g.rest(words, kind, digits, i+1)
		return number, next, true
	}
	if prefix, digits, ok := joined(w.text); ok && w.upper {
		number, next = g.rest(words, kind, prefix+"-"+digits, i+1)
		return number, next, true
	}
	if len(w.text) == 1 && w.upper && i+1 < len(words) && words[i+1].within("-", ". ", ".", " ", ".\u00a0", "\u00a0") {
		if digits, ok := digitsOf(words[i+1].text); ok && !(kind == "" && words[i+1].within(" ", ". ")) {
			number, next = g.rest(words, kind, w.text+"-"+digits, i+2)
			return number, next, true
		}
	}
	if w.capitals {
		if n := roman(w.text); n > 0 {
			return strconv.Itoa(n), i + 1, true
		}
		if len(w.text) == 1 && kind != "" && strings.Contains(lettered, " "+kind+" ") {
			return w.text, i + 1, true
		}
	}
	return "", i, false
}

// rest reads what goes on from a number: -3, .2, bis.
func (g *Grammar) rest(words []word, kind, number string, i int) (string, int) {
	for ; i < len(words); i++ {
		w := words[i]
		if strings.Contains(suffixes, " "+w.text+" ") && w.within(" ", "-", "\u00a0") {
			number += "-" + w.text
			continue
		}
		digits, ok := digitsOf(w.text)
		switch {
		case ok && w.within("-", "‑", "–"):
			number += "-" + digits
		case ok && w.gap == "." && kind == "article" && len(w.text) == 3: // 1.024
			number += w.text
		case ok && w.gap == ".":
			number += "." + digits
		case w.gap == "-" && len(w.text) == 1 && w.capitals:
			number += "-" + w.text
		default:
			return number, i
		}
	}
	return number, i
}

// digitsOf returns the digits of a folded word that is a number or an ordinal, without
// zeros in front: 1o, 2e, 09.
func digitsOf(text string) (string, bool) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	switch text[n:] {
	case "", "o", "a", "e", "er", "re", "os", "as", "eme", "th", "st", "nd", "rd":
	default:
		return "", false
	}
	if n == 0 || n > 6 {
		return "", false
	}
	return trimZeros(text[:n]), true
}

// joined divides a word of one letter and digits: m09.
func joined(text string) (letter, digits string, ok bool) {
	if len(text) < 2 || text[0] < 'a' || text[0] > 'z' {
		return "", "", false
	}
	for _, r := range text[1:] {
		if r < '0' || r > '9' {
			return "", "", false
		}
	}
	return text[:1], trimZeros(text[1:]), len(text) <= 6
}

func trimZeros(digits string) string {
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" {
		return trimmed
	}
	return "0"
}

// roman returns the value of a well-formed Roman numeral in lower case below 400, else 0.
func roman(text string) int {
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}
	total := 0
	for i := range len(text) {
		v := values[text[i]]
		if v == 0 {
			return 0
		}
		if i+1 < len(text) && values[text[i+1]] > v {
			total -= v
		} else {
			total += v
		}
	}
	if total <= 0 || total >= 400 || toRoman(total) != text {
		return 0
	}
	return total
}

func toRoman(n int) string {
	var b strings.Builder
	for _, step := range []struct {
		value int
		text  string
	}{{100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= step.value; n -= step.value {
			b.WriteString(step.text)
		}
	}
	return b.String()
}

// plainNumber reports whether a number has digits only.
func plainNumber(number string) bool {
	return number != "" && strings.Trim(number, "0123456789") == ""
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // it has six digits at most
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }
