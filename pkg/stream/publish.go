package stream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Emit publishes data with its message id and waits until it is stored. It is
// retried for Config.PublishFor; a failure is Unavailable, one of an event that
// is too large permanent. Saying the same thing twice is harmless: within the
// duplicate window the second is swallowed, later its consumers find the work done.
type Emit = func(ctx context.Context, data event.Data) error

// Publisher publishes the events of one service. It is safe for concurrent use.
type Publisher struct {
	conn    *Conn
	service string
}

// Publisher returns a publisher whose events have ce-source /colophon/{service}.
func (c *Conn) Publisher(service string) *Publisher { return &Publisher{conn: c, service: service} }

// Emit makes the event of data as of now, carries the trace of ctx on, and
// publishes it as Emit of this package describes.
func (p *Publisher) Emit(ctx context.Context, data event.Data) error {
	return p.emit(ctx, data, "")
}

func (p *Publisher) emit(ctx context.Context, data event.Data, redrive string) error {
	e, err := event.New(p.service, data, time.Now())
	if err != nil {
		return fmt.Errorf("making %s: %w", data.Type(), err)
	}
	e.MsgID += redrive
	e.Trace = inject(ctx)
	return p.Publish(ctx, e)
}

// Publish sends e as it is and waits until it is stored.
func (p *Publisher) Publish(ctx context.Context, e event.Event) error {
	subject, header, payload := e.Encode(p.conn.cfg.Prefix)
	err := p.conn.publish(ctx, &nats.Msg{Subject: subject, Header: header, Data: payload})
	if err != nil {
		return fmt.Errorf("publishing %s: %w", e.ID, err)
	}
	return nil
}

// publish sends m until the server has it, at least for Config.PublishFor: a
// leader's election takes 4 to 9 seconds. Every failure counts as worth
// another try, also error 10158 (the same message id is in process).
func (c *Conn) publish(ctx context.Context, m *nats.Msg) error {
	deadline := time.Now().Add(c.cfg.PublishFor)
	pause := 20 * time.Millisecond
	for {
		once, cancel := context.WithTimeout(ctx, c.cfg.PublishWait)
		_, err := c.js.PublishMsg(once, m)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum):
			return fault.Permanent(fault.LimitExceeded, fmt.Errorf("a message of %d bytes is more than the bus takes", len(m.Data)))
		case errors.Is(err, nats.ErrConnectionClosed), time.Now().After(deadline):
			return fault.Unavailable(err)
		}
		if !wait(ctx, pause) {
			return ctx.Err()
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// wait returns false when ctx ended before the time was over.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

var redriveForm = regexp.MustCompile(`(;r[0-9]+)+$`)

// redriveOf returns the ";r{n}" at the end of a message id (contracts 2), or
// nothing. What a redriven message causes carries it on, since the duplicate
// window would swallow the plain id.
func redriveOf(msgID string) string { return redriveForm.FindString(msgID) }

// withoutRedrive returns the message id as it was first published.
func withoutRedrive(msgID string) string { return strings.TrimSuffix(msgID, redriveOf(msgID)) }
