package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// in gives what is told of chunks the epoch in which it is told.
func in(epoch string, data ...event.Data) []event.Data {
	var told []event.Data
	for _, d := range data {
		switch d := d.(type) {
		case event.ChunkCreated:
			d.Epoch = epoch
			told = append(told, d)
		case event.ChunkSuperseded:
			d.Epoch = epoch
			told = append(told, d)
		}
	}
	return told
}

// copied is a gateway before a catalog of which other copies can take the place.
type copied struct {
	*httptest.Server

	mu      sync.Mutex
	epoch   string
	entries []event.Data
	asked   int
	read    func(after int) // is called when the log is read behind this number
}

func newCopied(t *testing.T, epoch string, entries ...event.Data) *copied {
	c := &copied{epoch: epoch, entries: entries}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *copied) restore(epoch string, entries ...event.Data) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch, c.entries = epoch, entries
}

func (c *copied) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	after, err := strconv.Atoi(req.URL.Query().Get("after"))
	if c.read != nil {
		c.read(after)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if err != nil || after > len(c.entries) {
		http.NotFound(w, req)
		return
	}
	changes := []map[string]any{}
	if after < len(c.entries) { // one at a time
		d := in(c.epoch, c.entries[after])[0]
		changes = append(changes, map[string]any{"seq": after + 1, "type": d.Type(), "data": d})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"changes": changes, "next": after + len(changes), "epoch": c.epoch})
}

// listen takes what is told, as ref/rev, or "restored EPOCH", until as much came as is wanted.
func (r *rig) listen(want []string, changes func(context.Context) func(func(sdk.Change, error) bool)) (last sdk.Position) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), devtest.Patience)
	defer cancel()
	var got []string
	for ch, err := range changes(ctx) {
		var restored *sdk.Restored
		switch {
		case errors.As(err, &restored):
			got, last = append(got, "restored "+restored.Position.Epoch), restored.Position
		case err != nil:
			r.Fatalf("after %q: %v", got, err)
		default:
			got, last = append(got, fmt.Sprintf("%s/%d", ch.ChunkRef, ch.Rev)), ch.Position
		}
		if len(got) == len(want) {
			break
		}
	}
	if !slices.Equal(got, want) {
		r.Errorf("told %q, want %q", got, want)
	}
	return last
}

func (r *rig) chunks(c *sdk.Client, from sdk.From) func(context.Context) func(func(sdk.Change, error) bool) {
	return func(ctx context.Context) func(func(sdk.Change, error) bool) { return c.Chunks(ctx, from) }
}

func (r *rig) named(c *sdk.Client, name string) func(context.Context) func(func(sdk.Change, error) bool) {
	return func(ctx context.Context) func(func(sdk.Change, error) bool) { return c.Durable(ctx, name, source) }
}

// TestACatalogOfBeforeIsRestored: its epoch is the empty name, which is one like any other, also
// for who has no number of the log.
func TestACatalogOfBeforeIsRestored(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	alone := r.client()
	gateway := newCopied(t, "")
	asking := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	r.say(created("a:0", 1), created("b:0", 1))
	gateway.restore("", created("a:0", 1), created("b:0", 1))
	before := []string{"a:0/1", "b:0/1"}
	r.listen(before, r.named(alone, "alone"))
	r.listen(before, r.named(asking, "asking"))
	began := time.Now()
	live, stop := context.WithCancel(t.Context())
	defer stop()
	var ends sync.WaitGroup
	ready := make(chan struct{})
	ends.Go(func() { // who has begun now, and is told in both
		n := 0
		for ch, err := range alone.Chunks(live, sdk.From{Since: began.Add(-time.Minute)}) {
			var restored *sdk.Restored
			switch n++; {
			case n == 2:
				close(ready)
			case n == 3:
				if !errors.As(err, &restored) || restored.Position.Epoch != "1" {
					t.Errorf("a live consumer is told %+v, %v", ch, err)
				}
				return
			}
		}
	})
	<-ready
	gateway.restore("1", created("c:0", 1))
	r.say(in("1", created("c:0", 1))...)
	ends.Wait()
	r.listen([]string{"restored 1", "c:0/1"}, r.named(alone, "alone"))
	r.listen([]string{"restored 1", "c:0/1"}, r.named(asking, "asking"))
	r.say(created("a:0", 2)) // of the copy that is gone, and late
	r.say(in("1", created("d:0", 1))...)
	gateway.restore("1", created("c:0", 1), created("d:0", 1))
	r.listen([]string{"d:0/1"}, r.named(alone, "alone"))
}

