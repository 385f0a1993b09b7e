package docxt

import (
	"cmp"
	_ "embed" // the table of words
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Kinds of sections of blocks, and of those of which nothing is known. The others are
// in kinds.tsv (contracts#section-kind).
const (
	kindTable    = string(model.UnitTable)
	kindFigure   = string(model.UnitFigure)
	kindFootnote = string(model.UnitFootnote)
	kindGeneric  = "generic"
)

const (
	// maxWords is how many words of a heading are looked at: what says its kind stands
	// at its beginning, and what is longer is a paragraph that looks like a heading.
	maxWords = 24
	// sure is how sure the language of a page must be for the words of others not to count.
	sure = 0.5
)

//go:embed kinds.tsv
var kindsTSV string

var lexica = sync.OnceValue(func() []lexicon {
	parsed, err := parseKinds(kindsTSV)
	if err != nil {
		panic(err) // the table is part of the program
	}
	return parsed
})

// kindRow is a row of kinds.tsv.
type kindRow struct {
	kind, lang, place, example string

	words [][]string // alternatives for each word
}

// The places of rows, as kinds.tsv describes them.
const (
	placeHead     = "head"
	placeWhole    = "whole"
	placeNumbered = "numbered"
	placeHolds    = "holds"
	placeOpens    = "opens"
	placeLink     = "link"
	placeJoin     = "join"
	placeFrame    = "frame"
	placeLabel    = "label"
)

// lexicon holds the words of one language.
type lexicon struct {
	lang   string
	rows   map[string][]kindRow // by each of the alternatives of their first word
	words  map[string][]string  // places of the words of rows without a kind
	atEnd  bool                 // the head of a phrase is its last word, as in English
	source []kindRow            // all rows of kinds, in order
}

func (l lexicon) is(place, word string) bool { return slices.Contains(l.words[word], place) }

func parseKinds(data string) (out []lexicon, err error) {
	const columns = 5
	for n, line := range strings.Split(strings.TrimSuffix(data, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != columns {
			return nil, fmt.Errorf("kinds.tsv: line %d has %d columns, want %d", n+1, len(f), columns)
		}
		r := kindRow{kind: f[0], lang: f[1], place: f[2], example: f[4]}
		for _, word := range strings.Fields(f[3]) {
			r.words = append(r.words, strings.Split(word, "|"))
		}
		if len(r.words) == 0 {
			return nil, fmt.Errorf("kinds.tsv: line %d has no words", n+1)
		}
		i := slices.IndexFunc(out, func(l lexicon) bool { return l.lang == r.lang })
		if i < 0 {
			i = len(out)
			out = append(out, lexicon{lang: r.lang, rows: map[string][]kindRow{}, words: map[string][]string{}, atEnd: r.lang == "en"})
		}
		l := &out[i]
		if r.kind == "-" {
			for _, word := range r.words[0] {
				l.words[word] = append(l.words[word], r.place)
			}
			continue
		}
		l.source = append(l.source, r)
		for _, word := range r.words[0] {
			l.rows[word] = append(l.rows[word], r)
		}
	}
	return out, nil
}

// KindOf returns the kind of the section that a heading opens, among those of
// seeds#extraction, by its words: those of the languages that its page is in, of all
// languages when that is not known. It is a pure function.
func KindOf(heading string, page *model.Language) string {
	words := wordsOf(heading)
	all := lexica()
	speaks := languagesOf(page, all)
	for _, l := range all {
		if !speaks(l.lang) {
			continue
		}
		if kind := l.kind(words); kind != "" {
			return kind
		}
	}
	return kindGeneric
}

// languagesOf says which languages of the table a page may be in.
func languagesOf(page *model.Language, all []lexicon) func(lang string) bool {
	known := func(lang string) bool {
		return slices.ContainsFunc(all, func(l lexicon) bool { return l.lang == lang })
	}
	if page == nil || page.Confidence < sure {
		return known
	}
	return func(lang string) bool {
		return lang == page.Lang || slices.ContainsFunc(page.Languages, func(s model.LanguageShare) bool { return s.Code == lang })
	}
}

// word is a folded word of a heading.
type word struct {
	text   string
	number bool
	roman  bool // a well-formed Roman numeral in upper case
	breaks bool // a sign stands before it that divides phrases, such as a colon
}

// wordsOf returns the first words of a heading: letters and digits, lower case,
// without accents.
func wordsOf(heading string) (out []word) {
	const longest = 1 << 10 // bytes of a heading that are looked at
	if len(heading) > longest {
		heading = heading[:longest]
	}
	var w strings.Builder
	breaks, digits, upper := false, false, true
	flush := func() {
		if w.Len() > 0 {
			text := strings.ReplaceAll(w.String(), "œ", "oe")
			out = append(out, word{text: text, number: digits, roman: upper && roman.MatchString(text), breaks: breaks})
			w.Reset()
			breaks, digits, upper = false, false, true
		}
	}
	for _, r := range norm.NFD.String(heading) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\u00AD':
		case unicode.IsLetter(r), unicode.IsDigit(r):
			digits = digits || unicode.IsDigit(r)
			upper = upper && unicode.IsUpper(r)
			w.WriteRune(unicode.ToLower(r))
		case (r == '.' || r == ',') && w.Len() > 0 && digits:
			w.WriteRune(r) // of 2.1
		default:
			dash := r == '-' && w.Len() == 0 // a hyphen divides nothing
			flush()
			breaks = breaks || dash || strings.ContainsRune(":;,.–—/()[]|•&", r)
		}
		if len(out) == maxWords {
			return out
		}
	}
	flush()
	return out
}

