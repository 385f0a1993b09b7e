package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const page = "<!DOCTYPE html><title>T</title><p>Text.</p>"

func TestASnapshotIsSplit(t *testing.T) {
	w := newWorld(t)
	s := w.capture(pdfOf(20, ""), model.KindPDF, nil)
	run := w.start(s)
	if run.PageCount != 20 || run.ParserVersion != extract.ParserVersion || run.State != model.RunQueued || run.Reason != "" ||
		run.Why != "capture" || run.FactsKey == "" {
		t.Errorf("%+v", run)
	}
	const want = "1-16/20#0 17-20/20#0"
	if got := w.heard(run); got != want {
		t.Errorf("said %s", got)
	}
	facts, err := w.blobs.Get(t.Context(), blobstore.Derived, run.FactsKey, run.FactsDigest)
	if err != nil || len(facts) == 0 {
		t.Errorf("facts: %v", err)
	}
	if pages, err := w.db.Pages(t.Context(), s.SnapshotID, run.ExtractionID); err != nil || len(pages) != 20 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	// Delivered again, also when all is done, it says the same.
	for range 2 {
		if again := w.start(s); again.RunOrder != run.RunOrder || w.heard(run) != want {
			t.Errorf("%+v", again)
		}
		w.end(run, model.RunDone)
	}
	if short := w.start(w.capture(pdfOf(16, ""), model.KindPDF, nil)); w.heard(short) != "1-16/16#0" || short.FactsKey != "" {
		t.Errorf("a document of one range: %+v", short)
	}
	html := w.start(w.capture(page, model.KindHTML, nil))
	if got := w.heard(html); got != "1-1/1#0" || html.FactsKey != "" {
		t.Errorf("%+v said %s", html, got)
	}
}

