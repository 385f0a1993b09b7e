package verify

import (
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// errPanic says that the code which proves was at its wits' end about what is stored.
var errPanic = errors.New("the verification does not know what to make of it")

// survive calls do. A panic is an error: what a row says can never end the pass.
func survive(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return do()
}

// damageOf returns an error when it is of what is stored, which is a break; nil when
// there is none, and when a store did not answer, this machine is in trouble, or the
// caller has ended it: then nothing was found out.
func damageOf(err error) error {
	switch {
	case err == nil, scratch.Failed(err), errors.Is(err, sandbox.ErrKilled), errors.Is(err, sandbox.ErrClosed):
		return nil
	case catalog.Unreadable(err) != nil, errors.Is(err, proof.ErrGone), errors.Is(err, catalog.ErrNotFound),
		errors.Is(err, blobstore.ErrNotFound), errors.Is(err, vectorstore.ErrNotFound):
		return err
	}
	switch fault.KindOf(err) {
	case fault.KindPermanent: // a store refuses what the row says, or the document cannot be read
		return err
	case fault.KindTransient:
		if !fault.Marked(err) && !catalog.Unanswered(err) {
			return err
		}
	}
	return nil
}
