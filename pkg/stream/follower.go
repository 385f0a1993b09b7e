package stream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
)

// follower delivers the events of one stream. An ordered consumer alone would go on
// at the next number when its stream was lost and made again, or restored from an
// older copy, and hear nothing until there are as many messages as before. So after
// each loss of the connection, and when the stream is another than it was, a
// follower begins anew, by the time of what it has heard last.
type follower struct {
	followed
	conn         *Conn
	whole        bool
	subscription *Subscription

	config jetstream.OrderedConsumerConfig // of a beginning where nothing was heard
	made   time.Time                       // when the stream was made
	last   atomic.Uint64                   // number of what was heard last, or lies before the beginning
	passed atomic.Uint64                   // up to this number nothing was left to hear some time ago
	at     time.Time                       // when that was stored; zero: not known
	heard  bool                            // it was delivered
	proven bool                            // of this iterator: it goes on where the one before has ended
}

// begin makes the first iterator.
func (f *follower) begin(ctx context.Context, o FollowOptions) (jetstream.MessagesContext, error) {
	found, err := f.conn.js.Stream(ctx, f.stream)
	if err != nil {
		return nil, err
	}
	state := found.CachedInfo().State
	f.made = found.CachedInfo().Created
	f.config = jetstream.OrderedConsumerConfig{FilterSubjects: f.filters, DeliverPolicy: jetstream.DeliverAllPolicy}
	f.proven = true
	switch {
	case o.New: // by number: "new" would begin again at a reconnect before the first event
		f.config.DeliverPolicy, f.config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, state.LastSeq+1
		f.last.Store(state.LastSeq)
		f.at = state.LastTime
	case o.After > 0:
		if o.After+1 < state.FirstSeq || o.After > state.LastSeq {
			return nil, fmt.Errorf("behind event %d, it holds %d to %d: %w", o.After, state.FirstSeq, state.LastSeq, ErrBehind)
		}
		f.config.DeliverPolicy, f.config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, o.After+1
		f.last.Store(o.After)
		if !o.AfterAt.IsZero() && o.After >= state.FirstSeq {
			f.at, f.heard = o.AfterAt, true
			return f.again(ctx)
		}
	case !o.Since.IsZero():
		f.config.DeliverPolicy, f.config.OptStartTime = jetstream.DeliverByStartTimePolicy, &o.Since
	}
	return f.iterate(ctx, found, f.config)
}

func (f *follower) iterate(ctx context.Context, s jetstream.Stream, cfg jetstream.OrderedConsumerConfig) (jetstream.MessagesContext, error) {
	consumer, err := s.OrderedConsumer(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return consumer.Messages()
}

// again makes an iterator that goes on behind what was heard last. ErrBehind says
// that the stream is known not to hold what comes next.
func (f *follower) again(ctx context.Context) (jetstream.MessagesContext, error) {
	found, err := f.conn.js.Stream(ctx, f.stream)
	if err != nil {
		return nil, err
	}
	info, last := found.CachedInfo(), f.last.Load()
	other := f.changed(f.made, info)
	if f.whole && (other || f.heard && info.State.FirstSeq > max(last, f.passed.Load())+1) {
		return nil, fmt.Errorf("behind event %d, it holds %d to %d since %s: %w", last, info.State.FirstSeq, info.State.LastSeq, info.Created, ErrBehind)
	}
	f.made, f.proven = info.Created, !f.heard || info.State.FirstSeq > last
	cfg := f.config
	switch {
	case !f.at.IsZero():
		at := f.at
		cfg = jetstream.OrderedConsumerConfig{FilterSubjects: f.filters, DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &at}
	case other: // all that it holds is younger than what was heard
		cfg = jetstream.OrderedConsumerConfig{FilterSubjects: f.filters, DeliverPolicy: jetstream.DeliverAllPolicy}
	}
	if other {
		f.last.Store(0)
		f.passed.Store(0)
		f.heard, f.proven = false, true
	}
	return f.iterate(ctx, found, cfg)
}

// changed reports whether a stream is another than the one made then, or an older
// copy of it.
func (f *follower) changed(made time.Time, info *jetstream.StreamInfo) bool {
	return !info.Created.Equal(made) || info.State.LastSeq < f.last.Load()
}

// run delivers until ctx ends.
func (f *follower) run(ctx context.Context, iterator jetstream.MessagesContext) {
	for {
		if iterator != nil {
			watching, stop := context.WithCancel(ctx)
			go f.watch(watching, f.made, iterator)
			err := f.deliver(ctx, iterator)
			stop()
			iterator.Stop()
			if err != nil {
				f.subscription.ended <- err
				return
			}
		}
		if _, done, ok := through(ctx, f.conn.gate); ok {
			done()
		}
		if ctx.Err() != nil {
			return
		}
		var err error
		if iterator, err = f.again(ctx); errors.Is(err, ErrBehind) {
			f.subscription.ended <- fmt.Errorf("following stream %s: %w", f.stream, err)
			return
		}
		if err != nil {
			iterator = nil
			wait(ctx, f.conn.cfg.ProbeEvery)
		}
	}
}

// watch stops the iterator when the connection is lost or the stream is another.
func (f *follower) watch(ctx context.Context, made time.Time, iterator jetstream.MessagesContext) {
	defer iterator.Stop()
	_, flow := f.conn.gate.state()
	ticker := time.NewTicker(3 * f.conn.cfg.ProbeEvery)
	defer ticker.Stop()
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-flow.Done():
			return
		case <-ticker.C:
		}
		asking, cancel := context.WithTimeout(ctx, f.conn.cfg.PublishWait)
		found, err := f.conn.js.Stream(asking, f.stream)
		cancel()
		if err != nil {
			continue
		}
		if f.changed(made, found.CachedInfo()) {
			return
		}
		if len(f.subscription.events) == 0 { // what came before the last look was handed on
			f.passed.Store(max(before, f.passed.Load()))
		}
		before = found.CachedInfo().State.LastSeq
	}
}

// deliver hands on what the iterator brings until it is stopped. What is no event is
// left out. Its error is ErrBehind.
func (f *follower) deliver(ctx context.Context, iterator jetstream.MessagesContext) error {
	for {
		msg, err := iterator.Next()
		if err != nil {
			return nil //nolint:nilerr // it is begun anew
		}
		meta, err := msg.Metadata()
		if err != nil {
			continue
		}
		known := meta.Sequence.Stream == f.last.Load() && meta.Timestamp.Equal(f.at)
		if !known && !f.proven && f.whole {
			return fmt.Errorf("following stream %s: event %d is another than it was: %w", f.stream, f.last.Load(), ErrBehind)
		}
		if f.proven = true; known {
			continue
		}
		e, err := event.Decode(f.conn.cfg.Prefix, msg.Subject(), msg.Headers(), msg.Data())
		if err == nil {
			select {
			case f.subscription.events <- Received{Event: e, Stream: meta.Stream, Seq: meta.Sequence.Stream, At: meta.Timestamp.UTC()}:
			case <-ctx.Done():
				return nil
			}
		}
		f.last.Store(meta.Sequence.Stream)
		f.at, f.heard = meta.Timestamp, true
	}
}
