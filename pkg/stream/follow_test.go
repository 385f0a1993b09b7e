package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func (r *rig) emit(data ...event.Data) {
	r.t.Helper()
	for _, d := range data {
		if err := r.conn.Publisher("test").Emit(r.t.Context(), d); err != nil {
			r.t.Fatal(err)
		}
	}
}

// follow returns the types and abouts of the first n events.
func (r *rig) follow(o stream.FollowOptions, n int) []string {
	r.t.Helper()
	enough := errors.New("enough")
	var ids []string
	ctx, cancel := context.WithTimeout(r.t.Context(), devtest.Patience)
	defer cancel()
	err := r.conn.Follow(ctx, o, func(got stream.Received) error {
		if ids = append(ids, got.Event.ID); len(ids) == n {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		r.t.Fatalf("%d of %d events: %v (%v)", len(ids), n, ids, err)
	}
	slices.Sort(ids)
	return ids
}

func TestFollowChooses(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	village := snapshot("v")
	village.SourceID = "village"
	completed := event.CaptureCompleted{RequestID: "r", SourceID: "town", Outcome: event.OutcomeStored}
	run := event.RunCompleted{SnapshotID: "a", SourceID: "town", ExtractionID: "x"}
	if _, err := r.js.Publish(t.Context(), r.env.Prefix+".page.split.town", []byte("no event")); err != nil {
		t.Fatal(err)
	}
	r.emit(snapshot("a"), village, page("a"), completed, run)
	id := func(d event.Data) string { return d.Type() + ":" + d.About() }
	for _, c := range []struct {
		o    stream.FollowOptions
		want []string
	}{
		{stream.FollowOptions{}, []string{id(completed), id(page("a")), id(run), id(snapshot("a")), id(village)}},
		{stream.FollowOptions{SourceID: "village"}, []string{id(village)}},
		{stream.FollowOptions{Nouns: []string{"run", "page"}}, []string{id(page("a")), id(run)}},
		{stream.FollowOptions{Types: []string{event.TypeCaptureCompleted}}, []string{id(completed)}},
		{stream.FollowOptions{Nouns: []string{"page"}, Types: []string{event.TypePageSplit}, SourceID: "town"}, []string{id(page("a"))}},
		{stream.FollowOptions{Nouns: []string{"snapshot"}, Since: time.Now().Add(-time.Hour)}, []string{id(snapshot("a")), id(village)}},
	} {
		if got := r.follow(c.o, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, got, c.want)
		}
	}
	for _, o := range []stream.FollowOptions{
		{Nouns: []string{"chunks"}}, {Types: []string{event.TypeCaptureRequested}},
		{Nouns: []string{"page"}, Types: []string{event.TypeChunkCreated}},
	} {
		if _, err := r.conn.Subscribe(t.Context(), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// TestFollowAStreamThatIsMadeAgain: its numbers begin anew, and the first events are
// heard all the same.
func TestFollowAStreamThatIsMadeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	lose := func() {
		t.Helper()
		if err := r.js.DeleteStream(t.Context(), r.env.StreamPrefix+"SNAPSHOTS"); err != nil {
			t.Fatal(err)
		}
		if err := stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}); err != nil {
			t.Fatal(err)
		}
	}
	follow := func(o stream.FollowOptions) (*stream.Subscription, func() (string, error)) {
		t.Helper()
		o.Nouns = []string{"snapshot"}
		sub, err := r.conn.Subscribe(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sub.Close)
		return sub, func() (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
			defer cancel()
			got, err := sub.Next(ctx)
			if err != nil {
				return "", err
			}
			return nameOf(got.Event), nil
		}
	}
	r.emit(snapshot("old"))
	_, next := follow(stream.FollowOptions{New: true})
	_, fromNow := follow(stream.FollowOptions{New: true})
	_, whole := follow(stream.FollowOptions{Whole: true})
	for _, name := range []string{"a", "b", "c"} {
		r.emit(snapshot(name))
		if got, err := next(); got != name {
			t.Fatalf("%q, %v", got, err)
		}
	}
	for _, name := range []string{"old", "a", "b", "c"} {
		if got, err := whole(); got != name {
			t.Fatalf("%q, %v", got, err)
		}
	}
	for _, name := range []string{"d", "e"} {
		lose()
		r.emit(snapshot(name))
		if got, err := next(); got != name {
			t.Errorf("%q, %v; want the first event of the stream that was made again", got, err)
		}
	}
	if got, err := whole(); !errors.Is(err, stream.ErrBehind) {
		t.Errorf("%q, %v; want the follower of the whole to be told", got, err)
	}
	for _, name := range []string{"a", "b", "c", "e"} { // d may be lost with its stream
		got, err := fromNow()
		if got == "d" {
			got, err = fromNow()
		}
		if got != name {
			t.Errorf("%q, %v; want %q", got, err, name)
		}
	}
}

func TestFollowNewSinceAndAcrossADisconnect(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	w := newWire(t, r.env.NATSURL)
	r.cfg.URL = "nats://" + w.listener.Addr().String()
	follower := r.connect()
	r.emit(snapshot("old"))
	at := time.Now()
	sub, err := follower.Subscribe(t.Context(), stream.FollowOptions{New: true})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	next := func() string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
		defer cancel()
		got, err := sub.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return nameOf(got.Event)
	}
	w.set(true)
	r.emit(snapshot("a"))
	w.set(false)
	if got := next(); got != "a" {
		t.Errorf("%q, want what was published while the connection was cut", got)
	}
	w.set(true)
	r.emit(snapshot("b"))
	w.set(false)
	r.emit(snapshot("c"))
	if b, c := next(), next(); b != "b" || c != "c" {
		t.Errorf("%q, %q, want b and c, once each", b, c)
	}
	want := []string{msgID("a"), msgID("b"), msgID("c")}
	if got := r.follow(stream.FollowOptions{Since: at}, 3); !slices.Equal(got, want) {
		t.Errorf("since: %v, want %v", got, want)
	}
}
