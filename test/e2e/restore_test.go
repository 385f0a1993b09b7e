package e2e

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestARestoredCatalog gives PostgreSQL an older copy of its data back, after consumers were
// told what came later, and captures other things: whoever kept chunks has in the end what
// the catalog has, and so has the vector store (contracts#epoch).
func TestARestoredCatalog(t *testing.T) {
	dir := t.TempDir()
	w := startDev(t, dir, nil)
	hook := newHookReceiver(t, func() bool { return false })
	sinks := append(fileSinks(t, w), hookSink(t, hook))
	keepAll := func(want string) {
		t.Helper()
		for _, s := range sinks {
			if got := onceSink(t, w, s); got.code != 0 {
				t.Fatalf("%s ended with %d\n%s%s", s.name, got.code, got.out, got.err)
			}
			if got := s.dump(t); got != want {
				t.Errorf("%s: %s", s.name, firstDifference(want, got))
			}
		}
	}
	capturePages(t, w, 0)
	keepAll(currentChunks(t, w))
	w.stop()
	restore := copyPostgres(t, dir)

	w = startDev(t, dir, nil)
	capturePages(t, w, 1)
	capturePages(t, w, 2)
	before := currentChunks(t, w)
	keepAll(before)
	kept := newReader(t, w)
	kept.readUntil(before)
	durable := newReader(t, w)
	durable.readUnderAName(before)
	w.stop()
	restore()

	w = startDev(t, dir, nil)
	if r := w.must(3, "reconcile", "--dry-run"); !strings.Contains(r.out, "colophon migrate --restored") {
		t.Errorf("reconcile does not say that the catalog is an older copy:\n%s", r.out)
	}
	if r := w.must(0, "migrate", "--restored"); !strings.Contains(r.out, "begins the epoch") {
		t.Errorf("migrate --restored says\n%s", r.out)
	}
	w.must(0, "reconcile", "--age", "0s")
	capturePages(t, w, 3)
	await(t, "all is told and pushed again", func() bool {
		w.must(0, "reconcile", "--age", "0s")
		return strings.Contains(w.must(0, "status", "--json").out, `"quiet":true`)
	})
	want := currentChunks(t, w)
	if want == before {
		t.Fatal("the restored catalog has what was there before, so this shows nothing")
	}
	keepAll(want)
	kept.follow(w).readUntil(want)
	durable.follow(w).readUnderAName(want)
	for name, r := range map[string]*reader{"that goes on": kept, "under a name": durable} {
		if r.restored != 1 {
			t.Errorf("the reader %s was told %d times that the catalog was restored, want 1", name, r.restored)
		}
	}
	newReader(t, w).readUntil(want)
	alone := newReader(t, w)
	alone.gateway = ""
	alone.readUntil(want)
	w.must(0, "verify", "--all")
	w.must(0, "reconcile", "--age", "0s")
}

// copyPostgres copies the data of a server that does not run, and returns what gives it back.
func copyPostgres(t *testing.T, dir string) (restore func()) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "postgres", "data"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the folder of PostgreSQL: %v %v", found, err)
	}
	data, err := filepath.EvalSymlinks(found[0])
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	saved := filepath.Join(t.TempDir(), "backup")
	run("cp", "-a", data, saved)
	return func() {
		run("rm", "-rf", data)
		run("cp", "-a", saved, data)
	}
}

// reader is a consumer with the SDK, which keeps what it is told in memory.
type reader struct {
	*testing.T
	nats, gateway string
	state         *sdk.State
	restored      int // how often it was told that the catalog was restored
}

func newReader(t *testing.T, w *world) *reader {
	r := &reader{T: t, state: sdk.NewState()}
	return r.follow(w)
}

// follow has the reader go on at the system as it runs now.
func (r *reader) follow(w *world) *reader {
	r.nats, r.gateway = endpoint(w.t, w.dir, "COLOPHON_NATS_URL"), endpoint(w.t, w.dir, "COLOPHON_GATEWAY_URL")
	return r
}

// dump is what sink --dump says of a store.
func (r *reader) dump() string {
	var lines []string
	for document := range r.state.Documents() {
		for _, ch := range r.state.Document(document) {
			if ch.Chunk == nil {
				return "the text of " + ch.ChunkRef + " is not there"
			}
			line, err := ch.Line()
			if err != nil {
				r.Fatal(err)
			}
			lines = append(lines, string(line)+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// readUntil reads from where the reader is until it has what it should.
func (r *reader) readUntil(want string) {
	r.Helper()
	r.read(want, func(ctx context.Context, client *sdk.Client, each func(sdk.Change, error) bool) {
		client.Chunks(ctx, sdk.From{Position: r.state.Position})(each)
	})
}

func (r *reader) readUnderAName(want string) {
	r.Helper()
	r.read(want, func(ctx context.Context, client *sdk.Client, each func(sdk.Change, error) bool) {
		client.Durable(ctx, "restored", "")(each)
	})
}

func (r *reader) read(want string, changes func(context.Context, *sdk.Client, func(sdk.Change, error) bool)) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	client, err := sdk.Connect(ctx, sdk.Config{URL: r.nats, Gateway: r.gateway})
	if err != nil {
		r.Fatal(err)
	}
	defer client.Close()
	changes(ctx, client, func(ch sdk.Change, err error) bool {
		var restored *sdk.Restored
		switch {
		case errors.As(err, &restored):
			r.restored++
			r.state = sdk.NewState()
		case err != nil:
			r.Errorf("reading: %v", err)
			return false
		default:
			r.state.Apply(ch)
		}
		return r.dump() != want
	})
	if got := r.dump(); got != want {
		r.Fatalf("at %s: %s", fmt.Sprint(r.state.Position), firstDifference(want, got))
	}
}
