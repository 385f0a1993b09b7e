package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

func TestOutcomesFindTheirRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	a := &answerer{}
	r.answer(a)
	c := r.client()
	var hands sync.WaitGroup
	for hand := range 4 {
		hands.Go(func() {
			for n := range 25 {
				id := fmt.Sprintf("%d-%d", hand, n)
				p, err := c.Capture(t.Context(), inline(id, id))
				if err != nil {
					t.Error(err)
					return
				}
				if o, err := p.Wait(t.Context()); err != nil || o.Outcome != sdk.Stored || o.SnapshotID != "snap_"+id {
					t.Errorf("%s: %+v, %v", id, o, err)
				}
			}
		})
	}
	hands.Wait()
	if n, _ := a.seen(); n != 100 {
		t.Errorf("%d requests arrived", n)
	}
	// Again, by the same crawler and by another: the stored outcome.
	for _, c := range []*sdk.Client{c, r.client()} {
		if o := r.outcome(c.Capture(t.Context(), inline("0-0", "0-0"))); o.SnapshotID != "snap_0-0" {
			t.Errorf("said again: %+v", o)
		}
	}
	if o := r.outcome(c.Capture(t.Context(), inline("0-0", "other"))); o.Outcome != sdk.Rejected || o.Reason != "request_conflict" {
		t.Errorf("the same id with other content: %+v", o)
	}
}

func TestWhatIsLostIsSentAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	a := &answerer{silent: 2}
	c := r.client(func(c *sdk.Config) { c.ResendAfter = 50 * time.Millisecond })
	p, err := c.Capture(t.Context(), inline("a", "text"))
	r.must(err)
	same, err := c.Capture(t.Context(), inline("a", "text"))
	if err != nil || same != p {
		t.Errorf("said twice, it is two: %v", err)
	}
	if _, err := c.Capture(t.Context(), inline("a", "other")); !errors.Is(err, sdk.ErrConflict) {
		t.Errorf("other content under the same id: %v", err)
	}
	// The request itself is lost, with its whole stream's content.
	s, err := r.js.Stream(t.Context(), r.env.StreamPrefix+"REQUESTS")
	r.must(err)
	r.must(s.Purge(t.Context()))
	r.answer(a)
	if o := r.outcome(p, nil); o.Outcome != sdk.Stored {
		t.Errorf("%+v", o)
	}
	if n, handled := a.seen(); n != 1 || handled < 3 {
		t.Errorf("%d requests, handled %d times: two outcomes were lost", n, handled)
	}
}

// TestWhatWasRefusedCanBeSaidAgainAtOnce: the bus remembers a request for some
// minutes; that must not keep it from being asked again once its source is
// enabled.
func TestWhatWasRefusedCanBeSaidAgainAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	r.answer(&answerer{disabled: 2})
	c := r.client(func(c *sdk.Config) { c.ResendAfter = time.Hour })
	for n, want := range []sdk.Outcome{{Outcome: sdk.Rejected, Reason: "source_disabled"}, {Outcome: sdk.Rejected, Reason: "source_disabled"}, {Outcome: sdk.Stored}} {
		if o := r.outcome(c.Capture(t.Context(), inline("a", "text"))); o.Outcome != want.Outcome || o.Reason != want.Reason {
			t.Errorf("time %d: %+v", n, o)
		}
	}
}

