package obtain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	rules "github.com/colophon-dev/colophon/pkg/redact"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/lease"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/robots"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// redacted finds the marker that stands for a secret, also within a value.
var redacted = regexp.MustCompile(`([=/]|%3D|%22)` + rules.Marker)

// Fetch fetches the URL of a request, unless its server says that it has nothing newer
// than the snapshot that is known of it, if one is. Its errors are [FetchError] where they
// say something of the fetch.
func (o *Obtainer) Fetch(ctx context.Context, req *request.Request, source model.Source, known *model.Snapshot) (*Document, error) {
	answer, err := o.fetchInTurn(ctx, req, source, known)
	if err != nil {
		return nil, err
	}
	fetchedAt, err := o.timeOf(ctx, answer)
	if err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	doc := &Document{
		URL: redact.Today().URL(answer.URL), RawURL: answer.URL, Chain: redact.Today().URLs(answer.Chain), Status: answer.Status,
		Header: redact.Today().Headers(answer.Header), Asked: redact.Today().RequestHeaders(answer.Asked),
		Tool: o.ToolVersion, FetchedAt: fetchedAt,
		NotModified: answer.NotModified,
	}
	if doc.NotModified {
		return doc, nil
	}
	if doc.Canonical, err = digest.URLCanonV4(answer.URL); err != nil {
		_ = answer.Body.Close()
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("the redirects of %s lead to a URL that has no canonical form: %w", req.URL, err))
	}
	if doc.Content, err = o.Decode(answer.Body, doc.Header, false, source.MaxBytes); err != nil {
		return nil, o.fetchFault(ctx, req, source, err)
	}
	return doc, nil
}

// timeOf returns when an answer came, in microseconds: what the clock of all capturers says
// now, less what this machine has measured since. So the one of two answers that came first
// is the earlier one, however long its body took and whichever machine asked for it.
func (o *Obtainer) timeOf(ctx context.Context, answer *fetch.Response) (time.Time, error) {
	now, err := o.Clock.Now(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return now.Add(-time.Since(answer.At)).UTC().Truncate(time.Microsecond), nil
}

// fetchInTurn fetches a URL when it is its turn at its host, and at each host that its
// redirects lead to.
func (o *Obtainer) fetchInTurn(ctx context.Context, req *request.Request, source model.Source, known *model.Snapshot) (*fetch.Response, error) {
	if redacted.MatchString(req.FetchURL) && rules.URL(req.FetchURL, rules.Stored) == req.FetchURL {
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("fetching %s: the request was lost before it was done, and its secrets are not kept: send it again under another request_id", req.URL))
	}
	r := fetch.Request{URL: req.FetchURL, Limit: source.MaxBytes}
	if known != nil {
		r.Known = &fetch.Known{URLCanonical: known.URLCanonical, ETag: known.ETag, LastModified: http.Header(known.ResponseHeaders).Get("Last-Modified")}
	}
	v := &visit{Turns: o.Turns, owner: req.SourceID + "/" + req.RequestID, polite: model.Politeness{
		Requests: source.HostRequests, Delay: time.Duration(source.HostDelay) * time.Millisecond, Longest: o.MaxFetch, Poll: o.Wait,
	}}
	if err := v.takeTurn(ctx, req.Canonical, 0); err != nil {
		return nil, err
	}
	faultpoint.Reach("capture.turn.taken")
	r.Allowed = func(ctx context.Context, target *url.URL) error {
		if err := v.takeTurn(ctx, target.String(), hopWait); err != nil {
			return turnError{err}
		}
		if source.RobotsPolicy != model.RobotsRespect {
			return nil
		}
		return o.Robots.Allowed(ctx, target)
	}
	answer, err := o.Fetcher.Get(ctx, r)
	if err != nil {
		err = o.fetchFault(ctx, req, source, err)
	}
	closed := min(closedFor(err), o.MaxRetry)
	err = lease.Release(ctx, err, func(ctx context.Context) error { return v.returnTurns(ctx, closed) })
	if err != nil && answer != nil {
		_ = answer.Body.Close()
	}
	return answer, err
}

// FetchError is why a fetch failed, with what is kept of it for the outcome.
type FetchError struct {
	error
	Status     string        // fetch_status (seeds#store)
	RetryAfter time.Duration // how long the server does not want to be asked; 0 when it says nothing
}

// Unwrap returns what went wrong.
func (e FetchError) Unwrap() error { return e.error }

// fetchFault says what an error of fetching means.
func (o *Obtainer) fetchFault(ctx context.Context, req *request.Request, source model.Source, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("fetching %s: %w", req.URL, context.Cause(ctx))
	}
	var refused *fetch.Refused
	var unreachable *robots.Unreachable
	var status *fetch.StatusError
	told := FetchError{error: fmt.Errorf("fetching %s: %w", req.URL, err), Status: statusError}
	var waits turnError
	switch {
	case errors.As(err, &waits):
		return waits.error
	case scratch.Failed(err):
		return err
	case errors.As(err, &refused):
		told.Status = statusBlocked
		return fault.Permanent(fault.FetchRefused, told)
	case errors.As(err, &unreachable) && errors.As(err, &status): // the host is there, and does not say
		told.Status, told.RetryAfter = statusBlocked, min(status.RetryAfter, o.MaxRetry)
		return fault.TransientFor(fault.FetchRefused, told.RetryAfter, told)
	case errors.Is(err, spool.ErrTooLarge):
		told.error = fmt.Errorf("fetching %s: more than the limit of %d bytes", req.URL, source.MaxBytes)
		return fault.Permanent(fault.TooLarge, told)
	case errors.Is(err, fetch.ErrBomb):
		return fault.Permanent(fault.LimitExceeded, told)
	case errors.Is(err, fetch.ErrRedirects):
		return fault.Permanent(fault.FetchFailed, told)
	case !errors.As(err, &status):
		return fault.TransientFor(fault.FetchFailed, 0, told)
	}
	told.RetryAfter = status.RetryAfter
	if isBlockingStatus(status.Status) {
		told.Status = statusBlocked
	}
	switch {
	case status.RetryAfter > o.MaxRetry:
		told.error = fmt.Errorf("%w and asks for a wait of %s, limit %s", told.error, status.RetryAfter, o.MaxRetry)
		return fault.Permanent(fault.FetchFailed, told)
	case !status.Passing():
		return fault.Permanent(fault.FetchFailed, told)
	default:
		return fault.TransientFor(fault.FetchFailed, status.RetryAfter, told)
	}
}
