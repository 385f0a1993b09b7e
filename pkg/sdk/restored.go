package sdk

import (
	"context"
	"errors"
	"fmt"
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
	case epoch == f.epoch:
		return false, nil
	case epoch < f.epoch:
		return true, nil
	case f.epoch == "" && f.anew && f.log == 0: // nothing is kept yet
		f.epoch = epoch
		return false, nil
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
		*f = *newFollower(f.client, From{Position: restored.Position, Source: f.from.Source})
	}
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
