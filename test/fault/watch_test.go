package fault

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// probeEvery is the time between two probes of a process.
	probeEvery = 50 * time.Millisecond
	// signalTime is how long a signal may be on its way to a process of a busy machine.
	signalTime = 250 * time.Millisecond
)

// probe is one answer of a process about itself.
type probe struct {
	path   string
	sent   time.Time
	status int // of HTTP; 0: there was no answer
	said   string
}

// watch asks a process again and again whether it is alive and ready, and keeps what it
// says.
type watch struct {
	name      string
	began     time.Time
	signalled atomic.Int64 // when the process was told to stop, Unix nanoseconds; 0: not yet
	cancel    context.CancelFunc
	done      sync.WaitGroup

	mu     sync.Mutex
	probes []probe
	ready  time.Time // when it said so first
	now    bool      // whether its last answer was that it is ready
}

// startWatch asks the process at a health address until stop.
func startWatch(ctx context.Context, name, addr string) *watch {
	w := &watch{name: name, began: time.Now()}
	ctx, w.cancel = context.WithCancel(ctx)
	for _, path := range []string{"/healthz", "/readyz"} {
		w.done.Go(func() { w.ask(ctx, addr, path) })
	}
	return w
}

func (w *watch) ask(ctx context.Context, addr, path string) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p := probe{path: path, sent: time.Now()}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
		if err == nil {
			var resp *http.Response
			if resp, err = client.Do(req); err == nil {
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				p.status, p.said = resp.StatusCode, strings.TrimSpace(string(body))
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.said = err.Error()
		}
		w.mu.Lock()
		w.probes = append(w.probes, p)
		if path == "/readyz" {
			w.now = p.status == http.StatusOK
			if w.now && w.ready.IsZero() {
				w.ready = time.Now()
			}
		}
		w.mu.Unlock()
	}
}

// stop ends the questions.
func (w *watch) stop() {
	w.cancel()
	w.done.Wait()
}

func (w *watch) log() []probe {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.probes
}

// isReady reports whether the process has said so once.
func (w *watch) isReady() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ready.IsZero()
}

// isReadyNow reports whether the process has said so when it was asked last.
func (w *watch) isReadyNow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// readyAfter is how long that took.
func (w *watch) readyAfter() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready.Sub(w.began)
}

// lies returns what the log shows that must not be: a process that is alive and says
// that it is not, or does not answer; one that says that it is ready after it was told
// to stop.
func (w *watch) lies() []string {
	var told time.Time
	if at := w.signalled.Load(); at != 0 {
		told = time.Unix(0, at)
	}
	var lies []string
	up := map[string]bool{}
	for _, p := range w.log() {
		stopping := !told.IsZero() && p.sent.After(told.Add(signalTime))
		onTheWay := !told.IsZero() && p.sent.After(told.Add(-signalTime)) && !stopping
		up[p.path] = up[p.path] || p.status != 0
		switch {
		case p.status == 0 && (!up[p.path] || stopping || onTheWay):
			continue // not there yet, or not any more
		case p.status == 0:
			lies = append(lies, fmt.Sprintf("%s: %s has no answer: %s", w.name, p.path, p.said))
		case p.path == "/healthz" && p.status != http.StatusOK:
			lies = append(lies, fmt.Sprintf("%s: it lives and says %d: %s", w.name, p.status, p.said))
		case p.path == "/readyz" && p.status == http.StatusOK && stopping:
			lies = append(lies, fmt.Sprintf("%s: it is ready %s after it was told to stop", w.name, p.sent.Sub(told)))
		}
	}
	return lies
}

// TestLiesAreSeen holds the judgement itself: what is one, and what is none.
func TestLiesAreSeen(t *testing.T) {
	told := time.Unix(1000, 0)
	at := func(d time.Duration, path string, status int) probe {
		return probe{path: path, sent: told.Add(d), status: status}
	}
	for name, c := range map[string]struct {
		probes []probe
		lies   int
	}{
		"a good life": {[]probe{
			at(-9*time.Second, "/healthz", 0), at(-9*time.Second, "/readyz", 0), at(-8*time.Second, "/healthz", 200), at(-8*time.Second, "/readyz", 503),
			at(-7*time.Second, "/readyz", 200), at(time.Second, "/readyz", 503), at(time.Second, "/healthz", 200), at(2*time.Second, "/readyz", 0), at(2*time.Second, "/healthz", 0),
		}, 0},
		"ready while it stops":      {[]probe{at(-time.Second, "/readyz", 200), at(time.Second, "/readyz", 200)}, 1},
		"dead while it lives":       {[]probe{at(-time.Second, "/healthz", 503)}, 1},
		"dead while it stops":       {[]probe{at(-time.Second, "/healthz", 200), at(time.Second, "/healthz", 503)}, 1},
		"no answer while it works":  {[]probe{at(-2*time.Second, "/healthz", 200), at(-time.Second, "/healthz", 0), at(-time.Second/2, "/healthz", 200)}, 1},
		"the signal was on its way": {[]probe{at(-time.Second, "/readyz", 200), at(10*time.Millisecond, "/readyz", 200), at(20*time.Millisecond, "/healthz", 0)}, 0},
	} {
		w := &watch{name: "x", probes: c.probes}
		w.signalled.Store(told.UnixNano())
		if got := w.lies(); len(got) != c.lies {
			t.Errorf("%s: %v, want %d", name, got, c.lies)
		}
	}
}
