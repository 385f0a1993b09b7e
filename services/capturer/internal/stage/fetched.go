package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	rules "github.com/colophon-dev/colophon/pkg/redact"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/robots"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// redacted finds the marker that stands for a secret, also within a value.
var redacted = regexp.MustCompile(`([=/]|%3D|%22)` + rules.Marker)

// captureOnce fetches a URL unless that was done within its window, or is being
// done now by another request.
func (s *Stage) captureOnce(ctx context.Context, req *request, source model.Source, emit stream.Emit) (model.Capture, error) {
	window, held, err := s.Windows.LeaseWindow(ctx, req.SourceID, req.canonical, req.RequestID, s.Lease)
	if err != nil {
		return model.Capture{}, err
	}
	if !held {
		return model.Capture{}, fault.Defer(s.Wait, errors.New("another request fetches the same URL"))
	}
	faultpoint.Reach("capture.window.leased")
	give := func(ctx context.Context) error {
		return s.Windows.ReleaseWindow(ctx, req.SourceID, req.canonical, req.RequestID)
	}
	if req.begun == "" && dedup.Fresh(window, source) {
		row := req.row()
		row.Outcome, row.SnapshotID, row.DocumentID = string(event.OutcomeDuplicate), window.SnapshotID, window.DocumentID
		if row, err = s.Requests.DecideCapture(ctx, row); err != nil {
			return row, s.release(ctx, err, give)
		}
		faultpoint.Reach("capture.duplicate.decided")
		return row, give(ctx)
	}
	renew := func(ctx context.Context) (bool, error) {
		return s.Windows.RenewWindow(ctx, req.SourceID, req.canonical, req.RequestID, s.Lease)
	}
	var row model.Capture
	err = s.hold(ctx, renew, func(ctx context.Context) error {
		known, failed := s.known(ctx, req, source, window)
		if failed == nil {
			row, failed = s.fetchAndRecord(ctx, req, source, known, emit)
		}
		return failed
	})
	if err != nil || row.Outcome == string(event.OutcomeFailed) { // else what was recorded has ended the lease
		return row, s.release(ctx, err, give)
	}
	return row, nil
}

// known returns what the last fetch of a URL has stored, under the source's rules of
// today, when it is current, today's programs have read it, and the names in it
// follow today's rules: its server may say that it has nothing newer. nil says that the
// URL is to be fetched whatever its server says.
func (s *Stage) known(ctx context.Context, req *request, source model.Source, w model.FetchWindow) (*model.Snapshot, error) {
	if w.SnapshotID == "" {
		return nil, nil
	}
	snap, err := s.Registry.Snapshot(ctx, w.SnapshotID)
	switch {
	case err != nil && s.Missing(err):
		return nil, nil
	case err != nil:
		return nil, err
	case snap.SourceRecordID != req.SourceRecordID:
		return nil, nil // it would be another document
	case snap.RedactionPolicyID != redact.PolicyID || snap.URLCanonicalizationVersion != digest.URLCanonVersion ||
		snap.RuleVersions["typing"] != typing.Version:
		return nil, nil
	}
	setSource(&snap, source)
	still, err := s.judge(req, snap, dedup.Still)
	if err != nil {
		return nil, err
	}
	standing, err := s.Registry.Standing(ctx, snap.DocumentID)
	if err != nil || !still(standing) {
		return nil, err
	}
	return &snap, nil
}

// fetchAndRecord fetches a URL and records what came.
func (s *Stage) fetchAndRecord(ctx context.Context, req *request, source model.Source, known *model.Snapshot, emit stream.Emit) (model.Capture, error) {
	if req.begun != "" {
		return s.resume(ctx, req, source, emit)
	}
	answer, err := s.ask(ctx, req, source, known)
	if err != nil {
		return model.Capture{}, err
	}
	if answer.NotModified {
		return s.notModified(ctx, req, source, *known, answer)
	}
	return s.record(ctx, req, source, emit, func() (*captured, error) { return s.fetched(ctx, req, source, answer) })
}

