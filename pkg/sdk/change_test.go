package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// history is the log of some chunks: each is created and then changes its state
// some times, in every way that a chunk can.
func history(chunks, revs int) (log []model.LogEntry, states map[string][]model.ChunkState) {
	states = make(map[string][]model.ChunkState)
	for n := range chunks {
		ref := fmt.Sprintf("doc:%d", n)
		for rev := 1; rev <= revs; rev++ {
			s := model.ChunkState{ChunkRef: ref, Rev: int64(rev), Layer: model.LayerHot, Since: fmt.Sprintf("2026-03-%02d", rev)}
			switch (n + rev) % 4 {
			case 1:
				s.Layer = model.LayerArchive
			case 2:
				s.Repeats = "before:0"
			case 3:
				s.DuplicateOf = "elsewhere:0"
			}
			states[ref] = append(states[ref], s)
			e := model.LogEntry{ChunkRef: ref, Rev: int64(rev), Change: model.ChangeSuperseded, Cause: fmt.Sprintf("cause-%d", rev)}
			if rev == 1 {
				e.Change = model.ChangeCreated
			}
			log = append(log, e)
		}
	}
	return log, states
}

// kept is what a consumer has of a chunk.
func kept(ch sdk.Change) string {
	return fmt.Sprintf("%d %s %s %q %q %q", ch.Rev, ch.Layer, ch.Since, ch.Repeats, ch.DuplicateOf, ch.Cause)
}

