package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/capture"
	"github.com/colophon-dev/colophon/cmd/colophon/internal/cli/convert"
	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// oddURLs are addresses whose hosts and paths are easily read in two ways.
func oddURLs() []string {
	return []string{
		"https://h.example/%zz", "https://h.example/a%2fb?q=%20%&x=%u00", "http://h.example:8080/port", "http://[2001:db8::1]/six",
		"http://[2001:db8::1]:8443/six-port", "https://bücher.example/ü?ö=ß", "https://xn--bcher-kva.example/",
		"HTTP://UPPER.Example:80/Path", "https://dot.example./end", "http://192.0.2.7/v4",
		"https://user:secret@h.example/userinfo", "https://h.example/?a=b@c.example/d", "https://h.example/p;v=1#part", "file:///%zz/odd%2e.txt",
	}
}

// fillRows captures, by the real chain, documents of every kind that leaves rows of
// its own in some table.
func (l *library) fillRows(tmp *convert.Temporary) {
	l.Helper()
	site := l.site()
	l.fill(tmp)
	for _, args := range [][]string{
		{"source", "add", "ruled", "--name", "The ruled one", "--languages", "en,fr", "--language", "en", "--territory", "valley"},
		{"source", "add", "closed", "--name", "The closed one"},
		{"source", "disable", "closed"},
	} {
		l.say(0, args...)
	}
	for i, u := range oddURLs() {
		l.send(tmp, event.CaptureRequested{SourceID: "ruled", RequestID: fmt.Sprintf("odd-%d", i), URL: u,
			Inline: &event.Inline{ContentBase64: []byte(fmt.Sprintf("The page number %d of the odd addresses.\n", i))}, ContentType: "text/plain"})
	}
	l.merged(tmp)
	scan := filepath.Join("..", "..", "test", "documents", "arrete-numerise.pdf")
	l.say(0, "capture", "--wait", "--source", "ruled", "--at", "2026-03-01T08:00:00Z", scan, filepath.Join("..", "..", "test", "documents", "biblioteca.warc"))
	data, err := os.ReadFile(scan)
	l.must(err)
	l.put("again.pdf", string(data))
	l.put("mixed.pdf", mixedPDF())
	l.say(0, "capture", "--wait", "--source", "ruled", "--at", "2026-03-02T08:00:00Z", filepath.Join(l.samples, "again.pdf"), filepath.Join(l.samples, "mixed.pdf"))
	l.say(3, "capture", "--wait", "--source", "ruled", site.URL+"/page", site.URL+"/moved", site.URL+"/gone", site.URL+"/page#again")
	l.say(0, "capture", "--wait", "--force", "--source", "ruled", site.URL+"/page")
	l.say(3, "capture", "--wait", "--source", "closed", filepath.Join(l.samples, "minutes.html"))
	l.put("plan.html", "<title>Plan</title><h1>Goals and Objectives</h1><p>Reduce total nitrogen loads by 30% by 2030.</p><p>Reduce sediment loads by 25% by 2032.</p>"+
		"<h1>Practices</h1><table><tr><th>Practice</th><th>Quantity</th><th>Cost</th></tr><tr><td>Cover crops</td><td>7 acres</td><td>$11,405</td></tr></table>")
	l.say(0, "capture", "--wait", "--source", "ruled", "--at", "2026-03-02T08:00:00Z", filepath.Join(l.samples, "plan.html"))
	// The same bytes later, and again by force.
	l.capture(tmp, "council", "2026-03-05T08:00:00Z", filepath.Join(l.samples, "minutes.html"))
	l.say(0, "capture", "--wait", "--force", "--source", "council", "--at", "2026-03-06T08:00:00Z", filepath.Join(l.samples, "minutes.html"))

	var partial string
	l.must(l.pg.QueryRow(l.Context(), `SELECT snapshot_id FROM runs WHERE state = 'partial' LIMIT 1`).Scan(&partial))
	l.retried(partial, 1)
	l.say(0, "source", "set", "herald", "--languages", "fr,it")
	l.say(0, "reparse", "--source", "herald", "--wait", "--timeout", "1m")
	l.say(0, "reparse", "--ocr", "--source", "ruled", "--wait", "--timeout", "1m")
	l.quiet()
}

