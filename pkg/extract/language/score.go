package language

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// candidate is a language that a text was compared with.
type candidate struct {
	code  string
	score int // log2 of the text's probability, in 64ths
	known int // words that the language lists
}

const (
	// formNum over formDen is the weight of what the characters of a word say:
	// they are not as independent as the calculation takes them to be.
	formNum, formDen = 1, 2
	// unlisted is what a word costs that a language does not list.
	unlisted = 1 * bit
	// capped is the most that one word can say against a language: a name or a
	// foreign word must not decide over a paragraph.
	capped = 7 * bit
)

// eachWord calls f with every run of letters of a text in lower case. The
// slice is used again.
func eachWord(text string, f func([]byte)) {
	buf := make([]byte, 0, 64)
	flush := func() {
		if len(buf) > 0 {
			f(buf)
		}
		buf = buf[:0]
	}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			buf = append(buf, byte(r))
		case r < utf8.RuneSelf:
			if r >= 'A' && r <= 'Z' {
				buf = append(buf, byte(r)+'a'-'A')
			} else {
				flush()
			}
		case unicode.IsLetter(r) || unicode.IsMark(r):
			buf = utf8.AppendRune(buf, fold(r))
		default:
			flush()
		}
	}
	flush()
}

// fold returns the lower case of a letter, and one form of those that have two
// (the Romanian letters with a comma are often written with a cedilla).
func fold(r rune) rune {
	switch r = unicode.ToLower(r); r {
	case 'ş':
		return 'ș'
	case 'ţ':
		return 'ț'
	case 'ي':
		return 'ی'
	case 'ك':
		return 'ک'
	}
	return r
}

// score compares a text with the languages of the family that wanted allows,
// and returns them with the best first, and the number of words.
func (m *family) score(text string, wanted func(string) bool) ([]candidate, int) {
	var form, word [width]int32
	ask := make([]int, 0, len(m.langs))
	all := make([]candidate, len(m.langs))
	for k, code := range m.langs {
		if all[k].code = code; wanted(code) {
			ask = append(ask, k)
		}
	}
	n := 0
	eachWord(text, func(w []byte) {
		n++
		m.form(w, &form)
		list := m.words[string(w)]
		best := int32(math.MinInt32)
		for _, k := range ask {
			word[k] = form[k]*formNum/formDen - unlisted
			if list != nil && list[k] != absent {
				all[k].known++
				word[k] = max(int32(list[k]), word[k])
			}
			best = max(best, word[k])
		}
		for _, k := range ask {
			all[k].score += int(max(word[k], best-capped))
		}
	})
	out := make([]candidate, 0, len(ask))
	for _, k := range ask {
		out = append(out, all[k])
	}
	slices.SortFunc(out, better)
	return out, n
}

// better orders candidates, the best first.
func better(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.code, b.code))
}

// form sets scores to what the characters of a word say.
func (m *family) form(w []byte, scores *[width]int32) {
	clear(scores[:])
	g := gram(0).add(edge).add(edge)
	for len(w) > 0 {
		r, size := utf8.DecodeRune(w)
		g = g.add(r).last(3)
		m.add(g, scores)
		w = w[size:]
	}
	m.add(g.add(edge).last(3), scores)
}

// unseen is what a character costs that no language has.
const unseen = 12 * bit

// add adds what the last character of a gram says: by the longest end of the
// gram that was seen in any language.
func (m *family) add(g gram, scores *[width]int32) {
	for n := len(m.grams) - 1; n >= 0; n-- {
		if at, ok := m.grams[n].index[g.last(n+1)]; ok {
			for k, s := range m.grams[n].logs[at] {
				scores[k] += int32(s)
			}
			return
		}
	}
	for k := range scores {
		scores[k] -= unseen
	}
}
