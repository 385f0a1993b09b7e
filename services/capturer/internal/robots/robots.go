// Package robots asks robots.txt, as RFC 9309 has it, whether a URL may be
// fetched. The rules of a host are kept for a day.
package robots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jimsmart/grobotstxt"
	"golang.org/x/sync/singleflight"

	"github.com/colophon-dev/colophon/pkg/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

const (
	maxRules = 500 << 10 // bytes of a file that are read (RFC 9309, 2.5)
	maxKept  = 16 << 20  // bytes of all files that are kept
	perHost  = 1 << 10   // what a host costs beside its file
	maxWork  = 1 << 28   // bytes of patterns times bytes of a path, under a second
)

// Fetcher gets robots.txt; its errors are those of fetch.Client.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Options of a Cache. Every zero value means the default named.
type Options struct {
	Fetcher Fetcher
	Agent   string        // the User-Agent header; its product token is what rules are looked up for
	Spool   spool.Spooler // for a file that comes in a content coding
	Keep    time.Duration // for which rules hold, 24 h (RFC 9309, 2.4)
	Failed  time.Duration // for which a host whose rules cannot be read is not asked again, 30 s
}

// Cache holds the rules of hosts. It is safe for concurrent use.
type Cache struct {
	opts   Options
	agent  string
	asking singleflight.Group

	mu    sync.Mutex
	hosts map[string]rules
	size  int
}

// rules are what a host says, or why that is not known.
type rules struct {
	body  string
	err   error
	until time.Time
}

// Unreachable says that the rules of a host cannot be read now, which forbids
// everything (RFC 9309, 2.3.1.4). It passes.
type Unreachable struct {
	Host string
	Err  error
}

// Error returns a sentence without secrets.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("robots.txt of %s cannot be read, so that nothing may be fetched there: %v", u.Host, u.Err)
}

// Unwrap returns what went wrong.
func (u *Unreachable) Unwrap() error { return u.Err }

// New returns an empty cache.
func New(o Options) *Cache {
	if o.Keep == 0 {
		o.Keep = 24 * time.Hour
	}
	if o.Failed == 0 {
		o.Failed = 30 * time.Second
	}
	agent := strings.TrimSpace(o.Agent)
	if i := strings.IndexAny(agent, "/ ("); i >= 0 {
		agent = agent[:i]
	}
	return &Cache{opts: o, agent: agent, hosts: make(map[string]rules)}
}

// Allowed returns nil for a URL that may be fetched, a *fetch.Refused that names
// the rule for one that must not, or that is refused itself, and an
// *Unreachable for one of which that cannot be known now.
func (c *Cache) Allowed(ctx context.Context, target *url.URL) error {
	if target.Path == "/robots.txt" { // RFC 9309, 2.2.2
		return nil
	}
	r, err := c.rules(ctx, target)
	if err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	if work := patterns(r.body) * len(target.RequestURI()); work > maxWork {
		return &fetch.Refused{What: redact.URL(target.String(), redact.Log), Why: fmt.Sprintf("robots.txt of %s has too many patterns for so long a path", target.Host)}
	}
	if rule, ok := forbids(r.body, c.agent, target); ok {
		return &fetch.Refused{What: redact.URL(target.String(), redact.Log), Why: fmt.Sprintf("robots.txt of %s says %q", target.Host, rule)}
	}
	return nil
}

// patterns returns the bytes of the lines that hold a wildcard: what they cost to
// match grows with the path, and both are the server's choice.
func patterns(body string) (size int) {
	for line := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.Contains(line, "*") {
			size += len(line)
		}
	}
	return size
}

// forbids reports whether rules forbid a URL to an agent, and which one does.
func forbids(body, agent string, target *url.URL) (rule string, forbidden bool) {
	asked := &url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path, RawPath: target.RawPath, RawQuery: target.RawQuery}
	if asked.Path == "" {
		asked.Path = "/"
	}
	m := grobotstxt.NewRobotsMatcher()
	if m.AgentAllowed(body, agent, asked.String()) {
		return "", false
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\n")
	if n := m.MatchingLine(); n >= 1 && n <= len(lines) {
		rule = strings.ToValidUTF8(strings.TrimSpace(lines[n-1]), "\uFFFD")
	}
	return rule[:min(len(rule), 200)], true
}

// rules returns those of a URL's host; the error is the context's.
func (c *Cache) rules(ctx context.Context, target *url.URL) (rules, error) {
	host := target.Scheme + "://" + strings.ToLower(target.Host)
	c.mu.Lock()
	r, ok := c.hosts[host]
	c.mu.Unlock()
	if ok && time.Now().Before(r.until) {
		return r, nil
	}
	// All who wait share one answer, which must not end with one of them.
	answer := c.asking.DoChan(host, func() (any, error) {
		r := c.ask(context.WithoutCancel(ctx), host, target.Host)
		c.keep(host, r)
		return r, nil
	})
	select {
	case <-ctx.Done():
		return rules{}, context.Cause(ctx)
	case a := <-answer:
		return a.Val.(rules), nil
	}
}

// ask gets the rules of a host (RFC 9309, 2.3.1).
func (c *Cache) ask(ctx context.Context, origin, host string) rules {
	body, err := c.get(ctx, origin+"/robots.txt")
	var refused *fetch.Refused
	var status *fetch.StatusError
	switch {
	case err == nil:
		return rules{body: body, until: time.Now().Add(c.opts.Keep)}
	case errors.As(err, &status) && status.Status >= 400 && status.Status < 500 && !status.Passing(), errors.Is(err, fetch.ErrRedirects):
		return rules{until: time.Now().Add(c.opts.Keep)} // it has none
	case errors.As(err, &refused):
		return rules{err: refused, until: time.Now().Add(c.opts.Failed)}
	default:
		return rules{err: &Unreachable{Host: host, Err: err}, until: time.Now().Add(c.opts.Failed)}
	}
}

func (c *Cache) get(ctx context.Context, address string) (string, error) {
	answer, err := c.opts.Fetcher.Get(ctx, fetch.Request{URL: address, Limit: maxRules, Cut: true})
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body := answer.Body
	decoded, _, err := fetch.Decode(c.opts.Spool, body, strings.Join(answer.Header.Values("Content-Encoding"), ","), maxRules)
	if err != nil {
		return "", err
	}
	if decoded != nil {
		defer decoded.Close()
		body = decoded
	}
	data, err := io.ReadAll(body.Open())
	if err != nil {
		return "", fmt.Errorf("reading it: %w", err)
	}
	return string(data), nil
}

// keep remembers rules, and forgets those that end first when there are too
// many.
func (c *Cache) keep(host string, r rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(host)
	c.hosts[host] = r
	c.size += perHost + len(r.body)
	for c.size > maxKept && len(c.hosts) > 1 {
		first := ""
		for name, kept := range c.hosts {
			if name != host && (first == "" || kept.until.Before(c.hosts[first].until)) {
				first = name
			}
		}
		c.forget(first)
	}
}

func (c *Cache) forget(host string) {
	if r, ok := c.hosts[host]; ok {
		c.size -= perHost + len(r.body)
		delete(c.hosts, host)
	}
}
