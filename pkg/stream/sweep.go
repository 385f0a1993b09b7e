package stream

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// sweep takes what is done out of the files of an empty work queue: a request may
// hold secrets of a crawler, and a message that is acked stays in its file until
// that is dropped as a whole. Only what is below the number of the last message is
// purged, so one that comes in between is not touched. It is tried again the next
// time that the queue is idle.
func (r *Runner) sweep(ctx context.Context) {
	if r.queue == nil || !r.sweeping.TryLock() {
		return
	}
	defer r.sweeping.Unlock()
	ctx, cancel := context.WithTimeout(ctx, r.conn.cfg.PublishWait)
	defer cancel()
	info, err := r.queue.Info(ctx)
	if err != nil || info.State.Msgs > 0 || info.State.LastSeq == r.swept {
		return // a stream that cannot be asked is noticed elsewhere
	}
	if err := r.queue.Purge(ctx, jetstream.WithPurgeSequence(info.State.LastSeq+1)); err != nil {
		r.logger.WarnContext(ctx, "handled requests are not swept out of their files yet", "stream", r.spec.name, "error", err)
		return
	}
	r.swept = info.State.LastSeq
}
