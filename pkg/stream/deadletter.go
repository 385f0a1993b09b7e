package stream

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// The headers that a dead letter has beside those of its message.
const (
	headerConsumer   = "Colophon-Consumer"
	headerReason     = "Colophon-Reason"     // contracts#reasons
	headerMessage    = "Colophon-Message"    // the sentence
	headerSubject    = "Colophon-Subject"    // where the message was published
	headerMsgID      = "Colophon-Msg-Id"     // its message id
	headerDeliveries = "Colophon-Deliveries" // how often it was delivered
	headerLost       = "Colophon-Lost"       // what of the message is not kept, when anything
)

// bury puts a copy of the message into the dead letters: its headers but the
// server's own, and its payload, redacted when it is a request (contracts#dead-letters).
// Doing so twice within the duplicate window leaves one letter.
func (r *Runner) bury(ctx context.Context, d *delivery, reason fault.Reason, text string) error {
	source := d.event.SourceID
	if !model.ValidSourceID(source) {
		source = "UNKNOWN" // no source has such an id
		if last := d.msg.Subject()[strings.LastIndexByte(d.msg.Subject(), '.')+1:]; model.ValidSourceID(last) {
			source = last
		}
	}
	letter := &nats.Msg{
		Subject: fmt.Sprintf("%s.dlq.%s.%s", r.conn.cfg.Prefix, r.consumer, source),
		Header:  nats.Header{},
		Data:    d.msg.Data(),
	}
	for name, values := range d.msg.Headers() {
		if keptOfMessage(name, r.consumer) {
			letter.Header[name] = r.envelope(name, values)
		}
	}
	maps.Copy(letter.Header, nats.Header{
		headerConsumer:    {r.consumer},
		headerReason:      {string(reason)},
		headerMessage:     {text},
		headerSubject:     {d.msg.Subject()},
		headerMsgID:       {d.event.MsgID},
		headerDeliveries:  {strconv.FormatUint(d.meta.NumDelivered, 10)},
		event.HeaderMsgID: {fmt.Sprintf("%s/%s/%d/%d", r.consumer, d.meta.Stream, d.meta.Sequence.Stream, d.meta.Timestamp.UnixNano())},
	})
	if r.consumer == ConsumerCapture {
		var lost []string
		if letter.Data, lost = event.RedactRequest(letter.Data); len(lost) > 0 {
			letter.Header.Set(headerLost, strings.Join(lost, ", "))
		}
	}
	err := r.conn.publish(ctx, letter)
	if fault.KindOf(err) == fault.KindPermanent { // with its headers it is too large
		letter.Header.Set(headerLost, fmt.Sprintf("payload of %d bytes", len(letter.Data)))
		letter.Data = nil
		err = r.conn.publish(ctx, letter)
	}
	if err != nil {
		return fault.Unavailable(fmt.Errorf("writing a dead letter: %w", err))
	}
	r.conn.meters.buried(ctx, r.consumer, reason)
	return nil
}

// envelope returns the values of a header as a dead letter may have them: a crawler
// may have written anything where its request's time or type is to stand.
func (r *Runner) envelope(name string, values []string) []string {
	if r.consumer != ConsumerCapture {
		return values
	}
	kept := make([]string, 0, len(values))
	for _, value := range values {
		kept = append(kept, envelopeValue(name, value))
	}
	return kept
}

func envelopeValue(name, value string) string {
	var ok bool
	switch strings.ToLower(name) {
	case event.HeaderTime:
		_, err := time.Parse(time.RFC3339, value)
		ok = err == nil
	case event.HeaderType:
		ok = value == event.TypeCaptureRequested
	case event.HeaderSpecVersion:
		ok = value == "1.0"
	case event.HeaderContentType:
		ok = value == "application/json"
	default:
		return redact.Text(value, redact.Stored)
	}
	if !ok {
		return redact.Marker
	}
	return value
}

// keptOfMessage reports whether a dead letter has a header of its message: all
// but the server's own, of a request only those of its envelope, since a crawler
// may send any.
func keptOfMessage(name, consumer string) bool {
	name = strings.ToLower(name)
	if consumer != ConsumerCapture {
		return !strings.HasPrefix(name, "nats-")
	}
	switch name {
	case event.HeaderSpecVersion, event.HeaderID, event.HeaderType, event.HeaderTime, event.HeaderContentType,
		event.HeaderTraceParent, event.HeaderTraceState:
		return true
	}
	return false
}