// ask fetches a URL when it is its turn at its host, and at each host that its
// redirects lead to.
func (s *Stage) ask(ctx context.Context, req *request, source model.Source, known *model.Snapshot) (*fetch.Response, error) {
	if redacted.MatchString(req.fetchURL) && rules.URL(req.fetchURL, rules.Stored) == req.fetchURL {
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("fetching %s: the request was lost before it was done, and its secrets are not kept: send it again under another request_id", req.URL))
	}
	r := fetch.Request{URL: req.fetchURL, Limit: source.MaxBytes}
	if known != nil {
		r.Known = &fetch.Known{URLCanonical: known.URLCanonical, ETag: known.ETag, LastModified: http.Header(known.ResponseHeaders).Get("Last-Modified")}
	}
	v := &visit{Stage: s, owner: req.SourceID + "/" + req.RequestID, polite: model.Politeness{
		Requests: source.HostRequests, Delay: time.Duration(source.HostDelay) * time.Millisecond, Longest: s.MaxFetch, Poll: s.Wait,
	}}
	if err := v.take(ctx, req.canonical, 0); err != nil {
		return nil, err
	}
	faultpoint.Reach("capture.turn.taken")
	r.Allowed = func(ctx context.Context, target *url.URL) error {
		if err := v.take(ctx, target.String(), hopWait); err != nil {
			return turnError{err}
		}
		if source.RobotsPolicy != model.RobotsRespect {
			return nil
		}
		return s.Robots.Allowed(ctx, target)
	}
	answer, err := s.Fetcher.Get(ctx, r)
	if err != nil {
		err = s.fetchFault(ctx, req, source, err)
	}
	closed := min(closedFor(err), s.MaxRetry)
	err = s.release(ctx, err, func(ctx context.Context) error { return v.give(ctx, closed) })
	if err != nil && answer != nil {
		_ = answer.Body.Close()
	}
	return answer, err
}

// hopWait is how long a worker waits for the turn of a host that a redirect leads
// to. For a longer wait the request goes back to its queue; its place there is
// kept.
const hopWait = 5 * time.Second

// visit is one fetch at the hosts that it asks.
type visit struct {
	*Stage
	owner  string
	polite model.Politeness
	hosts  []string // that have given it a turn, the one that was asked last at the end
}

// turnError says why a redirect was not followed yet.
type turnError struct{ error }

// Unwrap returns the reason.
func (e turnError) Unwrap() error { return e.error }

