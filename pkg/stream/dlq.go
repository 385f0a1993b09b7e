package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// ErrNotKept says that a dead letter does not hold its message whole.
var ErrNotKept = errors.New("its message was not kept")

// ErrNoDead says that there is no dead letter with the number asked for.
var ErrNoDead = errors.New("no such dead letter")

// Dead is one dead letter (contracts#dead-letters).
type Dead struct {
	Seq        uint64              `json:"seq"` // its number in the stream DLQ
	At         time.Time           `json:"at"`
	Consumer   string              `json:"consumer"`
	SourceID   string              `json:"source_id"` // UNKNOWN when the message named none
	Reason     fault.Reason        `json:"reason"`
	Message    string              `json:"message"`
	Subject    string              `json:"subject"` // of the message that failed
	MsgID      string              `json:"msg_id"`
	Type       string              `json:"type,omitempty"`
	Deliveries int                 `json:"deliveries"`
	Lost       string              `json:"lost,omitempty"` // what of the message is not kept
	Header     map[string][]string `json:"header,omitempty"`
	Payload    []byte              `json:"payload,omitempty"`
}

// ListDead calls each for every dead letter of a consumer and a source, all
// when these are empty, in order of arrival, until each returns an error.
func (c *Conn) ListDead(ctx context.Context, consumer, source string, each func(Dead) error) error {
	letters, err := c.js.Stream(ctx, c.streamName(dlqStream))
	if err != nil {
		return fmt.Errorf("listing dead letters: %w", unavailable(ctx, err))
	}
	def(&consumer, "*")
	def(&source, "*")
	subject := c.cfg.Prefix + ".dlq." + consumer + "." + source
	for next := uint64(1); ; next++ {
		m, err := letters.GetMsg(ctx, next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listing dead letters: %w", unavailable(ctx, err))
		}
		if err := each(readDead(m)); err != nil {
			return err
		}
		next = m.Sequence
	}
}

// GetDead returns one dead letter, ErrNoDead when it is not there.
func (c *Conn) GetDead(ctx context.Context, seq uint64) (Dead, error) {
	letters, err := c.js.Stream(ctx, c.streamName(dlqStream))
	if err != nil {
		return Dead{}, fmt.Errorf("reading dead letter %d: %w", seq, unavailable(ctx, err))
	}
	m, err := letters.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Dead{}, fmt.Errorf("%w: %d", ErrNoDead, seq)
	}
	if err != nil {
		return Dead{}, fmt.Errorf("reading dead letter %d: %w", seq, unavailable(ctx, err))
	}
	return readDead(m), nil
}

// RetryDead publishes the message again where it was published first, under
// its message id with a new ";r{n}" (contracts#redrive), so that it counts as new
// and what it causes does too; then it drops the letter. When it stops
// half-way the letter stays. A letter whose message was not kept whole cannot
// be retried: it must be sent again by who sent it.
func (c *Conn) RetryDead(ctx context.Context, seq uint64) error {
	d, err := c.GetDead(ctx, seq)
	if err != nil {
		return err
	}
	if d.Lost != "" {
		return fmt.Errorf("dead letter %d cannot be retried: %w: %s; whoever sent it must send it again", seq, ErrNotKept, d.Lost)
	}
	header := nats.Header{}
	for name, values := range d.Header {
		if !strings.HasPrefix(strings.ToLower(name), "nats-") && !strings.HasPrefix(name, "Colophon-") {
			header[name] = values
		}
	}
	// n is a time, so that it never meets the small numbers of reconcile.
	header.Set(event.HeaderMsgID, fmt.Sprintf("%s;r%d", withoutRedrive(d.MsgID), time.Now().UnixMilli()))
	if err := c.publish(ctx, &nats.Msg{Subject: d.Subject, Header: header, Data: d.Payload}); err != nil {
		return fmt.Errorf("retrying dead letter %d: %w", seq, err)
	}
	return c.DropDead(ctx, seq)
}

// DropDead removes a dead letter; one that is gone already is ErrNoDead.
func (c *Conn) DropDead(ctx context.Context, seq uint64) error {
	if _, err := c.GetDead(ctx, seq); err != nil {
		return err
	}
	letters, err := c.js.Stream(ctx, c.streamName(dlqStream))
	if err == nil {
		err = letters.DeleteMsg(ctx, seq)
	}
	if err != nil {
		return fmt.Errorf("dropping dead letter %d: %w", seq, unavailable(ctx, err))
	}
	return nil
}

func readDead(m *jetstream.RawStreamMsg) Dead {
	d := Dead{
		Seq: m.Sequence, At: m.Time.UTC(),
		Consumer: m.Header.Get(headerConsumer), Reason: fault.Reason(m.Header.Get(headerReason)),
		Message: m.Header.Get(headerMessage), Subject: m.Header.Get(headerSubject),
		MsgID: m.Header.Get(headerMsgID), Type: m.Header.Get(event.HeaderType),
		Lost: m.Header.Get(headerLost), Header: m.Header, Payload: m.Data,
		SourceID: m.Subject[strings.LastIndexByte(m.Subject, '.')+1:],
	}
	d.Deliveries, _ = strconv.Atoi(m.Header.Get(headerDeliveries))
	return d
}
