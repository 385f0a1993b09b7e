package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/devtest"
	"github.com/colophon-dev/colophon/test/programs"
)

const (
	rollingGrace = 10 * time.Second // COLOPHON_GRACE of all processes
	// closeTime is what a process may take beyond its grace, to give back what it holds.
	closeTime = 5 * time.Second
	// maxRedelivered is the share of the messages that may be delivered again because of
	// the restarts.
	maxRedelivered = 0.01
)

// consumersOf names the consumers of a service, each with its stream; some have none.
func consumersOf(service string) map[string]string {
	return map[string]map[string]string{
		"capturer": {"capture": "REQUESTS"}, "splitter": {"split": "SNAPSHOTS"}, "extractor": {"extract": "PAGES", "ocr": "PAGES"},
		"chunker": {"chunk": "IR"}, "annotator": {"entities": "IR", "enrich": "IR"}, "indexer": {"index": "CHUNKS"},
	}[service]
}

// roller replaces the processes of a system one after another.
type roller struct {
	*rig
	watches map[string]*watch // by service and instance, of the process that runs now
	gates   gates
	wrong   []string
	busy    int // turns that met messages of their own
}

// rolling replaces every process by a new one while documents come in, as a rolling
// update does: the new one is started and waited for, then the old one gets SIGTERM.
// Of the gateway two run, and are asked all the time.
func rolling(r *rig, items []*item) int {
	r.values["COLOPHON_ACK_WAIT"], r.values["COLOPHON_GRACE"] = "30s", rollingGrace.String() // as in production: a message that is dropped is missed
	r.values["COLOPHON_HTTP_DRAIN"] = "2s"
	r.connect()
	x := &roller{rig: r, watches: map[string]*watch{}}
	r.addService("rolling", "gateway-2", "gateway")
	for name := range r.services {
		x.settle(name)
	}
	r.startServices()
	for name := range r.services {
		x.await(devtest.Patience, name+" is ready", x.watches[name].isReady)
	}
	asking, stopAsking := context.WithCancel(r.t.Context())
	var asked sync.WaitGroup
	for n := range 2 {
		asked.Go(func() { x.gates.ask(asking, n == 0) })
	}
	rounds := pick(1, 3, 3)
	turns := append(programs.Services(), "gateway-2")
	all := act(items, false)
	parts := rounds * len(turns)
	for n := range parts {
		x.turn(n, turns[n%len(turns)], all[n*len(all)/parts:(n+1)*len(all)/parts])
	}
	stopAsking()
	asked.Wait()
	if _, stuck := r.quiet(devtest.Patience); len(stuck) > 0 {
		r.t.Errorf("it is not quiet after the restarts: %.500s", stuck[0])
	}
	x.end()
	return parts
}

// settle gives an instance addresses of its own, and watches it.
func (x *roller) settle(name string) {
	health, api := devtest.FreeAddress(x.t), devtest.FreeAddress(x.t)
	p := x.services[name]
	p.settings = []string{"COLOPHON_HEALTH_ADDR=" + health}
	if strings.HasPrefix(name, "gateway") {
		p.settings = append(p.settings, "COLOPHON_HTTP_ADDR="+api)
		p.api = api
	}
	x.watches[name] = startWatch(x.t.Context(), name, health)
	if p.api != "" {
		x.gates.add(p.api, x.watches[name])
	}
}

// turn replaces one instance while these items are handed over.
func (x *roller) turn(n int, name string, items []*item) {
	x.t.Helper()
	service := strings.TrimSuffix(name, "-2")
	old, oldWatch := x.services[name], x.watches[name]
	x.send(items[:len(items)/2]...)
	x.addService(fmt.Sprintf("rolling-%d", n), name, service)
	x.settle(name)
	fresh := x.watches[name]
	if err := x.services[name].start(); err != nil {
		x.t.Fatal(err)
	}
	x.await(devtest.Patience, "the new "+name+" is ready", fresh.isReady)
	var sending sync.WaitGroup
	sending.Go(func() { // from a crawler that does not wait
		for _, i := range items[len(items)/2:] {
			x.send(i)
			x.linger(20 * time.Millisecond)
		}
	})
	if len(consumersOf(service)) > 0 && x.meets(service) {
		x.busy++
	}
	oldWatch.signalled.Store(time.Now().UnixNano())
	if err := old.end(rollingGrace + closeTime); err != nil {
		x.t.Errorf("the old %s: %v", name, err)
	}
	took := time.Since(time.Unix(0, oldWatch.signalled.Load()))
	x.gates.remove(old.api)
	oldWatch.stop()
	x.wrong = append(x.wrong, oldWatch.lies()...)
	x.await(devtest.Patience, "the new "+name+" pulls", func() bool { return x.pulls(service) })
	x.t.Logf("%-10s ready after %.1f s, ended after %.2f s, %d probes", name, fresh.readyAfter().Seconds(), took.Seconds(), len(oldWatch.log()))
	sending.Wait()
}

// end stops watching and says what was wrong.
func (x *roller) end() {
	x.t.Helper()
	for _, w := range x.watches {
		w.stop()
		x.wrong = append(x.wrong, w.lies()...)
	}
	x.wrong = append(x.wrong, x.gates.wrong...)
	for _, w := range x.wrong[:min(10, len(x.wrong))] {
		x.t.Error(w)
	}
	if len(x.wrong) > 10 {
		x.t.Errorf("and %d more", len(x.wrong)-10)
	}
	x.services["gateway-2"].stop(syscall.SIGTERM)
	delete(x.services, "gateway-2")
	x.gateway = x.services["gateway"].api
	x.await(devtest.Patience, "no message waits", func() bool {
		return !slices.ContainsFunc(programs.Services(), x.waits)
	})
	again, messages := x.redelivered()
	x.t.Logf("%d turns met messages of their own; %d of %d messages were delivered again; %d answers of gateways, %d of them by the other one",
		x.busy, again, messages, x.gates.answers.Load(), x.gates.others.Load())
	if least := pick(3, 10, 10); x.busy < least {
		x.t.Errorf("%d turns met messages of their own, want %d: the load was too small", x.busy, least)
	}
	if float64(again) > maxRedelivered*float64(messages) {
		x.t.Errorf("%d of %d messages were delivered again", again, messages)
	}
}

