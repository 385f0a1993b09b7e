package robots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
)

const agent = "colophon/2 (+https://example.org)"

// host is a server whose robots.txt is what answer says, and a cache that may
// ask it.
func host(t *testing.T, o Options, answer http.HandlerFunc) (at *url.URL, c *Cache, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	client := fetch.New(fetch.Options{Guard: fetch.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Total: 5 * time.Second})
	t.Cleanup(client.Close)
	o.Fetcher, o.Agent = client, agent
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return at, New(o), asked
}

func ask(t *testing.T, c *Cache, at *url.URL, path string) error {
	t.Helper()
	target, err := at.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return c.Allowed(t.Context(), target)
}

func TestRules(t *testing.T) {
	long := strings.Repeat("# filler\n", maxRules/9) + "\nUser-agent: *\nDisallow: /\n"
	for _, c := range []struct{ name, body, path, rule string }{
		{"empty", "", "/a", ""},
		{"all", "User-agent: *\nDisallow: /\n", "/a", "Disallow: /"},
		{"robots.txt itself", "User-agent: *\nDisallow: /\n", "/robots.txt", ""},
		{"no path", "User-agent: *\nDisallow: /$\n", "", "Disallow: /$"},
		{"another agent", "User-agent: other\nDisallow: /\n", "/a", ""},
		{"our own group alone counts", "User-agent: *\nDisallow: /\n\nUser-agent: Colophon\nDisallow: /b\n", "/a", ""},
		{"groups of one agent are one", "User-agent: colophon\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: colophon\nDisallow: /b\n", "/b/1", "Disallow: /b"},
		{"several agents in a group", "User-agent: x\nUser-agent: colophon\nDisallow: /a\n", "/a", "Disallow: /a"},
		{"the longest match", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b/c", ""},
		{"of equal ones the milder", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", ""},
		{"wildcard", "User-agent: *\nDisallow: /*.php$\n", "/x/y.php", "Disallow: /*.php$"},
		{"wildcard with an end", "User-agent: *\nDisallow: /*.php$\n", "/x/y.php?a", ""},
		{"query", "User-agent: *\nDisallow: /*?print\n", "/x?print=1", "Disallow: /*?print"},
		{"octets and codes are equal", "User-agent: *\nDisallow: /été\n", "/%C3%A9t%C3%A9/1", "Disallow: /été"},
		{"case of the path counts", "User-agent: *\nDisallow: /A\n", "/a", ""},
		{"comments and spaces", " user-AGENT : * # all\r\n disallow:  /a  # here\r\n", "/a", "disallow:  /a  # here"},
		{"a byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /a\n", "/a", "Disallow: /a"},
		{"lines of old machines", "User-agent: *\rDisallow: /a\r", "/a", "Disallow: /a"},
		{"a page", "<!DOCTYPE html><html><body>Disallow</body></html>", "/a", ""},
		{"no bytes of text", "\x00\xff\xfe\n\x00", "/a", ""},
		{"a rule before any agent", "Disallow: /a\n", "/a", ""},
		{"beyond the limit", long, "/a", ""},
	} {
		at, cache, _ := host(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) })
		err := ask(t, cache, at, c.path)
		var refused *fetch.Refused
		if (err != nil) != (c.rule != "") || err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.rule))) {
			t.Errorf("%s: %v, want %q", c.name, err, c.rule)
		}
	}
}

// Rules and a path that would take minutes to compare are refused; as many
// without wildcards are not.
func TestRulesThatTakeTooLong(t *testing.T) {
	path := "/" + strings.Repeat("a", 16_000)
	for line, says := range map[string]string{"Disallow: /*" + strings.Repeat("a", 500) + "$\n": "too many patterns", "Disallow: /b" + strings.Repeat("a", 500) + "\n": ""} {
		body := "User-agent: *\n" + strings.Repeat(line, maxRules/len(line)-1)
		at, cache, _ := host(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		start := time.Now()
		err := ask(t, cache, at, path)
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("it took %s", took)
		}
	}
}

func TestAnswersThatAreNoRules(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		allowed bool
	}{
		{"404", http.NotFound, true},
		{"403", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, true},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, false},
		{"429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, false},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		{"a loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }, true},
		{"to forbidden places", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/robots.txt", http.StatusFound)
		}, false},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.Redirect(w, r, "/there", http.StatusFound)
				return
			}
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /x"))
		}, true},
		{"broken gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("\x1f\x8b\x08broken"))
		}, false},
	} {
		at, cache, _ := host(t, Options{}, c.answer)
		if err := ask(t, cache, at, "/a"); (err == nil) != c.allowed {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRulesAreKeptAndShared(t *testing.T) {
	down := atomic.Bool{}
	at, cache, asked := host(t, Options{Keep: time.Hour, Failed: time.Nanosecond}, func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if err := cache.Allowed(t.Context(), at); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	down.Store(true)
	if err := ask(t, cache, at, "/b"); err != nil || asked.Load() != 1 {
		t.Errorf("%v, after %d requests", err, asked.Load())
	}
	cache.opts.Keep = time.Nanosecond
	cache.forget(at.Scheme + "://" + at.Host)
	var unreachable *Unreachable
	if err := ask(t, cache, at, "/b"); !errors.As(err, &unreachable) || unreachable.Host != at.Host {
		t.Errorf("error %v", err)
	}
	down.Store(false) // a failure is asked again soon
	if err := ask(t, cache, at, "/b"); err != nil || asked.Load() != 3 {
		t.Errorf("%v, after %d requests", err, asked.Load())
	}
}

func TestWhoWaitsMayLeave(t *testing.T) {
	open := make(chan struct{})
	at, cache, asked := host(t, Options{}, func(http.ResponseWriter, *http.Request) { <-open })
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- cache.Allowed(ctx, at) }()
	stays := make(chan error, 1)
	go func() { stays <- cache.Allowed(t.Context(), at) }()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(open)
	if err := <-stays; err != nil || asked.Load() != 1 {
		t.Errorf("%v, after %d requests", err, asked.Load())
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	c := New(Options{})
	for n := range 60 {
		c.keep(fmt.Sprintf("http://h%d", n), rules{body: strings.Repeat("x", maxRules), until: time.Unix(int64(n), 0)})
	}
	if _, ok := c.hosts["http://h59"]; !ok || c.size > maxKept || len(c.hosts) != maxKept/(maxRules+perHost) {
		t.Errorf("%d hosts, %d bytes", len(c.hosts), c.size)
	}
	if _, ok := c.hosts["http://h0"]; ok {
		t.Error("what ends first is kept")
	}
}

// No file and no path make the matcher panic or take long.
func FuzzForbids(f *testing.F) {
	for _, s := range [][2]string{
		{"User-agent: *\nDisallow: /a*b$", "/aXb"}, {"user-agent:colophon\rallow:\r\ndisallow:%", "/%zz?q;p"},
		{"User-agent\nDisallow /", "//x"}, {"User-agent: *\nDisallow: ***************", "/" + strings.Repeat("*", 50)},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, body, path string) {
		target, err := url.Parse("http://x.org" + path)
		if err != nil || patterns(body)*len(target.RequestURI()) > maxWork {
			return
		}
		if rule, forbidden := forbids(body, "colophon", target); !forbidden && rule != "" {
			t.Errorf("allowed by %q", rule)
		}
	})
}
