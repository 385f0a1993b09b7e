package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// counting counts what is put.
type counting struct {
	obtain.Objects
	puts map[string]int // by content hash
}

func (c *counting) PutRaw(ctx context.Context, sourceID string, content *spool.Content) error {
	c.puts[content.Hash]++
	return c.Objects.PutRaw(ctx, sourceID, content)
}

// TestAContainerGoesOnWhereItWasLeft: a container of a URL that gives other bytes
// each time, as those do that are packed on demand, is fetched once, however
// often its handling is broken off. All members name the one snapshot, and no
// bytes are put twice.
func TestAContainerGoesOnWhereItWasLeft(t *testing.T) {
	b := fresh(t, nil)
	inner := zipOf(t, entry{"deep.txt", "Au fond."}, entry{"deeper.txt", "Plus au fond."})
	var fetched atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		n := fetched.Add(1)
		entries := []entry{{"when.txt", fmt.Sprintf("Packed for the %d. time.", n)}, {"inner.zip", string(inner)}}
		for i := range 4 {
			entries = append(entries, entry{fmt.Sprintf("%d.txt", i), fmt.Sprintf("Texte %d.", i)})
		}
		_, _ = w.Write(zipOf(t, entries...))
	}))
	t.Cleanup(s.Close)
	objects := &counting{Objects: b.stage.Obtain.Objects, puts: make(map[string]int)}
	b.stage.Obtain.Objects = objects
	r := event.CaptureRequested{RequestID: "u", SourceID: source, URL: s.URL + "/all.zip"}
	killed := errors.New("killed")
	told := make(map[string]int)
	for stop := 1; stop <= 12; stop += 2 {
		n := 0
		err := b.stage.Handle(t.Context(), b.event(r), func(_ context.Context, d event.Data) error {
			if n++; n > stop {
				return fault.Unavailable(killed)
			}
			if c, ok := d.(event.CaptureCompleted); ok {
				told[c.RequestID]++
			}
			return nil
		})
		if err != nil && !errors.Is(err, killed) {
			t.Fatalf("stop %d: %v", stop, err)
		}
		b.drain()
	}
	done, _ := b.unpacked(r)
	for id := range done {
		told[id]++
	}
	if len(told) != 9 || done["u"].Members["stored"] != 6 || !strings.Contains(done["u"].Message, "6 members: 6 stored") {
		t.Errorf("told of %v, at last %+v", told, done)
	}
	if n := fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	for hash, n := range objects.puts {
		if n > 1 && hash != digest.Content(inner) { // that was not decided while its members were told
			t.Errorf("%s was put %d times", hash, n)
		}
	}
	results, err := b.db.Results(t.Context(), source, []string{"u"})
	if err != nil || len(results) != 9 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	parents := make(map[string]int)
	for _, m := range results {
		if parent := b.snapshot(m.SnapshotID).ParentSnapshotID; parent != "" {
			b.snapshot(parent) // it is there
			parents[parent]++
		}
	}
	if len(parents) != 2 || parents[done["u"].SnapshotID] != 6 {
		t.Errorf("the parents of members: %v", parents)
	}
}

// TestAContainerThatIsGivenUp: its document ends, and so do those of the
// containers within it; what was recorded of its members stays.
func TestAContainerThatIsGivenUp(t *testing.T) {
	b := fresh(t, nil)
	inner := zipOf(t, entry{"1.txt", "Un."}, entry{"2.txt", "Deux."})
	e := b.event(b.put("g", "given-up.zip", zipOf(t, entry{"inner.zip", string(inner)}, entry{"3.txt", "Trois."})))
	n := 0
	err := b.stage.Handle(t.Context(), e, func(ctx context.Context, d event.Data) error {
		if n++; n > 3 {
			return errors.New("it goes wrong")
		}
		return b.emit(ctx, d)
	})
	if fault.KindOf(err) != fault.KindTransient {
		t.Fatal(err)
	}
	b.drain()
	if err := b.stage.Fail(t.Context(), e, fault.AttemptsExhausted, "4 attempts failed", b.emit); err != nil {
		t.Fatal(err)
	}
	if d := b.told(); d.Outcome != event.OutcomeFailed || d.Reason != string(fault.AttemptsExhausted) || d.SnapshotID == "" {
		t.Errorf("%+v", d)
	}
	counts, err := b.db.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range counts {
		got += fmt.Sprintf("%s %s %d, ", c.What, c.State, c.N)
	}
	if got != "capture failed 1, capture stored 2, document done 1, document error 1, document pending 2, manifest queued 2, " { // the two are on their way
		t.Errorf("there are %s", got)
	}
}

