package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
)

// told is what consumers have who keep of each chunk what the highest rev says.
type told map[string]chunkState

// chunkState is what every chunk event says of its chunk, and the catalog holds.
type chunkState struct {
	Rev         int64  `json:"rev"`
	Layer       string `json:"layer"`
	Since       string `json:"since"`
	Repeats     string `json:"repeats"`
	DuplicateOf string `json:"duplicate_of"`
	Cause       string `json:"cause"`
}

// hear keeps what an event says, as a consumer does that has no SDK.
func (t told) hear(data []byte) error {
	var said struct {
		chunkState
		ChunkRef string `json:"chunk_ref"`
		Chunk    struct {
			ChunkRef string `json:"chunk_ref"`
		} `json:"chunk"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return err
	}
	ref := said.ChunkRef
	if ref == "" {
		ref = said.Chunk.ChunkRef
	}
	if said.Rev > t[ref].Rev {
		t[ref] = said.chunkState
	}
	return nil
}

// differ compares what was told with the catalog, and names some of what differs.
// What was told of nothing is passed over. A stream that has lost messages may have
// told less, never something else of one revision.
func (t told) differ(want told, lost bool) []string {
	var wrong []string
	for ref, state := range want {
		got, heard := t[ref]
		if got == state || lost && (!heard || got.Rev < state.Rev) {
			continue
		}
		wrong = append(wrong, fmt.Sprintf("of %.12s…%s was told %+v, the catalog has %+v", ref, ref[strings.LastIndexByte(ref, ':'):], got, state))
	}
	slices.Sort(wrong)
	if len(wrong) > 3 {
		wrong = append(wrong[:3], fmt.Sprintf("and %d more", len(wrong)-3))
	}
	return wrong
}

// consumersDiffer holds the stream of chunks, replayed from its first message, and the
// gateway's log against the catalog. lost says that the scenario took messages from
// the stream, and with them what only the log still says.
func (r *rig) consumersDiffer(lost bool) []string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), devtest.Patience)
	defer cancel()
	want, err := r.states()
	if err != nil {
		return []string{err.Error()}
	}
	stream, err := r.replay(ctx)
	if err != nil {
		return []string{"the stream: " + err.Error()}
	}
	log, err := r.readLog(ctx)
	if err != nil {
		return []string{"the gateway's log: " + err.Error()}
	}
	var wrong []string
	for _, w := range stream.differ(want, lost) {
		wrong = append(wrong, "the stream: "+w)
	}
	for _, w := range log.differ(want, false) {
		wrong = append(wrong, "the gateway's log: "+w)
	}
	return wrong
}

// states returns what the catalog holds of all chunks.
func (r *rig) states() (told, error) {
	r.t.Helper()
	want := told{}
	for _, line := range r.strings(`SELECT json_build_object('chunk_ref', s.chunk_ref, 'rev', s.rev, 'layer', s.layer, 'since', s.since,
			'repeats', s.repeats, 'duplicate_of', s.duplicate_of, 'cause', l.cause)::text
			FROM chunk_state s JOIN chunk_log l ON l.chunk_ref = s.chunk_ref AND l.rev = s.rev`) {
		if err := want.hear([]byte(line)); err != nil {
			return nil, err
		}
	}
	if len(want) == 0 {
		return nil, errors.New("the catalog has no chunks")
	}
	return want, nil
}

// replay reads all that the stream of chunks holds.
func (r *rig) replay(ctx context.Context) (told, error) {
	heard := told{}
	err := r.eachChunkMessage(ctx, func(m jetstream.Msg) {
		// Nonsense, which some scenarios publish, says nothing.
		if json.Valid(m.Data()) {
			_ = heard.hear(m.Data())
		}
	})
	return heard, err
}

// eachChunkMessage yields the messages of the stream of chunks that say that they are of
// chunks, from its first to what is its last when it begins.
func (r *rig) eachChunkMessage(ctx context.Context, each func(jetstream.Msg)) error {
	s, err := r.js.Stream(ctx, r.values["COLOPHON_STREAM_PREFIX"]+"CHUNKS")
	if err != nil {
		return err
	}
	last := s.CachedInfo().State
	if last.Msgs == 0 {
		return nil
	}
	consumer, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	for {
		m, err := consumer.Next(jetstream.FetchContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if strings.HasPrefix(m.Headers().Get(event.HeaderType), "colophon.chunk.") {
			each(m)
		}
		if meta.Sequence.Stream >= last.LastSeq {
			return nil
		}
	}
}

// readLog reads /v1/changes from the beginning.
func (r *rig) readLog(ctx context.Context) (told, error) {
	heard := told{}
	address := "http://" + r.gateway
	// It may have been killed a moment ago.
	r.await(devtest.Patience, "the gateway answers", func() bool {
		_, err := getBody(ctx, address+"/readyz")
		return err == nil
	})
	for after := int64(0); ; {
		body, err := getBody(ctx, fmt.Sprintf("%s/v1/changes?after=%d", address, after))
		if err != nil {
			return nil, err
		}
		var page struct {
			Changes []struct {
				Data json.RawMessage `json:"data"`
			} `json:"changes"`
			Next int64 `json:"next"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, err
		}
		if len(page.Changes) == 0 {
			return heard, nil
		}
		for _, c := range page.Changes {
			if err := heard.hear(c.Data); err != nil {
				return nil, err
			}
		}
		after = page.Next
	}
}

