package quote

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// How many texts are read for a quotation.
const (
	rareEnough    = 500    // chunks that have a word: all are read
	fewEnough     = 20     // chunks that have a word: no rarer one is looked for
	countedWords  = 8      // words of which it is asked how rare they are
	commonEnough  = 20_000 // chunks that have all words of a part, where no word is rare
	readable      = 4_000  // chunks that have a word: all are read where nothing was found by parts
	mostSurvivors = 200    // chunks whose neighbours are read
	mostWordless  = 1000   // chunks whose words are not made yet: all are read
	leastOfPart   = 30     // letters of a quarter by which chunks are looked for
)

// unread says why not all texts were read that may have a quotation; "" when all were.
type unread string

const (
	tooMany  unread = "too many texts have all words of the quotation to read them: ask for a longer part of it, or narrow source or document"
	wordless unread = "texts have come so fast that not all can be looked up yet: ask again later, or narrow source or document"
)

// omissions are what stands for words that are left out.
var omissions = regexp.MustCompile(`\s*(?:[\[(]\s*)?(?:…|\.(?:\s?\.){2,})(?:\s*[\])])?\s*`)

// partsOf returns the parts of a quotation between its omissions.
func partsOf(quotation string) []folded {
	var parts []folded
	for _, part := range omissions.Split(quotation, -1) {
		if f := fold(part); f.Len() > 0 {
			parts = append(parts, f)
		}
	}
	return parts
}

// places returns where one part of a quotation stands, and why not all texts were read that
// may have it. Where all is false, one place that says so now as it is written is enough.
func (c *Checker) places(ctx context.Context, q folded, part int, all bool, f catalog.QuoteFilter) (found []located, left unread, err error) {
	search := &lookup{reader: reader{catalog: c.Catalog, quote: q, part: part}, filter: f, seen: make(map[at]bool)}
	words := wordsOf(q)
	inner := slices.DeleteFunc(slices.Clone(words), func(w word) bool { return w.edge })
	if len(inner) == 0 {
		inner = words
	}
	if len(inner) == 0 {
		return nil, tooMany, nil
	}
	if err := search.readWordless(ctx); err != nil {
		return nil, "", err
	}
	rare, ok, err := c.rarest(ctx, inner, rareEnough)
	if err != nil {
		return nil, "", err
	}
	if ok {
		err = search.read(ctx, []word{rare}, rareEnough)
		return search.found, search.left, err
	}
	for _, pieces := range dividings(q, inner) {
		for _, piece := range pieces {
			if err := search.read(ctx, piece, commonEnough); err != nil {
				return nil, "", err
			}
		}
		if !all && slices.ContainsFunc(search.found, func(l located) bool { return l.current && !l.place.OtherCase }) {
			return search.found, cmp.Or(search.left, tooMany), nil
		}
	}
	err = c.readRest(ctx, search, inner)
	return search.found, search.left, err
}

// readRest reads all chunks that have one of the words. By parts a place is missed that goes
// over so many chunks that none of them has a whole part: where too many chunks have each
// word, it is not known that there is none.
func (c *Checker) readRest(ctx context.Context, search *lookup, words []word) error {
	rare, ok, err := c.rarest(ctx, words, readable)
	if err != nil {
		return err
	}
	if !ok {
		search.left = cmp.Or(search.left, tooMany)
		return nil
	}
	if search.left == tooMany { // what was left out before is read now
		search.left = ""
	}
	return search.read(ctx, []word{rare}, readable)
}

// rarest returns a word that so few chunks have, enough of them at most, that all can be
// read: each place of the quotation has it in one of them.
func (c *Checker) rarest(ctx context.Context, words []word, enough int) (rare word, ok bool, err error) {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	least := enough + 1
	words = slices.CompactFunc(words, func(a, b word) bool { return slices.Equal(a.forms, b.forms) })
	for _, w := range words[:min(countedWords, len(words))] {
		n, err := c.Catalog.CountQuoteWord(ctx, w.forms, least)
		if err != nil {
			return rare, false, err
		}
		if n < least {
			rare, ok, least = w, true, n
		}
		if n <= fewEnough {
			break
		}
	}
	return rare, ok, nil
}

