package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/model"
)

// TestWARC reads web archives that other tools have written, writes one, and lets
// other tools read it.
func TestWARC(t *testing.T) {
	d := newDesk(t)
	site := httptest.NewServer(http.HandlerFunc(serveSite))
	t.Cleanup(site.Close)
	tools := warcio(t)
	t.Run("wget", func(t *testing.T) {
		wget, err := exec.LookPath("wget")
		if err != nil {
			t.Skip("wget is not installed: its archives are not tried")
		}
		dir := t.TempDir()
		for i, more := range [][]string{nil, {"--no-warc-compression"}} {
			name := fmt.Sprintf("wget-%d", i)
			args := append([]string{"-q", "-e", "robots=off", "-r", "-l", "2", "-nd", "-P", filepath.Join(dir, name+"-files"), "--warc-file=" + filepath.Join(dir, name)}, more...)
			_ = runTool(t, 8, wget, append(args, site.URL+"/")...) // 8: one page says 404
			path := filepath.Join(dir, name+[]string{".warc.gz", ".warc"}[i])
			d.reads(t, 0, name, path, site.URL) // the archive was read: what the page says is the page's affair
			out := d.say(t, 3, "capture", "--wait", "--strict", "--timeout", "1m", "--source", name, path)
			if !strings.Contains(out, "fetch_failed: the server answered with status 404") || !strings.Contains(out, "1 failed") {
				t.Errorf("the same page is told as %s", out)
			}
		}
	})
	t.Run("warcio", func(t *testing.T) {
		if tools == "" {
			t.Skip("warcio could not be installed: its archives are not tried")
		}
		path := filepath.Join(t.TempDir(), "warcio.warc.gz")
		script := "import sys\nfrom warcio.capture_http import capture_http\nimport http.client\nwith capture_http(sys.argv[1]):\n" +
			"  for p in sys.argv[3:]:\n    c = http.client.HTTPConnection(sys.argv[2]); c.request('GET', p); c.getresponse().read(); c.close()\n"
		_ = runTool(t, 0, filepath.Join(tools, "python"), append([]string{"-c", script, path, strings.TrimPrefix(site.URL, "http://")}, slices.Sorted(maps.Keys(sitePages()))...)...)
		d.reads(t, 0, "warcio", path, site.URL)
	})
	t.Run("export", func(t *testing.T) { d.exportsWARC(t, tools) })
}

// sitePages are the pages of the site that is archived.
func sitePages() map[string]string {
	links := ""
	pages := map[string]string{}
	for i := range 4 {
		pages[fmt.Sprintf("/page-%d.html", i)] = fmt.Sprintf("<!doctype html><html lang=en><title>Page %d</title><p>%s</p></html>", i, strings.Repeat(fmt.Sprintf("The gate number %d was opened. ", i), 40))
		links += fmt.Sprintf("<a href=page-%d.html>%d</a> ", i, i)
	}
	pages["/"] = "<!doctype html><html lang=en><title>All</title><p>" + links + "<a href=packed.txt>p</a> <a href=chunked.txt>c</a> <a href=gone.html>g</a></html>"
	pages["/packed.txt"], pages["/chunked.txt"] = "What was packed for the way.", "What came in pieces, one after the other."
	return pages
}

func serveSite(out http.ResponseWriter, r *http.Request) {
	page, ok := sitePages()[r.URL.Path]
	switch {
	case !ok:
		http.Error(out, "gone", http.StatusNotFound)
	case r.URL.Path == "/packed.txt":
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		out.Header().Set("Content-Encoding", "gzip")
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, page)
		_ = z.Close()
		_, _ = out.Write(b.Bytes())
	case r.URL.Path == "/chunked.txt":
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(out, page[:10])
		out.(http.Flusher).Flush()
		_, _ = io.WriteString(out, page[10:])
	default:
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		out.Header().Set("Set-Cookie", "session=secret")
		_, _ = io.WriteString(out, page)
	}
}

// runTool runs a program of others and returns what it prints; another exit status
// than the one expected ends the test.
func runTool(t *testing.T, want int, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// warcio installs warcio and returns the folder of its programs, "" when it cannot
// be installed here.
func warcio(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	bin := filepath.Join(t.TempDir(), "warcio", "bin")
	for _, args := range [][]string{
		{"python3", "-m", "venv", filepath.Dir(bin)},
		{filepath.Join(bin, "pip"), "install", "-q", "--disable-pip-version-check", "warcio==1.8.1"},
	} {
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Logf("warcio is not tried: %q: %v\n%s", args, err, out)
			return ""
		}
	}
	return bin
}

