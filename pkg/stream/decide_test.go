package stream_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestDecisionTable(t *testing.T) {
	problem := errors.New("page 3 is torn")
	cases := []struct {
		name     string
		handle   func(n int64) error // the n-th handling, from 1
		handled  int64
		failure  fault.Reason // "" when Fail is not called
		sentence string
		dead     bool
	}{
		{name: "nil", handle: func(int64) error { return nil }, handled: 1},
		{name: "transient, then nil", handled: 3,
			handle: func(n int64) error {
				if n < 3 {
					return fault.Transient(problem)
				}
				return nil
			}},
		{name: "transient for good", handled: 4,
			handle:  func(int64) error { return fault.Transient(problem) },
			failure: fault.AttemptsExhausted, sentence: "4 attempts failed, the last with: page 3 is torn", dead: true},
		{name: "unmarked for good", handled: 4,
			handle:  func(int64) error { return problem },
			failure: fault.AttemptsExhausted, sentence: "4 attempts failed, the last with: page 3 is torn", dead: true},
		{name: "transient for a reason of the document", handled: 4,
			handle:  func(int64) error { return fault.TransientFor(fault.FetchFailed, time.Millisecond, problem) },
			failure: fault.FetchFailed, sentence: "page 3 is torn"},
		{name: "a context of its own", handled: 4,
			handle:  func(int64) error { return context.DeadlineExceeded },
			failure: fault.AttemptsExhausted, sentence: "4 attempts failed, the last with: context deadline exceeded", dead: true},
		{name: "permanent for the document", handled: 1,
			handle:  func(int64) error { return fault.Permanent(fault.Encrypted, problem) },
			failure: fault.Encrypted, sentence: "page 3 is torn"},
		{name: "permanent and nobody's document", handled: 1,
			handle:  func(int64) error { return fault.Permanent(fault.Malformed, problem) },
			failure: fault.Malformed, sentence: "page 3 is torn", dead: true},
		{name: "deferred ten times", handled: 11,
			handle: func(n int64) error {
				if n <= 10 {
					return fault.Defer(time.Millisecond, problem)
				}
				return nil
			}},
		{name: "panic", handled: 4,
			handle:  func(int64) error { panic("no such page") },
			failure: fault.Internal, sentence: "the stage panicked: no such page", dead: true},
		{name: "unavailable three times", handled: 4,
			handle: func(n int64) error {
				if n <= 3 {
					return fault.Unavailable(problem)
				}
				return nil
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			s := &stage{}
			s.handle = func(context.Context, string, stream.Emit) error { return c.handle(s.handled.Load()) }
			r.say("snap")
			r.run(s)
			eventually(t, "the message is handled", func() bool { return s.handled.Load() == c.handled })
			r.settled(stream.ConsumerSplit)
			if n := s.handled.Load(); n != c.handled {
				t.Errorf("handled %d times, want %d", n, c.handled)
			}
			failures := s.failed()
			if c.failure == "" && len(failures) > 0 {
				t.Errorf("Fail was called: %v", failures)
			}
			if c.failure != "" && (len(failures) != 1 || failures[0] != failure{"snap", c.failure, c.sentence}) {
				t.Errorf("failures %v, want one %s %q", failures, c.failure, c.sentence)
			}
			dead := r.dead()
			if (len(dead) == 1) != c.dead || len(dead) > 1 {
				t.Errorf("dead letters %v, want one: %v", dead, c.dead)
			}
			if c.dead && len(dead) == 1 && (dead[0].Reason != c.failure || dead[0].Message != c.sentence) {
				t.Errorf("dead letter %s %q", dead[0].Reason, dead[0].Message)
			}
			eventually(t, "nothing is left in the catalog", func() bool { return !r.remembered("snap") })
		})
	}
}

func TestDeadlineEndsAsTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{handle: func(ctx context.Context, _ string, _ stream.Emit) error {
		<-ctx.Done()
		return fault.Unavailable(ctx.Err()) // what a store says whose call was cut off
	}}
	r.say("snap")
	r.run(s, func(o *stream.Options) { o.Deadline = 10 * time.Millisecond })
	eventually(t, "it fails", func() bool { return len(s.failed()) == 1 })
	r.settled(stream.ConsumerSplit)
	f := s.failed()[0]
	if f.reason != fault.Timeout || !strings.HasPrefix(f.sentence, "not done within 10ms") || s.handled.Load() != 4 {
		t.Errorf("%+v after %d handlings", f, s.handled.Load())
	}
}

func TestUnavailableStopsPullingAndIsNotReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var away atomic.Bool
	s := &stage{handle: func(_ context.Context, name string, _ stream.Emit) error {
		if name == "first" && away.Load() {
			return fault.Unavailable(errors.New("the store is away"))
		}
		return nil
	}}
	var probes atomic.Int64
	runner, err := stream.NewRunner(r.conn, s, r.options(func(o *stream.Options) {
		o.Probe = func(context.Context) error {
			probes.Add(1)
			if away.Load() {
				return errors.New("still away")
			}
			return nil
		}
	}))
	if err := runner.Ready(t.Context()); err == nil {
		t.Error("ready before it runs")
	}
	r.start(runner, err)
	eventually(t, "it is ready", func() bool { return runner.Ready(t.Context()) == nil })
	away.Store(true)
	if err := runner.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "still away") {
		t.Errorf("ready without its store: %v", err)
	}
	r.say("first")
	eventually(t, "it is un-ready", func() bool {
		err := runner.Ready(t.Context())
		return err != nil && strings.Contains(err.Error(), "the store is away")
	})
	r.say("second")
	before := probes.Load()
	eventually(t, "it probes", func() bool { return probes.Load() > before+5 })
	if n := s.handled.Load(); n != 1 {
		t.Errorf("%d handlings while the store is away, want 1", n)
	}
	away.Store(false)
	r.settled(stream.ConsumerSplit)
	eventually(t, "it is ready again", func() bool { return runner.Ready(t.Context()) == nil })
	if n := s.handled.Load(); n != 3 {
		t.Errorf("%d handlings, want 3", n)
	}
}

// TestOneThatItsStoreDoesNotGiveHoldsUpNobody: a single object that cannot be had,
// of a store that answers otherwise, is asked for again and again and never
// failed, while all others are handled.
func TestOneThatItsStoreDoesNotGiveHoldsUpNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.DeferDelay = 50 * time.Millisecond })
	var given atomic.Bool
	var asked, others atomic.Int64
	s := &stage{handle: func(_ context.Context, name string, _ stream.Emit) error {
		if strings.HasPrefix(name, "unreadable") {
			if asked.Add(1); !given.Load() {
				return fault.Unavailable(errors.New("the store cannot read it"))
			}
			return nil
		}
		others.Add(1)
		return nil
	}}
	runner, err := stream.NewRunner(r.conn, s, r.options())
	r.start(runner, err)
	r.say("unreadable-1", "unreadable-2", "unreadable-3", "a", "b", "c", "d", "e")
	eventually(t, "the others are handled", func() bool { return others.Load() == 5 })
	eventually(t, "it is asked for again, beyond what attempts there are", func() bool { return asked.Load() > 3*8 })
	eventually(t, "it is ready", func() bool { return runner.Ready(t.Context()) == nil })
	given.Store(true)
	r.settled(stream.ConsumerSplit)
	if len(s.failed()) != 0 || len(r.dead()) != 0 {
		t.Errorf("failures: %v, dead letters: %v", s.failed(), r.dead())
	}
}

func TestAnEmitThatFailsIsUnavailable(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if err := r.js.DeleteStream(t.Context(), r.env.StreamPrefix+"PAGES"); err != nil {
		t.Fatal(err)
	}
	var kind atomic.Int64
	s := &stage{handle: func(ctx context.Context, name string, emit stream.Emit) error {
		err := emit(ctx, page(name))
		if err != nil {
			kind.Store(int64(fault.KindOf(err)))
		}
		return err
	}}
	r.run(s)
	r.say("snap")
	eventually(t, "the publish fails", func() bool { return kind.Load() != 0 })
	if fault.Kind(kind.Load()) != fault.KindUnavailable {
		t.Errorf("kind %d, want unavailable", kind.Load())
	}
	if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	r.settled(stream.ConsumerSplit)
	if n := r.stored("PAGES"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	if len(s.failed()) != 0 {
		t.Errorf("failures: %v", s.failed())
	}
}

func TestAFailureThatCannotBeRecordedIsTriedAgainAndThenBuried(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{
		handle: func(_ context.Context, name string, _ stream.Emit) error {
			return fault.Permanent(fault.Encrypted, errors.New("locked"))
		},
		fail: func(_ context.Context, f failure, _ stream.Emit) error {
			if f.name == "hopeless" {
				panic("a bug")
			}
			return nil
		},
	}
	r.run(s)
	r.say("hopeless", "well")
	eventually(t, "a dead letter", func() bool { return len(r.dead()) == 1 })
	r.settled(stream.ConsumerSplit)
	d := r.dead()[0]
	want := "locked (encrypted); recording it failed: the stage panicked: a bug"
	if d.Reason != fault.Internal || d.Message != want || d.MsgID != msgID("hopeless") {
		t.Errorf("dead letter %+v, want %q", d, want)
	}
}

// TestWhatNoRowCanHoldIsMalformed: neither the work nor its failure can be recorded.
func TestWhatNoRowCanHoldIsMalformed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	nul := fault.Permanent(fault.Malformed, errors.New("a name with a NUL"))
	r.run(&stage{
		handle: func(context.Context, string, stream.Emit) error { return nul },
		fail:   func(context.Context, failure, stream.Emit) error { return nul },
	})
	r.say("a")
	eventually(t, "a dead letter", func() bool { return len(r.dead()) == 1 })
	r.settled(stream.ConsumerSplit)
	if d := r.dead()[0]; d.Reason != fault.Malformed || d.Message != nul.Error() {
		t.Errorf("dead letter %+v", d)
	}
}

func TestFailMayEmit(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{
		handle: func(context.Context, string, stream.Emit) error {
			return fault.Permanent(fault.TooLarge, errors.New("9 MB, limit 8"))
		},
		fail: func(ctx context.Context, f failure, emit stream.Emit) error { return emit(ctx, page(f.name)) },
	}
	r.run(s)
	r.say("snap")
	r.settled(stream.ConsumerSplit)
	if n := r.stored("PAGES"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}
