package fault

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/devtest/domainset"
	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
)

// The kinds of what is handed over. Those below again come in a second act,
// when all of the first is quiet: they change what is there.
const (
	kindHTML      = "html"
	kindText      = "text"
	kindPDF       = "pdf"
	kindLong      = "long"    // a PDF of more than one range
	kindScan      = "scan"    // a picture, for OCR
	kindDomain    = "domain"  // a page for a chunker of a domain
	kindFile      = "file"    // a document of test/documents
	kindURL       = "url"     // fetched from a server
	kindFlaky     = "flaky"   // its server says 503 once
	kindGone      = "gone"    // its server says 404
	kindMembers   = "members" // an archive, or a web archive, of three documents
	kindSource    = "source"
	kindAdvised   = "advised" // of a source whose chunks a chat model is asked about
	kindAwaited   = "awaited" // of a source whose versions wait for that
	kindPoison    = "poison"
	kindMalformed = "malformed" // no event at all

	kindAgain    = "again"    // a URL within its window
	kindNewer    = "newer"    // a later version of a document
	kindOlder    = "older"    // an earlier version, that comes late
	kindTurned   = "turned"   // a container where a page was
	kindSame     = "same"     // an earlier version with the same text, that comes late
	kindRedo     = "redo"     // a run again
	kindTakeover = "takeover" // a run of an older parser
	kindDamage   = "damage"   // its segment is lost before it is chunked
	kindReviewed = "reviewed" // a later version of a document that a chat model was asked about
)

// item is one thing that is handed over.
type item struct {
	kind    string
	second  bool // it comes in the second act
	request event.CaptureRequested
	of      *item  // the item that it is about
	object  []byte // is put into the inbox first: what is too large to come with the request
}

func (i *item) snapshotID() string {
	r := i.request
	return digest.SnapshotID(r.SourceID, r.RequestID, digest.Content(r.Inline.ContentBase64))
}

const source = "town"

func retrieved(day int) *time.Time {
	at := time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC)
	return &at
}

var nouns = strings.Fields("council water budget harbour school market road bridge forest library permit tax museum " +
	"station hospital archive river garden theatre quarry vineyard ferry chapel square tunnel")

var verbs = strings.Fields("approves repairs opens closes extends measures inspects funds paints restores lights cleans " +
	"surveys rebuilds insures rents audits plants drains paves")

// sentence is the same for the same seed, and long enough to be told apart.
func sentence(r *rand.Rand) string {
	return fmt.Sprintf("The %s %s the %s near the %s for %d euros before day %d of the term.", nouns[r.IntN(len(nouns))],
		verbs[r.IntN(len(verbs))], nouns[r.IntN(len(nouns))], nouns[r.IntN(len(nouns))], 100+r.IntN(900_000), 1+r.IntN(365))
}

func paragraphs(seed uint64, n int) []string {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]string, n)
	for i := range out {
		var s []string
		for range 3 + r.IntN(4) {
			s = append(s, sentence(r))
		}
		out[i] = strings.Join(s, " ")
	}
	return out
}

// page is an HTML document; one of its paragraphs differs between versions.
func page(n, version int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><html lang=en><head><title>Minutes %d</title></head><body><main><h1>Minutes %d</h1>\n", n, n)
	for i, p := range paragraphs(uint64(n), 6) {
		if i == 2 {
			fmt.Fprintf(&b, "<h2>Decisions %d</h2>\n", n)
		}
		if i == 4 && version != 0 {
			p = paragraphs(uint64(n*100+version+50), 1)[0]
		}
		fmt.Fprintf(&b, "<p>%s</p>\n", p)
	}
	b.WriteString("</main></body></html>\n")
	return b.Bytes()
}