// dividings returns the parts of a quotation without a rare word by which chunks are looked
// for, in turn: all of it; its halves, of which one is whole in a chunk where it stands
// over two; its quarters.
func dividings(q folded, words []word) [][][]word {
	all := [][][]word{{words}}
	for _, n := range []int{2, 4} {
		if len(words) < n || n > 2 && q.Len() < n*leastOfPart {
			break
		}
		all = append(all, slices.Collect(slices.Chunk(words, (len(words)+n-1)/n)))
	}
	return all
}

type at struct {
	set       model.ChunkSet
	chunk, at int
}

// lookup gathers the places of a part of a quotation.
type lookup struct {
	reader
	filter   catalog.QuoteFilter
	seen     map[at]bool
	found    []located
	wordless []catalog.QuoteCandidate // chunks that no word finds yet
	left     unread
}

// readWordless reads the chunks that no word finds yet. It comes before chunks are looked for
// by words, which may be made meanwhile.
func (s *lookup) readWordless(ctx context.Context) error {
	all, err := s.catalog.WordlessChunks(ctx, s.filter, mostWordless, func(c catalog.QuoteCandidate) bool {
		s.wordless = append(s.wordless, c)
		return ctx.Err() == nil
	})
	if !all {
		s.left = wordless
	}
	return err
}

// read looks for the quotation in, and around, the chunks that have all of the words, and
// those that no word finds yet.
func (s *lookup) read(ctx context.Context, words []word, limit int) error {
	forms := make([]catalog.QuoteWord, len(words))
	for i, w := range words {
		forms[i] = w.forms
	}
	from, to := words[0].from, words[len(words)-1].first
	var survivors []catalog.QuoteCandidate
	keep := func(c catalog.QuoteCandidate) bool {
		if len(survivors) == mostSurvivors {
			s.left = cmp.Or(s.left, tooMany)
			return false
		}
		if reaches(fold(c.Content), s.quote, from, to) {
			c.Content = ""
			survivors = append(survivors, c)
		}
		return ctx.Err() == nil
	}
	for _, c := range s.wordless {
		if !keep(c) {
			break
		}
	}
	n := 0
	if err := s.catalog.QuoteCandidates(ctx, forms, s.filter, limit+1, func(c catalog.QuoteCandidate) bool {
		if n++; n > limit {
			s.left = cmp.Or(s.left, tooMany)
			return false
		}
		return keep(c)
	}); err != nil {
		return err
	}
	for _, c := range survivors {
		found, done, err := s.around(ctx, c)
		if err != nil {
			return err
		}
		if !done {
			s.left = cmp.Or(s.left, tooMany)
		}
		for _, l := range found {
			if key := (at{l.set, l.chunk, l.at}); !s.seen[key] {
				s.seen[key], l.current = true, c.Current
				s.found = append(s.found, l)
			}
		}
	}
	return nil
}

// inParts returns where the parts of a quotation stand in their order in one version of a
// document: as many places as there are parts for each version, in the order of the parts.
func (c *Checker) inParts(ctx context.Context, parts []folded, f catalog.QuoteFilter) (found []located, left unread, err error) {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return parts[b].Len() - parts[a].Len() })
	bySet := make(map[model.ChunkSet][][]located)
	for turn, number := range order {
		places, missed, err := c.places(ctx, parts[number], number+1, true, f)
		if err != nil {
			return nil, "", err
		}
		left = cmp.Or(left, missed)
		for _, l := range places {
			if bySet[l.set] == nil {
				if turn > 0 {
					continue
				}
				bySet[l.set] = make([][]located, len(parts))
			}
			bySet[l.set][number] = append(bySet[l.set][number], l)
		}
		f.Sets = f.Sets[:0]
		for set, parts := range bySet {
			if len(parts[number]) == 0 {
				delete(bySet, set)
				continue
			}
			f.Sets = append(f.Sets, set)
		}
		if len(f.Sets) == 0 {
			return nil, left, nil
		}
	}
	for _, parts := range bySet {
		found = append(found, inOrder(parts)...)
	}
	return found, left, nil
}

// inOrder returns the first place of each part behind those of the parts before it, and none
// where there is no such order.
func inOrder(parts [][]located) []located {
	var chosen []located
	for _, places := range parts {
		slices.SortFunc(places, func(a, b located) int { return cmp.Or(a.chunk-b.chunk, a.at-b.at) })
		i := slices.IndexFunc(places, func(l located) bool { return len(chosen) == 0 || chosen[len(chosen)-1].before(l) })
		if i < 0 {
			return nil
		}
		chosen = append(chosen, places[i])
	}
	return chosen
}