// consumer asks for one; nil when it does not answer.
func (r *rig) consumer(stream, name string) *jetstream.ConsumerInfo {
	c, err := r.js.Consumer(r.t.Context(), r.values["COLOPHON_STREAM_PREFIX"]+stream, name)
	if err != nil {
		return nil
	}
	return c.CachedInfo()
}

// waits reports whether there are messages for a service.
func (x *roller) waits(service string) bool {
	for name, stream := range consumersOf(service) {
		if c := x.consumer(stream, name); c != nil && (c.NumPending > 0 || c.NumAckPending > 0) {
			return true
		}
	}
	return false
}

// meets waits a moment for messages for a service, so that its stop meets work.
func (x *roller) meets(service string) bool {
	soon := time.NewTimer(5 * time.Second)
	defer soon.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !x.waits(service) {
		select {
		case <-tick.C:
		case <-soon.C:
			return false
		}
	}
	return true
}

// pulls reports whether somebody asks for messages of each consumer of a service, or has
// one in hand.
func (x *roller) pulls(service string) bool {
	for name, stream := range consumersOf(service) {
		if c := x.consumer(stream, name); c == nil || c.NumWaiting == 0 && c.NumAckPending == 0 {
			return false
		}
	}
	return true
}

// redelivered counts the deliveries that were not the first of their message, but for
// those that the documents ask for: a URL that fails once is asked again.
func (x *roller) redelivered() (again, messages int) {
	x.t.Helper()
	for _, service := range programs.Services() {
		for name, stream := range consumersOf(service) {
			c := x.consumer(stream, name)
			s, err := x.js.Stream(x.t.Context(), x.values["COLOPHON_STREAM_PREFIX"]+stream)
			if err != nil || c == nil {
				x.t.Fatalf("%s: %v", name, err)
			}
			distinct := int(s.CachedInfo().State.LastSeq) // of a work queue, which forgets
			if stream != "REQUESTS" {
				distinct = 0
				for _, filter := range append(c.Config.FilterSubjects, c.Config.FilterSubject) {
					if filter == "" {
						continue
					}
					info, err := s.Info(x.t.Context(), jetstream.WithSubjectFilter(filter))
					if err != nil {
						x.t.Fatal(err)
					}
					for _, n := range info.State.Subjects {
						distinct += int(n)
					}
				}
			}
			more := int(c.Delivered.Consumer) - distinct
			x.t.Logf("%-8s %5d messages, %d delivered again", name, distinct, more)
			if name == "capture" {
				more -= len(x.strings(`SELECT request_id FROM captures WHERE request_id LIKE 'flaky-%'`))
			}
			again, messages = again+max(more, 0), messages+distinct
		}
	}
	return again, messages
}

// gates are the gateways that run, as a client knows them.
type gates struct {
	mu      sync.Mutex
	open    map[string]*watch // by host:port
	wrong   []string
	answers atomic.Int64
	others  atomic.Int64 // that the first one asked would not have given
}

func (g *gates) add(addr string, w *watch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]*watch{}
	}
	g.open[addr] = w
}

func (g *gates) remove(addr string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, addr)
}

// known returns the gateways that say that they are ready, as a load balancer sees it by
// its probes, in any order.
func (g *gates) known() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []string
	for addr, w := range g.open { // whose order is not given
		if w.isReadyNow() {
			all = append(all, addr)
		}
	}
	rand.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}

var errNobodyReady = errors.New("no gateway says that it is ready")

// ask asks one gateway after another until ctx ends, over connections that are kept or
// over new ones. It tries another only when the connection is refused.
func (g *gates) ask(ctx context.Context, keep bool) {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: !keep}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	paths := []string{"/v1/search?q=conseil+municipal&limit=3", "/v1/status", "/v1/changes?after=0&limit=5", "/v1/sources"}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := errNobodyReady
		for i, addr := range g.known() {
			if err = answered(ctx, client, "http://"+addr+paths[n%len(paths)]); !errors.Is(err, syscall.ECONNREFUSED) {
				if i > 0 {
					g.others.Add(1)
				}
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
		g.answers.Add(1)
		if err != nil {
			g.mu.Lock()
			g.wrong = append(g.wrong, fmt.Sprintf("a gateway, connections kept %t: %v", keep, err))
			g.mu.Unlock()
		}
	}
}

// answered asks once and wants the status 200 and a whole body.
func answered(ctx context.Context, client *http.Client, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.200s", address, resp.Status, body)
	}
	return nil
}

// end asks a process to stop, and returns an error when it does not end within the
// limit, or not with status 0.
func (p *process) end(limit time.Duration) error {
	p.mu.Lock()
	p.wanted = false
	p.mu.Unlock()
	ended := p.signal(syscall.SIGTERM)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		<-p.signal(syscall.SIGKILL)
		return fmt.Errorf("has not ended after %s", limit)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var exit *exec.ExitError
	if errors.As(p.result, &exit) {
		return errors.New("ended with status " + strconv.Itoa(exit.ExitCode()))
	}
	return p.result
}
