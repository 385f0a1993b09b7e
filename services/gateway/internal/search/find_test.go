package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// manyChunks has a chunk for each ref, of which one in sayers says the phrase.
type manyChunks struct {
	Catalog
	asked, widest, sayers int
}

func (m *manyChunks) Claims(_ context.Context, refs []string) (map[string]catalog.ClaimRow, error) {
	m.asked++
	m.widest = max(m.widest, len(refs))
	rows := make(map[string]catalog.ClaimRow)
	for _, ref := range refs {
		rows[ref] = catalog.ClaimRow{ChunkRef: ref, Claim: catalog.Claim{ContentTextHash: ref}, Layer: model.LayerHot}
	}
	return rows, nil
}

func (m *manyChunks) ChunksWithStates(_ context.Context, refs []string) ([]catalog.ChunkWithState, error) {
	var all []catalog.ChunkWithState
	for _, ref := range refs {
		c, n := said("nothing of it"), 0
		if _, err := fmt.Sscan(ref, &n); err != nil {
			return nil, err
		}
		if n%m.sayers == m.sayers-1 {
			c = said("the quorum is seven")
		}
		c.ChunkRef = ref
		all = append(all, catalog.ChunkWithState{Chunk: c})
	}
	return all, nil
}

// TestAPhraseThatFewSayAsksSeldom: of thousands of candidates in some twenty questions, none of
// which is for all of them; a question that the first answer asks once.
func TestAPhraseThatFewSayAsksSeldom(t *testing.T) {
	for _, c := range []struct{ sayers, groups, mostAsked, widest int }{{12_800, 1, 22, 800}, {1_000, 10, 19, 800}, {1, 10, 1, 25}} {
		made := &manyChunks{sayers: c.sayers}
		f := &finder{searcher: &Searcher{Catalog: made}, request: Request{Limit: 10}, wording: wording{phrases: [][]string{{"the", "quorum"}}},
			known: make(map[catalog.Claim]bool)}
		for i := range 2 * maxCandidates {
			f.ranked = append(f.ranked, retrieval.Scored{ID: fmt.Sprint(i)})
		}
		if err := f.group(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		if made.asked > c.mostAsked || made.widest > c.widest || len(f.found.groups) < c.groups {
			t.Errorf("one in %d says it: %d questions, the widest for %d chunks, %d hits", c.sayers, made.asked, made.widest, len(f.found.groups))
		}
	}
}
