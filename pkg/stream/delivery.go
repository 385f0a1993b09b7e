package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// delivery is one message in hand, from its pull to its ack.
type delivery struct {
	msg     jetstream.Msg
	meta    jetstream.MsgMetadata
	event   event.Event
	broken  error  // why the message is no event
	verdict error  // decided before the handling: broken, or a killer's last start
	started bool   // its start is committed and has not ended
	stop    func() // ends the keep-alive; may be called twice
}

// receive reads a message. The keep-alive begins with it.
func (r *Runner) receive(msg jetstream.Msg) *delivery {
	d := &delivery{msg: msg, stop: keepAlive(msg, r.ackWait/3)}
	if meta, err := msg.Metadata(); err == nil {
		d.meta = *meta
	}
	d.event, d.broken = event.Decode(r.conn.cfg.Prefix, msg.Subject(), msg.Headers(), msg.Data())
	d.verdict = d.broken
	return d
}

// key names the message in the catalog: its message id, or a digest of it when
// Postgres could not hold it in an index.
func (d *delivery) key() string {
	id := d.event.MsgID
	switch {
	case id == "":
		return fmt.Sprintf("%s/%d/%d", d.meta.Stream, d.meta.Sequence.Stream, d.meta.Timestamp.UnixNano())
	case len(id) > 1000 || !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		sum := sha256.Sum256([]byte(id))
		return "sha256:" + hex.EncodeToString(sum[:])
	default:
		return id
	}
}

// age is how long the message has been in its stream.
func (d *delivery) age() time.Duration { return time.Since(d.meta.Timestamp) }

// maxSentence bounds what is recorded of an error, in bytes.
const maxSentence = 2000

// sentence makes text fit for a row, a header and a span: one line of valid UTF-8
// without U+0000 and without the secrets of an address that it quotes.
func sentence(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' }), " ")
	text = redact.Text(text, redact.Log)
	if len(text) > maxSentence {
		text = strings.ToValidUTF8(text[:maxSentence], "") + "…"
	}
	if text == "" {
		return "no message"
	}
	return text
}
