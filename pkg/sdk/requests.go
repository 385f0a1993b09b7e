package sdk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// inquiryTime is how long an answer about a request is waited for: others wait
// behind it.
const inquiryTime = 5 * time.Second

// finding is what the gateway knows of a request.
type finding int

const (
	unheard  finding = iota // nothing, or nothing that is certain: it is to be sent again
	accepted                // it gets its outcome: it need not be sent again
	decided
)

// inquire asks the gateway what became of a request, once. An outcome that is about
// the state of the source says nothing of a request that is sent again, and one of
// other content under the same id is not this one's.
func (c *Client) inquire(ctx context.Context, p *Pending) (finding, Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, inquiryTime)
	defer cancel()
	var answer struct {
		Outcome
		Pending bool    `json:"pending"`
		Request Request `json:"request"`
	}
	// Dots, too: a path would take some of them for folders.
	id := strings.ReplaceAll(url.PathEscape(p.RequestID), ".", "%2E")
	err := c.get(ctx, "/v1/requests/"+p.SourceID+"/"+id, &answer)
	switch {
	case errors.Is(err, errNotThere):
		return unheard, Outcome{}, nil
	case err != nil:
		return unheard, Outcome{}, err
	case !sameRequest(p.request, answer.Request):
		return unheard, Outcome{}, nil
	case answer.Pending:
		return accepted, Outcome{}, nil
	case answer.Reason == string(fault.SourceUnknown), answer.Reason == string(fault.SourceDisabled):
		return unheard, Outcome{}, nil
	}
	return decided, answer.Outcome, nil
}

// learn asks the gateway, where there is one, and ends the waiting for a request that
// has its outcome. err says that the gateway did not answer.
func (c *Client) learn(ctx context.Context, p *Pending) (finding, error) {
	if c.cfg.Gateway == "" {
		return unheard, nil
	}
	found, o, err := c.inquire(ctx, p)
	if found != decided {
		return found, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := requestKey{p.SourceID, p.RequestID}
	if c.pending[key] == p {
		c.decide(key, p, o)
	}
	return decided, nil
}

// sameRequest reports whether what the catalog keeps of a request is certainly this
// one. What is kept is redacted; where that has changed more than headers, it says
// no, and the capturer, which compares all, answers by itself.
func sameRequest(mine, kept Request) bool {
	place := func(o *Object) string {
		if o == nil {
			return ""
		}
		return o.Key
	}
	if mine.Inline != nil {
		sum, err := digest.ContentHex(digest.Content(mine.Inline.ContentBase64))
		if err != nil {
			return false
		}
		mine.Object = &Object{Key: sum}
	}
	if place(mine.Object) != place(kept.Object) || place(mine.WARC) != place(kept.WARC) ||
		!sameTime(mine.RetrievedAt, kept.RetrievedAt) || !sameTime(mine.LastModified, kept.LastModified) {
		return false
	}
	for name, values := range kept.Headers {
		if !slices.Equal(values, header(mine.Headers, name)) {
			return false
		}
	}
	return mine.RequestID == kept.RequestID && mine.SourceID == kept.SourceID && mine.URL == kept.URL &&
		mine.HTTPStatus == kept.HTTPStatus && mine.ContentType == kept.ContentType && mine.Encoding == kept.Encoding &&
		slices.Equal(mine.RedirectChain, kept.RedirectChain) && mine.FetchToolVersion == kept.FetchToolVersion &&
		mine.RobotsPolicyNotes == kept.RobotsPolicyNotes && mine.SnapshotGroupID == kept.SnapshotGroupID &&
		mine.SourceRecordID == kept.SourceRecordID && mine.Filename == kept.Filename &&
		mine.LastModifiedOrigin == kept.LastModifiedOrigin && mine.Language == kept.Language && mine.Region == kept.Region &&
		mine.Force == kept.Force && maps.Equal(mine.Metadata, kept.Metadata)
}

// sameTime compares times as the catalog keeps them, in microseconds.
func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
}

func header(headers map[string][]string, name string) []string {
	for n, values := range headers {
		if strings.EqualFold(n, name) {
			return values
		}
	}
	return nil
}

// resend looks after requests that have no outcome for long: the bus may have lost
// the request, or its outcome. Where there is a gateway it is asked first; what it
// does not know is sent again. What cannot be sent now is sent the next time.
func (c *Client) resend() {
	every := c.cfg.ResendAfter / 4
	if c.cfg.GiveUpAfter > 0 {
		every = min(every, c.cfg.GiveUpAfter/4)
	}
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.wake:
			c.offerRenamed()
			continue
		case <-c.ctx.Done():
			return
		}
		answers := true // the gateway does
		for _, p := range c.due(time.Now()) {
			found := unheard
			if answers {
				var err error
				found, err = c.learn(c.ctx, p)
				answers = err == nil
			}
			switch found {
			case accepted:
				c.mu.Lock()
				p.sign = time.Now()
				c.mu.Unlock()
			case unheard:
				_, _ = c.conn.Publisher(c.cfg.Name).Offer(c.ctx, c.sending(p, again(p.event)))
			}
		}
	}
}

// due ends the waiting for requests of which there was no sign for too long, and
// returns those that are to be looked after.
func (c *Client) due(now time.Time) []*Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	var due []*Pending
	for key, p := range maps.Clone(c.pending) {
		switch {
		case !p.inBus: // whoever offers it says what becomes of it
		case c.cfg.GiveUpAfter > 0 && now.Sub(p.sign) > c.cfg.GiveUpAfter:
			p.err = noOutcome(p, c.cfg)
			c.settle(key, p)
		case !now.Before(p.resend):
			due = append(due, p)
			p.resend, p.pause = now.Add(p.pause), min(2*p.pause, 16*c.cfg.ResendAfter)
		}
	}
	return due
}

// noOutcome says what to do about a request whose outcome does not come.
func noOutcome(p *Pending, cfg Config) error {
	ask := "Config.Gateway is empty"
	if cfg.Gateway != "" {
		ask = "which knew nothing of it"
	}
	name := p.SourceID + "/" + p.RequestID
	return fmt.Errorf("request %s: %w for %s, though it was sent %d times: capture it again with the same request_id, which is harmless, or ask GET /v1/requests/%s of the gateway (%s)",
		name, ErrNoOutcome, cfg.GiveUpAfter, len(p.sent), name, ask)
}
