package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestProgressOfOneRequest follows a request from before it is known until it
// is quiet, and through a redo.
func TestProgressOfOneRequest(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	s := snapshotOf("a", 2)
	s.SourceEnrich = model.EnrichLater // which nobody waits for
	town := model.DefaultSource("s")
	town.Enrich = model.EnrichLater
	if err := db.PutSource(ctx, town); err != nil {
		t.Fatal(err)
	}
	neighbour := addSnapshot(t, db, snapshotOf("other", 1)) // open work of others, which is not waited for
	startRun(t, db, neighbour, extraction, 4)
	expect := func(what string, want catalog.Progress, quiet bool) {
		t.Helper()
		want.Requests = 1
		got, err := db.Progress(ctx, "s", []string{s.RequestID, s.RequestID}) // named twice: still one
		if err != nil || got != want || got.Quiet() != quiet {
			t.Errorf("%s: %+v, quiet %v (%v); want %+v", what, got, got.Quiet(), err, want)
		}
	}
	result := func(what, want string) {
		t.Helper()
		got, err := db.Results(ctx, "s", []string{s.RequestID})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if len(got) == 1 {
			r := got[0]
			text = fmt.Sprintf("%s %s %s %d/%d %d %v", r.Outcome, r.State, r.Reason, r.Pages, r.Failed, r.Chunks, r.InError())
		}
		if text != want {
			t.Errorf("%s: %q, want %q", what, text, want)
		}
	}

	expect("not known", catalog.Progress{Open: 1}, false)
	result("not known", "")
	accept(t, db, model.Capture{SourceID: "s", RequestID: s.RequestID, RequestDigest: "d", Request: []byte(`{}`)}, "test")
	expect("accepted", catalog.Progress{Open: 1}, false)
	result("accepted", "   0/0 0 false")
	addSnapshot(t, db, s)
	expect("stored", catalog.Progress{Unannounced: 1, OpenRuns: 1}, false)
	if err := db.CaptureAnnounced(ctx, "s", s.RequestID); err != nil {
		t.Fatal(err)
	}
	expect("announced", catalog.Progress{OpenRuns: 1}, false)
	result("announced", "stored   0/0 0 false")

	old := startRun(t, db, s, "old", 20)
	expect("queued", catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20}, false)
	result("queued", "stored queued  20/0 0 false")
	putRange(t, db, old, model.PageRange{From: 1, To: 16}, 0, 3)
	expect("running", catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20, DonePages: 16, FailedPages: 1}, false)
	run, ids := runOf(s, extraction, 20)
	run, err := db.StartRun(ctx, run, ids, "old")
	if err != nil {
		t.Fatal(err)
	}
	expect("taken over", catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20}, false)
	for _, r := range model.Ranges(20) {
		putRange(t, db, run, r, 0, 3)
	}
	run.Reason, run.Message = "timeout", "page 3: too slow"
	finish(t, db, run, model.RunPartial)
	expect("ended", catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20, DonePages: 20, FailedPages: 1}, false)
	land(t, db, s, run, generation{n: 1, texts: []string{"one", "two"}})
	if err := db.MarkRunAnnounced(ctx, s.SnapshotID, extraction, 0); err != nil {
		t.Fatal(err)
	}
	expect("entities are not told", catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20, DonePages: 20, FailedPages: 1, Chunks: 2, Unpublished: 2, Unpushed: 2}, false)
	if err := db.MarkRunAnnotated(ctx, run); err != nil {
		t.Fatal(err)
	}
	partial := catalog.Progress{Runs: 1, Pages: 20, DonePages: 20, FailedPages: 1, Chunks: 2}
	with := func(p catalog.Progress, unpublished, unpushed int) catalog.Progress {
		p.Unpublished, p.Unpushed = unpublished, unpushed
		return p
	}
	expect("landed, nothing is indexed anywhere", with(partial, 2, 2), false)
	result("landed", "stored partial timeout 20/1 2 false")
	settle(t, db, "kb")
	expect("indexed", partial, true)
	if _, err := db.RegisterCollection(ctx, model.Collection{Name: "kb2", Alias: "a", Model: "kb2", Dimensions: 4,
		State: model.CollectionBuilding}); err != nil {
		t.Fatal(err)
	}
	expect("another collection is being built, which nobody waits for", partial, true)

	run, err = db.StartRedo(ctx, s.SnapshotID, extraction, 1, model.Ranges(20)[:1])
	if err != nil {
		t.Fatal(err)
	}
	partial.OpenRuns = 1
	expect("redo", partial, false)
	putRange(t, db, run, model.PageRange{From: 1, To: 16}, 1)
	finish(t, db, run, model.RunDone)
	land(t, db, s, run, generation{n: 2, texts: []string{"one", "three", "two"}, archive: []string{chunkRef(s, 1, 1)},
		leftOut: &model.LeftOut{Text: 100, Heads: 40, Unusual: "40 % of it"}})
	done := catalog.Progress{Runs: 1, OpenRuns: 1, Pages: 20, DonePages: 20, Chunks: 5, Unpublished: 4, Unpushed: 4}
	expect("redo landed", done, false)
	if err := db.MarkRunAnnounced(ctx, s.SnapshotID, extraction, 1); err != nil {
		t.Fatal(err)
	}
	if err := db.MarkRunAnnotated(ctx, model.Run{SnapshotID: s.SnapshotID, ExtractionID: extraction, Redo: 1}); err != nil {
		t.Fatal(err)
	}
	settle(t, db, "kb")
	expect("redo done", catalog.Progress{Runs: 1, Pages: 20, DonePages: 20, Chunks: 5}, true)
	result("redo done", "stored done  20/0 3 false")
	if got, err := db.Counts(ctx); err != nil || fmt.Sprint(got) != "[{capture stored 2} {chunk archive 1} {chunk hot 4} "+
		"{document done 1} {document pending 1} {enrichment to come 1} {left out unusual 1} {manifest done 2} {manifest queued 1} {page failed 1} {page pending 8} {page processed 35} "+
		"{run done 1} {run queued 1} {run superseded 1} {vector none 2}]" {
		t.Errorf("counts: %v, %v", got, err)
	}
	all, err := db.Progress(ctx, "", nil)
	if err != nil || all.Requests != 2 || all.OpenRuns != 1 || all.Quiet() {
		t.Errorf("everything: %+v, %v", all, err)
	}
	if none, err := db.Progress(ctx, "s", []string{}); err != nil || none != (catalog.Progress{}) || !none.Quiet() {
		t.Errorf("nothing: %+v, %v", none, err)
	}
	if sum := all.Plus(all); sum.Requests != 4 || sum.Pages != 2*all.Pages || sum.OpenRuns != 2 {
		t.Errorf("%+v", sum)
	}
	if _, ok, err := db.Oldest(ctx); err != nil || !ok {
		t.Errorf("oldest work: %v, %v", ok, err)
	}
}