// TestAMapOfChangesIsWhatTheCatalogHolds: events in any order, some of them twice,
// each with the state of its rev or with a later one.
func TestAMapOfChangesIsWhatTheCatalogHolds(t *testing.T) {
	t.Parallel()
	const chunks, revs = 12, 4
	for seed := range uint64(4) {
		r := newRig(t, 0)
		log, states := history(chunks, revs)
		random := rand.New(rand.NewPCG(seed, 1))
		var events []event.Data
		for _, e := range log {
			of := states[e.ChunkRef]
			for range 1 + random.IntN(2) { // said again, it may have a later state, under the id of the first
				c := model.Chunk{ChunkRef: e.ChunkRef, DocHash: "doc", SourceID: source, Layer: model.LayerHot, Content: "text of " + e.ChunkRef}
				events = append(events, event.OfChange(e, c, of[int(e.Rev)-1+random.IntN(len(of)-int(e.Rev)+1)]))
			}
		}
		random.Shuffle(len(events), func(a, b int) { events[a], events[b] = events[b], events[a] })
		for _, d := range events {
			e, err := event.New("test", d, time.Now())
			r.must(err)
			r.must(r.conn.Publisher("test").Publish(t.Context(), e.Redrive(random.Int64()))) // so that the bus takes each
		}
		want, got, texts := map[string]string{}, map[string]string{}, map[string]string{}
		for ref, of := range states {
			s := of[len(of)-1]
			want[ref] = fmt.Sprintf("%d %s %s %q %q %q", s.Rev, s.Layer, s.Since, s.Repeats, s.DuplicateOf, fmt.Sprintf("cause-%d", s.Rev))
		}
		ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
		defer cancel()
		for ch, err := range r.client().Chunks(ctx, sdk.From{}) {
			r.must(err)
			got[ch.ChunkRef] = kept(ch)
			if ch.Chunk != nil {
				texts[ch.ChunkRef] = ch.Chunk.Content
				if string(ch.Chunk.Layer) != ch.Layer {
					t.Errorf("the chunk of %s is %s, the change %s", ch.ChunkRef, ch.Chunk.Layer, ch.Layer)
				}
			}
			if ch.Partial {
				t.Errorf("%+v is partial", ch)
			}
			if len(texts) == chunks && maps.Equal(got, want) {
				break
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("seed %d: the consumer has\n%v\nwant\n%v", seed, got, want)
		}
		for ref := range want {
			if texts[ref] != "text of "+ref {
				t.Errorf("seed %d: the text of %s is %q", seed, ref, texts[ref])
			}
		}
	}
}

// TestATextThatComesLateHasTheNewestState: what was told of the chunk before is not
// taken back.
func TestATextThatComesLateHasTheNewestState(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	late := superseded("a:0", 3).(event.ChunkSuperseded)
	late.DuplicateOf = "z:0"
	r.say(late, created("a:0", 1), created("b:0", 1))
	var got []sdk.Change
	for ch, err := range r.client().Chunks(t.Context(), sdk.From{}) {
		r.must(err)
		if got = append(got, ch); len(got) == 3 {
			break
		}
	}
	if got[0].Chunk != nil || got[0].Rev != 3 || got[0].DuplicateOf != "z:0" {
		t.Errorf("first %+v", got[0])
	}
	if ch := got[1]; ch.Chunk == nil || ch.Chunk.Content != "a:0" || ch.Chunk.Layer != model.LayerArchive || ch.Layer != "archive" ||
		ch.Rev != 3 || ch.DuplicateOf != "z:0" || ch.ReplacedBy != "b:0" || ch.Type != event.TypeChunkCreated || ch.Position.Stream != 2 {
		t.Errorf("then %+v", ch)
	}
	if got[2].ChunkRef != "b:0" {
		t.Errorf("at last %+v", got[2])
	}
}

func TestWhatStands(t *testing.T) {
	t.Parallel()
	twin := sdk.Change{Type: event.TypeChunkCreated, Layer: "hot", DuplicateOf: "elsewhere:0"}
	for _, c := range []struct {
		change           sdk.Change
		stands, inSource bool
	}{
		{sdk.Change{Type: event.TypeChunkCreated, Layer: "hot"}, true, true},
		{sdk.Change{Type: event.TypeChunkSuperseded, Layer: "summary"}, true, true},
		{twin, false, true},
		{sdk.Change{Type: event.TypeChunkSuperseded, Layer: "summary", DuplicateOf: "a:0"}, false, true},
		{sdk.Change{Type: event.TypeChunkCreated, Layer: "archive"}, false, false},
		{sdk.Change{Type: event.TypeChunkCreated, Layer: "archive", DuplicateOf: "a:0"}, false, false},
		{sdk.Change{Type: event.TypeChunkCreated, Layer: "hot", Repeats: "a:0"}, false, false},
		{sdk.Change{Type: event.TypeChunkCreated, Layer: "hot", Repeats: "a:0", DuplicateOf: "a:0"}, false, false},
		{sdk.Change{Type: event.TypeChunkRemoved}, false, false},
		{sdk.Change{Type: event.TypeChunkRemoved, Layer: "hot"}, false, false},
		{sdk.Change{}, false, false},
	} {
		if c.change.Stands() != c.stands || c.change.StandsInSource() != c.inSource {
			t.Errorf("%+v: stands %v, in its source %v", c.change, c.change.Stands(), c.change.StandsInSource())
		}
	}
}

// TestAfterKeepsTheHigherRev: whichever of two changes was kept first, what is kept in
// the end has the newer state and the text, unless the chunk is gone.
func TestAfterKeepsTheHigherRev(t *testing.T) {
	t.Parallel()
	text := sdk.Change{Type: event.TypeChunkCreated, ChunkRef: "a:0", Rev: 1, Layer: "hot", Chunk: &sdk.Chunk{Content: "text", Layer: "hot"}}
	moved := sdk.Change{Type: event.TypeChunkSuperseded, ChunkRef: "a:0", Rev: 2, Layer: "archive"}
	gone := sdk.Change{Type: event.TypeChunkRemoved, ChunkRef: "a:0", Rev: 3}
	if got := text.After(sdk.Change{}); got.Rev != 1 || got.Chunk != text.Chunk {
		t.Errorf("a new chunk: %+v", got)
	}
	for name, got := range map[string]sdk.Change{"in order": moved.After(text), "old news": text.After(moved), "both twice": text.After(moved.After(text.After(moved)))} {
		if got.Rev != 2 || got.Layer != "archive" || got.Chunk == nil || got.Chunk.Content != "text" || got.Chunk.Layer != model.LayerArchive || got.StandsInSource() {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, got := range map[string]sdk.Change{"removed": gone.After(moved.After(text)), "and told before": moved.After(text.After(gone))} {
		if got.Rev != 3 || got.Type != event.TypeChunkRemoved || got.Chunk != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if text.Chunk.Layer != model.LayerHot || moved.Chunk != nil {
		t.Error("what was given is changed")
	}
	partial, whole := moved, moved
	partial.Partial, whole.DuplicateOf = true, "z:0"
	partial.Position.Stream = 7
	if got := partial.After(whole); got.Partial || got.DuplicateOf != "z:0" || got.Position.Stream != 7 {
		t.Errorf("of one rev, one from before the state was in it: %+v", got)
	}
	if got := whole.After(partial); got.Partial || got.DuplicateOf != "z:0" {
		t.Errorf("the other way round: %+v", got)
	}
}

// TestAnInterruptedConsumerHasWhatTheCatalogHolds: it goes on from what it has kept, again
// and again, while the bus tells every change once more, old ones too, in any order. It
// keeps what stood no more, and what is gone.
func TestAnInterruptedConsumerHasWhatTheCatalogHolds(t *testing.T) {
	t.Parallel()
	const chunks, revs = 8, 4
	for seed := range uint64(3) {
		r := newRig(t, 0)
		log, states := history(chunks, revs)
		random := rand.New(rand.NewPCG(seed, 2))
		var events []event.Data
		for _, e := range slices.Concat(log, log) {
			c := model.Chunk{ChunkRef: e.ChunkRef, DocHash: "doc", SourceID: source, Layer: model.LayerHot, Content: "text of " + e.ChunkRef}
			events = append(events, event.OfChange(e, c, states[e.ChunkRef][e.Rev-1]))
		}
		taken := []string{"doc:0", "doc:1"} // down
		for _, ref := range taken {
			events = append(events, removed(ref, revs+1))
		}
		random.Shuffle(len(events), func(a, b int) { events[a], events[b] = events[b], events[a] })
		r.sayAgain(append(events, created("end:0", 1))...)
		var position sdk.Position
		older, have := 0, map[string]sdk.Change{}
		for ended := false; !ended; {
			ctx, cancel := context.WithTimeout(t.Context(), devtest.Patience)
			left := 1 + random.IntN(10) // changes until it is interrupted
			for ch, err := range r.client().Chunks(ctx, sdk.From{Position: position, Source: source}) {
				r.must(err)
				before := have[ch.ChunkRef]
				if ch.Rev < before.Rev {
					older++
				}
				have[ch.ChunkRef], position = ch.After(before), ch.Position
				ended = ch.ChunkRef == "end:0"
				if left--; left == 0 || ended {
					break
				}
			}
			r.must(ctx.Err())
			cancel()
		}
		if older == 0 {
			t.Errorf("seed %d: nothing old was told, so this shows nothing", seed)
		}
		delete(have, "end:0")
		want, got, texts := map[string]string{}, map[string]string{}, 0
		for ref, of := range states {
			s := of[len(of)-1]
			want[ref] = fmt.Sprintf("%d %s %s %q %q %q", s.Rev, s.Layer, s.Since, s.Repeats, s.DuplicateOf, fmt.Sprintf("cause-%d", s.Rev))
		}
		for _, ref := range taken {
			want[ref] = fmt.Sprintf(`%d   "" "" "takedown"`, revs+1)
		}
		for ref, ch := range have {
			got[ref] = kept(ch)
			if ch.Chunk != nil && ch.Chunk.Content == "text of "+ref && string(ch.Chunk.Layer) == ch.Layer {
				texts++
			}
		}
		if !maps.Equal(got, want) || texts != chunks-len(taken) {
			t.Errorf("seed %d: with %d texts the consumer has\n%v\nwant\n%v", seed, texts, got, want)
		}
	}
}

// old is an event as it was written before the state was in it.
type old struct {
	event.Data
}

func (o old) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(o.Data)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	delete(fields, "since")
	delete(fields, "current")
	if o.Type() == event.TypeChunkCreated {
		delete(fields, "layer")
	} else {
		delete(fields, "repeats")
		delete(fields, "duplicate_of")
	}
	return json.Marshal(fields)
}

// TestEventsFromBeforeTheStateWasInThem are said to be partial; where there is a
// gateway it is asked.
func TestEventsFromBeforeTheStateWasInThem(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	r.say(old{created("a:0", 1)}, old{superseded("a:0", 2)}, old{removed("a:0", 3)}, old{superseded("gone:0", 2)}, old{superseded("a b:0", 2)})
	read := func(c *sdk.Client) (got []string) {
		for ch, err := range c.Chunks(t.Context(), sdk.From{Position: sdk.Position{}, Since: time.Now().Add(-time.Hour)}) {
			r.must(err)
			got = append(got, fmt.Sprintf("%s/%d/%s/%s/%s/%v", ch.ChunkRef, ch.Rev, ch.Layer, ch.Since, ch.DuplicateOf, ch.Partial))
			if len(got) == 5 {
				return got
			}
		}
		return got
	}
	if got, want := read(r.client()), []string{
		"a:0/1/hot///true", "a:0/2/archive///true", "a:0/3////false", "gone:0/2/archive///true", "a b:0/2/archive///true",
	}; !slices.Equal(got, want) {
		t.Errorf("without a gateway\n%v, want\n%v", got, want)
	}
	var asked atomic.Int64
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		ref, found := strings.CutPrefix(req.URL.Path, "/v1/chunks/")
		if !found || ref == "gone:0" {
			http.NotFound(w, req)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"state": model.ChunkState{
			ChunkRef: ref, Layer: model.LayerSummary, Since: "2026-01-01", DuplicateOf: "z:0", Rev: 9,
		}})
	}))
	defer gateway.Close()
	got := read(r.client(func(c *sdk.Config) { c.Gateway = gateway.URL }))
	if want := []string{
		"a:0/1/summary/2026-01-01/z:0/false", "a:0/2/summary/2026-01-01/z:0/false", "a:0/3////false", "gone:0/2/archive///true",
		"a b:0/2/summary/2026-01-01/z:0/false",
	}; !slices.Equal(got, want) {
		t.Errorf("with a gateway\n%v, want\n%v", got, want)
	}
	if asked.Load() != 4 {
		t.Errorf("it was asked %d times", asked.Load())
	}
}
