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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
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
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: rigged, ocrchild.RoleName: ocrchild.Role}) {
		return
	}
	os.Exit(m.Run())
}

// rigged is the role with a weakness: a document that says ENDS AT 3 ends its
// child at page 3.
func rigged(setup []byte) (sandbox.Handler, error) {
	handle, err := child.Role(setup)
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

// world is a catalog and an object store of a test's own, with the stage over
// them and everything that it has said.
type world struct {
	*testing.T
	env      *devtest.Env
	db       *catalog.DB
	blobs    *blobstore.Store
	children *child.Client
	stage    *stage.Stage

	mu   sync.Mutex
	said []event.Data
	fail func(n int) error // asked before the n-th event counts as published
}

func newWorld(t *testing.T) *world {
	t.Helper()
	env := devtest.Start(t)
	ctx := t.Context()
	db, err := catalog.Open(ctx, catalog.Config{URL: env.PostgresURL, Schema: env.Schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	blobs, err := blobstore.Open(ctx, blobstore.Config{Endpoint: env.S3Endpoint, AccessKey: env.S3AccessKey,
		SecretKey: env.S3SecretKey, BucketPrefix: env.BucketPrefix})
	if err != nil {
		t.Fatal(err)
	}
	if err := blobs.EnsureBuckets(ctx); err != nil {
		t.Fatal(err)
	}
	children, err := child.New(child.Config{Workers: 1, CacheDir: filepath.Join(os.TempDir(), "colophon-test-pdfium"),
		TempDir: t.TempDir()}, blobs.FetchRaw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(children.Close)
	return &world{T: t, env: env, db: db, blobs: blobs, children: children, stage: newStage(db, blobs, children, newAhead(blobs), nil, slog.New(slog.DiscardHandler))}
}

func (w *world) emit(_ context.Context, d event.Data) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		if err := w.fail(len(w.said)); err != nil {
			return err
		}
	}
	w.said = append(w.said, d)
	return nil
}

// heard returns what was said since the last call.
func (w *world) heard() []event.Data {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := w.said
	w.said = nil
	return said
}

// capture stores bytes as a snapshot.
func (w *world) capture(raw string, kind model.SnapshotKind, change func(*model.Snapshot)) model.Snapshot {
	w.Helper()
	hash := digest.Content([]byte(raw))
	request := "r-" + hash[7:15]
	url := "https://example.org/" + request
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := model.Snapshot{SnapshotID: digest.SnapshotID("s", request, hash), DocumentID: digest.DocumentID("s", url), RequestID: request,
		SourceID: "s", SourceName: "S", SnapshotKind: kind, FinalType: model.FinalType(kind), URL: url, URLCanonical: url, ExternalID: url,
		RetrievedAt: at, LastModified: at, ContentHash: hash, ByteLength: int64(len(raw)), Layer: model.LayerHot}
	if change != nil {
		change(&s)
	}
	key, err := blobstore.RawKey("s", hash)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := w.blobs.PutOnce(w.Context(), blobstore.Raw, key, []byte(raw), "application/octet-stream"); err != nil {
		w.Fatal(err)
	}
	c := model.Capture{SourceID: "s", RequestID: s.RequestID, RequestDigest: "d", Request: json.RawMessage(`{}`)}
	if _, _, err := w.db.AcceptCapture(w.Context(), c, "test", time.Minute); err != nil {
		w.Fatal(err)
	}
	if _, err := w.db.RecordCapture(w.Context(), c, s, nil, func(model.Standing) bool { return false }); err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *world) event(d event.Data) event.Event {
	w.Helper()
	e, err := event.New("test", d, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	return e
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
	return w.record(run)
}

func (w *world) record(run model.Run) model.Run {
	w.Helper()
	ids := make([]string, run.PageCount)
	for i := range ids {
		ids[i] = digest.PageID(run.SnapshotID, i+1)
	}
	run, err := w.db.StartRun(w.Context(), run, ids, "")
	if err != nil {
		w.Fatal(err)
	}
	return run
}

func (w *world) run(run model.Run) model.Run {
	w.Helper()
	run, err := w.db.Run(w.Context(), run.SnapshotID, run.ExtractionID)
	if err != nil {
		w.Fatal(err)
	}
	return run
}

func (w *world) finish(run model.Run, state model.RunState) {
	w.Helper()
	run.State = state
	err := w.db.LockDocument(w.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return tx.FinishRun(w.Context(), run)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// split is the event of a range.
func split(run model.Run, r model.PageRange) event.PageSplit {
	return event.PageSplit{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID,
		ParserVersion: run.ParserVersion, Pages: r, PageCount: run.PageCount, Redo: run.Redo}
}

// pages handles a range and returns the reasons of its pages, or their text.
func (w *world) pages(run model.Run, r model.PageRange) []string {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.event(split(run, r)), w.emit); err != nil {
		w.Fatal(err)
	}
	return w.said1(run, r)
}

// said1 takes the one event that was said, holds it against row, object and
// pages of the range, and returns what the pages hold.
func (w *world) said1(run model.Run, r model.PageRange) (out []string) {
	w.Helper()
	said := w.heard()
	row, err := w.db.Segment(w.Context(), run.SnapshotID, run.ExtractionID, r.From, run.Redo)
	if err != nil || len(said) != 1 {
		w.Fatalf("%d events, %v", len(said), err)
	}
	want := event.IRExtracted{SnapshotID: run.SnapshotID, SourceID: run.SourceID, ExtractionID: run.ExtractionID, Pages: r,
		PageCount: run.PageCount, Redo: run.Redo, ObjectKey: row.ObjectKey, Digest: row.Digest, Processed: row.Processed, Failed: row.Failed}
	if said[0] != want {
		w.Errorf("said %+v, want %+v", said[0], want)
	}
	data, err := w.blobs.Get(w.Context(), blobstore.Derived, row.ObjectKey, row.Digest)
	if err != nil || int64(len(data)) != row.ByteLength {
		w.Fatalf("%d bytes, %+v: %v", len(data), row, err)
	}
	reader, err := segment.NewReader(bytes.NewReader(data), row.ByteLength)
	if err != nil {
		w.Fatal(err)
	}
	records, err := w.db.Pages(w.Context(), run.SnapshotID, run.ExtractionID)
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

// pdfOf makes a PDF of n pages with a line of text each; what is behind goes
// after its end.
func pdfOf(n int, behind string) string {
	var out strings.Builder
	out.WriteString("%PDF-1.7\n")
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range n {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 300 400] "+
		"/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", n, kids))
	for i := range n {
		text := fmt.Sprintf("BT /F 12 Tf 40 300 Td (This is the text of page %d of the report.) Tj ET", i+1)
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text))
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", 3+2*i))
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n%% %s\n", len(offsets)+1, xref, behind)
	return out.String()
}