// TestReparse: a re-parse runs under the rules that the source has now, and what
// continues that run keeps them.
func TestReparse(t *testing.T) {
	w := newWorld(t)
	s := w.capture(page, model.KindHTML, nil)
	first := w.start(s)
	if first.Rules != nil {
		t.Errorf("a run under the snapshot's own rules keeps them: %+v", first.Rules)
	}
	reparse := w.event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", Why: "reparse"})
	if err := w.stage.Handle(t.Context(), reparse, w.emit); err != nil { // no such source: the snapshot's rules
		t.Fatal(err)
	}
	source := model.DefaultSource("s")
	source.Furniture = &model.Furniture{Version: 1, Documents: 3, Selectors: []model.FurnitureSelect{{Select: "#side", Role: "related"}}}
	if err := w.db.PutSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	for range 2 { // delivered twice
		if err := w.stage.Handle(t.Context(), reparse, w.emit); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := w.db.Runs(t.Context(), s.SnapshotID)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	second := runs[1]
	if second.ExtractionID == first.ExtractionID || second.RulesDigest == first.RulesDigest || second.Why != "reparse" ||
		second.Rules == nil || second.Rules.Furniture == nil || second.Rules.Furniture.Version != 1 {
		t.Errorf("%+v", second)
	}
	if again := s.Under(second).UnitRules(); again.Furniture.Selectors[0].Select != "#side" {
		t.Errorf("the snapshot under the run has %+v", again)
	}
}

// TestAContainerHasNoRun: neither what is stored nor what is asked for starts a run of a
// container, nor does its failure.
func TestAContainerHasNoRun(t *testing.T) {
	w := newWorld(t)
	zip := w.capture("PK", model.KindContainer, nil)
	asked, err := event.New("test", event.RunRequested{SnapshotID: zip.SnapshotID, SourceID: zip.SourceID, Why: "reparse"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []event.Event{w.stored(zip), asked} {
		err := w.stage.Handle(t.Context(), e, w.emit)
		if fault.ReasonOf(err) != fault.UnsupportedType {
			t.Errorf("%s: %v", e.Type, err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.UnsupportedType, err.Error(), w.emit); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
	if runs := w.runs(zip); len(runs) > 0 || len(w.said) > 0 {
		t.Errorf("runs %+v, said %+v", runs, w.said)
	}
}

// TestAPublishThatFails: what was not said is said at the next delivery, by
// Handle and by Fail.
func TestAPublishThatFails(t *testing.T) {
	w := newWorld(t)
	away := fault.Unavailable(errors.New("the bus is away"))
	w.fail = func(n int) error {
		if n == 1 {
			return away
		}
		return nil
	}
	s := w.capture(pdfOf(20, ""), model.KindPDF, nil)
	if err := w.stage.Handle(t.Context(), w.stored(s), w.emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.fail = nil
	w.said = nil
	run := w.start(s)
	if got := w.heard(run); got != "1-16/20#0 17-20/20#0" {
		t.Errorf("said %s", got)
	}
	lost := w.capture("PK", model.KindOther, nil)
	w.fail = func(int) error { return away }
	if err := w.stage.Fail(t.Context(), w.stored(lost), fault.UnsupportedType, "it is an archive", w.emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.fail = nil
	if err := w.stage.Fail(t.Context(), w.stored(lost), fault.Timeout, "another reason", w.emit); err != nil {
		t.Fatal(err)
	}
	run = w.runs(lost)[0]
	if got := w.heard(run); got != "1-1/1#0" || run.Reason != "unsupported_type" || run.Message != "it is an archive" {
		t.Errorf("%+v said %s", run, got)
	}
}

// TestWhatCannotBeSplit has a run of one page with the reason.
func TestWhatCannotBeSplit(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for _, c := range []struct {
		raw  string
		kind model.SnapshotKind
		want string
	}{
		{"", model.KindHTML, "empty_content: the document has no bytes"},
		{"GIF89a", model.KindOther, "unsupported_type: there is no extractor for files of this type"},
		{pdfOf(5, ""), model.KindPDF, "limit_exceeded: the document has 5 pages, limit 4"},
		{"%PDF-1.4\nnothing", model.KindPDF, "malformed: the PDF cannot be read"},
	} {
		s := w.capture(c.raw, c.kind, func(s *model.Snapshot) { s.MaxPages = 4 })
		err := w.stage.Handle(ctx, w.stored(s), w.emit)
		if got := fmt.Sprintf("%s: %v", fault.ReasonOf(err), err); fault.KindOf(err) != fault.KindPermanent || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
			continue
		}
		if len(w.runs(s)) != 0 || len(w.said) != 0 {
			t.Error("Handle recorded a failure: that is Fail's")
		}
		for range 2 { // the runner may call it again
			if err := w.stage.Fail(ctx, w.stored(s), fault.ReasonOf(err), err.Error(), w.emit); err != nil {
				t.Fatal(err)
			}
			runs := w.runs(s)
			if len(runs) != 1 || runs[0].PageCount != 1 || runs[0].Reason+": "+runs[0].Message != fmt.Sprintf("%s: %v", fault.ReasonOf(err), err) {
				t.Fatalf("%+v", runs)
			}
			if got := w.heard(runs[0]); got != "1-1/1#0" {
				t.Errorf("said %s", got)
			}
		}
	}
	// A run that is there stays as it is when a later handling fails.
	s := w.capture(pdfOf(3, ""), model.KindPDF, nil)
	run := w.start(s)
	w.heard(run)
	if err := w.stage.Fail(ctx, w.stored(s), fault.AttemptsExhausted, "four attempts", w.emit); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(run); got != "1-3/3#0" || w.runs(s)[0].Reason != "" {
		t.Errorf("%+v said %s", w.runs(s), got)
	}
}

// TestALostRunIsStartedAgain: the catalog forgets what was published, as a server does
// that crashes.
func TestALostRunIsStartedAgain(t *testing.T) {
	w := newWorld(t)
	s := w.capture(page, model.KindHTML, nil)
	lose := func(ctx context.Context, d event.Data) error {
		return errors.Join(w.db.DropSchema(ctx), w.db.Migrate(ctx), w.emit(ctx, d))
	}
	err := w.stage.Handle(t.Context(), w.stored(s), lose)
	if !errors.Is(err, catalog.ErrLost) || fault.KindOf(err) != fault.KindUnavailable {
		t.Fatalf("a run is lost: %v", err)
	}
	w.said = nil
	w.capture(page, model.KindHTML, nil)
	run := w.start(s)
	if got := w.heard(run); got != "1-1/1#0" {
		t.Errorf("said %s", got)
	}
}

func TestEventsThatNameNothing(t *testing.T) {
	w := newWorld(t)
	unknown := event.SnapshotStored{SnapshotID: "snap_none", SourceID: "s"}
	noRun := event.RunRequested{SnapshotID: w.capture(page, model.KindHTML, nil).SnapshotID, SourceID: "s", ExtractionID: "none", Redo: 1}
	fresh := w.event(unknown)
	if err := w.stage.Handle(t.Context(), fresh, w.emit); fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("a snapshot that may come back: %v", err)
	}
	old := fresh
	old.Time = old.Time.Add(-time.Hour)
	broken := w.event(unknown)
	broken.Payload = []byte(`{"source_id":"another"}`)
	for _, e := range []event.Event{old, w.event(noRun), broken, w.event(event.IRExtracted{SourceID: "s"})} {
		if err := w.stage.Handle(t.Context(), e, w.emit); fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%s: %v", e.ID, err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.Malformed, "it is malformed", w.emit); err != nil || len(w.said) > 0 {
			t.Errorf("%s: said %v: %v", e.ID, w.said, err)
		}
	}
}

func TestRedo(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	s := w.capture(pdfOf(40, ""), model.KindPDF, nil)
	run := w.start(s)
	w.heard(run)
	request := func(redo int, pages ...int) event.Event {
		return w.event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: run.ExtractionID, Why: "retry",
			Redo: redo, Pages: pages})
	}
	handle := func(e event.Event) error { return w.stage.Handle(ctx, e, w.emit) }
	conflict := func(what string, e event.Event) {
		t.Helper()
		err := handle(e)
		if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.RequestConflict {
			t.Errorf("%s: %v", what, err)
		}
		before := w.runs(s)
		if err := w.stage.Fail(ctx, e, fault.RequestConflict, "conflict", w.emit); err != nil || len(w.said) != 0 ||
			fmt.Sprint(before) != fmt.Sprint(w.runs(s)) {
			t.Errorf("%s: Fail changed something: %v", what, err)
		}
	}
	conflict("a run that has not ended", request(1))
	w.end(run, model.RunPartial, 20)
	for _, bad := range []int{0, -3, 41} {
		if err := handle(request(1, bad)); fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("page %d: %v", bad, err)
		}
	}
	for range 2 {
		if err := handle(request(1)); err != nil {
			t.Fatal(err)
		}
		if got := w.heard(run); got != "17-32/40#1" {
			t.Errorf("failed pages: said %s", got)
		}
	}
	conflict("a redo of a redo that runs", request(2))
	redone := w.runs(s)[0]
	w.end(redone, model.RunDone)
	if err := handle(request(1)); err != nil { // late: the pages do not fail any more, the ranges stay
		t.Fatal(err)
	}
	if got := w.heard(run); got != "17-32/40#1" {
		t.Errorf("delivered late: said %s", got)
	}
	if err := handle(request(2, 40, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(run); got != "1-16/40#2 33-40/40#2" {
		t.Errorf("named pages: said %s", got)
	}
	w.end(w.runs(s)[0], model.RunDone)
	today := w.event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", Why: "retry", Redo: 3}) // today's run, unnamed
	if err := handle(today); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(run); got != "1-16/40#3 17-32/40#3 33-40/40#3" {
		t.Errorf("none failed: said %s", got)
	}
	// The snapshot delivered again says what is to be done now.
	if err := handle(w.stored(s)); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(run); got != "1-16/40#3 17-32/40#3 33-40/40#3" {
		t.Errorf("the snapshot again: said %s", got)
	}
	conflict("an older redo", request(2))
}

// TestARetryOfWhatCouldNotBeSplit finds the pages again: a document must not
// end as its first page.
func TestARetryOfWhatCouldNotBeSplit(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	flag := filepath.Join(t.TempDir(), "flag")
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.capture(pdfOf(20, "ENDS WHILE "+flag), model.KindPDF, nil)
	err := w.stage.Handle(ctx, w.stored(s), w.emit)
	if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.ParserCrashed {
		t.Fatalf("%v", err)
	}
	if err := w.stage.Fail(ctx, w.stored(s), fault.ReasonOf(err), err.Error(), w.emit); err != nil {
		t.Fatal(err)
	}
	run := w.runs(s)[0]
	w.heard(run)
	w.end(run, model.RunFailed, 1)
	retry := w.event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: run.ExtractionID, Why: "retry", Redo: 1})
	if err := w.stage.Handle(ctx, retry, w.emit); fault.ReasonOf(err) != fault.ParserCrashed {
		t.Fatalf("it still ends its child: %v", err)
	}
	if err := w.stage.Fail(ctx, retry, fault.ParserCrashed, "again", w.emit); err != nil || w.runs(s)[0].State != model.RunFailed {
		t.Fatalf("%+v, %v", w.runs(s), err)
	}
	if err := os.Remove(flag); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.stage.Handle(ctx, retry, w.emit); err != nil {
			t.Fatal(err)
		}
		run = w.runs(s)[0]
		if got := w.heard(run); got != "1-16/20#1 17-20/20#1" || run.PageCount != 20 || run.FactsKey == "" || run.Reason != "" {
			t.Errorf("%+v said %s", run, got)
		}
	}
}

