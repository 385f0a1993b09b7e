package ask

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/colophon-dev/colophon/pkg/entity/lexicon"
	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/model"
)

//go:embed glue.tsv
var glueTable string

//go:embed limits.tsv
var limitTable string

// wordLists are the words of the two tables, by language.
type wordLists struct{ glue, limits map[string]map[string]bool }

// listed returns the tables, read once.
var listed = sync.OnceValue(func() wordLists {
	return wordLists{glue: readTable(glueTable), limits: readTable(limitTable)}
})

func readTable(table string) map[string]map[string]bool {
	lists := make(map[string]map[string]bool)
	for line := range strings.Lines(table) {
		language, words, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		lists[language] = make(map[string]bool)
		for _, w := range strings.Fields(words) {
			lists[language][lexicon.Fold(w)] = true
		}
	}
	return lists
}

// The kinds of tokens.
type kind int

const (
	ofWord kind = iota
	ofNumber
	ofDate
	ofName // a word with a capital letter within a sentence
)

// token is one thing that a text says: a word that means something, a number with its unit, a date.
type token struct {
	kind   kind
	folded string       // of a word
	number value.Number // with unit and currency
	date   string       // YYYY[-MM[-DD]]
	raw    string       // as printed, folded, of numbers and dates
	at     value.Span
	sign   string // before a number: <, ~
	share  int    // which part of its sentence it stands in
	joined bool   // the name goes on from the token before
}

// read returns the tokens of a sentence, those that say nothing by themselves left out, and the words
// that turn or limit what it says.
func read(text, language string) (tokens []token, limits []string) {
	t := value.Read(text, language)
	covered := make([]bool, len(text)+1)
	cover := func(s value.Span) {
		for i := s.Start; i < s.End && i < len(covered); i++ {
			covered[i] = true
		}
	}
	for _, d := range t.Dates {
		tokens = append(tokens, token{kind: ofDate, date: d.Value, raw: lexicon.Fold(text[d.Start:d.End]), at: d.Span})
		cover(d.Span)
	}
	for _, n := range t.Numbers {
		if covered[n.Start] || slices.ContainsFunc(t.Words, func(w value.Word) bool { return w.Start < n.Start && n.Start < w.End }) {
			continue // of a date, or of a word such as S1
		}
		tokens = append(tokens, token{kind: ofNumber, number: n, raw: lexicon.Fold(text[n.Start:n.End]), at: n.Span, sign: signBefore(text[:n.Start])})
		cover(n.Span)
		cover(n.Money)
		if n.Unit.Canonical != "" {
			cover(n.Unit.Span)
		}
	}
	lists := listed()
	limits = denials(t)
	for i, w := range t.Words {
		if covered[w.Start] {
			continue
		}
		if lists.limits[language][w.Folded] {
			limits = append(limits, w.Folded)
		}
		if lists.glue[language][w.Folded] {
			continue
		}
		k := ofWord
		if first, _ := utf8.DecodeRuneInString(text[w.Start:]); unicode.IsUpper(first) && i > 0 {
			k = ofName
		}
		joined := k == ofName && i > 0 && strings.TrimSpace(text[t.Words[i-1].End:w.Start]) == "" && isUpper(text[t.Words[i-1].Start:])
		tokens = append(tokens, token{kind: k, folded: w.Folded, at: w.Span, joined: joined})
	}
	slices.SortFunc(tokens, func(a, b token) int { return a.at.Start - b.at.Start })
	share(text, tokens, t.Words)
	slices.Sort(limits)
	return tokens, slices.Compact(limits)
}

// signBefore returns the sign that makes a limit, or something near, of the number that follows.
func signBefore(text string) string {
	text = strings.TrimRight(text, " \u00A0\u202F$€£")
	r, _ := utf8.DecodeLastRuneInString(text)
	if text != "" && strings.ContainsRune("<>≤≥~≈±", r) {
		return string(r)
	}
	return ""
}

func isUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// denials returns the words that deny, those of idioms that deny nothing left out.
func denials(t value.Text) (out []string) {
	const longest = 6
	words := make([]string, len(t.Words))
	for i, w := range t.Words {
		words[i] = w.Folded
	}
	for i := 0; i < len(words); {
		rest := words[i:min(len(words), i+longest)]
		if _, n := lexicon.LookupPhrase("negation_idiom", t.Language, rest); n > 0 {
			out = append(out, strings.Join(rest[:n], " "))
			i += n
			continue
		}
		if _, n := lexicon.LookupPhrase("negation", t.Language, rest); n > 0 {
			out = append(out, strings.Join(rest[:n], " "))
			i += n
			continue
		}
		i++
	}
	return out
}

// joining are words between two things that are said of different things.
func joining() []string {
	return []string{"and", "or", "but", "while", "whereas", "et", "ou", "mais", "tandis", "e", "ed", "o", "ma", "mentre", "mas", "enquanto"}
}

// share says of tokens in which part of their sentence they stand: parts are divided by commas,
// semicolons, brackets, dashes and joining words; those of a row by bars alone.
func share(text string, tokens []token, words []value.Word) {
	var cuts []int
	dividing := ",;()–—\n"
	if strings.Contains(text, "|") {
		dividing, words = "|", nil
	}
	for i, r := range text {
		if strings.ContainsRune(dividing, r) {
			if !slices.ContainsFunc(tokens, func(t token) bool { return t.at.Start <= i && i < t.at.End }) {
				cuts = append(cuts, i)
			}
		}
	}
	for _, w := range words {
		if slices.Contains(joining(), w.Folded) && !slices.ContainsFunc(tokens, func(t token) bool { return t.kind != ofWord && t.at.Start <= w.Start && w.Start < t.at.End }) {
			cuts = append(cuts, w.Start)
		}
	}
	slices.Sort(cuts)
	for i := range tokens {
		n, _ := slices.BinarySearch(cuts, tokens[i].at.Start)
		tokens[i].share = n
	}
}

// endings are those by which an ordinary word may differ from the passage's: of the plural, and of
// the past in English.
func endings() []string { return []string{"s", "es", "d", "ed", "x"} }

// same reports whether a token of an answer is what a token of a passage is. Numbers are the same by
// value and unit, dates when one is the other or a coarser one of it, names letter by letter.
func same(said, there token) bool {
	switch said.kind {
	case ofDate:
		return there.kind == ofDate && (said.date == there.date || strings.HasPrefix(there.date, said.date+"-"))
	case ofNumber:
		return there.kind == ofNumber && sameNumber(said, there)
	case ofName:
		return (there.kind == ofWord || there.kind == ofName) && said.folded == there.folded
	default:
		return (there.kind == ofWord || there.kind == ofName) && sameWord(said.folded, there.folded)
	}
}

// leastInflected is how many letters a word has whose ending may differ.
const leastInflected = 4

func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b, a)
	return ok && utf8.RuneCountInString(a) >= leastInflected && slices.Contains(endings(), rest)
}

func sameNumber(a, b token) bool {
	x, y := a.number, b.number
	if a.sign != b.sign || (x.Range == value.NoRange) != (y.Range == value.NoRange) {
		return false // a limit is no value, and neither is the end of a range
	}
	if len(x.Readings) != 1 || len(y.Readings) != 1 || x.Unit.Canonical == value.UnknownUnit || x.Currency == value.UnknownUnit {
		return len(x.Readings) == len(y.Readings) && a.raw == b.raw && x.Unit.Canonical == y.Unit.Canonical && x.Currency == y.Currency &&
			x.Unit.Canonical != value.UnknownUnit && x.Currency != value.UnknownUnit
	}
	return x.Readings[0] == y.Readings[0] && x.Unit.Canonical == y.Unit.Canonical && x.Currency == y.Currency && x.PerUnit == y.PerUnit
}

// reasonOf says what is not found when a token is not.
func reasonOf(t token) model.AskReason {
	switch t.kind {
	case ofNumber:
		return model.AskNumber
	case ofDate:
		return model.AskDate
	case ofName:
		return model.AskName
	default:
		return model.AskWords
	}
}
