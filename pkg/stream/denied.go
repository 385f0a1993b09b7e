package stream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/colophon-dev/colophon/pkg/access"
	"github.com/colophon-dev/colophon/pkg/fault"
)

// ErrDenied says that the bus knows our user, and does not let it do what was asked: it is
// another role's, or its rights were made for other names. NATS answers nothing to such a
// request, and tells of the refusal beside it, so that the request alone runs out of time.
var ErrDenied = errors.New("NATS refuses this user what it asks for")

// denials are what the server has refused on this connection. The zero value is ready, and
// safe for concurrent use.
type denials struct {
	mu   sync.Mutex
	last []denial // oldest first
}

// denial is one refusal.
type denial struct {
	subject string // that was published or subscribed to
	at      time.Time
	err     error // the server's words
}

// keptDenials is more than one pass over all streams and consumers can be refused.
const keptDenials = 64

// deniedSubject finds the subject in the server's words: Permissions Violation for Publish
// to "$JS.API.STREAM.INFO.REQUESTS".
var deniedSubject = regexp.MustCompile(`"([^"\s]+)"`)

// note keeps err where it is the server's word that our user may not do something.
func (d *denials) note(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	found := deniedSubject.FindStringSubmatch(err.Error())
	if found == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = append(d.last, denial{subject: found[1], at: time.Now(), err: err})
	d.last = d.last[max(0, len(d.last)-keptDenials):]
}

// forget is called when a connection ends: the next one may be another user's.
func (d *denials) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = nil
}

// why returns why nothing was answered about a stream since a moment: what was asked of it
// was refused, or, at any time, the inbox to which all answers come. Nil where it was neither.
func (d *denials) why(stream, inbox string, since time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range slices.Backward(d.last) {
		asked := !one.at.Before(since) && slices.Contains(strings.Split(one.subject, "."), stream)
		if asked || strings.HasPrefix(one.subject, inbox+".") {
			return one.err
		}
	}
	return nil
}

// unanswered is unavailable for a request about a stream that was begun at a moment: where
// it ran out of time since it was refused, the error is ErrDenied and says of what. It
// stays Unavailable: work waits until the server's users, or our files, have changed.
func (c *Conn) unanswered(ctx context.Context, stream string, since time.Time, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		if why := c.denials.why(stream, access.Inbox(c.cfg.Role), since); why != nil {
			return fault.Unavailable(fmt.Errorf("%w: %w", ErrDenied, why))
		}
	}
	return unavailable(ctx, err)
}