// TestALongContainerLetsOthersWork: what takes longer than a turn goes back to
// its queue, no attempt is counted, and each turn brings it on.
func TestALongContainerLetsOthersWork(t *testing.T) {
	b := fresh(t, nil)
	b.stage.Turn = time.Nanosecond
	for id, r := range map[string]event.CaptureRequested{
		"z": b.put("z", "long.zip", zipOf(t, entry{"1.txt", "Un."}, entry{"2.txt", "Deux."}, entry{"3.txt", "Trois."})),
		"w": b.put("w", "long.warc", []byte(warcRecord("resource", "1", "https://example.org/1", "Un.")+
			warcRecord("revisit", "2", "https://example.org/2", "")+warcRecord("resource", "3", "https://example.org/3", "Trois."))),
	} {
		turns := 1
		for ; turns < 9; turns++ {
			err := b.stage.Handle(t.Context(), b.event(r), b.emit)
			if err == nil {
				break
			}
			if fault.KindOf(err) != fault.KindDeferred {
				t.Fatalf("%s, turn %d: %v", id, turns, err)
			}
		}
		told := 0
		for _, d := range b.drain() {
			if c, ok := d.(event.CaptureCompleted); ok && (c.Outcome == event.OutcomeStored || c.Outcome == event.OutcomeUnchanged) {
				told++
			}
		}
		if turns < 3 || turns > 4 || told != 4 {
			t.Errorf("%s: %d turns, %d outcomes", id, turns, told)
		}
	}
}

// TestNobodyIsToldDuplicateOfAFailure: a container that could not be read to its
// end opens no window.
func TestNobodyIsToldDuplicateOfAFailure(t *testing.T) {
	b := fresh(t, nil)
	var fetched atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a.tar.gz" {
			http.NotFound(w, r)
			return
		}
		data := tarGzipOf(t, entry{"one.txt", "Un."}, entry{"two.txt", strings.Repeat("Deux. ", 9000)})
		if fetched.Add(1) == 1 {
			data = data[:len(data)-40]
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	get := func(id string) event.CaptureCompleted {
		t.Helper()
		done, _ := b.unpacked(event.CaptureRequested{RequestID: id, SourceID: source, URL: s.URL + "/a.tar.gz"})
		return done[id]
	}
	if d := get("1"); d.Outcome != event.OutcomeFailed || d.Reason != string(fault.Malformed) {
		t.Errorf("the first: %+v", d)
	}
	if d := get("2"); d.Outcome != event.OutcomeStored {
		t.Errorf("the second: %+v", d)
	}
	if d := get("3"); d.Outcome != event.OutcomeDuplicate {
		t.Errorf("the third: %+v", d)
	}
}

