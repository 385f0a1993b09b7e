package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/devstack/supervisor"
)

// patient is a subject that a test lets die.
type patient struct {
	mu     sync.Mutex
	starts int
	refuse error         // what Start says
	dies   chan error    // what Wait says; nil is a deliberate stop
	served chan struct{} // one value for each start that succeeded
}

func newPatient() *patient {
	return &patient{dies: make(chan error, 100), served: make(chan struct{}, 100)}
}

func (p *patient) Name() string { return "patient" }

func (p *patient) Log() string { return "/data/patient/log" }

func (p *patient) Start(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts++
	if p.refuse != nil {
		return p.refuse
	}
	p.served <- struct{}{}
	return nil
}

func (p *patient) Wait(ctx context.Context) error {
	select {
	case err := <-p.dies:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (p *patient) started() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("waited for %s in vain", what)
		panic("unreachable")
	}
}

// TestADeathIsSaidAndMended sees each start told in one line with its reason and its number.
func TestADeathIsSaidAndMended(t *testing.T) {
	lines := make(chan string, 10)
	s := &supervisor.Supervisor{Delay: time.Millisecond, Tell: func(line string) { lines <- line }}
	p := newPatient()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Keep(ctx, p) }()
	await(t, "the first start", p.served)
	for try := 1; try < supervisor.DefaultDeaths; try++ {
		p.dies <- fmt.Errorf("signal: killed")
		line := await(t, "a line", lines)
		if want := fmt.Sprintf("try %d of 4", try); !strings.Contains(line, want) || !strings.HasPrefix(line, "patient ended: signal: killed") {
			t.Errorf("told %q, want %q in it", line, want)
		}
		await(t, "the next start", p.served)
	}
	stop()
	if err := await(t, "the end", ended); err != nil {
		t.Error(err)
	}
	if len(lines) > 0 || p.started() != supervisor.DefaultDeaths {
		t.Errorf("%d starts, told besides: %d", p.started(), len(lines))
	}
}

// TestFiveDeathsEndIt also counts starts that fail.
func TestFiveDeathsEndIt(t *testing.T) {
	for name, p := range map[string]*patient{"deaths": newPatient(), "starts that fail": newPatient()} {
		t.Run(name, func(t *testing.T) {
			cause := errors.New("the address is taken")
			if name == "deaths" {
				for range supervisor.DefaultDeaths {
					p.dies <- cause
				}
			} else {
				p.refuse = cause
			}
			told := 0
			s := &supervisor.Supervisor{Delay: time.Microsecond, Tell: func(string) { told++ }}
			err := s.Keep(t.Context(), p)
			var gaveUp *supervisor.GaveUpError
			if !errors.As(err, &gaveUp) || !errors.Is(err, cause) || gaveUp.Deaths != 5 || p.started() != 5 || told != 4 {
				t.Fatalf("after %d starts, %d told: %v", p.started(), told, err)
			}
			if want := "patient died 5 times within 1m0s and is not started again (log: /data/patient/log); the last time: the address is taken"; err.Error() != want {
				t.Errorf("says %q, want %q", err, want)
			}
			if s.Down() != nil {
				t.Error("it is down for ever")
			}
		})
	}
}

// TestOldDeathsAreForgotten lets a subject die more often than is allowed, over a longer time.
func TestOldDeathsAreForgotten(t *testing.T) {
	s := &supervisor.Supervisor{Delay: time.Microsecond, Deaths: 2, Within: time.Nanosecond}
	p := newPatient()
	for range 10 {
		p.dies <- errors.New("again")
	}
	p.dies <- nil // at last it is stopped
	if err := s.Keep(t.Context(), p); err != nil || p.started() != 11 {
		t.Errorf("%d starts: %v", p.started(), err)
	}
}

// TestAnEndDuringThePauseIsNoDeath ends the supervision while it waits to start again.
func TestAnEndDuringThePauseIsNoDeath(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := &supervisor.Supervisor{Delay: time.Hour, Tell: func(string) { stop() }}
	p := newPatient()
	p.dies <- errors.New("signal: killed")
	ended := make(chan error, 1)
	go func() { ended <- s.Keep(ctx, p) }()
	if err := await(t, "the end", ended); err != nil || p.started() != 1 {
		t.Errorf("%d starts: %v", p.started(), err)
	}
}

// TestWhatIsDownIsNamed asks while a subject waits to be started again.
func TestWhatIsDownIsNamed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan string, 1)
	s := &supervisor.Supervisor{Delay: time.Hour, Tell: func(line string) { told <- line }}
	p := newPatient()
	p.dies <- errors.New("signal: killed")
	ended := make(chan error, 1)
	go func() { ended <- s.Keep(ctx, p) }()
	await(t, "a line", told)
	if err := s.Down(); err == nil || err.Error() != "patient has ended and is started again: signal: killed" {
		t.Errorf("down: %v", err)
	}
	stop()
	if err := await(t, "the end", ended); err != nil {
		t.Error(err)
	}
}
