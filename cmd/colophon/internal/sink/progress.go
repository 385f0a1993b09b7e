package sink

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/colophon-dev/colophon/pkg/instrument"
	"github.com/colophon-dev/colophon/pkg/sdk"
)

// The sides of a sink at which something can fail.
const (
	sideTarget = "target"
	sideSource = "source" // the bus or the gateway
)

// sourceError is an error of the bus or the gateway; all others are the target's.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// Progress is how a sink comes on, for metrics and readiness. A nil one notes nothing. It
// is safe for concurrent use.
type Progress struct {
	changes, failures metric.Int64Counter

	mu     sync.Mutex
	oldest time.Time // when the oldest change was told that the target has not taken; zero: it has all
	begun  bool      // it follows the chunks
	why    error     // for which it does not
}

// NewProgress makes the progress of a sink, which is measured by the meter.
func NewProgress(m metric.Meter) (*Progress, error) {
	p := &Progress{changes: instrument.Counter(m, instrument.SinkChanges), failures: instrument.Counter(m, instrument.SinkFailures)}
	p.changes.Add(context.Background(), 0)
	instrument.BeginAtZero(p.failures, "side", []string{sideTarget, sideSource})
	err := instrument.Read(m, instrument.SinkLag, func() []instrument.Reading { return instrument.One(p.measureLag(time.Now()).Seconds()) })
	if err != nil {
		return nil, fmt.Errorf("progress of the sink: %w", err)
	}
	return p, nil
}

// measureLag returns how long ago the oldest change was told that the target has not taken, of
// those that have reached the sink; 0 when it has all of them.
func (p *Progress) measureLag(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.oldest.IsZero() {
		return 0
	}
	return max(now.Sub(p.oldest), 0)
}

// Ready returns nil while the sink follows the chunks, or a sentence that says why not.
func (p *Progress) Ready(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun && p.why == nil {
		return errors.New("it does not follow the chunks yet")
	}
	return p.why
}

// follows notes that the target is open and says where it is. What it has refused it may
// refuse again.
func (p *Progress) follows() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun = true
	if p.oldest.IsZero() {
		p.why = nil
	}
}

// told notes a change that the target has not taken yet.
func (p *Progress) told(ch sdk.Change) {
	if p == nil {
		return
	}
	at := ch.Position.At
	if at.IsZero() { // an entry of the gateway's log
		at = time.Now()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.oldest.IsZero() {
		p.oldest = at
	}
}

// applied notes that the target has taken all changes that were told, so many.
func (p *Progress) applied(changes int) {
	if p == nil {
		return
	}
	p.changes.Add(context.Background(), int64(changes))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.oldest, p.why = time.Time{}, nil
}

// failed notes for what the sink does not follow the chunks until it begins anew.
func (p *Progress) failed(err error) {
	if p == nil {
		return
	}
	side := sideTarget
	if errors.As(err, new(sourceError)) {
		side = sideSource
	}
	p.failures.Add(context.Background(), 1, metric.WithAttributes(attribute.String("side", side)))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = err
}
