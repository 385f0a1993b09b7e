package sdk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/stream"
)

// Restored says that the catalog was restored from a backup, or is another one: whatever a
// consumer keeps, and its position, are of a copy of the catalog that is gone. Forget what
// you keep, of all chunks and documents, and go on with the loop: everything that the catalog
// has is told again, from the beginning. Who leaves the loop is told so again the next
// time, unless he begins at Position (contracts#epoch).
type Restored struct {
	Position Position // the beginning, in the epoch of the catalog that is there now
}

// Error names the epoch.
func (r *Restored) Error() string {
	return fmt.Sprintf("the catalog was restored, or is another one (epoch %q): what was kept of it is void, and all is told again", r.Position.Epoch)
}

// errOlder says that the gateway's catalog is of an earlier epoch than a change, or than the
// position.
var errOlder = errors.New("the gateway's catalog is an older copy than what was heard of: after a restore, `colophon migrate --restored` gives it its epoch")

// errLeft says that the consumer has ended at Restored, which is to be told again.
var errLeft = fmt.Errorf("at a restored catalog: %w", errEnough)

// hears notes the epoch of what is told. stale says that it is below that of what is
// followed, and void; the error is Restored where it is above.
func (f *follower) hears(epoch string) (stale bool, err error) {
	switch {
	case !f.known: // nothing is kept yet
		f.epoch, f.known = epoch, true
		return false, nil
	case epoch == f.epoch:
		return false, nil
	case epoch < f.epoch:
		return true, nil
	}
	return false, &Restored{Position{Epoch: epoch}}
}

// eachEpoch calls run until it fails with another error than Restored, which is yielded:
// when the consumer goes on, so does run, from the beginning.
func (f *follower) eachEpoch(yield func(Change, error) bool, run func() error) error {
	for {
		err := run()
		var restored *Restored
		if !errors.As(err, &restored) {
			return err
		}
		if !yield(Change{}, restored) {
			return errLeft
		}
		again := restored.Position.Epoch == f.epoch
		*f = *newFollower(f.client, From{Position: restored.Position, Source: f.from.Source})
		f.known, f.again = true, again // also of the empty name, which looks like no position
	}
}

// lookAfter is how long nothing is heard until the gateway is asked whether its catalog is
// still the one that is followed: who follows a source of which the restored catalog has no
// chunk is told nothing.
const lookAfter = time.Minute

// next waits for an event, and looks at the gateway now and then while none comes.
func (f *follower) next(ctx context.Context, wait func(context.Context) (stream.Received, error)) (stream.Received, error) {
	if f.client.cfg.Gateway == "" {
		return wait(ctx)
	}
	for {
		waiting, cancel := context.WithTimeout(ctx, f.client.lookAfter)
		r, err := wait(waiting)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return r, err
		}
		if err := f.look(ctx); err != nil {
			return r, err
		}
	}
}

// look asks the gateway for its epoch. The error is Restored: a gateway that is away, or
// that knows an older copy of the catalog, is none, since the bus goes on.
func (f *follower) look(ctx context.Context) error {
	page, err := f.page(ctx, f.log, 1)
	switch {
	case errors.Is(err, errNotThere) && f.log > 0:
		if err = f.anotherLog(ctx); errors.As(err, new(*Restored)) {
			return err
		}
		return nil
	case err != nil:
		return nil //nolint:nilerr // it is asked again
	}
	_, err = f.hears(page.Epoch)
	return err
}

// anotherLog asks which epoch the log is of that does not have the entry behind which it was
// read: none is ever taken out of a log.
func (f *follower) anotherLog(ctx context.Context) error {
	page, err := f.page(ctx, 0, 1)
	if err != nil {
		return err
	}
	if page.Epoch < f.epoch {
		return errOlder
	}
	return &Restored{Position{Epoch: page.Epoch}}
}
