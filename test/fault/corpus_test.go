package fault

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
)

// The kinds of what is handed over. Those below again come in a second act,
// when all of the first is quiet: they change what is there.
const (
	kindHTML      = "html"
	kindText      = "text"
	kindPDF       = "pdf"
	kindFile      = "file"  // a document of test/documents
	kindURL       = "url"   // fetched from a server
	kindFlaky     = "flaky" // its server says 503 once
	kindGone      = "gone"  // its server says 404
	kindSource    = "source"
	kindPoison    = "poison"
	kindMalformed = "malformed" // no event at all

	kindAgain    = "again"    // a URL within its window
	kindNewer    = "newer"    // a later version of a document
	kindOlder    = "older"    // an earlier version, that comes late
	kindRedo     = "redo"     // a run again
	kindTakeover = "takeover" // a run of an older parser
	kindDamage   = "damage"   // its segment is lost before it is chunked
)

// item is one thing that is handed over.
type item struct {
	kind    string
	second  bool // it comes in the second act
	request event.CaptureRequested
	of      *item // the item that it is about
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
		length := 1 + n%3
		if n == 9 {
			length = 20 // more than a range
		}
		add(kindPDF, inline(fmt.Sprintf("pdf-%02d", n), fmt.Sprintf("report-%02d.pdf", n), pdf(n, length), 10))
	}
	dir := filepath.Join(root, "test", "documents")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		add(kindFile, inline("file-"+f.Name(), "files/"+f.Name(), data, 10))
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
	for n := range 3 {
		second(kindRedo, event.CaptureRequested{}, pages[40+n])
		second(kindTakeover, event.CaptureRequested{}, pages[50+n])
	}
	second(kindDamage, inline("damage-1", "damage-1.html", page(700, 0), 10), nil)
	return all
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
