package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/test/programs"
)

var (
	schemathesis = flag.String("schemathesis", "", "the program of that name: `make api-test` installs it")
	examples     = flag.Int("examples", 60, "how many cases Schemathesis draws for each operation")
)

// TestOpenAPI: Schemathesis asks the running gateway for what its OpenAPI document allows
// and forbids, for all operations: none ends with a server's error, all answers are as they
// are described, nothing valid is refused and nothing invalid is accepted. The first run
// draws the ids, and mostly gets what is not there; the second asks for what is there.
func TestOpenAPI(t *testing.T) {
	if *schemathesis == "" {
		t.Skip("no Schemathesis: make api-test")
	}
	programs.NeedServers(t)
	w := startDev(t, t.TempDir(), nil)
	w.must(3, "capture", "--wait", "--source", "town", documents(t))
	hooks, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	gateway := endpoint(t, w.dir, "COLOPHON_GATEWAY_URL")
	for _, known := range []string{"", knownIDs(t, gateway)} {
		config := filepath.Join(t.TempDir(), "schemathesis.toml")
		if err := os.WriteFile(config, []byte(known), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(*schemathesis, "--config-file", config, "run", gateway+"/openapi.json", "--url", gateway,
			"--checks", "all", "--max-examples", fmt.Sprint(*examples), "--continue-on-failure", "--seed", "18")
		cmd.Dir = t.TempDir() // where it leaves its reports
		cmd.Env = append(environment(t.TempDir()), "NO_COLOR=1", "COLUMNS=150", "SCHEMATHESIS_HOOKS=schemathesis_hooks", "PYTHONPATH="+hooks)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("schemathesis: %v\n%s", err, out)
			continue
		}
		t.Log(string(regexp.MustCompile(`(?s)API Operations:.*`).Find(out)))
	}
}

// askJSON gets a path of the gateway, which must be there.
func askJSON(t *testing.T, url string, into any) {
	t.Helper()
	answer, err := http.Get(url) //nolint:gosec // of loopback
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", url, answer.StatusCode, err, body)
	}
}

// knownIDs is a configuration of Schemathesis with ids of what the gateway has: a page of a
// PDF file with a table.
func knownIDs(t *testing.T, gateway string) string {
	t.Helper()
	var found struct {
		Hits []struct {
			ChunkRef   string `json:"chunk_ref"`
			SnapshotID string `json:"snapshot_id"`
			DocumentID string `json:"document_id"`
		} `json:"hits"`
	}
	askJSON(t, gateway+"/v1/search?q=watershed&url=file:///watershed-report.pdf&limit=1", &found)
	if len(found.Hits) != 1 {
		t.Fatalf("%d hits", len(found.Hits))
	}
	hit := found.Hits[0]
	var snapshot struct {
		Snapshot struct {
			RequestID string `json:"request_id"`
		} `json:"snapshot"`
	}
	askJSON(t, gateway+"/v1/snapshots/"+hit.SnapshotID, &snapshot)
	if snapshot.Snapshot.RequestID == "" {
		t.Fatalf("no request of %s", hit.SnapshotID)
	}
	var config strings.Builder
	operation := func(paths, parameters string) {
		fmt.Fprintf(&config, "[[operations]]\ninclude-path-regex = %q\nparameters = { %s }\n\n", paths, parameters)
	}
	operation("^/v1/chunks/", fmt.Sprintf("%q = %q", "path.ref", hit.ChunkRef))
	operation("^/v1/documents/", fmt.Sprintf("%q = %q", "path.id", hit.DocumentID))
	operation("^/v1/snapshots/.*", fmt.Sprintf("%q = %q, %q = 1, %q = %q", "path.id", hit.SnapshotID, "path.n", "path.table", "tbl-1-1.csv"))
	operation("^/v1/requests/", fmt.Sprintf("%q = %q, %q = %q", "path.source", "town", "path.id", snapshot.Snapshot.RequestID))
	return config.String()
}
