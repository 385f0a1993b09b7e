package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Queue is how much waits for one consumer.
type Queue struct {
	Consumer   string     `json:"consumer"`         // name of the consumer
	Stream     string     `json:"stream"`           // name of its stream
	Pending    uint64     `json:"pending"`          // not delivered yet
	AckPending int        `json:"ack_pending"`      // in hand, or handed back for later
	Redelivery int        `json:"redelivery"`       // of those, delivered more than once
	Oldest     *time.Time `json:"oldest,omitempty"` // when the oldest message that is not done was published, by the server's clock
	// Age is how long that was ago, by the same clock, which may differ from others.
	Age time.Duration `json:"-"`
}

// Queues returns the queue of every consumer (contracts#stream-table), in the order of
// the chain. Oldest is when the oldest message that is not done was published.
func (c *Conn) Queues(ctx context.Context) ([]Queue, error) {
	var queues []Queue
	for _, s := range table() {
		for _, consumer := range s.consumers {
			q, err := c.queue(ctx, s, consumer)
			if err != nil {
				return nil, fmt.Errorf("asking for the queue of %s: %w", consumer.name, unavailable(ctx, err))
			}
			queues = append(queues, q)
		}
	}
	return queues, nil
}

func (c *Conn) queue(ctx context.Context, s spec, consumer consumerSpec) (Queue, error) {
	q := Queue{Consumer: consumer.name, Stream: c.streamName(s.name)}
	found, err := c.js.Stream(ctx, q.Stream)
	if err != nil {
		return q, err
	}
	handle, err := found.Consumer(ctx, consumer.name)
	if err != nil {
		return q, err
	}
	info := handle.CachedInfo()
	q.Pending, q.AckPending, q.Redelivery = info.NumPending, info.NumAckPending, info.NumRedelivered
	if q.Pending == 0 && q.AckPending == 0 {
		return q, nil
	}
	if s.queue { // it holds nothing else, and nobody who only asks may read a request
		at := found.CachedInfo().State.FirstTime.UTC()
		if at.IsZero() { // it was empty a moment ago
			at = info.TimeStamp.UTC()
		}
		q.Oldest, q.Age = &at, info.TimeStamp.Sub(at)
		return q, nil
	}
	for _, subject := range c.subjects(consumer.filters, "*") {
		m, err := found.GetMsg(ctx, info.AckFloor.Stream+1, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return q, err
		}
		if q.Oldest == nil || m.Time.Before(*q.Oldest) {
			at := m.Time.UTC()
			q.Oldest, q.Age = &at, info.TimeStamp.Sub(m.Time)
		}
	}
	return q, nil
}
