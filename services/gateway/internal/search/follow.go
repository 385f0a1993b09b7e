package search

import (
	"context"
	"maps"
	"slices"

	"github.com/colophon-dev/colophon/services/gateway/internal/refer"
)

// What a reference is worth, measured (docs/quality.md, retrieval): of how many of the first
// hits references are followed; how many chunks of one place come in, those that fit the
// question best by themselves; and how much such a chunk has of the hit's score and of its
// own. It never stands before the hit.
const (
	followedHits   = 5
	followedChunks = 2
	ofHit          = 0.6
	ofOwn          = 0.2
)

// References finds what chunks refer to.
type References interface {
	Of(ctx context.Context, refs []string) (map[string][]refer.Target, error)
}

// followed is a chunk that a hit refers to.
type followed struct {
	score float64
	by    string // chunk_ref of the hit
}

// follow brings the chunks that the first hits refer to among what was found, unless
// snapshots are named: what is current is no part of these. The first of all pages depends
// on the first hits alone, so pages have no doubles and no gaps.
func (f *finder) follow(ctx context.Context) error {
	first := f.found.groups[:min(len(f.found.groups), followedHits)]
	if f.searcher.References == nil || len(first) == 0 || len(f.request.Snapshots) > 0 {
		return nil
	}
	refs := make([]string, len(first))
	for i, g := range first {
		refs[i] = g.best
	}
	targets, err := f.searcher.References.Of(ctx, refs)
	if err != nil {
		return err
	}
	var named []string
	for _, ts := range targets {
		for _, t := range ts {
			named = append(named, t.Chunks...)
		}
	}
	if len(named) == 0 {
		return nil
	}
	slices.Sort(named)
	firstOf, err := f.searcher.Catalog.FirstOfChains(ctx, slices.Compact(named), f.request.chunks(f.scope))
	if err != nil {
		return err
	}
	return f.bringIn(ctx, f.judge(first, targets, firstOf))
}

// judge returns the chunks that the first hits refer to, with their scores.
func (f *finder) judge(first []group, targets map[string][]refer.Target, firstOf map[string]string) map[string]followed {
	own := make(map[string]float64, len(f.ranked))
	for _, hit := range f.ranked {
		own[hit.ID] = hit.Score
	}
	found := make(map[string]followed)
	for _, g := range first {
		for _, t := range targets[g.best] {
			var stand []string
			for _, ref := range t.Chunks {
				if at := firstOf[ref]; at != "" && at != g.best {
					stand = append(stand, at)
				}
			}
			slices.SortStableFunc(stand, func(a, b string) int { return descending(own[a], own[b]) })
			for _, ref := range stand[:min(len(stand), followedChunks)] {
				score := min(g.score, float64(ofHit*g.score)+float64(ofOwn*own[ref]))
				if score > found[ref].score {
					found[ref] = followed{score, g.best}
				}
			}
		}
	}
	return found
}

func descending(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// bringIn gives chunks that are referred to their places among the groups. One that stands
// better by itself stays there; what does not stand, or not say the phrases, is left out.
func (f *finder) bringIn(ctx context.Context, targets map[string]followed) error {
	refs := slices.Sorted(maps.Keys(targets))
	claims, err := f.searcher.Catalog.Claims(ctx, refs)
	if err != nil {
		return err
	}
	worded, err := f.worded(ctx, refs, claims)
	if err != nil {
		return err
	}
	slices.SortStableFunc(refs, func(a, b string) int { return descending(targets[a].score, targets[b].score) })
	for _, ref := range refs {
		row, ok := claims[ref]
		if !ok || !f.stands(row) {
			continue
		}
		g := group{claim: row.Claim, score: targets[ref].score, best: ref, by: targets[ref].by}
		at := slices.IndexFunc(f.found.groups, func(known group) bool { return known.claim == g.claim })
		switch {
		case at >= 0 && f.found.groups[at].score >= g.score:
			continue
		case at >= 0:
			g.best = f.found.groups[at].best
			f.found.groups = slices.Delete(f.found.groups, at, at+1)
		case worded != nil && !worded[ref]:
			continue
		}
		to := slices.IndexFunc(f.found.groups, func(other group) bool { return other.score < g.score })
		if to < 0 {
			to = len(f.found.groups)
		}
		f.found.groups = slices.Insert(f.found.groups, to, g)
		f.known[g.claim] = true
	}
	return nil
}
