package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/credential"
)

// address says where an endpoint is, and how it is connected to.
type address struct {
	name    string // in errors and log lines, as "the embedding endpoint"
	url     string // up to its version
	key     string
	keyFile string
	files   credential.TLSFiles
	calls   int           // at once
	timeout time.Duration // of opening a connection
	log     *slog.Logger
}

// A JSON answer spends at most bytesPerNumber on a number of a vector, with its comma, and
// otherBytes on everything else.
const (
	bytesPerNumber = 32
	otherBytes     = 1 << 20
)

// errTooLarge says that an answer was longer than anything that was asked for.
var errTooLarge = errors.New("its answer is larger than any answer can be")

// connection sends requests to one endpoint, with the key and the certificates that the
// files hold now.
type connection struct {
	address      address
	key          *credential.Watched[string]
	certificates *credential.Watched[*tls.Config]
	standing     credential.Standing

	mu   sync.Mutex
	made *tls.Config // what http was made with
	http *http.Transport
}

// connect returns a connection. Files that are not there are no error yet.
func connect(a address) (*connection, error) {
	named, err := a.files.Named()
	if err == nil && named && !strings.HasPrefix(a.url, "https:") {
		err = errors.New("there are files of certificates, but its address is not https")
	}
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", a.name, err)
	}
	o := credential.Options{Store: a.name, Log: a.log}
	return &connection{
		address:  a,
		standing: credential.Standing{Log: a.log},
		key: credential.Watch(o, func(read credential.Read) (string, error) {
			return credential.Text(read, a.key, a.keyFile)
		}),
		certificates: credential.Watch(o, a.files.Client),
	}, nil
}

// call returns the HTTP client for one call, whose answer may hold so many numbers, and
// the key of now.
func (c *connection) call(numbers int) (one *call, key string, err error) {
	if key, err = c.key.Now(); err != nil {
		return nil, "", err
	}
	transport, err := c.transport()
	if err != nil {
		return nil, "", err
	}
	return &call{transport: transport, most: int64(numbers*bytesPerNumber + otherBytes)}, key, nil
}

// transport returns the connections that are made with the certificates of now. Those of
// before end when they are idle.
func (c *connection) transport() (*http.Transport, error) {
	settings, err := c.certificates.Now()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.http != nil && c.made == settings {
		return c.http, nil
	}
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	fresh := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: c.address.timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: c.address.timeout, MaxIdleConnsPerHost: c.address.calls, IdleConnTimeout: time.Minute,
		ForceAttemptHTTP2: true,
	}
	if named, _ := c.address.files.Named(); named {
		fresh.TLSClientConfig = settings.Clone()
	}
	c.made, c.http = settings, fresh
	return fresh, nil
}

// call is the HTTP client of one call: it follows no redirect, which would take our key
// elsewhere, and bounds the answer.
type call struct {
	transport  http.RoundTripper
	most       int64 // bytes of the answer
	retryAfter time.Duration
}

// Do implements openai.HTTPDoer.
func (c *call) Do(r *http.Request) (*http.Response, error) {
	answer, err := c.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	c.retryAfter = retryAfterOf(answer.Header.Get("Retry-After"), time.Now())
	answer.Body = &bounded{ReadCloser: answer.Body, left: c.most}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("it answers with status %d, a redirect, which is not followed", answer.StatusCode)
	}
	return answer, nil
}

// retryAfterOf reads a Retry-After of seconds or of a date. What is neither, or past, is 0.
func retryAfterOf(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, mostPatient.Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// bounded is an answer that is an error from a number of bytes on.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// note tells of credentials that are refused or taken, and lets the next call look at the
// files at once where they are doubted.
func (c *connection) note(ctx context.Context, err error) error {
	if errors.Is(err, credential.ErrRefused) {
		c.key.Doubt()
		c.certificates.Doubt()
	}
	return c.standing.Note(ctx, c.address.name, err)
}

func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}
