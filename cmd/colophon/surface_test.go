package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/export"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/follow"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/operate"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/extract"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/process"
	"github.com/colophon-dev/colophon/pkg/proof"
)

// hear gives a command and returns all that it prints; another exit status than
// the one expected ends the test.
func (d *desk) hear(t *testing.T, want int, args ...string) (out, problems string) {
	t.Helper()
	var o, e bytes.Buffer
	if code := run(t.Context(), append([]string{"--dir", d.dir}, args...), &o, &e); code != want {
		t.Fatalf("colophon %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &o, &e)
	}
	return o.String(), e.String()
}

// put writes a file with a time of its own.
func put(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// contains fails unless text has all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("there is no %q in\n%s", p, text)
		}
	}
}

// current are the texts of the current chunks of a source, by their documents.
func (d *desk) current(t *testing.T, source string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(d.say(t, 0, "export", "chunks", "--source", source)), "\n") {
		var c catalog.ChunkWithState
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		texts[c.Chunk.URL] += c.Chunk.Content
		if c.State.Layer == model.LayerArchive {
			t.Errorf("%s is in the archive", c.Chunk.ChunkRef)
		}
	}
	return texts
}

// TestSurface holds what the commands take, refuse and say.
func TestSurface(t *testing.T) {
	d := newDesk(t)
	t.Run("versions", d.tellsVersions)
	t.Run("files in any order", d.tellsFilesInAnyOrder)
	t.Run("names", d.tellsFilesApart)
	t.Run("facts", d.refusesOtherFacts)
	t.Run("languages", d.checksLanguages)
	t.Run("exports", d.exportsWhatIsCurrent)
	t.Run("records", d.namesWhatIsMissing)
	t.Run("status", d.listsCaptures)
	t.Run("json", d.printsJSON)
	t.Run("pages", d.keepsPagesApart)
	t.Run("own entities", d.tellsTheStoryOfOwnEntities)
}

var day = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// A file is as it was last by its time, in whichever order its states are captured, also
// where one of them was captured before under another time, and when nobody waits.
func (d *desk) tellsFilesInAnyOrder(t *testing.T) {
	states := []struct {
		text string
		at   time.Time
	}{{"The meeting is on Monday.", day}, {"The meeting is on Friday.", day.AddDate(0, 1, 0)}, {"The meeting is on Monday.", day.AddDate(0, 2, 0)}}
	dir := t.TempDir()
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	n := 0
	for _, wait := range []bool{true, false} {
		handed := orders
		if wait {
			handed = orders[1:3]
		}
		for _, order := range handed {
			n++
			path := filepath.Join(dir, fmt.Sprintf("agenda-%d-%t.txt", n, wait))
			for _, i := range order {
				put(t, path, states[i].text, states[i].at)
				args := []string{"capture", "--source", "states", path}
				if wait {
					args = append(args, "--wait", "--timeout", "1m")
				}
				d.say(t, 0, args...)
			}
		}
	}
	d.say(t, 0, "capture", "--wait", "--timeout", "1m", "--source", "states", dir)
	current := d.current(t, "states")
	if len(current) != n {
		t.Errorf("%d documents, want %d", len(current), n)
	}
	for url, text := range current {
		if text != states[2].text {
			t.Errorf("%s says %q", url, text)
		}
	}
	if _, all, err := d.sys.DB.Recent(t.Context(), catalog.RecentOptions{SourceID: "states"}); err != nil || all != 3*n {
		t.Errorf("%d captures, want %d: %v", all, 3*n, err)
	}
}

