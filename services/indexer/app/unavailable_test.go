package app

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest/base"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestAStoreThatIsUnavailable: the stage says so of each chunk and has recorded nothing,
// and does all of it when the store is back.
func TestAStoreThatIsUnavailable(t *testing.T) {
	for name, door := range map[string]func(*base.World) *base.Door{
		"catalog":      func(w *base.World) *base.Door { return w.CatalogDoor },
		"vector store": func(w *base.World) *base.Door { return w.VectorsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			r := over(base.NewBehindDoors(t))
			refs := r.document("a", []string{"one", "two"})
			created := r.created(refs...)
			r.world.Unavailable(door(r.world), func() error {
				errs := r.stage.HandleBatch(t.Context(), created, r.emit)
				if (errs[0] == nil) != (errs[1] == nil) {
					t.Errorf("of two chunks it said %v", errs)
				}
				return errors.Join(errs...)
			})
			r.wantTold("+"+refs[0]+"/1", "+"+refs[1]+"/1")
			r.wantEqual()
		})
	}
	r := over(base.NewBehindDoors(t))
	failed := r.created(r.document("a", []string{"one"})...)[0]
	r.world.Unavailable(r.world.CatalogDoor, func() error {
		return r.stage.Fail(t.Context(), failed, fault.TooLarge, "too large", r.emit)
	})
	r.wantStatus("a", model.VectorError)
}
