package e2e

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// sinkSecret signs what the hookReceiver of these tests is posted.
const sinkSecret = "whsec-of-the-tests"

// pages are versions of pages: one changes its order and back, one loses a paragraph that
// another page says, too, one becomes an archive.
func pages() []map[string]string {
	page := func(paragraphs ...string) string {
		return "<html lang=en><title>Bridge</title><h1>Bridge</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p>"
	}
	long := strings.Repeat("The bridge at the mill is inspected by the town each spring and each autumn. ", 40)
	weights := strings.Repeat("No vehicle of more than twelve tonnes may cross the bridge in either direction. ", 40)
	return []map[string]string{
		{"order.html": page("<h2>First</h2>"+long, "<h2>Second</h2>"+weights), "shared.html": page("Shared words of two pages.", "Words of one."), "other.html": page("Shared words of two pages.")},
		{"order.html": page("<h2>Second</h2>"+weights, "<h2>First</h2>"+long), "shared.html": page("Words of one.", "New words."), "new.html": page("A page that comes later.")},
		{"order.html": page("<h2>First</h2>"+long, "<h2>Second</h2>"+weights), "other.html": page("Shared words of two pages.", "And more.")},
		{"order.html": page("Quite another text."), "new.html": page("A page that comes later, and changes.")},
		{"order.html": page("<h2>First</h2>"+long, "<h2>Second</h2>"+weights), "shared.html": page("Shared words of two pages.", "Words of one.")},
	}
}

// capturePages hands one state of the pages over, and waits until it is processed.
func capturePages(t *testing.T, w *world, n int) {
	t.Helper()
	all := pages()
	dir := t.TempDir()
	for name, text := range all[n%len(all)] {
		writeFile(t, dir, "pages/"+name, text)
	}
	w.must(0, "capture", "--source", "demo", "--at", fmt.Sprintf("2026-03-%02dT0%d:00:00Z", 1+n/9, 1+n%9), "--wait", filepath.Join(dir, "pages"))
}

// currentChunks are the chunk lines of dump --current.
func currentChunks(t *testing.T, w *world) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(w.must(0, "dump", "--current").out) {
		if strings.HasPrefix(line, `{"is":"chunk",`) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// hookReceiver is the other end of a webhook: it holds what it was posted, by document, and
// refuses now and then.
type hookReceiver struct {
	*testing.T
	server *httptest.Server
	refuse func() bool

	mu     sync.Mutex
	state  *sdk.State
	bodies map[string]string // by Webhook-Id
	last   map[string]int    // of each document the highest rev of what is current that was taken
	taken  int
	again  int
}

func newHookReceiver(t *testing.T, refuse func() bool) *hookReceiver {
	r := &hookReceiver{T: t, refuse: refuse, state: sdk.NewState(), bodies: map[string]string{}, last: map[string]int{}}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *hookReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // its sender was killed
	}
	if r.refuse() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	id, at := req.Header.Get("Webhook-Id"), req.Header.Get("Webhook-Timestamp")
	if want := signed(id, at, body); !hmac.Equal([]byte(want), []byte(req.Header.Get("Webhook-Signature"))) {
		r.Errorf("%s: the signature is %q, want %q", id, req.Header.Get("Webhook-Signature"), want)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken++
	if _, twice := r.bodies[id]; twice {
		r.again++
	}
	r.bodies[id] = string(body)
	ch, err := sdk.ReadPosted(body)
	var restored *sdk.Restored
	switch {
	case errors.As(err, &restored):
		r.state = sdk.NewState()
	case err != nil:
		r.Errorf("%s: %v", id, err)
	default:
		r.state.Apply(ch)
	}
}

// dump is what sink --dump says of a store.
func (r *hookReceiver) dump() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for document := range r.state.Documents() {
		for _, ch := range r.state.Document(document) {
			line, err := ch.Line()
			if err != nil {
				r.Error(err)
			}
			lines = append(lines, string(line)+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// keptSink is a sink of one kind, and how what it holds is read.
type keptSink struct {
	name string
	args []string
	env  []string
	dump func(*testing.T) string
}

// readBack is the dump of a store that the command reads.
func readBack(w *world, s keptSink) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), bin(t, "colophon"), append([]string{"--dir", w.dir, "sink", "--dump"}, s.args...)...)
		cmd.Env = append(environment(w.dir), s.env...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			return fmt.Sprintf("%v: %s", err, errs.String()) // its server was killed
		}
		return out.String()
	}
}

