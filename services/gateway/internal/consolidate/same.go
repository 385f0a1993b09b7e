package consolidate

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/colophon-dev/colophon/pkg/entity/value"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// subject is of what a sentence speaks, beside its words: when, of which numbered thing, and of how much.
type subject struct {
	dates      []string // as value.Date has them, sorted, each once
	codes      []string // S-4, station 12: sorted, each once
	names      []string // folded words with a capital, but the first of the sentence
	quantities []quantity
}

// quantity is a number that counts or measures.
type quantity struct {
	readings []float64 // what it can be
	measure  string    // its unit or currency, as the page has it canonically; "" where none is known
}

// subjectOf reads a sentence in a language, "" where it is not known.
func subjectOf(s *sentence, language string) *subject {
	if s.subject != nil {
		return s.subject
	}
	t := value.Read(s.text, language)
	of := &subject{}
	for _, d := range t.Dates {
		of.dates = append(of.dates, d.Value)
	}
	for _, n := range t.Numbers {
		switch {
		case n.IsDate || slices.ContainsFunc(t.Dates, func(d value.Date) bool { return d.Start <= n.Start && n.End <= d.End }):
		case n.IsLabel || len(n.Readings) == 0 || isNumbered(s.text[:n.Start]):
			of.codes = append(of.codes, codeAt(s.text, n.Start, n.End))
		default:
			of.quantities = append(of.quantities, quantity{n.Readings, n.Currency + n.Unit.Canonical})
		}
	}
	for i, w := range strings.Fields(s.text) {
		if r := []rune(strings.TrimLeftFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })); i > 0 && len(r) > 0 && unicode.IsUpper(r[0]) {
			of.names = append(of.names, retrieval.Analyze(w)...)
		}
	}
	for _, list := range []*[]string{&of.dates, &of.codes} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	s.subject = of
	return of
}

// codeAt is the number in a range of a text with the letters that it is joined to.
func codeAt(text string, start, end int) string {
	joined := func(r rune) bool { return unicode.IsSpace(r) }
	from, to := strings.LastIndexFunc(text[:start], joined)+1, len(text)
	if n := strings.IndexFunc(text[end:], joined); n >= 0 {
		to = end + n
	}
	return strings.ToLower(strings.Trim(text[from:to], ".,;:()[]"))
}

// isNumbered reports whether a text ends with a word after which a number says which one of several it is.
func isNumbered(before string) bool {
	words := strings.Fields(before)
	if len(words) == 0 {
		return false
	}
	last := strings.ToLower(words[len(words)-1])
	return last == "#" || last == "n°" || last == "nº" || numberedWords()[strings.Join(retrieval.Analyze(last), "")]
}

// numberedWords are those words, folded, of the languages that documents have most.
var numberedWords = sync.OnceValue(func() map[string]bool {
	return distinct(strings.Fields("station site gauge gage point plot parcel lot well borehole sample sampler logger transect reach weir buoy room no nr number " +
		"poste puits echantillon salle numero stazione sito punto parcella lotto pozzo campione sala estacao sitio ponto lote poco amostra parcela"))
})

// emptyWords are words of grammar, folded, which say nothing of what a sentence is about.
var emptyWords = sync.OnceValue(func() map[string]bool {
	return distinct(strings.Fields("a an the of in on at to for by with from as and or but that which it its this these those is are was were be been has have had do did does will would " +
		"into during while also then there than so only about le la les l un une des du de d en au aux et ou a dans par pour sur avec que qui ce cette ces est sont etait etaient ete a ont avait " +
		"se sa son ses il elle y o os as um uma dos das do da no na nos nas e com para por que foi foram ser sao era eram esta este estes estas seu sua ao aos il lo gli i una uno dello della dei degli delle " +
		"nel nella nello nei con per che e sono era erano stato stata sul sulla al alla ai questa questo"))
})

// isSame reports whether two sentences that share most of their words speak of the same thing, measure and date, in languages
// that may be "": no more than one of them has words that the other lacks, and no name is among these; they state the same
// dates, number the same things, and measure in the same units.
func isSame(x, y *sentence, languageOfX, languageOfY string) bool {
	mine, yours := lacking(x, y), lacking(y, x)
	if len(mine) > 0 && len(yours) > 0 {
		return false
	}
	of, with := subjectOf(x, languageOfX), subjectOf(y, languageOfY)
	if !slices.Equal(of.dates, with.dates) || !slices.Equal(of.codes, with.codes) {
		return false
	}
	if len(of.quantities) == len(with.quantities) {
		for i := range of.quantities {
			if of.quantities[i].measure != with.quantities[i].measure {
				return false
			}
		}
	}
	named := func(words, names []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
	}
	return !named(mine, of.names) && !named(yours, with.names)
}

// lacking are the words of x that say what it is about and that y has not.
func lacking(x, y *sentence) (words []string) {
	for _, w := range x.words {
		if !slices.Contains(y.words, w) && !emptyWords()[w] {
			words = append(words, w)
		}
	}
	return words
}

// differ reports whether sentences with as many quantities have others.
func differ(x, y *subject) bool {
	if len(x.quantities) != len(y.quantities) {
		return false
	}
	for i, q := range x.quantities {
		if !slices.ContainsFunc(q.readings, func(v float64) bool { return slices.Contains(y.quantities[i].readings, v) }) {
			return true
		}
	}
	return false
}
