package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const extraction = "0123456789abcdef"

// snapshotOf is the snapshot of a document of source s, captured on a day of
// January 2026.
func snapshotOf(name string, day int) model.Snapshot {
	at := time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC)
	url := "https://example.org/" + name
	request := fmt.Sprintf("%s@%d", name, day)
	hash := digest.Content([]byte(request))
	return model.Snapshot{
		SnapshotID: digest.SnapshotID("s", request, hash), DocumentID: digest.DocumentID("s", url), RequestID: request,
		SourceID: "s", SourceName: "Source", SnapshotKind: model.KindHTML, FinalType: model.TypeHTML, URL: url, URLCanonical: url,
		ExternalID: url, RetrievedAt: at, ContentHash: hash, LastModified: at, LastModifiedOrigin: "http_header",
		SourceType: "official", Domain: "civics", Layer: model.LayerHot, RuleVersions: map[string]string{"urlcanon": "urlcanon_v1"},
	}
}

// addSnapshot records a snapshot as stored by its request.
func addSnapshot(t *testing.T, db *catalog.DB, s model.Snapshot) model.Snapshot {
	t.Helper()
	c := model.Capture{SourceID: s.SourceID, RequestID: s.RequestID, RequestDigest: "d", Request: json.RawMessage(`{"url":"` + s.URL + `"}`)}
	if _, _, err := db.AcceptCapture(t.Context(), c, "test", time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := db.RecordCapture(t.Context(), c, s, nil, func(model.Standing) bool { return false }); err != nil {
		t.Fatal(err)
	}
	return s
}

func runOf(s model.Snapshot, id string, pages int) (model.Run, []string) {
	ids := make([]string, pages)
	for i := range ids {
		ids[i] = digest.PageID(s.SnapshotID, i+1)
	}
	return model.Run{SnapshotID: s.SnapshotID, ExtractionID: id, SourceID: s.SourceID, DocumentID: s.DocumentID,
		PageCount: pages, ParserVersion: "1", RulesDigest: "r", Why: "capture"}, ids
}

func startRun(t *testing.T, db *catalog.DB, s model.Snapshot, id string, pages int) model.Run {
	t.Helper()
	run, ids := runOf(s, id, pages)
	run, err := db.StartRun(t.Context(), run, ids, "")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// putRange records the segment of a range whose failing pages are named.
func putRange(t *testing.T, db *catalog.DB, run model.Run, r model.PageRange, redo int, failed ...int) model.SegmentRow {
	t.Helper()
	row, pages := rangeOf(run, r, redo, failed...)
	row, err := db.PutSegment(t.Context(), row, pages)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func rangeOf(run model.Run, r model.PageRange, redo int, failed ...int) (model.SegmentRow, []model.Page) {
	row := model.SegmentRow{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, From: r.From, To: r.To, Redo: redo,
		ObjectKey: fmt.Sprintf("key-%d-%d", r.From, redo), Digest: fmt.Sprintf("digest-%d-%d", r.From, len(failed)), ByteLength: 7}
	var pages []model.Page
	for no := r.From; no <= r.To; no++ {
		p := model.Page{PageID: digest.PageID(run.SnapshotID, no), SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID,
			ParserVersion: "1", PageNo: no, Status: model.PageProcessed, Coverage: 0.95, HTML: "<p>not kept</p>",
			ContentHash: fmt.Sprintf("content-%d", no)}
		for _, f := range failed {
			if f == no {
				p.Status, p.Reason, p.Message, p.ContentHash = model.PageFailed, "timeout", fmt.Sprintf("page %d: too slow", no), ""
			}
		}
		if p.Status == model.PageFailed {
			row.Failed++
		} else {
			row.Processed++
		}
		pages = append(pages, p)
	}
	return row, pages
}

func finish(t *testing.T, db *catalog.DB, run model.Run, state model.RunState) {
	t.Helper()
	run.State = state
	err := db.LockDocument(t.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return tx.FinishRun(t.Context(), run)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func conflicts(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, fault.ErrRunMoved) || fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.RequestConflict {
		t.Errorf("%s: %v (%v)", what, err, fault.ReasonOf(err))
	}
}

func TestARunIsStartedOnce(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	var group sync.WaitGroup
	got := make([]model.Run, 8)
	for i := range got {
		group.Go(func() {
			// Half of them found 20 pages, half could not split it.
			run, ids := runOf(s, extraction, 20)
			if i%2 == 1 {
				run, ids = runOf(s, extraction, 1)
				run.Reason, run.Message = "timeout", "too slow"
			}
			var err error
			if got[i], err = db.StartRun(ctx, run, ids, ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, run := range got {
		if run != got[0] || run.RunOrder != 1 || run.State != model.RunQueued || run.Redo != 0 {
			t.Errorf("%+v and %+v", run, got[0])
		}
	}
	pages, err := db.Pages(ctx, s.SnapshotID, extraction)
	if err != nil || len(pages) != got[0].PageCount {
		t.Fatalf("%d pages of a run of %d: %v", len(pages), got[0].PageCount, err)
	}
	for i, p := range pages {
		if p.PageNo != i+1 || p.Status != model.PagePending || p.PageID != digest.PageID(s.SnapshotID, i+1) ||
			p.SnapshotID != s.SnapshotID || p.ExtractionID != extraction {
			t.Errorf("page %d: %+v", i+1, p)
		}
	}
	if second := startRun(t, db, s, "second", 1); second.RunOrder != 2 {
		t.Errorf("%+v", second)
	}
	runs, err := db.Runs(ctx, s.SnapshotID)
	if err != nil || len(runs) != 2 || runs[0] != got[0] || runs[1].ExtractionID != "second" {
		t.Errorf("%+v, %v", runs, err)
	}
	if same, all, err := db.SnapshotRuns(ctx, s.SnapshotID); err != nil || same.SnapshotID != s.SnapshotID || !slices.Equal(all, runs) {
		t.Errorf("%+v, %+v, %v", same, all, err)
	}
	if _, _, err := db.SnapshotRuns(ctx, "snp_none"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("no snapshot: %v", err)
	}
	if _, err := db.Run(ctx, s.SnapshotID, "none"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("no run: %v", err)
	}
	run, ids := runOf(snapshotOf("unknown", 1), extraction, 1)
	if _, err := db.StartRun(ctx, run, ids, ""); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a run of no snapshot: %v", err)
	}
}

func TestManyPagesComeInBatches(t *testing.T) {
	db := openCatalog(t)
	s := addSnapshot(t, db, snapshotOf("a", 1))
	startRun(t, db, s, extraction, 2500)
	pages, err := db.Pages(t.Context(), s.SnapshotID, extraction)
	if err != nil || len(pages) != 2500 || pages[2499].PageID != digest.PageID(s.SnapshotID, 2500) {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
}

func TestARunIsTakenOver(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	old := startRun(t, db, s, "old", 20)
	first := model.PageRange{From: 1, To: 16}
	putRange(t, db, old, first, 0)
	run, ids := runOf(s, "new", 20)
	for range 2 {
		if _, err := db.StartRun(ctx, run, ids, "old"); err != nil {
			t.Fatal(err)
		}
	}
	old, err := db.Run(ctx, s.SnapshotID, "old")
	if err != nil || old.State != model.RunSuperseded {
		t.Fatalf("%+v, %v", old, err)
	}
	row, pages := rangeOf(old, model.PageRange{From: 17, To: 20}, 0)
	if _, err := db.PutSegment(ctx, row, pages); !errors.Is(err, fault.ErrRunMoved) {
		t.Errorf("a superseded run takes a segment: %v", err)
	}
	if _, err := db.Segment(ctx, s.SnapshotID, "old", 17, 0); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("it was kept: %v", err)
	}
	if _, err := db.StartRedo(ctx, s.SnapshotID, "old", 1, []model.PageRange{first}); err == nil {
		t.Error("a superseded run is redone")
	} else {
		conflicts(t, "redo of a superseded run", err)
	}
	// A run that has ended is not taken back.
	done := startRun(t, db, s, "done", 1)
	finish(t, db, done, model.RunDone)
	run.ExtractionID = "newer"
	if _, err := db.StartRun(ctx, run, ids, "done"); err != nil {
		t.Fatal(err)
	}
	if done, err = db.Run(ctx, s.SnapshotID, "done"); err != nil || done.State != model.RunDone {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestRedo(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, extraction, 40)
	ranges := model.Ranges(40)
	redo := func(n int, r ...model.PageRange) (model.Run, error) {
		return db.StartRedo(ctx, s.SnapshotID, extraction, n, r)
	}
	_, err := redo(1, ranges[1])
	conflicts(t, "redo of a run that has not ended", err)
	for _, r := range ranges {
		putRange(t, db, run, r, 0, 20)
	}
	if failed, err := db.FailedPages(ctx, s.SnapshotID, extraction); err != nil || len(failed) != 1 || failed[0] != 20 {
		t.Errorf("failed pages %v, %v", failed, err)
	}
	run.Reason, run.Message = "timeout", "page 20: too slow"
	finish(t, db, run, model.RunPartial)
	_, err = redo(2, ranges[1])
	conflicts(t, "a redo that jumps", err)
	if _, err = redo(1); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("a redo of nothing: %v", err)
	}

	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			got, err := redo(1, ranges[2], ranges[1], ranges[1])
			if err != nil || got.Redo != 1 || got.State != model.RunQueued || got.Reason != "" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	group.Wait()
	if froms, err := db.RedoRanges(ctx, s.SnapshotID, extraction, 1); err != nil || fmt.Sprint(froms) != "[17 33]" {
		t.Errorf("ranges %v, %v", froms, err)
	}
	_, err = redo(2, ranges[0])
	conflicts(t, "a redo of a redo that runs", err)

	putRange(t, db, run, ranges[1], 1)
	putRange(t, db, run, ranges[1], 0, 17) // late and lost: the first of redo 0 stays
	pages, err := db.Pages(ctx, s.SnapshotID, extraction)
	if err != nil || pages[19].Status != model.PageProcessed || pages[19].Reason != "" || pages[16].Status != model.PageProcessed {
		t.Errorf("%+v, %v", pages[19], err)
	}
	now, err := db.Segments(ctx, s.SnapshotID, extraction)
	if err != nil || len(now) != 3 || now[0].Redo != 0 || now[1].Redo != 1 || now[1].Failed != 0 || now[2].From != 33 {
		t.Errorf("%+v, %v", now, err)
	}
	then, err := db.SegmentsAt(ctx, s.SnapshotID, extraction, 0)
	if err != nil || len(then) != 3 || then[1].Redo != 0 || then[1].Failed != 1 {
		t.Errorf("%+v, %v", then, err)
	}
	_, err = db.SplitAgain(ctx, run, 2, nil)
	conflicts(t, "splitting a run again that runs", err)
}

// TestSplitAgain: what could not be split can be later, and then has all its
// pages; what was split cannot be split otherwise.
func TestSplitAgain(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run, ids := runOf(s, extraction, 1)
	run.Reason, run.Message = "timeout", "too slow"
	run, err := db.StartRun(ctx, run, ids, "")
	if err != nil || !run.Unsplit() {
		t.Fatalf("%+v, %v", run, err)
	}
	putRange(t, db, run, model.PageRange{From: 1, To: 1}, 0, 1)
	finish(t, db, run, model.RunFailed)
	split, ids := runOf(s, extraction, 20)
	split.FactsKey, split.FactsDigest = "facts", "digest"
	for range 2 {
		got, err := db.SplitAgain(ctx, split, 1, ids)
		if err != nil || got.PageCount != 20 || got.FactsKey != "facts" || got.Redo != 1 || got.Unsplit() || got.State != model.RunQueued {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if froms, err := db.RedoRanges(ctx, s.SnapshotID, extraction, 1); err != nil || fmt.Sprint(froms) != "[1 17]" {
		t.Errorf("ranges %v, %v", froms, err)
	}
	if pages, err := db.Pages(ctx, s.SnapshotID, extraction); err != nil || len(pages) != 20 || pages[0].Status != model.PageFailed ||
		pages[19].Status != model.PagePending {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	if stands, err := db.Run(ctx, s.SnapshotID, extraction); err != nil || stands.PageCount != 20 || stands.FactsDigest != "digest" {
		t.Errorf("%+v, %v", stands, err)
	}
	finish(t, db, split, model.RunDone)
	_, err = db.SplitAgain(ctx, split, 2, ids)
	conflicts(t, "splitting again what is split", err)
}

func TestTheFirstSegmentCounts(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, extraction, 3)
	r := model.PageRange{From: 1, To: 3}
	var group sync.WaitGroup
	rows := make([]model.SegmentRow, 6)
	for i := range rows {
		group.Go(func() {
			row, pages := rangeOf(run, r, 0, i+1) // each says that another page failed
			row.ObjectKey = fmt.Sprint("key of ", i)
			var err error
			if rows[i], err = db.PutSegment(ctx, row, pages); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	stands, err := db.Segment(ctx, s.SnapshotID, extraction, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var winner int
	if _, err := fmt.Sscanf(stands.ObjectKey, "key of %d", &winner); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row != stands {
			t.Errorf("%+v, stands %+v", row, stands)
		}
	}
	pages, err := db.Pages(ctx, s.SnapshotID, extraction)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		want := model.PageProcessed
		if p.PageNo == winner+1 {
			want = model.PageFailed
		}
		if p.Status != want || p.HTML != "" || p.Coverage != 0.95 {
			t.Errorf("%d won: %+v", winner, p)
		}
	}
	if got, err := db.Run(ctx, s.SnapshotID, extraction); err != nil || got.State != model.RunRunning {
		t.Errorf("%+v, %v", got, err)
	}
	run.ExtractionID = "none"
	row, records := rangeOf(run, r, 0)
	if _, err := db.PutSegment(ctx, row, records); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a segment of no run: %v", err)
	}
}

// TestPagesOfAFailedRunDoNotWait fails the pages that were not extracted with a run
// that something else than its pages has ended, and leaves the others as they are.
func TestPagesOfAFailedRunDoNotWait(t *testing.T) {
	db := openCatalog(t)
	s := addSnapshot(t, db, snapshotOf("a", 1))
	run := startRun(t, db, s, "x1", 20)
	putRange(t, db, run, model.PageRange{From: 1, To: 16}, 0)
	run.Reason, run.Message = "internal", "a segment is gone"
	finish(t, db, run, model.RunFailed)
	pages, err := db.Pages(t.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil || len(pages) != 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, p := range pages {
		if want := map[bool]model.PageStatus{true: model.PageProcessed, false: model.PageFailed}[p.PageNo <= 16]; p.Status != want {
			t.Errorf("page %d is %s, want %s", p.PageNo, p.Status, want)
		}
	}
}