// Files of one name in different folders are never taken for versions of one
// document.
func (d *desk) tellsFilesApart(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a", "report.txt"), filepath.Join(dir, "b", "report.txt")
	put(t, a, "The bridge at the mill is open.", day)
	put(t, b, "The bridge at the weir is closed.", day)
	_, problems := d.hear(t, 2, "capture", "--source", "names", a, b)
	contains(t, problems, a, b, "file:///report.txt", "colophon capture -")
	if _, n, err := d.sys.DB.Recent(t.Context(), catalog.RecentOptions{SourceID: "names"}); err != nil || n != 0 {
		t.Fatalf("%d captures were sent: %v", n, err)
	}
	d.say(t, 0, "capture", "--source", "names", a, a) // one file, named twice
	list := capture.Options{Source: "names", Stdin: strings.NewReader(a + "\n\n" + filepath.Join(dir, "b") + "\n")}
	requests, err := capture.Prepare(t.Context(), d.sys.Blobs, []string{"-"}, list)
	if err != nil || capture.CheckNames(requests) != nil {
		t.Fatal(err)
	}
	for i, want := range []string{a, b} {
		if requests[i].URL != "file://"+want || requests[i].Filename != "report.txt" {
			t.Errorf("%s is known by %s (%s)", want, requests[i].URL, requests[i].Filename)
		}
	}
	for line, want := range map[string]string{
		"./a/report.txt": "a/report.txt", "../x/./y.txt": "x/y.txt", "/a//b.txt": "a/b.txt", ".": "", "..": "", "a/../b": "b", "../..": "",
		"/../x": "x", "a/../../b": "b", "...": "...", "": "", "../../../": "", "..a/b": "..a/b",
	} {
		if got := capture.Listed(line); got != want {
			t.Errorf("%q is listed as %q, want %q", line, got, want)
		}
	}
	_, problems = d.hear(t, 0, "capture", "--source", "names", t.TempDir())
	contains(t, problems, "nothing to capture")
}

// What a flag says against the request that stands is refused, and said.
func (d *desk) refusesOtherFacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.txt")
	put(t, path, "Le pont du moulin reste fermé.", day)
	d.say(t, 0, "capture", "--wait", "--source", "facts", path)
	for _, flags := range [][]string{{"--language", "fr"}, {"--language", "fr", "--at", day.Format(time.RFC3339)}} {
		out, _ := d.hear(t, 3, append([]string{"capture", "--wait", "--source", "facts", path}, flags...)...)
		contains(t, out, "rejected", "request_conflict", "--force")
		d.hear(t, 3, append([]string{"capture", "--source", "facts", path}, flags...)...)
	}
	d.say(t, 0, "capture", "--wait", "--source", "facts", path, "--language", "fr", "--force")
	d.say(t, 0, "capture", "--wait", "--source", "facts", path, "--language", "fr")
	_, problems := d.hear(t, 3, "capture", "--wait", "--timeout", "1ns", "--source", "facts", path)
	contains(t, problems, "gave up waiting after 1ns", "the same command")
	for _, flags := range [][]string{{"--timeout", "1m"}, {"--strict"}, {"--wait", "--timeout", "-1s"}} {
		_, problems := d.hear(t, 2, append([]string{"capture", "--source", "facts", path}, flags...)...)
		contains(t, problems, "--timeout")
	}
	out := filepath.Join(t.TempDir(), "before.warc.gz")
	put(t, out, "an earlier export", day)
	d.hear(t, 3, "export", "warc", "--snapshot", "snap_none", "-o", out)
	if kept, err := os.ReadFile(out); err != nil || string(kept) != "an earlier export" {
		t.Errorf("an export of nothing leaves %q, %v", kept, err)
	}
	d.hear(t, 2, "export", "ir", "--snapshot", "snap_none", "--source", "facts")
	d.hear(t, 2, "verify", "--all", "--workers", "-1")
	_, problems = d.hear(t, 2, "capture", "--source", "facts", os.DevNull)
	contains(t, problems, "no regular file")
}

func (d *desk) checksLanguages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.txt")
	put(t, path, "The mill.", day)
	for _, wrong := range []string{"german", "xx", "DE", "d"} {
		for _, command := range [][]string{
			{"capture", path, "--language"}, {"convert", path, "--language"},
			{"reparse", "--source", "facts", "--ocr", "--language"}, {"source", "add", "facts", "--language"},
		} {
			_, problems := d.hear(t, 2, append(command, wrong)...)
			contains(t, problems, "language", wrong)
		}
	}
	_, problems := d.hear(t, 2, "capture", path, "--at", "yesterday")
	contains(t, problems, "--at", "yesterday")
}

func decode(t *testing.T, line string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), into); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
}

