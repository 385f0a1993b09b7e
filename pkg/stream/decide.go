package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
)

// stubborn is how often a message may meet something that is away, while a probe
// finds all there, before it is set aside.
const stubborn = 3

// settle handles deliveries until each of them is decided. What meets
// something that is away is kept, and handled again when a probe succeeds.
func (r *Runner) settle(ctx context.Context, drain <-chan struct{}, ds []*delivery) {
	for round := 1; ; round++ {
		results := r.attempt(ctx, ds)
		var kept []*delivery
		var why error
		for i, d := range ds {
			if err := r.decide(ctx, d, results[i]); err != nil {
				kept, why = append(kept, d), err
				r.meters.ended(ctx, outcomeUnavailable)
			}
		}
		if len(kept) > 0 && r.there(ctx) {
			kept = r.setAside(ctx, kept, round, why)
		}
		if len(kept) == 0 {
			return
		}
		if !r.await(ctx, drain, why) {
			for _, d := range kept {
				r.leave(ctx, d)
			}
			return
		}
		ds = kept
	}
}

// setAside hands back what cannot be done although all is there, so that others
// need not wait for it: one object that its store does not give, say. It comes
// again, as it is nobody's failure, each time after twice as long. What may have
// met a moment's absence is kept, and returned.
func (r *Runner) setAside(ctx context.Context, ds []*delivery, round int, why error) (kept []*delivery) {
	for _, d := range ds {
		again := d.meta.NumDelivered - 1
		delay := r.conn.cfg.DeferDelay << min(again, 5)
		if round < stubborn && again == 0 || r.postpone(ctx, d, fault.Defer(delay, why)) != nil {
			kept = append(kept, d)
		}
	}
	return kept
}

// attempt handles deliveries once and returns a result for each. A batch that
// failed as a whole is handled again one by one, so that nobody fails for a
// neighbour.
func (r *Runner) attempt(ctx context.Context, ds []*delivery) []error {
	results := make([]error, len(ds))
	var todo []*delivery
	var place []int
	for i, d := range ds {
		if results[i] = d.verdict; d.verdict == nil {
			todo, place = append(todo, d), append(place, i)
		}
	}
	if len(todo) == 0 {
		return results
	}
	done, whole := r.work(ctx, todo)
	for i := range todo {
		switch {
		case whole == nil:
			results[place[i]] = done[i]
		case len(todo) == 1 || ctx.Err() != nil:
			results[place[i]] = whole
		default:
			results[place[i]] = r.attempt(ctx, todo[i:i+1])[0]
		}
	}
	return results
}

// decide is the one place (contracts#decide) that says what becomes of a message whose handling
// ended with err. It returns an error when the message cannot be settled
// because something of our own is away.
func (r *Runner) decide(ctx context.Context, d *delivery, err error) error {
	if err == nil {
		faultpoint.ReachFor("stream.handled", r.consumer)
		r.ack(ctx, d)
		faultpoint.ReachFor("stream.acked", r.consumer)
		r.meters.ended(ctx, outcomeDone)
		r.forget(ctx, d)
		return nil
	}
	if ctx.Err() != nil {
		r.leave(ctx, d)
		return nil
	}
	switch fault.KindOf(err) {
	case fault.KindUnavailable:
		return err
	case fault.KindDeferred:
		return r.postpone(ctx, d, err)
	case fault.KindPermanent:
		return r.fail(ctx, d, fault.ReasonOf(err), err.Error(), fault.OfDocument(err))
	default: // transient; a context of the stage's own that ended counts as that
		return r.retry(ctx, d, err)
	}
}

// exhausted is the sentence of a failure whose attempts are used up.
func exhausted(attempts int, cause error) string {
	if fault.ReasonOf(cause) != fault.AttemptsExhausted {
		return cause.Error()
	}
	return fmt.Sprintf("%d attempts failed, the last with: %v", attempts, cause)
}

// fail ends the message's work for good: the stage records it, a copy goes to
// the dead letters when the reason asks for one (contracts#dead-letters), then the
// message is terminated or acked.
func (r *Runner) fail(ctx context.Context, d *delivery, reason fault.Reason, text string, document bool) error {
	text = sentence(text)
	if err := r.record(ctx, d, reason, text); err != nil {
		if ctx.Err() != nil {
			r.leave(ctx, d)
			return nil
		}
		if fault.KindOf(err) == fault.KindUnavailable {
			return err
		}
		again, counted := r.recordAgain(ctx, d, err)
		if counted != nil || again {
			return counted
		}
		// What names things by names that nothing can have cannot be recorded under them.
		if reason != fault.Malformed || fault.ReasonOf(err) != fault.Malformed {
			text = sentence(fmt.Sprintf("%s (%s); recording it failed: %v", text, reason, err))
			reason, document = fault.Internal, false
		}
	}
	faultpoint.ReachFor("stream.failure.recorded", r.consumer)
	dead := reason.DeadLetter() && !document
	if dead {
		if err := r.bury(ctx, d, reason, text); err != nil {
			return err
		}
		faultpoint.ReachFor("stream.buried", r.consumer)
		d.stop()
		if err := d.msg.TermWithReason(string(reason)); err != nil {
			r.logger.WarnContext(ctx, "term not sent", d.attrs("error", err)...)
		}
		faultpoint.ReachFor("stream.terminated", r.consumer)
	} else {
		r.ack(ctx, d)
	}
	r.logger.WarnContext(ctx, "failed for good", d.attrs("reason", reason, "message", text, "dead_letter", dead)...)
	r.meters.failed(ctx, reason)
	r.forget(ctx, d)
	return nil
}

