package search

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// wording is a question as it was typed: what is asked, what must stand in a text word
// for word, and what must not.
type wording struct {
	asked   string     // without what is to be left out, and without quotation marks
	phrases [][]string // folded words that follow each other in what is found
	without [][]string // likewise, in nothing that is found
}

// plain reports whether no text needs to be looked at.
func (w wording) plain() bool { return len(w.phrases)+len(w.without) == 0 }

// errNothingAsked is the error of a question that only says what to leave out.
var errNothingAsked = errors.New("the question says only what to leave out: a word or a phrase to look for is missing")

// closing are the quotation marks that end a phrase, by those that begin it.
var closing = map[rune]string{'"': `"“”`, '“': `”"“`, '„': `“”"`, '”': `”"`, '«': `»`, '»': `«»`}

// parseWording reads a question: "…" is a phrase, -word and -"…" are left out. A mark
// that nothing closes, one behind a number or a word that begins no phrase (12"), and a
// hyphen that is not before a word and behind a space, mean nothing. Words are compared folded, so that a phrase of no letters or digits means
// nothing either.
func parseWording(query string) (wording, error) {
	var w wording
	var asked strings.Builder
	before := ' '
	for i := 0; i < len(query); {
		r, size := utf8.DecodeRuneInString(query[i:])
		minus := 0
		if r == '-' && unicode.IsSpace(before) {
			minus = size
		}
		phrase, end := "", i
		if opensPhrase(query[i+minus:], before) || minus > 0 {
			phrase, end = quotedAt(query, i+minus)
		}
		if phrase == "" && minus > 0 {
			phrase, end = wordAt(query, i+minus)
		}
		words := foldedWords(phrase)
		switch {
		case len(words) == 0:
			asked.WriteString(query[i : i+size])
			before = r
			i += size
			continue
		case minus > 0:
			w.without = append(w.without, words)
		default:
			w.phrases = append(w.phrases, words)
			asked.WriteString(" " + phrase + " ")
		}
		before, i = ' ', end
	}
	w.asked = strings.TrimSpace(asked.String())
	if len(w.without) > 0 && len(foldedWords(w.asked)) == 0 {
		return w, errNothingAsked
	}
	if w.plain() {
		w.asked = query
	}
	return w, nil
}

// CheckQuery returns why a question cannot be asked, nil when it can.
func CheckQuery(query string) error {
	_, err := parseWording(query)
	return err
}

// opensPhrase reports whether a mark at the beginning of a text may begin a phrase behind a
// character: one that also ends phrases does not behind a digit, or a letter of a script that
// has spaces between words.
func opensPhrase(text string, before rune) bool {
	mark, _ := utf8.DecodeRuneInString(text)
	if mark == '“' || mark == '„' || mark == '«' {
		return true
	}
	return !unicode.IsNumber(before) && (!unicode.IsLetter(before) && !unicode.IsMark(before) || unicode.In(before, unspaced...))
}

// unspaced are scripts that have no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// quotedAt returns what stands between the quotation marks that begin at a place, "" when
// none do, and where they end.
func quotedAt(query string, at int) (phrase string, end int) {
	r, size := utf8.DecodeRuneInString(query[at:])
	closes, opens := closing[r]
	if !opens {
		return "", at
	}
	n := strings.IndexAny(query[at+size:], closes)
	if n < 0 {
		return "", at
	}
	_, last := utf8.DecodeRuneInString(query[at+size+n:])
	return query[at+size : at+size+n], at + size + n + last
}

// wordAt returns what stands from a place up to the next space.
func wordAt(query string, at int) (word string, end int) {
	end = len(query)
	if n := strings.IndexFunc(query[at:], unicode.IsSpace); n >= 0 {
		end = at + n
	}
	return query[at:end], end
}

// foldedWords returns the words of a text as they are compared: folded, and without cases,
// also of what folds to capitals (™).
func foldedWords(text string) []string {
	words := retrieval.Analyze(text)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return words
}

// token is a folded word of a content, and the bytes that it was.
type token struct {
	word    string
	at, end int
}

// tokensOf returns the words of a chunk's content that its document says: none of those
// that a rule wrote.
func tokensOf(c model.Chunk) []token {
	base := contentStart(c)
	var tokens []token
	segments := c.Provenance.Segments
	for w := range retrieval.Words(c.Content) {
		for len(segments) > 0 && segments[0].End <= base+w.Start {
			segments = segments[1:]
		}
		if len(segments) == 0 || segments[0].Synthetic == "" {
			tokens = append(tokens, token{strings.ToLower(w.Text), w.Start, w.End})
		}
	}
	return tokens
}

// contentStart returns where the content begins in a chunk's text, which ends in it.
func contentStart(c model.Chunk) int { return max(0, len(c.Text)-len(c.Content)) }

// passes reports whether a chunk's own words are as the question wants them.
func (w wording) passes(c model.Chunk) bool {
	if w.plain() {
		return true
	}
	tokens := tokensOf(c)
	stands := func(phrase []string) bool { return nextPhrase(tokens, phrase, 0) >= 0 }
	return !slices.ContainsFunc(w.without, stands) &&
		!slices.ContainsFunc(w.phrases, func(phrase []string) bool { return !stands(phrase) })
}

// nextPhrase returns the index of the first token from one on at which the words of a
// phrase follow each other, -1 when there is none.
func nextPhrase(tokens []token, phrase []string, from int) int {
	for i := from; i+len(phrase) <= len(tokens); i++ {
		n := 0
		for n < len(phrase) && tokens[i+n].word == phrase[n] {
			n++
		}
		if n == len(phrase) {
			return i
		}
	}
	return -1
}
