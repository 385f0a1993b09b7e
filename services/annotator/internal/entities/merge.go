package entities

import (
	"maps"
	"math"
	"strings"

	"github.com/colophon-dev/colophon/pkg/entity"
)

// likelyModel is the confidence in what a model alone proposes, and the guard lets pass: below that
// in a sentence of the rules under a heading of its kind.
const likelyModel = 0.6

// mergeProposals puts together what the rules found and what a model proposed: of what both say one is kept,
// the rules' with the model's values where they have none. Its confidence is that both are not wrong,
// if they err apart.
func mergeProposals(pageID string, found, proposed []entity.Entity) []entity.Entity {
	out := make([]entity.Entity, 0, len(found)+len(proposed))
	out = append(out, found...)
	taken := make([]bool, len(found))
	at := make(map[string]int) // where what was called so stands now, by type and id
	for i, f := range found {
		at[f.Type+" "+f.ID] = i
	}
	for _, p := range proposed {
		i := findMatch(found, taken, p)
		if i < 0 {
			at[p.Type+" "+p.ID] = len(out)
			out = append(out, p)
			continue
		}
		taken[i] = true
		at[p.Type+" "+p.ID] = i
		out[i].Confidence = math.Round((1-(1-found[i].Confidence)*(1-p.Confidence))*1000) / 1000
		out[i].Origin = entity.OriginBoth
	}
	entity.AssignIDs(pageID, out)
	for i := range out {
		out[i] = updateReferences(out[i], out, at)
	}
	return out
}

// mergeRepaired adds to what a model's answer has found what its next one has: of an entity that is in both, the one
// of which more stands on the page counts.
func mergeRepaired(pageID string, found, again []entity.Entity) []entity.Entity {
	out := append(make([]entity.Entity, 0, len(found)+len(again)), found...)
	taken := make([]bool, len(found))
	for _, e := range again {
		i := findMatch(found, taken, e)
		switch {
		case i < 0:
			out = append(out, e)
			continue
		case len(e.Grounds) > len(out[i].Grounds):
			out[i] = e
		}
		taken[i] = true
	}
	entity.AssignIDs(pageID, out)
	return out
}

// updateReferences returns an entity whose references are the ids that others have now.
func updateReferences(e entity.Entity, all []entity.Entity, at map[string]int) entity.Entity {
	t, _ := entity.TypeOf(e.Type)
	for _, f := range t.Fields {
		refs, _ := e.Values[f.Name].([]string)
		if f.Kind != entity.KindReferences || len(refs) == 0 {
			continue
		}
		var now []string
		for _, ref := range refs {
			if i, ok := at[f.Refers+" "+ref]; ok {
				now = append(now, all[i].ID)
			}
		}
		e.Values = maps.Clone(e.Values)
		e.Values[f.Name] = now
	}
	return e
}

// findMatch returns which entity that was found is the same as a proposal: of its type, with a value that stands
// at the same place, and no other value in the same field.
func findMatch(found []entity.Entity, taken []bool, p entity.Entity) int {
	for i, f := range found {
		if !taken[i] && f.Type == p.Type && sameGround(f, p) {
			return i
		}
	}
	return -1
}

func sameGround(a, b entity.Entity) bool {
	shared := false
	for _, g := range a.Grounds {
		for _, h := range b.Grounds {
			if g.Field != h.Field || g.Field == "evidence" {
				continue
			}
			same := g.IRID == h.IRID && g.Start < h.End && h.Start < g.End
			if !same && !strings.EqualFold(g.Text, h.Text) {
				return false
			}
			shared = shared || same
		}
	}
	return shared
}
