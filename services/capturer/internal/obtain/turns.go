package obtain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
)

// hopWait is how long a worker waits for the turn of a host that a redirect leads
// to. For a longer wait the request goes back to its queue; its place there is
// kept.
const hopWait = 5 * time.Second

// visit is one fetch at the hosts that it asks.
type visit struct {
	Turns
	owner  string
	polite model.Politeness
	hosts  []string // that have given it a turn, the one that was asked last at the end
}

// turnError says why a redirect was not followed yet.
type turnError struct{ error }

// Unwrap returns the reason.
func (e turnError) Unwrap() error { return e.error }

// takeTurn asks the host of an address for a turn, and waits for it, but not longer
// than patience.
func (v *visit) takeTurn(ctx context.Context, address string, patience time.Duration) error {
	host := hostOf(address)
	if at := slices.Index(v.hosts, host); at >= 0 {
		v.hosts = append(slices.Delete(v.hosts, at, at+1), host)
		return nil
	}
	for {
		wait, err := v.TakeTurn(ctx, host, v.owner, v.polite)
		switch {
		case err != nil:
			return err
		case wait <= 0:
			v.hosts = append(v.hosts, host)
			return nil
		case wait > patience:
			return fault.Defer(wait, fmt.Errorf("it is not its turn to ask %s", host))
		}
		patience -= wait
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// returnTurns gives the turns back; closed is how long the host that was asked last does
// not want to be asked.
func (v *visit) returnTurns(ctx context.Context, closed time.Duration) error {
	var failed error
	for i, host := range v.hosts {
		if i < len(v.hosts)-1 {
			failed = errors.Join(failed, v.ReleaseTurn(ctx, host, v.owner, 0))
		} else {
			failed = errors.Join(failed, v.ReleaseTurn(ctx, host, v.owner, closed))
		}
	}
	return failed
}

// hostOf returns the host of an address, with its port unless that is the
// scheme's, in its canonical form.
func hostOf(address string) string {
	if canonical, err := digest.URLCanonV4(address); err == nil {
		address = canonical
	}
	target, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return target.Host
}

// closedFor returns how long a host's server wants not to be asked by anybody.
func closedFor(err error) time.Duration {
	var status *fetch.StatusError
	if errors.As(err, &status) && (status.Status == http.StatusTooManyRequests || status.Status == http.StatusServiceUnavailable) {
		return status.RetryAfter
	}
	return 0
}
