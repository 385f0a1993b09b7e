package fault

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/colophon-dev/colophon/pkg/event"
)

// arrivals are histories of a document, each of five captures in the order of their
// days. A letter is what the capture finds:
//
//	A B C  a page and two later forms of it
//	M      A in other markup
//	I      A, of which the crawler says another language
//	F      A, under another file name
//	L K    bytes in KOI8-R, said to be in ISO-8859-1 and in KOI8-R
//	Z Y    two ZIP files
//	Q      a ZIP file that cannot be read
//	W V    a web archive with A of this URL, and one with A and B of one second
//	X      a PDF file of which no page can be read
//	G      A in a gzip file
//	U      A in UTF-16, under its byte order mark
//	E      no bytes
//	S      A, in an answer of status 404
//
// What begins with "=" has the day of the one before it. The second value is which of
// the five is current when all have come: 0 for none, -1 for a member of a web archive.
func arrivals() []history5 {
	return []history5{
		{"A A A A A", 1}, {"A B C B A", 5}, {"A A B A A", 4}, {"A B B A A", 4}, {"M A A M B", 5},
		{"L K K L K", 5}, {"K K L L L", 3}, {"A I I A I", 5}, {"F A F A A", 4}, {"A M I F A", 5},
		{"A Z A A A", 1}, {"A B A B Z", 0}, {"Z Y A A B", 5}, {"Z A Z A Z", 0}, {"A A Z X X", 0},
		{"X A X A X", 4}, {"A A X A A", 4}, {"W A B A W", -1}, {"V V A V A", 5}, {"A =A =B =A B", 5},
		{"A Q A A A", 1}, {"Q B A Q A", 3},
		{"A G A G B", 5}, {"G A G A G", 0}, {"U A U A A", 4}, {"E A E A E", 4}, {"A S S B S", 5},
	}
}

// history5 is five captures of a document, as words, and the one that is current.
type history5 struct {
	captures string
	current  int
}

// arrivalsOf makes the captures of all histories: for each the five in their order.
func arrivalsOf(t *testing.T) [][]*item {
	t.Helper()
	var all [][]*item
	for n, history := range arrivals() {
		var captures []*item
		day := 0
		for i, word := range strings.Fields(history.captures) {
			found, sameDay := strings.CutPrefix(word, "=")
			if !sameDay {
				day = 2 + 3*i
			}
			captures = append(captures, &item{kind: kindHTML, request: arrival(t, n, i, found, day)})
		}
		all = append(all, captures)
	}
	return all
}

// arrival is the request of one capture.
func arrival(t *testing.T, n, i int, found string, day int) event.CaptureRequested {
	t.Helper()
	// One content for each history: equal texts in two documents are another matter.
	name, content := fmt.Sprintf("arrival-%02d.html", n), 2000+n
	r := inline(fmt.Sprintf("arrival-%02d-%d", n, i), name, page(content, 0), day)
	switch found {
	case "A":
	case "B", "C":
		r.Inline.ContentBase64 = page(content, int(found[0]-'A'))
	case "M":
		r.Inline.ContentBase64 = bytes.Replace(page(content, 0), []byte("<main>"), []byte("<main class=old>"), 1)
	case "I":
		r.Language = "it"
	case "F":
		r.Filename = "minutes.html"
	case "L", "K":
		r.Inline.ContentBase64 = fmt.Appendf(nil, "<main><h1>\xf0\xd2\xcf\xd4\xcf\xcb\xcf\xcc %d</h1><p>\xda\xc1\xd3\xc5\xc4\xc1\xce\xc9\xd1 \xd3\xcf\xd7\xc5\xd4\xc1 %d</p></main>", n, n)
		if r.ContentType = "text/html; charset=iso-8859-1"; found == "K" {
			r.ContentType = "text/html; charset=koi8-r"
		}
	case "Z", "Y":
		r.Filename, r.Inline.ContentBase64 = "minutes.zip", zipOf(t, content*10+int(found[0]))
	case "Q":
		r.Filename, r.Inline.ContentBase64 = "minutes.zip", fmt.Appendf(nil, "PK\x03\x04 and nothing that a ZIP file has, %d", content)
	case "W", "V":
		forms := [][]byte{page(content, 0), page(content, 1)}
		if found == "W" {
			forms = forms[:1]
		}
		r.Filename, r.URL = "crawl.warc", fmt.Sprintf("https://town.example.org/crawl-%02d-%d.warc", n, i)
		r.Inline.ContentBase64 = warcOf("https://town.example.org/"+name, *retrieved(day), forms)
	case "X":
		r.Filename, r.Inline.ContentBase64 = "minutes.pdf", []byte("%PDF-1.4 and nothing that a PDF file has")
	case "G":
		r.Filename, r.Inline.ContentBase64 = "minutes.html.gz", gzipOf(t, page(content, 0))
	case "U":
		r.Inline.ContentBase64 = inUTF16(page(content, 0))
	case "E":
		r.Inline.ContentBase64 = nil
	case "S":
		r.HTTPStatus = http.StatusNotFound
	default:
		t.Fatalf("%q is no capture", found)
	}
	return r
}

