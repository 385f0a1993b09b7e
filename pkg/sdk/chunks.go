package sdk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Position is how far a consumer has come: keep that of the last change that was
// dealt with, and go on from there. The zero one is the beginning: of the
// gateway's log, or without a gateway of what the stream holds (30 days).
type Position struct {
	Stream uint64    `json:"stream"`      // number of the event in the chunk stream
	Log    int64     `json:"log"`         // number of the entry in the gateway's log, which is read when the stream does not reach back
	At     time.Time `json:"at,omitzero"` // when the event was stored: by that a stream is known that was lost and made again

	Epoch string `json:"epoch,omitempty"` // the copy of the catalog that it is a position in: in another one it means nothing ([Restored])
}

// From says where a subscription begins.
type From struct {
	Position           // behind this one
	Since    time.Time // or: at this time, within what the stream holds
	New      bool      // or: now
	Source   string    // only this source; empty: all. What is current in it is StandsInSource
}

// Chunks follows the changes of chunks. It yields a change when its rev is above all
// that it has yielded of that chunk, and the text of a chunk that is told after
// changes of it, then with the newest state that was told. What it has yielded it knows
// until it ends: one that goes on from a Position begins without, and changes that the
// consumer has, and older ones, may come again. So keep change.After(kept) of each chunk,
// where kept is what you have of it, from this call or an earlier one: that ends with what
// the catalog has, whatever the order of events, however often each comes, and wherever
// it was interrupted. It
// goes on by itself while the bus is away, and ends with ctx, whose end is no
// error, or with an error after which it can be called again from the last
// Position. When the bus has lost its stream, or got an older copy of it back, the
// gateway's log is read from From.Log on; without a gateway that is ErrBehind. When the
// catalog was restored from a backup it yields [Restored] as an error, and begins anew if
// the loop goes on. It holds
// 40 bytes of memory for each chunk that it has seen, and 500 for each of which it
// has seen changes and no text.
func (c *Client) Chunks(ctx context.Context, from From) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f := newFollower(c, from)
		err := f.eachEpoch(yield, func() error {
			return f.run(ctx, func(ch Change) bool { return yield(ch, nil) })
		})
		if ctx.Err() == nil && !errors.Is(err, errEnough) {
			yield(Change{}, err)
		}
	}
}

// errEnough says that the consumer has broken off.
var errEnough = errors.New("the consumer has ended")

// chunkKey stands for a chunk_ref: the first half of its sha256.
type chunkKey [16]byte

// seen is what was yielded of a chunk.
type seen struct {
	rev  int64 // the highest
	text bool  // whether it was yielded with its text
}

type follower struct {
	client *Client
	from   From
	seen   map[chunkKey]seen
	untold map[chunkKey]Change // the newest change of chunks whose text was not told yet
	log    int64               // the newest entry of the gateway's log that was read
	epoch  string              // of the catalog that is followed (contracts#epoch)
	known  bool                // which one that is: not where it has begun without a position and heard nothing
	again  bool                // it begins anew in the epoch in which it was
}

func newFollower(c *Client, from From) *follower {
	return &follower{client: c, from: from, seen: make(map[chunkKey]seen), untold: make(map[chunkKey]Change), log: from.Log,
		epoch: from.Epoch, known: from.Position != Position{}}
}

// run yields changes until it fails, and says why: its error is never nil.
func (f *follower) run(ctx context.Context, yield func(Change) bool) error {
	o := stream.FollowOptions{
		Nouns: []string{"chunk"}, SourceID: f.from.Source, After: f.from.Stream, AfterAt: f.from.At, Since: f.from.Since, New: f.from.New, Whole: true,
	}
	whole := o.After == 0 && o.Since.IsZero() && !o.New
	var sub *stream.Subscription
	err := stream.ErrBehind
	if !whole || f.client.cfg.Gateway == "" {
		sub, err = f.client.conn.Subscribe(ctx, o)
	}
	for {
		switch {
		case errors.Is(err, stream.ErrBehind) && f.client.cfg.Gateway != "":
			// First the stream, then the log: what comes in between is in both, and what
			// the log cannot say yet was told a short while ago.
			o.After, o.Since, o.New = 0, stream.Overlap(time.Now()), false
			if sub, err = f.client.conn.Subscribe(ctx, o); err != nil {
				return err
			}
			err = f.readLog(ctx, yield)
		case err != nil:
			return err
		}
		if err == nil {
			err = f.follow(ctx, sub, yield)
		}
		sub.Close()
	}
}

