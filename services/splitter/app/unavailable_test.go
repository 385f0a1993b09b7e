package app

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestAStoreThatIsUnavailable: the stage says so and has done nothing, in Handle and in
// Fail, and does all of it when the store is back.
func TestAStoreThatIsUnavailable(t *testing.T) {
	for name, door := range map[string]func(*stagetest.World) *stagetest.Door{
		"catalog":      func(w *stagetest.World) *stagetest.Door { return w.CatalogDoor },
		"object store": func(w *stagetest.World) *stagetest.Door { return w.ObjectsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			w := over(stagetest.NewBehindDoors(t))
			s := w.Capture(stagetest.PDF(20, ""), model.KindPDF, nil)
			e := w.stored(s)
			w.Unavailable(door(w.World), func() error { return w.stage.Handle(t.Context(), e, w.Emit) })
			if got := w.heard(w.Runs(s)[0]); got != "1-16/20#0 17-20/20#0" {
				t.Errorf("said %s", got)
			}
		})
	}
	w := over(stagetest.NewBehindDoors(t))
	s := w.Capture("PK", model.KindOther, nil)
	w.Unavailable(w.CatalogDoor, func() error {
		return w.stage.Fail(t.Context(), w.stored(s), fault.UnsupportedType, "it is an archive", w.Emit)
	})
	if run := w.Runs(s)[0]; w.heard(run) != "1-1/1#0" || run.Reason != "unsupported_type" {
		t.Errorf("%+v", run)
	}
}

// TestARunThatIsOver: what has superseded or removed a run is not asked for by saying its
// ranges again: they are said, the extractor passes over them, and the run stays as it is.
func TestARunThatIsOver(t *testing.T) {
	for _, state := range []model.RunState{model.RunSuperseded, model.RunRemoved} {
		w := newWorld(t)
		s := w.Capture(page, model.KindHTML, nil)
		run := w.start(s)
		w.Finish(run, state)
		w.Heard()
		before := w.Dump()
		if err := w.stage.Handle(t.Context(), w.stored(s), w.Emit); err != nil {
			t.Fatal(err)
		}
		if got := w.heard(run); got != "1-1/1#0" || w.Dump() != before {
			t.Errorf("of a %s run it said %s, and wrote %t", state, got, w.Dump() != before)
		}
	}
}
