package stream

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// sweep takes what is done out of the files of a work queue: a request may hold secrets
// of a crawler, and a message that is acked stays in its file until that is dropped as
// a whole. Of an empty queue all below the number of the last message is purged, so one
// that comes in between is not touched. Of another one, what is still there although
// all up to it is acked: its deletion has failed, as on a full disk. Nothing is noted
// of what fails, here or in the server, so that it is tried again whenever the queue is
// idle, by this process or the next, and once more when the server was started again.
func (r *Runner) sweep(ctx context.Context) {
	if r.queue == nil || !r.sweeping.TryLock() {
		return
	}
	defer r.sweeping.Unlock()
	ctx, cancel := context.WithTimeout(ctx, r.conn.cfg.PublishWait)
	defer cancel()
	info, err := r.queue.Info(ctx)
	if err != nil {
		return // a stream that cannot be asked is noticed elsewhere
	}
	done := sweptQueue{server: r.conn.nc.ConnectedServerId(), last: info.State.LastSeq}
	upTo := info.State.LastSeq
	switch {
	case info.State.Msgs == 0 && done == r.swept:
		return
	case info.State.Msgs > 0:
		consumer, err := r.queue.Consumer(ctx, r.consumer)
		if err != nil {
			return
		}
		if upTo = consumer.CachedInfo().AckFloor.Stream; info.State.FirstSeq > upTo {
			return
		}
	}
	if err := r.queue.Purge(ctx, jetstream.WithPurgeSequence(upTo+1)); err != nil {
		r.logger.WarnContext(ctx, "handled requests are not swept out of their files yet", "stream", r.spec.name, "error", err)
		return
	}
	if info.State.Msgs == 0 {
		r.swept = done
	}
}

// sweptQueue is an empty work queue when it was swept: a server that was started again
// may have in its files what it had deleted.
type sweptQueue struct {
	server string // its id, another with each start
	last   uint64 // number of the last message
}
