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

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// record is a gateway's log of changes.
type record struct {
	mu      sync.Mutex
	entries []event.Data
	asked   []int // the numbers after which entries were asked for
}

func (l *record) add(data ...event.Data) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, data...)
}

func (l *record) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	after, err := strconv.Atoi(req.URL.Query().Get("after"))
	if err != nil || req.URL.Path != "/v1/changes" {
		http.NotFound(w, req)
		return
	}
	l.asked = append(l.asked, after)
	changes := []map[string]any{}
	for n, d := range l.entries[min(after, len(l.entries)):] {
		changes = append(changes, map[string]any{"seq": after + n + 1, "type": d.Type(), "data": d})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"changes": changes, "next": max(after, len(l.entries))})
}

// begun returns the numbers after which the log was read from, each time that it was read.
func (l *record) begun() (from []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, after := range l.asked {
		if n == 0 || after <= l.asked[n-1] && !slices.Contains(from, after) {
			from = append(from, after)
		}
	}
	return from
}

// durable takes the next n changes under a name.
func (r *rig) durable(c *sdk.Client, name string, n int) (got []string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), devtest.Patience)
	defer cancel()
	for ch, err := range c.Durable(ctx, name, source) {
		r.must(err)
		if got = append(got, fmt.Sprintf("%s/%d/%s", ch.ChunkRef, ch.Rev, ch.Layer)); len(got) == n {
			return got
		}
	}
	r.Fatalf("%d of %d changes: %v", len(got), n, got)
	return nil
}

// loseChunks makes the stream again, without what it held.
func (r *rig) loseChunks() {
	r.Helper()
	r.must(r.js.DeleteStream(r.Context(), r.env.StreamPrefix+"CHUNKS"))
	r.must(stream.Provision(r.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
}

// TestADurableConsumerGoesOn: what was dealt with comes no more, by whatever process.
func TestADurableConsumerGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	r.say(created("a:0", 1), created("b:0", 1), superseded("a:0", 2), created("c:0", 1))
	if got := r.durable(r.client(), "search", 2); !slices.Equal(got, []string{"a:0/1/hot", "b:0/1/hot"}) {
		t.Errorf("at first %v", got)
	}
	if got := r.durable(r.client(), "search", 2); !slices.Equal(got, []string{"a:0/2/archive", "c:0/1/hot"}) {
		t.Errorf("then %v", got)
	}
	if got := r.durable(r.client(), "other", 1); !slices.Equal(got, []string{"a:0/1/hot"}) {
		t.Errorf("under another name %v", got)
	}
	r.say(created("d:0", 1))
	if got := r.durable(r.client(), "search", 1); !slices.Equal(got, []string{"d:0/1/hot"}) {
		t.Errorf("at last %v", got)
	}
	for _, name := range []string{"", "index", "a.b", "a*"} {
		for ch, err := range r.client().Durable(t.Context(), name, source) {
			if !errors.Is(err, sdk.ErrName) {
				t.Errorf("%q: %+v, %v", name, ch, err)
			}
		}
	}
}

// TestADurableConsumerReadsTheLog at first, and when the bus has lost what it had not
// dealt with: its stream was made again, also under way, or has dropped messages.
func TestADurableConsumerReadsTheLog(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	log := &record{}
	gateway := httptest.NewServer(log)
	defer gateway.Close()
	c := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	log.add(created("old:0", 1)) // which the stream does not hold any more
	if got := r.durable(c, "search", 1); !slices.Equal(got, []string{"old:0/1/hot"}) {
		t.Errorf("at first %v", got)
	}
	r.say(created("a:0", 1))
	log.add(created("a:0", 1))
	// Interrupted before the log was read to its end: it is read again.
	if got := r.durable(c, "search", 2); !slices.Equal(got, []string{"old:0/1/hot", "a:0/1/hot"}) {
		t.Errorf("then %v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	var got []string
	for ch, err := range c.Durable(ctx, "search", source) {
		r.must(err)
		switch got = append(got, fmt.Sprintf("%s/%d", ch.ChunkRef, ch.Rev)); len(got) {
		case 2: // it has read the log
			r.say(created("b:0", 1))
			log.add(created("b:0", 1))
		case 3:
			log.add(superseded("a:0", 2)) // told, and lost with the stream
			r.loseChunks()
		}
		if len(got) == 4 {
			break
		}
	}
	if want := []string{"old:0/1", "a:0/1", "b:0/1", "a:0/2"}; !slices.Equal(got, want) {
		t.Errorf("under way %v, want %v", got, want)
	}
	// Dropped by age while nobody listens.
	r.say(created("c:0", 1), created("d:0", 1))
	log.add(created("c:0", 1), created("d:0", 1))
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"CHUNKS")
	r.must(err)
	r.must(s.Purge(t.Context()))
	seen := map[string]bool{}
	for ch, err := range c.Durable(ctx, "search", source) {
		r.must(err)
		if seen[ch.ChunkRef] = true; seen["c:0"] && seen["d:0"] {
			break
		}
	}
	if begun := log.begun(); begun[0] != 0 {
		t.Errorf("the log was read from %v on", begun)
	}
}