// Of what is exported nothing is an earlier version or run.
func (d *desk) exportsWhatIsCurrent(t *testing.T) {
	d.say(t, 0, "source", "add", "exports", "--language", "en")
	path := filepath.Join(t.TempDir(), "minutes.html")
	put(t, path, minutes("adopted"), day)
	d.say(t, 0, "capture", "--wait", "--source", "exports", path)
	lines := d.say(t, 0, "export", "chunks", "--source", "exports")
	before := strings.Count(lines, "\n")
	for line := range strings.Lines(lines) { // where a chunk stands is one thing, whoever says it
		var exported, shown export.Chunk
		var proved proof.Proof
		decode(t, line, &exported)
		decode(t, d.say(t, 0, "show", "chunk", exported.Chunk.ChunkRef), &shown)
		first, _, _ := strings.Cut(d.say(t, 0, "verify", "--json", exported.Chunk.ChunkRef), "\n") // the sum is behind it
		decode(t, first, &proved)
		if ref := exported.SourceRef; ref.Kind != model.SourceWebpage || ref.Selector == "" || ref != shown.SourceRef || proved.SourceRef == nil || ref != *proved.SourceRef {
			t.Errorf("%s: exported %+v, shown %+v, proved %+v", exported.Chunk.ChunkRef, ref, shown.SourceRef, proved.SourceRef)
		}
	}
	d.say(t, 0, "source", "set", "exports", "--language", "fr")
	out, problems := d.hear(t, 0, "reparse", "--source", "exports", "--wait")
	contains(t, out, "requested 1 run under", "1 document: 1 done")
	if problems != "" {
		t.Error(problems)
	}
	out, problems = d.hear(t, 0, "export", "chunks", "--source", "exports")
	if n := strings.Count(out, "\n"); n != before {
		t.Errorf("%d chunks after a re-parse, %d before", n, before)
	}
	contains(t, problems, cli.Many(before, "chunk")+" written")
	if n := strings.Count(d.say(t, 0, "export", "chunks", "--archive", "--source", "exports"), "\n"); n != 2*before {
		t.Errorf("%d chunks of all runs, want %d", n, 2*before)
	}
	out = d.say(t, 0, "reparse", "--source", "exports", "--wait")
	contains(t, out, "nothing to do")
	d.say(t, 0, "source", "add", "empty")
	file := filepath.Join(t.TempDir(), "out")
	for _, kind := range []string{"chunks", "ir", "warc", "pages", "ocr"} {
		_, problems := d.hear(t, 3, "export", kind, "-o", file, "--source", "nosuch")
		contains(t, problems, "nosuch", "not found")
		if _, err := os.Stat(file); err == nil {
			t.Errorf("export %s of an unknown source wrote %s", kind, file)
		}
		_, problems = d.hear(t, 0, "export", kind, "-o", filepath.Join(t.TempDir(), "out"), "--source", "empty")
		contains(t, problems, "nothing to export")
	}
}

func (d *desk) namesWhatIsMissing(t *testing.T) {
	_, problems := d.hear(t, 3, "verify", "nope:0", "nope:1")
	contains(t, problems, "nope:0, nope:1", "not found")
	_, problems = d.hear(t, 3, "verify", "--document", "doc_nope")
	contains(t, problems, "doc_nope", "not found")
	_, problems = d.hear(t, 3, "diff", "snap_nope")
	contains(t, problems, "snap_nope", "not found")
	_, problems = d.hear(t, 2, "status", "nonsense")
	contains(t, problems, "nonsense", "doc_", "snap_")
	_, problems = d.hear(t, 3, "show", "document", "doc_nope")
	if strings.Count(problems, "not found") != 1 {
		t.Error(problems)
	}
	results, _, err := d.sys.DB.Recent(t.Context(), catalog.RecentOptions{SourceID: "facts"})
	if err != nil || len(results) == 0 {
		t.Fatal(err)
	}
	_, problems = d.hear(t, 3, "diff", results[0].SnapshotID)
	contains(t, problems, "has 1 run:", "rules")
	contains(t, d.say(t, 0, "retry", results[0].SnapshotID), "redo 1", results[0].DocumentID)
}

