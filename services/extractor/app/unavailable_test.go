package app

import (
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/event"
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
				run := w.start(w.Capture(devtest.PDF(pages, ""), model.KindPDF, nil), extract.ParserVersion)
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
			if got := w.said1(run, one); len(got) != 1 || got[0] != "timeout: too slow" {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestAStoreThatIsUnavailableForOCR: the same of a page that is to be read. What was read
// before the store failed may be read again, and counts once.
func TestAStoreThatIsUnavailableForOCR(t *testing.T) {
	for name, door := range map[string]func(*stagetest.World) *stagetest.Door{
		"catalog":      func(w *stagetest.World) *stagetest.Door { return w.CatalogDoor },
		"object store": func(w *stagetest.World) *stagetest.Door { return w.ObjectsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			w := ocrOver(over(stagetest.NewBehindDoors(t)), "fake:read", nil)
			s := w.Capture(picture(t, 200), model.KindImageScan, nil)
			run := w.start(s, extract.ParserVersion)
			asked := w.asked(run, one)
			w.Unavailable(door(w.World), func() error { return w.ocr.Handle(t.Context(), w.Event(asked[0]), w.Emit) })
			done, ok := w.Heard()[0].(event.PageOCRCompleted)
			if got := w.extracted(run, done); !ok || !strings.Contains(got[0], scannedText(s, 1)) {
				t.Errorf("%q", got)
			}
		})
	}
	w := ocrOver(over(stagetest.NewBehindDoors(t)), "fake:read", nil)
	run := w.start(w.Capture(picture(t, 100), model.KindImageScan, nil), extract.ParserVersion)
	asked := w.asked(run, one)
	w.Unavailable(w.CatalogDoor, func() error {
		return w.ocr.Fail(t.Context(), w.Event(asked[0]), fault.Timeout, "too slow", w.Emit)
	})
	if got := w.extracted(run, w.Heard()[0].(event.PageOCRCompleted)); !strings.HasPrefix(got[0], "timeout: ") {
		t.Errorf("%q", got)
	}
}
