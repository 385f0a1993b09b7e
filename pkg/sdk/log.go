package sdk

import (
	"context"
	"errors"
	"iter"
	"net/url"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// Log yields what Chunks does, from the gateway's log alone, behind from.Log, and ends at
// the end of the log. The errors are Restored, as of Chunks, ErrNoGateway, a gateway that does not answer, and that
// of a ctx that has ended.
func (c *Client) Log(ctx context.Context, from From) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if c.cfg.Gateway == "" {
			yield(Change{}, ErrNoGateway)
			return
		}
		f := newFollower(c, from)
		err := f.eachEpoch(yield, func() error {
			return f.readLog(ctx, func(ch Change) bool { return yield(ch, nil) })
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Change{}, err)
		}
	}
}

// Chunk asks the gateway for a chunk, with its state now: for who hears of a change of a
// chunk whose text he does not have. One that is gone is a change that says so. The
// change has no Position, no Cause and no Epoch: give it that of the change that you have
// heard, before it goes with others into After. The errors are ErrNoGateway, a gateway that does
// not answer, and ctx's.
func (c *Client) Chunk(ctx context.Context, ref string) (Change, error) {
	if c.cfg.Gateway == "" {
		return Change{}, ErrNoGateway
	}
	var answer struct {
		Chunk   Chunk            `json:"chunk"`
		State   model.ChunkState `json:"state"`
		Current Current          `json:"current"`
	}
	switch err := c.get(ctx, "/v1/chunks/"+url.PathEscape(ref), &answer); {
	case errors.Is(err, errNotThere):
		return Change{Type: event.TypeChunkRemoved, ChunkRef: ref}, nil
	case err != nil:
		return Change{}, err
	}
	s := answer.State
	answer.Chunk.Layer = s.Layer
	return Change{
		Type: event.TypeChunkCreated, ChunkRef: ref, Rev: s.Rev, SourceID: answer.Chunk.SourceID, SnapshotID: answer.Chunk.SnapshotID,
		Chunk: &answer.Chunk, Layer: string(s.Layer), Since: s.Since, Repeats: s.Repeats, DuplicateOf: s.DuplicateOf, Current: answer.Current,
	}, nil
}
