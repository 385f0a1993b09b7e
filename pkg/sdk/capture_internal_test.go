package sdk

import (
	"context"
	"testing"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
)

// TestWhatFollowersWaitForIsSentAgain: an offer that fails ends a request for which nobody
// was told that the bus has it; one that others follow, who were told so, is looked after.
func TestWhatFollowersWaitForIsSentAgain(t *testing.T) {
	for followers := range 2 {
		c := &Client{ctx: t.Context(), slots: make(chan struct{}, 1), pending: make(map[requestKey]*Pending)}
		c.cfg.ResendAfter = time.Minute
		c.slots <- struct{}{}
		p := c.pendingOf(event.Event{}, Request{SourceID: "s", RequestID: "r"})
		key := requestKey{"s", "r"}
		c.pending[key] = p
		for range followers {
			p.followers = append(p.followers, &Pending{done: make(chan struct{})})
		}
		if err := c.take(p, context.Canceled); err != context.Canceled {
			t.Errorf("who offered it is told %v", err)
		}
		_, err := p.Wait(ended(t))
		if looked := c.pending[key] == p && p.inBus && p.refusal == nil; looked != (followers > 0) || (p.err == nil) != (followers > 0) {
			t.Errorf("%d followers: looked after: %t, %v, %v", followers, looked, p.err, err)
		}
	}
}

// ended is a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
