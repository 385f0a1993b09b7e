package sdk_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// oracle is a gateway that answers about requests.
type oracle struct {
	*httptest.Server
	mu    sync.Mutex
	known map[string]map[string]any // by the path that is asked for
	asked map[string]int
	away  bool
}

func newOracle(t *testing.T) *oracle {
	t.Helper()
	o := &oracle{known: map[string]map[string]any{}, asked: map[string]int{}}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		id, ok := strings.CutPrefix(req.URL.EscapedPath(), "/v1/requests/"+source+"/")
		if !ok {
			t.Errorf("asked for %s", req.URL)
		}
		o.asked[id]++
		answer, there := o.known[id]
		switch {
		case o.away:
			w.WriteHeader(http.StatusServiceUnavailable)
		case !there:
			http.NotFound(w, req)
		default:
			_ = json.NewEncoder(w).Encode(answer)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// knows lets the oracle answer about a request, as the gateway does: its inline
// content has become an object.
func (o *oracle) knows(path string, r sdk.Request, answer map[string]any) {
	sum, _ := digest.ContentHex(digest.Content(r.Inline.ContentBase64))
	r.SourceID, r.Inline, r.Object = source, nil, &sdk.Object{Bucket: "raw", Key: sum}
	answer["request"], answer["request_id"], answer["source_id"] = r, r.RequestID, source
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known[path] = answer
}

func (o *oracle) times(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[path]
}

// await waits for a condition.
func (r *rig) await(what string, condition func() bool) {
	r.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(devtest.Patience)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			r.Fatalf("gave up waiting until %s", what)
		}
	}
}

// TestWhatTheBusSwallowsIsAskedFor: a crawler that comes back within the bus's window
// says a request again, and nobody answers; the gateway knows.
func TestWhatTheBusSwallowsIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	const path = "crawl-7%2Fa%2Ehtml"
	request := inline("crawl-7/a.html", "text")
	_, err := r.client().Capture(t.Context(), request)
	r.must(err)
	o := newOracle(t)
	o.knows(path, request, map[string]any{"outcome": "stored", "snapshot_id": "snap_1", "document_id": "doc_1"})
	c := r.client(func(c *sdk.Config) { c.Gateway, c.ResendAfter = o.URL, time.Hour })
	if got := r.outcome(c.Capture(t.Context(), request)); got.Outcome != sdk.Stored || got.SnapshotID != "snap_1" || got.DocumentID != "doc_1" || got.RequestID != request.RequestID {
		t.Errorf("%+v", got)
	}
	if n := r.waiting(); n != 1 || o.times(path) != 1 {
		t.Errorf("%d messages, asked %d times", n, o.times(path))
	}
}

