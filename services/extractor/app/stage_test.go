package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const page = `<!DOCTYPE html><html lang="en"><title>T</title><p>The level rose.</p></html>`

// newer is a parser version that is not out yet.
const newer = "1000000"

var one = model.PageRange{From: 1, To: 1}

func lines(from, to int) (out []string) {
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("This is the text of page %d of the report.", i))
	}
	return out
}

func TestARangeIsExtracted(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(20, ""), model.KindPDF, nil), extract.ParserVersion)
	for _, r := range model.Ranges(20) {
		if got := w.pages(run, r); !reflect.DeepEqual(got, lines(r.From, r.To)) {
			t.Errorf("%+v: %q", r, got)
		}
	}
	before := w.Run(run)
	if before.State != model.RunRunning {
		t.Errorf("%+v", before)
	}
	// Delivered again, and when the run has ended, it says the same: said1 looks.
	w.pages(run, model.PageRange{From: 17, To: 20})
	w.Finish(run, model.RunDone)
	w.pages(run, model.PageRange{From: 1, To: 16})
}

// TestOneRangeManyTimesAtOnce: one segment, and everybody says that one.
func TestOneRangeManyTimesAtOnce(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(3, ""), model.KindPDF, nil), extract.ParserVersion)
	r := model.PageRange{From: 1, To: 3}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := w.stage.Handle(t.Context(), w.Event(split(run, r)), w.Emit); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	said := w.Heard()
	for _, d := range said {
		if d != said[0] {
			t.Errorf("%+v and %+v", d, said[0])
		}
	}
	w.pages(run, r)
}

func TestAPublishThatFails(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(page, model.KindHTML, nil), extract.ParserVersion)
	away := fault.Unavailable(errors.New("the bus is away"))
	w.Refuse(func(int, event.Data) error { return away })
	if err := w.stage.Handle(t.Context(), w.Event(split(run, one)), w.Emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.Refuse(nil)
	if got := w.pages(run, one); got[0] != "The level rose." {
		t.Errorf("%q", got)
	}
}

func TestAPageThatEndsItsChild(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(20, "ENDS AT 3\n"), model.KindPDF, nil), extract.ParserVersion)
	want := lines(1, 16)
	want[2] = "parser_crashed: page 3: the parser ended unexpectedly"
	if got := w.pages(run, model.PageRange{From: 1, To: 16}); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if got := w.pages(run, model.PageRange{From: 17, To: 20}); !reflect.DeepEqual(got, lines(17, 20)) {
		t.Errorf("%q", got)
	}
}

// TestARunThatCouldNotBeSplit has one page, which fails for the run's reason.
func TestARunThatCouldNotBeSplit(t *testing.T) {
	w := newWorld(t)
	for _, raw := range []string{"", "%PDF-1.4\nnothing"} {
		s := w.Capture(raw, model.KindPDF, nil)
		run := w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: "x", SourceID: "s", DocumentID: s.DocumentID, PageCount: 1,
			ParserVersion: extract.ParserVersion, Reason: "encrypted", Message: "it is locked"})
		if got := w.pages(run, one); got[0] != "encrypted: it is locked" {
			t.Errorf("%q", got)
		}
	}
}

func TestRedo(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(page, model.KindHTML, nil), extract.ParserVersion)
	if err := w.stage.Fail(t.Context(), w.Event(split(run, one)), fault.Timeout, "page 1: too slow", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.said1(run, one); got[0] != "timeout: page 1: too slow" {
		t.Errorf("%q", got)
	}
	w.Finish(run, model.RunFailed)
	early := split(run, one)
	early.Redo = 1
	if err := w.stage.Handle(t.Context(), w.Event(early), w.Emit); fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("a redo that nobody asked for: %v", err)
	}
	redone, err := w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, []model.PageRange{one})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.pages(redone, one); got[0] != "The level rose." {
		t.Errorf("%q", got)
	}
	late := split(run, one) // of the redo before: what it made
	if err := w.stage.Handle(t.Context(), w.Event(late), w.Emit); err != nil {
		t.Fatal(err)
	}
	if d, ok := w.Heard()[0].(event.IRExtracted); !ok || d.Redo != 0 || d.Failed != 1 {
		t.Errorf("%+v", d)
	}
}

func TestFailIsDoneOnce(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(20, ""), model.KindPDF, nil), extract.ParserVersion)
	r := model.PageRange{From: 17, To: 20}
	for _, sentence := range []string{"the first", "the second"} {
		if err := w.stage.Fail(t.Context(), w.Event(split(run, r)), fault.AttemptsExhausted, sentence, w.Emit); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(w.said1(run, r), "|"); got != strings.Repeat("|attempts_exhausted: the first", 4)[1:] {
			t.Errorf("%q", got)
		}
	}
	if got := w.pages(run, r); got[0] != "attempts_exhausted: the first" {
		t.Errorf("Handle afterwards: %q", got)
	}
}

