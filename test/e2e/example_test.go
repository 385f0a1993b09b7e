package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/test/programs"
)

var update = flag.Bool("update", false, "rewrite docs/example.md, or the golden file of the ranking")

// TestExample keeps docs/example.md true: one page all the way, with real
// hashes.
func TestExample(t *testing.T) {
	programs.NeedServers(t)
	w := startDev(t, t.TempDir(), nil)
	conn, err := nats.Connect(endpoint(t, w.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sub, err := conn.SubscribeSync("colophon.*.*.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "test", "example.html")
	w.must(0, "source", "add", "water", "--name", "Water office", "--language", "en", "--territory", "Valdoro")
	w.must(0, "capture", "--wait", "--source", "water", "--at", "2026-03-12T09:00:00Z", path)
	page := epochName.ReplaceAll(examplePage(t, w, path, collect(t, sub)), []byte("20260312T090000000Z-0123456789ab"))

	golden := filepath.Join(root, "docs", "example.md")
	if *update {
		if err := os.WriteFile(golden, page, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Fatal("docs/example.md is rewritten: run again without -update")
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(page, want) {
		t.Errorf("docs/example.md is not what happens (%v): look at it, then run with -update\n%s", err,
			firstDifference(string(want), string(page)))
	}
}

// epochName is the name of a catalog, which is another one in each run (contracts#epoch).
var epochName = regexp.MustCompile(`[0-9]{8}T[0-9]{9}Z-[0-9a-f]{12}`)

// collect takes events until the vector is in.
func collect(t *testing.T, sub *nats.Subscription) []*nats.Msg {
	t.Helper()
	var all []*nats.Msg
	for {
		m, err := sub.NextMsg(limit)
		if err != nil {
			t.Fatal(err)
		}
		if kind := m.Header.Get("ce-type"); kind != "" {
			all = append(all, m)
			if kind == "colophon.vector.indexed.v1" {
				break
			}
		}
	}
	order := []string{"capture.requested", "snapshot.stored", "capture.completed", "page.split", "ir.extracted", "chunk.created", "run.completed", "vector.indexed"}
	rank := func(m *nats.Msg) int {
		return slices.IndexFunc(order, func(o string) bool { return strings.Contains(m.Header.Get("ce-type"), o) })
	}
	slices.SortStableFunc(all, func(a, b *nats.Msg) int { return rank(a) - rank(b) })
	return all
}

func examplePage(t *testing.T, w *world, path string, events []*nats.Msg) []byte {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]json.RawMessage{}
	dump := w.must(0, "dump").out
	for _, line := range lines[struct {
		Is  string
		Row json.RawMessage
	}](t, dump) {
		rows[line.Is] = append(rows[line.Is], line.Row)
	}
	var b bytes.Buffer
	b.WriteString("<!-- kept by test/e2e, TestExample; -update rewrites it -->\n\n# One page, all the way\n\n")
	fmt.Fprintf(&b, "The captured bytes, `test/example.html`:\n\n```html\n%s```\n\n", source)
	b.WriteString("`colophon capture --wait --source water --at 2026-03-12T09:00:00Z test/example.html` hands them over. What comes of it follows; times that a clock gave are left out.\n")
	section(t, &b, "The snapshot", "inserted once, never changed; its id is made of source, request and content hash", rows["snapshot"])
	section(t, &b, "The run and its page", "the splitter's anchor, and what became of the page", slices.Concat(rows["run"], rows["page"]))
	section(t, &b, "The IR segment", "its row; the object holds one zstd frame a page", rows["segment"])
	var snap struct {
		SnapshotID string `json:"snapshot_id"`
	}
	if err := json.Unmarshal(rows["snapshot"][0], &snap); err != nil {
		t.Fatal(err)
	}
	var shown struct{ Units []json.RawMessage }
	if err := json.Unmarshal([]byte(w.must(0, "show", "page", snap.SnapshotID+"/1", "--json").out), &shown); err != nil {
		t.Fatal(err)
	}
	section(t, &b, "The units", "every block, with its place in the raw bytes", shown.Units)
	section(t, &b, "The chunk", "header and content; its provenance maps every byte", rows["chunk"])
	section(t, &b, "Its state, its manifest, its vector", "what changes lives apart from the chunk", slices.Concat(rows["chunk_state"], rows["manifest"], rows["vector"]))
	b.WriteString("\n## The events\n")
	for _, m := range events {
		fmt.Fprintf(&b, "\n`%s`\n\n```\n", m.Subject)
		for _, name := range []string{"ce-specversion", "ce-type", "ce-source", "ce-id", "content-type", "Nats-Msg-Id"} {
			fmt.Fprintf(&b, "%s: %s\n", name, m.Header.Get(name))
		}
		b.WriteString("```\n")
	}
	b.WriteString("\n## The dump\n\nEach line is one row in the canonical form of RFC 8785, sorted bytewise. The first of each kind, cut:\n\n```\n")
	seen := map[string]bool{}
	for line := range strings.Lines(dump) {
		is := line[:strings.Index(line, ",")]
		if !seen[is] {
			seen[is] = true
			fmt.Fprintf(&b, "%.100s…\n", line)
		}
	}
	b.WriteString("```\n")
	return b.Bytes()
}

func section(t *testing.T, b *bytes.Buffer, title, about string, rows []json.RawMessage) {
	t.Helper()
	fmt.Fprintf(b, "\n## %s\n\n%s%s:\n", title, strings.ToUpper(about[:1]), about[1:])
	if len(rows) == 0 {
		t.Errorf("%s: nothing to show", title)
	}
	for _, row := range rows {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, row, "", "  "); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "\n```json\n%s\n```\n", strings.TrimSpace(pretty.String()))
	}
}