// TestABusThatIsAway: who cannot wait is not kept.
func TestABusThatIsAway(t *testing.T) {
	t.Parallel()
	c, err := sdk.Connect(t.Context(), sdk.Config{URL: "nats://127.0.0.1:1", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := c.Capture(ctx, inline("a", "a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("capturing: %v", err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := c.Capture(t.Context(), inline("b", "b"))
		waiting <- err
	}()
	c.Close()
	if err := <-waiting; !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("capturing while it is closed: %v", err)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestFullQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t, 256<<10)
	a := &answerer{}
	c := r.client(func(c *sdk.Config) { c.Patience = 300 * time.Millisecond })
	var accepted []*sdk.Pending
	var refused error
	for n := 0; refused == nil && n < 100; n++ {
		p, err := c.Capture(t.Context(), inline(fmt.Sprint(n), long(16<<10)))
		if refused = err; err == nil {
			accepted = append(accepted, p)
		}
	}
	if !errors.Is(refused, sdk.ErrFull) || len(accepted) < 5 || len(accepted) > 15 {
		t.Fatalf("after %d requests of 16 KiB into 256 KiB: %v", len(accepted), refused)
	}
	t.Logf("%d accepted, then: %v", len(accepted), refused)
	if n := r.waiting(); n != uint64(len(accepted)) {
		t.Errorf("%d accepted, %d in the queue", len(accepted), n)
	}
	// Who is patient gets through as soon as it drains.
	patient := r.client()
	through := make(chan error, 1)
	go func() {
		p, err := patient.Capture(t.Context(), inline("patient", long(16<<10)))
		if err == nil {
			_, err = p.Wait(t.Context())
		}
		through <- err
	}()
	r.answer(a)
	for _, p := range accepted {
		if o := r.outcome(p, nil); o.Outcome != sdk.Stored {
			t.Errorf("%s: %+v", p.RequestID, o)
		}
	}
	if err := <-through; err != nil {
		t.Error(err)
	}
	r.outcome(c.Capture(t.Context(), inline("after", long(16<<10))))
	if n, _ := a.seen(); n != len(accepted)+2 {
		t.Errorf("%d requests were handled, %d accepted", n, len(accepted)+2)
	}
}

func TestOnlySoManyWithoutOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client(func(c *sdk.Config) { c.MaxPending = 2 })
	for _, id := range []string{"a", "b"} {
		_, err := c.Capture(t.Context(), inline(id, id))
		r.must(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Capture(ctx, inline("c", "c")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third: %v", err)
	}
	r.answer(&answerer{})
	r.outcome(c.Capture(t.Context(), inline("c", "c")))
}

func TestClose(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	p, err := c.Capture(t.Context(), inline("a", "a"))
	r.must(err)
	c.Close()
	if _, err := p.Wait(t.Context()); !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("waiting: %v", err)
	}
	if _, err := c.Capture(t.Context(), inline("b", "b")); !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("capturing: %v", err)
	}
	c.Close()
}

func TestRequestsThatCannotBeRight(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	c := r.client()
	large := inline("a", long(sdk.MaxInline))
	for name, request := range map[string]sdk.Request{
		"nothing":     {},
		"two ways":    {URL: "https://town.example/", Inline: &sdk.Inline{}, Object: &sdk.Object{}},
		"bad source":  {URL: "https://town.example/", SourceID: "No Source"},
		"too large":   large,
		"no identity": {Inline: &sdk.Inline{}},
		// What the capturer could not answer under its own name:
		"long id":           inline(strings.Repeat("x", event.MaxRequestID+1), "x"),
		"lines in an id":    inline("a\nb", "x"),
		"an id in Latin-1":  inline("caf\xe9", "x"),
		"no such host":      {URL: "https://[::1/"},
		"a long URL":        {URL: "https://town.example/" + strings.Repeat("x", event.MaxURL)},
		"a long record id":  {RequestID: "a", SourceRecordID: strings.Repeat("x", event.MaxRecordID+1), Inline: &sdk.Inline{}},
		"no such status":    {RequestID: "a", URL: "https://town.example/", HTTPStatus: 2000, Inline: &sdk.Inline{}},
		"a time of no year": {RequestID: "a", URL: "https://town.example/", RetrievedAt: &time.Time{}, Inline: &sdk.Inline{}},
	} {
		if _, err := c.Capture(t.Context(), request); !errors.Is(err, sdk.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := r.waiting(); n != 0 {
		t.Errorf("%d are in the queue", n)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	a := &answerer{}
	r.answer(a)
	c := r.client(func(c *sdk.Config) { c.Inbox = r.box() })
	small, large := r.file("small.txt", "some text"), r.file("large.txt", long(sdk.MaxInline))

	p, err := c.CaptureFile(t.Context(), small, sdk.Request{})
	r.outcome(p, err)
	got := a.request(p.RequestID)
	if want := digest.CaptureFileRequestID("small.txt", digest.Content([]byte("some text")), ""); p.RequestID != want {
		t.Errorf("request_id %s, want %s", p.RequestID, want)
	}
	if got.URL != "file:///small.txt" || string(got.Inline.ContentBase64) != "some text" || got.Filename != "small.txt" ||
		got.LastModified.IsZero() || !got.LastModified.Equal(*got.RetrievedAt) {
		t.Errorf("small file: %+v", got)
	}

	p, err = c.CaptureFile(t.Context(), large, sdk.Request{URL: "https://town.example/large"})
	r.outcome(p, err)
	got = a.request(p.RequestID)
	if got.Inline != nil || got.Object == nil || got.URL != "https://town.example/large" {
		t.Fatalf("large file: %+v", got)
	}
	store, err := blobstore.Open(t.Context(), blobstore.Config{
		Endpoint: r.env.S3Endpoint, AccessKey: r.env.S3AccessKey, SecretKey: r.env.S3SecretKey, BucketPrefix: r.env.BucketPrefix,
	})
	r.must(err)
	data, err := store.Get(t.Context(), blobstore.Inbox, got.Object.Key, "")
	if err != nil || string(data) != long(sdk.MaxInline) {
		t.Errorf("%d bytes in the inbox, %v", len(data), err)
	}
	if blobstore.CheckInboxKey(source, got.Object.Key) != nil {
		t.Errorf("key %s", got.Object.Key)
	}

	p, err = c.CaptureWARC(t.Context(), r.file("site.warc", "WARC/1.1"), sdk.Request{})
	r.outcome(p, err)
	if got = a.request(p.RequestID); got.WARC == nil || got.Object != nil || got.Inline != nil {
		t.Errorf("archive: %+v", got)
	}
	bare := r.client()
	if _, err := bare.CaptureFile(t.Context(), large, sdk.Request{}); !errors.Is(err, sdk.ErrNoInbox) {
		t.Errorf("without an inbox: %v", err)
	}
	if _, err := bare.CaptureFile(t.Context(), large+"x", sdk.Request{}); err == nil {
		t.Error("a file that is not there is captured")
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	r.must(syscall.Mkfifo(pipe, 0o600))
	if _, err := bare.CaptureFile(t.Context(), pipe, sdk.Request{}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a pipe to which nobody writes: %v", err)
	}
}
