package app

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestWhatWasDecidedBeforeARedoIsTold: what a run has changed and nobody told is told by any of
// its events, though a redo has begun since and waits for its ranges.
func TestWhatWasDecidedBeforeARedoIsTold(t *testing.T) {
	for name, pages := range map[string]int{"one range": 1, "two ranges": 20} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := version{doc: "https://example.org/r", day: 5, kind: model.TypePDF}
			for i := range pages {
				v.pages = append(v.pages, fmt.Sprintf("# Page %d|Text of page %d.", i+1, i+1))
			}
			run := w.capture(v)
			down := fault.Unavailable(errors.New("the bus is away"))
			w.Refuse(func(int, event.Data) error { return down })
			ranges := model.Ranges(pages)
			for i, r := range ranges {
				err := w.stage.Handle(t.Context(), w.extract(run, r, 0, v.pages), w.Emit)
				if last := i == len(ranges)-1; last != errors.Is(err, down) {
					t.Fatalf("range %d: %v", i, err)
				}
			}
			w.Refuse(nil)
			w.Heard()
			run, err := w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, ranges[:1])
			if err != nil {
				t.Fatal(err)
			}
			stuck, err := w.DB.StuckRuns(t.Context(), time.Now().Add(time.Minute), false, catalog.Page{Limit: 9})
			if err != nil || len(stuck) != 1 || stuck[0].SnapshotID != run.SnapshotID {
				t.Errorf("reconcile moves %+v, %v", stuck, err)
			}
			_, segments, _, err := w.DB.RunParts(t.Context(), run.SnapshotID, run.ExtractionID)
			if err != nil {
				t.Fatal(err)
			}
			e := w.Event(event.OfRun(run, segments)) // as reconcile has it
			if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil && fault.KindOf(err) != fault.KindDeferred {
				t.Fatal(err)
			}
			told := w.Heard()
			for _, d := range told {
				if _, ok := d.(event.ChunkCreated); !ok {
					t.Errorf("said %s", d.Type())
				}
			}
			if len(told) != pages {
				t.Errorf("%d of %d chunks were told", len(told), pages)
			}
			if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil && fault.KindOf(err) != fault.KindDeferred || len(w.Heard()) > 0 {
				t.Errorf("it is told again, %v", err)
			}
			if err := w.stage.Handle(t.Context(), w.extract(run, ranges[0], 1, v.pages), w.Emit); err != nil {
				t.Fatal(err)
			}
			if run = w.Run(run); run.State != model.RunDone || run.Redo != 1 {
				t.Errorf("%+v", run)
			}
		})
	}
}

// TestALostSegmentOfAnotherVersionFailsNoRun: neither one that lands, whose document is to be decided
// anew then, nor one that waits for ranges.
func TestALostSegmentOfAnotherVersionFailsNoRun(t *testing.T) {
	w := newWorld(t)
	now, _ := w.land(version{doc: docA, day: 5, pages: []string{"# Of water|It rose."}})
	rows, err := w.DB.Segments(t.Context(), now.SnapshotID, now.ExtractionID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Blobs.Delete(t.Context(), blobstore.Derived, rows[0].ObjectKey); err != nil {
		t.Fatal(err)
	}
	if _, err := w.pool().Exec(t.Context(), `UPDATE documents SET meta = '{}'`); err != nil { // its pages are read
		t.Fatal(err)
	}
	late, _ := w.land(version{doc: docA, day: 3, pages: []string{"# Of air|It blows."}})
	if late.State != model.RunDone {
		t.Errorf("%+v", late)
	}
	unsettled := func() *model.Unsettled {
		t.Helper()
		d, err := w.DB.Unsettled(t.Context(), late.DocumentID)
		if err != nil || d == nil {
			t.Fatalf("the document is settled: %+v, %v", d, err)
		}
		return d
	}
	unsettled()
	redo, err := w.DB.StartRedo(t.Context(), late.SnapshotID, late.ExtractionID, 1, model.Ranges(1))
	if err != nil {
		t.Fatal(err)
	}
	if d := unsettled(); d.SnapshotID != now.SnapshotID {
		t.Errorf("asked is %s, want a run that has ended", d.SnapshotID)
	}
	for _, run := range []model.Run{now, redo} {
		state := w.Run(run).State
		e := w.Aged(w.Event(event.OfRun(run, nil)))
		err := w.stage.Handle(t.Context(), e, w.Emit)
		if fault.KindOf(err) != fault.KindTransient {
			t.Errorf("run %s: %v", state, err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.Internal, "no such object", w.Emit); err != nil {
			t.Error(err)
		}
		if got := w.Run(run); got.State != state {
			t.Errorf("a run that was %s is %s: %s", state, got.State, got.Message)
		}
	}
	unsettled()
}
