package search

import (
	"context"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// facetCandidates is of how many texts of each side facets are counted.
const facetCandidates = candidates * widening

// findings are what answers a question.
type findings struct {
	ranks     map[string]int // of chunks that were found, by chunk_ref: the best is 0
	groups    []group        // best first
	wordsOnly bool           // the question could not be embedded
	reranking string         // what became of the reranker
	bounded   bool           // there may be more than what was looked at
}

// group is the chunks of one claim that were found.
type group struct {
	claim catalog.Claim
	score float64
	best  string // the first of them by score, a chunk_ref
	by    string // chunk_ref of the hit that refers to it, where that brought it to its place
}

// claimsAhead is of how many chunks for each hit that is asked for the claims are read
// at first. Most of the hundreds that were found are never looked at. Where those do not
// suffice, since a phrase stands in few of them, each further look is twice as wide, up to
// widestLook: thousands are looked at in some twenty questions, and their texts are never
// all in memory.
const (
	claimsAhead = 2
	widestLook  = 800
)

// finder joins what was found to groups, one round of candidates after the other.
type finder struct {
	searcher *Searcher
	scope    catalog.SearchScope
	request  Request
	wording  wording

	ranked []retrieval.Scored // chunks, each once; those of an earlier round first
	looked int                // how many of ranked were looked at
	look   int                // how many are looked at next
	found  findings
	known  map[catalog.Claim]bool
}

// find returns the first groups of chunks that answer a question, at most so many, and
// with all those of facetCandidates. As long as there are fewer, since many chunks say the
// same or have moved, it looks further down. What it found before stays before: the order
// does not depend on how many are asked for.
func (s *Searcher) find(ctx context.Context, scope catalog.SearchScope, r Request, w wording, most int, times *Times) (findings, error) {
	began := time.Now()
	q, err := s.question(ctx, scope, r, w)
	lap(&times.Embedding, began)
	if err != nil {
		return findings{}, err
	}
	most = max(most, followedHits)
	f := &finder{searcher: s, scope: scope, request: r, wording: w, known: make(map[catalog.Claim]bool),
		found: findings{ranks: make(map[string]int), wordsOnly: q.wordsOnly}}
	for n := candidates; ; n = min(n*widening, maxCandidates) {
		began := time.Now()
		scores, more, err := q.candidates(ctx, n)
		lap(&times.Vectors, began)
		if err != nil {
			return findings{}, err
		}
		for _, hit := range scores {
			if _, known := f.found.ranks[hit.ID]; !known {
				f.found.ranks[hit.ID] = len(f.ranked)
				f.ranked = append(f.ranked, hit)
			}
		}
		enough := most
		if r.Facets && n <= facetCandidates {
			enough = len(f.ranked)
		}
		began = time.Now()
		err = f.group(ctx, enough)
		lap(&times.Catalog, began)
		if err != nil {
			return findings{}, err
		}
		f.found.bounded = more
		if !more || n == maxCandidates || len(f.found.groups) >= most && (!r.Facets || n >= facetCandidates) {
			began = time.Now()
			err = f.follow(ctx)
			lap(&times.Catalog, began)
			return f.found, err
		}
	}
}

// group looks at what was found until there are so many groups, or nothing is left. What
// the catalog does not know, or has moved to another layer since it was indexed, is left
// out, and so are chunks of disabled sources and texts that do not say the phrases.
func (f *finder) group(ctx context.Context, enough int) error {
	for f.looked < len(f.ranked) && len(f.found.groups) < enough {
		f.look = max(f.look, claimsAhead*f.request.Limit, candidates/widening)
		part := f.ranked[f.looked:min(len(f.ranked), f.looked+f.look)]
		f.look = max(f.look, min(2*f.look, widestLook))
		refs := make([]string, len(part))
		for i, hit := range part {
			refs[i] = hit.ID
		}
		claims, err := f.searcher.Catalog.Claims(ctx, refs)
		if err != nil {
			return err
		}
		worded, err := f.worded(ctx, refs, claims)
		if err != nil {
			return err
		}
		for _, hit := range part {
			row, ok := claims[hit.ID]
			if !ok || f.known[row.Claim] || !f.stands(row) || worded != nil && !worded[hit.ID] {
				continue
			}
			f.known[row.Claim] = true
			f.found.groups = append(f.found.groups, group{claim: row.Claim, score: hit.Score, best: hit.ID})
		}
		f.looked += len(part)
	}
	return nil
}

// stands reports whether a chunk is searched, by what the catalog says now.
func (f *finder) stands(row catalog.ClaimRow) bool {
	layers := f.request.Layers
	return !slices.Contains(f.scope.Disabled, row.SourceID) && (len(layers) == 0 || slices.Contains(layers, string(row.Layer)))
}

// worded returns which chunks say the phrases of the question, and nothing that it leaves
// out; nil when it has none.
func (f *finder) worded(ctx context.Context, refs []string, claims map[string]catalog.ClaimRow) (map[string]bool, error) {
	if f.wording.plain() {
		return nil, nil
	}
	var open []string
	for _, ref := range refs {
		if row, ok := claims[ref]; ok && !f.known[row.Claim] && f.stands(row) {
			open = append(open, ref)
		}
	}
	worded := make(map[string]bool, len(open))
	chunks, err := f.searcher.Catalog.ChunksWithStates(ctx, open)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		worded[c.Chunk.ChunkRef] = f.wording.passes(c.Chunk)
	}
	return worded, nil
}
