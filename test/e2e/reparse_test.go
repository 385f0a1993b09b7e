package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/test/programs"
)

// olderBuild builds the command as it was before chunkers of domains: another chunker_version, and the
// general chunker alone.
func olderBuild(t *testing.T) (program, version string) {
	t.Helper()
	now, err := strconv.Atoi(model.ChunkerVersion)
	if err != nil {
		t.Fatal(err)
	}
	version = strconv.Itoa(now - 1)
	dir := t.TempDir()
	replaced := map[string]string{}
	for file, change := range map[string]func(string) string{
		"pkg/model/chunk.go": func(s string) string {
			return strings.Replace(s, `const ChunkerVersion = "`+model.ChunkerVersion+`"`, `const ChunkerVersion = "`+version+`"`, 1)
		},
		"services/chunker/app/chunkers.go": func(s string) string {
			s = regexp.MustCompile(`(?s)\t\tDomains: .*?\n\t\t},\n`).ReplaceAllString(s, "")
			return regexp.MustCompile(`(?m)^\t".*/split/[^g].*"\n`).ReplaceAllString(s, "")
		},
	} {
		path, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := change(string(source))
		if changed == string(source) {
			t.Fatalf("%s is as it is in an older build", file)
		}
		replaced[path] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(replaced[path], []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := programs.Build("e2e-older", []string{"GOAMD64=v1"}, "-overlay", file, "./cmd/colophon")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, "colophon"), version
}

// change is what is told of a chunk.
type change struct {
	ID, Type string
	Data     struct {
		Rev         int64  `json:"rev"`
		Layer       string `json:"layer"`
		Repeats     string `json:"repeats"`
		DuplicateOf string `json:"duplicate_of"`
		Cause       string `json:"cause"`
		ChunkRef    string `json:"chunk_ref"`
		Chunk       struct {
			ChunkRef       string `json:"chunk_ref"`
			Content        string `json:"content"`
			ChunkerVersion string `json:"chunker_version"`
		} `json:"chunk"`
	}
}

func (c change) ref() string { return c.Data.ChunkRef + c.Data.Chunk.ChunkRef }

// words is a glossary: the general chunker makes one chunk of it, that of dictionaries one of each entry.
const words = `<!DOCTYPE html><html lang="en"><head><title>Words of the boathouse</title></head><body><main><h1>Words of the boathouse</h1>
<dl><dt>painter</dt><dd>The rope at the bow with which a boat is made fast; one costs 48 florins.</dd>
<dt>rowlock</dt><dd>The fork in which an oar turns.</dd><dt>thwart</dt><dd>The bench on which a rower sits.</dd>
<dt>bailer</dt><dd>The scoop with which water is thrown out.</dd><dt>sculls</dt><dd>A pair of light oars for one rower.</dd></dl></main></body></html>`

// TestChunksAreMadeAgain is told in docs/stories.md: a build with other chunkers takes a catalog over, and the
// operator has the documents cut anew.
func TestChunksAreMadeAgain(t *testing.T) {
	programs.NeedServers(t)
	program, older := olderBuild(t)
	dir := t.TempDir()
	before := startProgram(t, program, dir, nil)
	before.must(0, "source", "add", "club", "--name", "The club", "--language", "en")
	file := filepath.Join(t.TempDir(), "words.html")
	if err := os.WriteFile(file, []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	before.must(0, "capture", "--wait", "--source", "club", "--at", "2026-03-02T08:00:00Z", file)
	first := changesOf(t, before)
	before.stop()

	w := startDev(t, dir, nil)
	if got := changesOf(t, w); len(got) != len(first) {
		t.Errorf("the new build alone has told %d changes more", len(got)-len(first))
	}
	w.must(0, "verify", "--all")
	said := w.must(0, "reparse", "--source", "club", "--wait", "--timeout", "5m").out
	if !strings.Contains(said, "requested chunks of 1 run under chunker "+model.ChunkerVersion) {
		t.Errorf("reparse says %q", said)
	}
	await(t, "all is quiet", func() bool { return strings.Contains(w.must(0, "status", "--json").out, `"quiet":true`) })
	all := changesOf(t, w)
	seen, ids := map[string]bool{}, map[string]bool{}
	state := map[string]change{} // what a consumer has who keeps the highest rev
	for _, c := range all {
		ref := c.ref()
		key := ref + "/" + strconv.FormatInt(c.Data.Rev, 10)
		if seen[key] {
			t.Errorf("%s is told twice", key)
		}
		if ids[c.ID] {
			t.Errorf("event %s stands twice in the stream", c.ID)
		}
		seen[key], ids[c.ID] = true, true
		if c.Data.Rev > state[ref].Data.Rev {
			if c.Data.Chunk.Content == "" { // only created has the chunk
				c.Data.Chunk = state[ref].Data.Chunk
			}
			state[ref] = c
		}
	}
	var archived, hot []string
	for ref, c := range state {
		if got, again := c.Data.Chunk.ChunkerVersion, strings.Contains(ref, "@2"); again && got != model.ChunkerVersion || !again && got != older {
			t.Errorf("%s is by chunker %s", ref, got)
		}
		switch {
		case c.Data.Layer == "archive":
			archived = append(archived, ref)
		case c.Data.Repeats == "":
			hot = append(hot, ref)
		}
	}
	for _, c := range all[len(first):] {
		want := "rechunk"
		if c.Data.Chunk.Content == "" { // what the new cut takes the place of
			want = "archived"
		}
		if c.Data.Cause != want {
			t.Errorf("%s, revision %d: cause %s", c.ref(), c.Data.Rev, c.Data.Cause)
		}
	}
	if len(archived) == 0 || len(hot) == 0 {
		t.Errorf("of %d changes %d chunks are in the archive, %d stand", len(all), len(archived), len(hot))
	}
	for _, ref := range archived {
		if strings.Contains(ref, "@") {
			t.Errorf("%s of the new generation is in the archive", ref)
		}
	}
	slices.Sort(hot)

	found := refsFound(t, w, "what does a painter cost", "hot")
	if len(found) == 0 || !slices.Contains(hot, found[0]) || !strings.Contains(state[found[0]].Data.Chunk.Content, "48 florins") {
		t.Errorf("search finds %q; what stands is %q", found, hot)
	}
	for _, ref := range found {
		if !slices.Contains(hot, ref) {
			t.Errorf("search finds %s, which does not stand", ref)
		}
	}
	for _, ref := range refsFound(t, w, "rope oar bench scoop rower", "archive") {
		if !slices.Contains(archived, ref) {
			t.Errorf("the archive has %s", ref)
		}
	}
	// As of a day at which only the older cut was known the words are those of the document all the same.
	items, _ := knownOf(t, w, "what does a painter cost", "2026-03-03")
	if len(saying(items, "one costs 48 florins")) == 0 {
		t.Errorf("as of the day after the capture: %+v", items)
	}
	w.must(0, "verify", "--all")
	if again := w.must(0, "reparse", "--source", "club", "--wait").out; !strings.Contains(again, "nothing to do") {
		t.Errorf("asked again: %q", again)
	}
	if more := changesOf(t, w); len(more) != len(all) {
		t.Errorf("asked again %d changes are told", len(more)-len(all))
	}
}

// changesOf returns all that the stream tells of chunks, in its order.
func changesOf(t *testing.T, w *world) (all []change) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	conn, err := nats.Connect(endpoint(t, w.dir, "COLOPHON_NATS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	name, err := js.StreamNameBySubject(ctx, "colophon.chunk.>")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{"colophon.chunk.>"}})
	if err != nil {
		t.Fatal(err)
	}
	for range stream.CachedInfo().State.Msgs {
		m, err := consumer.Next(jetstream.FetchContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		c := change{ID: m.Headers().Get("ce-id"), Type: m.Headers().Get("ce-type")}
		if err := json.Unmarshal(m.Data(), &c.Data); err != nil {
			t.Fatalf("%v: %s", err, m.Data())
		}
		all = append(all, c)
	}
	return all
}

func refsFound(t *testing.T, w *world, question, layer string) (refs []string) {
	t.Helper()
	var found struct {
		Hits []told `json:"hits"`
	}
	if err := json.Unmarshal([]byte(w.must(0, "search", question, "--layer", layer, "--json").out), &found); err != nil {
		t.Fatal(err)
	}
	for _, h := range found.Hits {
		refs = append(refs, h.ChunkRef)
	}
	return refs
}
