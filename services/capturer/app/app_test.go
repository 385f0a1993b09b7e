package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/pkg/devtest/stagetest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/stage"
)

const source = "demo"

var asked = time.Date(2026, 3, 4, 5, 6, 7, 891000000, time.UTC)

// bench is a stage on real stores, and what it emitted.
type bench struct {
	t     *testing.T
	world *stagetest.World
	env   *devtest.Env
	cfg   Config
	db    *catalog.DB
	blobs *blobstore.Store
	stage *stage.Stage
}

// settings are those of a test: loopback may be fetched from.
func settings(env *devtest.Env, dir string) (Config, error) {
	return config.LoadFrom[Config](map[string]string{
		"COLOPHON_NATS_URL": env.NATSURL, "COLOPHON_SUBJECT_PREFIX": env.Prefix, "COLOPHON_STREAM_PREFIX": env.StreamPrefix,
		"COLOPHON_POSTGRES_URL": env.PostgresURL, "COLOPHON_POSTGRES_SCHEMA": env.Schema,
		"COLOPHON_S3_ENDPOINT": env.S3Endpoint, "COLOPHON_S3_ACCESS_KEY": env.S3AccessKey, "COLOPHON_S3_SECRET_KEY": env.S3SecretKey,
		"COLOPHON_S3_BUCKET_PREFIX": env.BucketPrefix, "COLOPHON_TEMP_DIR": dir,
		"COLOPHON_FETCH_NETWORKS": "127.0.0.1/32", "COLOPHON_SPOOL_BYTES": "4096", "COLOPHON_CAPTURE_LEASE": "2s",
		"COLOPHON_CAPTURE_WAIT": "20ms", "COLOPHON_RETRY_DELAYS": "10ms,10ms,10ms", "COLOPHON_PULL_WAIT": "200ms",
		"COLOPHON_DEFER_DELAY": "20ms",
	})
}

func fresh(t *testing.T, adjust func(*Config)) *bench {
	t.Helper()
	return over(stagetest.New(t), adjust)
}