// TestWithoutAGatewayAllOfTheStreamIsTold, of the new epoch too: also what was told longer ago
// than a gateway's log needs.
func TestWithoutAGatewayAllOfTheStreamIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	policy := func(name string) jetstream.DeliverPolicy {
		t.Helper()
		c, err := r.js.Consumer(t.Context(), r.env.StreamPrefix+"CHUNKS", name)
		r.must(err)
		return c.CachedInfo().Config.DeliverPolicy
	}
	r.say(in("1", created("a:0", 1))...)
	gateway := newCopied(t, "1", created("a:0", 1))
	r.listen([]string{"a:0/1"}, r.named(r.client(func(c *sdk.Config) { c.Gateway = gateway.URL }), "asking"))
	r.listen([]string{"a:0/1"}, r.named(r.client(), "alone"))
	if a, b := policy("asking"), policy("alone"); a != jetstream.DeliverByStartTimePolicy || b != jetstream.DeliverAllPolicy {
		t.Errorf("with a gateway it begins by %v, without by %v", a, b)
	}
	r.say(in("2", created("b:0", 1), created("c:0", 1))...)
	r.listen([]string{"restored 2", "b:0/1", "c:0/1"}, r.named(r.client(), "alone"))
	if b := policy("alone"); b != jetstream.DeliverAllPolicy {
		t.Errorf("in the new epoch it begins by %v", b)
	}
}

// TestWhoHearsNothingAsks: a restored catalog that has no chunk of the source tells nothing
// of it, and all the same what is kept of it is void.
func TestWhoHearsNothingAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	gateway := newCopied(t, "1", created("a:0", 1))
	c := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	c.SetLookAfter(20 * time.Millisecond)
	r.say(in("1", created("a:0", 1))...)
	at := r.listen([]string{"a:0/1"}, r.chunks(c, sdk.From{}))
	r.listen([]string{"a:0/1"}, r.named(c, "search"))
	gateway.restore("2")
	r.listen([]string{"restored 2"}, r.chunks(c, sdk.From{Position: at}))
	r.listen([]string{"restored 2"}, r.named(c, "search"))
	// A gateway that says less, of an older copy, is asked again, and what comes is told.
	gateway.restore("1", created("a:0", 1))
	var ends sync.WaitGroup
	ends.Go(func() {
		for before := gateway.times(); gateway.times() < before+3; {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-t.Context().Done():
				return
			}
		}
		r.say(in("2", created("b:0", 1))...)
	})
	r.listen([]string{"b:0/1"}, r.chunks(c, sdk.From{Position: sdk.Position{Epoch: "2", Stream: 1}}))
	ends.Wait()
}

func (c *copied) times() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// TestAnOlderLogInTheSameEpoch is that of a catalog that was restored without anybody saying
// so: whoever reads it is told once, and then what it has.
func TestAnOlderLogInTheSameEpoch(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	gateway := newCopied(t, "1", created("a:0", 1), created("b:0", 1))
	c := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	at := r.listen([]string{"a:0/1", "b:0/1"}, r.chunks(c, sdk.From{}))
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	r.say(in("1", created("c:0", 1))...)
	for ch, err := range c.Durable(ctx, "search", source) {
		r.must(err)
		if ch.ChunkRef == "c:0" { // it has read the log
			break
		}
	}
	gateway.restore("1", created("d:0", 1))
	r.say(in("1", created("lost:0", 1))...)
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"CHUNKS")
	r.must(err)
	r.must(s.Purge(t.Context()))
	want := []string{"restored 1", "d:0/1"}
	r.listen(want, r.chunks(c, sdk.From{Position: at}))
	future := sdk.Position{Stream: 1 << 40, Log: 1 << 40, At: time.Now(), Epoch: "1"}
	r.listen(want, r.chunks(c, sdk.From{Position: future}))
	// Under a name it is noted as well: it comes once, whoever asks.
	r.listen(append(want, "e:0/1"), func(ctx context.Context) func(func(sdk.Change, error) bool) {
		return func(yield func(sdk.Change, error) bool) {
			for ch, err := range c.Durable(ctx, "search", source) {
				if ch.ChunkRef == "d:0" {
					gateway.restore("1", created("d:0", 1), created("e:0", 1))
				}
				if !yield(ch, err) {
					return
				}
			}
		}
	})
}

