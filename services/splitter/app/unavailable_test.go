package app

import (
	"cmp"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/event"
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
			s := w.Capture(devtest.PDF(20, ""), model.KindPDF, nil)
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

// TestWhichRangesNameTheirBytes: that of a small document of one page, which is read
// while its event is handled; no other.
func TestWhichRangesNameTheirBytes(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		raw   string
		kind  model.SnapshotKind
		bytes int64 // that the snapshot says; 0: those of raw
		named bool
	}{
		"small":        {page, model.KindHTML, 0, true},
		"large":        {page + "<p>More.</p>", model.KindHTML, 64 << 20, false},
		"of two pages": {devtest.PDF(2, ""), model.KindPDF, 0, false},
	} {
		s := w.Capture(c.raw, c.kind, func(s *model.Snapshot) { s.ByteLength = cmp.Or(c.bytes, s.ByteLength) })
		w.start(s)
		want := ""
		if c.named {
			want = s.ContentHash
		}
		for _, d := range w.Heard() {
			if got := d.(event.PageSplit).ContentHash; got != want {
				t.Errorf("%s: the range names %q, want %q", name, got, want)
			}
		}
	}
}
