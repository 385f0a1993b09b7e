package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/colophon-dev/colophon/pkg/event"
)

// NewestChunk returns the event of a chunk that was told last; found is false where the
// stream of chunks holds none, or what it holds is no event.
func (c *Conn) NewestChunk(ctx context.Context) (e event.Event, found bool, err error) {
	s, err := c.js.Stream(ctx, c.streamName(chunkStream))
	if err != nil {
		return e, false, fmt.Errorf("the newest event of a chunk: %w", unavailable(ctx, err))
	}
	last := s.CachedInfo().State.LastSeq
	if s.CachedInfo().State.Msgs == 0 {
		return e, false, nil
	}
	m, err := s.GetMsg(ctx, last)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return e, false, nil
	}
	if err != nil {
		return e, false, fmt.Errorf("the newest event of a chunk: %w", unavailable(ctx, err))
	}
	if e, err = event.Decode(c.cfg.Prefix, m.Subject, m.Header, m.Data); err != nil {
		return e, false, nil // anybody may have written it
	}
	return e, true, nil
}
