package credential

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// ErrRefused says that a store does not take our credentials: a password is wrong, a
// key revoked, a certificate expired. It is nobody's failed attempt: work waits until
// the store, or a file, has changed.
var ErrRefused = errors.New("refused our credentials")

// Refused returns the Unavailable error of a store that answered err to our credentials.
func Refused(store string, err error) error {
	return fault.Unavailable(fmt.Errorf("%s %w: %w", store, ErrRefused, err))
}

// OfCertificate reports whether err is the other side's word, by a TLS alert, that it does
// not take our certificate, or wants one.
func OfCertificate(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate")
}

// Standing says in the log when a store begins to refuse our credentials, and when it
// takes them again. The zero value logs nothing. It is safe for concurrent use.
type Standing struct {
	Log     *slog.Logger // nil: quiet
	refused atomic.Bool
}

// Note is told what the store has answered last. An error that is no refusal says
// nothing about credentials. It returns err.
func (s *Standing) Note(ctx context.Context, store string, err error) error {
	switch {
	case s.Log == nil:
	case errors.Is(err, ErrRefused):
		if !s.refused.Swap(true) {
			s.Log.WarnContext(ctx, "a store refuses our credentials", slog.String("store", store), slog.Any("error", err))
		}
	case err == nil && s.refused.Swap(false):
		s.Log.InfoContext(ctx, "a store takes our credentials again", slog.String("store", store))
	}
	return err
}