// TestAChangeOfAnotherDocumentIsWaitedFor: what a run archives elsewhere is part
// of its work.
func TestAChangeOfAnotherDocumentIsWaitedFor(t *testing.T) {
	db := openCatalog(t)
	ctx := t.Context()
	older, newer := snapshotOf("a", 1), snapshotOf("a", 2)
	one := startRun(t, db, addSnapshot(t, db, older), extraction, 1)
	land(t, db, older, one, generation{n: 1, texts: []string{"before"}})
	settle(t, db, "kb")
	two := startRun(t, db, addSnapshot(t, db, newer), extraction, 1)
	land(t, db, newer, two, generation{n: 1, texts: []string{"after"}, archive: []string{chunkRef(older, 1, 0)}})
	p, err := db.Progress(ctx, "s", []string{newer.RequestID})
	if err != nil || p.Chunks != 1 || p.Unpublished != 2 || p.Unpushed != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestResultsOfEveryOutcome(t *testing.T) {
	db := openCatalog(t)
	for _, outcome := range []event.Outcome{event.OutcomeUnchanged, event.OutcomeDuplicate, event.OutcomeRejected, event.OutcomeFailed} {
		c := model.Capture{SourceID: "s", RequestID: string(outcome), RequestDigest: "d", Request: []byte(`{"source_record_id":"x"}`)}
		accept(t, db, c, "test")
		c.Outcome = string(outcome)
		if outcome == event.OutcomeRejected || outcome == event.OutcomeFailed {
			c.Reason, c.Message = "too_large", "too many bytes"
		}
		if _, err := db.DecideCapture(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, state := range []model.RunState{model.RunFailed, model.RunRemoved} {
		s := snapshotOf(string(state), 1)
		run := startRun(t, db, addSnapshot(t, db, s), extraction, 1)
		if state == model.RunFailed {
			run.Reason, run.Message = "encrypted", "it is protected"
		}
		finish(t, db, run, state)
		if err := db.MarkRunAnnounced(t.Context(), s.SnapshotID, extraction, 0); err != nil {
			t.Fatal(err)
		}
	}
	results, err := db.Results(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range results {
		got += fmt.Sprintf("%s %s %s %s %v\n", r.RequestID, r.Outcome, r.State, r.Reason, r.InError())
	}
	if want := "duplicate duplicate   false\nfailed failed  too_large true\nfailed@1 stored failed encrypted true\n" +
		"rejected rejected  too_large true\nremoved@1 stored removed  false\nunchanged unchanged   false\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p, err := db.Progress(t.Context(), "", nil)
	if err != nil || p.Open != 0 || p.Unannounced != 6 || p.OpenRuns != 0 || p.Runs != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Requests that ended in error come first, then the newest.
func TestRecent(t *testing.T) {
	db := openCatalog(t)
	for _, name := range []string{"a", "b", "c"} {
		addSnapshot(t, db, snapshotOf(name, 1))
	}
	refused := model.Capture{SourceID: "s", RequestID: "refused", RequestDigest: "d", Request: json.RawMessage(`{"url":"https://example.org/x"}`)}
	if _, _, err := db.AcceptCapture(t.Context(), refused, "test", time.Minute); err != nil {
		t.Fatal(err)
	}
	refused.Outcome, refused.Reason = "rejected", "fetch_refused"
	if _, err := db.DecideCapture(t.Context(), refused); err != nil {
		t.Fatal(err)
	}
	addSnapshot(t, db, snapshotOf("d", 1))
	for _, c := range []struct {
		o     catalog.RecentOptions
		want  string
		total int
	}{
		{catalog.RecentOptions{}, "refused d@1 c@1 b@1 a@1", 5},
		{catalog.RecentOptions{SourceID: "s", Limit: 2}, "refused d@1", 5},
		{catalog.RecentOptions{Failed: true}, "refused", 1},
		{catalog.RecentOptions{SourceID: "other"}, "", 0},
	} {
		results, total, err := db.Recent(t.Context(), c.o)
		var ids []string
		for _, r := range results {
			ids = append(ids, r.RequestID)
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want || total != c.total {
			t.Errorf("%+v: %q of %d: %v", c.o, got, total, err)
		}
	}
}
