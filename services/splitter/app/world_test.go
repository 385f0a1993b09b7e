package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/services/splitter/internal/stage"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: rigged}) {
		return
	}
	os.Exit(m.Run())
}

var weakness = regexp.MustCompile(`ENDS WHILE (\S+)`)

// rigged is the role with a weakness: a document ends its child for as long as
// the file that it names exists.
func rigged(setup []byte) (sandbox.Handler, error) {
	handle, err := child.Builtin().Role(setup)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, raw []byte) ([]byte, error) {
		var req struct {
			Path      string `json:"path"`
			RunReason string `json:"run_reason"`
		}
		if err := json.Unmarshal(raw, &req); err != nil {
			return nil, err
		}
		document, err := os.ReadFile(req.Path)
		if err != nil {
			return nil, err
		}
		if named := weakness.FindSubmatch(document); named != nil && req.RunReason == "" {
			if _, err := os.Stat(string(named[1])); err == nil {
				os.Exit(3)
			}
		}
		return handle(ctx, raw)
	}, nil
}

// world is a world with the stage over it.
type world struct {
	*stagetest.World
	children *child.Client
	stage    *stage.Stage
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return over(stagetest.New(t))
}

func over(w *stagetest.World) *world {
	w.Helper()
	children, err := child.New(child.Config{Workers: 1, CacheDir: filepath.Join(os.TempDir(), "colophon-test-pdfium"),
		TempDir: w.TempDir()}, w.Blobs.FetchRaw)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(children.Close)
	return &world{World: w, children: children, stage: newStage(w.DB, w.Blobs, children)}
}

// heard returns the ranges that were said since the last call, as
// "from-to/count#redo", and holds all else against the run.
func (w *world) heard(run model.Run) string {
	w.Helper()
	var out []string
	for _, d := range w.Heard() {
		split, ok := d.(event.PageSplit)
		if !ok || split.SnapshotID != run.SnapshotID || split.SourceID != run.SourceID || split.ExtractionID != run.ExtractionID ||
			split.ParserVersion != run.ParserVersion {
			w.Errorf("%+v", d)
		}
		out = append(out, fmt.Sprintf("%d-%d/%d#%d", split.Pages.From, split.Pages.To, split.PageCount, split.Redo))
	}
	return strings.Join(out, " ")
}

func (w *world) stored(s model.Snapshot) event.Event {
	return w.Event(event.SnapshotStored{SnapshotID: s.SnapshotID, SourceID: s.SourceID, DocumentID: s.DocumentID})
}

// start handles the snapshot and returns its only run.
func (w *world) start(s model.Snapshot) model.Run {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.stored(s), w.Emit); err != nil {
		w.Fatal(err)
	}
	runs := w.Runs(s)
	if len(runs) != 1 {
		w.Fatalf("%+v", runs)
	}
	return runs[0]
}

// end records all ranges of a run, with its failed pages, and its state.
func (w *world) end(run model.Run, state model.RunState, failed ...int) {
	w.Helper()
	for _, r := range model.Ranges(run.PageCount) {
		row := model.SegmentRow{SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID, From: r.From, To: r.To, Redo: run.Redo}
		var pages []model.Page
		for no := r.From; no <= r.To; no++ {
			p := model.Page{PageID: digest.PageID(run.SnapshotID, no), SnapshotID: run.SnapshotID, ExtractionID: run.ExtractionID,
				PageNo: no, Status: model.PageProcessed}
			for _, f := range failed {
				if f == no {
					p.Status = model.PageFailed
				}
			}
			pages = append(pages, p)
		}
		if _, err := w.DB.PutSegment(w.Context(), row, pages); err != nil {
			w.Fatal(err)
		}
	}
	w.Finish(run, state)
}
