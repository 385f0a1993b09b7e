package sdk

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/colophon-dev/colophon/pkg/stream"
)

// ErrName says that a name cannot be that of a durable consumer.
var ErrName = stream.ErrName

// Durable follows the changes of chunks as Chunks does, under a name: how far it has come
// is kept by the bus, and the next call with that name goes on from there, in whatever
// process. A change is dealt with when the next one is asked for, or when the loop is left
// by its own break; one on which the program dies comes again. So it is at least once,
// and change.After(kept) is what to keep.
//
// At first, and whenever the bus has lost what the name had not dealt with (its streams
// were wiped, or have dropped what is older than 30 days), the gateway's log is read: at
// first from its beginning on, later from where it was read last. Without
// Config.Gateway only what the stream holds is told then. What the position on the bus
// cannot know is that the bus got an older copy of its data back while no program with
// that name was running: whoever restores a bus removes its durable consumers, and keeps a
// Position of his own where that must not be relied on.
//
// When the catalog was restored from a backup it yields [Restored] as an error. If the loop
// goes on, all is told again, in the new epoch; else the next call under that name yields
// it again.
//
// A name is 1 to 64 of A-Z, a-z, 0-9, _ and -; with identities on the bus it is the
// NAME of consumer-NAME. Two processes under one name share the changes: each gets a part.
// source chooses one source; another one than before begins anew.
func (c *Client) Durable(ctx context.Context, name, source string) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := c.followDurable(ctx, name, source, yield)
		if ctx.Err() == nil && !errors.Is(err, errEnough) {
			yield(Change{}, err)
		}
	}
}

// followDurable yields until it fails, and says why: its error is never nil.
func (c *Client) followDurable(ctx context.Context, name, source string, yield func(Change, error) bool) (err error) {
	durable, err := c.conn.OpenDurable(ctx, name, c.cfg.Gateway != "", stream.FollowOptions{Nouns: []string{"chunk"}, SourceID: source})
	if err != nil {
		return err
	}
	defer func() { durable.Close(errors.Is(err, errEnough) && !errors.Is(err, errLeft)) }()
	f := newFollower(c, From{Source: source})
	f.log, _ = durable.Behind()
	f.epoch, f.known = durable.Epoch()
	return f.eachEpoch(yield, func() error {
		return f.runDurable(ctx, durable, func(ch Change) bool { return yield(ch, nil) })
	})
}

// runDurable yields what comes under a name, in one epoch.
func (f *follower) runDurable(ctx context.Context, durable *stream.Durable, yield func(Change) bool) error {
	if was, _ := durable.Epoch(); f.epoch > was || f.again { // what came before is void
		if err := durable.BeginAnew(ctx, f.epoch); err != nil {
			return err
		}
		f.again = false
	}
	if !f.known && f.client.cfg.Gateway != "" { // noted before anything is told
		page, err := f.page(ctx, 0, 1)
		if err != nil {
			return err
		}
		if err := f.followsUnder(ctx, durable, page.Epoch); err != nil {
			return err
		}
	}
	for {
		if log, behind := durable.Behind(); behind {
			if f.log = log; f.client.cfg.Gateway != "" {
				if err := f.readLog(ctx, yield); err != nil {
					return err
				}
			}
			if err := durable.CaughtUp(ctx, f.log); err != nil {
				return err
			}
		}
		r, err := f.next(ctx, durable.Next)
		switch {
		case errors.Is(err, stream.ErrBehind):
			continue
		case err != nil:
			return err
		}
		ch, err := changeOf(r.Event.Type, r.Event.Payload)
		if err != nil {
			return fmt.Errorf("event %s: %w", r.Event.ID, err)
		}
		if !f.known { // there is no gateway: the first one says it
			if err := f.followsUnder(ctx, durable, ch.Epoch); err != nil {
				return err
			}
		}
		ch.Position = Position{Stream: r.Seq, Log: f.log, At: r.At, Epoch: ch.Epoch}
		if err := f.pass(ctx, ch, yield); err != nil {
			return err
		}
	}
}

// followsUnder notes under the name in which epoch it begins.
func (f *follower) followsUnder(ctx context.Context, durable *stream.Durable, epoch string) error {
	if err := durable.Follows(ctx, epoch); err != nil {
		return err
	}
	f.epoch, f.known = epoch, true
	return nil
}
