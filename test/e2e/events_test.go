package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkEvents reads what a plain NATS client and `colophon tail` see, and
// validates it against the schemas in the tree.
func checkEvents(t *testing.T, w *world) {
	t.Helper()
	schemas := compileSchemas(t)
	conn, err := nats.Connect(endpoint(t, w.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sub, err := conn.SubscribeSync("colophon.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	cmd := exec.Command(bin(t, "colophon"), "--dir", w.dir, "tail", "chunk", "run", "--since", "2020-01-01T00:00:00Z", "--json")
	cmd.Env = environment(w.dir)
	tail, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it may wait for us to read on
		_ = cmd.Wait()
	}()
	scanner := bufio.NewScanner(tail)
	scanner.Buffer(nil, 1<<20)
	for range 20 {
		if !scanner.Scan() {
			t.Fatal("tail ended")
		}
		var e struct {
			Specversion, ID, Source, Type string
			Data                          json.RawMessage
		}
		if err := json.Unmarshal(scanner.Bytes(), &e); err != nil || e.Specversion != "1.0" || e.ID == "" || e.Source == "" {
			t.Fatalf("%v: %s", err, scanner.Bytes())
		}
		validate(t, schemas, e.Type, e.Data)
	}

	w.must(0, "capture", "--wait", filepath.Join(root, "test", "example.html"))
	for !seen["colophon.vector.indexed.v1"] || !seen["colophon.capture.completed.v1"] || !seen["colophon.run.completed.v1"] {
		m, err := sub.NextMsg(limit)
		if err != nil {
			t.Fatalf("after %v: %v", seen, err)
		}
		kind := m.Header.Get("ce-type")
		if kind == "" || m.Header.Get("ce-specversion") != "1.0" || m.Header.Get("ce-id") == "" || m.Header.Get("ce-source") == "" {
			continue // JetStream's own traffic below the prefix is none of ours
		}
		seen[kind] = true
		validate(t, schemas, kind, m.Data)
	}
	for _, kind := range []string{"capture.requested", "snapshot.stored", "page.split", "ir.extracted", "chunk.created"} {
		if !seen["colophon."+kind+".v1"] {
			t.Errorf("no %s was seen among %v", kind, seen)
		}
	}
}

func compileSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "pkg/event/schemas/*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	all := make(map[string]*jsonschema.Schema, len(paths))
	for _, path := range paths {
		s, err := compiler.Compile(path)
		if err != nil {
			t.Fatal(err)
		}
		all["colophon."+strings.TrimSuffix(filepath.Base(path), ".json")+".v1"] = s
	}
	return all
}

func validate(t *testing.T, schemas map[string]*jsonschema.Schema, kind string, data []byte) {
	t.Helper()
	s, ok := schemas[kind]
	if !ok {
		t.Errorf("no schema for %q", kind)
		return
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v\n%.400s", kind, err, data)
	}
}

func endpoint(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "endpoints.env"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return strings.Trim(v, "'")
		}
	}
	t.Fatalf("%s is not in endpoints.env", name)
	return ""
}
