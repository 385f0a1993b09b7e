package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/annotator/internal/stage"
)

// empty are so many pages that say nothing.
func empty(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = none
	}
	return lines
}

// entities returns what a snapshot yields now, a line each.
func (w *world) entities(snapshotID string) string {
	w.Helper()
	rows, err := w.DB.EntitiesOf(w.Context(), snapshotID)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%d %s %d", r.PageNo, r.Type, r.Ordinal))
	}
	return strings.Join(lines, ", ")
}

// TestPagesAreRead range by range, as they come in; a page below a heading of the range before
// is read under it.
func TestPagesAreRead(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 18)
	w.handle(w.extract(run, 0, 1, append(empty(15), goals)...))
	if got := w.said(); !strings.HasSuffix(got, "15 processed 0, 16 processed 1") || strings.Count(got, "processed") != 16 {
		t.Errorf("said %s", got)
	}
	if w.annotated(run) {
		t.Error("a page is missing, and the run counts as read")
	}
	last := w.extract(run, 0, 17, more, "!encrypted")
	w.handle(last)
	if got := w.said(); got != "17 processed 1, 18 failed 0" {
		t.Errorf("said %s", got)
	}
	if !w.annotated(run) {
		t.Error("all pages were read, and somebody waits for it")
	}
	if got := w.entities(run.SnapshotID); got != "16 goal 0, 17 goal 0" {
		t.Errorf("%s", got)
	}
	before := w.Dump()
	w.handle(last) // delivered again
	if got := w.said(); got != "" || w.Dump() != before {
		t.Errorf("said %s", got)
	}
}

// TestRangesInAnyOrder: what comes in before the pages before it waits for them, and the end is
// the same.
func TestRangesInAnyOrder(t *testing.T) {
	var first string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}} {
		w := newWorld(t)
		run := w.run("plan", 40)
		parts := [][]string{append(empty(15), goals), append([]string{more}, empty(15)...), append([]string{more}, empty(7)...)}
		for _, i := range order {
			w.handle(w.extract(run, 0, 16*i+1, parts[i]...))
		}
		if got := w.said(); strings.Count(got, "processed") != 40 {
			t.Errorf("%v: said %s", order, got)
		}
		if first == "" {
			first = w.Dump()
		}
		if got := w.Dump(); got != first || !w.annotated(run) {
			t.Errorf("%v: the dump differs", order)
		}
	}
}

// TestAPageThatChanges is read again, and no other: its entities are replaced, keep their
// created_at, and what it does not yield any more is marked.
func TestAPageThatChanges(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 2)
	both := goals + "Reduce sediment by 25% by 2032.\n"
	w.handle(w.extract(run, 0, 1, both, none))
	if got := w.said(); got != "1 processed 2, 2 processed 0" {
		t.Fatalf("said %s", got)
	}
	created := w.made(run.SnapshotID)
	w.Finish(run, model.RunDone)
	run, err := w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, []model.PageRange{{From: 1, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	w.handle(w.extract(run, 1, 1, both, none)) // the same again
	if got := w.said(); got != "" {
		t.Errorf("said %s", got)
	}
	w.Finish(run, model.RunDone)
	if run, err = w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 2, []model.PageRange{{From: 1, To: 2}}); err != nil {
		t.Fatal(err)
	}
	w.handle(w.extract(run, 2, 1, goals, none))
	if got := w.said(); got != "1 processed 1" {
		t.Errorf("said %s", got)
	}
	again := w.made(run.SnapshotID)
	kept, marked := 0, 0
	for id, row := range again {
		if strings.TrimSuffix(row, " true") != strings.TrimSuffix(created[id], " false") && row != created[id] {
			t.Errorf("%s was %s and is %s", id, created[id], row)
		}
		if strings.HasSuffix(row, "true") {
			marked++
		} else {
			kept++
		}
	}
	if kept != 1 || marked != 1 || len(created) != 2 {
		t.Errorf("before %v, after %v", created, again)
	}
}

