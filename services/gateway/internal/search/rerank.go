package search

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// reranked is how many of the best hits a reranker reads: more cost more time, and hits
// that stand further down hardly ever answer (contracts#reranking).
const reranked = 50

// Reranker says how well texts answer a question: a number for each, more is better. An
// Unavailable error is that of an endpoint that cannot be asked now.
type Reranker interface {
	Rerank(ctx context.Context, question string, texts []string) ([]float64, error)
}

// What became of the reranker in an answer.
const (
	RerankingOff  = "off"  // there is none
	RerankingDone = "done" // the first hits are in its order
	RerankingAway = "away" // it could not be asked: they are in the order without it
)

// findInOrder is find, with the first hits in the order of the reranker, if there is one
// and it can be asked. They are always as many, so that all pages are of one list; one that
// begins behind them needs no reranker.
func (s *Searcher) findInOrder(ctx context.Context, scope catalog.SearchScope, r Request, w wording, before, most int, times *Times) (findings, error) {
	if s.Reranker == nil || before >= reranked {
		found, err := s.find(ctx, scope, r, w, most, times)
		found.reranking = RerankingOff
		return found, err
	}
	found, err := s.find(ctx, scope, r, w, max(most, reranked), times)
	found.reranking = RerankingDone
	if err != nil {
		return found, err
	}
	first := found.groups[:min(len(found.groups), reranked)]
	began := time.Now()
	contents, err := s.contentsOf(ctx, first)
	lap(&times.Catalog, began)
	if err != nil {
		return found, err
	}
	began = time.Now()
	err = s.rerank(ctx, w.asked, first, contents)
	lap(&times.Reranking, began)
	if err != nil && fault.KindOf(err) == fault.KindUnavailable && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "a search is answered without the reranker", slog.Any("error", err))
		found.reranking, err = RerankingAway, nil
	}
	return found, err
}

// contentsOf returns what the best chunk of each group says, by chunk_ref. What is gone is
// left out.
func (s *Searcher) contentsOf(ctx context.Context, groups []group) (map[string]string, error) {
	refs := make([]string, len(groups))
	for i, g := range groups {
		refs[i] = g.best
	}
	chunks, err := s.Catalog.ChunksWithStates(ctx, refs)
	if err != nil {
		return nil, err
	}
	contents := make(map[string]string, len(chunks))
	for _, c := range chunks {
		contents[c.Chunk.ChunkRef] = c.Chunk.Content
	}
	return contents, nil
}

// rerank puts groups in the order that the reranker gives to their contents; those that it
// finds equal keep theirs. With an error nothing is changed.
func (s *Searcher) rerank(ctx context.Context, question string, groups []group, contents map[string]string) error {
	if len(groups) < 2 {
		return nil
	}
	var texts []string
	var of []int
	for i, g := range groups {
		if content := contents[g.best]; content != "" { // one that is gone is left out later
			texts, of = append(texts, content), append(of, i)
		}
	}
	scores, err := s.Reranker.Rerank(ctx, question, texts)
	if err != nil {
		return err
	}
	type place struct {
		group group
		score float64
	}
	order := make([]place, len(of))
	for i, at := range of {
		order[i] = place{groups[at], scores[i]}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(b.score, a.score) })
	for i, at := range of {
		groups[at] = order[i].group
	}
	return nil
}
