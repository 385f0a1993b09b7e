package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

func (b *bench) register(adjust func(*model.Source)) {
	b.t.Helper()
	s := model.DefaultSource(source)
	adjust(&s)
	if err := b.db.PutSource(b.t.Context(), s); err != nil {
		b.t.Fatal(err)
	}
}

// validated is a server of one page that knows what changed. It has no
// robots.txt.
type validated struct {
	body, etag string
	asked      []http.Header
}

func (v *validated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/robots.txt":
		http.NotFound(w, r)
		return
	case "/old":
		http.Redirect(w, r, "/page", http.StatusFound)
	}
	v.asked = append(v.asked, r.Header)
	w.Header().Set("ETag", v.etag)
	w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
	if r.Header.Get("If-None-Match") == v.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = io.WriteString(w, v.body)
}

// conditional returns the validators of the last request.
func (v *validated) conditional() string {
	h := v.asked[len(v.asked)-1]
	return strings.TrimSpace(h.Get("If-None-Match") + " " + h.Get("If-Modified-Since"))
}

func (b *bench) snapshots() (n int) {
	b.t.Helper()
	err := b.db.Tx(b.t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(b.t.Context(), `SELECT count(*) FROM snapshots`).Scan(&n)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func TestAServerThatSaysNothingIsNewer(t *testing.T) {
	b := fresh(t, nil)
	b.register(func(s *model.Source) { s.DedupHTML = 0 })
	v := &validated{body: page, etag: `"1"`}
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	at := asked
	get := func(id, path string) event.CaptureCompleted {
		t.Helper()
		at = at.Add(time.Hour)
		return b.outcomeAt(at, event.CaptureRequested{RequestID: id, URL: s.URL + path})
	}
	first := get("c1", "/old")
	if first.Outcome != event.OutcomeStored || first.FetchStatus != "redirected" || v.conditional() != "" {
		t.Fatalf("outcome %+v, asked for %q", first, v.conditional())
	}
	// It is not asked for something newer before the bytes are processed.
	if again := get("c2", "/page"); again.Outcome != event.OutcomeUnchanged || v.conditional() != "" {
		t.Errorf("outcome %+v, asked for %q", again, v.conditional())
	}
	b.finish(first.SnapshotID, model.ChunkerVersion)
	before, err := b.db.Document(t.Context(), first.DocumentID)
	if err != nil {
		t.Fatal(err)
	}
	const asked = `"1" Wed, 21 Oct 2015 07:28:00 GMT`
	stored := b.snapshots()
	for id, path := range map[string]string{"c3": "/page", "c4": "/old"} {
		done := get(id, path)
		got, was := b.snapshot(done.SnapshotID), b.snapshot(first.SnapshotID)
		if got.SnapshotID == was.SnapshotID || got.ContentHash != was.ContentHash || !got.RetrievedAt.After(was.RetrievedAt) || got.HTTPStatus != http.StatusNotModified ||
			got.RequestID != id || got.ETag != `"1"` {
			t.Errorf("%s is recorded as %+v", path, got)
		}
		if done.Outcome != event.OutcomeUnchanged || done.DocumentID != first.DocumentID || v.conditional() != asked {
			t.Errorf("%s: %+v, asked for %q", path, done, v.conditional())
		}
		if redirected := done.FetchStatus == "redirected"; redirected != (path == "/old") {
			t.Errorf("%s: fetch status %s", path, done.FetchStatus)
		}
	}
	after, err := b.db.Document(t.Context(), first.DocumentID)
	if err != nil {
		t.Fatal(err)
	}
	if b.snapshots() != stored+2 || !after.LastCheckedAt.After(before.LastCheckedAt) || !after.LastSeenAt.After(before.LastSeenAt) {
		t.Errorf("%d snapshots, want two more than %d; document %+v", b.snapshots(), stored, after)
	}
	stored += 2
	// The window counts from it.
	b.register(func(*model.Source) {})
	if done := get("c5", "/old"); done.Outcome != event.OutcomeDuplicate {
		t.Errorf("outcome %+v", done)
	}
	b.register(func(s *model.Source) { s.DedupHTML = 0 })

	// Bytes that are the same under another tag are recorded, and that tag is
	// the one that counts.
	v.etag = `"2"`
	if done := get("c6", "/page"); done.Outcome != event.OutcomeUnchanged || b.snapshots() != stored+1 {
		t.Errorf("outcome %+v, %d snapshots", done, b.snapshots())
	}
	if done := get("c7", "/page"); done.Outcome != event.OutcomeUnchanged || v.conditional() != `"2" Wed, 21 Oct 2015 07:28:00 GMT` {
		t.Errorf("outcome %+v, asked for %q", done, v.conditional())
	}
	// Another parser, other rules, force: the bytes are wanted.
	b.stage.Today.Parser = "another"
	if done := get("c9", "/page"); done.Outcome != event.OutcomeStored || v.conditional() != "" {
		t.Errorf("outcome %+v, asked for %q", done, v.conditional())
	}
	forced := b.outcome(event.CaptureRequested{RequestID: "c8", URL: s.URL + "/page", Force: true})
	if forced.Outcome != event.OutcomeStored || v.conditional() != "" {
		t.Errorf("outcome %+v, asked for %q", forced, v.conditional())
	}
}

// TestALateCaptureBeforeANotModified: what its server called unmodified at three o'clock
// is the document of that hour, also where a capture of two o'clock with other bytes
// comes after that.
func TestALateCaptureBeforeANotModified(t *testing.T) {
	b := fresh(t, nil)
	b.register(func(s *model.Source) { s.DedupHTML = 0 })
	v := &validated{body: page, etag: `"1"`}
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	b.clock(asked)
	first := b.outcome(event.CaptureRequested{RequestID: "one", URL: s.URL})
	b.finish(first.SnapshotID, model.ChunkerVersion)
	b.clock(asked.Add(2 * time.Hour))
	three := b.outcome(event.CaptureRequested{RequestID: "three", URL: s.URL})
	if three.Outcome != event.OutcomeUnchanged || v.conditional() == "" {
		t.Fatalf("outcome %+v, asked for %q", three, v.conditional())
	}
	late := inline("two", page+"<p>other</p>")
	two := asked.Add(time.Hour)
	late.URL, late.RetrievedAt = s.URL, &two
	if err := b.handle(b.event(late)); err != nil {
		t.Fatal(err)
	}
	var woken []string
	for _, data := range b.drain() {
		if stored, ok := data.(event.SnapshotStored); ok {
			woken = append(woken, stored.SnapshotID)
		}
	}
	if len(woken) != 2 || woken[1] != three.SnapshotID {
		t.Errorf("processed are %q; the one that was not modified is %s", woken, three.SnapshotID)
	}
	if got := b.snapshot(three.SnapshotID); got.HTTPStatus != http.StatusNotModified || string(b.raw(got.ContentHash)) != page {
		t.Errorf("%+v", got)
	}
}

func TestRobots(t *testing.T) {
	b := fresh(t, nil)
	var hits int
	rules, status := "User-agent: colophon\nDisallow: /private\n", http.StatusOK
	start := func() string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				w.WriteHeader(status)
				_, _ = io.WriteString(w, rules)
			case "/away":
				http.Redirect(w, r, "/private/1?access_token=geheim", http.StatusFound)
			default:
				hits++
				_, _ = io.WriteString(w, page)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	url := start()
	if done := b.outcome(event.CaptureRequested{RequestID: "a", URL: url + "/open"}); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
	for _, path := range []string{"/private/1", "/away"} { // redirects too
		done := b.outcome(event.CaptureRequested{RequestID: path, URL: url + path})
		if done.Outcome != event.OutcomeRejected || done.Reason != string(fault.FetchRefused) || done.FetchStatus != "blocked" ||
			!strings.Contains(done.Message, `"Disallow: /private"`) || strings.Contains(done.Message, "geheim") {
			t.Errorf("%s: %+v", path, done)
		}
	}
	if hits != 1 {
		t.Errorf("%d pages were asked for", hits)
	}
	// Bytes that a crawler hands over are its own affair; a policy may say ignore.
	handed := inline("handed", page)
	handed.URL = url + "/private/2"
	if done := b.outcome(handed); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
	b.register(func(s *model.Source) { s.RobotsPolicy = model.RobotsIgnore })
	if done := b.outcome(event.CaptureRequested{RequestID: "d", URL: url + "/private/3"}); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
	b.register(func(*model.Source) {})
	status = http.StatusServiceUnavailable // who cannot say forbids
	err := b.handle(b.event(event.CaptureRequested{RequestID: "e", URL: start() + "/open"}))
	if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.FetchRefused || !strings.Contains(err.Error(), "robots.txt") {
		t.Errorf("error %v", err)
	}
}

func TestHostsAreAskedPolitely(t *testing.T) {
	b := fresh(t, nil)
	b.register(func(s *model.Source) { s.HostDelay = 60_000 })
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) })
	for n := range 3 {
		err := b.handle(b.event(event.CaptureRequested{RequestID: fmt.Sprint(n), URL: fmt.Sprintf("%s/%d", s.URL, n)}))
		wait := fault.RetryAfter(err)
		if n == 0 && err != nil || n > 0 && (fault.KindOf(err) != fault.KindDeferred || wait > time.Duration(n)*time.Minute || wait < time.Duration(n)*time.Minute-20*time.Second) {
			t.Errorf("request %d: %v, after %s", n, err, wait)
		}
	}
	if s.hits.Load() != 1 {
		t.Errorf("%d requests to the host", s.hits.Load())
	}
}

