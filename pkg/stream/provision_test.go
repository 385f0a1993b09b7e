package stream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/stream"
)

func TestProvisionMayBeRepeatedAndIsVerified(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 2 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := r.conn.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"REQUESTS")
	if err != nil {
		t.Fatal(err)
	}
	c := s.CachedInfo().Config
	if c.MaxBytes != 2<<20 || c.Retention != jetstream.WorkQueuePolicy || c.Discard != jetstream.DiscardNew {
		t.Errorf("REQUESTS is %+v", c)
	}
	consumer, err := r.js.Consumer(t.Context(), r.env.StreamPrefix+"CHUNKS", stream.ConsumerIndex)
	if err != nil {
		t.Fatal(err)
	}
	got := consumer.CachedInfo().Config
	if got.MaxAckPending != 5000 || got.MaxDeliver != -1 || got.AckPolicy != jetstream.AckExplicitPolicy ||
		got.FilterSubject+strings.Join(got.FilterSubjects, "") != r.env.Prefix+".chunk.*.*" {
		t.Errorf("consumer %+v", got)
	}
}

func TestVerifySaysWhatDiffers(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	name := func(s string) string { return r.env.StreamPrefix + s }
	change := func(s string, f func(*jetstream.StreamConfig)) {
		t.Helper()
		found, err := r.js.Stream(t.Context(), name(s))
		if err != nil {
			t.Fatal(err)
		}
		cfg := found.CachedInfo().Config
		f(&cfg)
		if _, err := r.js.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	change("PAGES", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardNew })
	change("VECTORS", func(c *jetstream.StreamConfig) { c.Subjects = []string{r.env.Prefix + ".vector.indexed.*"} })
	change("OUTCOMES", func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute })
	for _, s := range []string{"CONTROL", "IR"} {
		if err := r.js.DeleteStream(t.Context(), name(s)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: name("IR"), Subjects: []string{r.env.Prefix + ".ir.*.*"}, Retention: jetstream.InterestPolicy, Duplicates: 10 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.conn.Verify(t.Context())
	if err == nil {
		t.Fatal("verified")
	}
	p := r.env.Prefix
	for _, want := range []string{
		"stream " + name("PAGES") + ": discard is DiscardNew, must be DiscardOld",
		"stream " + name("VECTORS") + ": subjects is " + p + ".vector.indexed.*, must be " + p + ".vector.*.*",
		"stream " + name("OUTCOMES") + ": duplicate window is 1m0s, must be 10m0s",
		"stream " + name("CONTROL") + " does not exist",
		"stream " + name("IR") + ": retention is Interest, must be Limits",
		"consumer chunk of stream " + name("IR") + " does not exist",
		"consumer entities of stream " + name("IR") + " does not exist",
		"consumer enrich of stream " + name("IR") + " does not exist",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 7 {
		t.Errorf("%d differences, want 8:\n%v", n+1, err)
	}
}

func TestARunnerStaysUnreadyUntilItsStreamIsAsItMustBe(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if err := r.js.DeleteStream(t.Context(), r.env.StreamPrefix+"SNAPSHOTS"); err != nil {
		t.Fatal(err)
	}
	s := &stage{}
	runner, err := stream.NewRunner(r.conn, s, r.options())
	r.start(runner, err)
	eventually(t, "it says why", func() bool {
		err := runner.Ready(t.Context())
		return err != nil && strings.Contains(err.Error(), "SNAPSHOTS does not exist")
	})
	provision := func() {
		t.Helper()
		if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
			t.Fatal(err)
		}
	}
	provision()
	r.say("a")
	eventually(t, "it works", func() bool { return s.handled.Load() == 1 })
	if err := runner.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	// A stream that is deleted while the runner pulls is no end either.
	r.settled(stream.ConsumerSplit)
	if err := r.js.DeleteStream(t.Context(), r.env.StreamPrefix+"SNAPSHOTS"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is un-ready", func() bool { return runner.Ready(t.Context()) != nil })
	provision()
	r.say("b")
	eventually(t, "it works again", func() bool { return s.handled.Load() == 2 })
}

func TestAFullRequestStreamPushesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	full := false
	for i := 0; i < 20 && !full; i++ {
		e := request(strings.Repeat("x", i+1))
		e.Metadata = map[string]string{"fill": strings.Repeat("x", 200<<10)}
		full = r.conn.Publisher("crawler").Emit(t.Context(), e) != nil
	}
	if !full {
		t.Error("4 MB went into a stream of 1 MiB")
	}
}
