package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/test/programs"
)

// TestConsumers: while the bus is wiped, restored from an older copy and loses
// streams, a crawler hears what became of each of its requests, and a consumer ends
// with the newest state of each chunk.
func TestConsumers(t *testing.T) {
	if asked.form < wide {
		t.Skip("in the wide form")
	}
	programs.NeedServers(t)
	r := startRig(t)
	r.begin(t, 950)
	r.startServices()
	ctx, stop := context.WithCancel(t.Context())
	seen := &states{of: told{}}
	var consuming sync.WaitGroup
	consuming.Go(func() { r.consume(ctx, seen) })
	crawler := r.client()
	defer crawler.Close()
	var told atomic.Int64
	var waiting sync.WaitGroup
	const parts, each = 5, 25
	hand := func(part int) {
		for n := part * each; n < (part+1)*each; n++ {
			waiting.Go(func() {
				o := r.captureInsistently(crawler, inline(fmt.Sprintf("c-%d", n), fmt.Sprintf("c-%d.html", n%70), page(3000+n, 0), 1+n%25))
				if o.Outcome == sdk.Rejected || o.Outcome == sdk.Failed {
					t.Errorf("request %d: %+v", n, o)
				}
				told.Add(1)
			})
		}
	}
	var older string
	for part, fault := range []func(){
		func() { older = r.copyOf("nats") },
		r.wipeBus,
		func() {
			for _, name := range []string{"CHUNKS", "OUTCOMES"} {
				if err := r.js.DeleteStream(ctx, r.values["COLOPHON_STREAM_PREFIX"]+name); err != nil {
					t.Error(err)
				}
			}
			r.provisioned()
		},
		func() { r.restore("nats", older) },
		func() {},
	} {
		hand(part)
		r.await(devtest.Patience, "some outcomes are told", func() bool { return told.Load() >= int64(part*each) })
		fault()
	}
	waiting.Wait()
	if took, stuck := r.quiet(devtest.Patience); len(stuck) > 0 {
		t.Fatalf("not quiet after %s: %.500s", took, stuck)
	}
	want, err := r.states()
	if err != nil {
		t.Fatal(err)
	}
	r.await(devtest.Patience, "the consumer has the newest state of all chunks", func() bool { return maps.Equal(seen.copy(), want) })
	for _, wrong := range seen.copy().differ(want, false) {
		t.Error(wrong)
	}
	t.Logf("%d outcomes, %d chunks, the consumer began %d times", told.Load(), len(want), seen.begun.Load())
	stop()
	consuming.Wait()
}

// states are the newest states of chunks that a consumer has heard of.
type states struct {
	mu    sync.Mutex
	of    told
	begun atomic.Int64
}

func (s *states) copy() told {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.of)
}

func (r *rig) client() *sdk.Client {
	r.t.Helper()
	client, err := sdk.Connect(r.t.Context(), sdk.Config{
		URL: r.endpoints["COLOPHON_NATS_URL"], Prefix: r.values["COLOPHON_SUBJECT_PREFIX"], StreamPrefix: r.values["COLOPHON_STREAM_PREFIX"],
		Name: "crawler", ResendAfter: pick(time.Second, time.Second, time.Minute), Gateway: "http://" + r.gateway,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// consume follows the changes of chunks, as a consumer does that writes down where
// it is: after an error it goes on from there.
func (r *rig) consume(ctx context.Context, seen *states) {
	client := r.client()
	defer client.Close()
	var kept sdk.Position
	for ctx.Err() == nil {
		seen.begun.Add(1)
		for change, err := range client.Chunks(ctx, sdk.From{Position: kept}) {
			if err != nil {
				r.t.Logf("the consumer: %v", err)
				break
			}
			seen.mu.Lock()
			if change.Rev >= seen.of[change.ChunkRef].Rev { // after it began anew older ones come again
				seen.of[change.ChunkRef] = chunkState{Rev: change.Rev, Layer: change.Layer, Since: change.Since,
					Repeats: change.Repeats, DuplicateOf: change.DuplicateOf, Cause: change.Cause}
			}
			seen.mu.Unlock()
			kept = change.Position
		}
		r.linger(100 * time.Millisecond)
	}
}

// captureInsistently hands a request over until the bus takes it, and waits for its
// outcome.
func (r *rig) captureInsistently(client *sdk.Client, request sdk.Request) sdk.Outcome {
	ctx, cancel := context.WithTimeout(r.t.Context(), devtest.Patience)
	defer cancel()
	for {
		pending, err := client.Capture(ctx, request)
		if err == nil {
			var o sdk.Outcome
			if o, err = pending.Wait(ctx); err == nil {
				return o
			}
		}
		if ctx.Err() != nil {
			r.t.Errorf("%s: %v", request.RequestID, errors.Join(ctx.Err(), err))
			return sdk.Outcome{}
		}
		r.linger(200 * time.Millisecond)
	}
}
