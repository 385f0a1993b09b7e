package app

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// hostile is a server that answers, on the bare connection, as bad as it likes.
// It has no robots.txt.
func hostile(t *testing.T, answer func(conn net.Conn, r *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				switch {
				case err != nil:
				case r.URL.Path == "/robots.txt":
					_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				default:
					answer(conn, r)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// says answers with these bytes, in which a line ends with \n, and closes.
func says(head, body string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 "+strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n"+body)
	}
}

// forever answers with a start and then repeats the rest until nobody listens,
// with a pause before each.
func forever(start, rest string, pause time.Duration) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		_, err := io.WriteString(conn, "HTTP/1.1 "+start)
		for err == nil {
			if pause > 0 {
				<-time.After(pause)
			}
			_, err = io.WriteString(conn, rest)
		}
	}
}

// reset ends a connection in the hard way after it has said something.
func reset(start string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, start)
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
}

// hop leads n times to the next path, then answers.
func hop(n int) func(net.Conn, *http.Request) {
	return func(conn net.Conn, r *http.Request) {
		var at int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &at)
		if at < n {
			says(fmt.Sprintf("302 Found\nLocation: /%d\nContent-Length: 0", at+1), "")(conn, r)
			return
		}
		says("200 OK\nContent-Type: text/html", page)(conn, r)
	}
}

type hostileCase struct {
	name    string
	answer  func(net.Conn, *http.Request)
	outcome event.Outcome
	reason  fault.Reason
	status  string // fetch_status
	says    string // in the message
}

