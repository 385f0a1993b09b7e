// Package lease does work under leases that end by themselves: of requests, of URLs, of
// turns at a host.
package lease

import (
	"context"
	"errors"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
)

// Terms are those under which leases are held.
type Terms struct {
	Lease time.Duration // of a request and of a URL; renewed at a third of it
	Wait  time.Duration // until a request that another one holds up is tried again
}

// errLost says that another delivery of a request works on it.
var errLost = errors.New("another delivery of this request works on it")

// Busy returns the error of a request that another delivery works on.
func (t Terms) Busy() error { return fault.Defer(t.Wait, errLost) }

// Hold runs work while it renews a lease. When the lease is lost, the work's
// context ends and the request is handed back.
func (t Terms) Hold(ctx context.Context, renew func(context.Context) (bool, error), work func(context.Context) error) error {
	working, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(t.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-ticker.C:
			}
			// A catalog that is away takes no lease from anybody.
			if held, err := renew(working); err == nil && !held {
				cancel(errLost)
			}
		}
	}()
	err := work(working)
	lost := err != nil && errors.Is(context.Cause(working), errLost)
	cancel(nil)
	<-done
	if lost {
		return t.Busy()
	}
	return err
}

// Release gives a lease back after work that ended with cause, which it
// returns: what cannot be given back ends by itself.
func Release(ctx context.Context, cause error, give func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := give(ctx); err != nil && fault.KindOf(err) == fault.KindUnavailable && fault.KindOf(cause) != fault.KindPermanent {
		return fault.Unavailable(errors.Join(cause, err))
	}
	faultpoint.Reach("capture.released")
	return cause
}