func over(w *stagetest.World, adjust func(*Config)) *bench {
	w.Helper()
	t := w.T
	cfg, err := settings(w.Env, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if adjust != nil {
		adjust(&cfg)
	}
	b := &bench{t: t, world: w, env: w.Env, cfg: cfg, db: w.DB}
	if b.blobs, err = blobstore.Open(t.Context(), blobstore.ConfigOf(cfg.S3)); err != nil { // with its folder
		t.Fatal(err)
	}
	if err := b.db.PutSource(t.Context(), model.DefaultSource(source)); err != nil {
		t.Fatal(err)
	}
	fetcher := cfg.Capture.fetcher(cfg.S3.TempDir)
	t.Cleanup(fetcher.Close)
	b.stage = newStage(cfg, b.db, b.blobs, fetcher, nil)
	return b
}

func (b *bench) emit(ctx context.Context, data event.Data) error { return b.world.Emit(ctx, data) }

// drain returns what was emitted since the last call.
func (b *bench) drain() []event.Data { return b.world.Heard() }

func (b *bench) event(r event.CaptureRequested) event.Event {
	b.t.Helper()
	return b.eventAt(asked, r)
}

// eventAt is a request that was sent at a time.
func (b *bench) eventAt(at time.Time, r event.CaptureRequested) event.Event {
	b.t.Helper()
	if r.SourceID == "" {
		r.SourceID = source
	}
	e, err := event.New("test", r, at)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// handle does what the runner does with one delivery.
func (b *bench) handle(e event.Event) error {
	b.t.Helper()
	err := b.stage.Handle(b.t.Context(), e, b.emit)
	if fault.KindOf(err) == fault.KindPermanent {
		if failed := b.stage.Fail(b.t.Context(), e, fault.ReasonOf(err), err.Error(), b.emit); failed != nil {
			b.t.Fatalf("Fail: %v", failed)
		}
	}
	return err
}

// outcome handles a request and returns the one outcome that was emitted.
func (b *bench) outcome(r event.CaptureRequested) event.CaptureCompleted {
	b.t.Helper()
	return b.outcomeAt(asked, r)
}

// outcomeAt is the outcome of a request that was sent at a time.
func (b *bench) outcomeAt(at time.Time, r event.CaptureRequested) event.CaptureCompleted {
	b.t.Helper()
	err := b.handle(b.eventAt(at, r))
	if err != nil && fault.KindOf(err) != fault.KindPermanent {
		b.t.Fatalf("request %s: %v", r.RequestID, err)
	}
	return b.told()
}

func (b *bench) told() event.CaptureCompleted {
	b.t.Helper()
	var done []event.CaptureCompleted
	for _, d := range b.drain() {
		if c, ok := d.(event.CaptureCompleted); ok {
			done = append(done, c)
		}
	}
	if len(done) != 1 {
		b.t.Fatalf("%d outcomes, want 1: %+v", len(done), done)
	}
	return done[0]
}

func (b *bench) snapshot(id string) model.Snapshot {
	b.t.Helper()
	s, err := b.db.Snapshot(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) raw(hash string) []byte {
	b.t.Helper()
	key, err := blobstore.RawKey(source, hash)
	if err != nil {
		b.t.Fatal(err)
	}
	data, err := b.blobs.Get(b.t.Context(), blobstore.Raw, key, hash)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func inline(id, body string) event.CaptureRequested {
	return event.CaptureRequested{
		RequestID: id, SourceID: source, URL: "https://example.org/a/page?b=1&access_token=geheim#top",
		Inline: &event.Inline{ContentBase64: []byte(body)},
	}
}

const page = `<!DOCTYPE html><html><head><title>T</title>
<meta property="article:modified_time" content="2025-01-02T03:04:05+01:00"></head><body><p>Bonjour.</p></body></html>`

func TestInlineIsStoredWithAllThatIsKnown(t *testing.T) {
	b := fresh(t, nil)
	retrieved := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := inline("r1", page)
	r.RetrievedAt, r.HTTPStatus = &retrieved, 200
	r.Headers = map[string][]string{"content-type": {"text/html; charset=ISO-8859-1"}, "Set-Cookie": {"geheim"}, "etag": {`"7"`}}
	r.RedirectChain = []string{"https://user:geheim@example.org/old?signature=geheim7Xq2"}
	r.Metadata = map[string]string{"note": "a\u0000b", "from": "https://x.org/?access_token=geheim"}
	r.SnapshotGroupID, r.FetchToolVersion, r.RobotsPolicyNotes = "crawl-1", "crawler/1", "allowed"
	done := b.outcome(r)
	if done.Outcome != event.OutcomeStored || done.Reason != "" {
		t.Fatalf("outcome %+v", done)
	}
	s := b.snapshot(done.SnapshotID)
	if got := string(b.raw(s.ContentHash)); got != page {
		t.Errorf("raw bytes are %q", got)
	}
	want := model.Snapshot{
		SnapshotID: digest.SnapshotID(source, "r1", digest.Content([]byte(page))), SnapshotGroupID: "crawl-1",
		DocumentID: digest.DocumentID(source, "https://example.org/a/page?b=1"), RequestID: "r1", SourceID: source,
		SourceName: source, SnapshotKind: model.KindHTML, FinalType: model.TypeHTML,
		URL: "https://example.org/a/page?b=1&access_token=REDACTED#top", URLCanonical: "https://example.org/a/page?b=1",
		URLCanonicalizationVersion: "urlcanon_v4", ExternalID: "https://example.org/a/page?b=1",
		RedirectChain: []string{"https://example.org/old?signature=REDACTED-2aa38c29d5ce3dc9"},
		Slug:          digest.Slug("", "https://example.org/a/page?b=1", digest.DocumentID(source, "https://example.org/a/page?b=1")),
		RetrievedAt:   retrieved, HTTPStatus: 200, ContentType: "text/html; charset=ISO-8859-1",
		ContentHash: digest.Content([]byte(page)), ByteLength: int64(len(page)), Encoding: "ISO-8859-1",
		DetectedEncoding: "windows-1252", EncodingOrigin: "http", EncodingConfidence: 0.9,
		HTTPContentType: "text/html; charset=ISO-8859-1", DetectedMIME: "text/html; charset=utf-8", DetectedExt: "html",
		FetchStatus: "redirected", ETag: `"7"`, LastModified: time.Date(2025, 1, 2, 2, 4, 5, 0, time.UTC), LastModifiedOrigin: "meta",
		ResponseHeaders:   map[string][]string{"Content-Type": {"text/html; charset=ISO-8859-1"}, "Etag": {`"7"`}},
		RedactionPolicyID: "redact_v4", FetchToolVersion: "crawler/1", RobotsPolicyNotes: "allowed",
		Metadata:   map[string]string{"note": "a b", "from": "https://x.org/?access_token=REDACTED"},
		SourceType: "official", Domain: "civics", Layer: model.LayerHot, MaxPages: 20_000,
		RuleVersions: map[string]string{"urlcanon": "urlcanon_v4", "typing": "4"},
	}
	compare(t, s, want)
	d, err := b.db.Document(t.Context(), s.DocumentID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Host != "example.org" || d.ETag != `"7"` || d.ContentHash != s.ContentHash || d.FinalType != model.TypeHTML ||
		d.Slug != s.Slug || !d.LastModified.Equal(s.LastModified) || d.IngestStatus != model.IngestPending || d.FirstSeenAt.IsZero() {
		t.Errorf("document %+v", d)
	}
	row, err := b.db.Capture(t.Context(), source, "r1")
	if err != nil || !row.Announced || row.Outcome != "stored" || !row.RequestedAt.Equal(asked) {
		t.Errorf("row %+v, %v", row, err)
	}
	if text := string(row.Request); strings.Contains(text, "geheim") || strings.Contains(text, "content_base64") {
		t.Errorf("the row keeps %s", text)
	}
}

func compare(t *testing.T, got, want any) {
	t.Helper()
	g, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestRepeatedRequestsAnswerWithTheStoredOutcome(t *testing.T) {
	b := fresh(t, nil)
	first := b.outcome(inline("r1", page))
	if err := b.handle(b.event(inline("r1", page))); err != nil {
		t.Fatal(err)
	}
	again := b.drain()
	if len(again) != 2 {
		t.Fatalf("emitted %+v", again)
	}
	if s, ok := again[0].(event.SnapshotStored); !ok || s.SnapshotID != first.SnapshotID {
		t.Errorf("first %+v", again[0])
	}
	compare(t, again[1], first)

	// A renewed signature is no other request; other bytes are.
	renewed := inline("r1", page)
	renewed.URL = strings.ReplaceAll(renewed.URL, "geheim", "neu")
	compare(t, b.outcome(renewed), first)
	done := b.outcome(inline("r1", page+" "))
	if done.Outcome != event.OutcomeRejected || done.Reason != string(fault.RequestConflict) {
		t.Errorf("outcome %+v", done)
	}
	if row, err := b.db.Capture(t.Context(), source, "r1"); err != nil || row.Outcome != "stored" {
		t.Errorf("the row is now %+v, %v", row, err)
	}
}

func TestARequestIsHandledAgainFromItsRow(t *testing.T) {
	b := fresh(t, nil)
	e := b.event(inline("r1", page))
	lost := errors.New("the bus is away")
	err := b.stage.Handle(t.Context(), e, func(context.Context, event.Data) error { return fault.Unavailable(lost) })
	if fault.KindOf(err) != fault.KindUnavailable {
		t.Fatalf("error %v", err)
	}
	row, err := b.db.Capture(t.Context(), source, "r1")
	if err != nil || row.Outcome != "stored" || row.Announced {
		t.Fatalf("row %+v, %v", row, err)
	}
	var stored event.CaptureRequested
	if err := json.Unmarshal(row.Request, &stored); err != nil {
		t.Fatal(err)
	}
	done := b.outcome(stored)
	if done.Outcome != event.OutcomeStored || done.SnapshotID != row.SnapshotID {
		t.Errorf("outcome %+v", done)
	}

	// The same when the process died before it decided: another delivery waits
	// for its lease, then does the work from what is stored.
	accepted := model.Capture{
		SourceID: source, RequestID: "r2", RequestDigest: row.RequestDigest, Request: row.Request, RequestedAt: asked,
	}
	stored.RequestID = "r2"
	accepted.Request, err = json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := digest.JCS(stored)
	if err != nil {
		t.Fatal(err)
	}
	accepted.RequestDigest = digest.Hex(canonical)
	if _, held, err := b.db.AcceptCapture(t.Context(), accepted, "the dead", 150*time.Millisecond); err != nil || !held {
		t.Fatal(held, err)
	}
	e = b.event(stored)
	if err := b.handle(e); fault.KindOf(err) != fault.KindDeferred || fault.RetryAfter(err) != b.cfg.Capture.Wait {
		t.Fatalf("while another holds the lease: %v", err)
	}
	b.until(func() bool { return b.handle(e) == nil })
	if done := b.told(); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
}

// until waits for a condition.
func (b *bench) until(ok func() bool) {
	b.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(devtest.Patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			b.t.Fatal("it does not come true")
		}
	}
}

func TestObjectsOfTheInbox(t *testing.T) {
	b := fresh(t, nil)
	large := strings.Repeat("Ordre du jour. ", 2000) // passes through a temporary file
	for key, body := range map[string]string{"demo/a.txt": large, "other/b.txt": "not ours"} {
		if _, err := b.blobs.PutOnce(t.Context(), blobstore.Inbox, key, []byte(body), "text/plain"); err != nil {
			t.Fatal(err)
		}
	}
	object := func(id, bucket, key string) event.CaptureRequested {
		return event.CaptureRequested{RequestID: id, SourceRecordID: "rec-" + id, Filename: "a.txt", Object: &event.Object{Bucket: bucket, Key: key}}
	}
	done := b.outcome(object("o1", b.env.BucketPrefix+"inbox", "demo/a.txt"))
	if done.Outcome != event.OutcomeStored {
		t.Fatalf("outcome %+v", done)
	}
	s := b.snapshot(done.SnapshotID)
	if string(b.raw(s.ContentHash)) != large || s.FinalType != model.TypeText || s.ExternalID != "rec-o1" ||
		s.LastModifiedOrigin != "request_time" || !s.RetrievedAt.Equal(asked) || !s.LastModified.Equal(asked.Truncate(time.Second)) {
		t.Errorf("snapshot %+v", s)
	}
	for id, c := range map[string]struct {
		request event.CaptureRequested
		outcome event.Outcome
		reason  fault.Reason
	}{
		"foreign prefix": {object("o2", "inbox", "other/b.txt"), event.OutcomeRejected, fault.FetchRefused},
		"way out":        {object("o3", "inbox", "demo/../other/b.txt"), event.OutcomeRejected, fault.FetchRefused},
		"other bucket":   {object("o4", "derived", "demo/a.txt"), event.OutcomeRejected, fault.Malformed},
		"raw object":     {object("o7", "raw", strings.TrimPrefix(s.ContentHash, "sha256:")), event.OutcomeRejected, fault.Malformed},
		"raw of another": {object("o1", "raw", strings.TrimPrefix(s.ContentHash, "sha256:")), event.OutcomeRejected, fault.Malformed},
		"raw WARC": {event.CaptureRequested{RequestID: "o8", WARC: &event.Object{Bucket: "raw", Key: strings.TrimPrefix(s.ContentHash, "sha256:")}},
			event.OutcomeRejected, fault.Malformed},
		"no such object": {object("o5", "inbox", "demo/none"), event.OutcomeFailed, fault.FetchFailed},
		"no such WARC": {event.CaptureRequested{RequestID: "o6", WARC: &event.Object{Bucket: "inbox", Key: "demo/a.warc"}},
			event.OutcomeFailed, fault.FetchFailed},
	} {
		done := b.outcome(c.request)
		if done.Outcome != c.outcome || done.Reason != string(c.reason) || done.Message == "" {
			t.Errorf("%s: %+v", id, done)
		}
		if _, err := b.db.Capture(t.Context(), source, c.request.RequestID); c.reason == fault.Malformed && c.request.RequestID != "o1" && err == nil {
			t.Errorf("%s has a row", id)
		}
	}
}

func TestSources(t *testing.T) {
	b := fresh(t, nil)
	unknown := inline("r1", page)
	unknown.SourceID = "nobody"
	if done := b.outcome(unknown); done.Outcome != event.OutcomeRejected || done.Reason != string(fault.SourceUnknown) {
		t.Errorf("outcome %+v", done)
	}
	if err := b.db.SetSourceState(t.Context(), source, model.SourceDisabled); err != nil {
		t.Fatal(err)
	}
	if done := b.outcome(inline("r2", page)); done.Reason != string(fault.SourceDisabled) {
		t.Errorf("outcome %+v", done)
	}
	if s, err := b.db.Source(t.Context(), source); err != nil || s.State != model.SourceDisabled {
		t.Errorf("source %+v, %v", s, err)
	}
	// The state of a source is none of the request's: asked again it may go.
	if err := b.db.SetSourceState(t.Context(), source, model.SourceEnabled); err != nil {
		t.Fatal(err)
	}
	if done := b.outcome(inline("r2", page)); done.Outcome != event.OutcomeStored || done.Reason != "" {
		t.Errorf("outcome %+v", done)
	}
	b.stage.AutoRegister = true
	if done := b.outcome(unknown); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
	all, err := b.db.Sources(t.Context())
	if err != nil || len(all) != 2 || all[0].SourceID != source || all[1].SourceID != "nobody" {
		t.Errorf("registry %+v, %v", all, err)
	}
	if err := b.db.PutSource(t.Context(), model.Source{SourceID: "Bad"}); err == nil {
		t.Error("a source that is not valid is registered")
	}
	if err := b.db.SetSourceState(t.Context(), "none", model.SourceEnabled); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestMalformed(t *testing.T) {
	b := fresh(t, nil)
	for name, r := range map[string]event.CaptureRequested{
		"nothing":          {RequestID: "m1"},
		"two ways":         {RequestID: "m2", SourceRecordID: "x", Inline: &event.Inline{}, Object: &event.Object{Key: "demo/a"}},
		"no identity":      {RequestID: "m3", Inline: &event.Inline{}},
		"a URL of others":  {RequestID: "m4", URL: "ftp://example.org/"},
		"control in id":    {RequestID: "m5", SourceRecordID: "a\u0000b", Inline: &event.Inline{}},
		"a long record id": {RequestID: "m6", SourceRecordID: strings.Repeat("x", 5000), Inline: &event.Inline{}},
		"a status of none": {RequestID: "m7", URL: "http://example.org/", HTTPStatus: -1},
	} {
		done := b.outcome(r)
		if done.Outcome != event.OutcomeRejected || done.Reason != string(fault.Malformed) || done.RequestID != r.RequestID {
			t.Errorf("%s: %+v", name, done)
		}
		if _, err := b.db.Capture(t.Context(), source, r.RequestID); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("%s: there is a row (%v)", name, err)
		}
	}

	// The id is in the message where the data names none.
	e := b.event(inline("", page))
	e.MsgID = source + "/from-header;r3"
	if err := b.handle(e); err != nil {
		t.Fatal(err)
	}
	if done := b.told(); done.RequestID != "from-header" || done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
	// What is no event at all is answered where it can be.
	subject := "x.capture.requested." + source
	problem := errors.New("data of colophon.capture.requested.v1: unexpected end")
	for payload, want := range map[string]string{`{"request_id":"q1"`: "q2", `{"request_id":"q1","url":7}`: "q1"} {
		header := map[string][]string{"nats-msg-id": {source + "/q2"}}
		if err := b.stage.Malformed(t.Context(), subject, header, []byte(payload), problem, b.emit); err != nil {
			t.Fatal(err)
		}
		if done := b.told(); done.RequestID != want || done.SourceID != source || done.Reason != string(fault.Malformed) {
			t.Errorf("outcome %+v", done)
		}
	}
	if err := b.stage.Malformed(t.Context(), subject, nil, nil, problem, b.emit); err != nil || len(b.drain()) > 0 {
		t.Errorf("an answer to nobody, %v", err)
	}
}

func TestLimitsAndEmptyDocuments(t *testing.T) {
	b := fresh(t, nil)
	big := inline("r1", strings.Repeat("x", 512<<10+1))
	if done := b.outcome(big); done.Outcome != event.OutcomeRejected || done.Reason != string(fault.TooLarge) {
		t.Errorf("outcome %+v", done)
	}
	empty := inline("r2", "")
	empty.Filename = "minutes.pdf"
	done := b.outcome(empty)
	s := b.snapshot(done.SnapshotID)
	if done.Outcome != event.OutcomeStored || s.ByteLength != 0 || s.FinalType != model.TypePDF {
		t.Errorf("outcome %+v, %+v", done, s)
	}
	if got := b.raw(s.ContentHash); len(got) != 0 {
		t.Errorf("raw bytes %q", got)
	}
}

func gzipped(body string) string {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return buf.String()
}

// site is a server on loopback that counts what it is asked for. It has no
// robots.txt.
type site struct {
	*httptest.Server
	hits atomic.Int32
}

func serve(t *testing.T, h http.HandlerFunc) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		s.hits.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestFetch(t *testing.T) {
	b := fresh(t, nil)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new?access_token=geheim", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
			w.Header().Set("Set-Cookie", "id=geheim")
			_, _ = io.WriteString(w, gzipped(page))
		}
	})
	before := b.now()
	done := b.outcome(event.CaptureRequested{RequestID: "f1", URL: s.URL + "/old"})
	if done.Outcome != event.OutcomeStored {
		t.Fatalf("outcome %+v", done)
	}
	snap := b.snapshot(done.SnapshotID)
	if snap.URL != s.URL+"/new?access_token=REDACTED" || !slices.Equal(snap.RedirectChain, []string{s.URL + "/old"}) ||
		snap.URLCanonical != s.URL+"/new" || snap.FetchStatus != "redirected" || snap.HTTPStatus != 200 ||
		snap.LastModifiedOrigin != "http_header" || snap.RetrievedAt.Before(before) || snap.FetchToolVersion != toolVersion {
		t.Errorf("snapshot %+v", snap)
	}
	if string(b.raw(snap.ContentHash)) != page || string(b.raw(snap.WireHash)) != gzipped(page) || snap.ContentEncoding != "gzip" {
		t.Error("the bytes are not kept in both forms")
	}
	if len(snap.ResponseHeaders["Set-Cookie"]) > 0 || snap.RedactionPolicyID == "" {
		t.Errorf("headers %+v", snap.ResponseHeaders)
	}
	if asked := http.Header(snap.RequestHeaders); asked.Get("Accept-Encoding") != "identity" || asked.Get("User-Agent") == "" || len(asked) != 3 {
		t.Errorf("asked with %+v", snap.RequestHeaders)
	}

	// Both URLs are within the window now; force is above it.
	hits := s.hits.Load()
	for i, url := range []string{s.URL + "/old", s.URL + "/new"} {
		again := b.outcome(event.CaptureRequested{RequestID: fmt.Sprintf("f2-%d", i), URL: url})
		if again.Outcome != event.OutcomeDuplicate || again.SnapshotID != done.SnapshotID || again.DocumentID != done.DocumentID {
			t.Errorf("outcome %+v", again)
		}
	}
	if s.hits.Load() != hits {
		t.Error("a URL was fetched again within its window")
	}
	forced := b.outcome(event.CaptureRequested{RequestID: "f3", URL: s.URL + "/new", Force: true})
	if forced.Outcome != event.OutcomeStored || forced.SnapshotID == done.SnapshotID || s.hits.Load() != hits+1 {
		t.Errorf("outcome %+v", forced)
	}
	past := model.DefaultSource(source)
	past.DedupHTML = 0
	if err := b.db.PutSource(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	if late := b.outcome(event.CaptureRequested{RequestID: "f4", URL: s.URL + "/new"}); late.Outcome != event.OutcomeUnchanged || s.hits.Load() != hits+2 {
		t.Errorf("outcome %+v", late)
	}
}

func TestFetchFailures(t *testing.T) {
	b := fresh(t, func(c *Config) { c.Capture.Total = 300 * time.Millisecond })
	small := model.DefaultSource(source)
	small.MaxBytes = 1 << 20
	if err := b.db.PutSource(t.Context(), small); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	bomb := gzipped(strings.Repeat("0", 8<<20))
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			http.NotFound(w, r)
		case "/private":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/", http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20+1))
		case "/announced":
			w.Header().Set("Content-Length", "99999999")
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, bomb)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		case "/broken":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, gzipped(page)[:40])
		case "/slow":
			_, _ = io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}
	})
	t.Cleanup(func() { close(stop) })
	permanent := map[string]struct {
		outcome event.Outcome
		reason  fault.Reason
		says    string
	}{
		s.URL + "/missing":         {event.OutcomeFailed, fault.FetchFailed, "404"},
		s.URL + "/private":         {event.OutcomeRejected, fault.FetchRefused, "10.0.0.1"},
		s.URL + "/metadata":        {event.OutcomeRejected, fault.FetchRefused, "link-local"},
		s.URL + "/scheme":          {event.OutcomeRejected, fault.FetchRefused, "http and https"},
		s.URL + "/loop":            {event.OutcomeFailed, fault.FetchFailed, "more than 5"},
		s.URL + "/large":           {event.OutcomeRejected, fault.TooLarge, "1048576"},
		s.URL + "/announced":       {event.OutcomeRejected, fault.TooLarge, "1048576"},
		s.URL + "/bomb":            {event.OutcomeRejected, fault.TooLarge, "1048576"},
		"http://127.0.0.2/":        {event.OutcomeRejected, fault.FetchRefused, "loopback"},
		"http://u:geheim@[::1]/":   {event.OutcomeRejected, fault.FetchRefused, "user information"},
		"file:///etc/passwd":       {event.OutcomeRejected, fault.FetchRefused, "http and https"},
		"http://[::ffff:7f00:2]/x": {event.OutcomeRejected, fault.FetchRefused, "loopback"},
	}
	n := 0
	for url, want := range permanent {
		n++
		done := b.outcome(event.CaptureRequested{RequestID: fmt.Sprintf("p%d", n), URL: url})
		if done.Outcome != want.outcome || done.Reason != string(want.reason) || !strings.Contains(done.Message, want.says) {
			t.Errorf("%s: %+v", url, done)
		}
		if strings.Contains(done.Message, "geheim") {
			t.Errorf("%s: the message tells a secret: %s", url, done.Message)
		}
	}
	for _, path := range []string{"/cut", "/broken", "/slow"} {
		n++
		e := b.event(event.CaptureRequested{RequestID: fmt.Sprintf("p%d", n), URL: s.URL + path})
		err := b.handle(e)
		if fault.KindOf(err) != fault.KindTransient || fault.ReasonOf(err) != fault.FetchFailed || fault.RetryAfter(err) != 0 {
			t.Errorf("%s: %v (kind %d, after %s)", path, err, fault.KindOf(err), fault.RetryAfter(err))
			continue
		}
		// The leases are free: the next attempt is not told to wait.
		if again := b.handle(e); fault.KindOf(again) != fault.KindTransient {
			t.Errorf("%s again: %v", path, again)
		}
		if err := b.stage.Fail(t.Context(), e, fault.ReasonOf(err), err.Error(), b.emit); err != nil {
			t.Fatal(err)
		}
		done := b.told()
		if done.Outcome != event.OutcomeFailed || done.Reason != string(fault.FetchFailed) || done.RetryAfter != nil {
			t.Errorf("%s: %+v", path, done)
		}
	}
	// A failure is no fetch: the window does not count it.
	ok := b.outcome(event.CaptureRequested{RequestID: "again", URL: s.URL + "/missing"})
	if ok.Outcome != event.OutcomeFailed {
		t.Errorf("outcome %+v", ok)
	}
}

