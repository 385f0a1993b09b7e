package stream

import (
	"context"
	"time"

	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
)

// retry counts a failure and either hands the message back for a later attempt
// or, when the attempts are used up, fails it for good.
func (r *Runner) retry(ctx context.Context, d *delivery, cause error) error {
	failures, err := r.attempts.AttemptFailed(ctx, r.consumer, d.key(), sentence(cause.Error()))
	if err != nil {
		return fault.Unavailable(err)
	}
	d.started = false
	if failures >= r.conn.cfg.attempts() {
		return r.fail(ctx, d, fault.ReasonOf(cause), exhausted(failures, cause), false)
	}
	faultpoint.ReachFor("stream.attempt.counted", r.consumer)
	r.logger.WarnContext(ctx, "attempt failed", d.attrs("failures", failures, "error", cause)...)
	r.handBack(ctx, d, max(r.delay(failures), fault.RetryAfter(cause)), outcomeRetried)
	return nil
}

// delay is what follows the n-th failure.
func (r *Runner) delay(n int) time.Duration {
	delays := r.conn.cfg.RetryDelays
	return delays[max(0, min(n, len(delays))-1)]
}

// postpone hands the message back without counting an attempt.
func (r *Runner) postpone(ctx context.Context, d *delivery, cause error) error {
	if err := r.attempts.AttemptReturned(ctx, r.consumer, d.key(), sentence(cause.Error())); err != nil {
		return fault.Unavailable(err)
	}
	d.started = false
	delay := fault.RetryAfter(cause)
	if delay <= 0 {
		delay = r.conn.cfg.DeferDelay
	}
	r.handBack(ctx, d, delay, outcomeDeferred)
	return nil
}

// handBack asks for another delivery after the delay. A nak that is lost costs
// only time: the server delivers again after AckWait.
func (r *Runner) handBack(ctx context.Context, d *delivery, delay time.Duration, o outcome) {
	d.stop()
	if err := d.msg.NakWithDelay(delay); err != nil {
		r.logger.WarnContext(ctx, "nak not sent", d.attrs("error", err)...)
	}
	r.meters.ended(ctx, o)
}

// forget removes what was counted for a message that is settled. The first
// delivery has left nothing to remove.
func (r *Runner) forget(ctx context.Context, d *delivery) {
	if d.meta.NumDelivered <= 1 {
		return
	}
	if err := r.attempts.ClearAttempts(ctx, r.consumer, d.key()); err != nil {
		r.logger.WarnContext(ctx, "attempts not cleared", d.attrs("error", err)...)
	}
}
