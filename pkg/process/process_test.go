package process_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/process"
)

// journal is what happened, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// part is a service that a test steers.
type part struct {
	name    string
	journal *journal
	running chan struct{}         // closed by Run
	fail    chan error            // what Run returns early
	drain   func()                // before Run returns
	missing atomic.Pointer[error] // what Ready says
	beat    atomic.Pointer[time.Time]
}

func newPart(name string, j *journal) *part {
	return &part{name: name, journal: j, running: make(chan struct{}), fail: make(chan error, 1), drain: func() {}}
}

func (p *part) Name() string { return p.name }

func (p *part) Run(ctx context.Context) error {
	close(p.running)
	select {
	case err := <-p.fail:
		return err
	case <-ctx.Done():
		p.drain()
		p.journal.add(p.name)
		return ctx.Err()
	}
}

func (p *part) Ready(context.Context) error {
	if err := p.missing.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *part) Beat() time.Time {
	if beat := p.beat.Load(); beat != nil {
		return *beat
	}
	return time.Time{}
}

// start runs the parts and returns the health server's address and what Run
// will return.
func start(t *testing.T, ctx context.Context, options process.Options, parts ...*part) (string, <-chan error) {
	t.Helper()
	addr := make(chan string, 1)
	options.Listening = func(a string) { addr <- a }
	services := make([]process.Service, len(parts))
	for i, p := range parts {
		services[i] = p
	}
	result := make(chan error, 1)
	go func() { result <- process.Run(ctx, options, services...) }()
	for _, p := range parts {
		await(t, p.running)
	}
	return await(t, addr), result
}

func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func get(t *testing.T, addr, path string) (int, string) {
	t.Helper()
	response, err := http.Get("http://" + addr + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(body))
}

func TestStopsInReverseOrderAtSIGTERM(t *testing.T) {
	j := &journal{}
	a, b, c := newPart("a", j), newPart("b", j), newPart("c", j)
	_, result := start(t, t.Context(), process.Options{}, a, b, c)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := await(t, result); err != nil {
		t.Error(err)
	}
	if got := j.all(); !slices.Equal(got, []string{"c", "b", "a"}) {
		t.Errorf("stopped in the order %v", got)
	}
}

func TestAnErrorStopsAll(t *testing.T) {
	j := &journal{}
	a, b, c := newPart("a", j), newPart("b", j), newPart("c", j)
	_, result := start(t, t.Context(), process.Options{}, a, b, c)
	broken := errors.New("broken")
	b.fail <- broken
	if err := await(t, result); !errors.Is(err, broken) || err.Error() != "b: broken" {
		t.Error(err)
	}
	if got := j.all(); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("stopped in the order %v", got)
	}
}

func TestToEndByItselfIsAnError(t *testing.T) {
	a := newPart("a", &journal{})
	_, result := start(t, t.Context(), process.Options{}, a)
	a.fail <- nil
	if err := await(t, result); err == nil || err.Error() != "a ended by itself" {
		t.Error(err)
	}
}

func TestGraceEnds(t *testing.T) {
	j := &journal{}
	a, slow := newPart("a", j), newPart("slow", j)
	release := make(chan struct{})
	defer close(release)
	slow.drain = func() { <-release }
	ctx, cancel := context.WithCancel(t.Context())
	_, result := start(t, ctx, process.Options{Health: config.Health{StopGrace: 30 * time.Millisecond}}, a, slow)
	cancel()
	if err := await(t, result); err == nil || err.Error() != "slow did not stop within 30ms" {
		t.Error(err)
	}
}

func TestHealth(t *testing.T) {
	j := &journal{}
	a, b := newPart("a", j), newPart("b", j)
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "some_total 1") })
	ctx, cancel := context.WithCancel(t.Context())
	addr, result := start(t, ctx, process.Options{Metrics: metrics}, a, b)
	expect := func(path string, status int, text string) {
		t.Helper()
		if gotStatus, got := get(t, addr, path); gotStatus != status || got != text {
			t.Errorf("%s: %d %q, want %d %q", path, gotStatus, got, status, text)
		}
	}
	expect("/healthz", 200, "alive")
	expect("/readyz", 200, "ready")
	expect("/metrics", 200, "some_total 1")

	missing := errors.New("the catalog\nis away")
	b.missing.Store(&missing)
	expect("/readyz", 503, "b: the catalog; is away")
	expect("/healthz", 200, "alive")

	old := time.Now().Add(-2 * time.Minute)
	b.beat.Store(&old)
	if status, text := get(t, addr, "/healthz"); status != 503 || !strings.HasPrefix(text, "b has stood still for 2m0") {
		t.Error(status, text)
	}

	draining, release := make(chan struct{}), make(chan struct{})
	b.drain = func() { close(draining); <-release }
	cancel()
	await(t, draining)
	expect("/readyz", 503, "the process is stopping")
	expect("/healthz", 200, "alive")
	close(release)
	if err := await(t, result); err != nil {
		t.Error(err)
	}
	if _, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		t.Error("the health server is still there")
	}
}

func TestHealthAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	a := newPart("a", &journal{})
	taken := process.Options{Health: config.Health{Addr: listener.Addr().String()}}
	if err := process.Run(t.Context(), taken, a); err == nil {
		t.Error("a taken port was no error")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	none := process.Options{Health: config.Health{Addr: "off"}, Listening: func(string) { t.Error("it listens") }}
	if err := process.Run(ended, none, a); err != nil {
		t.Error(err)
	}
}