// TestBytesThatAreDamaged: the range fails as our own fault, and completes.
func TestBytesThatAreDamaged(t *testing.T) {
	w := newWorld(t)
	s := w.Capture(page, model.KindHTML, nil)
	run := w.start(s, extract.ParserVersion)
	other := w.Capture("another", model.KindTextFile, nil) // so that the child does not hold the first
	w.pages(w.start(other, extract.ParserVersion), one)
	key, err := blobstore.RawKey("s", s.ContentHash)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Blobs.Delete(t.Context(), blobstore.Raw, key); err != nil {
		t.Fatal(err)
	}
	e := w.Event(split(run, one))
	err = w.stage.Handle(t.Context(), e, w.Emit)
	if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Fatalf("%v", err)
	}
	if err := w.stage.Fail(t.Context(), e, fault.Internal, "the captured bytes are lost", w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.said1(run, one); got[0] != "internal: the captured bytes are lost" {
		t.Errorf("%q", got)
	}
}

func TestFactsThatAreLost(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(20, ""), model.KindPDF, nil), extract.ParserVersion)
	if err := w.Blobs.Delete(t.Context(), blobstore.Derived, run.FactsKey); err != nil {
		t.Fatal(err)
	}
	err := w.stage.Handle(t.Context(), w.Event(split(run, model.PageRange{From: 1, To: 16})), w.Emit)
	if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Errorf("%v", err)
	}
}

func TestEventsThatNameNothing(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(devtest.PDF(20, ""), model.KindPDF, nil), extract.ParserVersion)
	good := split(run, model.PageRange{From: 1, To: 16})
	change := func(f func(*event.PageSplit)) event.Event {
		d := good
		f(&d)
		return w.Aged(w.Event(d))
	}
	lost := good
	lost.ExtractionID = "none"
	if err := w.stage.Handle(t.Context(), w.Event(lost), w.Emit); fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("a run that may come back: %v", err)
	}
	broken := w.Event(good)
	broken.Payload = []byte(`{"source_id":3}`)
	for name, e := range map[string]event.Event{
		"another end":    change(func(d *event.PageSplit) { d.Pages.To = 15 }),
		"another start":  change(func(d *event.PageSplit) { d.Pages.From = 2 }),
		"beyond the end": change(func(d *event.PageSplit) { d.Pages = model.PageRange{From: 33, To: 48} }),
		"no run":         change(func(d *event.PageSplit) { d.ExtractionID = "none" }),
		"no number":      change(func(d *event.PageSplit) { d.ParserVersion = "one" }),
		"another parser": change(func(d *event.PageSplit) { d.ParserVersion = "0" }),
		"negative":       change(func(d *event.PageSplit) { d.Redo = -1 }),
		"broken":         broken,
		"another type":   w.Event(event.SnapshotStored{SourceID: "s"}),
	} {
		if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.stage.Fail(t.Context(), e, fault.Malformed, "malformed", w.Emit); err != nil || len(w.Heard()) > 0 {
			t.Errorf("%s: Fail: %v", name, err)
		}
	}
	if segments, err := w.DB.Segments(t.Context(), run.SnapshotID, run.ExtractionID); err != nil || len(segments) > 0 {
		t.Errorf("%+v, %v", segments, err)
	}
}

// TestALostSegmentIsMadeAgain: the catalog forgets what was published, as a server does
// that crashes.
func TestALostSegmentIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(page, model.KindHTML, nil), extract.ParserVersion)
	e := w.Event(split(run, one))
	lose := func(ctx context.Context, d event.Data) error {
		return errors.Join(w.DB.DropSchema(ctx), w.DB.Migrate(ctx), w.Emit(ctx, d))
	}
	err := w.stage.Handle(t.Context(), e, lose)
	if !errors.Is(err, catalog.ErrLost) || fault.KindOf(err) != fault.KindUnavailable {
		t.Fatalf("a segment is lost: %v", err)
	}
	lost := w.Heard()
	w.start(w.Capture(page, model.KindHTML, nil), extract.ParserVersion)
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	if said := w.Heard(); len(said) != 1 || fmt.Sprint(said) != fmt.Sprint(lost) {
		t.Errorf("said %v, then %v", lost, said)
	}
}

