package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
)

// Quarantine is the one slot of a process in which a message that may kill it
// is handled alone (contracts#quarantine): while it is taken or wanted no runner of the
// process pulls. Runners of one process share one.
type Quarantine struct {
	gate *gate // shut while the slot is taken or wanted

	mu      sync.Mutex
	others  int  // handlings that share the process
	taken   bool // by the one that is alone
	wanted  int
	changed chan struct{} // closed and replaced at every change
}

// NewQuarantine returns a free slot.
func NewQuarantine() *Quarantine {
	return &Quarantine{gate: newGate(), changed: make(chan struct{})}
}

var errQuarantine = errors.New("a message is handled in quarantine")

// share waits until nobody is alone or wants to be. ok is false when ctx or
// drain ended first.
func (q *Quarantine) share(ctx context.Context, drain <-chan struct{}) (release func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.taken || q.wanted > 0 {
		if !q.await(ctx, drain) {
			return nil, false
		}
	}
	q.others++
	return func() { q.update(func() { q.others-- }) }, true
}

// alone waits until all other handlings of the process have ended. ok is
// false when ctx or drain ended first.
func (q *Quarantine) alone(ctx context.Context, drain <-chan struct{}) (release func(), ok bool) {
	open := q.gate.hold(errQuarantine)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wanted++
	for q.taken || q.others > 0 {
		if !q.await(ctx, drain) {
			q.wanted--
			q.broadcast()
			open()
			return nil, false
		}
	}
	q.wanted--
	q.taken = true
	return func() {
		q.update(func() { q.taken = false })
		open()
	}, true
}

// await waits for a change with the lock released meanwhile.
func (q *Quarantine) await(ctx context.Context, drain <-chan struct{}) bool {
	changed := q.changed
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-changed:
		return true
	case <-ctx.Done():
		return false
	case <-drain:
		return false
	}
}

func (q *Quarantine) update(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
	q.broadcast()
}

func (q *Quarantine) broadcast() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// suspect handles a message that was delivered often. Every such handling is
// committed before it starts; it is done alone unless the one before is known
// to have ended. So a message that kills its process is alone when it does so
// again, takes no neighbours with it, and its last start becomes a failure.
func (r *Runner) suspect(ctx context.Context, drain <-chan struct{}, d *delivery) {
	var starts int
	var returned bool
	ok := r.insist(ctx, drain, func() (err error) {
		starts, returned, err = r.attempts.AttemptSeen(ctx, r.consumer, d.key())
		return err
	})
	if !ok {
		r.leave(ctx, d)
		return
	}
	enter := r.quarantine.share
	if starts > 0 || !returned {
		enter = r.quarantine.alone
	}
	release, ok := enter(ctx, drain)
	if !ok {
		r.leave(ctx, d)
		return
	}
	defer release()
	ok = r.insist(ctx, drain, func() (err error) {
		starts, err = r.attempts.AttemptStarted(ctx, r.consumer, d.key())
		return err
	})
	if !ok {
		r.leave(ctx, d)
		return
	}
	faultpoint.ReachFor("stream.start.committed", r.consumer)
	d.started = true
	if starts >= r.conn.cfg.QuarantineStarts && d.verdict == nil {
		d.verdict = fault.Permanent(fault.Internal,
			fmt.Errorf("the process ended %d times while it handled this message alone", starts-1))
	}
	r.settle(ctx, drain, []*delivery{d})
}

// insist calls f until the catalog answers. It is false when ctx or drain
// ended first.
func (r *Runner) insist(ctx context.Context, drain <-chan struct{}, f func() error) bool {
	for {
		err := f()
		if err == nil {
			return true
		}
		if ctx.Err() != nil || !r.await(ctx, drain, err) {
			return false
		}
	}
}
