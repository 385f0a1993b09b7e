package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func TestFirstVersion(t *testing.T) {
	w := newWorld(t)
	run, e := w.land(version{doc: "https://example.org/a", day: 5, pages: []string{"# Budget|The budget is small.|# Roads|Roads are wide."}})
	if run.State != model.RunDone {
		t.Fatalf("run %+v", run)
	}
	said := w.Heard()
	if got := types(said); got != "chunk.created chunk.created run.completed" {
		t.Fatalf("said %s", got)
	}
	done := said[len(said)-1].(event.RunCompleted)
	if done.State != model.RunDone || done.ChunkCount != 2 || done.Generation != 1 || done.Processed != 1 {
		t.Errorf("%+v", done)
	}
	d := w.document(run)
	if d.CurrentSnapshotID != run.SnapshotID || d.CurrentExtractionID != extractionID || d.CurrentDocHash != done.DocHash ||
		d.CurrentGeneration != 1 || d.IngestStatus != model.IngestDone || d.Title != "Budget" || d.Language != "en" ||
		d.Fingerprint == "" || d.LastIngestedAt.IsZero() {
		t.Errorf("document %+v", d)
	}
	c := w.of(run, "small")
	const text = "TYPE: fact\nSTATUS: under_review\nDATE: 2026-01-05\nSOURCE: Source\n\nBudget\n\nThe budget is small."
	if c.Chunk.Text != text || c.Chunk.ChunkID != "0" || c.State.Layer != model.LayerHot || c.State.Rev != 1 ||
		c.State.Since != "2026-01-05" || !c.State.HasPoint() || c.Chunk.SectionPath[0] != "Budget" || c.Chunk.PageHint != 1 {
		t.Errorf("%+v", c)
	}
	w.settled(run)

	// Delivered again: what it would have published, and nothing else.
	before := w.Dump()
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	said = w.Heard()
	if got := types(said); got != "run.completed" {
		t.Errorf("again: %s", got)
	} else if again := said[0].(event.RunCompleted); again != done { // then it was known, now it was asked for
		t.Errorf("again: %+v, before: %+v", again, done)
	}
	if w.Dump() != before {
		t.Error("a second delivery changed the catalog")
	}
}

func TestARunWaitsForAllItsRanges(t *testing.T) {
	w := newWorld(t)
	pages := make([]string, 40)
	for i := range pages {
		pages[i] = fmt.Sprintf("This is page %d of the document.", i+1)
	}
	run := w.capture(version{doc: "https://example.org/long", day: 5, pages: pages, kind: model.TypePDF})
	ranges := model.Ranges(40)
	for _, r := range []model.PageRange{ranges[2], ranges[0]} {
		if err := w.stage.Handle(t.Context(), w.extract(run, r, 0, pages), w.Emit); err != nil {
			t.Fatal(err)
		}
	}
	if said := w.Heard(); len(said) > 0 {
		t.Fatalf("said %s before the last range", types(said))
	}
	e := w.extract(run, ranges[1], 0, pages)
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := w.Run(run); got.State != model.RunDone {
		t.Errorf("run %+v", got)
	}
	rows, err := w.DB.Segments(t.Context(), run.SnapshotID, run.ExtractionID)
	m, errM := w.DB.RunManifest(t.Context(), run.SnapshotID, run.ExtractionID, 0)
	if err != nil || errM != nil || len(rows) != 3 || m.SegmentsDigest != digest.HexParts(rows[0].Digest, rows[1].Digest, rows[2].Digest) {
		t.Errorf("the manifest of %d segments: %+v, %v, %v", len(rows), m, err, errM)
	}
	text := ""
	for _, c := range w.chunks(run.DocumentID) {
		text += c.Chunk.Content
	}
	if strings.Count(text, "This is page") != 40 || strings.Index(text, "page 17") > strings.Index(text, "page 33") {
		t.Error("the pages are not all there, or not in order")
	}
	w.settled(run)
}

