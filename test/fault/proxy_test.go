package fault

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// weather is what a proxy does to connections. A share is that of connections, or
// of the pieces of requests that pass, that it happens to.
type weather struct {
	refuse float64       // connections are cut as soon as they are made
	cut    float64       // a connection is cut in the middle of a piece
	lose   float64       // a piece arrives, and the connection is cut in place of its answer
	hang   float64       // nothing more passes, in either direction, and nobody is told
	delay  time.Duration // each piece of an answer comes so much later, at most
	still  bool          // nothing passes before the weather changes, then all goes on
}

// proxy stands between the services and one server.
type proxy struct {
	listener net.Listener
	network  string // of the server
	target   string

	mu      sync.Mutex
	weather weather
	changed chan struct{} // closed and replaced when the weather changes
	random  *rand.Rand
	hurt    int // connections that met something
	links   map[*link]bool
}

func startProxy(t *testing.T, network, target string, seed uint64) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{
		listener: listener, network: network, target: target, changed: make(chan struct{}),
		random: rand.New(rand.NewPCG(seed, 11)), links: map[*link]bool{},
	}
	t.Cleanup(p.close)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// set changes the weather. What hangs does so to the end.
func (p *proxy) set(w weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weather = w
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *proxy) met() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hurt
}

// draw says what happens now with the shares that of takes out of the weather.
func (p *proxy) draw(of func(weather) float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	share := of(p.weather)
	if share == 0 || p.random.Float64() >= share {
		return false
	}
	p.hurt++
	return true
}

// pass lets time go by as the weather says; it is false when the link has ended.
func (p *proxy) pass(l *link, answer bool) bool {
	p.mu.Lock()
	w, changed := p.weather, p.changed
	var delay time.Duration
	if answer && w.delay > 0 {
		delay = time.Duration(p.random.Int64N(int64(w.delay)))
	}
	p.mu.Unlock()
	var later <-chan time.Time
	switch {
	case l.hangs.Load():
		<-l.ended
		return false
	case w.still:
	case delay > 0:
		timer := time.NewTimer(delay)
		defer timer.Stop()
		later, changed = timer.C, nil
	default:
		return true
	}
	select {
	case <-later:
	case <-changed:
	case <-l.ended:
		return false
	}
	return true
}

func (p *proxy) serve(client net.Conn) {
	if p.draw(func(w weather) float64 { return w.refuse }) {
		reset(client)
		return
	}
	server, err := net.Dial(p.network, p.target)
	if err != nil {
		reset(client)
		return
	}
	l := &link{proxy: p, client: client, server: server, ended: make(chan struct{})}
	p.mu.Lock()
	p.links[l] = true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(l.requests)
	both.Go(l.answers)
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// link is one connection through a proxy.
type link struct {
	proxy          *proxy
	client, server net.Conn
	hangs, loses   atomic.Bool
	once           sync.Once
	ended          chan struct{}
}

func (l *link) close() {
	l.once.Do(func() {
		close(l.ended)
		reset(l.client)
		reset(l.server)
	})
}

// reset closes a connection so that the other side gets an error, not an end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func (l *link) requests() {
	defer l.close()
	piece := make([]byte, 32<<10)
	for {
		n, err := l.client.Read(piece)
		if err != nil {
			return
		}
		switch {
		case l.proxy.draw(func(w weather) float64 { return w.cut }):
			_, _ = l.server.Write(piece[:n/2])
			return
		case l.proxy.draw(func(w weather) float64 { return w.hang }):
			l.hangs.Store(true)
		case l.proxy.draw(func(w weather) float64 { return w.lose }):
			l.loses.Store(true)
		}
		if !l.proxy.pass(l, false) {
			return
		}
		if _, err := l.server.Write(piece[:n]); err != nil {
			return
		}
	}
}

func (l *link) answers() {
	defer l.close()
	piece := make([]byte, 32<<10)
	for {
		n, err := l.server.Read(piece)
		if err != nil || l.loses.Load() || !l.proxy.pass(l, true) {
			return
		}
		if _, err := l.client.Write(piece[:n]); err != nil {
			return
		}
	}
}

// behind puts proxies between the servers and the services that are started from
// now on; this test goes on to ask the servers themselves.
func (r *rig) behind(servers ...string) map[string]*proxy {
	r.t.Helper()
	proxies := map[string]*proxy{}
	for n, name := range servers {
		key := map[string]string{"postgres": "COLOPHON_POSTGRES_URL", "s3": "COLOPHON_S3_ENDPOINT", "nats": "COLOPHON_NATS_URL", "qdrant": "COLOPHON_QDRANT_ADDR"}[name]
		network, target := "tcp", r.endpoints[key]
		if _, host, ok := strings.Cut(target, "://"); ok {
			target = host
		}
		if name == "postgres" {
			at, err := url.Parse(r.endpoints[key])
			if err != nil {
				r.t.Fatal(err)
			}
			network, target = "unix", at.Query().Get("host")+"/.s.PGSQL.5432"
		}
		p := startProxy(r.t, network, target, asked.seed+uint64(n))
		r.values[key] = map[string]string{
			"postgres": fmt.Sprintf("postgres://app@%s/postgres?sslmode=disable", p.address()),
			"s3":       "http://" + p.address(), "nats": "nats://" + p.address(), "qdrant": p.address(),
		}[name]
		proxies[name] = p
	}
	return proxies
}
