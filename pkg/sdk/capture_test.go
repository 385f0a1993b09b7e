package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
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
	} {
		if _, err := c.Capture(t.Context(), request); err == nil {
			t.Errorf("%s is taken", name)
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
}
