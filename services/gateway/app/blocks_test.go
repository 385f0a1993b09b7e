package app

import (
	"net/http"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/gateway/internal/api"
	"github.com/colophon-dev/colophon/services/gateway/internal/search"
)

// TestSourcesOfBlocks: a hit and a chunk name every source whose current chunks hold a block of
// theirs, however they are cut; never their own document, what is in the archive, what repeats an
// earlier version, or a source that is disabled.
func TestSourcesOfBlocks(t *testing.T) {
	r := newRig(t)
	with := func(texts ...string) func(*model.Chunk) {
		var keys []int64
		for _, text := range texts {
			keys = append(keys, digest.BlockKey(text))
		}
		slices.Sort(keys)
		return func(c *model.Chunk) { c.Blocks = keys }
	}
	const bridge, dam, other = "The bridge is closed.", "The dam is open.", "Nothing else."
	_, asked := r.add(doc{source: "alpha", content: bridge + " " + dam, shape: with(bridge, dam)})
	_, both := r.add(doc{source: "beta", name: "Beta", content: bridge + " " + dam + " " + other, shape: with(bridge, dam, other)})
	r.add(doc{source: "beta", content: dam + " " + other, shape: with(dam, other)})
	_, one := r.add(doc{source: "gamma", content: "Heading. " + bridge, shape: with(bridge)})
	_, again := r.add(doc{source: "alpha", content: "From another document: " + dam, shape: with(dam)})
	r.add(doc{source: "delta", content: bridge + " In the archive.", layer: model.LayerArchive, shape: with(bridge)})
	r.add(doc{source: "zeta", content: bridge + " Again.", repeats: one.ChunkRef, shape: with(bridge)})
	r.add(doc{source: "eta", content: "Of before the keys: " + bridge})
	r.add(doc{source: "theta", content: other + " Alone.", shape: with(other)})

	named := func() (ofHit, ofChunk []search.BlockSource) {
		t.Helper()
		for _, h := range r.search("bridge dam").Hits {
			if h.ChunkRef == asked.ChunkRef {
				ofHit = h.BlockSources
			}
		}
		c := into[api.ChunkAnswer](t, r.get("/v1/chunks/{ref}", http.StatusOK, "/v1/chunks/"+asked.ChunkRef))
		if c.MoreBlockSources {
			t.Error("there are more than were looked at")
		}
		return ofHit, c.BlockSources
	}
	if hit, chunk := named(); len(hit)+len(chunk) != 0 {
		t.Errorf("before the janitor has made the index: %+v, %+v", hit, chunk)
	}
	if _, err := r.app.db.MakeQuoteWords(r.ctx, 100); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want ...search.BlockSource) {
		t.Helper()
		hit, chunk := named()
		if !slices.Equal(hit, want) || !slices.Equal(chunk, want) {
			t.Errorf("%s:\n  hit   %+v\n  chunk %+v\n  want  %+v", when, hit, chunk, want)
		}
	}
	source := func(c model.Chunk, blocks int) search.BlockSource {
		return search.BlockSource{SourceID: c.SourceID, Source: c.Source, Blocks: blocks, ChunkRef: c.ChunkRef, DocumentID: c.DocumentID,
			URL: c.URL, Title: c.Title, Page: c.PageHint}
	}
	check("all sources", source(both, 2), source(again, 1), source(one, 1))
	if hits := r.search("bridge dam", "blocks=false").Hits; len(hits) == 0 || len(hits[0].BlockSources) != 0 {
		t.Errorf("not asked for: %+v", hits)
	}
	disabled := model.DefaultSource("beta")
	disabled.State = model.SourceDisabled
	r.must(r.app.db.PutSource(r.ctx, disabled))
	check("one is disabled", source(again, 1), source(one, 1))
	r.exec(`UPDATE chunk_state SET layer = 'archive' WHERE chunk_ref = $1`, one.ChunkRef)
	check("one moved to the archive", source(again, 1))
	r.exec(`UPDATE chunk_words SET blocks = $1`, []int64{digest.BlockKey(bridge)})
	check("what the index alone says of others counts for nothing", source(again, 1))
}
