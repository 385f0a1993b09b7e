package app

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/container/containertest"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/stage"
)

type entry struct{ name, body string }

func zipOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(2025, 5, 6, 7, 8, 10, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarGzipOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.body)), Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// put keeps bytes in the source's inbox and returns the request for them.
func (b *bench) put(id, name string, data []byte) event.CaptureRequested {
	b.t.Helper()
	key := blobstore.InboxKey(source, name)
	if _, err := b.blobs.PutOnce(b.t.Context(), blobstore.Inbox, key, data, "application/octet-stream"); err != nil {
		b.t.Fatal(err)
	}
	retrieved := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	return event.CaptureRequested{
		RequestID: id, SourceID: source, URL: "https://example.org/" + name, Filename: name, RetrievedAt: &retrieved,
		Object: &event.Object{Bucket: "inbox", Key: key},
	}
}

// unpacked handles a request for a container and returns all outcomes by
// request_id and the snapshots that were announced.
func (b *bench) unpacked(r event.CaptureRequested) (map[string]event.CaptureCompleted, []event.SnapshotStored) {
	b.t.Helper()
	if err := b.handle(b.event(r)); err != nil && fault.KindOf(err) != fault.KindPermanent {
		b.t.Fatalf("request %s: %v", r.RequestID, err)
	}
	done := make(map[string]event.CaptureCompleted)
	var stored []event.SnapshotStored
	for _, d := range b.drain() {
		switch d := d.(type) {
		case event.CaptureCompleted:
			if _, twice := done[d.RequestID]; twice {
				b.t.Errorf("%s has two outcomes", d.RequestID)
			}
			done[d.RequestID] = d
		case event.SnapshotStored:
			stored = append(stored, d)
		}
	}
	return done, stored
}

func TestZipMembersAreSnapshots(t *testing.T) {
	b := fresh(t, nil)
	inner := zipOf(t, entry{"deep.txt", "Au fond de tout."})
	data := zipOf(t, entry{"a/page.html", page}, entry{"../évil.txt", "Un texte."}, entry{"inner.zip", string(inner)})
	done, stored := b.unpacked(b.put("z", "doc.zip", data))

	ids := []string{"z", "z!/a/page.html", "z!/%2E%2E/%C3%A9vil.txt", "z!/inner.zip", "z!/inner.zip!/deep.txt"}
	for _, id := range ids {
		if done[id].Outcome != event.OutcomeStored {
			t.Errorf("%s: %+v", id, done[id])
		}
	}
	if len(done) != len(ids) || len(stored) != 3 {
		t.Errorf("%d outcomes, %d snapshots to process: %v", len(done), len(stored), done)
	}
	if m := done["z"].Members; m["stored"] != 3 || len(m) != 1 {
		t.Errorf("members of the container: %v, %s", m, done["z"].Message)
	}
	container, member := b.snapshot(done["z"].SnapshotID), b.snapshot(done["z!/a/page.html"].SnapshotID)
	if container.SnapshotKind != model.KindContainer || container.FinalType != model.TypeZIP {
		t.Errorf("the container is %s, %s", container.SnapshotKind, container.FinalType)
	}
	want := digest.SnapshotID(source, "z!/a/page.html", digest.Content([]byte(page)))
	if member.SnapshotID != want || member.ParentSnapshotID != container.SnapshotID || member.MemberPath != "a/page.html" ||
		member.FinalType != model.TypeHTML || member.Filename != "page.html" || member.ExternalID != "https://example.org/doc.zip!/a/page.html" {
		t.Errorf("the member: %+v", member)
	}
	if got := b.raw(member.ContentHash); string(got) != page {
		t.Errorf("the member's bytes: %q", got)
	}
	text := b.snapshot(done["z!/%2E%2E/%C3%A9vil.txt"].SnapshotID)
	if text.LastModifiedOrigin != "archive_member" || !text.LastModified.Equal(time.Date(2025, 5, 6, 7, 8, 10, 0, time.UTC)) || text.Filename != "évil.txt" {
		t.Errorf("dates and name of a member: %+v", text)
	}
	deep := b.snapshot(done["z!/inner.zip!/deep.txt"].SnapshotID)
	if deep.ParentSnapshotID != done["z!/inner.zip"].SnapshotID {
		t.Errorf("the parent of a member's member: %+v", deep)
	}

	// The same request again: the same outcome, and nothing else.
	again, stored := b.unpacked(b.put("z", "doc.zip", data))
	if len(again) != 1 || again["z"].SnapshotID != done["z"].SnapshotID || len(stored) != 0 {
		t.Errorf("repeated: %v, %v", again, stored)
	}
	p, err := b.db.Progress(t.Context(), source, []string{"z"})
	if err != nil || p.Requests != 5 || p.Open != 0 || p.OpenRuns != 3 {
		t.Errorf("progress of the container: %+v, %v", p, err)
	}
	results, err := b.db.Results(t.Context(), source, []string{"z"})
	if err != nil || len(results) != 5 {
		t.Errorf("results of the container: %+v, %v", results, err)
	}
}

