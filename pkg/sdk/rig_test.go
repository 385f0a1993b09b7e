package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/sdk"
	"github.com/colophon-dev/colophon/pkg/sdk/inbox"
	"github.com/colophon-dev/colophon/pkg/stream"
)

const source = "town"

// rig is a bus of its own, with something at its end that answers requests as
// the capturer does.
type rig struct {
	*testing.T
	env  *devtest.Env
	conn *stream.Conn
	js   jetstream.JetStream
}

func newRig(t *testing.T, requestBytes int64) *rig {
	t.Helper()
	env := devtest.Start(t)
	r := &rig{T: t, env: env}
	var err error
	r.conn, err = stream.Connect(t.Context(), stream.Config{
		URL: env.NATSURL, Prefix: env.Prefix, StreamPrefix: env.StreamPrefix, PullWait: 500 * time.Millisecond,
		PublishFor: time.Second, Grace: time.Second,
	})
	r.must(err)
	t.Cleanup(r.conn.Close)
	r.must(stream.Provision(t.Context(), r.conn, stream.ProvisionOptions{RequestBytes: requestBytes}))
	raw, err := nats.Connect(env.NATSURL)
	r.must(err)
	t.Cleanup(raw.Close)
	r.js, err = jetstream.New(raw)
	r.must(err)
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) config() sdk.Config {
	return sdk.Config{
		URL: r.env.NATSURL, Prefix: r.env.Prefix, StreamPrefix: r.env.StreamPrefix, Source: source,
		ResendAfter: 5 * time.Second, PublishFor: 2 * time.Second,
	}
}

func (r *rig) client(change ...func(*sdk.Config)) *sdk.Client {
	r.Helper()
	cfg := r.config()
	for _, f := range change {
		f(&cfg)
	}
	c, err := sdk.Connect(r.Context(), cfg)
	r.must(err)
	r.Cleanup(c.Close)
	return c
}

// box opens the inbox of the rig's own buckets.
func (r *rig) box() *inbox.S3 {
	r.Helper()
	cfg := blobstore.Config{
		Endpoint: r.env.S3Endpoint, AccessKey: r.env.S3AccessKey, SecretKey: r.env.S3SecretKey, BucketPrefix: r.env.BucketPrefix,
	}
	store, err := blobstore.Open(r.Context(), cfg)
	r.must(err)
	r.must(store.EnsureBuckets(r.Context(), blobstore.Inbox))
	box, err := inbox.Open(r.Context(), cfg)
	r.must(err)
	return box
}

// answerer answers each request once with its outcome, and a request that it
// has answered with the same.
type answerer struct {
	mu       sync.Mutex
	requests map[string]event.CaptureRequested
	handled  int
	silent   int // so many are taken and not answered: their outcome is lost
	disabled int // so many are refused at first, as of a source that is disabled
}

func (a *answerer) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	r, err := event.As[event.CaptureRequested](e)
	if err != nil {
		return err
	}
	a.mu.Lock()
	known, there := a.requests[r.RequestID]
	if a.requests == nil {
		a.requests = make(map[string]event.CaptureRequested)
	}
	if !there {
		a.requests[r.RequestID] = r
	}
	a.handled++
	a.silent--
	silent := a.silent >= 0
	a.disabled--
	disabled := a.disabled >= 0
	a.mu.Unlock()
	if disabled {
		return emit(ctx, event.CaptureCompleted{
			RequestID: r.RequestID, SourceID: r.SourceID, Outcome: sdk.Rejected, Reason: string(fault.SourceDisabled),
		})
	}
	if silent {
		return nil
	}
	if there && digestOf(known) != digestOf(r) {
		return emit(ctx, event.CaptureCompleted{
			RequestID: r.RequestID, SourceID: r.SourceID, Outcome: sdk.Rejected, Reason: string(fault.RequestConflict),
		})
	}
	return emit(ctx, event.CaptureCompleted{RequestID: r.RequestID, SourceID: r.SourceID, Outcome: sdk.Stored, SnapshotID: "snap_" + r.RequestID})
}

func (a *answerer) Fail(context.Context, event.Event, fault.Reason, string, stream.Emit) error {
	return errors.New("not expected")
}

func (a *answerer) seen() (distinct, handled int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests), a.handled
}

func (a *answerer) request(id string) event.CaptureRequested {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests[id]
}

func digestOf(r event.CaptureRequested) string {
	text, _ := json.Marshal(r)
	return string(text)
}

// answer runs an answerer until the test ends.
func (r *rig) answer(a *answerer) {
	r.Helper()
	db, err := catalog.Open(r.Context(), catalog.Config{URL: r.env.PostgresURL, Schema: r.env.Schema, MaxConns: 4})
	r.must(err)
	r.must(db.Migrate(r.Context()))
	runner, err := stream.NewRunner(r.conn, a, stream.Options{Consumer: stream.ConsumerCapture, Service: "capturer", Workers: 4, Attempts: db})
	r.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runner.Run(ctx); err != nil {
			r.Error(err)
		}
	})
	r.Cleanup(func() {
		cancel()
		running.Wait()
		db.Close()
	})
}

// waiting returns how many requests the queue holds.
func (r *rig) waiting() uint64 {
	r.Helper()
	s, err := r.js.Stream(r.Context(), r.env.StreamPrefix+"REQUESTS")
	r.must(err)
	return s.CachedInfo().State.Msgs
}

func (r *rig) file(name, text string) string {
	r.Helper()
	path := filepath.Join(r.TempDir(), name)
	r.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func inline(id, text string) sdk.Request {
	return sdk.Request{RequestID: id, URL: "https://town.example/" + id, Inline: &sdk.Inline{ContentBase64: []byte(text)}}
}

func (r *rig) outcome(p *sdk.Pending, err error) sdk.Outcome {
	r.Helper()
	r.must(err)
	ctx, cancel := context.WithTimeout(r.Context(), devtest.Patience)
	defer cancel()
	o, err := p.Wait(ctx)
	r.must(err)
	return o
}

func long(n int) string { return strings.Repeat("0123456789abcde\n", n/16+1) }