// take asks the host of an address for a turn, and waits for it, but not longer
// than patience.
func (v *visit) take(ctx context.Context, address string, patience time.Duration) error {
	host := hostOf(address)
	if at := slices.Index(v.hosts, host); at >= 0 {
		v.hosts = append(slices.Delete(v.hosts, at, at+1), host)
		return nil
	}
	for {
		wait, err := v.Turns.TakeTurn(ctx, host, v.owner, v.polite)
		switch {
		case err != nil:
			return err
		case wait <= 0:
			v.hosts = append(v.hosts, host)
			return nil
		case wait > patience:
			return fault.Defer(wait, fmt.Errorf("it is not its turn to ask %s", host))
		}
		patience -= wait
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// give gives the turns back; closed is how long the host that was asked last does
// not want to be asked.
func (v *visit) give(ctx context.Context, closed time.Duration) error {
	var failed error
	for i, host := range v.hosts {
		if i < len(v.hosts)-1 {
			failed = errors.Join(failed, v.Turns.ReleaseTurn(ctx, host, v.owner, 0))
		} else {
			failed = errors.Join(failed, v.Turns.ReleaseTurn(ctx, host, v.owner, closed))
		}
	}
	return failed
}

// hostOf returns the host of an address, with its port unless that is the
// scheme's, in its canonical form.
func hostOf(address string) string {
	if canonical, err := digest.URLCanonV3(address); err == nil {
		address = canonical
	}
	target, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return target.Host
}

// closedFor returns how long a host's server wants not to be asked by anybody.
func closedFor(err error) time.Duration {
	var status *fetch.StatusError
	if errors.As(err, &status) && (status.Status == http.StatusTooManyRequests || status.Status == http.StatusServiceUnavailable) {
		return status.RetryAfter
	}
	return 0
}

// notModified records that the server of a URL says at this time what it said when the
// known snapshot was taken: a capture of the same bytes, under the headers that came
// with them. Were nothing recorded, a capture that comes late and is dated between the
// two would take the place of what stands.
func (s *Stage) notModified(ctx context.Context, req *request, source model.Source, known model.Snapshot, answer *fetch.Response) (model.Capture, error) {
	snap := known
	snap.SnapshotID = digest.SnapshotID(req.SourceID, req.RequestID, known.ContentHash)
	snap.SnapshotGroupID, snap.RequestID, snap.Metadata = req.SnapshotGroupID, req.RequestID, req.Metadata
	snap.RedirectChain = redact.Today().URLs(answer.Chain)
	snap.HTTPStatus, snap.FetchStatus = answer.Status, fetchStatus(&captured{status: answer.Status, chain: answer.Chain})
	snap.RetrievedAt, snap.FetchToolVersion = retrievedAt(req), s.ToolVersion
	snap.RobotsPolicyNotes = cmp.Or(req.RobotsPolicyNotes, redact.Today().Text(source.RobotsNotes))
	unchanged, err := s.unchanged(req, snap)
	if err != nil {
		return model.Capture{}, err
	}
	row := req.row()
	row.FetchStatus = snap.FetchStatus
	row, err = s.Requests.RecordCapture(ctx, row, snap, []string{req.canonical, snap.URLCanonical}, unchanged)
	if err == nil {
		req.recorded = &snap
	}
	return row, err
}

// fetched makes of an answer what is recorded.
func (s *Stage) fetched(ctx context.Context, req *request, source model.Source, answer *fetch.Response) (*captured, error) {
	c := &captured{
		url: redact.Today().URL(answer.URL), raw: answer.URL, chain: redact.Today().URLs(answer.Chain), status: answer.Status,
		header: redact.Today().Headers(answer.Header), tool: s.ToolVersion,
	}
	var err error
	if c.canonical, err = digest.URLCanonV3(answer.URL); err != nil {
		_ = answer.Body.Close()
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("the redirects of %s lead to a URL that has no canonical form: %w", req.URL, err))
	}
	if err := s.decode(c, answer.Body, source); err != nil {
		return nil, s.fetchFault(ctx, req, source, err)
	}
	return c, nil
}

// fetchError is why a fetch failed, with what is kept of it for the outcome.
type fetchError struct {
	error
	status     string // fetch_status (seeds#store)
	retryAfter time.Duration
}

// Unwrap returns what went wrong.
func (e fetchError) Unwrap() error { return e.error }

// fetchFault says what an error of fetching means.
func (s *Stage) fetchFault(ctx context.Context, req *request, source model.Source, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("fetching %s: %w", req.URL, context.Cause(ctx))
	}
	var refused *fetch.Refused
	var unreachable *robots.Unreachable
	var status *fetch.StatusError
	told := fetchError{error: fmt.Errorf("fetching %s: %w", req.URL, err), status: statusError}
	var waits turnError
	switch {
	case errors.As(err, &waits):
		return waits.error
	case scratch.Failed(err):
		return err
	case errors.As(err, &refused):
		told.status = statusBlocked
		return fault.Permanent(fault.FetchRefused, told)
	case errors.As(err, &unreachable) && errors.As(err, &status): // the host is there, and does not say
		told.status, told.retryAfter = statusBlocked, min(status.RetryAfter, s.MaxRetry)
		return fault.TransientFor(fault.FetchRefused, told.retryAfter, told)
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
	told.retryAfter = status.RetryAfter
	if blocks(status.Status) {
		told.status = statusBlocked
	}
	switch {
	case status.RetryAfter > s.MaxRetry:
		told.error = fmt.Errorf("%w and asks for a wait of %s, limit %s", told.error, status.RetryAfter, s.MaxRetry)
		return fault.Permanent(fault.FetchFailed, told)
	case !status.Passing():
		return fault.Permanent(fault.FetchFailed, told)
	default:
		return fault.TransientFor(fault.FetchFailed, status.RetryAfter, told)
	}
}
