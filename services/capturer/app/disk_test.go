package app

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// diskEnv says that this is the process whose disk is full.
const diskEnv = "COLOPHON_TEST_FULL_DISK"

// TestAFullDiskLosesNothing: where temporary files cannot be written no document
// is blamed. All that needs one waits, what needs none goes on, and with room
// again each is stored whole. The limit is the system's own, on the files of a
// process that is made for it.
func TestAFullDiskLosesNothing(t *testing.T) {
	if os.Getenv(diskEnv) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAFullDiskLosesNothing$", "-test.v")
		child.Env = append(os.Environ(), diskEnv+"=1")
		out, err := child.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("the process with a full disk: %v", err)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit is an error then
	b := fresh(t, nil)
	large := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(large)
	text := "Le quorum. " + strings.Repeat("Le quorum est atteint. ", 90_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = w.Write(large)
		case "/coded":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte(gzipped(text)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	const response = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n"
	archive := b.put("a record", "site.warc", []byte(
		warcRecord("response", "1", "https://example.org/r", response+gzipped(text), "Content-Type: application/http")))
	archive.WARC, archive.Object = archive.Object, nil
	all := []event.CaptureRequested{
		{RequestID: "fetched", URL: s.URL + "/large"}, {RequestID: "fetched and decoded", URL: s.URL + "/coded"},
		b.put("an object", "large.bin", large), b.put("a member", "large.zip", zipOf(t, entry{"text.txt", text})), archive,
	}
	full := func(limit uint64) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: ^uint64(0)}); err != nil {
			t.Fatal(err)
		}
	}

	// No room at all: the runner waits for it, and no attempt is counted.
	full(64 << 10)
	for _, r := range all {
		err := b.stage.Handle(t.Context(), b.event(r), b.emit)
		if fault.KindOf(err) != fault.KindUnavailable || strings.Contains(err.Error(), b.cfg.S3.TempDir) {
			t.Errorf("%s, no room: %v", r.RequestID, err)
		}
	}
	if done := b.outcome(inline("small", page)); done.Outcome != event.OutcomeStored {
		t.Errorf("what needs no room: %+v", done)
	}

	// Room for others, but not for this one: an attempt, like any other.
	full(1 << 20)
	for _, r := range all {
		if err := b.stage.Handle(t.Context(), b.event(r), b.emit); fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.AttemptsExhausted {
			t.Errorf("%s, too little room: %v", r.RequestID, err)
		}
	}
	if told := b.drain(); len(told) > 0 {
		t.Errorf("told while the disk was full: %+v", told)
	}

	full(^uint64(0))
	want := map[string][]byte{"fetched": large, "fetched and decoded": []byte(text), "an object": large, "a member!/text.txt": []byte(text), "a record@0": []byte(text)}
	for _, r := range all {
		done, _ := b.unpacked(r)
		for id, d := range done {
			if d.Outcome != event.OutcomeStored {
				t.Errorf("%s, with room again: %+v", id, d)
			} else if body, ok := want[id]; ok && !bytes.Equal(b.raw(b.snapshot(d.SnapshotID).ContentHash), body) {
				t.Errorf("%s: other bytes are stored", id)
			}
			delete(want, id)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d have no outcome", len(want))
	}
	if left, err := os.ReadDir(b.cfg.S3.TempDir); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}
