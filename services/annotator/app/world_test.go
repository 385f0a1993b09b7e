package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/entity/pagetest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/pkg/telemetry"
	"github.com/colophon-dev/colophon/services/annotator/internal/stage"
)

const extractionID = "0123456789abcdef"

// Pages: one with a heading of goals and a goal, one that goes on below it, and one of other things.
const (
	goals = "# Goals and Objectives\nReduce total nitrogen loads by 30% by 2030.\n"
	more  = "Reduce total phosphorus loads by 12% by 2031.\n"
	none  = "# Acknowledgements\nWe thank the staff of the library.\n"
)

// world is a world with the stage over it.
type world struct {
	*stagetest.World
	stage *stage.Stage
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return over(stagetest.New(t))
}

func over(w *stagetest.World) *world {
	return &world{World: w, stage: newStage(w.DB, w.Blobs, nil, config.Chat{}, telemetry.Nop())}
}

// run records a snapshot and a run of so many pages.
func (w *world) run(name string, pages int) model.Run {
	w.Helper()
	s := w.Capture(name, model.KindPDF, nil)
	return w.begin(s, extractionID, pages)
}

func (w *world) begin(s model.Snapshot, extraction string, pages int) model.Run {
	w.Helper()
	return w.Start(model.Run{SnapshotID: s.SnapshotID, ExtractionID: extraction, SourceID: s.SourceID, DocumentID: s.DocumentID,
		PageCount: pages, ParserVersion: "1", Why: "capture"})
}

// frame is a page of lines as pagetest has them. One that begins with "!" has failed for that reason.
func frame(run model.Run, no int, lines string) segment.Frame {
	f := segment.Frame{Page: model.Page{PageID: digest.PageID(run.SnapshotID, no), SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID,
		ParserVersion: "1", PageNo: no, Status: model.PageProcessed, ContentHash: digest.Hex([]byte(lines)), Language: &model.Language{Lang: "en", Confidence: 1}}}
	if reason, failed := strings.CutPrefix(lines, "!"); failed {
		f.Page.Status, f.Page.Reason, f.Page.Message = model.PageFailed, reason, "it is "+reason
		return f
	}
	f.Units = pagetest.Page("en", lines).Units
	for i := range f.Units {
		u := &f.Units[i]
		u.IRID, u.SourceID, u.SnapshotID = fmt.Sprintf("ir_%d_%d", no, i), "s", run.SnapshotID
		if u.Type == model.UnitHeading {
			f.Page.OpenSections = []model.Section{{Kind: kindOf(u.FieldsRaw.Text), Level: u.FieldsRaw.Level, Text: u.FieldsRaw.Text}}
		}
	}
	return f
}

func kindOf(heading string) string {
	if strings.Contains(heading, "Goals") {
		return "goal"
	}
	return "generic"
}

// extract stores the pages of a range, as the extractor does, and returns its event.
func (w *world) extract(run model.Run, redo, from int, pages ...string) event.Event {
	w.Helper()
	frames := make([]segment.Frame, len(pages))
	for i, lines := range pages {
		frames[i] = frame(run, from+i, lines)
	}
	return w.Event(w.Extract(run, model.PageRange{From: from, To: from + len(pages) - 1}, redo, frames))
}

// handle handles an event, which must end well.
func (w *world) handle(e event.Event) {
	w.Helper()
	if err := w.stage.Handle(w.Context(), e, w.Emit); err != nil {
		w.Fatal(err)
	}
}

// said returns what was told since it was asked last, a line a page.
func (w *world) said() string {
	var lines []string
	for _, d := range w.Heard() {
		e := d.(event.EntitiesExtracted)
		lines = append(lines, fmt.Sprintf("%d %s %d", e.PageNo, e.Status, e.Counts["goals"]))
	}
	return strings.Join(lines, ", ")
}

// annotated reports whether nobody waits for the entities of a run, once the chunker is done
// with it.
func (w *world) annotated(run model.Run) bool {
	w.Helper()
	w.Finish(run, model.RunDone)
	if err := w.DB.MarkRunAnnounced(w.Context(), run.SnapshotID, run.ExtractionID, run.Redo); err != nil {
		w.Fatal(err)
	}
	stuck, err := w.DB.UnannotatedRuns(w.Context(), time.Now().Add(time.Hour), catalog.Page{Limit: 500})
	if err != nil {
		w.Fatal(err)
	}
	for _, s := range stuck {
		if s.SnapshotID == run.SnapshotID {
			return false
		}
	}
	return true
}
