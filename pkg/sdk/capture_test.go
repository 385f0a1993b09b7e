package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// fill fills a rig's small queue.
func (r *rig) fill(c *sdk.Client) {
	r.Helper()
	for n := range 100 {
		_, err := c.Capture(r.Context(), inline(fmt.Sprint("fill-", n), long(16<<10)))
		if errors.Is(err, sdk.ErrFull) {
			return
		}
		r.must(err)
	}
	r.Fatal("the queue is never full")
}

// TestWhatIsBeingOfferedIsNotSentBesides: nothing is looked after that the bus has not
// taken, so that what is refused was never sent, and what is accepted was sent once.
func TestWhatIsBeingOfferedIsNotSentBesides(t *testing.T) {
	t.Parallel()
	r := newRig(t, 256<<10)
	r.fill(r.client(func(c *sdk.Config) { c.Patience = time.Millisecond }))
	o := newOracle(t)
	c := r.client(func(c *sdk.Config) {
		c.Patience, c.ResendAfter, c.GiveUpAfter, c.Gateway = 300*time.Millisecond, time.Millisecond, 20*time.Millisecond, o.URL
	})
	if _, err := c.Capture(t.Context(), inline("a", long(16<<10))); !errors.Is(err, sdk.ErrFull) {
		t.Errorf("%v", err)
	}
	if n := o.times("a"); n != 0 {
		t.Errorf("it was looked after %d times before the bus had it", n)
	}
}

// TestWhatIsBeingOfferedIsWaitedFor: who says a request again while it is being handed
// over is not told that it is safe.
func TestWhatIsBeingOfferedIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, 256<<10)
	r.fill(r.client(func(c *sdk.Config) { c.Patience = time.Millisecond }))
	c := r.client(func(c *sdk.Config) { c.Patience = 500 * time.Millisecond })
	refused := make(chan error, 2)
	for range cap(refused) {
		go func() {
			_, err := c.Capture(t.Context(), inline("a", long(16<<10)))
			refused <- err
		}()
	}
	for range cap(refused) {
		if err := <-refused; !errors.Is(err, sdk.ErrFull) {
			t.Errorf("while the queue is full: %v", err)
		}
	}
	// Whoever offers it may go away: the other hands it over.
	gone, leave := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	patient := r.client()
	go func() {
		_, err := patient.Capture(gone, inline("b", long(16<<10)))
		first <- err
	}()
	go func() {
		p, err := patient.Capture(t.Context(), inline("b", long(16<<10)))
		if err == nil {
			_, err = p.Wait(t.Context())
		}
		second <- err
	}()
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away: %v", err)
	}
	r.answer(&answerer{})
	if err := <-second; err != nil {
		t.Errorf("who stayed: %v", err)
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

// TestAFileThatIsTouchedOrChangesBackIsCaptured, under a name of its own, also while the
// capture of before is under way; a name of the crawler's own is its own affair.
func TestAFileThatIsTouchedOrChangesBackIsCaptured(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	a := &answerer{}
	r.answer(a)
	c := r.client()
	path := r.file("note.txt", "A")
	day := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	id := func(nonce string) string {
		return digest.CaptureFileRequestID("note.txt", digest.Content([]byte("A")), nonce)
	}
	for n, want := range []string{id(""), id("2026-03-02T09:00:00Z"), id("2026-03-03T09:00:00Z")} {
		at := day.AddDate(0, 0, n)
		r.must(os.Chtimes(path, at, at))
		for range 2 { // said again it is the same
			if o := r.outcome(c.CaptureFile(t.Context(), path, sdk.Request{})); o.Outcome != sdk.Stored || o.RequestID != want {
				t.Errorf("at %s: %+v, want %s", at, o, want)
			}
		}
	}
	var waiting []*sdk.Pending
	for n := range 3 {
		at := day.AddDate(1, 0, n)
		r.must(os.Chtimes(path, at, at))
		for range 2 {
			p, err := c.CaptureFile(t.Context(), path, sdk.Request{})
			r.must(err)
			waiting = append(waiting, p)
		}
	}
	for _, p := range waiting {
		if o := r.outcome(p, nil); o.Outcome != sdk.Stored {
			t.Errorf("%+v", o)
		}
	}
	if n, _ := a.seen(); n != 6 {
		t.Errorf("%d requests, of a file that had six times", n)
	}
	for _, at := range []time.Time{day, day.AddDate(0, 1, 0)} {
		r.must(os.Chtimes(path, at, at))
		o := r.outcome(c.CaptureFile(t.Context(), path, sdk.Request{RequestID: "mine"}))
		if conflict := o.Reason == "request_conflict"; conflict == at.Equal(day) {
			t.Errorf("under a name of its own: %+v", o)
		}
	}
	bare := r.client(func(c *sdk.Config) { c.MaxPending = 1 }) // no place is lost
	for range 3 {
		r.outcome(bare.CaptureFile(t.Context(), path, sdk.Request{}))
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