// site serves a page that says when it was changed, and one that leads there.
func (l *library) site() *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("ETag", `"one"`)
			w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 08:00:00 GMT")
			_, _ = w.Write([]byte(minutes("fetched")))
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	l.Cleanup(site.Close)
	return site
}

func (l *library) say(want int, args ...string) {
	l.Helper()
	var out, problems bytes.Buffer
	if code := run(l.Context(), append([]string{"--dir", l.cli.Dir}, args...), &out, &problems); code != want {
		l.Fatalf("colophon %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &problems)
	}
}

func (l *library) send(tmp *convert.Temporary, r event.CaptureRequested) {
	l.Helper()
	requests := []capture.Handover{{CaptureRequested: r}}
	l.must(tmp.Send(l.Context(), requests))
	_, err := capture.Follow(l.Context(), l.cli, tmp.Sender, requests, time.Minute)
	l.must(err)
}

// retried has a run of a snapshot extracted again, and waits until it has ended.
func (l *library) retried(snapshotID string, redo int) {
	l.Helper()
	l.say(0, "retry", snapshotID)
	l.wait(fmt.Sprintf("redo %d of %s", redo, snapshotID), `SELECT EXISTS (SELECT 1 FROM runs WHERE snapshot_id = '`+snapshotID+
		`' AND redo = `+fmt.Sprint(redo)+` AND state IN ('done', 'partial', 'failed'))`)
}

// quiet waits until nothing is under way.
func (l *library) quiet() {
	l.Helper()
	l.wait("quiet", `SELECT NOT EXISTS (SELECT 1 FROM captures WHERE outcome IS NULL OR announced_at IS NULL)
		AND NOT EXISTS (SELECT 1 FROM runs WHERE state IN ('queued', 'running') OR state IN ('done', 'partial', 'failed') AND announced_redo < redo OR state IN ('done', 'partial') AND annotated_redo < redo)
		AND NOT EXISTS (SELECT 1 FROM snapshots s WHERE process AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id))
		AND NOT EXISTS (SELECT 1 FROM chunk_log WHERE NOT published)
		AND NOT EXISTS (SELECT 1 FROM chunk_state s LEFT JOIN chunk_vectors v USING (chunk_ref) WHERE v.pushed_rev IS DISTINCT FROM s.rev)
		AND NOT EXISTS (SELECT 1 FROM chunk_manifests WHERE vector_status <> 'present')
		AND NOT EXISTS (SELECT 1 FROM staged_items WHERE synced_at IS NULL)`)
}

func (l *library) wait(what, question string) {
	l.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-tick.C {
		var done bool
		l.must(l.pg.QueryRow(l.Context(), question).Scan(&done))
		if done {
			return
		}
		if time.Now().After(deadline) {
			var stands string
			l.must(l.pg.QueryRow(l.Context(), `SELECT string_agg(found, chr(10)) FROM (
				SELECT concat_ws(' ', snapshot_id, state, redo, announced_redo, reason) FROM runs WHERE state <> 'done' OR announced_redo < redo
				UNION ALL SELECT concat_ws(' ', request_id, outcome, reason, message, announced_at) FROM captures WHERE outcome IS NULL OR announced_at IS NULL
				UNION ALL SELECT concat_ws(' ', snapshot_id, 'has no run') FROM snapshots s WHERE process AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.snapshot_id = s.snapshot_id)
				UNION ALL SELECT concat_ws(' ', snapshot_id, vector_status, error_message) FROM chunk_manifests WHERE vector_status <> 'present') f(found)`).Scan(&stands))
			l.Fatalf("%s: not within a minute:\n%s", what, stands)
		}
	}
}

// mixedPDF has a page of text and two that are pictures, of which the engine of
// these tests cannot read the second.
func mixedPDF() string {
	picture := image.NewGray(image.Rect(0, 0, 60, 80))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for x := range 40 {
		picture.SetGray(10+x, 20, color.Gray{})
	}
	pixels := fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width 60 /Height 80 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length %d >>\nstream\n%s\nendstream",
		len(picture.Pix), picture.Pix)
	text := "BT /F 12 Tf 40 340 Td (The first page has words, the other two are pictures of pages.) Tj ET"
	draw := "q 300 0 0 400 0 0 cm /I Do Q"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] /MediaBox [0 0 300 400] /Resources << /XObject << /I 8 0 R >> " +
			"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
		"<< /Type /Page /Parent 2 0 R /Contents 6 0 R >>", "<< /Type /Page /Parent 2 0 R /Contents 7 0 R >>", "<< /Type /Page /Parent 2 0 R /Contents 7 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(draw), draw),
		pixels,
	}
	out := "%PDF-1.7\n"
	var offsets []int
	for i, body := range objects {
		offsets = append(offsets, len(out))
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := len(out)
	out += fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		out += fmt.Sprintf("%010d 00000 n \n", at)
	}
	return out + fmt.Sprintf("trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
}