// TestHostsOfRedirectsAreAskedPolitely: where a redirect leads counts as what was
// asked for does.
func TestHostsOfRedirectsAreAskedPolitely(t *testing.T) {
	b := fresh(t, nil)
	end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, page)
	})
	way := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, end.URL+r.URL.Path, http.StatusFound)
	})
	get := func(id, url string) error {
		t.Helper()
		return b.handle(b.event(event.CaptureRequested{RequestID: id, URL: url}))
	}
	b.register(func(s *model.Source) { s.HostDelay = 1000 })
	start := time.Now()
	for n, url := range []string{end.URL + "/1", way.URL + "/2"} { // a short wait is waited for
		if err := get(fmt.Sprint(n), url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if took := time.Since(start); took < time.Second || end.hits.Load() != 2 {
		t.Errorf("%d requests to the host within %s", end.hits.Load(), took)
	}
	b.register(func(s *model.Source) { s.HostDelay = 60_000 })
	for n := range 2 {
		other := serve(t, way.Config.Handler.ServeHTTP)
		err := get(fmt.Sprint("long", n), other.URL+"/long")
		if other.hits.Load() != 1 {
			t.Errorf("the host that redirects was asked %d times", other.hits.Load())
		}
		if wait := fault.RetryAfter(err); fault.KindOf(err) != fault.KindDeferred || wait > time.Duration(n+1)*time.Minute || wait < 40*time.Second || end.hits.Load() != 2 {
			t.Errorf("error %v, after %s, %d requests", err, wait, end.hits.Load())
		}
	}
	b.drain()

	// What the last one asks for is asked of that one.
	end, b = serve(t, end.Config.Handler.ServeHTTP), fresh(t, nil)
	way = serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, end.URL+r.URL.Path, http.StatusFound)
	})
	if err := get("busy", way.URL+"/busy"); fault.KindOf(err) != fault.KindTransient || fault.RetryAfter(err) != 2*time.Minute {
		t.Errorf("error %v, after %s", err, fault.RetryAfter(err))
	}
	if err := get("other", end.URL+"/other"); fault.KindOf(err) != fault.KindDeferred || fault.RetryAfter(err) < 100*time.Second {
		t.Errorf("error %v, after %s", err, fault.RetryAfter(err))
	}
	if hits := way.hits.Load(); hits != 1 {
		t.Errorf("%d requests to the host that redirects", hits)
	}
	if err := get("again", way.URL+"/again"); fault.KindOf(err) != fault.KindDeferred || way.hits.Load() != 2 { // it may be asked
		t.Errorf("error %v, %d requests to the host that redirects", err, way.hits.Load())
	}
}

