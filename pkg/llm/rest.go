package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// How long an endpoint is left alone: after the first failure, doubled with each that
// follows up to the longest of our own; and at most, whatever it asks for.
const (
	firstRest   = time.Second
	longestRest = 30 * time.Second
	mostPatient = 10 * time.Minute
)

// ErrAway is every error of an endpoint that cannot be asked now, or answers what nobody
// can use. It is Unavailable.
var ErrAway = errors.New("the endpoint is of no use now")

// rest says when an endpoint that failed is asked again. It is safe for concurrent use.
type rest struct {
	name string // of the endpoint, as "the embedding endpoint"
	now  func() time.Time
	log  *slog.Logger // nil: quiet

	mu       sync.Mutex
	failures int // in a row
	lates    int // in a row: answers that did not come in time
	until    time.Time
	last     time.Time // of the last failure
	why      error
}

// Ready is nil when the endpoint may be asked: it answered last, or has had its rest.
func (r *rest) Ready() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil || !r.now().Before(r.until) {
		return nil
	}
	return fault.Unavailable(fmt.Errorf("%s: %w, it is asked again at %s: %w", r.name, ErrAway, r.until.UTC().Format(time.TimeOnly), r.why))
}

// failed notes that the endpoint failed, and how long it asked to be left alone; 0 is not
// said. It returns the Unavailable error.
func (r *rest) failed(ctx context.Context, asked time.Duration, why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failures == 0 && r.log != nil {
		r.log.WarnContext(ctx, "an endpoint cannot be used", slog.String("endpoint", r.name), slog.Any("error", why))
	}
	r.failures++
	pause := min(firstRest<<min(r.failures-1, 10), longestRest)
	pause = min(max(pause, asked), mostPatient)
	// A call that began earlier and failed later does not shorten what was asked for.
	if until := r.now().Add(pause); until.After(r.until) {
		r.until = until
	}
	r.last, r.why = r.now(), why
	return fault.Unavailable(fmt.Errorf("%s: %w: %w", r.name, ErrAway, why))
}

// mostLates is how often the time of a call is doubled.
const mostLates = 4

// late is how often the time of the next call is doubled.
func (r *rest) late() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return min(r.lates, mostLates)
}

// noteTime notes whether a call under limited, for who asked with ctx, ended in time.
func (r *rest) noteTime(ctx, limited context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ctx.Err() != nil: // not the endpoint's doing
	case limited.Err() != nil:
		r.lates++
	default:
		r.lates = 0
	}
}

// answered notes that the endpoint has answered as it should a call that began at a time.
// One that began before the last failure says nothing of what came after: the rest goes on.
func (r *rest) answered(ctx context.Context, began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failures > 0 && !began.After(r.last) {
		return
	}
	if r.failures > 0 && r.log != nil {
		r.log.InfoContext(ctx, "an endpoint can be used again", slog.String("endpoint", r.name), slog.Int("failures", r.failures))
	}
	r.failures, r.until, r.why = 0, time.Time{}, nil
}