// zipOf is a ZIP file of one page.
func zipOf(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	member, err := w.Create("page.html")
	if err == nil {
		_, err = member.Write(page(n, 0))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gzipOf is a gzip file.
func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inUTF16 is a text in UTF-16, the byte order mark first.
func inUTF16(text []byte) []byte {
	data := []byte{0xfe, 0xff}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		data = binary.BigEndian.AppendUint16(data, unit)
	}
	return data
}

// warcOf is a web archive of one URL, captured several times in one second.
func warcOf(url string, at time.Time, forms [][]byte) []byte {
	var b bytes.Buffer
	for i, form := range forms {
		block := slices.Concat([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), form)
		fmt.Fprintf(&b, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:%s-%d>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, i, at.Format(time.RFC3339), url, len(block), block)
	}
	return b.Bytes()
}

// arriveInOrder hands the captures over in the order of their days, one of each
// history at a time.
func (r *rig) arriveInOrder(histories [][]*item) {
	r.t.Helper()
	for i := range histories[0] {
		for _, captures := range histories {
			r.send(captures[i])
		}
		r.mustBeQuiet(&row{})
	}
}

// arriveBackwards is arriveInOrder from the last to the first.
func (r *rig) arriveBackwards(histories [][]*item) {
	r.t.Helper()
	for _, captures := range histories {
		slices.Reverse(captures)
	}
	r.arriveInOrder(histories)
}

// arriveKilled hands the captures of each history over in an order drawn for it, without
// waiting for anything, while services are killed.
func (r *rig) arriveKilled(seed uint64, histories [][]*item) {
	r.t.Helper()
	random := rand.New(rand.NewPCG(asked.seed, seed))
	for _, captures := range histories {
		random.Shuffle(len(captures), func(i, j int) { captures[i], captures[j] = captures[j], captures[i] })
	}
	names, died := slices.Sorted(maps.Keys(r.services)), 0
	for i := range histories[0] {
		for n, captures := range histories {
			r.send(captures[i])
			if n%5 == 4 {
				r.services[names[random.IntN(len(names))]].kill()
				r.linger(time.Duration(random.IntN(300)) * time.Millisecond)
			}
		}
	}
	r.mustBeQuiet(&row{})
	for _, p := range r.services {
		died += p.died()
	}
	if died == 0 {
		r.t.Error("nothing was killed")
	}
}

// mustBeCurrent holds the current version of each history against the one that it must be.
func (r *rig) mustBeCurrent() {
	r.t.Helper()
	histories := arrivalsOf(r.t)
	for n, history := range arrivals() {
		if history.current < 0 {
			continue
		}
		want := ""
		if history.current > 0 {
			want = histories[n][history.current-1].snapshotID()
		}
		page := &item{request: inline("", fmt.Sprintf("arrival-%02d.html", n), nil, 1)}
		if now := r.document(page).CurrentSnapshotID; now != want {
			r.t.Errorf("%s: %q is current, want %q", history.captures, now, want)
		}
	}
}

// arrived hands five captures of each of 22 histories over in several orders: one
// dump, and every chunk and row proved.
func arrived(t *testing.T, r *rig) {
	if len(arrivals()) < 20 {
		t.Errorf("%d histories", len(arrivals()))
	}
	straight := ""
	run := func(name string, number int, kills bool, hand func(histories [][]*item)) {
		t.Run(name, func(t *testing.T) {
			r.beginOrders(t, number)
			if kills { // what is lost by one is to be published again
				r.values["COLOPHON_RECONCILE_AGE"] = "3s"
			}
			r.startServices()
			hand(arrivalsOf(t))
			r.mustBeCurrent()
			if straight == "" {
				straight = r.current()
			}
			r.mustEqual(straight)
		})
	}
	run("in their order", 30, false, r.arriveInOrder)
	run("backwards", 31, false, r.arriveBackwards)
	if asked.form < wide {
		return
	}
	for seed := range uint64(3) {
		run(fmt.Sprintf("in any order, with kills %d", seed), 32+int(seed), true, func(histories [][]*item) { r.arriveKilled(seed, histories) })
	}
}
