package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/colophon-dev/colophon/devstack"
	"github.com/colophon-dev/colophon/devstack/postgres"
	"github.com/colophon-dev/colophon/devstack/supervisor"
	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/config"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// The exit statuses.
const (
	ExitDone        = 0
	ExitInternal    = 1
	ExitUsage       = 2
	ExitFailed      = 3 // ran, but something failed or does not verify, or it was interrupted
	exitUnreachable = 4
)

// ErrFailed ends a command that ran, with exit status 3: what failed has been
// printed.
var ErrFailed = errors.New("something failed")

// failedError is a failure with a sentence that has not been printed: exit
// status 3.
type failedError struct{ error }

// Failed ends a command that ran, with exit status 3, and has err printed.
func Failed(err error) error { return failedError{err} }

// Failedf is Failed of an error that fmt.Errorf makes.
func Failedf(format string, args ...any) error { return Failed(fmt.Errorf(format, args...)) }

// usageError is a wrong argument: exit status 2.
type usageError struct{ error }

// Usage says of err that an argument or a setting is wrong: exit status 2.
func Usage(err error) error { return usageError{err} }

// Usagef is Usage of an error that fmt.Errorf makes.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// ExitCode is the exit status of a command that ended with err: the one place where
// errors become numbers.
func ExitCode(err error) int {
	var (
		usage  usageError
		failed failedError
		gaveUp *supervisor.GaveUpError
	)
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &gaveUp): // whatever it died of
		return ExitInternal
	case errors.Is(err, ErrFailed), errors.As(err, &failed), errors.Is(err, stream.ErrNoDead), errors.Is(err, stream.ErrNotKept):
		return ExitFailed
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"), errors.Is(err, config.ErrSettings),
		errors.Is(err, stream.ErrNoEvents), errors.Is(err, syscall.EADDRINUSE), errors.Is(err, devstack.ErrBusy),
		errors.Is(err, stream.ErrNoRoom):
		return ExitUsage
	case errors.Is(err, config.ErrNoEndpoints), errors.Is(err, postgres.ErrNotInstalled), fault.KindOf(err) == fault.KindUnavailable, errors.Is(err, context.DeadlineExceeded):
		return exitUnreachable
	case errors.Is(err, catalog.ErrNotFound):
		return ExitFailed
	default:
		return ExitInternal
	}
}

// Sentence is what is printed of an error.
func Sentence(err error) string {
	if errors.Is(err, config.ErrNoEndpoints) {
		return "no running system found: start one with `colophon dev`, or set the COLOPHON_ variables"
	}
	return err.Error()
}

// Interrupted says of an error that is only the end of ctx that the command was
// interrupted: what it was about to do then is nobody's failure.
func Interrupted(ctx context.Context, err error) error {
	var failed failedError
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		return err
	}
	return Failedf("interrupted")
}