// fileSinks are those whose targets are files.
func fileSinks(t *testing.T, w *world) []keptSink {
	dir := t.TempDir()
	all := []keptSink{
		{name: "sqlite", args: []string{"--to", "sqlite", "--out", filepath.Join(dir, "chunks.sqlite")}},
		{name: "jsonl", args: []string{"--to", "jsonl", "--every", "100ms", "--out", filepath.Join(dir, "jsonl")}},
		{name: "parquet", args: []string{"--to", "parquet", "--every", "100ms", "--out", filepath.Join(dir, "parquet")}},
	}
	for i := range all {
		all[i].dump = readBack(w, all[i])
	}
	return all
}

func hookSink(t *testing.T, r *hookReceiver) keptSink {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(sinkSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return keptSink{
		name: "webhook", args: []string{"--to", "webhook", "--out", filepath.Join(t.TempDir(), "position")},
		env:  []string{"COLOPHON_SINK_URL=" + r.server.URL, "COLOPHON_SINK_SECRET_FILE=" + secret},
		dump: func(*testing.T) string { return r.dump() },
	}
}

// TestSinks: each store has what dump --current says, after every state of the pages, by
// --once; and where it is wrong usage, that is said.
func TestSinks(t *testing.T) {
	w := startDev(t, t.TempDir(), nil)
	r := newHookReceiver(t, func() bool { return false })
	sinks := append(fileSinks(t, w), hookSink(t, r))
	for n := range pages() {
		capturePages(t, w, n)
		want := currentChunks(t, w)
		if strings.Count(want, "\n") < 3 {
			t.Fatalf("there are too few chunks:\n%s", want)
		}
		for _, s := range sinks {
			if got := onceSink(t, w, s); got.code != 0 {
				t.Fatalf("%s ended with %d\n%s%s", s.name, got.code, got.out, got.err)
			}
			if got := s.dump(t); got != want {
				t.Errorf("state %d, %s: %s", n, s.name, firstDifference(want, got))
			}
		}
	}
	for _, args := range [][]string{
		{}, {"--to", "paper"}, {"--to", "sqlite"}, {"--to", "pgvector", "--out", "x"}, {"--to", "pgvector"}, {"--to", "webhook", "--out", "x"},
		{"--to", "sqlite", "--out", writeFile(t, t.TempDir(), "x", "no database at all, but a text that is longer than a header")},
	} {
		if got := w.run(append([]string{"sink"}, args...)...); got.code != 2 || got.err == "" {
			t.Errorf("sink %v ended with %d: %s", args, got.code, got.err)
		}
	}
	if r.again > 0 {
		t.Errorf("%d bodies were posted twice though nothing was killed", r.again)
	}
	checkLines(t, sinks[1])
}

// checkLines reads the file as another program would.
func checkLines(t *testing.T, s keptSink) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.args[len(s.args)-1], "chunks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c struct {
			ChunkRef string `json:"chunk_ref"`
			Content  string `json:"content"`
			State    struct {
				Layer string `json:"layer"`
				Rev   int64  `json:"rev"`
			} `json:"state"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.ChunkRef == "" || c.Content == "" || c.State.Layer != "hot" || c.State.Rev < 1 {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func onceSink(t *testing.T, w *world, s keptSink) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin(t, "colophon"), append([]string{"--dir", w.dir, "sink", "--once"}, s.args...)...)
	cmd.Env = append(environment(w.dir), s.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return result{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode()}
}

// signed is the signature that docs/consumers.md describes.
func signed(id, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(sinkSecret))
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
