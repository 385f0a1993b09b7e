package sdk

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// Pending is a request that was accepted and whose outcome is not known yet.
type Pending struct {
	RequestID string
	SourceID  string

	request   Request
	event     event.Event
	sent      map[string]bool // by message id: the outcome of another's request of this id may be about other content
	done      chan struct{}   // closed when outcome or err is set
	outcome   Outcome
	err       error
	offered   chan struct{} // closed when the first offer has ended
	refusal   error         // of the first offer, once it has ended
	inBus     bool          // the bus took it: only then is it looked after
	resend    time.Time     // when to send it again
	pause     time.Duration // until the time after
	byTime    *Request      // what to send instead when the name that was chosen for a file is another request's; nil: nothing
	followers []*Pending    // whose outcome is that of this one
	sign      time.Time     // when the bus took it, or the gateway last said that it is worked on
}

// Wait returns the outcome: also one that says rejected or failed is no error.
// The errors are those of ctx, ErrClosed, and ErrNoOutcome when for
// Config.GiveUpAfter there was no sign of the request. When ctx ends the request goes
// on, and Wait may be called again.
func (p *Pending) Wait(ctx context.Context) (Outcome, error) {
	select {
	case <-p.done:
		return p.outcome, p.err
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// Capture hands a request over and returns when the bus has it, from when on it
// is not lost. A request without request_id gets a random one: a crawler that
// wants to be able to ask again after its own crash gives one. A full queue is
// tried again, ever more slowly, for Config.Patience, then the error is ErrFull
// and the request was not accepted. While Config.MaxPending requests are without
// outcome, Capture waits; and of a request_id that is just being handed over, until that
// has ended. Other errors are ErrRequest, of which nothing was sent, a bus
// that is away, and ctx's; a request that was not accepted with certainty may
// still have been, so send it again with the same request_id.
func (c *Client) Capture(ctx context.Context, r Request) (*Pending, error) {
	return c.capture(ctx, r, nil)
}

// capture is Capture of a request, or, where its name is that of another request, of byTime.
func (c *Client) capture(ctx context.Context, r Request, byTime *Request) (*Pending, error) {
	if r.SourceID == "" {
		r.SourceID = c.cfg.Source
	}
	if r.RequestID == "" {
		r.RequestID = "r-" + strings.ToLower(rand.Text())
	}
	if err := errors.Join(r.Validate(), r.CheckBounds()); err != nil {
		return nil, fmt.Errorf("request %.64q/%.100q: %w: %w", r.SourceID, r.RequestID, ErrRequest, err)
	}
	e, err := event.New(c.cfg.Name, r, time.Now())
	if err != nil {
		return nil, fmt.Errorf("request %s/%s: %w", r.SourceID, r.RequestID, err)
	}
	if err := c.listen(ctx, r.SourceID); err != nil {
		return nil, err
	}
	for {
		p, known, err := c.register(ctx, e, r, byTime)
		switch {
		case err != nil:
			return nil, err
		case !known:
			err = c.take(p, c.offer(ctx, p))
		default:
			if err = c.awaitOffer(ctx, p); err != nil && ctx.Err() == nil && isOfContext(err) {
				continue // who offered it went away: it is offered anew
			}
		}
		if err != nil {
			return nil, fmt.Errorf("request %s/%s: %w", r.SourceID, r.RequestID, err)
		}
		return p, nil
	}
}

func isOfContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// take notes how the first offer of a request has ended, and returns its error. A request
// whose outcome was heard meanwhile is in the bus, whatever the offer says.
func (c *Client) take(p *Pending, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(p.offered)
	key := requestKey{p.SourceID, p.RequestID}
	if c.pending[key] != p {
		p.refusal = p.err
		return p.err
	}
	if err != nil && (len(p.followers) == 0 || c.ctx.Err() != nil) {
		p.refusal, p.err = err, err
		c.settle(key, p)
		return err
	}
	// Who follows was told that the bus has it: what could not be sent now is sent again.
	now := time.Now()
	p.inBus, p.resend, p.sign = true, now.Add(c.cfg.ResendAfter), now
	return err
}

// awaitOffer waits until the first offer of a request has ended, and returns its error.
func (c *Client) awaitOffer(ctx context.Context, p *Pending) error {
	select {
	case <-p.offered:
		return p.refusal
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return ErrClosed
	}
}

// register notes that an outcome is waited for. known says that it was already.
func (c *Client) register(ctx context.Context, e event.Event, r Request, byTime *Request) (p *Pending, known bool, err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	case <-c.ctx.Done():
		return nil, false, ErrClosed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := requestKey{r.SourceID, r.RequestID}
	p, known = c.pending[key]
	switch {
	case c.ctx.Err() != nil:
		err = ErrClosed
	case known && !bytes.Equal(p.event.Payload, e.Payload):
		err = fmt.Errorf("request %s/%s: %w", r.SourceID, r.RequestID, ErrConflict)
	case !known:
		p = c.pendingOf(e, r)
		p.byTime = byTime
		c.pending[key] = p
		return p, false, nil
	}
	<-c.slots
	if err != nil {
		return nil, false, err
	}
	return p, true, nil
}

func (c *Client) pendingOf(e event.Event, r Request) *Pending {
	return &Pending{
		RequestID: r.RequestID, SourceID: r.SourceID, request: r, event: e, sent: make(map[string]bool), done: make(chan struct{}),
		offered: make(chan struct{}), pause: 2 * c.cfg.ResendAfter,
	}
}

// settle ends the waiting for a request; c.mu is held.
func (c *Client) settle(key requestKey, p *Pending) {
	delete(c.pending, key)
	close(p.done)
	for _, f := range p.followers {
		f.outcome, f.err = p.outcome, p.err
		close(f.done)
	}
	<-c.slots
}

// decide ends the waiting for a request with its outcome, unless that says that the name of
// a file is another request's: then the file is offered by its time, once; c.mu is held.
func (c *Client) decide(key requestKey, p *Pending, o Outcome) {
	if p.byTime == nil || o.Outcome != Rejected || o.Reason != string(fault.RequestConflict) || c.ctx.Err() != nil {
		p.outcome = o
		c.settle(key, p)
		return
	}
	e, err := event.New(c.cfg.Name, *p.byTime, time.Now())
	if err != nil { // it has been made of the same facts before
		p.err = err
		c.settle(key, p)
		return
	}
	delete(c.pending, key)
	renamed := requestKey{p.SourceID, p.byTime.RequestID}
	q, known := c.pending[renamed]
	if known {
		<-c.slots // q has one
	} else { // q takes the slot of p over
		q = c.pendingOf(e, *p.byTime)
		c.pending[renamed] = q
		c.renamed = append(c.renamed, q)
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	q.followers = append(append(q.followers, p), p.followers...)
}

// offerRenamed offers files anew whose first name was another request's.
func (c *Client) offerRenamed() {
	c.mu.Lock()
	renamed := c.renamed
	c.renamed = nil
	c.mu.Unlock()
	for _, q := range renamed {
		c.working.Go(func() { _ = c.take(q, c.offer(c.ctx, q)) }) // whoever waits gets its error
	}
}

// offer publishes a request, again while the queue is full. One whose id the bus
// has had before may have been answered when nobody listened: the gateway is asked,
// and where that knows no outcome it is said once more under another message id,
// which the capturer answers.
func (c *Client) offer(ctx context.Context, p *Pending) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	until, pause := time.Now().Add(c.cfg.Patience), 50*time.Millisecond
	publisher := c.conn.Publisher(c.cfg.Name)
	e := c.sending(p, p.event)
	for {
		duplicate, err := publisher.Offer(ctx, e)
		switch {
		case err == nil && !duplicate:
			return nil
		case err == nil:
			c.forget(p, e)
			if found, _ := c.learn(ctx, p); found == decided { // a gateway that is away is not needed
				return nil
			}
			e = c.sending(p, again(e))
			continue
		case c.ctx.Err() != nil:
			return ErrClosed
		case !errors.Is(err, ErrFull) || time.Now().Add(pause).After(until):
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), err)
		}
		pause = min(2*pause, 5*time.Second)
	}
}