// TestAnAnswerAboutAnotherRequestIsNone: other content under the same id is a
// conflict, and what was refused for its source is asked anew.
func TestAnAnswerAboutAnotherRequestIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kept   func(*sdk.Request)
		answer map[string]any
		ours   bool
	}{
		"the same":         {ours: true},
		"other content":    {kept: func(r *sdk.Request) { r.Inline = &sdk.Inline{ContentBase64: []byte("other")} }},
		"another URL":      {kept: func(r *sdk.Request) { r.URL += "x" }},
		"another time":     {kept: func(r *sdk.Request) { at := r.RetrievedAt.Add(time.Millisecond); r.RetrievedAt = &at }},
		"no time":          {kept: func(r *sdk.Request) { r.RetrievedAt = nil }},
		"a finer time":     {kept: func(r *sdk.Request) { at := r.RetrievedAt.Truncate(time.Microsecond); r.RetrievedAt = &at }, ours: true},
		"a header cut":     {kept: func(r *sdk.Request) { r.Headers = map[string][]string{"etag": {"1"}} }, ours: true},
		"another header":   {kept: func(r *sdk.Request) { r.Headers = map[string][]string{"etag": {"2"}} }},
		"forced":           {kept: func(r *sdk.Request) { r.Force = true }},
		"other metadata":   {kept: func(r *sdk.Request) { r.Metadata = map[string]string{"a": "c"} }},
		"a source refused": {answer: map[string]any{"outcome": "rejected", "reason": "source_disabled"}},
		"rejected":         {answer: map[string]any{"outcome": "rejected", "reason": "too_large"}, ours: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 0)
			at := time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.UTC)
			request := inline("a", "text")
			request.RetrievedAt, request.Metadata = &at, map[string]string{"a": "b"}
			request.Headers = map[string][]string{"ETag": {"1"}, "Set-Cookie": {"x"}}
			_, err := r.client().Capture(t.Context(), request)
			r.must(err)
			kept := request
			if c.kept != nil {
				c.kept(&kept)
			}
			answer := map[string]any{"outcome": "stored", "message": "from the gateway"}
			if c.answer != nil {
				answer = c.answer
				answer["message"] = "from the gateway"
			}
			o := newOracle(t)
			o.knows("a", kept, answer)
			if !c.ours {
				r.answer(&answerer{})
			}
			got := r.outcome(r.client(func(c *sdk.Config) { c.Gateway = o.URL }).Capture(t.Context(), request))
			if ours := got.Message == "from the gateway"; ours != c.ours {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestAnOutcomeThatWasLostIsAskedFor, and what is worked on is not sent again and not
// given up.
func TestAnOutcomeThatWasLostIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	o := newOracle(t)
	request := inline("a", "text")
	o.knows("a", request, map[string]any{"pending": true})
	c := r.client(func(c *sdk.Config) {
		c.Gateway, c.ResendAfter, c.GiveUpAfter = o.URL, 10*time.Millisecond, 30*time.Second
	})
	p, err := c.Capture(t.Context(), request)
	r.must(err)
	r.await("it is asked for again and again", func() bool { return o.times("a") > 5 })
	if n := r.waiting(); n != 1 {
		t.Errorf("%d messages while it is worked on", n)
	}
	o.knows("a", request, map[string]any{"outcome": "unchanged", "snapshot_id": "snap_2"})
	if got := r.outcome(p, nil); got.Outcome != sdk.Unchanged || got.SnapshotID != "snap_2" {
		t.Errorf("%+v", got)
	}
}

// TestAGatewayThatIsAwayIsNotNeeded, nor one that knows nothing.
func TestAGatewayThatIsAwayIsNotNeeded(t *testing.T) {
	t.Parallel()
	for _, away := range []bool{true, false} {
		r := newRig(t, 0)
		o := newOracle(t)
		o.away = away
		c := r.client(func(c *sdk.Config) { c.Gateway, c.ResendAfter = o.URL, 20*time.Millisecond })
		p, err := c.Capture(t.Context(), inline("a", "text"))
		r.must(err)
		r.await("it is sent again", func() bool { return r.waiting() > 1 })
		r.answer(&answerer{silent: 1})
		if got := r.outcome(p, nil); got.Outcome != sdk.Stored || o.times("a") == 0 {
			t.Errorf("%+v, asked %d times", got, o.times("a"))
		}
	}
}

// TestNobodyWaitsForEver: where nothing is heard, the error says what to do, and the
// request can be handed over again.
func TestNobodyWaitsForEver(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	o := newOracle(t)
	for hint, gateway := range map[string]string{"Config.Gateway is empty": "", "which knew nothing of it": o.URL} {
		c := r.client(func(c *sdk.Config) {
			c.Gateway, c.ResendAfter, c.GiveUpAfter, c.MaxPending = gateway, 20*time.Millisecond, 200*time.Millisecond, 1
		})
		for range 2 { // the second has the place of the first
			p, err := c.Capture(t.Context(), inline("a", "text"))
			r.must(err)
			_, err = p.Wait(t.Context())
			if !errors.Is(err, sdk.ErrNoOutcome) {
				t.Fatal(err)
			}
			for _, part := range []string{"the same request_id", "GET /v1/requests/town/a", hint} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		}
	}
	for _, never := range []time.Duration{0, -1} {
		c := r.client(func(c *sdk.Config) { c.ResendAfter, c.GiveUpAfter = 20*time.Millisecond, never })
		before := r.waiting()
		p, err := c.Capture(t.Context(), inline("b", "text"))
		r.must(err)
		r.await("it is sent again", func() bool { return r.waiting() > before+1 })
		c.Close()
		if _, err := p.Wait(t.Context()); !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("%v", err)
		}
	}
}
