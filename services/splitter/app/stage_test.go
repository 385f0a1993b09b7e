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
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const page = "<!DOCTYPE html><title>T</title><p>Text.</p>"

func TestASnapshotIsSplit(t *testing.T) {
	w := newWorld(t)
	s := w.Capture(devtest.PDF(20, ""), model.KindPDF, nil)
	run := w.start(s)
	if run.PageCount != 20 || run.ParserVersion != extract.ParserVersion || run.State != model.RunQueued || run.Reason != "" ||
		run.Why != "capture" || run.FactsKey == "" {
		t.Errorf("%+v", run)
	}
	const want = "1-16/20#0 17-20/20#0"
	if got := w.heard(run); got != want {
		t.Errorf("said %s", got)
	}
	facts, err := w.Blobs.Get(t.Context(), blobstore.Derived, run.FactsKey, run.FactsDigest)
	if err != nil || len(facts) == 0 {
		t.Errorf("facts: %v", err)
	}
	if pages, err := w.DB.Pages(t.Context(), s.SnapshotID, run.ExtractionID); err != nil || len(pages) != 20 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	// Delivered again, also when all is done, it says the same.
	for range 2 {
		if again := w.start(s); again.RunOrder != run.RunOrder || w.heard(run) != want {
			t.Errorf("%+v", again)
		}
		w.end(run, model.RunDone)
	}
	if short := w.start(w.Capture(devtest.PDF(16, ""), model.KindPDF, nil)); w.heard(short) != "1-16/16#0" || short.FactsKey != "" {
		t.Errorf("a document of one range: %+v", short)
	}
	html := w.start(w.Capture(page, model.KindHTML, nil))
	if got := w.heard(html); got != "1-1/1#0" || html.FactsKey != "" {
		t.Errorf("%+v said %s", html, got)
	}
}