func TestPartialAndFailedRuns(t *testing.T) {
	w := newWorld(t)
	partial, _ := w.land(version{doc: "https://example.org/p", day: 5, pages: []string{"One.", "!ocr_failed", "!timeout"}})
	if partial.State != model.RunPartial || partial.Reason != "ocr_failed" || partial.Message != "page 2: it is ocr_failed" {
		t.Errorf("%+v", partial)
	}
	if d := w.document(partial); d.IngestStatus != model.IngestDone || d.ErrorMessage != "" {
		t.Errorf("document %+v", d)
	}
	w.Heard()
	failed, e := w.land(version{doc: "https://example.org/f", day: 5, pages: []string{"!encrypted"}})
	said := w.Heard()
	if got := types(said); got != "run.completed" {
		t.Fatalf("said %s", got)
	}
	done := said[0].(event.RunCompleted)
	if done.State != model.RunFailed || done.Reason != "encrypted" || done.Message == "" || done.Failed != 1 || done.DocHash != "" {
		t.Errorf("%+v", done)
	}
	if d := w.document(failed); d.IngestStatus != model.IngestError || d.ErrorMessage != done.Message || d.CurrentSnapshotID != "" {
		t.Errorf("document %+v", d)
	}
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil || types(w.Heard()) != "run.completed" {
		t.Errorf("again: %v", err)
	}
	// A later version that fails leaves what was current, an older one that
	// fails leaves the status too.
	later, _ := w.land(version{doc: "https://example.org/p", day: 9, pages: []string{"!malformed"}})
	if d := w.document(later); d.IngestStatus != model.IngestError || d.CurrentSnapshotID != partial.SnapshotID {
		t.Errorf("document %+v", d)
	}
	w.land(version{doc: "https://example.org/g", day: 9, pages: []string{"Good."}})
	older, _ := w.land(version{doc: "https://example.org/g", day: 8, pages: []string{"!malformed"}})
	if d := w.document(older); d.IngestStatus != model.IngestDone || d.ErrorMessage != "" {
		t.Errorf("document %+v", d)
	}
	w.settled(partial, failed, later, older)
}

func TestARedoIsTheNextGeneration(t *testing.T) {
	w := newWorld(t)
	pages := make([]string, 20)
	for i := range pages {
		pages[i] = fmt.Sprintf("# Page %d|Text of page %d.", i+1, i+1)
	}
	good := pages[18]
	pages[18] = "!timeout"
	run, _ := w.land(version{doc: "https://example.org/r", day: 5, pages: pages, kind: model.TypePDF})
	if run.State != model.RunPartial {
		t.Fatalf("%+v", run)
	}
	w.Heard()
	pages[18] = good
	second := model.Ranges(20)[1]
	run, err := w.DB.StartRedo(t.Context(), run.SnapshotID, run.ExtractionID, 1, []model.PageRange{second})
	if err != nil {
		t.Fatal(err)
	}
	// A late event of the first time does not complete the redo.
	stale, err := event.New("extractor", event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: run.SourceID,
		ExtractionID: run.ExtractionID, Pages: second, PageCount: 20}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), stale, w.Emit); err != nil || len(w.Heard()) > 0 {
		t.Fatalf("the redo was taken for complete: %v", err)
	}
	if err := w.stage.Handle(t.Context(), w.extract(run, second, 1, pages), w.Emit); err != nil {
		t.Fatal(err)
	}
	run = w.Run(run)
	if run.State != model.RunDone || run.Redo != 1 || run.Reason != "" {
		t.Errorf("%+v", run)
	}
	m, err := w.DB.RunManifest(t.Context(), run.SnapshotID, run.ExtractionID, 1)
	if err != nil || m.Generation != 2 || m.ChunkCount != 20 {
		t.Errorf("manifest %+v, %v", m, err)
	}
	var repeats, fresh int
	for _, c := range w.chunks(run.DocumentID) {
		if c.Chunk.Generation == 2 {
			if !strings.HasSuffix(c.Chunk.ChunkID, "@2") {
				t.Errorf("chunk_id %s", c.Chunk.ChunkID)
			}
			if c.State.Repeats == "" {
				fresh++
			} else {
				repeats++
			}
		}
	}
	if repeats != 19 || fresh != 1 {
		t.Errorf("%d repeat, %d are new", repeats, fresh)
	}
	if d := w.document(run); d.CurrentGeneration != 2 {
		t.Errorf("document %+v", d)
	}
	w.settled(run)
}

