package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

// CheckLanguage refuses what --language cannot be.
func CheckLanguage(code string) error {
	if !model.ValidLanguage(code) {
		return Usagef("--language %q: two letters of ISO 639-1, such as fr", code)
	}
	return nil
}

// PollEvery is how often a command asks again for what it waits for.
const PollEvery = 100 * time.Millisecond

// CheckTimeout refuses a --timeout that has ended before it begins.
func CheckTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return Usagef("--timeout %s: must not be negative", timeout)
	}
	return nil
}

// goesOn is true of everything that was sent.
const goesOn = "what was sent stands and goes on without this command; the same command follows it again"

// GaveUp says why one no longer waits.
func GaveUp(ctx context.Context, timeout time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Failedf("gave up waiting after %s, as --timeout says: %s", timeout, goesOn)
	}
	return Failedf("interrupted: %s", goesOn)
}

// Standing adds to an error of waiting what became of the requests.
func Standing(ctx context.Context, err error, timeout time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return GaveUp(ctx, timeout)
	case fault.KindOf(err) == fault.KindUnavailable:
		return fmt.Errorf("%w\n%s", err, goesOn)
	default:
		return err
	}
}
