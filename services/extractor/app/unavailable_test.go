package app

import (
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/extract"
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
			// Of one range, whose rows are written while its object is put, and of several.
			for _, pages := range []int{2, 20} {
				run := w.start(w.Capture(stagetest.PDF(pages, ""), model.KindPDF, nil), extract.ParserVersion)
				r := model.Ranges(pages)[0]
				e := w.Event(split(run, r))
				w.Unavailable(door(w.World), func() error { return w.stage.Handle(t.Context(), e, w.Emit) })
				if got := w.said1(run, r); len(got) != r.To || got[1] != "This is the text of page 2 of the report." {
					t.Errorf("%q", got)
				}
			}
			run := w.start(w.Capture(page, model.KindHTML, nil), extract.ParserVersion)
			w.Unavailable(door(w.World), func() error {
				return w.stage.Fail(t.Context(), w.Event(split(run, one)), fault.Timeout, "too slow", w.Emit)
			})
			if got := w.said1(run, one); got[0] != "timeout: page 1: too slow" {
				t.Errorf("%q", got)
			}
		})
	}
}
