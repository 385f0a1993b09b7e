package stream_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestAKillerIsBuriedAtItsFourthStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) {
		c.AckWait = 200 * time.Millisecond
		c.Grace = 10 * time.Millisecond
		c.PublishWait = 300 * time.Millisecond
	})
	r.say("killer")
	r.spoil("SNAPSHOTS", stream.ConsumerSplit, 4)
	// Each of these processes is killed in its handling: nothing of it reaches
	// the server or the catalog any more.
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	for range 3 {
		conn := r.connect()
		started := make(chan struct{}, 1)
		s := &stage{handle: func(context.Context, string, stream.Emit) error {
			started <- struct{}{}
			<-blocked
			return nil
		}}
		runner, err := stream.NewRunner(conn, s, r.options())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = runner.Run(ctx) }()
		receive(t, "the killer is handled", started)
		conn.Close()
		cancel()
		receive(t, "the process is gone", ended)
	}
	last := &stage{}
	r.run(last)
	eventually(t, "it fails", func() bool { return len(last.failed()) == 1 })
	r.settled(stream.ConsumerSplit)
	f := last.failed()[0]
	if last.handled.Load() != 0 || f.reason != fault.Internal || !strings.Contains(f.sentence, "ended 3 times") {
		t.Errorf("%d handlings, %+v", last.handled.Load(), f)
	}
	if d := r.dead(); len(d) != 1 || d[0].Reason != fault.Internal || d[0].MsgID != msgID("killer") || d[0].Deliveries != 8 {
		t.Errorf("dead letters %+v", d)
	}
	eventually(t, "nothing is left in the catalog", func() bool { return !r.remembered("killer") }) // after the message is settled
}

func TestASuspectIsHandledAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	quarantine := stream.NewQuarantine()
	alone := make(chan struct{})
	s := &stage{handle: func(_ context.Context, name string, _ stream.Emit) error {
		if name == "suspect" {
			<-alone
		}
		return nil
	}}
	r.say("suspect")
	r.spoil("SNAPSHOTS", stream.ConsumerSplit, 4)
	// Another runner of the same process has a message in hand.
	release := busy(t, r, quarantine)
	r.run(s, func(o *stream.Options) { o.Quarantine = quarantine })
	eventually(t, "the suspect is in hand", func() bool { return r.queue(stream.ConsumerSplit).AckPending == 1 })
	for range 50 {
		if q := r.queue(stream.ConsumerSplit); s.handled.Load() != 0 || q.AckPending != 1 {
			t.Fatalf("handled %d while another runner has a message in hand, %+v", s.handled.Load(), q)
		}
	}
	close(release)
	eventually(t, "the suspect is handled", func() bool { return s.handled.Load() == 1 })
	r.say("later")
	for range 50 {
		if q := r.queue(stream.ConsumerSplit); q.Pending != 1 {
			t.Fatalf("queue %+v: pulled during the quarantine", q)
		}
	}
	close(alone)
	r.settled(stream.ConsumerSplit)
	if n := s.handled.Load(); n != 2 {
		t.Errorf("%d handlings, want 2", n)
	}
}

// busy runs another consumer of the process, which has a message in hand until
// the channel is closed.
func busy(t *testing.T, r *rig, q *stream.Quarantine) (release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	started := make(chan struct{}, 1)
	s := &stage{handle: func(context.Context, string, stream.Emit) error {
		started <- struct{}{}
		<-release
		return nil
	}}
	r.start(stream.NewRunner(r.conn, s, r.options(func(o *stream.Options) {
		o.Consumer, o.Quarantine, o.Workers = stream.ConsumerExtract, q, 1
	})))
	if err := r.conn.Publisher("splitter").Emit(t.Context(), page("p")); err != nil {
		t.Fatal(err)
	}
	receive(t, "the other runner is busy", started)
	return release
}

func TestASuspectThatLivesIsNoSuspect(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	s := &stage{}
	s.handle = func(context.Context, string, stream.Emit) error {
		if s.handled.Load() < 6 {
			return fault.Defer(time.Millisecond, errors.New("a newer version must do it"))
		}
		return nil
	}
	r.say("snap")
	r.spoil("SNAPSHOTS", stream.ConsumerSplit, 4)
	r.run(s)
	eventually(t, "it is handled", func() bool { return s.handled.Load() == 6 })
	r.settled(stream.ConsumerSplit)
	eventually(t, "nothing is left in the catalog", func() bool { return !r.remembered("snap") })
	if len(s.failed()) != 0 || len(r.dead()) != 0 {
		t.Errorf("failures %v, dead %v", s.failed(), r.dead())
	}
}

func TestAStopInQuarantineIsNoKill(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *stream.Config) { c.AckWait = 100 * time.Millisecond; c.Grace = time.Millisecond })
	r.say("snap")
	r.spoil("SNAPSHOTS", stream.ConsumerSplit, 4)
	for range 5 {
		started := make(chan struct{}, 1)
		s := &stage{handle: func(ctx context.Context, _ string, _ stream.Emit) error {
			started <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}}
		stop := r.run(s)
		receive(t, "it is handled", started)
		stop()
	}
	last := &stage{}
	r.run(last)
	eventually(t, "it is handled", func() bool { return last.handled.Load() == 1 })
	r.settled(stream.ConsumerSplit)
}