// kind returns the kind of a heading by the words of one language, "" for none.
func (l lexicon) kind(words []word) string {
	words = l.unlabelled(words)
	counted, framed := l.numbered(words)
	if counted != "" && !framed {
		return counted
	}
	weak := ""
	phrases := l.phrases(words)
	if kind := l.whole(phrases); kind != "" {
		return kind
	}
	for i, p := range phrases {
		if i > 0 && !p.begins && !l.isFrame(phrases[i-1]) {
			break // it says more about the head, and is none
		}
		kind, framed := l.head(phrases, i)
		if kind != "" && !framed {
			return kind
		}
		if i+1 < len(phrases) && phrases[i+1].begins {
			if alone := l.whole([]phrase{p}); alone != "" {
				return alone // "education and stewardship"
			}
		}
		if weak == "" {
			weak = kind
		}
		if weak == "" {
			weak = l.opening(phrases[i:])
		}
	}
	// "step 3: consult the neighbours" says more than a step
	return cmp.Or(weak, counted, l.behind(words, phrases))
}

// behind returns the kind that a phrase behind a head says which says none itself, in a
// heading that is short enough to be no sentence: "methods of monitoring".
func (l lexicon) behind(words []word, phrases []phrase) string {
	const short = 10 // words
	if len(words) > short {
		return ""
	}
	for i := 1; i < len(phrases); i++ {
		if kind, _ := l.head(phrases, i); kind != "" {
			return kind
		}
	}
	return ""
}

// opening returns the kind that the first words of phrases say.
func (l lexicon) opening(phrases []phrase) string {
	words := wordsIn(phrases)
	for _, r := range l.rows[words[0].text] {
		if r.place == placeOpens && len(words) >= len(r.words) && matches(r, words) {
			return r.kind
		}
	}
	return ""
}

func wordsIn(phrases []phrase) (words []word) {
	for _, p := range phrases {
		words = append(words, p.words...)
	}
	return words
}

// unlabelled returns words without what counts the heading: "2.1", "Article 3", "IV".
func (l lexicon) unlabelled(words []word) []word {
	for len(words) > 0 {
		switch {
		case isNumber(words, 0) && (words[0].number || isMark(words, 0)):
			words = words[1:]
		case len(words) > 1 && l.is(placeLabel, words[0].text) && l.counts(words, 1):
			words = words[2:]
		default:
			return words
		}
	}
	return words
}

// roman are well-formed Roman numerals below 4000, in lower case.
var roman = regexp.MustCompile(`^m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$`)

// isNumber reports whether the i-th word counts: digits, one letter, or a Roman numeral
// that is in upper case or a list mark. Other words of such letters, as "mi", do not.
func isNumber(words []word, i int) bool {
	w := words[i]
	return w.number || utf8.RuneCountInString(w.text) == 1 || w.roman || isMark(words, i) && roman.MatchString(w.text)
}

// isMark reports whether a sign divides the i-th word from what comes after it: "iv)".
func isMark(words []word, i int) bool { return i+1 < len(words) && words[i+1].breaks }

// counts reports whether the i-th word is the number of a word before it: "section IV",
// but not "SEZIONE DI …", whose second word is a Roman numeral by its letters alone.
func (l lexicon) counts(words []word, i int) bool {
	return isNumber(words, i) && !l.is(placeLink, words[i].text)
}