// sending notes that e is about to be sent for p.
func (c *Client) sending(p *Pending, e event.Event) event.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.sent[e.MsgID] = true
	return e
}

// forget takes back what sending noted: the bus had the message from another.
func (c *Client) forget(p *Pending, e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(p.sent, e.MsgID)
}

// again is e under a message id that no other sending has.
func again(e event.Event) event.Event {
	e.MsgID = strings.TrimPrefix(e.ID, e.Type+":")
	return e.Redrive(time.Now().UnixNano())
}

// listen follows the outcomes of a source, from before its first request on.
func (c *Client) listen(ctx context.Context, source string) error {
	c.listening.Lock()
	defer c.listening.Unlock()
	c.mu.Lock()
	known, closed := c.heard[source], c.ctx.Err() != nil
	c.mu.Unlock()
	switch {
	case known:
		return nil
	case closed:
		return ErrClosed
	}
	life, end := context.WithCancel(c.ctx) // that of the subscription, once it is there
	inTime := context.AfterFunc(ctx, end)
	s, err := c.conn.Subscribe(life, stream.FollowOptions{Types: []string{event.TypeCaptureCompleted}, SourceID: source, New: true})
	if !inTime() {
		err = errors.Join(ctx.Err(), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		err = ErrClosed
	}
	if err != nil {
		end()
		return fmt.Errorf("outcomes of %s: %w", source, err)
	}
	c.heard[source] = true
	c.working.Go(func() {
		defer end()
		for {
			r, err := s.Next(life)
			if err != nil {
				return // closed
			}
			if o, err := event.As[Outcome](r.Event); err == nil {
				c.told(r.Event, o)
			}
		}
	})
	return nil
}

// told ends the waiting for the request that an outcome answers: its message id
// ends as that of the request does (contracts#ce-id).
func (c *Client) told(e event.Event, o Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := requestKey{o.SourceID, o.RequestID}
	asked := o.SourceID + "/" + o.RequestID + strings.TrimPrefix(e.MsgID, e.ID)
	if p := c.pending[key]; p != nil && p.sent[asked] {
		c.decide(key, p, o)
	}
}
