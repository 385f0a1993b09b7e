package app

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// stopped is a clock that stands still.
type stopped time.Time

func (s stopped) Now(context.Context) (time.Time, error) { return time.Time(s), nil }

// clock lets fetches be dated by a clock that stands still; their dates are earlier by what
// they take.
func (b *bench) clock(at time.Time) { b.stage.Obtain.Clock = stopped(at) }

// now is the time of the catalog.
func (b *bench) now() time.Time {
	b.t.Helper()
	at, err := b.db.Now(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return at
}

// newest returns the content_hash that the document's row has, which is that of its newest
// snapshot.
func (b *bench) newest(documentID string) string {
	b.t.Helper()
	d, err := b.db.Document(b.t.Context(), documentID)
	if err != nil {
		b.t.Fatal(err)
	}
	return d.ContentHash
}

// TestAFetchIsDatedByItsAnswer: whatever the requests say of the time, what was fetched
// later is newer, and newer than what was handed over with an earlier date.
func TestAFetchIsDatedByItsAnswer(t *testing.T) {
	old, late := asked.Add(-1000*time.Hour), time.Now().Add(1000*time.Hour)
	for name, c := range map[string]struct {
		first, second time.Time  // ce-time
		says          *time.Time // retrieved_at of the second
	}{
		"a clock that is fast":             {late, asked, nil},
		"a clock that is slow":             {asked, old, nil},
		"a request that names a time":      {asked, asked, &old},
		"requests of one moment":           {asked, asked, nil},
		"a request that names a later one": {late, asked, &late},
	} {
		t.Run(name, func(t *testing.T) {
			b := fresh(t, nil)
			b.register(func(s *model.Source) { s.DedupHTML = 0 })
			body := page
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
			begun := b.now()
			first := b.outcomeAt(c.first, event.CaptureRequested{RequestID: "z", URL: s.URL})
			body = page + "<p>The date has changed.</p>"
			second := b.outcomeAt(c.second, event.CaptureRequested{RequestID: "a", URL: s.URL, RetrievedAt: c.says})
			one, two := b.snapshot(first.SnapshotID), b.snapshot(second.SnapshotID)
			if one.RetrievedAt.Before(begun) || !two.RetrievedAt.After(one.RetrievedAt) || two.RetrievedAt.After(b.now()) {
				t.Errorf("fetched at %s and %s, and it was %s before", one.RetrievedAt, two.RetrievedAt, begun)
			}
			// The crawler has had other bytes in between, after both requests and before the second fetch.
			handed := inline("handed", page+"<p>In between.</p>")
			between := one.RetrievedAt.Add(two.RetrievedAt.Sub(one.RetrievedAt) / 2).UTC()
			handed.URL, handed.RetrievedAt = s.URL, &between
			b.outcomeAt(late, handed)
			if b.newest(second.DocumentID) != two.ContentHash {
				t.Error("what was fetched last is not the newest")
			}
			b.sound()
		})
	}
}

// TestANotModifiedIsDatedByItsAnswer: a server that says after all requests that nothing is
// newer says so of that time; what was handed over for a time before it is not current.
func TestANotModifiedIsDatedByItsAnswer(t *testing.T) {
	b := fresh(t, nil)
	b.register(func(s *model.Source) { s.DedupHTML = 0 })
	v := &validated{body: page, etag: `"1"`}
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	first := b.outcomeAt(asked, event.CaptureRequested{RequestID: "one", URL: s.URL})
	b.finish(first.SnapshotID, model.ChunkerVersion)
	begun := b.now()
	again := b.outcomeAt(asked, event.CaptureRequested{RequestID: "two", URL: s.URL, RetrievedAt: &asked})
	got := b.snapshot(again.SnapshotID)
	if got.HTTPStatus != http.StatusNotModified || got.RetrievedAt.Before(begun) {
		t.Errorf("%d, dated %s", got.HTTPStatus, got.RetrievedAt)
	}
}

// TestASlowBodyIsDatedByItsHead: of two fetches of one URL the one that was answered first
// is the earlier one, also when its body ends last.
func TestASlowBodyIsDatedByItsHead(t *testing.T) {
	b := fresh(t, nil)
	rest, head := make(chan struct{}), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			_, _ = io.WriteString(w, page)
			return
		}
		_, _ = io.WriteString(w, "<p>As it was ")
		w.(http.Flusher).Flush()
		close(head)
		<-rest
		_, _ = io.WriteString(w, "before.</p>")
	})
	slow := b.event(event.CaptureRequested{RequestID: "slow", URL: s.URL + "/?utm_source=slow", Force: true})
	result := make(chan error, 1)
	go func() { result <- b.stage.Handle(t.Context(), slow, b.emit) }()
	<-head
	fast := b.outcome(event.CaptureRequested{RequestID: "fast", URL: s.URL + "/", Force: true})
	close(rest)
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if late := b.told(); late.DocumentID != fast.DocumentID {
		t.Fatalf("%+v and %+v are two documents", fast, late)
	}
	if b.newest(fast.DocumentID) != b.snapshot(fast.SnapshotID).ContentHash {
		t.Error("what was answered first is the newest")
	}
	b.sound()
}

// TestMembersOfAFetchedContainerHaveItsDate, and not that of the request.
func TestMembersOfAFetchedContainerHaveItsDate(t *testing.T) {
	b := fresh(t, nil)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	member, err := w.Create("a.html")
	if err == nil {
		_, err = io.WriteString(member, page)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed.Bytes()) })
	begun := b.now()
	if err := b.handle(b.event(event.CaptureRequested{RequestID: "zip", URL: s.URL + "/a.zip", RetrievedAt: &asked})); err != nil {
		t.Fatal(err)
	}
	dates := map[string]time.Time{}
	for _, e := range b.drain() {
		if done, ok := e.(event.CaptureCompleted); ok && done.SnapshotID != "" {
			dates[done.RequestID] = b.snapshot(done.SnapshotID).RetrievedAt
			b.sound()
		}
	}
	if own, of := dates["zip"], dates["zip!/a.html"]; own.Before(begun) || !own.Equal(of) {
		t.Errorf("the container is of %s, its member of %s, and it was %s before", own, of, begun)
	}
}
