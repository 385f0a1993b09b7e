package deliver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// TestDocumentedPython: docs/consume.py, of at most 60 lines, has what is current: at first,
// when it is killed, and when the stream was lost with events that it had not heard.
func TestDocumentedPython(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "..", "..")
	python, err := exec.Command(filepath.Join(root, ".ci", "natspy")).Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("there is no nats-py: %v", err)
		}
		t.Skipf("there is no nats-py: %v", err)
	}
	w := newWorld(t, 17)
	text, err := os.ReadFile(filepath.Join(root, "docs", "consume.py"))
	w.must(err)
	if lines := bytes.Count(text, []byte("\n")); lines > 60 {
		t.Errorf("it has %d lines", lines)
	}
	// The names of an installation without prefixes are written in it.
	for _, name := range []string{`"CHUNKS"`, `"colophon.chunk`} {
		if !bytes.Contains(text, []byte(name)) {
			t.Errorf("it does not say %s", name)
		}
	}
	text = bytes.ReplaceAll(text, []byte(`"CHUNKS"`), []byte(`"`+w.env.StreamPrefix+`CHUNKS"`))
	text = bytes.ReplaceAll(text, []byte(`"colophon.chunk`), []byte(`"`+w.env.Prefix+`.chunk`))
	script, file := filepath.Join(t.TempDir(), "consume.py"), filepath.Join(t.TempDir(), "chunks.json")
	w.must(os.WriteFile(script, text, 0o600))
	errs := new(heard)
	start := func() *exec.Cmd {
		cmd := exec.Command(strings.TrimSpace(string(python)), script, "nats://"+strings.TrimPrefix(w.env.NATSURL, "nats://"), w.gateway.URL, "reader", file)
		cmd.Stderr = errs
		w.must(cmd.Start())
		return cmd
	}
	var cmd *exec.Cmd
	end := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	holds := func(what string) {
		t.Helper()
		for deadline := time.Now().Add(devtest.Patience); pythonLines(w, file) != w.lines(); pause(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %s\n%s", what, difference(w.lines(), pythonLines(w, file)), errs)
			}
		}
	}
	w.happen(20)
	cmd = start()
	defer func() { end() }()
	holds("at first")
	w.happen(20)
	holds("with more")
	saved := w.save()
	w.happen(10)
	holds("with what will be lost")
	w.restore(saved, "2")
	w.happen(5)
	holds("after the catalog was restored")
	end()
	w.happen(20)
	cmd = start()
	holds("after it was killed")
	end()
	conn, err := nats.Connect(w.env.NATSURL)
	w.must(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	w.must(err)
	w.happen(20)
	w.must(js.DeleteStream(t.Context(), w.env.StreamPrefix+"CHUNKS"))
	w.must(stream.Provision(t.Context(), w.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	cmd = start()
	holds("after the bus was wiped")
}

// pythonLines are the chunk lines of dump --current of what consume.py has written.
func pythonLines(w *world, file string) string {
	w.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var state struct {
		Chunks map[string]struct {
			Chunk *sdk.Chunk `json:"chunk"`
			Layer string     `json:"layer"`
			Gone  bool       `json:"removed"`
		} `json:"chunks"`
		Documents map[string]sdk.Current `json:"documents"`
	}
	w.must(json.Unmarshal(text, &state))
	var all []string
	for ref, c := range state.Chunks {
		if c.Chunk != nil && !c.Gone && state.Documents[c.Chunk.DocumentID].Has(c.Chunk.DocHash, c.Chunk.Generation) {
			line, err := sdk.Change{ChunkRef: ref, Chunk: c.Chunk, Layer: c.Layer}.Line()
			w.must(err)
			all = append(all, string(line)+"\n")
		}
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
