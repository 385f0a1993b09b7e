package catalog_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestNewestSnapshots(t *testing.T) {
	db := openCatalog(t)
	collect := func(all iter.Seq2[model.Snapshot, error]) (ids []string) {
		t.Helper()
		for s, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.SnapshotID)
		}
		slices.Sort(ids)
		return ids
	}
	sorted := func(all ...model.Snapshot) (ids []string) {
		for _, s := range all {
			ids = append(ids, s.SnapshotID)
		}
		slices.Sort(ids)
		return ids
	}
	addSnapshot(t, db, snapshotOf("a", 1))
	a, b, c := addSnapshot(t, db, snapshotOf("a", 2)), addSnapshot(t, db, snapshotOf("b", 1)), addSnapshot(t, db, snapshotOf("c", 1))
	if got := collect(db.NewestSnapshots(t.Context(), "s")); !slices.Equal(got, sorted(a, b, c)) {
		t.Errorf("newest %q", got)
	}
	if got := collect(db.NewestSnapshots(t.Context(), "other")); len(got) != 0 {
		t.Errorf("of a source without any: %q", got)
	}
	progress := func(want catalog.ReparseProgress) {
		t.Helper()
		if got, err := db.ReparseProgress(t.Context(), "s", "", extraction); err != nil || got != want {
			t.Errorf("%+v, want %+v: %v", got, want, err)
		}
	}
	progress(catalog.ReparseProgress{Documents: 3, Waiting: 3})
	startRun(t, db, a, extraction, 1)
	done := startRun(t, db, b, extraction, 1)
	startRun(t, db, c, "fedcba9876543210", 1)
	putRange(t, db, done, model.PageRange{From: 1, To: 1}, 0)
	finish(t, db, done, model.RunDone)
	if got := collect(db.UnparsedSnapshots(t.Context(), "s", extraction)); !slices.Equal(got, sorted(c)) {
		t.Errorf("unparsed %q, want %s", got, c.SnapshotID)
	}
	progress(catalog.ReparseProgress{Documents: 3, Waiting: 1, Running: 2}) // one of them has ended and is not announced
	if err := db.MarkRunAnnounced(t.Context(), b.SnapshotID, extraction, 0); err != nil {
		t.Fatal(err)
	}
	progress(catalog.ReparseProgress{Documents: 3, Waiting: 1, Running: 1, Done: 1})
	if one, err := db.ReparseProgress(t.Context(), "", b.SnapshotID, extraction); err != nil || !one.Over() || one.Done != 1 || one.Documents != 1 {
		t.Errorf("of one snapshot: %+v: %v", one, err)
	}
}
