package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// trap is what must never be reached: every address of this machine that the
// tests can listen at, on one port. Beside it, at 127.0.0.2, which the client
// may ask, is a server that leads there.
type trap struct {
	port   string
	caught atomic.Int32 // connections
	bait   atomic.Int32 // requests to the server beside it
}

func setTrap(t *testing.T) *trap {
	t.Helper()
	tr := &trap{}
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, tr.port, err = net.SplitHostPort(first.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	tr.watch(t, first)
	if second, err := net.Listen("tcp", "[::1]:"+tr.port); err == nil { // where there is IPv6
		tr.watch(t, second)
	}
	beside, err := net.Listen("tcp", "127.0.0.2:"+tr.port)
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skipf("127.0.0.2 is no address of this machine: %v", err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tr.bait.Add(1)
		w.Header().Set("Connection", "close")
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	})}
	go func() { _ = server.Serve(beside) }()
	t.Cleanup(func() { _ = server.Close() })
	return tr
}

func (tr *trap) watch(t *testing.T, l net.Listener) {
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			tr.caught.Add(1)
			_ = conn.Close()
		}
	}()
}

// leading returns a URL that may be asked for and leads to another.
func (tr *trap) leading(to string) string {
	return "http://127.0.0.2:" + tr.port + "/?to=" + url.QueryEscape(to)
}

// client may ask 127.0.0.2, and public addresses on the trap's port: no port
// saves it from the trap.
func (tr *trap) client(t *testing.T, r *net.Resolver) *Client {
	t.Helper()
	var port uint16
	if _, err := fmt.Sscan(tr.port, &port); err != nil {
		t.Fatal(err)
	}
	c := New(Options{
		Guard: Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}, Ports: []uint16{80, 443, port}},
		Total: 10 * time.Second, Resolver: r,
	})
	t.Cleanup(c.Close)
	return c
}

// hosts are ways of writing addresses that are not public, and names of them.
// What follows no way at all is written as the resolver may take it.
func hosts() []string {
	return []string{
		"127.0.0.1", "127.0.0.1.", "127.255.255.254", "127.1", "127.0.1", "127.000.000.001", "0177.0.0.1", "0177.1", "017700000001",
		"0x7f.0x0.0x0.0x1", "0x7f.1", "0x7f000001", "0X7F000001", "2130706433", "%31%32%37.0.0.1", "127%2e0.0.1", "127.0.0.1%00",
		"①②⑦.0.0.1", "１２７.0.0.1", "127。0。0。1", "0", "0.0.0.0", "00.0x0.0", "localhost", "LOCALHOST", "localhost.", "ip6-localhost",
		"[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]",
		"[::ffff:0:7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]",
		"[2001:0:7f00:1::1]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[fe80::1%25lo]", "[fe80::1]", "[::1%25lo]", "[fec0::1]",
		"[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[100::1]",
		"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "169.254.0.1", "192.0.0.1", "192.0.2.1",
		"198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
		"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "[fd20:ce::254]",
		"0xa9.0xfe.0xa9.0xfe", "2852039166", "0251.0376.0251.0376", "[::ffff:169.254.169.254]",
	}
}

// addresses are URLs that must not be fetched for other reasons; $PORT is the trap's.
func addresses() []string {
	return []string{
		"gopher://127.0.0.1:$PORT/_GET", "file:///etc/hosts", "ftp://127.0.0.1:$PORT/", "dict://127.0.0.1:$PORT/", "ldap://127.0.0.1:$PORT/",
		"unix:///var/run/docker.sock", "data:text/html,x", "javascript:1", "jar:http://127.0.0.1:$PORT/!/", "blob:http://127.0.0.1:$PORT/",
		"http+unix://%2Fvar%2Frun/x", "ws://127.0.0.1:$PORT/", "//127.0.0.1:$PORT/", "http:127.0.0.1:$PORT", "http:///127.0.0.1:$PORT",
		"http://", "", "http://%zz/", "http://[::1", "http://[127.0.0.1]:$PORT/", "http://127.0.0.1:$PORT:80/", "http://127.0.0.1:99999/",
		"http://a@127.0.0.1:$PORT/", "http://example.org@127.0.0.1:$PORT/", "http://example.org:80@127.0.0.1:$PORT/",
		"http://127.0.0.1:$PORT#@example.org/", "http://127.0.0.1:$PORT\\@example.org/", "http://example.org%00@127.0.0.1:$PORT/",
		"http://127.0.0.1\t:$PORT/", "http://127.0.0.1\r\n:$PORT/", "http://127.0.0.1 :$PORT/", "https://127.0.0.1:$PORT/",
		"http://8.8.8.8:22/", "http://8.8.8.8:6379/", "http://8.8.8.8:0/", "https://8.8.8.8:8443/", "http://[2606:4700::1]:25/",
	}
}

