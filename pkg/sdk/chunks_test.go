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
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/stream"
)

func created(ref string, rev int64) event.Data {
	return event.ChunkCreated{Rev: rev, Cause: "version", Layer: model.LayerHot, Chunk: model.Chunk{ChunkRef: ref, SourceID: source, Layer: "hot", Content: ref}}
}

func superseded(ref string, rev int64) event.Data {
	return event.ChunkSuperseded{ChunkChange: event.ChunkChange{
		Rev: rev, Cause: "version", ChunkRef: ref, SourceID: source, Layer: model.LayerArchive, ReplacedBy: "b:0",
	}}
}

func removed(ref string, rev int64) event.Data {
	return event.ChunkRemoved{ChunkChange: event.ChunkChange{Rev: rev, Cause: "takedown", ChunkRef: ref, SourceID: source}}
}

func (r *rig) say(data ...event.Data) {
	r.Helper()
	for _, d := range data {
		r.must(r.conn.Publisher("test").Emit(r.Context(), d))
	}
}

// sayAgain publishes what the bus may have had before, so that it takes it once more.
func (r *rig) sayAgain(data ...event.Data) {
	r.Helper()
	for _, d := range data {
		e, err := event.New("test", d, time.Now())
		r.must(err)
		r.must(r.conn.Publisher("test").Publish(r.Context(), e.Redrive(time.Now().UnixNano())))
	}
}

// take returns the next n changes as ref/rev/verb, and where the last one was.
func (r *rig) take(c *sdk.Client, from sdk.From, n int) (got []string, last sdk.Position) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), devtest.Patience)
	defer cancel()
	for ch, err := range c.Chunks(ctx, from) {
		r.must(err)
		if (ch.Chunk != nil) != (ch.Type == event.TypeChunkCreated) {
			r.Errorf("%s: chunk %v", ch.Type, ch.Chunk)
		}
		got, last = append(got, fmt.Sprintf("%s/%d/%s", ch.ChunkRef, ch.Rev, ch.Layer)), ch.Position
		if len(got) == n {
			return got, last
		}
	}
	r.Fatalf("%d of %d changes: %v", len(got), n, got)
	return nil, last
}

func TestChunksKeepTheHighestRev(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	// Out of order, and one twice under another message id.
	r.say(created("a:0", 1), superseded("b:0", 2), created("b:0", 1), superseded("a:0", 3), created("c:0", 1), removed("a:0", 2), removed("c:0", 2))
	got, last := r.take(c, sdk.From{}, 6)
	if want := []string{"a:0/1/hot", "b:0/2/archive", "b:0/2/archive", "a:0/3/archive", "c:0/1/hot", "c:0/2/"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if last.Stream != 7 {
		t.Errorf("position %+v", last)
	}
	// From the middle, and from the end on.
	if got, _ := r.take(c, sdk.From{Position: sdk.Position{Stream: 5}}, 2); !slices.Equal(got, []string{"a:0/2/", "c:0/2/"}) {
		t.Errorf("behind the fifth: %v", got)
	}
	r.say(created("d:0", 1))
	if got, _ := r.take(c, sdk.From{Position: last, Source: source}, 1); got[0] != "d:0/1/hot" {
		t.Errorf("behind the seventh: %v", got)
	}
}

func TestChunksBehindTheStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	r.say(created("a:0", 1), created("b:0", 1), created("c:0", 1), created("d:0", 1))
	_, old := r.take(c, sdk.From{}, 1)
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"CHUNKS")
	r.must(err)
	r.must(s.Purge(t.Context()))
	for ch, err := range c.Chunks(t.Context(), sdk.From{Position: old}) {
		if !errors.Is(err, sdk.ErrBehind) {
			t.Fatalf("%+v, %v", ch, err)
		}
	}
	// With a gateway, the log is read and then the stream again.
	fresh := make(chan string, 2) // the bus takes each but once
	log := []event.Data{created("a:0", 1), created("b:0", 1), superseded("a:0", 2)}
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		after, _ := strconv.Atoi(req.URL.Query().Get("after"))
		type entry struct {
			Seq  int    `json:"seq"`
			Type string `json:"type"`
			Data any    `json:"data"`
		}
		answer := map[string]any{"changes": []entry{}, "next": after}
		if req.URL.Path == "/v1/changes" && after < len(log) {
			answer = map[string]any{"changes": []entry{{after + 1, log[after].Type(), log[after]}}, "next": after + 1}
		}
		if after == len(log) {
			r.say(superseded("b:0", 1), created(<-fresh, 1)) // the first is old news
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer gateway.Close()
	c = r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	for name, from := range map[string]sdk.From{"e:0": {Position: old}, "f:0": {}} {
		fresh <- name
		got, last := r.take(c, from, 4)
		if want := []string{"a:0/1/hot", "b:0/1/hot", "a:0/2/archive", name + "/1/hot"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if last.Log != 3 || last.Stream == 0 {
			t.Errorf("position %+v", last)
		}
		r.must(s.Purge(t.Context()))
	}
}

// TestChunksOfAStreamThatIsMadeAgain: what it has lost is read from the log, by one
// who follows it all the time, and by one who comes back.
func TestChunksOfAStreamThatIsMadeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := map[string]any{"changes": []any{}, "next": 1}
		if req.URL.Query().Get("after") == "0" {
			d := superseded("a:0", 2)
			answer["changes"] = []map[string]any{{"seq": 1, "type": d.Type(), "data": d}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer gateway.Close()
	c := r.client(func(c *sdk.Config) { c.Gateway = gateway.URL })
	lose := func() {
		r.Helper()
		r.must(r.js.DeleteStream(t.Context(), r.env.StreamPrefix+"CHUNKS"))
		r.must(stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: 1 << 20}))
	}
	began := time.Now().Add(-time.Minute)
	r.say(created("a:0", 1), created("b:0", 1))
	ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
	defer cancel()
	var got []string
	var kept sdk.Position
	for ch, err := range c.Chunks(ctx, sdk.From{Since: began}) {
		r.must(err)
		if got = append(got, fmt.Sprintf("%s/%d/%s", ch.ChunkRef, ch.Rev, ch.Layer)); len(got) == 2 {
			kept = ch.Position
			lose() // with the event that a:0 is archived
		}
		if len(got) == 3 {
			break
		}
	}
	if want := []string{"a:0/1/hot", "b:0/1/hot", "a:0/2/archive"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r.say(created("c:0", 1), created("d:0", 1), created("e:0", 1)) // the new stream has come further
	if got, _ := r.take(c, sdk.From{Position: kept}, 1); !slices.Equal(got, []string{"a:0/2/archive"}) {
		t.Errorf("from the position of the stream that was lost: %v", got)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	began := time.Now().Add(-time.Minute)
	for n := range 3 {
		r.say(event.CaptureCompleted{RequestID: fmt.Sprint(n), SourceID: source, Outcome: sdk.Stored})
	}
	var got []string
	for o, err := range c.Outcomes(t.Context(), source, began) {
		r.must(err)
		if got = append(got, o.RequestID); len(got) == 3 {
			break
		}
	}
	if !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("%v", got)
	}
}
