package statement

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a text, or one of the signs that patterns name: ? and !.
type word struct {
	text       string // in lower case, with ' for every apostrophe
	start, end int    // bytes of the text
	capital    bool   // it begins with a capital letter
}

// mostWords bounds how many words of a sentence are looked at: what is longer is a list or
// a table, and time must not grow with its square.
const mostWords = 240

// wordsOf returns the words of a sentence. Letters, marks, digits and the signs of numbers
// (º, ª, °) make words; an apostrophe ends one and stays with it, as in l' and qu', but
// in English with what follows: n't, 's.
func wordsOf(text string) []word {
	out := make([]word, 0, min(len(text)/5+1, mostWords))
	start := -1
	add := func(end int) {
		if start >= 0 && len(out) < mostWords {
			r, _ := utf8.DecodeRuneInString(text[start:])
			lower := strings.ToLower(text[start:end])
			if strings.ContainsAny(lower, "’ʼ‘") {
				lower = apostrophes.Replace(lower)
			}
			out = append(out, word{text: lower, start: start, end: end, capital: unicode.IsUpper(r)})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '°':
			if start < 0 {
				start = i
			}
		case isApostrophe(r) && start >= 0:
			after := text[i+utf8.RuneLen(r):]
			if englishEnd(text[start:i], after) {
				continue
			}
			add(i + utf8.RuneLen(r))
		case r == '?' || r == '!':
			add(i)
			start = i
			add(i + 1)
		default:
			add(i)
		}
	}
	add(len(text))
	return out
}

// apostrophes are made one sign, as textnorm_v1 makes them.
var apostrophes = strings.NewReplacer("’", "'", "ʼ", "'", "‘", "'")

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' || r == '‘' }

// englishEnd reports whether what stands behind an apostrophe belongs to the word before it:
// don't, the council's.
func englishEnd(before, after string) bool {
	r, size := utf8.DecodeRuneInString(after)
	next, _ := utf8.DecodeRuneInString(after[min(size, len(after)):])
	return (r == 't' && strings.HasSuffix(before, "n") || r == 's') && !unicode.IsLetter(next) && !isApostrophe(next)
}

func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
