package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/blobstore"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/proof"
	"github.com/colophon-dev/colophon/pkg/sandbox"
	"github.com/colophon-dev/colophon/pkg/vectorstore"
)

// What is stored is damage, whatever it is; a store that does not answer is none.
func TestDamageIsNoTrouble(t *testing.T) {
	unread := json.Unmarshal([]byte("{"), new(int))
	for _, err := range []error{
		unread, proof.ErrGone, catalog.ErrNotFound, blobstore.ErrNotFound, vectorstore.ErrNotFound, io.ErrUnexpectedEOF, errPanic,
		errors.New("a range of -5 bytes"), fault.Permanent(fault.Internal, errors.New("no such name")), &pgconn.PgError{Code: "22P02"},
		catalog.Classify(&pgconn.PgError{Code: "22003"}), survive(func() error { panic("out of range") }),
	} {
		if damageOf(fmt.Errorf("reading: %w", err)) == nil {
			t.Errorf("is no damage: %v", err)
		}
	}
	for _, err := range []error{
		nil, context.Canceled, context.DeadlineExceeded, sandbox.ErrKilled, sandbox.ErrClosed, fault.Transient(vectorstore.ErrTrouble),
		fault.Unavailable(io.EOF), fault.Defer(0, io.EOF), &pgconn.PgError{Code: "XX001"}, catalog.Classify(&pgconn.PgError{Code: "57P01"}),
		catalog.Classify(&pgconn.PgError{Code: "57014"}),
	} {
		if err != nil {
			err = fmt.Errorf("reading: %w", err)
		}
		if damage := damageOf(err); damage != nil {
			t.Errorf("is damage: %v", damage)
		}
	}
}
