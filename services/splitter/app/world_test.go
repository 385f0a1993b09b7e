package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	handle, err := child.Role(setup)
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
	return &world{T: t, env: env, db: db, blobs: blobs, children: children, stage: newStage(db, blobs, children)}
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

// heard returns the ranges that were said since the last call, as
// "from-to/count#redo", and holds all else against the run.
func (w *world) heard(run model.Run) string {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, d := range w.said {
		split, ok := d.(event.PageSplit)
		if !ok || split.SnapshotID != run.SnapshotID || split.SourceID != run.SourceID || split.ExtractionID != run.ExtractionID ||
			split.ParserVersion != run.ParserVersion {
			w.Errorf("%+v", d)
		}
		out = append(out, fmt.Sprintf("%d-%d/%d#%d", split.Pages.From, split.Pages.To, split.PageCount, split.Redo))
	}
	w.said = nil
	return strings.Join(out, " ")
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
	c := model.Capture{SourceID: "s", RequestID: request, RequestDigest: "d", Request: json.RawMessage(`{}`)}
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

func (w *world) stored(s model.Snapshot) event.Event {
	return w.event(event.SnapshotStored{SnapshotID: s.SnapshotID, SourceID: s.SourceID, DocumentID: s.DocumentID})
}

// runs returns the runs of a snapshot.
func (w *world) runs(s model.Snapshot) []model.Run {
	w.Helper()
	runs, err := w.db.Runs(w.Context(), s.SnapshotID)
	if err != nil {
		w.Fatal(err)
	}
	return runs
}

// start handles the snapshot and returns its only run.
func (w *world) start(s model.Snapshot) model.Run {
	w.Helper()
	if err := w.stage.Handle(w.Context(), w.stored(s), w.emit); err != nil {
		w.Fatal(err)
	}
	runs := w.runs(s)
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
		if _, err := w.db.PutSegment(w.Context(), row, pages); err != nil {
			w.Fatal(err)
		}
	}
	run.State = state
	err := w.db.LockDocument(w.Context(), run.DocumentID, time.Second, func(tx *catalog.DocumentTx) error {
		return tx.FinishRun(w.Context(), run)
	})
	if err != nil {
		w.Fatal(err)
	}
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