func slowAndEndless() []hostileCase {
	const failed, rejected = event.OutcomeFailed, event.OutcomeRejected
	chunk := "8000\r\n" + strings.Repeat("x", 0x8000) + "\r\n"
	return []hostileCase{
		{"silence", forever("", "", time.Second), failed, fault.FetchFailed, "error", "took too long"},
		{"headers that drip", forever("200 OK\r\n", "X: y\r\n", 20*time.Millisecond), failed, fault.FetchFailed, "error", "took too long"},
		{"a status line that drips", forever("2", "0", 20*time.Millisecond), failed, fault.FetchFailed, "error", "took too long"},
		{"a body that drips", forever("200 OK\r\n\r\n", "x", 20*time.Millisecond), failed, fault.FetchFailed, "error", "took too long"},
		{"a body without end", forever("200 OK\r\n\r\n", strings.Repeat("x", 1<<15), 0), rejected, fault.TooLarge, "error", "1048576"},
		{"chunks without end", forever("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, 0), rejected, fault.TooLarge, "error", "1048576"},
		{"tiny chunks without end", forever("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1;"+strings.Repeat("e", 2000)+"\r\nx\r\n", 0),
			failed, fault.FetchFailed, "error", ""},
		{"headers without end", forever("200 OK\r\n", "X-Flood: "+strings.Repeat("y", 1000)+"\r\n", 0), failed, fault.FetchFailed, "error", ""},
		{"one header without end", forever("200 OK\r\nX-Flood: ", strings.Repeat("y", 1000), 0), failed, fault.FetchFailed, "error", ""},
		{"trailers without end", forever("200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\nx\r\n0\r\n", "X: y\r\n", 0),
			failed, fault.FetchFailed, "error", ""},
		{"early hints without end", forever("103 Early Hints\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0), failed, fault.FetchFailed, "error", ""},
		{"a gzip bomb", says("200 OK\nContent-Encoding: gzip", gzipped(strings.Repeat("0", 64<<20))), rejected, fault.TooLarge, "error", "1048576"},
		{"a bomb in a bomb", says("200 OK\nContent-Encoding: gzip, gzip", gzipped(gzipped(strings.Repeat("0", 64<<20)))), rejected, fault.TooLarge, "error", "1048576"},
		{"many codings", says("200 OK\nContent-Encoding: gzip, gzip, gzip, gzip", gzipped(page)), failed, fault.FetchFailed, "error", "4 codings"},
		{"gzip that is cut", says("200 OK\nContent-Encoding: gzip", gzipped(page)[:50]), failed, fault.FetchFailed, "error", "cannot be decoded"},
	}
}

func lies() []hostileCase {
	const failed, rejected, stored = event.OutcomeFailed, event.OutcomeRejected, event.OutcomeStored
	return []hostileCase{
		{"less than announced", says("200 OK\nContent-Length: 99", "short"), failed, fault.FetchFailed, "error", "unexpected EOF"},
		{"more than announced", says("200 OK\nContent-Length: 5", "shorter than this"), stored, "", "ok", ""},
		{"too much is announced", says("200 OK\nContent-Length: 99999999", "x"), rejected, fault.TooLarge, "error", "1048576"},
		{"a negative length", says("200 OK\nContent-Length: -5", "x"), failed, fault.FetchFailed, "error", "Content-Length"},
		{"two lengths", says("200 OK\nContent-Length: 1\nContent-Length: 2", "xy"), failed, fault.FetchFailed, "error", "Content-Length"},
		{"a length beyond all numbers", says("200 OK\nContent-Length: 99999999999999999999", "x"), failed, fault.FetchFailed, "error", "Content-Length"},
		{"chunks that end early", says("200 OK\nTransfer-Encoding: chunked", "5\r\nabc"), failed, fault.FetchFailed, "error", "unexpected EOF"},
		{"chunks that are none", says("200 OK\nTransfer-Encoding: chunked", "zz\r\nabc\r\n"), failed, fault.FetchFailed, "error", "chunk"},
		{"a chunk beyond all numbers", says("200 OK\nTransfer-Encoding: chunked", "ffffffffffffffffff\r\nabc"), failed, fault.FetchFailed, "error", "chunk"},
		{"an unknown transfer coding", says("200 OK\nTransfer-Encoding: gzip", "x"), failed, fault.FetchFailed, "error", "transfer encoding"},
		{"no HTTP", func(c net.Conn, _ *http.Request) { _, _ = io.WriteString(c, "<html><body>x") }, failed, fault.FetchFailed, "error", ""},
		{"noise", func(c net.Conn, _ *http.Request) { _, _ = c.Write([]byte{0, 255, 1, 254, '\n', 13, 10}) }, failed, fault.FetchFailed, "error", ""},
		{"a wrong character set", says("200 OK\nContent-Type: text/html; charset=utf-16", page), stored, "", "ok", ""},
		{"an unknown character set", says("200 OK\nContent-Type: text/html; charset=\"nul\x01\"", page), failed, fault.FetchFailed, "error", "header"},
		{"a coding that was never applied", says("200 OK\nContent-Encoding: gzip\nContent-Type: text/html", page), stored, "", "ok", ""},
		{"no content", says("204 No Content", ""), stored, "", "ok", ""},
		{"part of it", says("206 Partial Content\nContent-Range: bytes 0-0/9", "x"), failed, fault.FetchFailed, "error", "206"},
		{"not modified, unasked", says("304 Not Modified", ""), failed, fault.FetchFailed, "error", "304"},
		{"another protocol", says("101 Switching Protocols\nUpgrade: x\nConnection: upgrade", "x"), failed, fault.FetchFailed, "error", "101"},
		{"a status of nobody", says("999 No", ""), failed, fault.FetchFailed, "error", "999"},
		{"no status", says("OK", ""), failed, fault.FetchFailed, "error", ""},
		{"closed at once", func(net.Conn, *http.Request) {}, failed, fault.FetchFailed, "error", "EOF"},
		{"reset at once", reset(""), failed, fault.FetchFailed, "error", ""},
		{"reset within the headers", reset("HTTP/1.1 200 OK\r\nX: "), failed, fault.FetchFailed, "error", ""},
		{"reset within the body", reset("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), failed, fault.FetchFailed, "error", ""},
	}
}

func refusals() []hostileCase {
	const failed, rejected, stored = event.OutcomeFailed, event.OutcomeRejected, event.OutcomeStored
	date := time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)
	return []hostileCase{
		{"a loop", says("301 Moved Permanently\nLocation: /again", ""), failed, fault.FetchFailed, "error", "more than 5"},
		{"five redirects", hop(5), stored, "", "redirected", ""},
		{"six redirects", hop(6), failed, fault.FetchFailed, "error", "more than 5"},
		{"a redirect to nowhere", says("302 Found", ""), failed, fault.FetchFailed, "error", "Location"},
		{"a redirect to no URL", says("302 Found\nLocation: http://u:geheim@[::1/?access_token=geheim", ""), failed, fault.FetchFailed, "error", "Location"},
		{"a redirect to another scheme", says("302 Found\nLocation: file:///etc/passwd", ""), rejected, fault.FetchRefused, "blocked", "http and https"},
		{"a redirect into the network", says("302 Found\nLocation: http://10.0.0.1/?access_token=geheim", ""), rejected, fault.FetchRefused, "blocked", "10.0.0.1"},
		{"a redirect to the metadata", says("302 Found\nLocation: http://169.254.169.254/latest/", ""), rejected, fault.FetchRefused, "blocked", "link-local"},
		{"a redirect with a password", says("302 Found\nLocation: http://u:geheim@127.0.0.1/", ""), rejected, fault.FetchRefused, "blocked", "user information"},
		{"unauthorized", says("401 Unauthorized\nWWW-Authenticate: Basic", ""), failed, fault.FetchFailed, "blocked", "401"},
		{"forbidden", says("403 Forbidden", "no"), failed, fault.FetchFailed, "blocked", "403"},
		{"gone", says("410 Gone", ""), failed, fault.FetchFailed, "error", "410"},
		{"unavailable for legal reasons", says("451 Unavailable", ""), failed, fault.FetchFailed, "blocked", "451"},
		{"too many, in seconds", says("429 Too Many\nRetry-After: 60", ""), failed, fault.FetchFailed, "blocked", "429"},
		{"too many, until a date", says("429 Too Many\nRetry-After: "+date, ""), failed, fault.FetchFailed, "blocked", "429"},
		{"too many, for a day", says("429 Too Many\nRetry-After: 86400", ""), failed, fault.FetchFailed, "blocked", "24h0m0s"},
		{"unavailable", says("503 Service Unavailable\nRetry-After: soon", ""), failed, fault.FetchFailed, "error", "503"},
		{"a broken server", says("500 Oops", "geheim"), failed, fault.FetchFailed, "error", "500"},
	}
}

// TestHostileServers: each of them ends in its outcome, within the time that a
// fetch may take.
func TestHostileServers(t *testing.T) {
	const limit = 800 * time.Millisecond
	b := fresh(t, func(c *Config) { c.Capture.Total, c.Capture.FirstByte = limit, limit/2 })
	small := model.DefaultSource(source)
	small.MaxBytes = 1 << 20
	if err := b.db.PutSource(t.Context(), small); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	var longest time.Duration
	all := slices.Concat(slowAndEndless(), lies(), refusals())
	for n, c := range all {
		start := time.Now()
		done := b.end(event.CaptureRequested{RequestID: fmt.Sprintf("h%d", n), URL: hostile(t, c.answer) + "/0"})
		if took := time.Since(start); took > longest {
			longest = took
		}
		counts[strings.TrimSpace(string(done.Outcome)+" "+done.Reason)]++
		if done.Outcome != c.outcome || done.Reason != string(c.reason) || done.FetchStatus != c.status || !strings.Contains(done.Message, c.says) {
			t.Errorf("%s: %+v", c.name, done)
		}
		if wait := strings.HasPrefix(c.name, "too many"); (done.RetryAfter != nil) != wait {
			t.Errorf("%s: retry after %v", c.name, done.RetryAfter)
		}
		if strings.Contains(done.Message, "geheim") {
			t.Errorf("%s: the message tells a secret: %s", c.name, done.Message)
		}
	}
	if longest > limit+20*time.Second { // what a busy machine needs beside it
		t.Errorf("one took %s, limit %s", longest, limit)
	}
	for _, ended := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%3d %s", counts[ended], ended)
	}
	t.Logf("%d hostile servers, the longest was endured for %s, limit %s", len(all), longest.Round(time.Millisecond), limit)
}

// end handles a request to its end, as the runner does when attempts are used up.
func (b *bench) end(r event.CaptureRequested) event.CaptureCompleted {
	b.t.Helper()
	e := b.event(r)
	if err := b.handle(e); fault.KindOf(err) == fault.KindTransient {
		if failed := b.stage.Fail(b.t.Context(), e, fault.ReasonOf(err), err.Error(), b.emit); failed != nil {
			b.t.Fatal(failed)
		}
	} else if err != nil && fault.KindOf(err) != fault.KindPermanent {
		b.t.Fatalf("request %s: %v", r.RequestID, err)
	}
	return b.told()
}

func TestTLSThatCannotBeTrusted(t *testing.T) {
	b := fresh(t, func(c *Config) { c.Capture.Total, c.Capture.Connect = time.Second, 300*time.Millisecond })
	selfSigned := httptest.NewUnstartedServer(http.NotFoundHandler())
	selfSigned.Config.ErrorLog = log.New(io.Discard, "", 0)
	selfSigned.StartTLS()
	t.Cleanup(selfSigned.Close)
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	old.TLS.MaxVersion = 0x0301 // TLS 1.0
	t.Cleanup(old.Close)
	for name, address := range map[string]string{
		"a certificate of its own": selfSigned.URL,
		"an old protocol":          old.URL,
		"no TLS":                   strings.Replace(hostile(t, says("200 OK", page)), "http:", "https:", 1),
		"silence":                  strings.Replace(hostile(t, forever("", "", time.Second)), "http:", "https:", 1),
	} {
		done := b.end(event.CaptureRequested{RequestID: name, URL: address})
		if done.Outcome != event.OutcomeFailed || done.Reason != string(fault.FetchFailed) || done.FetchStatus != "error" {
			t.Errorf("%s: %+v", name, done)
		}
	}
}
