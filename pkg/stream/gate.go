package stream

import (
	"context"
	"sync"
)

// gate is open unless somebody holds it shut. Pulling goes through gates: the
// connection's, the quarantine's and the runner's own.
type gate struct {
	mu     sync.Mutex
	holds  map[int]error // why each holder holds it
	next   int
	opened chan struct{} // closed while the gate is open
	flow   context.Context
	stop   context.CancelFunc // ends flow
}

func newGate() *gate {
	g := &gate{holds: make(map[int]error), opened: make(chan struct{})}
	g.flow, g.stop = context.WithCancel(context.Background())
	close(g.opened)
	return g
}

// hold shuts the gate until release is called, which may be called twice.
func (g *gate) hold(why error) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.holds) == 0 {
		g.opened = make(chan struct{})
		g.stop()
	}
	id := g.next
	g.next++
	g.holds[id] = why
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, held := g.holds[id]; !held {
			return
		}
		delete(g.holds, id)
		if len(g.holds) == 0 {
			g.flow, g.stop = context.WithCancel(context.Background())
			close(g.opened)
		}
	}
}

// why returns a reason for which the gate is shut, nil when it is open.
func (g *gate) why() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := -1
	for id := range g.holds {
		if first < 0 || id < first {
			first = id
		}
	}
	return g.holds[first]
}

func (g *gate) state() (opened <-chan struct{}, flow context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened, g.flow
}

// through waits until all gates are open and returns a context that ends as
// soon as one of them shuts, and not with ctx. ok is false when ctx has ended.
func through(ctx context.Context, gates ...*gate) (_ context.Context, done func(), ok bool) {
	for {
		for _, g := range gates {
			opened, _ := g.state()
			select {
			case <-opened:
			case <-ctx.Done():
				return ctx, func() {}, false
			}
		}
		pull, cancel := context.WithCancel(context.WithoutCancel(ctx))
		stops := make([]func() bool, 0, len(gates))
		for _, g := range gates {
			_, flow := g.state()
			stops = append(stops, context.AfterFunc(flow, cancel))
		}
		done := func() {
			for _, stop := range stops {
				stop()
			}
			cancel()
		}
		if ctx.Err() != nil { // an open gate is no reason to go on: of two that are ready, select takes either
			done()
			return ctx, func() {}, false
		}
		if pull.Err() == nil {
			return pull, done, true
		}
		done()
	}
}