func TestAHostThatIsOverloadedIsLeftAlone(t *testing.T) {
	b := fresh(t, nil)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	err := b.handle(b.event(event.CaptureRequested{RequestID: "a", URL: s.URL + "/busy"}))
	if fault.KindOf(err) != fault.KindTransient || fault.RetryAfter(err) != 2*time.Minute {
		t.Errorf("error %v, after %s", err, fault.RetryAfter(err))
	}
	err = b.handle(b.event(event.CaptureRequested{RequestID: "b", URL: s.URL + "/other"}))
	if wait := fault.RetryAfter(err); fault.KindOf(err) != fault.KindDeferred || wait > 2*time.Minute || wait < 100*time.Second || s.hits.Load() != 1 {
		t.Errorf("error %v, after %s", err, wait)
	}
}

// Times that no store can keep are the request's fault.
func TestTimesThatAreNone(t *testing.T) {
	b := fresh(t, nil)
	for n, at := range []time.Time{{}, time.Time{}.Add(time.Second / 2), time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -12*3600))} {
		r := inline(fmt.Sprint(n), page)
		r.LastModified = &at
		if done := b.outcome(r); done.Outcome != event.OutcomeRejected || done.Reason != string(fault.Malformed) {
			t.Errorf("%s: %+v", at, done)
		}
	}
	// A crawler without a clock, and one whose clock is wrong.
	for at, want := range map[time.Time]event.Outcome{{}: event.OutcomeStored, time.Unix(0, 0): event.OutcomeStored,
		time.Time{}.Add(time.Second / 2): event.OutcomeRejected, time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC): event.OutcomeRejected} {
		e := b.event(inline("at "+at.String(), page+at.String())) // no capture is of the bytes of another
		e.Time = at
		if err := b.handle(e); err != nil && fault.ReasonOf(err) != fault.Malformed {
			t.Errorf("%s: %v", at, err)
		}
		if done := b.told(); done.Outcome != want {
			t.Errorf("ce-time %s: %+v", at, done)
		}
	}
}

// A request_id that cannot be kept is answered under a form that its sender can
// tell.
func TestRequestIDsThatCannotBeKept(t *testing.T) {
	b := fresh(t, nil)
	long := strings.Repeat("é", 600)
	for id, start := range map[string]string{"a\nb\x00c": "a b c~", long: strings.Repeat("é", 490)} {
		done := b.outcome(inline(id, page))
		if done.Outcome != event.OutcomeRejected || done.Reason != string(fault.Malformed) || !strings.HasPrefix(done.RequestID, start) || len(done.RequestID) > 1000 {
			t.Errorf("%q: %+v", id, done)
		}
	}
	if one, other := b.outcome(inline(long+"1", page)), b.outcome(inline(long+"2", page)); one.RequestID == other.RequestID {
		t.Error("two requests are answered as one")
	}
}