// numbered returns the kind of a heading that begins with words and a number; framed is
// set for frame words, such as "step", after which something else may say more.
func (l lexicon) numbered(words []word) (kind string, framed bool) {
	if len(words) == 0 {
		return "", false
	}
	for _, r := range l.rows[words[0].text] {
		n := len(r.words)
		if r.place == placeNumbered && len(words) > n && matches(r, words[:n]) && l.counts(words, n) {
			return r.kind, r.kind != kindTable && l.isFrame(phrase{words: words[:n]})
		}
	}
	return "", false
}

// phrase is a noun with what belongs to it.
type phrase struct {
	words  []word
	begins bool // a sign or an "and" stands before it
}

// phrases divides words at signs and at words that link; those are left out, and so
// are numbers at the ends of a phrase.
func (l lexicon) phrases(words []word) (out []phrase) {
	var p phrase
	next := false
	flush := func() {
		for len(p.words) > 0 && p.words[len(p.words)-1].number {
			p.words = p.words[:len(p.words)-1]
		}
		if len(p.words) > 0 {
			out = append(out, p)
			next = false
		}
		p = phrase{}
	}
	for _, w := range words {
		link := l.is(placeLink, w.text)
		if w.breaks || link {
			flush()
			next = next || w.breaks || l.is(placeJoin, w.text)
		}
		if link {
			continue
		}
		if len(p.words) == 0 {
			if w.number {
				next = next || w.breaks
				continue
			}
			p.begins = next
		}
		p.words = append(p.words, w)
	}
	flush()
	return out
}

func (l lexicon) isFrame(p phrase) bool {
	return !slices.ContainsFunc(p.words, func(w word) bool { return !l.is(placeFrame, w.text) })
}

// whole returns the kind of a heading that is nothing but the words of a row and frame
// words behind it, or holds those of one that may stand anywhere.
func (l lexicon) whole(phrases []phrase) string {
	words := wordsIn(phrases)
	for i, w := range words {
		for _, r := range l.rows[w.text] {
			whole := r.place == placeWhole && i == 0 && len(words) >= len(r.words) && l.isFrame(phrase{words: words[len(r.words):]})
			holds := r.place == placeHolds && len(words)-i >= len(r.words)
			if (whole || holds) && matches(r, words[i:]) {
				return r.kind
			}
		}
	}
	return ""
}

// head returns the kind that the head of the i-th phrase says; framed is set when it is
// only a frame word that does, so that another phrase may say more.
func (l lexicon) head(phrases []phrase, i int) (kind string, framed bool) {
	words := slices.Clone(phrases[i].words)
	var ends []int // of the phrases behind it
	for _, p := range phrases[i+1:] {
		words = append(words, p.words...)
		ends = append(ends, len(words))
	}
	if l.atEnd {
		return l.headLast(words, len(phrases[i].words), ends)
	}
	r, ok := l.beginning(words)
	return r.kind, ok && l.isFrame(phrase{words: words[:len(r.words)]})
}

// headLast is head in a language whose phrases of n words end with their heads. The words
// of a row may go on into the phrases behind it: "terms of reference".
func (l lexicon) headLast(words []word, n int, ends []int) (kind string, framed bool) {
	for _, end := range ends {
		if r, ok := l.ending(words[:end]); ok && end-len(r.words) < n {
			return r.kind, false
		}
	}
	last := n
	for last > 0 && l.is(placeFrame, words[last-1].text) {
		last--
	}
	if r, ok := l.ending(words[:last]); ok {
		return r.kind, false
	}
	for end := n; end > last; end-- {
		if r, ok := l.ending(words[:end]); ok {
			return r.kind, l.isFrame(phrase{words: words[end-len(r.words) : end]})
		}
	}
	return "", false
}

// beginning returns the row with the most words that words begin with.
func (l lexicon) beginning(words []word) (found kindRow, ok bool) {
	for _, r := range l.rows[words[0].text] {
		if r.place == placeHead && len(r.words) > len(found.words) && len(r.words) <= len(words) && matches(r, words[:len(r.words)]) {
			found, ok = r, true
		}
	}
	return found, ok
}

// ending returns the row with the most words that words end with.
func (l lexicon) ending(words []word) (found kindRow, ok bool) {
	for begin := range words {
		for _, r := range l.rows[words[begin].text] {
			if r.place == placeHead && begin+len(r.words) == len(words) && len(r.words) > len(found.words) && matches(r, words[begin:]) {
				found, ok = r, true
			}
		}
	}
	return found, ok
}

func matches(r kindRow, words []word) bool {
	for i, alternatives := range r.words {
		if !slices.Contains(alternatives, words[i].text) {
			return false
		}
	}
	return true
}
