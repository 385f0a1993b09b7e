package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/programs"
)

// bad are the documents that must fail, with their reasons.
func bad() map[string]string {
	return map[string]string{"empty.txt": "empty_content", "password-protected.pdf": "encrypted", "truncated.pdf": "malformed"}
}

type outcome struct {
	URL    string `json:"url"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

func checkOutcomes(t *testing.T, out string) {
	t.Helper()
	results := lines[outcome](t, out)
	files, err := os.ReadDir(documents(t))
	if err != nil || len(results) != len(files)+4 { // two of them are containers with two documents each
		t.Errorf("%d results of %d files: %v", len(results), len(files), err)
	}
	for _, r := range results {
		want, failing := bad()[strings.TrimPrefix(r.URL, "file:///")]
		if failing != (r.State == "failed") || r.Reason != want {
			t.Errorf("%s ended %s, %q", r.URL, r.State, r.Reason)
		}
	}
}

func TestDev(t *testing.T) {
	programs.NeedServers(t)
	w := startDev(t, t.TempDir(), nil)
	checkOutcomes(t, w.must(3, "capture", "--wait", "--json", documents(t)).out)

	var status struct {
		Quiet     bool      `json:"quiet"`
		Documents []outcome `json:"documents"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "status", "--json").out), &status); err != nil {
		t.Fatal(err)
	}
	if !status.Quiet || len(status.Documents) < 13 {
		t.Errorf("status: quiet %v, %d documents", status.Quiet, len(status.Documents))
	}

	proved := lines[map[string]any](t, w.must(0, "verify", "--all", "--json").out)
	total := proved[len(proved)-1]
	if total["broken"] != 0.0 || total["verified"] != total["chunks"] || total["chunks"].(float64) < 100 {
		t.Errorf("verify: %v", total)
	}
	checkSearch(t, w)
	checkRefusals(t, w)
	checkEvents(t, w)
}

func checkSearch(t *testing.T, w *world) {
	t.Helper()
	var found struct {
		Hits []struct {
			ChunkRef string `json:"chunk_ref"`
			URL      string `json:"url"`
			Page     int    `json:"page"`
			Content  string `json:"content"`
			Boxes    []any  `json:"boxes"`
		} `json:"hits"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "search", "quórum mínimo", "--json").out), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Hits) == 0 {
		t.Fatal("nothing found")
	}
	hit := found.Hits[0]
	if !strings.Contains(hit.Content, "Art. 14") || !strings.Contains(hit.URL, "regulamento") || hit.Page < 2 || len(hit.Boxes) == 0 {
		t.Errorf("the first hit is %+v", hit)
	}
	chunk := w.must(0, "show", "chunk", hit.ChunkRef).out
	if !strings.Contains(chunk, "Art. 14") {
		t.Error("show chunk does not show the hit")
	}
	if r := w.must(0, "verify", hit.ChunkRef); !strings.Contains(r.out, "1 verified") {
		t.Errorf("verify of one chunk: %s", r.out)
	}
}

func checkRefusals(t *testing.T, w *world) {
	t.Helper()
	w.must(2, "search")
	w.must(2, "verify")
	w.must(2, "capture", "no-such-file")
	w.must(3, "show", "document", "doc_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	w.must(3, "capture", "--wait", "http://127.0.0.1:1/private") // a refused address
	if r := w.must(0, "dlq", "list"); r.out != "" {
		t.Errorf("dead letters of faults that are the documents': %s", r.out)
	}
	if r := run(t, t.TempDir(), "--dir", filepath.Join(t.TempDir(), "none"), "status"); r.code != 4 {
		t.Errorf("without a system: %d %s", r.code, r.err)
	}
}

func TestConvert(t *testing.T) {
	programs.NeedServers(t)
	dir := documents(t)
	pdfs, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil || len(pdfs) != 5 {
		t.Fatal(pdfs, err)
	}
	r := run(t, dir, append([]string{"convert", "--to", "chunks"}, pdfs...)...)
	if r.code != 3 {
		t.Errorf("two bad PDFs: exit status %d\n%s", r.code, r.err)
	}
	chunks := lines[model.Chunk](t, r.out)
	if len(chunks) < 50 {
		t.Errorf("%d chunks", len(chunks))
	}
	for _, c := range chunks {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, to := range []string{"ir", "html", "markdown", "text", "csv"} {
		out := t.TempDir()
		r := run(t, dir, "convert", "--to", to, "-o", out, filepath.Join(dir, "conseil-ordre-du-jour.html"))
		files, err := os.ReadDir(out)
		if r.code != 0 || err != nil || len(files) != 1 {
			t.Fatalf("--to %s: %d %v %s", to, r.code, files, r.err)
		}
		data, err := os.ReadFile(filepath.Join(out, files[0].Name()))
		if err != nil || !strings.Contains(string(data), "438 500") {
			t.Errorf("--to %s: %v %.200s", to, err, data)
		}
	}
}

func TestKillInTheMiddle(t *testing.T) {
	programs.NeedServers(t)
	fresh := startDev(t, t.TempDir(), nil)
	fresh.must(3, "capture", "--wait", "--at", "2026-03-12T09:00:00Z", documents(t))
	want := fresh.must(0, "dump").out
	fresh.stop()

	dir := t.TempDir()
	w := startDev(t, dir, nil)
	w.must(0, "capture", "--at", "2026-03-12T09:00:00Z", documents(t))
	await(t, "the chain is at work", func() bool {
		var s struct {
			Counts []struct {
				What, State string
				Count       int
			}
		}
		if err := json.Unmarshal([]byte(w.must(0, "status", "--json").out), &s); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(s.Counts, func(c struct {
			What, State string
			Count       int
		},
		) bool {
			return c.What == "run"
		})
	})
	w.kill()
	w = startDev(t, dir, []string{"COLOPHON_ACK_WAIT=2s"})
	checkOutcomes(t, w.must(3, "capture", "--wait", "--json", "--at", "2026-03-12T09:00:00Z", documents(t)).out)
	if got := w.must(0, "dump").out; got != want {
		t.Errorf("the dump differs from that of a run without kill:\n%s", firstDifference(want, got))
	}
	w.must(0, "verify", "--all")
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "want " + a[i] + "\ngot  " + b[i]
		}
	}
	return "one is longer"
}
