package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/model"
	ocrchild "github.com/colophon-dev/colophon/pkg/ocr/child"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
	"github.com/colophon-dev/colophon/services/extractor/internal/stage"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: rigged, ocrchild.RoleName: ocrchild.Role(child.Builtin().Openers())}) {
		return
	}
	os.Exit(m.Run())
}

// rigged is the role with a weakness: a document that says ENDS AT 3 ends its
// child at page 3.
func rigged(setup []byte) (sandbox.Handler, error) {
	handle, err := child.Builtin().Role(setup)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, raw []byte) ([]byte, error) {
		var req struct {
			Op        string `json:"op"`
			Path      string `json:"path"`
			From      int    `json:"from"`
			To        int    `json:"to"`
			RunReason string `json:"run_reason"`
		}
		if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&req); err != nil {
			return nil, err
		}
		document := raw // stands behind it, or in a file
		if req.Path != "" {
			var err error
			if document, err = os.ReadFile(req.Path); err != nil {
				return nil, err
			}
		}
		for page := req.From; page <= req.To && req.Op == "pages" && req.RunReason == ""; page++ {
			if bytes.Contains(document, fmt.Appendf(nil, "ENDS AT %d\n", page)) {
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
	return &world{World: w, children: children,
		stage: newStage(w.DB, w.Blobs, children, newPrefetcher(w.Blobs), nil, slog.New(slog.DiscardHandler))}
}

// start splits a snapshot into a run of the given parser version.
func (w *world) start(s model.Snapshot, version string) model.Run {
	w.Helper()
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		w.Fatal(err)
	}
	run, err := w.stage.Splitter.Split(w.Context(), s, model.Run{SnapshotID: s.SnapshotID,
		ExtractionID: digest.ExtractionID(version, rules, ""), SourceID: s.SourceID, DocumentID: s.DocumentID,
		ParserVersion: version, RulesDigest: rules, Why: "capture"})
	if err != nil {
		w.Fatal(err)
	}
	return w.Start(run)
}

// split is the event of a range.
func split(run model.Run, r model.PageRange) event.PageSplit {
	return event.PageSplit{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
		ParserVersion: run.ParserVersion, Pages: r, PageCount: run.PageCount, Redo: run.Redo}
}

// pages handles a range and returns the reasons of its pages, or their text.
func (w *world) pages(run model.Run, r model.PageRange) []string {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.Event(split(run, r)), w.Emit); err != nil {
		w.Fatal(err)
	}
	return w.said1(run, r)
}

// said1 takes the one event that was said, holds it against row, object and
// pages of the range, and returns what the pages hold.
func (w *world) said1(run model.Run, r model.PageRange) (out []string) {
	w.Helper()
	said := w.Heard()
	row, err := w.DB.Segment(w.Context(), run.SnapshotID, run.ExtractionID, r.From, run.Redo)
	if err != nil || len(said) != 1 {
		w.Fatalf("%d events, %v", len(said), err)
	}
	want := event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Pages: r,
		PageCount: run.PageCount, Redo: run.Redo, ObjectKey: row.ObjectKey, Digest: row.Digest, Processed: row.Processed, Failed: row.Failed}
	if said[0] != want {
		w.Errorf("said %+v, want %+v", said[0], want)
	}
	data, err := w.Blobs.Get(w.Context(), blobstore.Derived, row.ObjectKey, row.Digest)
	if err != nil || int64(len(data)) != row.ByteLength {
		w.Fatalf("%d bytes, %+v: %v", len(data), row, err)
	}
	reader, err := segment.NewReader(bytes.NewReader(data), row.ByteLength)
	if err != nil {
		w.Fatal(err)
	}
	records, err := w.DB.Pages(w.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil {
		w.Fatal(err)
	}
	failed := 0
	for i := range reader.Index() {
		f, err := reader.Frame(i)
		if err != nil {
			w.Fatal(err)
		}
		text := ""
		for _, u := range f.Units {
			text += u.FieldsRaw.Text
		}
		if f.Page.Status == model.PageFailed {
			failed++
			text = f.Page.Reason + ": " + f.Page.Message
		}
		f.Page.HTML = ""
		if !reflect.DeepEqual(f.Page, records[r.From+i-1]) {
			w.Errorf("in the segment %+v\nin the catalog %+v", f.Page, records[r.From+i-1])
		}
		out = append(out, text)
	}
	if row.Failed != failed || row.Processed != r.To-r.From+1-failed || len(out) != row.Failed+row.Processed {
		w.Errorf("%+v, %d failed", row, failed)
	}
	return out
}