func TestARunThatIsOver(t *testing.T) {
	w := newWorld(t)
	for _, state := range []model.RunState{model.RunSuperseded, model.RunRemoved} {
		run := w.start(w.Capture(page+string(state), model.KindHTML, nil), extract.ParserVersion)
		w.Finish(run, state)
		e := w.Event(split(run, one))
		for _, err := range []error{
			w.stage.Handle(t.Context(), e, w.Emit), w.stage.Fail(t.Context(), e, fault.Timeout, "too slow", w.Emit),
		} {
			if err != nil || len(w.Heard()) != 0 {
				t.Errorf("%s: %v", state, err)
			}
		}
	}
	// Taken down by another parser's time: it does not come back either.
	run := w.start(w.Capture(page, model.KindHTML, nil), "0")
	w.Finish(run, model.RunRemoved)
	if err := w.stage.Handle(t.Context(), w.Event(split(run, one)), w.Emit); err != nil || len(w.Heard()) != 0 {
		t.Error(err)
	}
	if runs, err := w.DB.Runs(t.Context(), run.SnapshotID); err != nil || len(runs) != 1 {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestANewerParsersRange(t *testing.T) {
	w := newWorld(t)
	run := w.start(w.Capture(page, model.KindHTML, nil), newer)
	e := w.Event(split(run, one))
	err := w.stage.Handle(t.Context(), e, w.Emit)
	if fault.KindOf(err) != fault.KindDeferred || fault.RetryAfter(err) != newerDelay {
		t.Errorf("%v", err)
	}
	if err := w.stage.Fail(t.Context(), e, fault.Internal, "it killed us", w.Emit); err != nil || len(w.Heard()) != 0 {
		t.Errorf("%v", err)
	}
	if _, err := w.DB.Segment(t.Context(), run.SnapshotID, run.ExtractionID, 1, 0); err == nil {
		t.Error("a segment was written under another's version")
	}
}

// TestAnOlderParsersRun is taken over as a whole: pages and facts are found
// again, and the ranges that the old parser finished are not published for it.
func TestAnOlderParsersRun(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	s := w.Capture(devtest.PDF(20, ""), model.KindPDF, nil)
	w.stage.ParserVersion = "0"
	old := w.start(s, "0")
	first, second := model.PageRange{From: 1, To: 16}, model.PageRange{From: 17, To: 20}
	w.pages(old, first)
	w.stage.ParserVersion = extract.ParserVersion

	away := fault.Unavailable(errors.New("the bus is away"))
	w.Refuse(func(n int, _ event.Data) error {
		if n == 1 {
			return away
		}
		return nil
	})
	e := w.Event(split(old, second))
	if err := w.stage.Fail(ctx, e, fault.Timeout, "too slow", w.Emit); err != nil || len(w.Heard()) != 0 {
		t.Fatalf("Fail under another version: %v", err)
	}
	if err := w.stage.Handle(ctx, e, w.Emit); !errors.Is(err, away) {
		t.Fatalf("%v", err)
	}
	w.Refuse(nil)
	w.Heard()
	for range 2 {
		if err := w.stage.Handle(ctx, e, w.Emit); err != nil {
			t.Fatal(err)
		}
		runs, err := w.DB.Runs(ctx, s.SnapshotID)
		if err != nil || len(runs) != 2 || runs[0].State != model.RunSuperseded {
			t.Fatalf("%+v, %v", runs, err)
		}
		run := runs[1]
		if run.ParserVersion != extract.ParserVersion || run.PageCount != 20 || run.Why != "version" || run.FactsKey == old.FactsKey || run.FactsKey == "" {
			t.Errorf("%+v", run)
		}
		if said := w.Heard(); len(said) != 2 || said[0] != split(run, first) || said[1] != split(run, second) {
			t.Errorf("%+v", said)
		}
	}
	// What the old parser made is said again as its own: nothing is started.
	if err := w.stage.Handle(ctx, w.Event(split(old, first)), w.Emit); err != nil {
		t.Fatal(err)
	}
	if d, ok := w.Heard()[0].(event.IRExtracted); !ok || d.ExtractionID != old.ExtractionID {
		t.Errorf("%+v", d)
	}
	// What this parser cannot split fails under its name.
	w.stage.ParserVersion = "0"
	locked := w.Capture("%PDF-1.4\nnothing", model.KindPDF, nil)
	before := w.Start(model.Run{SnapshotID: locked.SnapshotID, ExtractionID: "x", SourceID: "s", DocumentID: locked.DocumentID,
		PageCount: 3, ParserVersion: "0"})
	w.stage.ParserVersion = extract.ParserVersion
	if err := w.stage.Handle(ctx, w.Event(split(before, model.PageRange{From: 1, To: 3})), w.Emit); err != nil {
		t.Fatal(err)
	}
	d, ok := w.Heard()[0].(event.PageSplit)
	if run, err := w.DB.Run(ctx, locked.SnapshotID, d.ExtractionID); !ok || err != nil || run.PageCount != 1 || run.Reason != "malformed" {
		t.Errorf("%+v, %v", run, err)
	}
}
