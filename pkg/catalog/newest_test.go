package catalog_test

import (
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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
	ours := catalog.Under{ParserVersion: "1", RulesDigest: "r"}
	underOthers := func(s model.Snapshot) model.Run {
		t.Helper()
		run, ids := runOf(s, "fedcba9876543210", 1)
		run.RulesDigest = "others"
		run, err := db.StartRun(t.Context(), run, ids, "")
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	progress := func(want catalog.ReparseProgress) {
		t.Helper()
		if got, err := db.ReparseProgress(t.Context(), "s", "", ours); err != nil || got != want {
			t.Errorf("%+v, want %+v: %v", got, want, err)
		}
	}
	progress(catalog.ReparseProgress{Documents: 3, Snapshots: 3, Waiting: 3})
	startRun(t, db, a, extraction, 1)
	done := startRun(t, db, b, extraction, 1)
	underOthers(c)
	putRange(t, db, done, model.PageRange{From: 1, To: 1}, 0)
	finish(t, db, done, model.RunDone)
	unparsed := func(want map[string]string) {
		t.Helper()
		got := map[string]string{}
		for s, err := range db.UnparsedSnapshots(t.Context(), "s", "", ours) {
			if err != nil {
				t.Fatal(err)
			}
			got[s.SnapshotID] = s.After
		}
		if !maps.Equal(got, want) {
			t.Errorf("unparsed %q, want %q", got, want)
		}
	}
	unparsed(map[string]string{c.SnapshotID: ""})
	progress(catalog.ReparseProgress{Documents: 3, Snapshots: 3, Waiting: 1, Running: 2}) // one of them has ended and is not announced
	if err := db.MarkRunAnnounced(t.Context(), b.SnapshotID, extraction, 0); err != nil {
		t.Fatal(err)
	}
	progress(catalog.ReparseProgress{Documents: 3, Snapshots: 3, Waiting: 1, Running: 1, Done: 1})
	if one, err := db.ReparseProgress(t.Context(), "", b.SnapshotID, ours); err != nil || !one.Over() || one.Done != 1 || one.Documents != 1 {
		t.Errorf("of one snapshot: %+v: %v", one, err)
	}
	later := underOthers(b)
	putRange(t, db, later, model.PageRange{From: 1, To: 1}, 0)
	finish(t, db, later, model.RunDone)
	// What stands in the place of another's is no more what was asked for.
	progress(catalog.ReparseProgress{Documents: 3, Snapshots: 3, Waiting: 2, Running: 1})
	unparsed(map[string]string{b.SnapshotID: later.ExtractionID, c.SnapshotID: ""})
	again := startRun(t, db, b, "00000000000000aa", 1)
	progress(catalog.ReparseProgress{Documents: 3, Snapshots: 3, Waiting: 1, Running: 2})
	unparsed(map[string]string{c.SnapshotID: ""})
	if own, err := db.ExtractionProgress(t.Context(), "s", "", again.ExtractionID); err != nil || own != (catalog.ReparseProgress{Documents: 1, Snapshots: 1, Running: 1}) {
		t.Errorf("of one extraction_id: %+v: %v", own, err)
	}
}

// What an older chunker has made is told until it was made again; of a version that is no number nothing is.
func TestOutdatedRuns(t *testing.T) {
	db := openCatalog(t)
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, extraction, 1)
	putRange(t, db, run, model.PageRange{From: 1, To: 1}, 0)
	finish(t, db, run, model.RunDone)
	if err := db.MarkRunAnnounced(t.Context(), s.SnapshotID, extraction, 0); err != nil {
		t.Fatal(err)
	}
	for n, version := range []string{"9", "10", "none"} { // generations, each the newest
		if err := db.LockDocument(t.Context(), s.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
			return tx.AddManifest(t.Context(), model.Manifest{DocHash: s.DocHash(), Generation: n + 1, DocumentID: s.DocumentID, SourceID: s.SourceID,
				SnapshotID: s.SnapshotID, ExtractionID: extraction, Status: "done", ChunkerVersion: version, HeaderVersion: "1",
				Meta: model.ManifestMeta{}.Counted(model.PageCounts{Pages: 1})}, model.Version{DocHash: s.DocHash(), Generation: n + 1})
		}); err != nil {
			t.Fatal(err)
		}
		u := catalog.Under{ParserVersion: run.ParserVersion, RulesDigest: run.RulesDigest, ChunkerVersion: "10", HeaderVersion: "1"}
		want := 0
		if version == "9" {
			want = 1
		}
		found := 0
		for r, err := range db.OutdatedRuns(t.Context(), "s", "", u) {
			if found++; err != nil || r.SnapshotID != s.SnapshotID || r.ExtractionID != extraction {
				t.Errorf("%+v: %v", r, err)
			}
		}
		p, err := db.ReparseProgress(t.Context(), "s", "", u)
		if err != nil || found != want || p.Outdated != want || p.Done != 1 || p.Over() != (want == 0) {
			t.Errorf("by chunker %s: %d runs, %+v: %v", version, found, p, err)
		}
	}
}