// TestNoMemberIsWithoutAnOutcome: what a container says of a member may break
// every rule, and may not cost another member its place.
func TestNoMemberIsWithoutAnOutcome(t *testing.T) {
	b := fresh(t, nil)
	long := strings.Repeat("x", 20_000)
	const head = "Content-Type: text/plain"
	records := []string{
		warcRecord("resource", "1", "https://example.org/"+long, "Too long an address.", head),
		warcRecord("resource", "2", "urn:"+long, "Too long a name.", head),
		strings.Replace(warcRecord("resource", "3", "https://example.org/3", "No such year.", head), "2026-03-01", "0000-01-01", 1),
		warcRecord("resource", long, "https://example.org/4", "Too long an id.", head),
		warcRecord("resource", "5", "https://example.org/5", "Right.", head),
		warcRecord("revisit", "6", "https://example.org/6", "HTTP/1.1 304 Not Modified\r\nETag: \"6\"\r\n\r\n", "Content-Type: application/http",
			"WARC-Refers-To: <urn:uuid:5>", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
		warcRecord("revisit", "7", "https://example.org/7", ""),
		warcRecord("response", "8", "https://example.org/8", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+gzipped(page)[:60],
			"Content-Type: application/http", "WARC-Truncated: length"),
	}
	place := 0
	want := []string{"rejected malformed", "rejected malformed", "stored ", "stored ", "stored ", "stored ", "unchanged ", "stored "}
	r := b.put("w", "odd.warc", []byte(strings.Join(records, "")))
	done, _ := b.unpacked(r)
	for i, record := range records {
		id := fmt.Sprintf("w@%d", place)
		if got := string(done[id].Outcome) + " " + done[id].Reason; got != want[i] {
			t.Errorf("record %d: %+v", i+1, done[id])
		}
		place += len(record)
		if done[id].Outcome != event.OutcomeStored {
			continue
		}
		snap := b.snapshot(done[id].SnapshotID)
		switch i + 1 {
		case 3:
			if !snap.RetrievedAt.Equal(b.snapshot(done["w"].SnapshotID).RetrievedAt) {
				t.Errorf("a record without a date: %s", snap.RetrievedAt)
			}
		case 6:
			if string(b.raw(snap.ContentHash)) != "Right." || snap.HTTPStatus == http.StatusNotModified || snap.URLCanonical != "https://example.org/6" {
				t.Errorf("what its server had not modified: %+v", snap)
			}
		case 8:
			if string(b.raw(snap.ContentHash)) != gzipped(page)[:60] || fmt.Sprint(snap.QualityFlags) != "[content_encoding_kept truncated_in_archive]" ||
				snap.FinalType != model.TypeUnknown {
				t.Errorf("what its archive cuts off: %+v", snap)
			}
		}
	}
	if len(done) != len(records)+1 || done["w"].Outcome != event.OutcomeStored {
		t.Errorf("%d outcomes, of the archive %+v", len(done), done["w"])
	}

	// Names that are too long when containers are within each other.
	name := strings.Repeat("n", 590)
	data := zipOf(t, entry{"end.txt", "Au fond."})
	for range 4 {
		data = zipOf(t, entry{name + ".zip", string(data)}, entry{"beside.txt", "À côté."})
	}
	b.register(func(s *model.Source) { s.MaxDepth = 9 })
	done, stored := b.unpacked(b.put(strings.Repeat("i", 900), "deep.zip", data))
	rejected := 0
	for id, d := range done {
		if d.Outcome == event.OutcomeRejected && d.Reason == string(fault.Malformed) {
			rejected++
			if !strings.Contains(d.Message, "limit 2400") {
				t.Errorf("%s: %+v", id, d)
			}
		}
	}
	if rejected != 1 || len(stored) != 3 {
		t.Errorf("%d rejected, %d stored: %v", rejected, len(stored), len(done))
	}
}

// TestAURLWhoseSecretIsGoneIsNotFetched: a request that is handled again from its
// row has no secrets any more. What its server says without them is no document.
func TestAURLWhoseSecretIsGoneIsNotFetched(t *testing.T) {
	b := fresh(t, nil)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("who are you: " + r.URL.Query().Get("access_token")))
	})
	for i, at := range []string{"/a?access_token=REDACTED", "/a;jsessionid=REDACTED", "/a?next=%2Fb%3Faccess_token%3DREDACTED"} {
		lost := event.CaptureRequested{RequestID: fmt.Sprintf("lost-%d", i), SourceID: source, URL: s.URL + at}
		if d := b.outcome(lost); d.Outcome != event.OutcomeFailed || d.Reason != string(fault.FetchFailed) || !strings.Contains(d.Message, "send it again") || s.hits.Load() != 0 {
			t.Errorf("%s: %+v after %d requests", at, d, s.hits.Load())
		}
	}
	whole := event.CaptureRequested{RequestID: "whole", SourceID: source, URL: s.URL + "/a?access_token=geheim"}
	d := b.outcome(whole)
	if d.Outcome != event.OutcomeStored {
		t.Fatalf("%+v", d)
	}
	if body := string(b.raw(b.snapshot(d.SnapshotID).ContentHash)); body != "who are you: geheim" {
		t.Errorf("%q", body)
	}
}
