// Package fetch gets one document over HTTP from a server that is not trusted:
// only public addresses, checked at the moment of connecting, a bounded number
// of redirects, bytes and seconds.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// Options of a Client. Every zero value means the default named.
type Options struct {
	Guard         Guard
	Spool         spool.Spooler
	UserAgent     string        // sent with every request
	Connect       time.Duration // for a connection and its TLS handshake, 10 s
	FirstByte     time.Duration // from the request to the end of the headers, 30 s
	Total         time.Duration // for one document with all its redirects, 2 min
	MaxRedirects  int           // 5
	MaxHeaderSize int64         // bytes of one response's headers, 256 KiB
	Resolver      *net.Resolver // that of the system
}

// Request says what is fetched and how.
type Request struct {
	URL   string
	Limit int64 // bytes of the body
	Cut   bool  // a longer body is cut at Limit, which else is spool.ErrTooLarge
	// Known is what is stored already: its server is asked for something newer.
	Known *Known
	// Allowed, when it is set, is asked before every request, also of a
	// redirect; its error ends the fetch and comes back as it is.
	Allowed func(ctx context.Context, target *url.URL) error
}

// Known are the validators of a document (RFC 9110, 8.8), as its server gave
// them when it was fetched.
type Known struct {
	URLCanonical string // where they hold
	ETag         string
	LastModified string // the header's value
}

// Client fetches documents. It is safe for concurrent use. It keeps no cookies
// and uses no proxy.
type Client struct {
	opts Options
	http *http.Transport
}

// Response is what a server sent. The caller closes Body.
type Response struct {
	URL    string   // the one that answered, as it was asked for
	Chain  []string // the URLs that led there, the requested one first; empty without redirects
	Status int
	Header http.Header
	Asked  http.Header    // the header fields that this client sent with the last request
	At     time.Time      // when the head of the answer came, by this machine's clock
	Body   *spool.Content // as it came: a content coding is not undone; nil with NotModified

	NotModified bool // the server says that what is Known stands
}

// StatusError says that the server answered with something that is no document.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // 0: it named none
}

// Error names the status.
func (e *StatusError) Error() string {
	if text := http.StatusText(e.Status); text != "" {
		return fmt.Sprintf("the server answered %d %s", e.Status, text)
	}
	return fmt.Sprintf("the server answered %d", e.Status)
}

// Passing reports whether the answer may be another one later.
func (e *StatusError) Passing() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	default:
		return e.Status >= 500
	}
}

// ErrTimeout says that the server was too slow.
var ErrTimeout = errors.New("the server took too long")

// ErrRedirects says that a chain of redirects is too long, or leads nowhere.
var ErrRedirects = errors.New("the redirects lead nowhere")

// New returns a client.
func New(o Options) *Client {
	def(&o.Connect, 10*time.Second)
	def(&o.FirstByte, 30*time.Second)
	def(&o.Total, 2*time.Minute)
	def(&o.MaxRedirects, 5)
	def(&o.MaxHeaderSize, 256<<10)
	def(&o.UserAgent, "colophon")
	dialer := &net.Dialer{Timeout: o.Connect, Control: o.Guard.Control, Resolver: o.Resolver}
	return &Client{opts: o, http: &http.Transport{
		Proxy:                  nil, // it would see the address, not the guard
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    o.Connect,
		ResponseHeaderTimeout:  o.FirstByte,
		MaxResponseHeaderBytes: o.MaxHeaderSize,
		DisableCompression:     true, // it would inflate without limit
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}}
}

