package language

import (
	"math/bits"
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

// score compares a text with the languages of the family that memory asks for,
// and returns them in the family's order, and the number of words.
func (m *family) score(text string, memory *Memory) ([]candidate, int) {
	words := memory.of(m)
	var behind, known [width]int
	best, n := 0, 0
	eachWord(text, func(w []byte) {
		v := words[string(w)]
		if v == nil {
			v = memory.judge(m, w)
		}
		n++
		best += int(v.best)
		for k, by := range &v.behind {
			behind[k] += int(by)
		}
		for left := v.known; left != 0; left &= left - 1 {
			known[bits.TrailingZeros64(left)]++
		}
	})
	out := make([]candidate, 0, len(m.langs))
	for k, code := range m.langs {
		if memory.may(code) {
			out = append(out, candidate{code: code, score: best - behind[k], known: known[k]})
		}
	}
	return out, n
}

// lead puts the best two of the candidates first.
func lead(found []candidate) {
	for i := range min(2, len(found)) {
		for k := i + 1; k < len(found); k++ {
			if better(&found[k], &found[i]) {
				found[i], found[k] = found[k], found[i]
			}
		}
	}
}

// better reports whether a comes before b.
func better(a, b *candidate) bool {
	return a.score > b.score || a.score == b.score && a.code < b.code
}

// form sets scores to what the characters of a word say.
func (m *family) form(w []byte, scores *[width]int32) {
	clear(scores[:])
	var sum lanes
	added := 0
	add := func(cost *lanes) {
		for i := range sum {
			sum[i] += cost[i]
		}
		if added++; added == maxAdded {
			sum.takeFrom(scores)
			sum, added = lanes{}, 0
		}
	}
	g := gram(0).add(edge).add(edge)
	for len(w) > 0 {
		r, size := utf8.DecodeRune(w)
		g = g.add(r).last(3)
		add(m.cost(g))
		w = w[size:]
	}
	add(m.cost(g.add(edge).last(3)))
	sum.takeFrom(scores)
}

// takeFrom takes the numbers from the scores.
func (l *lanes) takeFrom(scores *[width]int32) {
	for i, word := range l {
		for k := range 4 {
			scores[4*i+k] -= int32(word >> (16 * k) & 0xFFFF)
		}
	}
}

// unseen is what a character costs that no language has.
var unseen = func() lanes {
	var logs row
	for k := range logs {
		logs[k] = -12 * bit
	}
	return costOf(&logs)
}()

// cost returns what the last character of a gram costs: by the longest end of the
// gram that was seen in any language.
func (m *family) cost(g gram) *lanes {
	for n := len(m.grams) - 1; n >= 0; n-- {
		if at, ok := m.grams[n].index.find(g.last(n + 1)); ok {
			return &m.grams[n].costs[at]
		}
	}
	return &unseen
}