// pdf is a document of text pages in Helvetica.
func pdf(n, pages int) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids []string
	for p := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*p))
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", pages, strings.Join(kids, " "))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for p := range pages {
		var text strings.Builder
		fmt.Fprintf(&text, "BT /F1 10 Tf 1 0 0 1 60 770 Tm (Report %d of the harbour) Tj ET\n", n)
		r := rand.New(rand.NewPCG(uint64(n), uint64(p)))
		for line := range 12 {
			fmt.Fprintf(&text, "BT /F1 11 Tf 1 0 0 1 60 %d Tm (%s) Tj ET\n", 720-line*16, sentence(r))
		}
		fmt.Fprintf(&text, "BT /F1 10 Tf 1 0 0 1 300 40 Tm (%d) Tj ET\n", p+1)
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*p)
		object("<< /Length %d >>\nstream\n%sendstream", text.Len(), text.String())
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// scan is a picture; what the engine of the test reads in it depends on it.
func scan(t *testing.T, n int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 60, 80))
	for i := range picture.Pix {
		picture.Pix[i] = byte(255 - n*(i%7))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archive is a ZIP file of two pages, and a text that is damaged.
func archive(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 2 {
		member, err := w.Create(fmt.Sprintf("page-%d.html", n+i))
		if err == nil {
			_, err = member.Write(page(n+i, 0))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	damaged, err := w.CreateHeader(&zip.FileHeader{Name: "damaged.txt", Method: zip.Store})
	if err == nil {
		_, err = damaged.Write([]byte("as it was"))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(b.Bytes(), []byte("as it was"), []byte("as it is!"), 1)
}

// webArchive is a WARC file of a page and a text, and of a page that is as it was
// in another archive.
func webArchive(n int) []byte {
	var b bytes.Buffer
	record := func(kind, name, contentType string, block []byte) {
		fmt.Fprintf(&b, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:test:%s-%d>\r\nWARC-Date: 2026-03-10T09:00:00Z\r\n"+
			"WARC-Target-URI: https://town.example.org/site-%d/%s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, name, n, n, name, contentType, len(block), block)
	}
	response := append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLast-Modified: Tue, 10 Mar 2026 09:00:00 GMT\r\n\r\n"), page(n, 0)...)
	record("response", "page.html", "Content-Type: application/http;msgtype=response\r\n", response)
	record("resource", "note.txt", "Content-Type: text/plain\r\n", []byte(strings.Join(paragraphs(uint64(5500+n), 4), "\n\n")))
	record("revisit", "old.html", "WARC-Refers-To: <urn:test:elsewhere>\r\n", nil)
	return b.Bytes()
}

// inline makes the request of a document that is handed over with its bytes.
func inline(id, name string, data []byte, day int) event.CaptureRequested {
	return event.CaptureRequested{
		RequestID: id, SourceID: source, URL: "https://town.example.org/" + name, Filename: name,
		RetrievedAt: retrieved(day), LastModified: retrieved(day), Inline: &event.Inline{ContentBase64: data},
	}
}

// corpus returns what every scenario hands over: the same each time. site is
// the address of a webServer.
func corpus(t *testing.T, site string) []*item {
	t.Helper()
	var all []*item
	add := func(kind string, r event.CaptureRequested) *item {
		i := &item{kind: kind, request: r}
		all = append(all, i)
		return i
	}
	second := func(kind string, r event.CaptureRequested, of *item) {
		all = append(all, &item{kind: kind, second: true, request: r, of: of})
	}
	var pages, urls []*item
	count := pick(90, 160, 160)
	for n := range count {
		content := n
		if n >= count-10 {
			content -= 10 // equal texts, of which one stands for both
		}
		pages = append(pages, add(kindHTML, inline(fmt.Sprintf("html-%03d", n), fmt.Sprintf("minutes-%03d.html", n), page(content, 0), 10)))
	}
	for n := range 14 {
		text := strings.Join(paragraphs(uint64(5000+n), 5), "\n\n")
		add(kindText, inline(fmt.Sprintf("text-%02d", n), fmt.Sprintf("note-%02d.txt", n), []byte(text), 10))
	}
	for n := range 10 {
		kind, length := kindPDF, 1+n%3
		if n == 9 {
			kind, length = kindLong, 20
		}
		add(kind, inline(fmt.Sprintf("pdf-%02d", n), fmt.Sprintf("report-%02d.pdf", n), pdf(n, length), 10))
	}
	for n := range 10 {
		add(kindScan, inline(fmt.Sprintf("scan-%02d", n), fmt.Sprintf("scan-%02d.png", n), scan(t, n), 10))
	}
	for _, d := range domainset.Documents() {
		r := inline("domain-"+d.Chunker, d.Name(), []byte(d.HTML), 10)
		r.SourceID = d.SourceID(source)
		add(kindDomain, r)
	}
	for name, data := range folder(t, filepath.Join(root, "test", "documents")) {
		add(kindFile, inline("file-"+name, "files/"+name, data, 10))
	}
	for name, data := range folder(t, asked.corpus) {
		short := "corpus-" + digest.Hex([]byte(name))[:16] // any name is good for a file, not for a URL
		i := add(kindFile, inline(short, short+filepath.Ext(name), data, 10))
		if len(data) > maxInline {
			i.object, i.request.Inline = data, nil
			i.request.Object = &event.Object{Bucket: string(blobstore.Inbox), Key: blobstore.InboxKey(source, digest.Hex(data))}
		}
	}
	for n := range 6 {
		urls = append(urls, add(kindURL, fetched(fmt.Sprintf("url-%d", n), fmt.Sprintf("%s/page/%d", site, n))))
		add(kindFlaky, fetched(fmt.Sprintf("flaky-%d", n), fmt.Sprintf("%s/flaky/%d", site, 10+n)))
		add(kindGone, fetched(fmt.Sprintf("gone-%d", n), fmt.Sprintf("%s/gone/%d", site, n)))
		add(kindMalformed, event.CaptureRequested{SourceID: source, RequestID: fmt.Sprintf("malformed-%d", n)})
	}
	for n := range 2 {
		r := inline(fmt.Sprintf("other-%d", n), "other.html", page(900+n, 0), 10)
		r.SourceID = fmt.Sprintf("village-%d", n)
		add(kindSource, r)
	}
	for n := range 5 {
		name, data := fmt.Sprintf("archive-%d.zip", n), archive(t, 600+2*n)
		if n%2 == 1 {
			name, data = fmt.Sprintf("site-%d.warc", n), webArchive(600+2*n)
		}
		add(kindMembers, inline(fmt.Sprintf("members-%d", n), name, data, 10))
	}
	var enriched []*item
	for n := range 14 {
		r := inline(fmt.Sprintf("advised-%02d", n), fmt.Sprintf("advised-%02d.html", n), page(7000+n, 0), 10)
		r.SourceID = advised
		enriched = append(enriched, add(kindAdvised, r))
	}
	for n := range 6 {
		r := inline(fmt.Sprintf("awaited-%02d", n), fmt.Sprintf("awaited-%02d.html", n), page(7100+n, 0), 10)
		r.SourceID = awaited
		add(kindAwaited, r)
	}
	add(kindPoison, inline("poison", "poison.html", page(999, 0), 10))

	for n := range 2 {
		second(kindAgain, fetched(fmt.Sprintf("again-%d", n), urls[n].request.URL), urls[n])
	}
	for n := range 12 {
		of := pages[n]
		second(kindNewer, inline(fmt.Sprintf("newer-%02d", n), of.request.Filename, page(n, 1), 20), of)
		if n%2 == 0 {
			of = pages[20+n]
			second(kindOlder, inline(fmt.Sprintf("older-%02d", n), of.request.Filename, page(20+n, 2), 2), of)
		}
	}
	for n := range 2 {
		of := pages[60+n]
		marked := bytes.Replace(page(60+n, 0), []byte("<main>"), []byte("<main class=old>"), 1)
		second(kindSame, inline(fmt.Sprintf("same-%d", n), of.request.Filename, marked, 3), of)
	}
	for n := range 4 { // a container where a page was
		of := pages[64+n]
		turned := inline(fmt.Sprintf("turned-%d", n), of.request.Filename, archive(t, 640+2*n), 20)
		turned.Filename = fmt.Sprintf("turned-%d.zip", n)
		second(kindTurned, turned, of)
	}
	for n := range 3 {
		second(kindRedo, event.CaptureRequested{}, pages[40+n])
		second(kindTakeover, event.CaptureRequested{}, pages[50+n])
	}
	for n := range 3 {
		r := inline(fmt.Sprintf("reviewed-%d", n), enriched[n].request.Filename, page(7000+n, 1), 20)
		r.SourceID = advised
		second(kindReviewed, r, enriched[n])
	}
	second(kindDamage, inline("damage-1", "damage-1.html", page(700, 0), 10), nil)
	return all
}

// The limits of what comes with a request, in bytes, and of what is taken of a
// corpus folder, in files.
const (
	maxInline = 512 << 10
	maxFiles  = 100
)

// folder yields the HTML, PDF and text files below a folder in the order of
// their names, at most maxFiles of them, spread over the whole. The folder ""
// has none.
func folder(t *testing.T, dir string) iter.Seq2[string, []byte] {
	t.Helper()
	var names []string
	if dir != "" {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains([]string{".html", ".htm", ".pdf", ".txt"}, filepath.Ext(path)) {
				names = append(names, path)
			}
			return err
		})
		if err != nil || len(names) == 0 {
			t.Fatalf("the corpus folder %s has no documents: %v", dir, err)
		}
	}
	return func(yield func(string, []byte) bool) {
		n := min(len(names), maxFiles)
		for i := range n {
			path := names[i*len(names)/n]
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(filepath.ToSlash(name), data) {
				return
			}
		}
	}
}

func fetched(id, url string) event.CaptureRequested {
	return event.CaptureRequested{RequestID: id, SourceID: source, URL: url, RetrievedAt: retrieved(10)}
}

// webServer is where URLs are fetched from. What is flaky fails at its first
// request after forget.
type webServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]bool
}

func startWeb(t *testing.T) *webServer {
	t.Helper()
	w := &webServer{seen: map[string]bool{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *webServer) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.seen)
}

func (w *webServer) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	first := !w.seen[r.URL.Path]
	w.seen[r.URL.Path] = true
	w.mu.Unlock()
	kind, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	var n int
	if _, err := fmt.Sscan(number, &n); err != nil || kind == "gone" {
		http.Error(out, "gone", http.StatusNotFound)
		return
	}
	if kind == "flaky" && first {
		http.Error(out, "come back later", http.StatusServiceUnavailable)
		return
	}
	header := out.Header()
	header["Date"] = nil
	header.Set("Last-Modified", "Tue, 10 Mar 2026 09:00:00 GMT")
	header.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = out.Write(page(800+n, 0))
}