func getBody(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", address, resp.Status, body)
	}
	return body, err
}

// TestToldDiffers: the comparison itself finds what it is for.
func TestToldDiffers(t *testing.T) {
	want := told{"a:0": {Rev: 2, Layer: "hot", DuplicateOf: "b:0", Cause: "restored"}, "b:0": {Rev: 1, Layer: "hot", Cause: "capture"}}
	for name, c := range map[string]struct {
		events []string
		lost   bool
		wrong  int
	}{
		"in order": {events: []string{
			`{"rev":1,"cause":"capture","layer":"hot","chunk":{"chunk_ref":"a:0"}}`, `{"rev":1,"cause":"capture","layer":"hot","chunk":{"chunk_ref":"b:0"}}`,
			`{"rev":2,"cause":"restored","layer":"hot","duplicate_of":"b:0","chunk_ref":"a:0"}`}},
		"a copy that is not told": {wrong: 1, events: []string{
			`{"rev":1,"cause":"capture","layer":"hot","chunk":{"chunk_ref":"b:0"}}`, `{"rev":2,"cause":"restored","layer":"hot","chunk_ref":"a:0"}`}},
		"a copy that is not told, in a stream with losses": {wrong: 1, lost: true, events: []string{`{"rev":2,"cause":"restored","layer":"hot","chunk_ref":"a:0"}`}},
		"the newest revision is not told":                  {wrong: 1, events: []string{`{"rev":1,"cause":"capture","layer":"hot","chunk":{"chunk_ref":"a:0"}}`, `{"rev":1,"cause":"capture","layer":"hot","chunk_ref":"b:0"}`}},
		"the newest revision was lost":                     {lost: true, events: []string{`{"rev":1,"cause":"capture","layer":"hot","chunk":{"chunk_ref":"a:0"}}`}},
		"a revision that never was":                        {lost: true, wrong: 1, events: []string{`{"rev":3,"cause":"promoted","layer":"hot","chunk_ref":"a:0"}`}},
		"nothing":                                          {wrong: 2},
	} {
		t.Run(name, func(t *testing.T) {
			heard := told{}
			for _, e := range c.events {
				if err := heard.hear([]byte(e)); err != nil {
					t.Fatal(err)
				}
			}
			if got := heard.differ(want, c.lost); len(got) != c.wrong {
				t.Errorf("%q", got)
			}
		})
	}
}