// reads captures an archive and looks whether each page of the site is there as
// it was served.
func (d *desk) reads(t *testing.T, want int, source, path, site string) {
	t.Helper()
	d.say(t, 0, "source", "add", source)
	d.say(t, want, "capture", "--wait", "--timeout", "1m", "--source", source, path)
	found := d.snapshotsOf(t, source)
	for page, text := range sitePages() {
		s, ok := found[strings.TrimSuffix(site+page, "/")]
		if !ok {
			s, ok = found[site+page]
		}
		raw := d.say(t, 0, "raw", s.SnapshotID)
		if !ok || raw != text || s.HTTPStatus != http.StatusOK {
			t.Errorf("%s of %s: %+v, %.60q", page, source, s, raw)
		}
		if strings.Contains(fmt.Sprint(s.ResponseHeaders), "secret") {
			t.Errorf("%s of %s: %v", page, source, s.ResponseHeaders)
		}
	}
	if len(found) != len(sitePages()) {
		t.Errorf("%s: %d documents, served were %d", source, len(found), len(sitePages()))
	}
}

// snapshotsOf returns the newest snapshot of each document of a source by URL.
func (d *desk) snapshotsOf(t *testing.T, source string) map[string]model.Snapshot {
	t.Helper()
	all := map[string]model.Snapshot{}
	for s, err := range d.sys.DB.NewestSnapshots(t.Context(), source) {
		if err != nil {
			t.Fatal(err)
		}
		all[s.URL] = s
	}
	return all
}

// exportsWARC writes what one source has as an archive, checks it, and captures
// it for another source: the same bytes must come back.
func (d *desk) exportsWARC(t *testing.T, tools string) {
	samples := t.TempDir()
	for name, data := range map[string]string{"levels.pdf": illustrated(), "minutes.html": minutes("adopted"), "page.txt": english, "empty.txt": ""} {
		if err := os.WriteFile(filepath.Join(samples, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archived := filepath.Join(samples, "site.warc")
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	_, _ = io.WriteString(z, english)
	_ = z.Close()
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nSet-Cookie: secret\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", packed.Len(), packed)
	record := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/page\r\nWARC-Date: 2026-03-01T10:00:00Z\r\n"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
	if err := os.WriteFile(archived, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	d.say(t, 0, "source", "add", "first")
	d.say(t, 0, "source", "add", "second")
	d.say(t, 3, "capture", "--wait", "--timeout", "1m", "--source", "first", "--at", "2026-03-01T08:00:00Z", samples) // one is empty
	path := filepath.Join(t.TempDir(), "first.warc.gz")
	d.say(t, 0, "export", "warc", "--source", "first", "-o", path)
	raw, err := os.ReadFile(path)
	if err != nil || bytes.Contains(raw, []byte("secret")) {
		t.Fatalf("%d bytes: %v", len(raw), err)
	}
	kinds := recordsOf(t, raw)
	if kinds[warc.TypeInfo] != 1 || kinds[warc.TypeResponse] != 1 || kinds[warc.TypeResource] != 4 || kinds[warc.TypeMetadata] != 5 {
		t.Errorf("records of the archive: %v", kinds)
	}
	again := filepath.Join(t.TempDir(), "again.warc.gz")
	d.say(t, 0, "export", "warc", "--source", "first", "-o", again)
	if second, err := os.ReadFile(again); err != nil || !bytes.Equal(raw, second) {
		t.Errorf("exported again, it is another archive: %v", err)
	}
	d.say(t, 3, "capture", "--wait", "--timeout", "1m", "--source", "second", path)
	first, second := d.snapshotsOf(t, "first"), d.snapshotsOf(t, "second")
	for url, s := range first {
		if o := second[url]; o.ContentHash != s.ContentHash || o.WireHash != s.WireHash || !o.RetrievedAt.Equal(s.RetrievedAt) || o.FinalType != s.FinalType {
			t.Errorf("%s: %+v\ncame back as %+v", url, s, o)
		}
	}
	if len(first) != 5 || len(second) != 5 {
		t.Errorf("%d documents, %d came back", len(first), len(second))
	}
	if tools == "" {
		t.Skip("warcio could not be installed: the archive is not checked by another tool")
	}
	if said := runTool(t, 0, filepath.Join(tools, "warcio"), "check", "-v", path); strings.Contains(said, "fail") || strings.Count(said, "digest pass") < 6 {
		t.Errorf("warcio check: %s", said)
	}
	if index := runTool(t, 0, filepath.Join(tools, "warcio"), "index", "-f", "warc-type,warc-payload-digest", path); strings.Count(index, "sha1:") != 5 {
		t.Errorf("warcio index: %s", index)
	}
}

// recordsOf counts the records of an archive by kind. Each is a gzip member of its
// own with the digests that it says, and the metadata are snapshots.
func recordsOf(t *testing.T, raw []byte) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	reader, err := warc.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := reader.Next()
		if err == io.EOF {
			return kinds
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(r.Block)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := warc.SHA1(bytes.NewReader(block))
		if err != nil || sum != r.Fields.Get("WARC-Block-Digest") || r.Place.Inner != 0 || r.Version != "1.1" {
			t.Errorf("record %s: %s, %+v", r.Place, sum, r.Fields)
		}
		if r.Type() == warc.TypeMetadata {
			var s model.Snapshot
			if err := json.Unmarshal(block, &s); err != nil || s.Validate() != nil {
				t.Errorf("metadata: %s: %v", block, err)
			}
		}
		kinds[r.Type()]++
	}
}