func TestACrashBetweenCommitAndPublish(t *testing.T) {
	w := newWorld(t)
	v := version{doc: "https://example.org/c", day: 5, pages: []string{"# A|One.|# B|Two.|# C|Three."}}
	run := w.capture(v)
	e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	down := fault.Unavailable(errors.New("the bus is away"))
	once := false
	w.Refuse(func(_ int, d event.Data) error {
		if c, ok := d.(event.ChunkCreated); ok && c.Chunk.ChunkIndex == 1 && !once {
			once = true
			return down
		}
		return nil
	})
	if err := w.stage.Handle(t.Context(), e, w.Emit); !errors.Is(err, down) {
		t.Fatalf("error %v", err)
	}
	if w.Run(run).State != model.RunDone {
		t.Fatal("what was committed is gone")
	}
	w.Heard()
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	if got := types(w.Heard()); got != "chunk.created chunk.created chunk.created run.completed" {
		t.Errorf("said %s", got)
	}
	w.settled(run)
}

func TestTwoWorkersAtOnce(t *testing.T) {
	w := newWorld(t)
	type job struct {
		run model.Run
		e   event.Event
	}
	var jobs []job
	for i := range 6 { // three documents, twice each, with texts in common
		v := version{doc: fmt.Sprintf("https://example.org/%d", i/2), day: 5 + i%2,
			pages: []string{fmt.Sprintf("# Same|Equal everywhere.|# Own|Only %d.|# Also|Equal too.", i)}}
		run := w.capture(v)
		e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
		jobs = append(jobs, job{run, e}, job{run, e})
	}
	errs := make(chan error, len(jobs))
	for _, j := range jobs {
		go func() { errs <- w.stage.Handle(t.Context(), j.e, w.Emit) }()
	}
	for range jobs {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var runs []model.Run
	for _, j := range jobs {
		if run := w.Run(j.run); run.State != model.RunDone {
			t.Errorf("%+v", run)
		}
		runs = append(runs, j.run)
	}
	if n := len(w.chunks("")); n != 18 {
		t.Errorf("%d chunks of 18", n)
	}
	w.settled(runs...)
}

func TestADamagedSegmentFailsTheRun(t *testing.T) {
	w := newWorld(t)
	v := version{doc: "https://example.org/d", day: 5, pages: []string{"Text."}}
	run := w.capture(v)
	e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	rows, err := w.DB.Segments(t.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Blobs.Delete(t.Context(), blobstore.Derived, rows[0].ObjectKey); err != nil {
		t.Fatal(err)
	}
	err = w.stage.Handle(t.Context(), e, w.Emit)
	if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.Internal {
		t.Fatalf("error %v", err)
	}
	for range 2 { // Fail may be called again
		if err := w.stage.Fail(t.Context(), e, fault.Internal, err.Error(), w.Emit); err != nil {
			t.Fatal(err)
		}
		said := w.Heard()
		if types(said) != "run.completed" || said[0].(event.RunCompleted).State != model.RunFailed {
			t.Errorf("said %s", types(said))
		}
	}
	if d := w.document(run); d.IngestStatus != model.IngestError || d.ErrorMessage == "" {
		t.Errorf("document %+v", d)
	}
}

// TestAnEventWithoutItsSegment: a segment that was lost with a crash of the catalog is
// made again, and nobody tells of it once more.
func TestAnEventWithoutItsSegment(t *testing.T) {
	w := newWorld(t)
	v := version{doc: "https://example.org/a", day: 5, pages: []string{"# A|One."}}
	run := w.capture(v)
	all := model.PageRange{From: 1, To: 1}
	e, err := event.New("extractor", event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
		Pages: all, PageCount: 1}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("a segment that may come back: %v", err)
	}
	old := w.Aged(e)
	if err := w.stage.Handle(t.Context(), old, w.Emit); err != nil || len(w.Heard()) > 0 {
		t.Errorf("left to reconcile: %v", err)
	}
	w.extract(run, all, 0, v.pages)
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil || w.Run(run).State != model.RunDone {
		t.Errorf("%+v, %v", w.Run(run), err)
	}
}

func TestAnEventWithoutARun(t *testing.T) {
	w := newWorld(t)
	e, err := event.New("extractor", event.IRExtracted{SnapshotID: "snap_x", SourceID: "s", ExtractionID: "e",
		Pages: model.PageRange{From: 1, To: 1}, PageCount: 1}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stage.Handle(t.Context(), e, w.Emit); fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("a run that may come back: %v", err)
	}
	e = w.Aged(e)
	err = w.stage.Handle(t.Context(), e, w.Emit)
	if fault.ReasonOf(err) != fault.Malformed {
		t.Errorf("error %v", err)
	}
	if err := w.stage.Fail(t.Context(), e, fault.Malformed, "no such run", w.Emit); err != nil || len(w.Heard()) > 0 {
		t.Errorf("Fail: %v", err)
	}
}

func TestALargeDocument(t *testing.T) {
	w := newWorld(t)
	pages := make([]string, 48)
	for i := range pages {
		var parts []string
		for j := range 30 {
			parts = append(parts, fmt.Sprintf("# Section %d.%d|The text of section %d on page %d.", i, j, j, i))
		}
		pages[i] = strings.Join(parts, "|")
	}
	first, _ := w.land(version{doc: "https://example.org/big", day: 5, pages: pages, kind: model.TypePDF})
	if n := len(w.chunks("")); n != 48*30 {
		t.Fatalf("%d chunks", n)
	}
	if n := len(w.Heard()); n != 48*30+1 {
		t.Fatalf("%d events", n)
	}
	pages[47] = "# New|New."
	second, _ := w.land(version{doc: "https://example.org/big", day: 6, pages: pages, kind: model.TypePDF})
	if got := types(w.Heard()); strings.Count(got, "superseded") != 30 || strings.Count(got, "created") != 47*30+1 {
		t.Errorf("%d superseded, %d created", strings.Count(got, "superseded"), strings.Count(got, "created"))
	}
	w.settled(first, second)
}

// TestWhatWasMadeIsWhatIsRead: a chunk is published as it was made, or, after a
// publish that failed, as it is read from the catalog: the same.
func TestWhatWasMadeIsWhatIsRead(t *testing.T) {
	w := newWorld(t)
	v := version{doc: "https://example.org/same", day: 5, pages: []string{"# Budget|The budget is small.|# Größe|Ünïcode and \"quotes\"."}}
	run := w.capture(v)
	e := w.extract(run, model.PageRange{From: 1, To: 1}, 0, v.pages)
	made := map[string]string{}
	var mu sync.Mutex
	w.Refuse(func(_ int, d event.Data) error {
		created, ok := d.(event.ChunkCreated)
		if !ok {
			return nil
		}
		raw, err := json.Marshal(created)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		made[created.Chunk.ChunkRef] = string(raw)
		return errors.New("the bus is away")
	})
	if err := w.stage.Handle(t.Context(), e, w.Emit); err == nil {
		t.Fatal("a publish that failed was not told")
	}
	w.Refuse(nil)
	w.Heard()
	if err := w.stage.Handle(t.Context(), e, w.Emit); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, d := range w.Heard() {
		created, ok := d.(event.ChunkCreated)
		if !ok {
			continue
		}
		read++
		raw, err := json.Marshal(created)
		if err != nil {
			t.Fatal(err)
		}
		if was, ok := made[created.Chunk.ChunkRef]; ok && was != string(raw) {
			t.Errorf("made %s\nread %s", was, raw)
		}
	}
	if read < 2 || len(made) == 0 {
		t.Errorf("%d chunks read, %d made", read, len(made))
	}
}