func TestTwoRequestsForOneURLFetchOnce(t *testing.T) {
	b := fresh(t, nil)
	open := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		<-open
		_, _ = io.WriteString(w, page)
	})
	first, second := b.event(event.CaptureRequested{RequestID: "a", URL: s.URL}), b.event(event.CaptureRequested{RequestID: "b", URL: s.URL + "/?utm_source=x"})
	result := make(chan error, 1)
	go func() { result <- b.stage.Handle(t.Context(), first, b.emit) }()
	b.until(func() bool { return s.hits.Load() == 1 })
	for range 3 {
		if err := b.handle(second); fault.KindOf(err) != fault.KindDeferred {
			t.Fatalf("the second does not wait: %v", err)
		}
	}
	// Nor does another delivery of the first work beside it.
	if err := b.handle(first); fault.KindOf(err) != fault.KindDeferred {
		t.Fatalf("the first works twice: %v", err)
	}
	close(open)
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	done := b.told()
	if err := b.handle(second); err != nil {
		t.Fatal(err)
	}
	if dup := b.told(); dup.Outcome != event.OutcomeDuplicate || dup.SnapshotID != done.SnapshotID {
		t.Errorf("outcome %+v", dup)
	}
	if s.hits.Load() != 1 {
		t.Errorf("%d fetches", s.hits.Load())
	}
}

