package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/retrieval"
)

// renamed is an embedder under the name of another model.
type renamed struct {
	retrieval.Embedder
	name string
}

func (r renamed) Model() string { return r.name }

// TestACollectionThatRefusesATextCostsItself: what the model of a collection that is building
// refuses is in the one that is searched, and recorded there; no manifest is in error for it.
func TestACollectionThatRefusesATextCostsItself(t *testing.T) {
	r := newRig(t)
	tried := &counted{Embedder: renamed{retrieval.HashEmbedder{}, "tried"}}
	r.syncer.Embedders["tried"], r.syncer.Model = tried, "tried"
	if err := r.syncer.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := model.CollectionName(r.env.Collection, "tried", retrieval.HashDimensions)
	refs := r.document("a", []string{"good", "bad"})
	created := r.created(refs...)
	broken := fault.Permanent(fault.TooLarge, errors.New("a text of 9 bytes, limit 8"))
	tried.refuse = func(text string) error {
		if strings.Contains(text, "bad") {
			return broken
		}
		return nil
	}
	if results := r.stage.HandleBatch(t.Context(), created, r.emit); results[0] != nil || !errors.Is(results[1], broken) {
		t.Fatalf("results %v", results)
	}
	r.wantStatus("a", model.VectorPresent)
	const recorded = `SELECT count(*) FROM chunk_vectors WHERE collection = $1 AND present`
	if old, new := ask[int](r, recorded, r.name()), ask[int](r, recorded, name); old != 2 || new != 1 {
		t.Errorf("%d are recorded in the collection that is searched, %d in the other", old, new)
	}
	if err := r.stage.Fail(t.Context(), created[1], fault.TooLarge, "too large", r.emit); err != nil {
		t.Fatal(err)
	}
	r.wantStatus("a", model.VectorPresent)
	r.wantEqual()
	if old, new := ask[int](r, recorded, r.name()), ask[int](r, recorded, name); old != 2 || new != 1 {
		t.Errorf("after the failure %d are recorded in the collection that is searched, %d in the other", old, new)
	}
	if n, err := r.collection().Count(t.Context(), anything); err != nil || n != 2 {
		t.Errorf("%d points, %v", n, err)
	}

	// What was in error when the collection was given up is judged by the next push.
	r.exec(`UPDATE chunk_manifests SET vector_status = 'error', error_message = 'of before'`)
	r.exec(`UPDATE collections SET state = 'retired' WHERE name = $1`, name)
	r.handle(created...)
	r.wantStatus("a", model.VectorPresent)
	if message := ask[string](r, `SELECT error_message FROM chunk_manifests`); message != "" {
		t.Errorf("error_message is %q", message)
	}
}