// follow yields what a subscription brings.
func (f *follower) follow(ctx context.Context, sub *stream.Subscription, yield func(Change) bool) error {
	for {
		r, err := f.next(ctx, sub.Next)
		if err != nil {
			return err
		}
		ch, err := changeOf(r.Event.Type, r.Event.Payload)
		if err != nil {
			return fmt.Errorf("event %s: %w", r.Event.ID, err)
		}
		ch.Position = Position{Stream: r.Seq, Log: f.log, At: r.At, Epoch: ch.Epoch}
		if err := f.pass(ctx, ch, yield); err != nil {
			return err
		}
	}
}

// pass yields a change that says something new.
func (f *follower) pass(ctx context.Context, ch Change, yield func(Change) bool) error {
	if stale, err := f.hears(ch.Epoch); stale || err != nil {
		return err
	}
	if f.from.Source != "" && ch.SourceID != f.from.Source {
		return nil
	}
	if ch.Rev > f.seen[keyOf(ch)].rev {
		var err error
		if ch, err = f.client.completed(ctx, ch); err != nil {
			return err
		}
	}
	if ch, isNew := f.news(ch); isNew && !yield(ch) {
		return errEnough
	}
	return nil
}

func keyOf(ch Change) chunkKey {
	sum := sha256.Sum256([]byte(ch.ChunkRef))
	return chunkKey(sum[:len(chunkKey{})])
}

// news reports whether a change says something that was not yielded of its chunk,
// and returns it as it is to be yielded: a text that comes after newer changes has
// their state.
func (f *follower) news(ch Change) (Change, bool) {
	key := keyOf(ch)
	known := f.seen[key]
	switch {
	case ch.Rev > known.rev:
		f.seen[key] = seen{rev: ch.Rev, text: known.text || ch.Chunk != nil}
		if !f.seen[key].text && ch.Type != event.TypeChunkRemoved {
			f.untold[key] = ch
		} else {
			delete(f.untold, key)
		}
		return ch, true
	case ch.Chunk == nil || known.text:
		return ch, false
	}
	newest, waiting := f.untold[key]
	delete(f.untold, key)
	f.seen[key] = seen{rev: known.rev, text: true}
	if !waiting {
		return ch, false // it is gone
	}
	newest.Type, newest.Chunk, newest.Position = ch.Type, ch.Chunk, ch.Position
	newest.Chunk.Layer = model.Layer(newest.Layer)
	return newest, true
}

// logPage is an answer of /v1/changes.
type logPage struct {
	Changes []struct {
		Seq  int64           `json:"seq"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	} `json:"changes"`
	Next  int64  `json:"next"`
	Epoch string `json:"epoch"`
}

// page asks for the entries of the gateway's log behind one.
func (f *follower) page(ctx context.Context, after int64, limit int) (page logPage, err error) {
	return page, f.client.get(ctx, fmt.Sprintf("/v1/changes?after=%d&limit=%d", after, limit), &page)
}

// logLimit is how many entries of the log are asked for at once: as many as are given.
const logLimit = 100

// readLog yields the entries of the gateway's log until there are no more.
func (f *follower) readLog(ctx context.Context, yield func(Change) bool) error {
	for {
		page, err := f.page(ctx, f.log, logLimit)
		if errors.Is(err, errNotThere) && f.log > 0 {
			return f.anotherLog(ctx)
		}
		if err != nil {
			return err
		}
		if stale, err := f.hears(page.Epoch); stale {
			return errOlder
		} else if err != nil {
			return err
		}
		if len(page.Changes) == 0 {
			return nil
		}
		for _, entry := range page.Changes {
			ch, err := changeOf(entry.Type, entry.Data)
			if err != nil {
				return fmt.Errorf("entry %d of the log: %w", entry.Seq, err)
			}
			f.log = entry.Seq
			ch.Position = Position{Stream: f.from.Stream, Log: entry.Seq, At: f.from.At, Epoch: ch.Epoch}
			if err := f.pass(ctx, ch, yield); err != nil {
				return err
			}
		}
		f.log = page.Next
	}
}

// Outcomes follows what becomes of all requests of a source, members of
// containers included, from a time on that the stream reaches back to (7 days),
// or from now on when it is zero. An outcome may come more than once. It ends
// with ctx, whose end is no error.
func (c *Client) Outcomes(ctx context.Context, source string, since time.Time) iter.Seq2[Outcome, error] {
	return follow[Outcome](ctx, c, event.TypeCaptureCompleted, source, since)
}

// follow yields the events of one type, of one source or of all.
func follow[T event.Data](ctx context.Context, c *Client, eventType, source string, since time.Time) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var none T
		err := c.conn.Follow(ctx, stream.FollowOptions{
			Types: []string{eventType}, SourceID: source, Since: since, New: since.IsZero(),
		}, func(r stream.Received) error {
			data, err := event.As[T](r.Event)
			if err != nil {
				return err
			}
			if !yield(data, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(none, err)
		}
	}
}
