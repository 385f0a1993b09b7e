package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	AfterAt  time.Time // when that one was stored, Received.At; zero: not known
	Whole    bool      // end with ErrBehind when events may be missed since the stream was made again or restored
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

// Subscription delivers events in the order of each stream. It goes on by itself
// after the server was away, or has lost its streams, and delivers nothing twice.
type Subscription struct {
	events chan Received
	ended  chan error // why it has ended by itself
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
	s := &Subscription{events: make(chan Received, 64), ended: make(chan error, len(chosen)), cancel: cancel}
	for _, one := range chosen {
		f := &follower{conn: c, followed: one, whole: o.Whole, subscription: s}
		iterator, err := f.begin(ctx, o)
		if err != nil {
			cancel()
			if !errors.Is(err, ErrBehind) {
				err = unavailable(ctx, err)
			}
			return nil, fmt.Errorf("following stream %s: %w", f.stream, err)
		}
		go f.run(ctx, iterator)
	}
	return s, nil
}

// Next waits for the next event. Its error is that of the context that ended, or,
// with FollowOptions.Whole, ErrBehind.
func (s *Subscription) Next(ctx context.Context) (Received, error) {
	select {
	case r := <-s.events:
		return r, nil
	default:
	}
	select {
	case r := <-s.events:
		return r, nil
	case err := <-s.ended:
		return Received{}, err
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
