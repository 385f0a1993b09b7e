package guard

import (
	"slices"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// bindSentences keeps of each name the places where a value is said of it, and of descriptions and messages those that
// hold a sentence, or row, of a value; without values, of a name. A description from elsewhere would lend its words to a value
// that is not said there.
func (c *checker) bindSentences(found []finding) (out []finding) {
	var values, names []finding
	for _, f := range found {
		if isBoundKind(f.field.Kind) {
			values = append(values, f)
		}
	}
	for i := range found {
		f := &found[i]
		if f.field.Kind != entity.KindName {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(f.hits), func(n hit) bool {
			return !slices.ContainsFunc(values, func(v finding) bool {
				return slices.ContainsFunc(v.hits, func(h hit) bool { return h.field == "" && areTogether(h, n) })
			})
		})
		if len(kept) > 0 {
			f.hits = kept
		}
		names = append(names, *f)
	}
	said := values
	if len(said) == 0 {
		said = names
	}
	for _, f := range found {
		if isLong(f.field) && len(said) > 0 {
			f.hits = slices.DeleteFunc(slices.Clone(f.hits), func(d hit) bool {
				return !slices.ContainsFunc(said, func(v finding) bool {
					return slices.ContainsFunc(v.hits, func(h hit) bool { return h.field == "" && holdsSentenceOf(d, h) })
				})
			})
			if len(f.hits) == 0 {
				c.drop(f.field.Name, NotTogether, "")
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// holdsSentenceOf reports whether a text lies in the sentence or row of a value, in part at least.
func holdsSentenceOf(text, v hit) bool {
	if text.block != v.block {
		return false
	}
	of := v.at
	switch r := v.block.rowOf(v.at); {
	case r != nil:
		of = r.Span
	case v.part != nil:
		of = v.part.Span
	}
	return text.at.Start < of.End && of.Start < text.at.End
}

// dropIdleQuotes leaves out quotes in which no value stands, where others hold some.
func (c *checker) dropIdleQuotes(found []finding) {
	used := make(map[int]bool)
	for _, f := range found {
		if len(f.hits) > 0 {
			used[f.hits[0].quote] = true
		}
		for _, h := range f.hits {
			if f.field.Kind == entity.KindPeriod || f.field.Kind == entity.KindPoints {
				used[h.quote] = true
			}
		}
	}
	if len(used) == 0 {
		return
	}
	moved := make(map[int]int)
	var kept []quote
	for i, q := range c.quotes {
		if used[i] {
			moved[i] = len(kept)
			kept = append(kept, q)
		}
	}
	for n := range found {
		f := &found[n]
		f.hits = slices.DeleteFunc(slices.Clone(f.hits), func(h hit) bool { return !used[h.quote] })
		for i := range f.hits {
			f.hits[i].quote = moved[f.hits[i].quote]
		}
	}
	c.quotes = kept
}

// firstQuoteOf returns the quote in which the first value of an entity stands, the first of all without one.
func firstQuoteOf(found []finding) int {
	for _, f := range found {
		if isBoundKind(f.field.Kind) && len(f.hits) > 0 {
			return f.hits[0].quote
		}
	}
	return 0
}