func (d *desk) listsCaptures(t *testing.T) {
	dir := t.TempDir()
	for i := range 25 {
		put(t, filepath.Join(dir, string(rune('a'+i))+".txt"), "Paragraph "+string(rune('a'+i)), day)
	}
	put(t, filepath.Join(dir, "bad.txt"), "", day)
	d.say(t, 3, "capture", "--wait", "--source", "many", dir)
	lines := func(args ...string) (text string, n int) {
		text = d.say(t, 0, append([]string{"status", "--source", "many"}, args...)...)
		return text, strings.Count(text, "  file:///")
	}
	text, n := lines()
	contains(t, text, "20 of 26 captures", "bad.txt")
	if n != follow.ListedCaptures {
		t.Errorf("%d are listed", n)
	}
	if _, n := lines("--all"); n != 26 {
		t.Errorf("%d are listed of 26", n)
	}
	if text, n := lines("--failed"); n != 1 || !strings.Contains(text, "empty_content") {
		t.Errorf("%d failed:\n%s", n, text)
	}
	d.hear(t, 3, "status", "--source", "nosuch")
}

// refuse gives a command that must end with an exit status and say certain things.
func refuse(t *testing.T, want int, says []string, args ...string) {
	t.Helper()
	var out, problems bytes.Buffer
	if code := run(t.Context(), args, &out, &problems); code != want {
		t.Errorf("colophon %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &problems)
	}
	contains(t, problems.String(), says...)
}

// What is wrong before anything runs is wrong usage, and named.
func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String()
	refuse(t, 2, []string{"--http " + at, "in use", "--http 127.0.0.1:0"}, "dev", "--http", at)
	refuse(t, 2, []string{"--nats " + at, "in use"}, "dev", "--http", "127.0.0.1:0", "--nats", at)
	refuse(t, 2, []string{`--http "nonsense"`, "host:port"}, "dev", "--http", "nonsense")
	refuse(t, 2, []string{"--dir: mkdir"}, "dev", "--http", "127.0.0.1:0", "--dir", filepath.Join(os.DevNull, "x"))
	refuse(t, 4, []string{"no running system"}, "status")
	t.Setenv("COLOPHON_HEALTH_ADDR", "127.0.0.1:9999")
	refuse(t, 2, []string{"COLOPHON_HEALTH_ADDR", "--separate"}, "dev", "--separate", "--http", "127.0.0.1:0")
	t.Setenv("COLOPHON_HEALTH_ADDR", "127.0.0.2:own") // an address of this machine where nothing else listens
	if other, err := net.Listen("tcp", "127.0.0.2:"+strconv.Itoa(process.HealthPort("chunker"))); err != nil {
		t.Error(err)
	} else {
		refuse(t, 2, []string{other.Addr().String(), "chunker", "in use", "COLOPHON_HEALTH_ADDR=127.0.0.1:0"}, "dev", "--separate", "--http", "127.0.0.1:0")
		_ = other.Close()
	}
	t.Setenv("COLOPHON_HEALTH_ADDR", "")
	t.Setenv("COLOPHON_NATS_URL", "nats://127.0.0.1:1")
	refuse(t, 2, []string{"COLOPHON_POSTGRES_URL is not set"}, "status")
	t.Setenv("COLOPHON_S3_ACCESS_KEY", "a")
	t.Setenv("COLOPHON_S3_SECRET_KEY", "b")
	t.Setenv("COLOPHON_POSTGRES_URL", "not a url")
	refuse(t, 2, []string{"COLOPHON_POSTGRES_URL", "postgres://"}, "status")
	t.Setenv("COLOPHON_POSTGRES_URL", "postgres://a:b@127.0.0.1:1/x")
	refuse(t, 4, []string{"does not answer"}, "status")
	refuse(t, 4, []string{"the bus does not answer: not connected to NATS: 127.0.0.1:1"}, "dlq", "list")
	t.Setenv("COLOPHON_GATEWAY_URL", "localhost:8080")
	refuse(t, 2, []string{"COLOPHON_GATEWAY_URL", "http://"}, "search", "x")
	refuse(t, 2, []string{`"snap_a/" is no ID`}, "show", "page", "snap_a/")
	refuse(t, 2, []string{"colophon show --help"}, "show", "page")
	refuse(t, 2, []string{`--source "NOPE!"`}, "tail", "chunk", "--source", "NOPE!")
	t.Setenv("COLOPHON_WORKERS", "many")
	refuse(t, 2, []string{"COLOPHON_WORKERS", "many"}, "status")
}

