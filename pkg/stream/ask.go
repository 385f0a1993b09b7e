package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// ErrNobody says that nobody answers questions now. It is Unavailable.
var ErrNobody = errors.New("nobody answers questions")

// ErrGone says that whoever has asked a question waits no more for its answer.
var ErrGone = errors.New("whoever has asked has gone")

// waitingParts is how many parts of an answer wait for who reads it.
const waitingParts = 256

// Ask puts a question on a subject (contracts#ask), and yields the parts of its answer as they
// come. They come on a subject behind replies that is this question's own; whoever leaves the loop
// hears no more, which the other side notices with its next part. Who answers says something at
// least every silence; when nobody does, the loop ends with an Unavailable error.
func (c *Conn) Ask(ctx context.Context, subject, replies string, question []byte, silence time.Duration) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if !c.nc.IsConnected() {
			yield(nil, c.away())
			return
		}
		if int64(len(question)) > c.nc.MaxPayload() {
			yield(nil, fault.Permanent(fault.LimitExceeded, fmt.Errorf("a question of %d bytes is more than the bus takes", len(question))))
			return
		}
		m := &nats.Msg{Subject: c.subject(subject), Reply: c.subject(replies) + "." + c.number(), Header: nats.Header{}, Data: question}
		for name, value := range inject(ctx) {
			m.Header.Set(name, value)
		}
		parts := make(chan *nats.Msg, waitingParts)
		subscription, err := c.nc.ChanSubscribe(m.Reply, parts)
		if err != nil {
			yield(nil, fault.Unavailable(err))
			return
		}
		defer func() { _ = subscription.Unsubscribe() }()
		if err := c.nc.PublishMsg(m); err != nil {
			yield(nil, fault.Unavailable(err))
			return
		}
		c.hear(ctx, parts, silence, yield)
	}
}

func (c *Conn) hear(ctx context.Context, parts <-chan *nats.Msg, silence time.Duration, yield func([]byte, error) bool) {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case part := <-parts:
			if isNobody(part) {
				yield(nil, fault.Unavailable(ErrNobody))
				return
			}
			if !yield(part.Data, nil) {
				return
			}
			quiet.Reset(silence)
		case <-quiet.C:
			yield(nil, fault.Unavailable(fmt.Errorf("%w: nothing was heard for %s", ErrNobody, silence)))
			return
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
	}
}

// isNobody reports whether a message is the server's word that nobody is there.
func isNobody(m *nats.Msg) bool {
	return len(m.Data) == 0 && m.Header.Get("Status") == strconv.Itoa(http.StatusServiceUnavailable)
}

// number returns what no other question is called by: nobody can guess it.
func (c *Conn) number() string {
	inbox := c.nc.NewInbox()
	return inbox[strings.LastIndexByte(inbox, '.')+1:]
}

func (c *Conn) subject(rest string) string { return strings.Join([]string{c.cfg.Prefix, rest}, ".") }

// Answer hands each question on a subject to handle, in a goroutine of its own, and to one process
// alone of those that do so under the same group. What handle tells goes to who has asked; its
// context ends when that one is gone, of which tell returns ErrGone, and when ctx does. The function that is returned takes no
// more questions and waits for those in hand.
func (c *Conn) Answer(ctx context.Context, subject, group string, handle func(ctx context.Context, question []byte, tell func(part []byte) error)) (stop func(), err error) {
	var hand sync.WaitGroup
	subscription, err := c.nc.QueueSubscribe(c.subject(subject), group, func(m *nats.Msg) {
		if m.Reply == "" {
			return // nobody would hear it
		}
		hand.Go(func() { c.answer(ctx, m, handle) })
	})
	if err != nil {
		return nil, fmt.Errorf("answering questions: %w", err)
	}
	return func() {
		_ = subscription.Unsubscribe()
		hand.Wait()
	}, nil
}

func (c *Conn) answer(ctx context.Context, m *nats.Msg, handle func(ctx context.Context, question []byte, tell func(part []byte) error)) {
	trace := make(map[string]string)
	for name := range m.Header {
		trace[name] = m.Header.Get(name)
	}
	ctx, cancel := context.WithCancelCause(extract(ctx, trace))
	defer cancel(nil)
	// The server tells an inbox when nobody hears a part.
	inbox := c.nc.NewInbox()
	gone, err := c.nc.Subscribe(inbox, func(m *nats.Msg) {
		if isNobody(m) {
			cancel(ErrGone)
		}
	})
	if err != nil {
		return // there is no connection, so that nobody would hear the answer
	}
	defer func() { _ = gone.Unsubscribe() }()
	handle(ctx, m.Data, func(part []byte) error {
		if errors.Is(context.Cause(ctx), ErrGone) {
			return ErrGone
		}
		return c.nc.PublishMsg(&nats.Msg{Subject: m.Reply, Reply: inbox, Data: part})
	})
}
