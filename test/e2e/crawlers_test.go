package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

// TestCrawlers hands documents over in every way that README.md and
// docs/crawlers.md describe.
func TestCrawlers(t *testing.T) {
	programs.NeedServers(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page.html" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Set-Cookie", "session=1")
		_, _ = w.Write([]byte("<h1>Page</h1><p>The ferry leaves at noon.</p>"))
	}))
	defer site.Close()
	gateway := devtest.FreeAddress(t)
	w := startDev(t, t.TempDir(), []string{"COLOPHON_FETCH_NETWORKS=127.0.0.1/32"}, "--http", gateway)
	archive := writeWARC(t)
	w.must(0, "source", "add", "demo", "--name", "Demo", "--language", "en")
	var fetched captureLine
	t.Run("command", func(t *testing.T) {
		got := byURL(t, w.must(0, "capture", "--source", "demo", "--wait", "--json",
			filepath.Join(documents(t), "watershed-report.pdf"), site.URL+"/page.html", archive).out)
		for _, url := range []string{"file:///watershed-report.pdf", site.URL + "/page.html", "https://www.town.example/a", "https://www.town.example/b"} {
			if r := got[url]; r.State != "done" || r.Chunks == 0 {
				t.Errorf("%s: %+v", url, r)
			}
		}
		if r := got["file:///site.warc.gz"]; r.Outcome != "stored" || r.State != "" {
			t.Errorf("the archive itself: %+v", r)
		}
		if len(got) != 5 {
			t.Errorf("%d results: %v", len(got), got)
		}
		fetched = got[site.URL+"/page.html"]
	})
	t.Run("list", func(t *testing.T) { listOnStandardInput(t, w) })
	t.Run("show", func(t *testing.T) { showsWhatTheSchemaSays(t, w, fetched.SnapshotID) })
	t.Run("go", func(t *testing.T) { documentedGo(t, w, "http://"+gateway) })
	t.Run("python", func(t *testing.T) { documentedPython(t, w, "http://"+gateway) })
}

type captureLine struct {
	URL        string `json:"url"`
	Outcome    string `json:"outcome"`
	State      string `json:"state"`
	Reason     string `json:"reason"`
	SnapshotID string `json:"snapshot_id"`
	Chunks     int    `json:"chunks"`
}

func byURL(t *testing.T, out string) map[string]captureLine {
	t.Helper()
	got := make(map[string]captureLine)
	for _, r := range lines[captureLine](t, out) {
		got[r.URL] = r
	}
	return got
}

func writeWARC(t *testing.T) string {
	t.Helper()
	var data bytes.Buffer
	out := warc.NewWriter(&data)
	for _, name := range []string{"a", "b"} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>" + name + "</h1><p>What page " + name + " says.</p>"
		fields := warc.Fields{
			{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: "<urn:uuid:0000000" + name + "-0000-4000-8000-000000000000>"},
			{Name: "WARC-Date", Value: "2026-03-12T09:00:00Z"}, {Name: "WARC-Target-URI", Value: "https://www.town.example/" + name},
			{Name: "Content-Type", Value: "application/http;msgtype=response"},
		}
		if err := out.Write(fields, strings.NewReader(block), int64(len(block))); err != nil {
			t.Fatal(err)
		}
	}
	return writeFile(t, t.TempDir(), "site.warc.gz", data.String())
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// listOnStandardInput names a folder, whose hidden files are left out, and a file:
// each is known by its path as the list has it.
func listOnStandardInput(t *testing.T, w *world) {
	dir := t.TempDir()
	writeFile(t, dir, "folder/one.txt", "The first of them.")
	writeFile(t, dir, "folder/deep/two.txt", "The second of them.")
	writeFile(t, dir, "folder/.hidden/three.txt", "Never seen.")
	writeFile(t, dir, "folder/.four.txt", "Never seen.")
	writeFile(t, dir, "empty.txt", "")
	cmd := exec.Command(w.program, "--dir", w.dir, "capture", "--source", "demo", "--wait", "--json", "--progress", "-")
	cmd.Env = environment(w.dir)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("./folder\n\nempty.txt\n")
	var progress bytes.Buffer
	cmd.Stderr = &progress
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("one of them is empty: %v\n%s", err, progress.String())
	}
	got := byURL(t, string(out))
	if len(got) != 3 || got["file:///folder/one.txt"].State != "done" || got["file:///folder/deep/two.txt"].State != "done" ||
		got["file:///empty.txt"].Reason != "empty_content" {
		t.Errorf("%v", got)
	}
	if !strings.Contains(progress.String(), "failed: 1 empty_content") {
		t.Errorf("progress without the failure's reason:\n%s", progress.String())
	}
}

