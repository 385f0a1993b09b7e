package stream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// Bury puts an event that no worker has in hand into the dead letters, as the
// one that a consumer would have had to handle: what reconcile gives up
// (contracts#dead-letters). A request must be redacted already. Doing so twice within the
// duplicate window leaves one letter.
func (c *Conn) Bury(ctx context.Context, consumer string, e event.Event, reason fault.Reason, sentence string) error {
	subject, header, payload := e.Encode(c.cfg.Prefix)
	letter := &nats.Msg{
		Subject: fmt.Sprintf("%s.dlq.%s.%s", c.cfg.Prefix, consumer, e.SourceID), Header: header, Data: payload,
	}
	letter.Header.Set(headerConsumer, consumer)
	letter.Header.Set(headerReason, string(reason))
	letter.Header.Set(headerMessage, sentence)
	letter.Header.Set(headerSubject, subject)
	letter.Header.Set(headerMsgID, e.MsgID)
	letter.Header.Set(headerDeliveries, "0")
	letter.Header.Set(event.HeaderMsgID, consumer+"/given-up/"+e.MsgID)
	if err := c.publish(ctx, letter); err != nil {
		return fmt.Errorf("writing a dead letter: %w", err)
	}
	c.meters.buried(ctx, consumer, reason)
	return nil
}