// made returns when each entity of a snapshot was made first, and whether it is superseded.
func (w *world) made(snapshotID string) map[string]string {
	w.Helper()
	out := make(map[string]string)
	err := w.DB.Tx(w.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(w.Context(), `SELECT entity_type || ' ' || entity_id, created_at::text || ' ' || superseded FROM entities
			WHERE snapshot_id = $1`, snapshotID)
		if err != nil {
			return err
		}
		var id, row string
		_, err = pgx.ForEachRow(rows, []any{&id, &row}, func() error { out[id] = row; return nil })
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// TestALaterRunCounts: what an earlier run of the snapshot says late changes nothing.
func TestALaterRunCounts(t *testing.T) {
	w := newWorld(t)
	s := w.Capture("plan", model.KindPDF, nil)
	old, young := w.begin(s, extractionID, 1), w.begin(s, "fedcba9876543210", 1)
	late := w.extract(old, 0, 1, none)
	w.handle(w.extract(young, 0, 1, goals))
	before := w.Dump()
	w.handle(late)
	if got := w.said(); got != "1 processed 1" || w.Dump() != before {
		t.Errorf("said %s", got)
	}
	if !w.annotated(old) || !w.annotated(young) {
		t.Error("a run waits for its entities for ever")
	}
}

// TestTwoVersionsAtOnce has one range read by a newer annotator, as during an upgrade, and the
// other by today's: each page counts as one of them has read it, and the run waits for nobody.
func TestTwoVersionsAtOnce(t *testing.T) {
	w := newWorld(t)
	newer := over(w.World)
	newer.stage.Extractor = nextVersion{newer.stage.Extractor}
	run := w.run("plan", 17)
	newer.handle(w.extract(run, 0, 1, append(empty(15), goals)...))
	w.handle(w.extract(run, 0, 17, more))
	if got := w.said(); strings.Count(got, "processed") != 17 {
		t.Errorf("said %s", got)
	}
	pages, err := w.DB.RunEntities(t.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil || len(pages.Pages) != 17 {
		t.Fatalf("%d pages, %v", len(pages.Pages), err)
	}
	today, _ := w.stage.Extractor.Versions()
	for _, p := range pages.Pages {
		if newest := p.ExtractorVersion > today; newest != (p.PageNo < 17) {
			t.Errorf("page %d is of version %d", p.PageNo, p.ExtractorVersion)
		}
	}
	if !w.annotated(run) {
		t.Error("the run waits for its entities for ever")
	}
}

type nextVersion struct{ stage.Extractor }

func (n nextVersion) Versions() (extractor, prompt int) {
	extractor, prompt = n.Extractor.Versions()
	return extractor + 1, prompt
}

// TestAPageIsQueuedAgain by itself.
func TestAPageIsQueuedAgain(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 2)
	e := w.extract(run, 0, 1, goals, none)
	w.handle(e)
	w.said()
	if !w.annotated(run) {
		t.Fatal("it was read")
	}
	if n, err := w.DB.RequeueEntities(t.Context(), run, []int{1}); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if w.annotated(run) {
		t.Error("a page waits, and the run counts as read")
	}
	w.handle(e)
	if got := w.said(); got != "1 processed 1" || !w.annotated(run) {
		t.Errorf("said %s", got)
	}
}

// TestWhatCannotBeRead: an event that names nothing comes again while it is young; what failed
// for good is recorded, told, and waited for by nobody.
func TestWhatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 2)
	unknown := w.Event(event.IRExtracted{SnapshotID: "snap_none", SourceID: "s", ExtractionID: extractionID, Pages: model.PageRange{From: 1, To: 1}, PageCount: 1})
	missing := w.Event(event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: "s", ExtractionID: extractionID, Pages: model.PageRange{From: 1, To: 2}, PageCount: 2})
	for _, e := range []event.Event{unknown, missing} {
		if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindDeferred {
			t.Errorf("%v", err)
		}
		if err := w.stage.Handle(t.Context(), w.Aged(e), w.Emit); fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%v", err)
		}
		if err := w.stage.Fail(t.Context(), w.Aged(e), fault.Malformed, "no such run", w.Emit); err != nil {
			t.Errorf("%v", err)
		}
	}
	e := w.extract(run, 0, 1, goals, none)
	if err := w.stage.Fail(t.Context(), e, fault.AttemptsExhausted, "four attempts", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.said(); got != "1 failed 0, 2 failed 0" || !w.annotated(run) {
		t.Errorf("said %s", got)
	}
	pages, err := w.DB.EntityPages(t.Context(), run.SnapshotID)
	if err != nil || len(pages) != 2 || pages[0].Message != "four attempts" || pages[0].Reason != "attempts_exhausted" {
		t.Errorf("%+v, %v", pages, err)
	}
}

// TestAPublishThatFails: what was not told is told at the next delivery, and only that.
func TestAPublishThatFails(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 3)
	e := w.extract(run, 0, 1, goals, none, none)
	away := fault.Unavailable(errors.New("the bus is unavailable"))
	w.Refuse(func(n int, _ event.Data) error {
		if n == 1 {
			return away
		}
		return nil
	})
	if err := w.stage.Handle(t.Context(), e, w.Emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.Refuse(nil)
	w.handle(e)
	if got := w.said(); got != "1 processed 1, 1 processed 1, 2 processed 0, 3 processed 0" || !w.annotated(run) {
		t.Errorf("said %s", got)
	}
}

// TestAStoreThatIsUnavailable: the stage says so and has done nothing, and does all of it when
// the store is back.
func TestAStoreThatIsUnavailable(t *testing.T) {
	for name, door := range map[string]func(*stagetest.World) *stagetest.Door{
		"catalog":      func(w *stagetest.World) *stagetest.Door { return w.CatalogDoor },
		"object store": func(w *stagetest.World) *stagetest.Door { return w.ObjectsDoor },
	} {
		t.Run(name, func(t *testing.T) {
			w := over(stagetest.NewBehindDoors(t))
			run := w.run("plan", 1)
			e := w.extract(run, 0, 1, goals)
			w.Unavailable(door(w.World), func() error { return w.stage.Handle(t.Context(), e, w.Emit) })
			if got := w.said(); got != "1 processed 1" {
				t.Errorf("said %s", got)
			}
		})
	}
}

// TestASegmentMeanwhile: what comes in while pages are read makes them read again.
func TestASegmentMeanwhile(t *testing.T) {
	w := newWorld(t)
	run := w.run("plan", 1)
	w.handle(w.extract(run, 0, 1, goals))
	work, err := w.DB.EntityWork(t.Context(), run.SnapshotID, run.ExtractionID, model.PageRange{From: 1, To: 1}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.Finish(run, model.RunDone)
	if run, err = w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, []model.PageRange{{From: 1, To: 1}}); err != nil {
		t.Fatal(err)
	}
	w.extract(run, 1, 1, none)
	err = w.DB.PutEntities(t.Context(), model.EntityWrite{Run: run, From: 1, Stamp: work.Stamp(1)})
	if fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("%v", err)
	}
}