// showsWhatTheSchemaSays holds `show snapshot` to docs/schema and to the required
// fields of seeds#capture.
func showsWhatTheSchemaSays(t *testing.T, w *world, id string) {
	var shown struct {
		Snapshot json.RawMessage `json:"snapshot"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "show", "snapshot", id, "--json").out), &shown); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "schema", "snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(shown.Snapshot))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("show snapshot: %v\n%s", err, shown.Snapshot)
	}
	record := value.(map[string]any)
	for _, field := range []string{
		"snapshot_id", "source_id", "source_name", "snapshot_kind", "url", "retrieved_at", "http_status", "content_type", "content_hash",
		"byte_length", "encoding", "url_canonical", "url_canonicalization_version", "fetch_tool_version", "response_headers", "redaction_policy_id",
	} {
		if record[field] == nil || record[field] == "" {
			t.Errorf("show snapshot has no %s", field)
		}
	}
	if strings.Contains(string(shown.Snapshot), "session=1") {
		t.Error("a cookie is stored")
	}
	delete(record, "content_hash")
	if schema.Validate(record) == nil {
		t.Error("the schema takes a snapshot without content_hash")
	}
}

// documentedGo runs the program of docs/crawlers.md.
func documentedGo(t *testing.T, w *world, gateway string) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "crawlers.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```go\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("docs/crawlers.md holds no program")
	}
	path := writeFile(t, t.TempDir(), "main.go", text)
	program := filepath.Join(t.TempDir(), "crawler")
	build := exec.Command("go", "build", "-o", program, path)
	build.Dir = filepath.Join(root, "test")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	for _, gateway := range []string{"", gateway} { // the second time the bus swallows the request
		got := strings.Fields(runProgram(t, program, environment(w.dir), endpoint(t, w.dir, "COLOPHON_NATS_URL"), gateway).out)
		if len(got) < 3 || got[0] != "stored" || !strings.HasPrefix(got[1], "snap_") || !strings.Contains(got[2], ":") {
			t.Errorf("with the gateway %q it says %v", gateway, got)
		}
	}
}

// documentedPython runs docs/capture.py: without a package, on the bus's own
// protocol.
func documentedPython(t *testing.T, w *world, gateway string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	script := filepath.Join(root, "docs", "capture.py")
	text, err := os.ReadFile(script)
	if err != nil || bytes.Count(text, []byte("\n")) > 75 {
		t.Errorf("docs/capture.py: %v, %d lines", err, bytes.Count(text, []byte("\n")))
	}
	file := writeFile(t, t.TempDir(), "spoken.txt", "Handed over in another language.")
	for _, source := range []string{"demo", "unregistered"} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		out, err := exec.CommandContext(ctx, python, script, endpoint(t, w.dir, "COLOPHON_NATS_URL"), source, file).CombinedOutput()
		var told struct {
			Outcome    string `json:"outcome"`
			SnapshotID string `json:"snapshot_id"`
		}
		if err != nil || json.Unmarshal(out, &told) != nil || told.Outcome != "stored" || told.SnapshotID == "" {
			t.Errorf("%v\n%s", err, out)
		}
	}
	saidAgain(t, w, python, script, gateway)
	w.must(0, "source", "add", "closed")
	w.must(0, "source", "disable", "closed")
	for _, c := range []struct {
		code int
		args []string
	}{
		{3, []string{endpoint(t, w.dir, "COLOPHON_NATS_URL"), "closed", file}},
		{1, []string{"nats://127.0.0.1:1", "demo", file}}, {1, []string{"nats://127.0.0.1:1", "demo", file + "-not"}}, {1, nil},
	} {
		cmd := exec.Command(python, append([]string{script}, c.args...)...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code || len(out) == 0 || bytes.Contains(out, []byte("Traceback")) {
			t.Errorf("%v: exit %d, want %d\n%s", c.args, cmd.ProcessState.ExitCode(), c.code, out)
		}
	}
}