func TestMembersThatCannotBeRead(t *testing.T) {
	b := fresh(t, nil)
	secret := zipOf(t, entry{"open.txt", "Lisible."}, entry{"secret.txt", "x"})
	at := bytes.LastIndex(secret, []byte("PK\x01\x02"))
	secret[at+8] |= 1
	done, _ := b.unpacked(b.put("s", "secret.zip", secret))
	if d := done["s!/secret.txt"]; d.Outcome != event.OutcomeFailed || d.Reason != string(fault.Encrypted) || d.SnapshotID != "" {
		t.Errorf("an encrypted member: %+v", d)
	}
	if d := done["s"]; d.Outcome != event.OutcomeStored || d.Members["stored"] != 1 || d.Members["failed"] != 1 {
		t.Errorf("its container: %+v", d)
	}

	bomb := zipOf(t, entry{"zeros.txt", strings.Repeat("0", 24<<20)}, entry{"fine.txt", "Bien."})
	done, _ = b.unpacked(b.put("b", "bomb.zip", bomb))
	if d := done["b!/zeros.txt"]; d.Reason != string(fault.LimitExceeded) {
		t.Errorf("a bomb: %+v", d)
	}
	if d := done["b!/fine.txt"]; d.Outcome != event.OutcomeStored {
		t.Errorf("what lies beside a bomb: %+v", d)
	}

	torn := tarGzipOf(t, entry{"one.txt", "Un."}, entry{"two.txt", strings.Repeat("Deux. ", 9000)})
	done, _ = b.unpacked(b.put("t", "torn.tar.gz", torn[:len(torn)-40]))
	if d := done["t"]; d.Outcome != event.OutcomeFailed || d.Reason != string(fault.Malformed) || d.SnapshotID == "" || d.Members["stored"] != 1 {
		t.Errorf("a torn container: %+v", d)
	}
	if again, _ := b.unpacked(b.put("t", "torn.tar.gz", torn[:len(torn)-40])); again["t"].Members["stored"] != 1 {
		t.Errorf("a torn container, again: %+v", again["t"])
	}
}

// TestContainerIsTakenUpAgain stops after each of the first announcements, as a
// process does that is killed there.
func TestContainerIsTakenUpAgain(t *testing.T) {
	b := fresh(t, nil)
	var entries []entry
	for i := range 6 {
		entries = append(entries, entry{fmt.Sprintf("%d.txt", i), fmt.Sprintf("Texte %d.", i)})
	}
	r := b.put("k", "kill.zip", zipOf(t, entries...))
	killed := errors.New("killed")
	seen := make(map[string]int)
	for stop := 1; stop <= 4; stop++ {
		n := 0
		err := b.stage.Handle(t.Context(), b.event(r), func(_ context.Context, d event.Data) error {
			if n++; n > stop {
				return fault.Unavailable(killed)
			}
			if s, ok := d.(event.SnapshotStored); ok {
				seen[s.SnapshotID]++
			}
			return nil
		})
		if !errors.Is(err, killed) {
			t.Fatalf("stop %d: %v", stop, err)
		}
	}
	done, stored := b.unpacked(r)
	for _, s := range stored {
		seen[s.SnapshotID]++
	}
	if done["k"].Outcome != event.OutcomeStored || done["k"].Members["stored"] != 6 || len(seen) != 6 {
		t.Errorf("%+v, %d snapshots", done["k"], len(seen))
	}
	if results, err := b.db.Results(t.Context(), source, nil); err != nil || len(results) != 7 {
		t.Errorf("%d rows, want the container's and six of members, %v", len(results), err)
	}
}