// TestReparse: a re-parse runs under the rules that the source has now, and what
// continues that run keeps them.
func TestReparse(t *testing.T) {
	w := newWorld(t)
	s := w.Capture(page, model.KindHTML, nil)
	first := w.start(s)
	if first.Rules != nil {
		t.Errorf("a run under the snapshot's own rules keeps them: %+v", first.Rules)
	}
	reparse := w.Event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", Why: "reparse"})
	if err := w.stage.Handle(t.Context(), reparse, w.Emit); err != nil { // no such source: the snapshot's rules
		t.Fatal(err)
	}
	source := model.DefaultSource("s")
	source.Furniture = &model.Furniture{Version: 1, Documents: 3, Selectors: []model.FurnitureSelect{{Select: "#side", Role: "related"}}}
	if err := w.DB.PutSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	for range 2 { // delivered twice
		if err := w.stage.Handle(t.Context(), reparse, w.Emit); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := w.DB.Runs(t.Context(), s.SnapshotID)
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
	zip := w.Capture("PK", model.KindContainer, nil)
	asked, err := event.New("test", event.RunRequested{SnapshotID: zip.SnapshotID, SourceID: zip.SourceID, Why: "reparse"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []event.Event{w.stored(zip), asked} {
		err := w.stage.Handle(t.Context(), e, w.Emit)
		if fault.ReasonOf(err) != fault.UnsupportedType {
			t.Errorf("%s: %v", e.Type, err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.UnsupportedType, err.Error(), w.Emit); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
	if runs, said := w.Runs(zip), w.Heard(); len(runs) > 0 || len(said) > 0 {
		t.Errorf("runs %+v, said %+v", runs, said)
	}
}

// TestAPublishThatFails: what was not said is said at the next delivery, by
// Handle and by Fail.
func TestAPublishThatFails(t *testing.T) {
	w := newWorld(t)
	away := fault.Unavailable(errors.New("the bus is away"))
	w.Refuse(func(n int, _ event.Data) error {
		if n == 1 {
			return away
		}
		return nil
	})
	s := w.Capture(devtest.PDF(20, ""), model.KindPDF, nil)
	if err := w.stage.Handle(t.Context(), w.stored(s), w.Emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.Refuse(nil)
	w.Heard()
	run := w.start(s)
	if got := w.heard(run); got != "1-16/20#0 17-20/20#0" {
		t.Errorf("said %s", got)
	}
	lost := w.Capture("PK", model.KindOther, nil)
	w.Refuse(func(int, event.Data) error { return away })
	if err := w.stage.Fail(t.Context(), w.stored(lost), fault.UnsupportedType, "it is an archive", w.Emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.Refuse(nil)
	if err := w.stage.Fail(t.Context(), w.stored(lost), fault.Timeout, "another reason", w.Emit); err != nil {
		t.Fatal(err)
	}
	run = w.Runs(lost)[0]
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
		{devtest.PDF(5, ""), model.KindPDF, "limit_exceeded: the document has 5 pages, limit 4"},
		{"%PDF-1.4\nnothing", model.KindPDF, "malformed: the PDF cannot be read"},
	} {
		s := w.Capture(c.raw, c.kind, func(s *model.Snapshot) { s.MaxPages = 4 })
		err := w.stage.Handle(ctx, w.stored(s), w.Emit)
		if got := fmt.Sprintf("%s: %v", fault.ReasonOf(err), err); fault.KindOf(err) != fault.KindPermanent || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
			continue
		}
		if len(w.Runs(s)) != 0 || len(w.Heard()) != 0 {
			t.Error("Handle recorded a failure: that is Fail's")
		}
		for range 2 { // the runner may call it again
			if err := w.stage.Fail(ctx, w.stored(s), fault.ReasonOf(err), err.Error(), w.Emit); err != nil {
				t.Fatal(err)
			}
			runs := w.Runs(s)
			if len(runs) != 1 || runs[0].PageCount != 1 || runs[0].Reason+": "+runs[0].Message != fmt.Sprintf("%s: %v", fault.ReasonOf(err), err) {
				t.Fatalf("%+v", runs)
			}
			if got := w.heard(runs[0]); got != "1-1/1#0" {
				t.Errorf("said %s", got)
			}
		}
	}
	// A run that is there stays as it is when a later handling fails.
	s := w.Capture(devtest.PDF(3, ""), model.KindPDF, nil)
	run := w.start(s)
	w.heard(run)
	if err := w.stage.Fail(ctx, w.stored(s), fault.AttemptsExhausted, "four attempts", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.heard(run); got != "1-3/3#0" || w.Runs(s)[0].Reason != "" {
		t.Errorf("%+v said %s", w.Runs(s), got)
	}
}

// TestALostRunIsStartedAgain: the catalog forgets what was published, as a server does
// that crashes.
func TestALostRunIsStartedAgain(t *testing.T) {
	w := newWorld(t)
	s := w.Capture(page, model.KindHTML, nil)
	lose := func(ctx context.Context, d event.Data) error {
		return errors.Join(w.DB.DropSchema(ctx), w.DB.Migrate(ctx), w.Emit(ctx, d))
	}
	err := w.stage.Handle(t.Context(), w.stored(s), lose)
	if !errors.Is(err, catalog.ErrLost) || fault.KindOf(err) != fault.KindUnavailable {
		t.Fatalf("a run is lost: %v", err)
	}
	w.Heard()
	w.Capture(page, model.KindHTML, nil)
	run := w.start(s)
	if got := w.heard(run); got != "1-1/1#0" {
		t.Errorf("said %s", got)
	}
}

func TestEventsThatNameNothing(t *testing.T) {
	w := newWorld(t)
	unknown := event.SnapshotStored{SnapshotID: "snap_none", SourceID: "s"}
	noRun := event.RunRequested{SnapshotID: w.Capture(page, model.KindHTML, nil).SnapshotID, SourceID: "s", ExtractionID: "none", Redo: 1}
	fresh := w.Event(unknown)
	if err := w.stage.Handle(t.Context(), fresh, w.Emit); fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("a snapshot that may come back: %v", err)
	}
	old := w.Aged(fresh)
	broken := w.Event(unknown)
	broken.Payload = []byte(`{"source_id":"another"}`)
	for _, e := range []event.Event{old, w.Event(noRun), broken, w.Event(event.IRExtracted{SourceID: "s"})} {
		if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%s: %v", e.ID, err)
		}
		err := w.stage.Fail(t.Context(), e, fault.Malformed, "it is malformed", w.Emit)
		if said := w.Heard(); err != nil || len(said) > 0 {
			t.Errorf("%s: said %v: %v", e.ID, said, err)
		}
	}
}

func TestRedo(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	s := w.Capture(devtest.PDF(40, ""), model.KindPDF, nil)
	run := w.start(s)
	w.heard(run)
	request := func(redo int, pages ...int) event.Event {
		return w.Event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: run.ExtractionID, Why: "retry",
			Redo: redo, Pages: pages})
	}
	handle := func(e event.Event) error { return w.stage.Handle(ctx, e, w.Emit) }
	conflict := func(what string, e event.Event) {
		t.Helper()
		err := handle(e)
		if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.RequestConflict {
			t.Errorf("%s: %v", what, err)
		}
		before := w.Runs(s)
		if err := w.stage.Fail(ctx, e, fault.RequestConflict, "conflict", w.Emit); err != nil || len(w.Heard()) != 0 ||
			fmt.Sprint(before) != fmt.Sprint(w.Runs(s)) {
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
	redone := w.Runs(s)[0]
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
	w.end(w.Runs(s)[0], model.RunDone)
	today := w.Event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", Why: "retry", Redo: 3}) // today's run, unnamed
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
	// The last page of a range is not of the next one, nor the first of the one before.
	for i, c := range []struct {
		pages []int
		want  string
	}{{[]int{16}, "1-16/40#4"}, {[]int{17}, "17-32/40#5"}, {[]int{32, 33}, "17-32/40#6 33-40/40#6"}} {
		w.end(w.Runs(s)[0], model.RunDone)
		if err := handle(request(4+i, c.pages...)); err != nil {
			t.Fatal(err)
		}
		if got := w.heard(run); got != c.want {
			t.Errorf("pages %v: said %s, want %s", c.pages, got, c.want)
		}
	}
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
	s := w.Capture(devtest.PDF(20, "ENDS WHILE "+flag), model.KindPDF, nil)
	err := w.stage.Handle(ctx, w.stored(s), w.Emit)
	if fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.ParserCrashed {
		t.Fatalf("%v", err)
	}
	if err := w.stage.Fail(ctx, w.stored(s), fault.ReasonOf(err), err.Error(), w.Emit); err != nil {
		t.Fatal(err)
	}
	run := w.Runs(s)[0]
	w.heard(run)
	w.end(run, model.RunFailed, 1)
	retry := w.Event(event.RunRequested{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: run.ExtractionID, Why: "retry", Redo: 1})
	if err := w.stage.Handle(ctx, retry, w.Emit); fault.ReasonOf(err) != fault.ParserCrashed {
		t.Fatalf("it still ends its child: %v", err)
	}
	if err := w.stage.Fail(ctx, retry, fault.ParserCrashed, "again", w.Emit); err != nil || w.Runs(s)[0].State != model.RunFailed {
		t.Fatalf("%+v, %v", w.Runs(s), err)
	}
	if err := os.Remove(flag); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.stage.Handle(ctx, retry, w.Emit); err != nil {
			t.Fatal(err)
		}
		run = w.Runs(s)[0]
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
	s := w.Capture(page, model.KindHTML, nil)
	w.stage.ParserVersion = "0"
	old := w.start(s)
	w.heard(old)
	w.end(old, model.RunDone)
	w.stage.ParserVersion = "1"
	for i, req := range []event.RunRequested{
		{SnapshotID: s.SnapshotID, SourceID: "s", ExtractionID: old.ExtractionID, Why: "retry", Redo: 1},
		{SnapshotID: s.SnapshotID, SourceID: "s", Why: "reparse"},
	} {
		if err := w.stage.Handle(ctx, w.Event(req), w.Emit); err != nil {
			t.Fatal(err)
		}
		runs := w.Runs(s)
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
	s := w.Capture("%PDF-1.7\n", model.KindPDF, nil)
	html := w.Capture(page, model.KindHTML, nil)
	other, err := blobstore.RawKey("s", html.ContentHash)
	if err == nil {
		err = w.Blobs.Delete(t.Context(), blobstore.Raw, other)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), w.stored(html), w.Emit); err != nil || len(w.Runs(html)) != 1 {
		t.Errorf("%v", err)
	}
	key, err := blobstore.RawKey("s", s.ContentHash)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Blobs.Delete(t.Context(), blobstore.Raw, key); err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), w.stored(s), w.Emit); fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
}