// names are names that a hostile name server answers for: addresses of A and
// AAAA records, in their order.
func names() map[string][]string {
	return map[string][]string{
		"loopback.test": {"127.0.0.1"}, "six.test": {"::1"}, "private.test": {"10.1.2.3"}, "metadata.test": {"169.254.169.254"},
		"mapped.test": {"::ffff:127.0.0.1"}, "sixtofour.test": {"2002:7f00:1::1"}, "nat64.test": {"64:ff9b::7f00:1"},
		"teredo.test": {"2001:0:7f00:1::1"}, "compatible.test": {"::127.0.0.1"}, "zero.test": {"0.0.0.0"}, "multicast.test": {"224.0.0.1"},
		"several.test": {"127.0.0.1", "10.0.0.1", "::1"}, "unique-local.test": {"fd00:ec2::254"}, "shared.test": {"100.64.0.1"},
	}
}

// nameServer answers for names; the name rebind.test is 127.0.0.2 once and
// 127.0.0.1 from then on. All others do not exist.
func nameServer(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		var rebound bool
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
			records, ok := names()[name]
			if name == "my_files.test" { // what a host may be called, and a host name may not
				ok, records = true, []string{"127.0.0.2"}
			}
			if name == "rebind.test" {
				ok, records = true, []string{"127.0.0.2"}
				if rebound {
					records = []string{"127.0.0.1"}
				}
				rebound = rebound || q.Type == dnsmessage.TypeA
			}
			m.Response, m.Additionals = true, nil
			if !ok {
				m.RCode = dnsmessage.RCodeNameError
			}
			for _, r := range records {
				header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
				switch a := netip.MustParseAddr(r); {
				case q.Type == dnsmessage.TypeA && a.Is4():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
				case q.Type == dnsmessage.TypeAAAA && a.Is6():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
				}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestForbiddenAddresses: whatever a URL, a name server or a redirect makes of
// an address that is not public, nothing connects to it.
func TestForbiddenAddresses(t *testing.T) {
	if got := hostsCases(t, "the resolver of Go, on a hostile name server", nameServer(t)); got < 60 {
		t.Errorf("%d cases", got)
	}
}

// hostsCases tries all of it, once asked for and once as a redirect, and
// returns how many cases there were.
func hostsCases(t *testing.T, resolver string, r *net.Resolver) int {
	t.Helper()
	tr := setTrap(t)
	c := tr.client(t, r)
	var all []string
	for _, h := range hosts() {
		all = append(all, "http://"+h+":"+tr.port+"/")
	}
	for name := range names() {
		all = append(all, "http://"+name+":"+tr.port+"/")
	}
	for _, a := range addresses() {
		all = append(all, strings.ReplaceAll(a, "$PORT", tr.port))
	}
	refused, unresolved := 0, 0
	for _, address := range all {
		for _, asked := range []string{address, tr.leading(address)} {
			got, err := c.Get(t.Context(), Request{URL: asked, Limit: 1000})
			var why *Refused
			var noName *net.DNSError
			switch {
			case err == nil:
				t.Errorf("%q answered %d", asked, got.Status)
			case errors.As(err, &why):
				refused++
			case errors.As(err, &noName):
				unresolved++
			case asked != address && (errors.Is(err, ErrRedirects) || address == "http:127.0.0.1:"+tr.port):
				refused++ // no address at all, or one below the server that leads there
			default:
				t.Errorf("%q: %v", asked, err)
			}
		}
	}
	if bait := int(tr.bait.Load()); bait < len(all) {
		t.Errorf("%d redirects for %d addresses", bait, len(all))
	}
	if n := tr.caught.Load(); n != 0 {
		t.Errorf("%d connections to forbidden addresses", n)
	}
	t.Logf("%s: %d addresses, each asked for and as a redirect: %d refused, %d names that do not exist, %d forbidden connections",
		resolver, len(all), refused, unresolved, tr.caught.Load())
	return 2 * len(all)
}

// TestAHostWithAnUnderscoreIsFetched: name servers answer for such names, and servers for
// such hosts.
func TestAHostWithAnUnderscoreIsFetched(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skipf("127.0.0.2 is no address of this machine: %v", err)
	}
	var asked atomic.Value
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Host)
		_, _ = w.Write([]byte("the minutes"))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := (&trap{port: port}).client(t, nameServer(t))
	got, err := c.Get(t.Context(), Request{URL: "http://my_files.test:" + port + "/minutes.txt", Limit: 1000})
	if err != nil || got.Status != http.StatusOK || asked.Load() != "my_files.test:"+port {
		t.Errorf("%+v, %v, asked for %v", got, err, asked.Load())
	}
}

// TestRebinding: a name that is an allowed address when it is looked at, and a
// forbidden one when it is connected to, gains nothing.
func TestRebinding(t *testing.T) {
	tr := setTrap(t)
	c := tr.client(t, nameServer(t))
	again := "http://rebind.test:" + tr.port + "/"
	_, err := c.Get(t.Context(), Request{URL: again + "?to=" + url.QueryEscape(again), Limit: 1000})
	var refused *Refused
	if !errors.As(err, &refused) || tr.bait.Load() != 1 || tr.caught.Load() != 0 {
		t.Errorf("%v, after %d allowed and %d forbidden connections", err, tr.bait.Load(), tr.caught.Load())
	}
}