// A system of the development folder and one of the environment are never mixed.
func TestEnvironmentAndFolder(t *testing.T) {
	d := newDesk(t)
	refuse(t, 2, []string{"about \"nosuchnoun\"", "chunk"}, "--dir", d.dir, "tail", "nosuchnoun")
	refuse(t, 2, []string{"nosuch"}, "--dir", d.dir, "tail", "--type", "nosuch")
	refuse(t, 3, []string{"no such dead letter"}, "--dir", d.dir, "dlq", "retry", "77")
	refuse(t, 2, []string{"another system runs"}, "--dir", d.dir, "dev", "--http", "127.0.0.1:0")

	here := t.TempDir()
	t.Chdir(here)
	if err := os.Symlink(d.dir, ".colophon"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("COLOPHON_NATS_URL", "nats://127.0.0.1:1")
	refuse(t, 2, []string{"COLOPHON_POSTGRES_URL is not set", "endpoints.env was left out", "COLOPHON_NATS_URL"}, "source", "list")
	refuse(t, 0, nil, "--dir", ".colophon", "source", "list") // what is named wins
	t.Setenv("COLOPHON_GATEWAY_URL", d.sys.Local.Gateway)
	refuse(t, 0, nil, "search", "mill") // and needs nothing but the gateway
	t.Setenv("COLOPHON_GATEWAY_URL", "")
	t.Setenv("COLOPHON_NATS_URL", "")

	path := filepath.Join(d.dir, config.EndpointsFile)
	values, err := config.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	delete(values, "COLOPHON_GATEWAY_URL") // as dev --only servers leaves it
	if err := config.WriteFile(path, values); err != nil {
		t.Fatal(err)
	}
	refuse(t, 4, []string{"no gateway runs", "COLOPHON_GATEWAY_URL"}, "search", "mill")
	refuse(t, 0, nil, "source", "list")
}

// For programs what a command did is JSON, and why it did not.
func (d *desk) printsJSON(t *testing.T) {
	for _, command := range []string{"migrate", "provision", "version"} {
		var v map[string]any
		if err := json.Unmarshal([]byte(d.say(t, 0, command, "--json")), &v); err != nil || len(v) == 0 {
			t.Errorf("%s: %v: %v", command, v, err)
		}
	}
	for want, args := range map[int][]string{3: {"show", "snapshot", "snap_nope"}, 2: {"status", "nonsense"}} {
		out, problems := d.hear(t, want, append(args, "--json")...)
		var p problemLine
		if err := json.Unmarshal([]byte(problems), &p); err != nil || p.Exit != want || p.Error == "" || out != "" {
			t.Errorf("%v: %s%s: %v", args, out, problems, err)
		}
	}
}

func TestVersion(t *testing.T) {
	v := operate.VersionsOf(&debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
	}})
	contains(t, v.String(), "of commit 0123456789ab with changes (go1.26)", "parser "+extract.ParserVersion, "chunker "+model.ChunkerVersion, "typing ")
	if v.Commit != "0123456789abcdef" {
		t.Errorf("%+v", v)
	}
}

// What stands on two pages is apart.
func (d *desk) keepsPagesApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.pdf")
	put(t, path, pdfOf(2), day)
	const text = "This is the text of page 1 of the report.\n\n"
	for _, to := range []string{"text", "markdown"} {
		out := d.say(t, 0, "convert", path, "--to", to)
		if !strings.Contains(out, text) || strings.Contains(out, "\n\n\n") || strings.HasSuffix(out, "\n\n") {
			t.Errorf("%s: %q", to, out)
		}
	}
	plan := filepath.Join(t.TempDir(), "plan.txt")
	put(t, plan, "GOALS\n\nThe goal is to reduce total nitrogen by 30 percent until 2030.\n", day)
	out := d.say(t, 0, "convert", plan, "--to", "entities", "--language", "en")
	contains(t, out, `"totalGoals":1`, `"target":{"value":30,"unit":"percent"}`, `"deadline":"2030"`, `"text":"total nitrogen"`)
}