// saidAgain hands one request over again and again, which the bus swallows: the
// outcome is told each time.
func saidAgain(t *testing.T, w *world, python, script, gateway string) {
	t.Helper()
	file := writeFile(t, t.TempDir(), "again.txt", "Said more than once.")
	var first string
	for n, more := range [][]string{{}, {}, {gateway}, {"http://127.0.0.1:1"}} {
		args := append([]string{script, endpoint(t, w.dir, "COLOPHON_NATS_URL"), "demo", file, "crawl-8/a?b=ü/../c"}, more...)
		got := runProgram(t, python, environment(w.dir), args...)
		var told struct {
			Outcome    string  `json:"outcome"`
			SnapshotID string  `json:"snapshot_id"`
			AcceptedAt *string `json:"accepted_at"` // which the gateway says
		}
		if err := json.Unmarshal([]byte(got.out), &told); err != nil || got.code != 0 || told.Outcome != "stored" || told.SnapshotID == "" {
			t.Fatalf("time %d: %v, exit %d\n%s%s", n, err, got.code, got.out, got.err)
		}
		if first = cmp.Or(first, told.SnapshotID); told.SnapshotID != first {
			t.Errorf("time %d: %s, the first time %s", n, told.SnapshotID, first)
		}
		if asked := told.AcceptedAt != nil; asked != (n == 2) {
			t.Errorf("time %d: it is the gateway's answer: %v", n, asked)
		}
	}
	at := time.Date(2026, 3, 12, 9, 0, 0, 0, time.UTC)
	touched := writeFile(t, t.TempDir(), "again.txt", "Said more than once.")
	if err := os.Chtimes(touched, at, at); err != nil {
		t.Fatal(err)
	}
	for what, other := range map[string]string{
		"other content":           writeFile(t, t.TempDir(), "again.txt", "Something else."),
		"the same at another URL": writeFile(t, t.TempDir(), "other.txt", "Said more than once."),
		"the same with a time":    touched,
	} {
		for _, more := range [][]string{{gateway}, {}} { // which does not take the stored outcome for that of another request
			args := append([]string{script, endpoint(t, w.dir, "COLOPHON_NATS_URL"), "demo", other, "crawl-8/a?b=ü/../c"}, more...)
			if got := runProgram(t, python, environment(w.dir), args...); got.code != 3 || !strings.Contains(got.out, "request_conflict") {
				t.Errorf("%s under the same id, %d: exit %d\n%s%s", what, len(more), got.code, got.out, got.err)
			}
		}
	}
	whole := writeFile(t, t.TempDir(), "whole.txt", "Of a whole second.") // its time is written without a fraction
	if err := os.Chtimes(whole, at, at); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		got := runProgram(t, python, environment(w.dir), script, endpoint(t, w.dir, "COLOPHON_NATS_URL"), "demo", whole, "crawl-8/whole", gateway)
		if got.code != 0 || strings.Contains(got.out, "accepted_at") != (n == 1) {
			t.Errorf("time %d: exit %d, the gateway is to answer the second\n%s%s", n, got.code, got.out, got.err)
		}
	}
}