// merged captures an address as older rules did, that held it for another's document,
// and each of the two, and one more, as it is done today.
func (l *library) merged(tmp *convert.Temporary) {
	l.Helper()
	const base = "https://town.example/deliberations"
	asked := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, session := range []string{"2023", "2024"} {
		id, address := "older-"+session, base+"?session="+session
		canonical, err := digest.URLCanonV1(address)
		l.must(err)
		content := []byte("What was decided in the session of " + session + ".\n")
		hash := digest.Content(content)
		key, err := blobstore.RawKey("ruled", hash)
		l.must(err)
		_, err = tmp.Blobs.PutOnce(l.Context(), blobstore.Raw, key, content, "text/plain")
		l.must(err)
		stored := digest.RedactURLV1(address)
		request, err := json.Marshal(event.CaptureRequested{
			SourceID: "ruled", RequestID: id, URL: stored, Object: &event.Object{Bucket: string(blobstore.Raw), Key: key},
		})
		l.must(err)
		jcs, err := digest.JCS(json.RawMessage(request))
		l.must(err)
		snap := model.Snapshot{
			SnapshotID: digest.SnapshotID("ruled", id, hash), DocumentID: digest.DocumentID("ruled", canonical), RequestID: id, SourceID: "ruled",
			SourceName: "The ruled one", SnapshotKind: model.KindTextFile, FinalType: model.TypeText, URL: stored, URLCanonical: canonical,
			URLCanonicalizationVersion: digest.URLCanonVersion1, ExternalID: canonical, RetrievedAt: asked, ContentHash: hash,
			ByteLength: int64(len(content)), LastModified: asked, LastModifiedOrigin: "retrieved_at", RedactionPolicyID: digest.RedactVersion1,
			SourceType: "official", Domain: "civics", Layer: model.LayerHot,
			RuleVersions: map[string]string{"urlcanon": digest.URLCanonVersion1, "typing": "1"},
		}
		row := model.Capture{SourceID: "ruled", RequestID: id, RequestDigest: digest.Hex(jcs), Request: request, RequestedAt: asked, URLCanonical: canonical}
		_, _, err = tmp.DB.CaptureAtOnce(l.Context(), row, snap, func(model.Standing) bool { return false }, func(context.Context) error { return nil })
		l.must(err)
		l.sql(`UPDATE captures SET announced_at = now() WHERE request_id = '` + id + `'`) // to a crawler of then
	}
	l.say(0, "reconcile", "--age", "0s")
	l.wait("older documents", `SELECT count(*) = 2 FROM chunk_manifests m JOIN snapshots s USING (snapshot_id) WHERE s.record->>'redaction_policy_id' = 'redact_v1'`)
	for _, query := range []string{"?session=2023", "?session=2024", ""} {
		l.send(tmp, event.CaptureRequested{SourceID: "ruled", RequestID: "today" + query, URL: base + query,
			Inline: &event.Inline{ContentBase64: []byte("What was decided, " + query + ", as it is told today.\n")}, ContentType: "text/plain"})
	}
	var kinds int
	l.must(l.pg.QueryRow(l.Context(), `SELECT count(DISTINCT (merged_with <> '', external_id = identity)) FROM document_identities`).Scan(&kinds))
	if kinds != 3 {
		l.Fatalf("%d kinds of identities", kinds)
	}
}
