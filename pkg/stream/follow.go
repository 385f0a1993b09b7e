package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
)

// FollowOptions choose events. Requests cannot be followed: their stream is a
// work queue, from which only the capturer takes.
type FollowOptions struct {
	Nouns    []string  // capture, snapshot, run, page, ir, entities, chunk, vector, source, correction; none: all
	Types    []string  // event types as in event.TypeChunkCreated; none: all of the nouns
	SourceID string    // empty: all sources
	Since    time.Time // from this time on; zero: all that is stored
	New      bool      // only what is published after Subscribe has returned
	After    uint64    // of one stream only: behind the event of this number, Received.Seq
}

// ErrBehind says that events behind FollowOptions.After are not in the stream
// any more, or that the stream was made again.
var ErrBehind = errors.New("the stream does not reach back so far")

// ErrNoEvents says that no event is about what FollowOptions name.
var ErrNoEvents = errors.New("no such events")

// Received is an event with its place in its stream.
type Received struct {
	Event  event.Event
	Stream string
	Seq    uint64
	At     time.Time // when it was stored
}

// Subscription delivers events in the order of each stream. It goes on by
// itself after the server was away and delivers nothing twice.
type Subscription struct {
	events chan Received
	cancel context.CancelFunc
}

// Subscribe starts to follow the chosen events. When it returns the server
// knows of it: with New, what is published from then on is delivered. It ends
// with ctx or Close.
func (c *Conn) Subscribe(ctx context.Context, o FollowOptions) (*Subscription, error) {
	chosen, err := c.choose(o)
	if err != nil {
		return nil, err
	}
	if o.After > 0 && len(chosen) != 1 {
		return nil, fmt.Errorf("a number within a stream, and events of %d streams are chosen", len(chosen))
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Subscription{events: make(chan Received, 64), cancel: cancel}
	for _, f := range chosen {
		iterator, err := c.iterate(ctx, f, o)
		if err != nil {
			cancel()
			if !errors.Is(err, ErrBehind) {
				err = unavailable(ctx, err)
			}
			return nil, fmt.Errorf("following stream %s: %w", f.stream, err)
		}
		go c.deliver(ctx, iterator, s.events)
	}
	return s, nil
}

// Next waits for the next event. Its error is that of the context that ended.
func (s *Subscription) Next(ctx context.Context) (Received, error) {
	select {
	case r := <-s.events:
		return r, nil
	case <-ctx.Done():
		return Received{}, ctx.Err()
	}
}

// Close ends the subscription; it may be called twice.
func (s *Subscription) Close() { s.cancel() }

// Follow calls each for the chosen events until it returns an error or ctx
// ends, which is no error.
func (c *Conn) Follow(ctx context.Context, o FollowOptions, each func(Received) error) error {
	s, err := c.Subscribe(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		r, err := s.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
}

// followed is what is wanted of one stream.
type followed struct {
	stream  string
	filters []string
}

// choose returns the streams and subjects that hold the chosen events.
func (c *Conn) choose(o FollowOptions) ([]followed, error) {
	def(&o.SourceID, "*")
	var chosen []followed
	nouns, types := make(map[string]bool), make(map[string]bool)
	for _, s := range table() {
		if s.queue || s.name == dlqStream {
			continue
		}
		var patterns []string
		for _, pattern := range s.subjects {
			noun, verb, _ := strings.Cut(pattern, ".")
			nouns[noun] = true
			if len(o.Nouns) > 0 && !slices.Contains(o.Nouns, noun) {
				continue
			}
			if len(o.Types) == 0 {
				patterns = append(patterns, pattern)
			}
			for _, t := range o.Types {
				wanted := strings.TrimSuffix(strings.TrimPrefix(t, "colophon."), ".v1")
				if wanted == pattern || verb == "*" && strings.HasPrefix(wanted, noun+".") {
					types[t] = true
					patterns = append(patterns, wanted)
				}
			}
		}
		if len(patterns) > 0 {
			filters := slices.Compact(c.subjects(patterns, o.SourceID))
			chosen = append(chosen, followed{c.streamName(s.name), filters})
		}
	}
	for _, noun := range o.Nouns {
		if !nouns[noun] {
			return nil, fmt.Errorf("%w: none are about %q, but about %s", ErrNoEvents, noun, strings.Join(slices.Sorted(maps.Keys(nouns)), ", "))
		}
	}
	for _, t := range o.Types {
		if !types[t] {
			return nil, fmt.Errorf("%w: none of type %q are among those chosen; a type is named as in colophon.chunk.created.v1", ErrNoEvents, t)
		}
	}
	return chosen, nil
}

func (c *Conn) iterate(ctx context.Context, f followed, o FollowOptions) (jetstream.MessagesContext, error) {
	cfg := jetstream.OrderedConsumerConfig{FilterSubjects: f.filters, DeliverPolicy: jetstream.DeliverAllPolicy}
	found, err := c.js.Stream(ctx, f.stream)
	if err != nil {
		return nil, err
	}
	switch {
	case o.New: // by number: "new" would begin again at a reconnect before the first event
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, found.CachedInfo().State.LastSeq+1
	case o.After > 0:
		state := found.CachedInfo().State
		if o.After+1 < state.FirstSeq || o.After > state.LastSeq {
			return nil, fmt.Errorf("behind event %d, it holds %d to %d: %w", o.After, state.FirstSeq, state.LastSeq, ErrBehind)
		}
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, o.After+1
	case !o.Since.IsZero():
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &o.Since
	}
	consumer, err := found.OrderedConsumer(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return consumer.Messages()
}

// deliver hands on what the iterator brings until ctx ends. What is no event
// is left out.
func (c *Conn) deliver(ctx context.Context, iterator jetstream.MessagesContext, events chan<- Received) {
	defer context.AfterFunc(ctx, iterator.Stop)()
	for {
		msg, err := iterator.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) || ctx.Err() != nil {
			return
		}
		if err != nil {
			wait(ctx, c.cfg.ProbeEvery)
			continue
		}
		meta, err := msg.Metadata()
		if err != nil {
			continue
		}
		e, err := event.Decode(c.cfg.Prefix, msg.Subject(), msg.Headers(), msg.Data())
		if err != nil {
			continue
		}
		select {
		case events <- Received{Event: e, Stream: meta.Stream, Seq: meta.Sequence.Stream, At: meta.Timestamp.UTC()}:
		case <-ctx.Done():
			return
		}
	}
}