// record tells the stage of a failure, within the same bounds as a handling.
func (r *Runner) record(ctx context.Context, d *delivery, reason fault.Reason, text string) error {
	call := func(ctx context.Context, ds []*delivery) ([]error, error) {
		emit := r.emit(ds)
		if d.broken == nil {
			return nil, r.failer.Fail(ctx, d.event, reason, text, emit)
		}
		if m, ok := r.failer.(Malformer); ok {
			return nil, m.Malformed(ctx, d.msg.Subject(), d.msg.Headers(), d.msg.Data(), d.broken, emit)
		}
		return nil, nil
	}
	_, err := r.guard(r.consumer+" failure", call)(ctx, []*delivery{d})
	return err
}

// recordAgain hands the message back when its failure could not be recorded
// and that may pass. It gives up, with again false, after as many failures
// more as there are attempts, and at once when the error is permanent.
func (r *Runner) recordAgain(ctx context.Context, d *delivery, cause error) (again bool, err error) {
	if fault.KindOf(cause) == fault.KindPermanent {
		return false, nil
	}
	failures, err := r.attempts.AttemptFailed(ctx, r.consumer, d.key(), sentence(cause.Error()))
	if err != nil {
		return false, fault.Unavailable(err)
	}
	d.started = false
	if failures >= 2*r.conn.cfg.attempts() {
		return false, nil
	}
	r.logger.WarnContext(ctx, "failure not recorded", d.attrs("failures", failures, "error", cause)...)
	r.handBack(ctx, d, r.delay(failures), outcomeRetried)
	return true, nil
}

// ackTries is how often an acknowledgement is sent, each for Config.PublishWait.
const ackTries = 3

// ack tells the server that the message is done and waits until it knows. One
// that does not arrive costs another delivery, which finds the work done.
func (r *Runner) ack(ctx context.Context, d *delivery) {
	d.stop()
	ctx = context.WithoutCancel(ctx)
	var err error
	for range ackTries {
		once, cancel := context.WithTimeout(ctx, r.conn.cfg.PublishWait)
		err = d.msg.DoubleAck(once)
		cancel()
		if err == nil {
			return
		}
	}
	r.logger.WarnContext(ctx, "ack not confirmed", d.attrs("error", err)...)
}

// leave hands the message back when the process stops, to whoever pulls after
// Config.PullWait: until then a request of this process may be open, which would get it
// again at once, and so on. A start that was committed is taken back, since nothing was
// killed. Where the bus is away too, the server delivers it again when it misses the
// acknowledgement.
func (r *Runner) leave(ctx context.Context, d *delivery) {
	d.stop()
	if err := d.msg.NakWithDelay(r.conn.cfg.PullWait); err != nil {
		r.logger.WarnContext(ctx, "not handed back", d.attrs("error", err)...)
	}
	r.meters.ended(ctx, outcomeLeft)
	if !d.started {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := r.attempts.AttemptReturned(ctx, r.consumer, d.key(), "the process was told to stop"); err != nil {
		r.logger.WarnContext(ctx, "start not taken back", d.attrs("error", err)...)
	}
}

// await keeps the runner from pulling until a probe succeeds. It is false when
// ctx or drain ended first.
func (r *Runner) await(ctx context.Context, drain <-chan struct{}, why error) bool {
	release := r.gate.hold(why)
	defer release()
	r.logger.WarnContext(ctx, "something is away, waiting for it", "consumer", r.consumer, "error", why)
	ticker := time.NewTicker(r.conn.cfg.ProbeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-drain:
			return false
		case <-ctx.Done():
			return false
		}
		if r.there(ctx) {
			return true
		}
	}
}

// there asks the bus and the stage's stores whether they answer.
func (r *Runner) there(ctx context.Context) bool {
	return r.conn.Ready(ctx) == nil && r.probe(ctx) == nil
}

// emit returns what the handling of ds publishes with. The suffix of a
// redriven message goes on to what it causes.
func (r *Runner) emit(ds []*delivery) Emit {
	var suffix string
	for _, d := range ds {
		if s := redriveOf(d.event.MsgID); len(s) > len(suffix) || len(s) == len(suffix) && s > suffix {
			suffix = s
		}
	}
	return func(ctx context.Context, data event.Data) error {
		err := r.publisher.emit(ctx, data, suffix)
		faultpoint.ReachFor("stream.published", r.consumer)
		if err == nil {
			r.emitted(ctx, data)
		}
		return err
	}
}
