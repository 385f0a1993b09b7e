package deliver_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// TestAWebhookThatDiedInItsFirstBatch was posted a part of a catalog that was restored since:
// it is told that this is void, although no position was behind it.
func TestAWebhookThatDiedInItsFirstBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21)
	w.happen(10)
	w.restore(w.save(), "1")
	older := w.save()
	w.happen(30)
	var taken atomic.Int64
	var mu sync.Mutex
	state, restored := sdk.NewState(), 0
	hook := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if n := taken.Add(1); err != nil || n > 20 {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		ch, err := sdk.ReadPosted(body)
		switch {
		case errors.As(err, new(*sdk.Restored)):
			state, restored = sdk.NewState(), restored+1
		case err != nil:
			t.Error(err)
		default:
			state.Apply(ch)
		}
	}))
	defer hook.Close()
	of := target{
		args: []string{"--to", "webhook", "--out", filepath.Join(t.TempDir(), "position")},
		env:  []string{"COLOPHON_SINK_URL=" + hook.URL, "COLOPHON_SINK_SECRET=of the tests"},
	}
	running := w.start(of, new(heard))
	await(t, "a part of the batch is taken", func() bool { return taken.Load() > 20 })
	running.kill()
	w.restore(older, "2")
	taken.Store(-1 << 40)
	running = w.start(of, new(heard))
	defer running.kill()
	var got string
	await(t, "it has what is current", func() bool {
		mu.Lock()
		defer mu.Unlock()
		got = dumpOf(t, state)
		return restored == 1 && got == w.lines()
	})
}

// dumpOf is what dump --current has of a state.
func dumpOf(t *testing.T, state *sdk.State) string {
	t.Helper()
	h := &hook{T: t, state: state}
	text, err := h.dump()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAFileIsWrittenAtTheEnd, and at the latest by the next one where the sink had no end: also
// when nothing comes any more.
func TestAFileIsWrittenAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 22)
	w.happen(20)
	of := target{args: []string{"--to", "jsonl", "--out", filepath.Join(t.TempDir(), "folder")}}
	dump := w.readBack(of)
	rare := target{args: append(of.args, "--every", "1h", "--health", devtest.FreeAddress(t))}
	follow := func() *process {
		p := w.start(rare, new(heard))
		await(t, "the state has all", func() bool {
			return value(t, rare.args[len(rare.args)-1], "colophon_sink_lag_seconds") == 0 && value(t, rare.args[len(rare.args)-1], "colophon_sink_changes_total") > 0
		})
		return p
	}
	holds := func(what string) {
		t.Helper()
		if got, err := dump(); err != nil || got != w.lines() {
			t.Errorf("%s: %v: %s", what, err, difference(w.lines(), got))
		}
	}
	p := follow()
	if got, err := dump(); err != nil || got != "" {
		t.Errorf("it is written at once, so this shows nothing: %v, %d bytes", err, len(got))
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	holds("ended")
	w.happen(20)
	p = follow()
	p.kill()
	if got, err := dump(); err != nil || got == w.lines() {
		t.Errorf("killed, and written, so this shows nothing: %v", err)
	}
	often := target{args: append(of.args, "--every", "0s")}
	p = w.start(often, new(heard))
	defer p.kill()
	await(t, "the next one has written it", func() bool {
		got, err := dump()
		return err == nil && got == w.lines()
	})
}
