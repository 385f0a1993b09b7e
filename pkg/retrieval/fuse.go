package retrieval

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Scored is something found, by its id, and how well it fits; more is better.
type Scored struct {
	ID    string
	Score float64
}

// fullShare is which part of the logarithm of the number of passages a term of a question
// weighs, about, that a fitting passage has: half way between a word of every passage and
// one of a single passage.
const fullShare = 0.5

// FullScore is about the sparse score of a passage that has all of a question's terms, in
// a collection of so many passages: what the terms of a question weigh depends on how rare
// they are, and that on how many passages there are.
func FullScore(terms, passages int) float64 {
	return fullShare * float64(terms) * math.Log1p(float64(passages))
}

// FusionDepth is the place of a dense list from which its scores are stretched. Lists
// that reach further down give the same scores to what stands above it, so that what is
// shown first does not depend on how far was looked.
const FusionDepth = 100

// Fuse makes one list of two: each score is brought to [0, 1], and a hit's
// score is denseWeight (0 to 1) of the dense one and the rest of the sparse
// one; where a list does not have it that part is 0. The result has each id
// once, best first, equal scores in the order of the dense list, then of their ids. An id that stands
// twice in a list counts with its better score.
//
// It is a sum of scores because a sum of ranks (reciprocal rank fusion) forgets
// by how much a list is right, and was measured to harm (contracts#fusion). A sparse
// score is divided by the best one, for what shares no term with the question
// has 0, or by full, FullScore, if that is more: where the best one shares little with
// the question, words count for little. Cosines live in a band that differs by model, so dense scores are
// stretched from that of place FusionDepth, or of the last when there are fewer, to
// the best; what stands below has 0.
func Fuse(dense, sparse []Scored, denseWeight, full float64) []Scored {
	fused := make(map[string]float64, len(dense)+len(sparse))
	near := bestOf(dense) // also orders what stands below the floor
	for id, share := range shares(dense, floorOf(dense), 0) {
		fused[id] += float64(share * denseWeight)
	}
	for id, share := range shares(sparse, 0, full) {
		fused[id] += float64(share * (1 - denseWeight))
	}
	list := make([]Scored, 0, len(fused))
	for id, score := range fused {
		list = append(list, Scored{ID: id, Score: score})
	}
	slices.SortFunc(list, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(nearness(near, b.ID), nearness(near, a.ID)), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// FulltextWeight is the weight of a ranking by the catalog's full text beside the others,
// where there is one: measured (docs/quality.md, retrieval).
const FulltextWeight = 0.1

// Mix adds another ranking to a list that Fuse made: each score there, divided by the best
// one, counts by the weight, what the list had by the rest. What only the other ranking
// has comes in. Equal scores keep their order, those of the list first.
func Mix(list, other []Scored, weight float64) []Scored {
	mixed := make([]Scored, len(list), len(list)+len(other))
	at := make(map[string]int, len(list))
	for i, hit := range list {
		mixed[i] = Scored{ID: hit.ID, Score: float64(hit.Score * (1 - weight))}
		at[hit.ID] = i
	}
	share := shares(other, 0, 0)
	for _, hit := range other {
		i, known := at[hit.ID]
		if !known {
			i, at[hit.ID] = len(mixed), len(mixed)
			mixed = append(mixed, Scored{ID: hit.ID})
		}
		mixed[i].Score += float64(share[hit.ID] * weight)
		delete(share, hit.ID) // one that stands twice counts once
	}
	slices.SortStableFunc(mixed, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	return mixed
}

// nearness is the dense score of an id; what has none is further than all that have.
func nearness(dense map[string]float64, id string) float64 {
	if score, ok := dense[id]; ok {
		return score
	}
	return math.Inf(-1)
}

// bestOf returns the best score of each id of a list.
func bestOf(list []Scored) map[string]float64 {
	best := make(map[string]float64, len(list))
	for _, hit := range list {
		if score, ok := best[hit.ID]; !ok || score < hit.Score {
			best[hit.ID] = hit.Score
		}
	}
	return best
}

// shares maps floor, and what is below it, to 0, and the best score, or full if that is
// more, to 1. Those at the floor are all best when nothing is above it.
func shares(list []Scored, floor, full float64) map[string]float64 {
	shares := make(map[string]float64, len(list))
	if len(list) == 0 {
		return shares
	}
	best := max(slices.MaxFunc(list, byScore).Score, full)
	for _, hit := range list {
		share := 1.0
		switch {
		case hit.Score < floor:
			share = 0
		case best > floor:
			share = (hit.Score - floor) / (best - floor)
		}
		shares[hit.ID] = max(shares[hit.ID], share)
	}
	return shares
}

// floorOf is the score of place FusionDepth of a list, or the lowest of a shorter one.
func floorOf(list []Scored) float64 {
	if len(list) == 0 {
		return 0
	}
	scores := slices.Sorted(maps.Values(bestOf(list))) // an id counts once
	return scores[max(0, len(scores)-FusionDepth)]
}

func byScore(a, b Scored) int { return cmp.Compare(a.Score, b.Score) }