// What is read again by OCR is what some run has found to need it.
func TestScannedSnapshots(t *testing.T) {
	db := openCatalog(t)
	text, scan := addSnapshot(t, db, snapshotOf("text", 1)), addSnapshot(t, db, snapshotOf("scan", 1))
	addSnapshot(t, db, snapshotOf("not parsed", 1))
	putRange(t, db, startRun(t, db, text, extraction, 1), model.PageRange{From: 1, To: 1}, 0)
	row, pages := rangeOf(startRun(t, db, scan, extraction, 1), model.PageRange{From: 1, To: 1}, 0)
	pages[0].OCR = []model.PageOCR{{Why: "no_text"}}
	if _, err := db.PutSegment(t.Context(), row, pages); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for s, err := range db.ScannedSnapshots(t.Context(), "s") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.SnapshotID)
	}
	if !slices.Equal(ids, []string{scan.SnapshotID}) {
		t.Errorf("%q, want %s", ids, scan.SnapshotID)
	}
}

// The newest of each document, and of two that are equal the one recorded last.
func TestNewestSnapshotsOf(t *testing.T) {
	db := openCatalog(t)
	addSnapshot(t, db, snapshotOf("plan", 1))
	last := addSnapshot(t, db, snapshotOf("plan", 2))
	other := addSnapshot(t, db, snapshotOf("other", 1))
	addSnapshot(t, db, snapshotOf("not asked for", 1))
	found, err := db.NewestSnapshotsOf(t.Context(), []string{last.DocumentID, other.DocumentID, last.DocumentID, "doc_none"})
	if err != nil || len(found) != 2 || found[last.DocumentID].SnapshotID != last.SnapshotID || found[other.DocumentID].SnapshotID != other.SnapshotID {
		t.Errorf("%v: %v", found, err)
	}
	for _, id := range []string{"snap_0", "snap_z"} { // whatever their ids
		again := last
		again.SnapshotID, again.RequestID = id, id
		addSnapshot(t, db, again)
		if found, err = db.NewestSnapshotsOf(t.Context(), []string{last.DocumentID}); err != nil || found[last.DocumentID].SnapshotID != id {
			t.Errorf("%v, want %s: %v", found, id, err)
		}
	}
}

// TestAReparseIsOfTheCurrentVersionToo: where the newest version of a document has failed, and
// an earlier one is current, both are read again.
func TestAReparseIsOfTheCurrentVersionToo(t *testing.T) {
	db := openCatalog(t)
	current, newest, other := addSnapshot(t, db, snapshotOf("a", 1)), addSnapshot(t, db, snapshotOf("a", 2)), addSnapshot(t, db, snapshotOf("b", 1))
	if err := db.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE documents SET current_snapshot_id = CASE document_id WHEN $1 THEN $2 ELSE $3 END`,
			current.DocumentID, current.SnapshotID, other.SnapshotID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	under := catalog.Under{ParserVersion: "1", RulesDigest: "r"}
	for _, source := range []string{"s", ""} {
		var got []string
		for s, err := range db.UnparsedSnapshots(t.Context(), source, "", under) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.SnapshotID)
		}
		if want := slices.Sorted(slices.Values([]string{current.SnapshotID, newest.SnapshotID, other.SnapshotID})); !slices.Equal(got, want) {
			t.Errorf("of source %q: %q, want %q", source, got, want)
		}
		if p, err := db.ReparseProgress(t.Context(), source, "", under); err != nil || p.Documents != 2 || p.Snapshots != 3 || p.Waiting != 3 {
			t.Errorf("of source %q: %+v, %v", source, p, err)
		}
	}
}
