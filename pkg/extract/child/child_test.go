package child_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/extract/child"
	"github.com/colophon-dev/colophon/pkg/extract/html"
	"github.com/colophon-dev/colophon/pkg/extract/textfile"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/segment"
)

func TestMain(m *testing.M) {
	if sandbox.Child(map[string]sandbox.Role{child.RoleName: rigged(child.Builtin().Role), child.DrawRoleName: rigged(child.Builtin().DrawRole)}) {
		return
	}
	os.Exit(m.Run())
}

var order = regexp.MustCompile(`(CRASH|HANG|EAT) (probe|\d+)`)

// rigged is a role with a weakness: a document that says so ends the child at
// the probe or at a page.
func rigged(role sandbox.Role) sandbox.Role {
	return func(setup []byte) (sandbox.Handler, error) {
		handle, err := role(setup)
		if err != nil {
			return nil, err
		}
		return weak(handle), nil
	}
}

func weak(handle sandbox.Handler) sandbox.Handler {
	return func(ctx context.Context, raw []byte) ([]byte, error) {
		var req struct {
			Op        string `json:"op"`
			Path      string `json:"path"`
			From      int    `json:"from"`
			To        int    `json:"to"`
			RunReason string `json:"run_reason"`
			Picture   struct{ Page int }
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
		for _, o := range order.FindAllSubmatch(document, -1) {
			page, _ := strconv.Atoi(string(o[2]))
			met := string(o[2]) == req.Op || req.Op == "pages" && req.From <= page && page <= req.To ||
				req.Op == "draw" && page == req.Picture.Page
			if req.RunReason != "" || !met {
				continue
			}
			switch string(o[1]) {
			case "CRASH":
				os.Exit(3)
			case "EAT":
				for all := [][]byte{}; ; {
					all = append(all, bytes.Repeat([]byte{1}, 64<<20))
				}
			default:
				for ctx.Err() == nil { // until it is killed
				}
			}
		}
		return handle(ctx, raw)
	}
}

// library hands out documents and counts how often.
type library struct {
	mu        sync.Mutex
	documents map[string][]byte
	fetched   map[string]int
}

func (l *library) fetch(_ context.Context, s model.Snapshot, path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fetched[s.ContentHash]++
	raw, ok := l.documents[s.ContentHash]
	if !ok {
		return fault.Permanent(fault.Internal, errors.New("the captured bytes are damaged"))
	}
	return os.WriteFile(path, raw, 0o600)
}

func (l *library) add(raw string, kind model.SnapshotKind) model.Snapshot {
	hash := digest.Content([]byte(raw))
	l.documents[hash] = []byte(raw)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return model.Snapshot{SnapshotID: digest.SnapshotID("s", "r", hash), DocumentID: "doc_x", RequestID: "r", SourceID: "s",
		SourceName: "S", SnapshotKind: kind, FinalType: model.FinalType(kind), URL: "https://example.org/x",
		URLCanonical: "https://example.org/x", ExternalID: "https://example.org/x", RetrievedAt: at, LastModified: at,
		ContentHash: hash, ByteLength: int64(len(raw)), Layer: model.LayerHot}
}

func start(t *testing.T, c child.Config) (*child.Client, *library) {
	t.Helper()
	l := &library{documents: map[string][]byte{}, fetched: map[string]int{}}
	if c.Workers == 0 {
		c.Workers = 1
	}
	c.CacheDir, c.TempDir = filepath.Join(os.TempDir(), "colophon-test-pdfium"), t.TempDir()
	client, err := child.New(c, l.fetch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, l
}

const page = `<!DOCTYPE html><html lang="en"><head><title>T</title></head><body><h1>Water</h1><p>The level rose.</p></body></html>`

// texts returns for each page its status, or the text of its units.
func texts(t *testing.T, results []child.Result) (out []string) {
	t.Helper()
	for _, r := range results {
		f, err := segment.DecodeFrame(r.Frame)
		if err != nil {
			t.Fatal(err)
		}
		if r.Page.HTML != "" || f.Page.HTML == "" {
			t.Errorf("page %d: HTML belongs into the frame alone", r.Page.PageNo)
		}
		if f.Page.HTML = ""; !reflect.DeepEqual(f.Page, r.Page) {
			t.Errorf("%+v\n%+v", f.Page, r.Page)
		}
		text := ""
		for _, u := range f.Units {
			if err := u.Validate(); err != nil {
				t.Error(err)
			}
			text += u.FieldsRaw.Text
		}
		if r.Page.Status == model.PageFailed {
			text = r.Page.Reason + ": " + r.Page.Message
		}
		out = append(out, text)
	}
	return out
}

// inProcess are extractors outside of any child.
func inProcess() extract.Extractors {
	return extract.Extractors{model.KindHTML: html.Extractor{}, model.KindTextFile: textfile.Extractor{Formats: textfile.Builtin()}}
}

func TestTextAndHTML(t *testing.T) {
	client, l := start(t, child.Config{})
	ctx := t.Context()
	for _, c := range []struct{ raw, kind, want string }{
		{page, "html", "WaterThe level rose."},
		{"One line.\n\nAnother line.\n", "text_file", "One line.Another line."},
	} {
		s := l.add(c.raw, model.SnapshotKind(c.kind))
		pages, facts, err := client.Probe(ctx, s)
		if err != nil || pages != 1 || facts != nil {
			t.Errorf("%s: %d pages, facts %s: %v", c.kind, pages, facts, err)
		}
		results, err := client.Pages(ctx, s, "x", nil, model.PageRange{From: 1, To: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, results); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q", c.kind, got)
		}
		// The child adds nothing to what the craft makes.
		f, err := inProcess().Extract(ctx, extract.Input{Raw: []byte(c.raw), Snapshot: s, ExtractionID: "x"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if frame, err := segment.EncodeFrame(f); err != nil || !bytes.Equal(frame, results[0].Frame) {
			t.Errorf("%s: another frame than in this process: %v", c.kind, err)
		}
		if l.fetched[s.ContentHash] != 1 {
			t.Errorf("%s was fetched %d times", c.kind, l.fetched[s.ContentHash])
		}
	}
}

func TestSmallDocumentsGoAlong(t *testing.T) {
	t.Parallel()
	l := &library{documents: map[string][]byte{}, fetched: map[string]int{}}
	client, files := start(t, child.Config{Read: func(_ context.Context, s model.Snapshot) ([]byte, error) {
		if raw, ok := l.documents[s.ContentHash]; ok {
			return raw, nil
		}
		return nil, fault.Permanent(fault.Internal, errors.New("the captured bytes are damaged"))
	}})
	large := page + strings.Repeat("<p>The level rose again, and again nobody had seen it rise.</p>", 5000)
	pdf := devtest.PDF(1, "")
	// One child sees them all: what it holds of one is not taken for another's.
	for _, c := range []struct {
		raw   string
		kind  model.SnapshotKind
		along bool
	}{{page, model.KindHTML, true}, {pdf, model.KindPDF, false}, {"One line.", model.KindTextFile, true},
		{large, model.KindHTML, false}, {page, model.KindHTML, true}, {pdf, model.KindPDF, false}} {
		s := files.add(c.raw, c.kind)
		if c.along {
			l.documents[s.ContentHash] = []byte(c.raw)
			delete(files.documents, s.ContentHash)
		}
		results, err := client.Pages(t.Context(), s, "x", nil, model.PageRange{From: 1, To: 1})
		if err != nil || len(results) != 1 || results[0].Page.Status != model.PageProcessed {
			t.Fatalf("%s of %d bytes: %+v, %v", c.kind, len(c.raw), results, err)
		}
		if c.kind == model.KindPDF {
			continue
		}
		f, err := inProcess().Extract(t.Context(), extract.Input{Raw: []byte(c.raw), Snapshot: s, ExtractionID: "x"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if frame, err := segment.EncodeFrame(f); err != nil || !bytes.Equal(frame, results[0].Frame) {
			t.Errorf("%s of %d bytes: another frame than in this process: %v", c.kind, len(c.raw), err)
		}
	}
	gone := files.add("<p>gone", model.KindHTML)
	if _, err := client.Pages(t.Context(), gone, "x", nil, model.PageRange{From: 1, To: 1}); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("bytes that cannot be read: %v", err)
	}
}

func TestPDFRangesUseOneFile(t *testing.T) {
	client, l := start(t, child.Config{})
	ctx := t.Context()
	s := l.add(devtest.PDF(20, ""), model.KindPDF)
	run, err := client.Split(ctx, s, model.Run{SnapshotID: s.SnapshotID, ExtractionID: "x"},
		func(_ context.Context, _ model.Snapshot, id string, packed []byte) (string, string, error) {
			l.documents["facts"] = packed
			return "key of " + id, digest.Hex(packed), nil
		})
	if err != nil || run.PageCount != 20 || run.FactsKey != "key of x" {
		t.Fatalf("%+v, %v", run, err)
	}
	facts := l.documents["facts"]
	var got []string
	for _, r := range model.Ranges(20) {
		results, err := client.Extract(ctx, s, run, facts, r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, texts(t, results)...)
	}
	if len(got) != 20 || got[16] != "This is the text of page 17 of the report." {
		t.Errorf("%q", got)
	}
	if n := l.fetched[s.ContentHash]; n != 1 {
		t.Errorf("fetched %d times", n)
	}
	other := l.add(page, model.KindHTML)
	if _, _, err := client.Probe(ctx, other); err != nil {
		t.Fatal(err)
	}
	again, err := client.Pages(ctx, s, "x", facts, model.PageRange{From: 17, To: 17})
	if err != nil || texts(t, again)[0] != got[16] || l.fetched[s.ContentHash] != 2 {
		t.Errorf("after another document: %v, fetched %d times", err, l.fetched[s.ContentHash])
	}
	if _, err := client.Pages(ctx, s, "x", []byte("no frame"), model.PageRange{From: 1, To: 1}); fault.ReasonOf(err) != fault.Internal ||
		fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("facts that are not facts: %v", err)
	}
}

// TestAPageThatEndsItsChild: it fails, its neighbours do not.
func TestAPageThatEndsItsChild(t *testing.T) {
	for _, c := range []struct {
		order, want string
		limit       time.Duration
	}{
		{"CRASH 3", "parser_crashed: page 3: the parser ended unexpectedly", time.Minute},
		{"HANG 3", "timeout: page 3: extraction took longer than 3s", 3 * time.Second},
		{"EAT 3", "limit_exceeded: page 3: extraction needs more memory than one document may use", time.Minute},
	} {
		t.Run(c.order, func(t *testing.T) {
			t.Parallel()
			client, l := start(t, child.Config{PageTimeout: c.limit, MemoryBytes: 700 << 20})
			s := l.add(devtest.PDF(4, c.order), model.KindPDF)
			results, err := client.Pages(t.Context(), s, "x", nil, model.PageRange{From: 1, To: 4})
			if err != nil {
				t.Fatal(err)
			}
			got := texts(t, results)
			for i, text := range got {
				want := fmt.Sprintf("This is the text of page %d of the report.", i+1)
				if i == 2 {
					want = c.want
				}
				if text != want {
					t.Errorf("page %d: %q, want %q", i+1, text, want)
				}
			}
			// The same pages one by one, and whole, are the same bytes.
			clean, l2 := start(t, child.Config{})
			l2.documents[s.ContentHash] = []byte(devtest.PDF(4, strings.Replace(c.order, "3", "9", 1)))
			whole, err := clean.Pages(t.Context(), s, "x", nil, model.PageRange{From: 1, To: 4})
			if err != nil {
				t.Fatal(err)
			}
			for i := range whole {
				if i != 2 && !bytes.Equal(whole[i].Frame, results[i].Frame) {
					t.Errorf("page %d differs alone and in its range", i+1)
				}
			}
		})
	}
}

// TestNothingIsLearnt: where a page ends every child that learns from it, none of
// its document can be read.
func TestNothingIsLearnt(t *testing.T) {
	client, l := start(t, child.Config{})
	s := l.add(devtest.PDF(3, "CRASH 2 CRASH probe"), model.KindPDF)
	results, err := client.Pages(t.Context(), s, "x", nil, model.PageRange{From: 1, To: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range texts(t, results) {
		if got != "parser_crashed: the document: the parser ended unexpectedly" {
			t.Errorf("page %d: %q", i+1, got)
		}
	}
}

func TestADocumentThatEndsItsChildAtTheProbe(t *testing.T) {
	client, l := start(t, child.Config{ProbeTimeout: 2 * time.Second})
	for order, want := range map[string]string{
		"CRASH probe": "parser_crashed: the document: the parser ended unexpectedly",
		"HANG probe":  "timeout: the document: extraction took longer than 2s",
	} {
		s := l.add("<p>"+order+"</p>", model.KindHTML)
		_, _, err := client.Probe(t.Context(), s)
		if fault.KindOf(err) != fault.KindPermanent || fmt.Sprintf("%s: %v", fault.ReasonOf(err), err) != want {
			t.Errorf("%v", err)
		}
		if l.fetched[s.ContentHash] != 2 {
			t.Errorf("%d tries", l.fetched[s.ContentHash])
		}
	}
	if pages, _, err := client.Probe(t.Context(), l.add(page, model.KindHTML)); err != nil || pages != 1 {
		t.Errorf("the next document: %d pages, %v", pages, err)
	}
}

func TestWhatCannotBeSplit(t *testing.T) {
	client, l := start(t, child.Config{})
	ctx := t.Context()
	none := func(context.Context, model.Snapshot, string, []byte) (string, string, error) {
		return "", "", errors.New("there are no facts to store")
	}
	long := l.add(devtest.PDF(5, ""), model.KindPDF)
	long.MaxPages = 4
	for _, c := range []struct {
		s    model.Snapshot
		want string
	}{
		{l.add("", model.KindHTML), "empty_content: the document has no bytes"},
		{l.add("PK", model.KindContainer), "unsupported_type: there is no extractor for files of this type, container: it is kept as it is"},
		{long, "limit_exceeded: the document has 5 pages, limit 4"},
		{l.add("%PDF-1.7 and nothing", model.KindPDF), "malformed: "},
	} {
		before := model.Run{SnapshotID: c.s.SnapshotID, ExtractionID: "x", Redo: 1}
		run, err := client.Split(ctx, c.s, before, none)
		if got := fmt.Sprintf("%s: %v", fault.ReasonOf(err), err); fault.KindOf(err) != fault.KindPermanent || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if run != before {
			t.Errorf("%+v", run)
		}
		run.PageCount, run.Reason, run.Message = 1, string(fault.ReasonOf(err)), err.Error()
		results, err := client.Extract(ctx, c.s, run, nil, model.PageRange{From: 1, To: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, results); !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestBytesThatAreLost(t *testing.T) {
	client, l := start(t, child.Config{})
	ctx := t.Context()
	s := l.add(page, model.KindHTML)
	delete(l.documents, s.ContentHash)
	r := model.PageRange{From: 1, To: 2}
	if _, err := client.Pages(ctx, s, "x", nil, r); fault.KindOf(err) != fault.KindPermanent || fault.ReasonOf(err) != fault.Internal {
		t.Errorf("pages: %v", err)
	}
	if _, _, err := client.Probe(ctx, s); fault.KindOf(err) != fault.KindPermanent {
		t.Errorf("probe: %v", err)
	}
	results, err := client.Failed(ctx, s, "x", r, fault.Internal, "they are damaged")
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, results); fmt.Sprint(got) != "[internal: they are damaged internal: they are damaged]" {
		t.Errorf("%q", got)
	}
}

// TestTheCallerEnds: a document is not blamed for a caller that stops, nor for
// one that waits for its turn too long.
func TestTheCallerEnds(t *testing.T) {
	client, l := start(t, child.Config{PageTimeout: time.Minute})
	slow, next := l.add("HANG 1", model.KindTextFile), l.add(page, model.KindHTML)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	ended := make(chan error, 2)
	for _, s := range []model.Snapshot{slow, next} {
		go func() {
			for { // the second waits for the child of the first, or comes before it
				_, err := client.Pages(ctx, s, "x", nil, model.PageRange{From: 1, To: 1})
				if err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	for range 2 {
		if err := <-ended; fault.KindOf(err) != fault.KindContext {
			t.Errorf("%v (%v)", err, fault.ReasonOf(err))
		}
	}
}

func TestAChildThatCannotStart(t *testing.T) {
	l := &library{documents: map[string][]byte{}, fetched: map[string]int{}}
	client, err := child.New(child.Config{Workers: 1, TempDir: filepath.Join(t.TempDir(), "missing")}, l.fetch)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Pages(t.Context(), l.add(page, model.KindHTML), "x", nil, model.PageRange{From: 1, To: 1})
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
}