// TestAnotherParser: a redo of what an older parser made, and a reparse, are a
// run of today's.
func TestAnotherParser(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	s := w.capture(page, model.KindHTML, nil)
	w.stage.ParserVersion = "0"
	old := w.start(s)
	w.heard(old)
	w.end(old, model.RunDone)
	w.stage.ParserVersion = "1"
	for i, req := range []event.RunRequested{
		{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: old.ExtractionID, Why: "retry", Redo: 1},
		{SnapshotID: s.SnapshotID, SourceID: "s", Why: "reparse"},
	} {
		if err := w.stage.Handle(ctx, w.event(req), w.emit); err != nil {
			t.Fatal(err)
		}
		runs := w.runs(s)
		if len(runs) != 2 || runs[0].State != model.RunDone || runs[0].Redo != 0 || runs[1].ParserVersion != "1" || runs[1].Why != "retry" {
			t.Fatalf("%d: %+v", i, runs)
		}
		if got := w.heard(runs[1]); got != "1-1/1#0" {
			t.Errorf("said %s", got)
		}
	}
}

// TestBytesThatAreDamaged fail as our own fault, tried again before, where they are looked at: a file
// that is one page in any case is split without them, and its page fails.
func TestBytesThatAreDamaged(t *testing.T) {
	w := newWorld(t)
	s := w.capture("%PDF-1.7\n", model.KindPDF, nil)
	html := w.capture(page, model.KindHTML, nil)
	other, err := blobstore.RawKey("s", html.ContentHash)
	if err == nil {
		err = w.blobs.Delete(t.Context(), blobstore.Raw, other)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), w.stored(html), w.emit); err != nil || len(w.runs(html)) != 1 {
		t.Errorf("%v", err)
	}
	key, err := blobstore.RawKey("s", s.ContentHash)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.blobs.Delete(t.Context(), blobstore.Raw, key); err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), w.stored(s), w.emit); fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
}
