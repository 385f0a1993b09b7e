package catalog_test

import (
	"errors"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestRunStanding: a run is complete exactly when every range has its segment,
// and every range of its redo has it from that redo, in whatever order they come.
func TestRunStanding(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	standing := func(when string, id string, complete bool) model.RunStanding {
		t.Helper()
		got, err := db.RunStanding(ctx, s.SnapshotID, id)
		if err != nil || got.Complete != complete {
			t.Errorf("%s: complete %t, %v", when, got.Complete, err)
		}
		if read := got.Snapshot.SnapshotID == s.SnapshotID; complete && !read {
			t.Errorf("%s: without its snapshot", when)
		}
		return got
	}
	ranges := model.Ranges(40)
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		id := ""
		for _, i := range order {
			id += string(rune('a' + i))
		}
		run := startRun(t, db, s, id, 40)
		standing("without a segment", id, false)
		for n, i := range order {
			putRange(t, db, run, ranges[i], 0)
			putRange(t, db, run, ranges[i], 0)
			standing(id, id, n == len(order)-1)
		}
		run.Redo = 1
		finish(t, db, run, model.RunDone)
		if _, err := db.StartRedo(ctx, s.SnapshotID, id, 1, []model.PageRange{ranges[order[0]], ranges[order[1]]}); err != nil {
			t.Fatal(err)
		}
		standing("a redo without a segment", id, false)
		putRange(t, db, run, ranges[order[0]], 1, order[0]*16+1)
		standing("half a redo", id, false)
		putRange(t, db, run, ranges[order[1]], 1)
		if got := standing("a redo", id, true); got.Redo != 1 || got.ChunkerVersion != "" || got.State != model.RunRunning {
			t.Errorf("%+v", got)
		}
		if r, err := db.RunResult(ctx, run); err != nil || r != (model.RunResult{Processed: 39, Failed: 1}) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	startRun(t, db, s, "one", 1)
	standing("one range that waits", "one", false)
	if _, err := db.RunStanding(ctx, s.SnapshotID, "none"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("no run: %v", err)
	}
}

func TestRangeWork(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	if _, _, _, err := db.RangeWork(ctx, s.SnapshotID, extraction, 17, 0); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("no run: %v", err)
	}
	run := startRun(t, db, s, extraction, 20)
	stands, snap, segment, err := db.RangeWork(ctx, s.SnapshotID, extraction, 17, 0)
	if err != nil || stands.PageCount != 20 || snap.URL != s.URL || segment != nil {
		t.Errorf("%+v, %+v, %+v, %v", stands, snap, segment, err)
	}
	want := putRange(t, db, run, model.PageRange{From: 17, To: 20}, 0, 18)
	if stands, _, segment, err = db.RangeWork(ctx, s.SnapshotID, extraction, 17, 0); err != nil || segment == nil || *segment != want ||
		stands.State != model.RunRunning {
		t.Errorf("%+v, %+v, %v", stands, segment, err)
	}
}
