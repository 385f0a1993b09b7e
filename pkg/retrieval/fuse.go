package retrieval

import (
	"cmp"
	"slices"
)

// Scored is something found, by its id, and how well it fits; more is better.
type Scored struct {
	ID    string
	Score float64
}

// Fuse makes one list of two: each score is brought to [0, 1], and a hit's
// score is denseWeight (0 to 1) of the dense one and the rest of the sparse
// one; where a list does not have it that part is 0. The result has each id
// once, best first, equal scores in the order of their ids. An id that stands
// twice in a list counts with its better score.
//
// It is a sum of scores because a sum of ranks (reciprocal rank fusion) forgets
// by how much a list is right, and was measured to harm (contracts#fusion). A sparse
// score is divided by the best one, for what shares no term with the question
// has 0. Cosines live in a band that differs by model, so dense scores are
// stretched from the list's worst to its best: the lists should reach well
// below what is shown, to a hundred hits or so.
func Fuse(dense, sparse []Scored, denseWeight float64) []Scored {
	fused := make(map[string]float64, len(dense)+len(sparse))
	for id, share := range shares(dense, lowest(dense)) {
		fused[id] += float64(share * denseWeight)
	}
	for id, share := range shares(sparse, 0) {
		fused[id] += float64(share * (1 - denseWeight))
	}
	list := make([]Scored, 0, len(fused))
	for id, score := range fused {
		list = append(list, Scored{ID: id, Score: score})
	}
	slices.SortFunc(list, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// shares maps floor to 0 and the best score to 1. When all are alike they are
// all best.
func shares(list []Scored, floor float64) map[string]float64 {
	shares := make(map[string]float64, len(list))
	if len(list) == 0 {
		return shares
	}
	best := slices.MaxFunc(list, byScore).Score
	for _, hit := range list {
		share := 1.0
		if best > floor {
			share = max(0, (hit.Score-floor)/(best-floor))
		}
		shares[hit.ID] = max(shares[hit.ID], share)
	}
	return shares
}

func lowest(list []Scored) float64 {
	if len(list) == 0 {
		return 0
	}
	return slices.MinFunc(list, byScore).Score
}

func byScore(a, b Scored) int { return cmp.Compare(a.Score, b.Score) }
