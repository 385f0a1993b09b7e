package reference

import (
	"slices"
	"strings"
)

// How far the name of a document reaches, in words.
const (
	maxName   = 9
	maxBefore = 8 // words of an English name before "Act"
)

// numbered reads a law that is named by its number, from the word for it on: RN 259,
// Lei n.º 18/2021, Regulation (EU) 2016/679. It returns the index of the word after it. A
// number of one part is one where a sign or capitals say so, or where it is no year.
func (g *Grammar) numbered(words []word, i int) (law Law, next int, ok bool) {
	if _, ok := g.laws[words[i].text]; !ok {
		return law, i, false
	}
	sure := words[i].capitals
	for at := i + 1; at < len(words) && at < i+5; at++ {
		w := words[at]
		if strings.ContainsAny(w.gap, ",;:\n") {
			break
		}
		if digits, number := digitsOf(w.text); number && plainNumber(w.text) {
			law = Law{Words: []string{words[i].text}, Parts: []string{digits}}
			for next = at + 1; next < len(words) && words[next].within("/", "-", "."); next++ {
				more, ok := digitsOf(words[next].text)
				if !ok {
					break
				}
				law.Parts = append(law.Parts, more)
			}
			year := len(digits) == 4 && (digits[0] == '1' || digits[0] == '2')
			return law, next, len(law.Parts) > 1 || sure || len(digits) >= 3 && !year
		}
		switch w.text {
		case "n", "no", "nr", "num", "numero":
			sure = true
		case "o", "normativa": // n.º
		default:
			if !w.capitals { // (EU)
				return law, i, false
			}
		}
	}
	return law, i, false
}

// lawAfter reads from words[i] on which document a place is said to be in. other is false
// where none is named, or the text's own ("of this Act").
func (g *Grammar) lawAfter(words []word, i int) (law Law, next int, other bool) {
	at := i
	for at < len(words) && at < i+4 && g.of[words[at].text] && plainGap(words[at].gap) {
		at++
	}
	if at == i || at >= len(words) || !plainGap(words[at].gap) {
		return law, i, false
	}
	if law, next, ok := g.numbered(words, at); ok {
		return law, next, true
	}
	if _, first := g.laws[words[at].text]; first {
		return g.named(words, at)
	}
	for n := at; n < len(words) && n < at+maxBefore && (n == at || plainGap(words[n].gap)); n++ { // the Small Harbours Act 2019
		if g.own[words[n].text] {
			return law, i, false
		}
		if _, ok := g.laws[words[n].text]; ok && words[n].upper && words[at].upper && n > at {
			for _, w := range words[at : n+1] {
				law.Words = append(law.Words, w.text)
			}
			next = n + 1
			if next < len(words) && len(words[next].text) == 4 && plainNumber(words[next].text) {
				law.Words, next = append(law.Words, words[next].text), next+1
			}
			return law, next, true
		}
	}
	return law, i, false
}

// named reads a name that begins with the word for a law: code de la santé publique. "da
// lei" alone, or "de la présente loi", is the text's own.
func (g *Grammar) named(words []word, at int) (law Law, next int, other bool) {
	law.Words, next = []string{words[at].text}, at+1
	for n := at + 1; n < len(words) && n < at+maxName && plainGap(words[n].gap); n++ {
		if g.own[words[n].text] {
			break
		}
		law.Words = append(law.Words, words[n].text)
		if !g.of[words[n].text] {
			next = n + 1
		}
	}
	law.Words = law.Words[:max(1, next-at)]
	content := slices.DeleteFunc(slices.Clone(law.Words), func(w string) bool { return g.of[w] || g.join[w] })
	return law, next, len(content) > 1
}

// plainGap reports whether two words stand in one phrase.
func plainGap(gap string) bool {
	return !strings.ContainsAny(gap, ".;:,!?()[]|") && !strings.Contains(gap, "\n\n")
}

// Titles returns what words the title of a law's document has, the most that it may have
// first: who looks for it takes the first that some title has.
func (g *Grammar) Titles(law Law) [][]string {
	if len(law.Parts) > 0 {
		all := [][]string{slices.Concat(law.Words, law.Parts)}
		if alias := g.aliases[law.Words[0]]; alias != nil {
			all = append(all, slices.Concat(alias, law.Parts))
		}
		if len(law.Parts) > 1 {
			all = append(all, slices.Concat(law.Words, law.Parts[:1]))
		}
		return all
	}
	content := slices.DeleteFunc(slices.Clone(law.Words), func(w string) bool { return g.of[w] || g.join[w] })
	var all [][]string
	for n := len(content); n >= 2; n-- {
		all = append(all, content[:n])
	}
	return all
}