// Who waits for another's fetch is told nothing of its failure: it fetches itself.
func TestAFailureIsNobodysDuplicate(t *testing.T) {
	b := fresh(t, nil)
	var up atomic.Bool
	open := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		<-open
		if !up.Load() {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, page)
	})
	first, second := b.event(event.CaptureRequested{RequestID: "a", URL: s.URL}), b.event(event.CaptureRequested{RequestID: "b", URL: s.URL})
	result := make(chan error, 1)
	go func() { result <- b.stage.Handle(t.Context(), first, b.emit) }()
	b.until(func() bool { return s.hits.Load() == 1 })
	if err := b.handle(second); fault.KindOf(err) != fault.KindDeferred {
		t.Fatalf("the second does not wait: %v", err)
	}
	close(open)
	if err := <-result; fault.ReasonOf(err) != fault.FetchFailed {
		t.Fatalf("error %v", err)
	}
	up.Store(true)
	if err := b.handle(second); err != nil {
		t.Fatal(err)
	}
	if done := b.told(); done.Outcome != event.OutcomeStored || s.hits.Load() != 2 {
		t.Errorf("outcome %+v after %d requests", done, s.hits.Load())
	}
}

func TestALostLeaseHandsTheRequestBack(t *testing.T) {
	b := fresh(t, func(c *Config) { c.Capture.Lease = 150 * time.Millisecond })
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	e := b.event(event.CaptureRequested{RequestID: "a", URL: s.URL})
	result := make(chan error, 1)
	go func() { result <- b.stage.Handle(t.Context(), e, b.emit) }()
	b.until(func() bool { return s.hits.Load() == 1 })
	canonical, err := digest.URLCanonV1(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.db.ReleaseWindow(t.Context(), source, canonical, "a"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; fault.KindOf(err) != fault.KindDeferred {
		t.Errorf("error %v", err)
	}
}

func TestUnchangedBytesAreRecordedOnly(t *testing.T) {
	b := fresh(t, nil)
	first := b.outcome(inline("r1", page))
	b.finish(first.SnapshotID, model.ChunkerVersion)
	later := asked.Add(time.Hour)
	second := inline("r2", page)
	second.RetrievedAt = &later
	if err := b.handle(b.event(second)); err != nil {
		t.Fatal(err)
	}
	events := b.drain()
	if len(events) != 1 {
		t.Fatalf("emitted %+v", events)
	}
	done := events[0].(event.CaptureCompleted)
	if done.Outcome != event.OutcomeUnchanged || done.SnapshotID == first.SnapshotID || done.DocumentID != first.DocumentID {
		t.Errorf("outcome %+v", done)
	}
	b.snapshot(done.SnapshotID)

	forced, between := inline("r3", page), asked.Add(90*time.Minute)
	forced.Force, forced.RetrievedAt = true, &between
	if err := b.handle(b.event(forced)); err != nil {
		t.Fatal(err)
	}
	events = b.drain()
	if s, ok := events[0].(event.SnapshotStored); !ok || !s.Force {
		t.Errorf("emitted %+v", events)
	}
	// After one that is asked for by force, and under way, they are the same still.
	latest := asked.Add(2 * time.Hour)
	fourth := inline("r4", page)
	fourth.RetrievedAt = &latest
	if done := b.outcome(fourth); done.Outcome != event.OutcomeUnchanged {
		t.Errorf("outcome %+v", done)
	}
	// With another parser it is not the same any more.
	b.stage.Today.Parser = "another"
	if done := b.outcome(inline("r5", page)); done.Outcome != event.OutcomeStored {
		t.Errorf("outcome %+v", done)
	}
}

// Bytes that were unchanged are a version of their own as soon as other bytes
// turn out to lie between.
func TestALateVersionWakesTheUnchangedOneAfterIt(t *testing.T) {
	b := fresh(t, nil)
	first := b.outcome(inline("r1", page))
	b.finish(first.SnapshotID, model.ChunkerVersion)
	var same [2]event.CaptureCompleted
	for i := range same {
		r, at := inline(fmt.Sprintf("r2.%d", i), page), asked.Add(time.Duration(i+2)*time.Hour)
		r.RetrievedAt = &at
		if same[i] = b.outcome(r); same[i].Outcome != event.OutcomeUnchanged {
			t.Fatalf("outcome %+v", same[i])
		}
	}
	late, between := inline("r3", page+"<!-- other -->"), asked.Add(time.Hour)
	late.RetrievedAt = &between
	for range 2 { // delivered again, it says it again
		if err := b.handle(b.event(late)); err != nil {
			t.Fatal(err)
		}
		var stored []string
		for _, e := range b.drain() {
			if s, ok := e.(event.SnapshotStored); ok {
				stored = append(stored, s.SnapshotID)
			}
		}
		if len(stored) != 2 || stored[1] != same[0].SnapshotID {
			t.Errorf("to be processed: %q, unchanged were %s and %s", stored, same[0].SnapshotID, same[1].SnapshotID)
		}
	}
}

// exec runs one statement, as other services do.
func (b *bench) exec(sql string, args ...any) error {
	return b.db.Tx(b.t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(b.t.Context(), sql, args...)
		return err
	})
}

// finish does what the rest of the chain does with a snapshot, as far as the
// capturer looks at it.
func (b *bench) finish(snapshotID, chunker string) {
	b.t.Helper()
	s := b.snapshot(snapshotID)
	rules, err := digest.SourceRulesDigest(s.UnitRules())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.exec(
		`INSERT INTO runs (snapshot_id, extraction_id, source_id, document_id, state, page_count, run_order, parser_version, rules_digest)
			VALUES ($1, 'x', $2, $3, 'done', 1, 1, $4, $5)`, s.SnapshotID, s.SourceID, s.DocumentID, versions().Parser, rules); err != nil {
		b.t.Fatal(err)
	}
	if err := b.exec(
		`INSERT INTO chunk_manifests (doc_hash, generation, document_id, source_id, snapshot_id, extraction_id, redo, canonical_url,
			doc_type, chunk_count, status, segments_digest, chunker_version, header_version)
			VALUES ('h', 1, $1, $2, $3, 'x', 0, '', 'html', 1, 'done', '', $4, $5)`,
		s.DocumentID, s.SourceID, s.SnapshotID, chunker, versions().Header); err != nil {
		b.t.Fatal(err)
	}
	if err := b.exec(`UPDATE documents SET current_snapshot_id = $1 WHERE document_id = $2`,
		s.SnapshotID, s.DocumentID); err != nil {
		b.t.Fatal(err)
	}
}

func TestADocumentSaysWhatItsNewestSnapshotSays(t *testing.T) {
	b := fresh(t, nil)
	newer := asked.Add(time.Hour)
	second := inline("r2", page+"<!-- 2 -->")
	second.RetrievedAt, second.Filename = &newer, "Ordre du jour.html"
	done := b.outcome(second)
	first := inline("r1", page)
	first.RetrievedAt, first.Filename = &asked, "agenda.html"
	late := b.outcome(first)
	d, err := b.db.Document(t.Context(), done.DocumentID)
	if err != nil {
		t.Fatal(err)
	}
	if d.ContentHash != digest.Content([]byte(page+"<!-- 2 -->")) {
		t.Error("an older snapshot that came later changed the document")
	}
	if s := b.snapshot(late.SnapshotID); s.Slug != d.Slug || !strings.HasPrefix(s.Slug, "ordre-du-jour-html-") {
		t.Errorf("slug %q, the document's is %q", s.Slug, d.Slug)
	}
}

func TestGuardIsOnWithoutAnAllowList(t *testing.T) {
	b := fresh(t, func(c *Config) { c.Capture.Networks = []netip.Prefix{} })
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	if done := b.outcome(event.CaptureRequested{RequestID: "a", URL: s.URL}); done.Reason != string(fault.FetchRefused) || s.hits.Load() != 0 {
		t.Errorf("outcome %+v after %d requests", done, s.hits.Load())
	}
}
