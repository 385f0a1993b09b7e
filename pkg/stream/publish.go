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

// Publish sends e as it is, but for one without a trace, which gets that of ctx, and
// waits until it is stored.
func (p *Publisher) Publish(ctx context.Context, e event.Event) error {
	if len(e.Trace) == 0 {
		e.Trace = inject(ctx)
	}
	subject, header, payload := e.Encode(p.conn.cfg.Prefix)
	err := p.conn.publish(ctx, &nats.Msg{Subject: subject, Header: header, Data: payload})
	if err != nil {
		return fmt.Errorf("publishing %s: %w", e.ID, err)
	}
	return nil
}

// ErrFull says that a stream holds as much as it may and took nothing more. What
// it had accepted before is safe; what it refused can be sent again later
// (contracts#push-back).
var ErrFull = errors.New("the stream is full: what it holds is to be handled first, then send again")

// Offer is Publish for who can wait by itself: a full stream is ErrFull at once.
// duplicate says that the message id was stored before, within the duplicate
// window, so that nothing follows from this one.
func (p *Publisher) Offer(ctx context.Context, e event.Event) (duplicate bool, err error) {
	subject, header, payload := e.Encode(p.conn.cfg.Prefix)
	ack, err := p.conn.put(ctx, &nats.Msg{Subject: subject, Header: header, Data: payload}, false)
	if err != nil {
		return false, fmt.Errorf("publishing %s: %w", e.ID, err)
	}
	return ack.Duplicate, nil
}

// publish sends m until the server has it, at least for Config.PublishFor.
func (c *Conn) publish(ctx context.Context, m *nats.Msg) error {
	_, err := c.put(ctx, m, true)
	return err
}

// put is tryPut, measured.
func (c *Conn) put(ctx context.Context, m *nats.Msg, patient bool) (ack *jetstream.PubAck, err error) {
	start := time.Now()
	defer func() { c.meters.sent(ctx, m, start, err) }()
	return c.tryPut(ctx, m, patient)
}

// tryPut sends m until the server has it, at least for Config.PublishFor: a
// leader's election takes 4 to 9 seconds. Every failure counts as worth
// another try, also error 10158 (the same message id is in process), but that
// of a full stream only when patient. What is cut off by a connection that is made
// again says that it was closed; only one that is closed for good ends here.
func (c *Conn) tryPut(ctx context.Context, m *nats.Msg, patient bool) (*jetstream.PubAck, error) {
	deadline := time.Now().Add(c.cfg.PublishFor)
	pause := 20 * time.Millisecond
	for {
		once, cancel := context.WithTimeout(ctx, c.cfg.PublishWait)
		ack, err := c.js.PublishMsg(once, m)
		cancel()
		if isFull(err) {
			err = fmt.Errorf("%w (%w)", ErrFull, err)
		}
		switch {
		case err == nil:
			return ack, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrMaxPayload), errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum):
			return nil, fault.Permanent(fault.LimitExceeded, fmt.Errorf("a message of %d bytes is more than the bus takes", len(m.Data)))
		case errors.Is(err, ErrFull) && !patient, c.nc.IsClosed(), time.Now().After(deadline):
			return nil, fault.Unavailable(err)
		}
		if !wait(ctx, pause) {
			return nil, ctx.Err()
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// The server's codes of what it refuses because a limit of the stream (with
// "maximum" in the text, else its disk failed) or of the account is reached.
const (
	codeStoreFailed       = 10077
	codeNoStorage         = 10047
	codeNoResources       = 10023
	codeNoResourcesOnPeer = 10026
)

func isFull(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case codeStoreFailed:
		return strings.Contains(api.Description, "maximum")
	case codeNoStorage, codeNoResources, codeNoResourcesOnPeer:
		return true
	}
	return false
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

// redriveOf returns the ";r{n}" at the end of a message id (contracts#redrive), or
// nothing. What a redriven message causes carries it on, since the duplicate
// window would swallow the plain id.
func redriveOf(msgID string) string { return redriveForm.FindString(msgID) }

// withoutRedrive returns the message id as it was first published.
func withoutRedrive(msgID string) string { return strings.TrimSuffix(msgID, redriveOf(msgID)) }