func warcRecord(kind, id, url, block string, more ...string) string {
	fields := append([]string{"WARC-Type: " + kind, "WARC-Record-ID: <urn:uuid:" + id + ">", "WARC-Target-URI: " + url, "WARC-Date: 2026-03-01T10:00:00Z"}, more...)
	return "WARC/1.0\r\n" + strings.Join(fields, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func TestWARCRecordsAreSnapshots(t *testing.T) {
	b := fresh(t, nil)
	const http = "Content-Type: application/http;msgtype=response"
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: geheim\r\nETag: \"1\"\r\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, "Compressé."); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	records := []string{
		warcRecord("warcinfo", "0", "", "software: test\r\n"),
		warcRecord("response", "1", "https://example.org/one?access_token=geheim", head+"\r\n"+page, http),
		warcRecord("request", "2", "https://example.org/one", "GET / HTTP/1.1\r\nAuthorization: geheim\r\n\r\n"),
		warcRecord("response", "3", "https://example.org/two", head+"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>Un\r\n0\r\n\r\n", http),
		warcRecord("response", "4", "https://example.org/three", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n"+packed.String(), http),
		warcRecord("response", "5", "https://example.org/moved", "HTTP/1.1 301 Moved\r\nLocation: /one\r\n\r\n", http),
		warcRecord("resource", "6", "https://example.org/four.txt", "Quatre.", "Content-Type: text/plain"),
		warcRecord("revisit", "7", "https://example.org/five", head+"\r\n", http, "WARC-Refers-To: <urn:uuid:1>"),
		warcRecord("revisit", "8", "https://example.org/six", "", "WARC-Refers-To: <urn:uuid:99>"),
		"rubbish\r\n",
		warcRecord("response", "9", "https://example.org/seven", head+"\r\n<p>Sept.", http),
	}
	offsets := make([]int, len(records))
	for i, n := 0, 0; i < len(records); i++ {
		offsets[i] = n
		n += len(records[i])
	}
	r := b.put("w", "site.warc", []byte(strings.Join(records, "")))
	r.WARC, r.Object = r.Object, nil
	done, stored := b.unpacked(r)
	outcome := func(i int) event.CaptureCompleted { return done[fmt.Sprintf("w@%d", offsets[i])] }
	for _, i := range []int{1, 3, 4, 6, 7, 10} {
		if outcome(i).Outcome != event.OutcomeStored {
			t.Errorf("record %d: %+v", i, outcome(i))
		}
	}
	if outcome(8).Outcome != event.OutcomeUnchanged || len(done) != 8 || len(stored) != 6 {
		t.Errorf("%d outcomes, %d snapshots, a revisit %+v", len(done), len(stored), outcome(8))
	}
	if d := done["w"]; d.Members["stored"] != 6 || d.Members["unchanged"] != 1 || !strings.Contains(d.Message, "3 records that are no documents") ||
		!strings.Contains(d.Message, "1 places that cannot be read") {
		t.Errorf("the archive: %+v", d)
	}
	one := b.snapshot(outcome(1).SnapshotID)
	if one.URLCanonical != "https://example.org/one" || one.MemberPath != fmt.Sprintf("@%d", offsets[1]) || one.ETag != `"1"` || one.HTTPStatus != 200 ||
		one.Metadata["warc_record_id"] != "urn:uuid:1" || !one.RetrievedAt.Equal(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("a response: %+v", one)
	}
	if text := fmt.Sprintf("%+v", one); strings.Contains(text, "geheim") {
		t.Errorf("a secret was kept: %s", text)
	}
	if five := b.snapshot(outcome(7).SnapshotID); five.ContentHash != one.ContentHash || five.URLCanonical != "https://example.org/five" {
		t.Errorf("a revisit: %+v", five)
	}
	if three := b.snapshot(outcome(4).SnapshotID); string(b.raw(three.ContentHash)) != "Compressé." || !bytes.Equal(b.raw(three.WireHash), packed.Bytes()) {
		t.Errorf("a compressed response: %+v", three)
	}
	if two := b.snapshot(outcome(3).SnapshotID); string(b.raw(two.ContentHash)) != "<p>Un" {
		t.Errorf("a chunked response: %q", b.raw(two.ContentHash))
	}

	no := b.put("n", "no.warc", []byte("no archive"))
	no.WARC, no.Object = no.Object, nil
	if d := b.outcome(no); d.Outcome != event.OutcomeRejected || d.Reason != string(fault.Malformed) {
		t.Errorf("what is no archive: %+v", d)
	}
	foreign := event.CaptureRequested{RequestID: "f", SourceID: source, URL: "https://example.org/x", WARC: &event.Object{Bucket: "inbox", Key: "other/site.warc"}}
	if d := b.outcome(foreign); d.Reason != string(fault.FetchRefused) {
		t.Errorf("another source's archive: %+v", d)
	}
}

func TestOnlyArchivesAreUnpacked(t *testing.T) {
	b := fresh(t, nil)
	word := zipOf(t, entry{"[Content_Types].xml", "<Types/>"}, entry{"word/document.xml", "<w:document/>"}, entry{"_rels/.rels", ""})
	done, stored := b.unpacked(b.put("d", "letter.docx", word))
	if len(done) != 1 || len(stored) != 1 || b.snapshot(done["d"].SnapshotID).FinalType != model.TypeUnknown {
		t.Errorf("a word processor's file: %v", done)
	}
	var kinds []string
	for _, name := range []string{"page.html.gz", "pages.tar.gz"} {
		data := tarGzipOf(t, entry{"x.html", page})
		if strings.HasPrefix(name, "page.") {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			if _, err := io.WriteString(z, page); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = packed.Bytes()
		}
		done, stored := b.unpacked(b.put(name, name, data))
		if len(stored) != 1 || len(done) != 2 {
			t.Fatalf("%s: %v", name, done)
		}
		kinds = append(kinds, string(stored[0].FinalType))
	}
	if !slices.Equal(kinds, []string{"html", "html"}) {
		t.Errorf("members are %v", kinds)
	}
}

// TestDepth unpacks containers within each other as deep as the source says.
func TestDepth(t *testing.T) {
	b := fresh(t, nil)
	for _, c := range []struct {
		max, members int
		outcome      event.Outcome // of the last member
	}{{0, 0, ""}, {1, 1, event.OutcomeFailed}, {2, 2, event.OutcomeFailed}, {3, 3, event.OutcomeStored}} {
		s := model.DefaultSource(source)
		s.MaxDepth = c.max
		if err := b.db.PutSource(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("deep-%d", c.max)
		done, _ := b.unpacked(b.put(id, id+".zip", deep(t, 3)))
		last := done[id+strings.Repeat("!/inner.zip", c.members)]
		if len(done) != 1+c.members || done[id].Outcome != event.OutcomeStored {
			t.Errorf("at most %d deep: %+v", c.max, done)
		}
		if c.members > 0 && (last.Outcome != c.outcome || c.outcome == event.OutcomeFailed && (last.Reason != string(fault.LimitExceeded) || last.SnapshotID == "")) {
			t.Errorf("at most %d deep, the last: %+v", c.max, last)
		}
		if c.max == 0 && !strings.Contains(done[id].Message, "not unpacked") {
			t.Errorf("kept as it is: %+v", done[id])
		}
	}
}

// TestMemberOfAnyName has names that are longer than a crawler's own ids may be.
// A request_id may have the form of a member's: what is in a container is
// captured all the same, and the other request stays as it is.
func TestMembersWhoseIDAnotherHas(t *testing.T) {
	inner := zipOf(t, entry{"deep.txt", "Au fond."})
	data := zipOf(t, entry{"gone.txt", "Le procès-verbal."}, entry{"open.txt", "Le second."}, entry{"inner.zip", string(inner)},
		entry{"inner.zip!/deep.txt", "Un nom de même forme."}, entry{"free.txt", "Le reste."})
	record := warcRecord("resource", "1", "https://example.org/r", "La page.", "Content-Type: text/plain") +
		warcRecord("revisit", "2", "https://example.org/s", "", "WARC-Refers-To: <urn:uuid:99>")
	second := strings.Index(record, warcRecord("revisit", "2", "https://example.org/s", "", "WARC-Refers-To: <urn:uuid:99>"))

	b := fresh(t, nil)
	taken := []string{"box!/gone.txt", "box!/inner.zip", "w@0", fmt.Sprintf("w@%d", second)}
	before := make(map[string]model.Capture)
	for _, id := range taken {
		if done := b.outcome(inline(id, "Autre chose: "+id)); done.Outcome != event.OutcomeStored {
			t.Fatalf("%s: %+v", id, done)
		}
	}
	asked := model.Capture{SourceID: source, RequestID: "box!/open.txt", RequestDigest: "d", Request: []byte("{}"), RequestedAt: time.Now()}
	if _, held, err := b.db.AcceptCapture(t.Context(), asked, "another", time.Hour); err != nil || !held {
		t.Fatal(held, err)
	}
	taken = append(taken, asked.RequestID)
	row := func(id string) model.Capture {
		c, err := b.db.Capture(t.Context(), source, id)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, id := range taken {
		before[id] = row(id)
	}

	archive := b.put("w", "w.warc", []byte(record))
	archive.WARC, archive.Object = archive.Object, nil
	box := b.put("box", "box.zip", data)
	want := map[string]map[string]int{"box": {"stored": 5}, "w": {"stored": 1, "unchanged": 1}}
	for _, r := range []event.CaptureRequested{box, archive} {
		// The first handling is interrupted, so that rows are found again.
		killed, n := errors.New("killed"), 0
		err := b.stage.Handle(t.Context(), b.event(r), func(context.Context, event.Data) error {
			if n++; n > 2 {
				return fault.Unavailable(killed)
			}
			return nil
		})
		if !errors.Is(err, killed) {
			t.Fatal(err)
		}
		done, _ := b.unpacked(r)
		if d := done[r.RequestID]; d.Outcome != event.OutcomeStored || !maps.Equal(d.Members, want[r.RequestID]) {
			t.Errorf("%s: %+v", r.RequestID, d)
		}
	}
	for id, c := range before {
		if again := row(id); !reflect.DeepEqual(again, c) {
			t.Errorf("%s was %+v, is %+v", id, c, again)
		}
	}

	boxSnapshot, archiveSnapshot := row("box").SnapshotID, row("w").SnapshotID
	renamed := "box!/inner.zip!/" + boxSnapshot
	for id, text := range map[string]string{
		"box!/gone.txt!/" + boxSnapshot: "Le procès-verbal.", "box!/open.txt!/" + boxSnapshot: "Le second.", renamed: string(inner),
		renamed + "!/deep.txt": "Au fond.", "box!/inner.zip%21/deep.txt": "Un nom de même forme.", "box!/free.txt": "Le reste.",
		"w@0!/" + archiveSnapshot: "La page.",
	} {
		s := b.snapshot(row(id).SnapshotID)
		if string(b.raw(s.ContentHash)) != text || s.RequestID != id {
			t.Errorf("%s: %+v", id, s)
		}
	}
	if c := row("w@" + strconv.Itoa(second) + "!/" + archiveSnapshot); c.Outcome != string(event.OutcomeUnchanged) {
		t.Errorf("a revisit: %+v", c)
	}
}

func TestMemberOfAnyName(t *testing.T) {
	b := fresh(t, nil)
	long := strings.Repeat("é", 2000)
	data := zipOf(t, entry{"", "Sans nom."}, entry{long + ".txt", "Un."}, entry{long + ".md", "Deux."}, entry{"in.zip", string(zipOf(t, entry{long, "Trois."}))})
	id := strings.Repeat("r", 1000)
	done, stored := b.unpacked(b.put(id, "names.zip", data))
	if len(done) != 6 || len(stored) != 4 || done[id].Members["stored"] != 4 || strings.Contains(done[id].Message, "cannot be read") {
		t.Errorf("%d outcomes, %d stored: %+v", len(done), len(stored), done[id])
	}
	for _, s := range stored {
		snap := b.snapshot(s.SnapshotID)
		if row, err := b.db.Capture(t.Context(), source, snap.RequestID); err != nil || row.SnapshotID != s.SnapshotID {
			t.Errorf("the row of %s: %+v, %v", s.SnapshotID, row, err)
		}
	}
}

func TestRecordsThatAreNoDocuments(t *testing.T) {
	b := fresh(t, nil)
	const http = "Content-Type: application/http;msgtype=response"
	records := []string{
		warcRecord("response", "1", "https://example.org/gone", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Rien.", http),
		warcRecord("resource", "2", "metadata://gnu.org/software/wget/warc/wget.log", "Le journal.", "Content-Type: text/plain"),
		warcRecord("response", "3", "dns:example.org", "20260301\r\nexample.org. 1 IN A 192.0.2.1\r\n", "Content-Type: text/dns"),
		warcRecord("response", "4", "https://example.org/long", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nLe début", http, "WARC-Truncated: length"),
		warcRecord("resource", "5", "urn:test:page", "<p>Sans adresse.", "Content-Type: text/html"),
		warcRecord("revisit", "6", "https://example.org/short", "", http, "WARC-Refers-To: <urn:uuid:4>"),
	}
	r := b.put("n", "n.warc", []byte(strings.Join(records, "")))
	r.WARC, r.Object = r.Object, nil
	done, stored := b.unpacked(r)
	if m := done["n"]; m.Members["failed"] != 1 || m.Members["stored"] != 3 || len(stored) != 3 || !strings.Contains(m.Message, "2 records that are no documents") {
		t.Errorf("%+v, %d snapshots", m, len(stored))
	}
	if gone := done["n@0"]; gone.Reason != string(fault.FetchFailed) || !strings.Contains(gone.Message, "404") {
		t.Errorf("an error of the server: %+v", gone)
	}
	byID := map[string]model.Snapshot{}
	for _, s := range stored {
		snap := b.snapshot(s.SnapshotID)
		byID[snap.ExternalID] = snap
	}
	if s := byID["https://example.org/long"]; !slices.Contains(s.QualityFlags, "truncated_in_archive") {
		t.Errorf("a truncated record: %+v", s)
	}
	if s := byID["urn:test:page"]; s.FinalType != model.TypeHTML || s.URL != "" || s.ContentType != "text/html" {
		t.Errorf("a record of a URN: %+v", s)
	}
	if s := byID["https://example.org/short"]; s.ContentHash != byID["https://example.org/long"].ContentHash || s.FinalType != model.TypeText {
		t.Errorf("a revisit without headers: %+v", s)
	}
}

// TestEncodingsAndDatesAreRecorded looks at what snapshots say of how a text is to
// be read, and when a document was changed.
func TestEncodingsAndDatesAreRecorded(t *testing.T) {
	b := fresh(t, nil)
	latin := "proc\xe8s-verbal de la s\xe9ance du conseil \xe0 la mairie, o\xf9 l'on a d\xe9cid\xe9 de r\xe9parer le pont"
	for name, c := range map[string]struct {
		body, contentType      string
		encoding, origin, from string
		confident              bool
	}{
		"mark.txt":     {"\xef\xbb\xbfaccentué", "", "utf-8", "byte_order_mark", "retrieved_at", true},
		"http.txt":     {latin, "text/plain; charset=iso-8859-1", "windows-1252", "http", "retrieved_at", true},
		"meta.html":    {"<!doctype html><meta charset=windows-1252><p>" + latin, "", "windows-1252", "document", "retrieved_at", true},
		"bytes.txt":    {latin, "", "windows-1252", "bytes", "retrieved_at", true},
		"lie.txt":      {latin, "text/plain; charset=utf-8", "windows-1252", "bytes", "retrieved_at", true},
		"pattern.txt":  {"accentué", "", "utf-8", "bytes", "retrieved_at", true},
		"vague.txt":    {"\xa4 5", "", "iso-8859-15", "bytes", "retrieved_at", false},
		"document.pdf": {"%PDF-1.7\n<< /ModDate (D:20240506070809Z) >>", "", "", "", "pdf", false},
	} {
		r := b.put(name, name, []byte(c.body))
		r.ContentType = c.contentType
		s := b.snapshot(b.outcome(r).SnapshotID)
		if s.DetectedEncoding != c.encoding || s.EncodingOrigin != c.origin || s.LastModifiedOrigin != c.from || (s.EncodingConfidence >= 0.9) != c.confident {
			t.Errorf("%s: %s from %s (%v), changed by %s", name, s.DetectedEncoding, s.EncodingOrigin, s.EncodingConfidence, s.LastModifiedOrigin)
		}
		if raw := b.raw(s.ContentHash); string(raw) != c.body {
			t.Errorf("%s: the bytes are %q", name, raw)
		}
	}
}

// TestAKindOfContainerIsALine adds one to the table: its files and records are captured as
// those of all others, also within a ZIP file.
func TestAKindOfContainerIsALine(t *testing.T) {
	b := fresh(t, nil)
	b.stage.Containers = append(b.stage.Containers, containertest.Kind())
	bundle := containertest.Bundle([2]string{"a b.txt", "Un texte."}, [2]string{"https://example.org/deux", "Une page."})
	done, stored := b.unpacked(b.put("k", "bundle.zip", bundle))
	if m := done["k"]; m.Outcome != event.OutcomeStored || m.Members["stored"] != 2 || len(stored) != 2 {
		t.Errorf("%+v", m)
	}
	if s := b.snapshot(done["k!/a%20b.txt"].SnapshotID); s.MemberPath != "a%20b.txt" || s.ExternalID != "https://example.org/bundle.zip!/a%20b.txt" || string(b.raw(s.ContentHash)) != "Un texte." {
		t.Errorf("a file: %+v", s)
	}
	if s := b.snapshot(done["k@1"].SnapshotID); s.MemberPath != "@1" || s.ExternalID != "https://example.org/deux" || string(b.raw(s.ContentHash)) != "Une page." {
		t.Errorf("a record: %+v", s)
	}
	done, _ = b.unpacked(b.put("z", "outer.zip", zipOf(t, entry{"in.zip", string(bundle)})))
	if m := done["z!/in.zip"]; m.Outcome != event.OutcomeStored || m.Members["stored"] != 1 || m.Members["unchanged"] != 1 {
		t.Errorf("within a ZIP file: %+v", m)
	}
}

// TestACatalogThatIsAwayIsNoFaultOfARevisit: a revisit whose payload is elsewhere waits, as
// all others do.
func TestACatalogThatIsAwayIsNoFaultOfARevisit(t *testing.T) {
	b := fresh(t, nil)
	r := b.put("w", "w.warc", []byte(warcRecord("revisit", "1", "https://example.org/s", "", "WARC-Refers-To: <urn:uuid:99>")))
	r.WARC, r.Object = r.Object, nil
	identities := b.stage.Identities
	b.stage.Identities = &onceThere{Identities: identities}
	if err := b.stage.Handle(t.Context(), b.event(r), b.emit); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("the catalog is away: %v", err)
	}
	b.stage.Identities = identities
	done, _ := b.unpacked(r)
	if done["w@0"].Outcome != event.OutcomeUnchanged {
		t.Errorf("%+v", done)
	}
}

// onceThere is a catalog that says the container's own identity, and then is away.
type onceThere struct {
	stage.Identities
	asked bool
}

func (o *onceThere) Identify(ctx context.Context, sourceID string, asked model.AskedIdentity) (model.DocumentIdentity, error) {
	if o.asked {
		return model.DocumentIdentity{}, fault.Unavailable(errors.New("the catalog is away"))
	}
	o.asked = true
	return o.Identities.Identify(ctx, sourceID, asked)
}