func def[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Get fetches a URL and follows its redirects. An error is a *Refused, a
// *StatusError, ErrRedirects, ErrTimeout, spool.ErrTooLarge, what Allowed said,
// the context's own when it ended, or that of the network. None of them holds a
// URL's secrets.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, c.opts.Total, ErrTimeout)
	defer cancel()
	answer, err := c.follow(bounded, r)
	if err == nil || ctx.Err() != nil {
		return answer, err
	}
	if bounded.Err() != nil {
		return nil, fmt.Errorf("%w: limit %s", ErrTimeout, c.opts.Total)
	}
	if isTimeout(err) {
		return nil, fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return nil, err
}

func (c *Client) follow(ctx context.Context, r Request) (*Response, error) {
	var chain []string
	for address := r.URL; ; {
		target, err := parse(address)
		if err != nil {
			return nil, err
		}
		if r.Allowed != nil {
			if err := r.Allowed(ctx, target); err != nil {
				return nil, err
			}
		}
		known := r.knownOf(target)
		answer, err := c.ask(ctx, target, known)
		if err != nil {
			return nil, err
		}
		next, err := location(answer, target)
		if err != nil || next == "" {
			var got *Response
			if err == nil {
				got, err = c.read(answer, r, known != nil)
			}
			_ = answer.Body.Close()
			if err != nil {
				return nil, err
			}
			got.URL, got.Chain = address, chain
			return got, nil
		}
		_ = answer.Body.Close()
		if len(chain) == c.opts.MaxRedirects {
			return nil, fmt.Errorf("%w: more than %d", ErrRedirects, c.opts.MaxRedirects)
		}
		chain, address = append(chain, address), next
	}
}

// knownOf returns what is known of a URL, nil when that is nothing that its
// server can compare.
func (r Request) knownOf(target *url.URL) *Known {
	if r.Known == nil || r.Known.ETag == "" && r.Known.LastModified == "" {
		return nil
	}
	if canonical, err := digest.URLCanonV4(target.String()); err != nil || canonical != r.Known.URLCanonical {
		return nil
	}
	return r.Known
}

// parse refuses what is not a plain web address.
func parse(address string) (*url.URL, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, &Refused{What: "the URL", Why: "it cannot be parsed"}
	}
	shown := redact.URL(address, redact.Log)
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return nil, &Refused{What: shown, Why: "only http and https are fetched"}
	case target.User != nil:
		return nil, &Refused{What: shown, Why: "it carries user information"}
	case target.Hostname() == "":
		return nil, &Refused{What: shown, Why: "it names no host"}
	}
	if port := target.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return nil, &Refused{What: shown, Why: "its port is none"}
		}
	}
	target.Fragment, target.RawFragment = "", ""
	return target, nil
}

func (c *Client) ask(ctx context.Context, target *url.URL, known *Known) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, &Refused{What: "the URL", Why: "no request can be made of it"}
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", "identity") // a coded form would be kept beside the bytes
	if known != nil {
		setHeader(req.Header, "If-None-Match", known.ETag)
		setHeader(req.Header, "If-Modified-Since", known.LastModified)
	}
	// Not by http.Client: its errors hold URLs, which may hold secrets.
	answer, err := c.http.RoundTrip(req)
	if err == nil {
		return answer, nil
	}
	var refused *Refused
	if errors.As(err, &refused) {
		return nil, refused
	}
	return nil, fmt.Errorf("asking %s: %w", target.Host, unquoted(err))
}

// unquoted returns an error without what net/http quotes in its own of the lines of an
// answer, which may be a secret: what stands before the quotation says what is wrong.
func unquoted(err error) error {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	text := err.Error()
	at := strings.IndexAny(text, `"[`)
	if line := strings.Index(text, mimeHeader); line >= 0 { // what follows may be a line without quotes
		at = line + len(mimeHeader)
	}
	if errors.As(err, &network) || errors.As(err, &certificate) || at < 0 {
		return err
	}
	return fmt.Errorf("its answer is no HTTP: %s", strings.TrimRight(text[:at], " :;,"))
}

// mimeHeader begins the errors of net/textproto about a line of a header.
const mimeHeader = "malformed MIME header"

// location returns where a redirect leads, "" when the answer is none.
func location(answer *http.Response, from *url.URL) (string, error) {
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return "", nil
	}
	given := answer.Header.Get("Location")
	next, err := from.Parse(given)
	if err != nil || given == "" {
		return "", fmt.Errorf("%w: the server answered %d without a usable Location", ErrRedirects, answer.StatusCode)
	}
	return next.String(), nil
}

func setHeader(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

func (c *Client) read(answer *http.Response, r Request, conditional bool) (*Response, error) {
	got := &Response{Status: answer.StatusCode, Header: answer.Header, Asked: answer.Request.Header, At: time.Now()}
	switch {
	case conditional && answer.StatusCode == http.StatusNotModified:
		got.NotModified = true
		return got, nil
	case answer.StatusCode < 200 || answer.StatusCode > 299 || answer.StatusCode == http.StatusPartialContent:
		return nil, &StatusError{Status: answer.StatusCode, RetryAfter: retryAfter(answer.Header, time.Now())}
	}
	var body io.Reader = answer.Body
	size := answer.ContentLength
	switch {
	case r.Cut:
		body, size = io.LimitReader(body, r.Limit), min(size, r.Limit)
	case answer.ContentLength > r.Limit:
		return nil, spool.ErrTooLarge
	}
	var err error
	got.Body, err = c.opts.Spool.ReadSized(body, size, r.Limit)
	if err != nil {
		return nil, err
	}
	return got, nil
}

// retryAfter reads both forms of the header (RFC 9110, 10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	given := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(given, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(given); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}