// TestTwoRestoresWhileAConsumerWasAway: what only the first one told is void as well.
func TestTwoRestoresWhileAConsumerWasAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	gateway := newCopied(t, "1", created("a:0", 1))
	asking, alone := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL }), r.client()
	r.say(in("1", created("a:0", 1), created("b:0", 1))...)
	at := r.listen([]string{"a:0/1", "b:0/1"}, r.chunks(alone, sdk.From{}))
	r.listen([]string{"a:0/1"}, r.named(asking, "asking"))
	r.say(in("2", created("a:0", 1), created("c:0", 1))...)
	r.say(in("3", created("a:0", 1), created("d:0", 1))...)
	r.sayAgain(in("2", superseded("c:0", 2))...) // late
	r.sayAgain(in("1", superseded("b:0", 2))...)
	gateway.restore("3", created("a:0", 1), created("d:0", 1))
	for name, each := range map[string]func(context.Context) func(func(sdk.Change, error) bool){
		"asking, from a position": r.chunks(asking, sdk.From{Position: at}), "alone, from a position": r.chunks(alone, sdk.From{Position: at}),
		"asking, under a name": r.named(asking, "asking"), "of all that is stored": r.chunks(alone, sdk.From{Since: time.Now().Add(-time.Hour)}),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
		kept, epoch := map[string]bool{}, ""
		for ch, err := range each(ctx) {
			var restored *sdk.Restored
			if errors.As(err, &restored) {
				kept, epoch = map[string]bool{}, restored.Position.Epoch
				continue
			}
			r.must(err)
			if kept[ch.ChunkRef] = true; epoch == "3" && kept["a:0"] && kept["d:0"] {
				break
			}
		}
		cancel()
		if len(kept) != 2 || epoch != "3" {
			t.Errorf("%s: in epoch %q it has %v", name, epoch, kept)
		}
	}
}

// TestAStateThatIsReadWhileTheCatalogIsRestored is that of the catalog that is there then.
func TestAStateThatIsReadWhileTheCatalogIsRestored(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	gateway := newCopied(t, "1", created("a:0", 1), created("b:0", 1), created("c:0", 1))
	var once sync.Once
	gateway.read = func(after int) {
		if after == 2 {
			once.Do(func() { gateway.restore("2", created("a:0", 1), created("d:0", 1), created("e:0", 1)) })
		}
	}
	s, err := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL }).State(t.Context(), source)
	if err != nil || s.Position.Epoch != "2" || s.Position.Log != 3 {
		t.Fatalf("at %+v, %v", s.Position, err)
	}
	for ref, want := range map[string]bool{"a:0": true, "b:0": false, "c:0": false, "d:0": true, "e:0": true} {
		if _, known := s.Chunk(ref); known != want {
			t.Errorf("%s is known: %v, want %v", ref, known, want)
		}
	}
}

// TestWhoHasNoGatewayHearsOfALostSource: the restored catalog has no chunk of it, and what the
// janitor says of that is enough.
func TestWhoHasNoGatewayHearsOfALostSource(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	r.say(in("1", created("a:0", 1))...)
	at := r.listen([]string{"a:0/1"}, r.chunks(c, sdk.From{Source: source}))
	r.listen([]string{"a:0/1"}, r.named(c, "search"))
	r.say(event.ChunkRemoved{ChunkChange: event.ChunkChange{Rev: 1, Cause: event.CauseVoid, ChunkRef: "none:0", SourceID: source, Epoch: "2"}})
	r.listen([]string{"restored 2", "none:0/1"}, r.chunks(c, sdk.From{Position: at, Source: source}))
	r.listen([]string{"restored 2", "none:0/1"}, r.named(c, "search"))
}
