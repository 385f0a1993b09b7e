package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// captured is a document's bytes and what its server or crawler said of them,
// redacted.
type captured struct {
	body      *spool.Content // after content decoding
	wire      *spool.Content // before it; nil when there was none to undo
	url       string         // "" when the document has none
	canonical string
	chain     []string
	status    int
	header    http.Header
	tool      string
	flags     []string
}

// Close removes temporary files.
func (c *captured) Close() {
	_ = c.body.Close()
	_ = c.wire.Close()
}

// FlagCoding says that the bytes are kept in a content coding that is unknown.
const FlagCoding = "content_encoding_kept"

// fetches reports whether a request leaves the fetching to us.
func fetches(r *request) bool { return r.Object == nil && r.WARC == nil }

// capture does the work of an accepted request and returns its decided row.
func (s *Stage) capture(ctx context.Context, req *request, source model.Source) (model.Capture, error) {
	switch {
	case req.WARC != nil:
		return model.Capture{}, fault.Permanent(fault.UnsupportedType,
			errors.New("a WARC is not read whole here: hand its records over one by one"))
	case fetches(req) && !req.Force:
		return s.captureOnce(ctx, req, source)
	case fetches(req):
		return s.fetchAndRecord(ctx, req, source)
	}
	return s.record(ctx, req, source, func() (*captured, error) { return s.handedOver(ctx, req, source) })
}

// captureOnce fetches a URL unless that was done within its window, or is being
// done now by another request.
func (s *Stage) captureOnce(ctx context.Context, req *request, source model.Source) (model.Capture, error) {
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
	if dedup.Fresh(window, source) {
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
	err = s.hold(ctx, renew, func(ctx context.Context) (failed error) {
		row, failed = s.fetchAndRecord(ctx, req, source)
		return failed
	})
	if err != nil {
		return row, s.release(ctx, err, give)
	}
	return row, nil
}

func (s *Stage) fetchAndRecord(ctx context.Context, req *request, source model.Source) (model.Capture, error) {
	return s.record(ctx, req, source, func() (*captured, error) { return s.fetched(ctx, req, source) })
}

// fetched gets the document from its server.
func (s *Stage) fetched(ctx context.Context, req *request, source model.Source) (*captured, error) {
	answer, err := s.Fetcher.Get(ctx, req.fetchURL, source.MaxBytes)
	if err != nil {
		return nil, s.fetchFault(ctx, req, source, err)
	}
	c := &captured{
		url: redact.URL(answer.URL), chain: redact.URLs(answer.Chain), status: answer.Status,
		header: redact.Headers(answer.Header), tool: s.ToolVersion,
	}
	if c.canonical, err = digest.URLCanonV1(answer.URL); err != nil {
		_ = answer.Body.Close()
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("the redirects of %s lead to a URL that has no canonical form: %w", req.URL, err))
	}
	if err := s.decode(c, answer.Body, source); err != nil {
		if errors.Is(err, fetch.ErrEncoding) {
			return nil, fault.TransientFor(fault.FetchFailed, 0, fmt.Errorf("fetching %s: %w", req.URL, err))
		}
		return nil, s.fetchFault(ctx, req, source, err)
	}
	return c, nil
}

// fetchFault says what an error of fetching means.
func (s *Stage) fetchFault(ctx context.Context, req *request, source model.Source, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("fetching %s: %w", req.URL, context.Cause(ctx))
	}
	var refused *fetch.Refused
	var status *fetch.StatusError
	if errors.As(err, &status) && status.RetryAfter > s.MaxRetry {
		return fault.Permanent(fault.FetchFailed, fmt.Errorf("fetching %s: %w and asks for a wait of %s, limit %s",
			req.URL, err, status.RetryAfter, s.MaxRetry))
	}
	told := fmt.Errorf("fetching %s: %w", req.URL, err)
	switch {
	case errors.As(err, &refused):
		return fault.Permanent(fault.FetchRefused, told)
	case errors.Is(err, spool.ErrTooLarge):
		return fault.Permanent(fault.TooLarge, fmt.Errorf("fetching %s: more than the limit of %d bytes", req.URL, source.MaxBytes))
	case errors.Is(err, fetch.ErrBomb):
		return fault.Permanent(fault.LimitExceeded, told)
	case errors.Is(err, fetch.ErrRedirects), status != nil && !status.Passing():
		return fault.Permanent(fault.FetchFailed, told)
	case status != nil:
		return fault.TransientFor(fault.FetchFailed, status.RetryAfter, told)
	default:
		return fault.TransientFor(fault.FetchFailed, 0, told)
	}
}

// handedOver reads what the crawler has put somewhere, or sent along.
func (s *Stage) handedOver(ctx context.Context, req *request, source model.Source) (*captured, error) {
	c := &captured{
		url: req.URL, canonical: req.canonical, chain: req.RedirectChain, status: req.HTTPStatus,
		header: req.Headers, tool: req.FetchToolVersion,
	}
	body, err := s.bytesOf(ctx, req, source)
	if err != nil {
		return nil, err
	}
	if err := s.decode(c, body, source); err != nil {
		switch {
		case errors.Is(err, spool.ErrTooLarge):
			return nil, tooLarge(source.MaxBytes)
		case errors.Is(err, fetch.ErrBomb):
			return nil, fault.Permanent(fault.LimitExceeded, err)
		case errors.Is(err, fetch.ErrEncoding):
			return nil, fault.Permanent(fault.Malformed, err)
		}
		return nil, err
	}
	return c, nil
}

// bytesOf reads the bytes of a request that we do not fetch.
func (s *Stage) bytesOf(ctx context.Context, req *request, source model.Source) (*spool.Content, error) {
	if req.inline != nil {
		if limit := min(maxInline, source.MaxBytes); int64(len(req.inline)) > limit {
			return nil, tooLarge(limit)
		}
		return spool.Bytes(req.inline), nil
	}
	var body *spool.Content
	var err error
	if req.Object.Bucket == bucketRaw {
		body, err = s.Objects.Raw(ctx, req.SourceID, "sha256:"+req.Object.Key, source.MaxBytes)
	} else {
		body, err = s.Objects.Inbox(ctx, req.SourceID, req.Object.Key, source.MaxBytes)
	}
	switch {
	case errors.Is(err, ErrForeignKey):
		return nil, fault.Permanent(fault.FetchRefused, fmt.Errorf("object %s: %w", req.Object.Key, ErrForeignKey))
	case errors.Is(err, ErrNoObject):
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("object %s: %w", req.Object.Key, ErrNoObject))
	case errors.Is(err, spool.ErrTooLarge):
		return nil, tooLarge(source.MaxBytes)
	}
	return body, err
}

func tooLarge(limit int64) error {
	return fault.Permanent(fault.TooLarge, fmt.Errorf("the document has more than the limit of %d bytes", limit))
}

// decode undoes the content coding of body, which c then owns. On an error
// nothing is left of it.
func (s *Stage) decode(c *captured, body *spool.Content, source model.Source) error {
	decoded, kept, err := fetch.Decode(s.Spool, body, strings.Join(c.header.Values("Content-Encoding"), ","), source.MaxBytes)
	switch {
	case err != nil:
		_ = body.Close()
		return err
	case decoded != nil:
		c.body, c.wire = decoded, body
	default:
		c.body = body
	}
	if kept {
		c.flags = append(c.flags, FlagCoding)
	}
	return nil
}

// record stores what get returns: objects first, then all rows at once.
func (s *Stage) record(ctx context.Context, req *request, source model.Source, get func() (*captured, error)) (model.Capture, error) {
	c, err := get()
	if err != nil {
		return model.Capture{}, err
	}
	defer c.Close()
	snap, err := s.snapshot(req, source, c)
	if err != nil {
		return model.Capture{}, err
	}
	for _, content := range []*spool.Content{c.body, c.wire} {
		if content == nil || content.Hash == req.hash {
			continue // inline content is there already
		}
		if err := s.Objects.PutRaw(ctx, req.SourceID, content); err != nil {
			return model.Capture{}, err
		}
		faultpoint.Reach("capture.raw.put")
	}
	unchanged, err := s.unchanged(req, snap)
	if err != nil {
		return model.Capture{}, err
	}
	var windows []string
	if fetches(req) {
		windows = []string{req.canonical, snap.URLCanonical}
	}
	return s.Requests.RecordCapture(ctx, req.row(), snap, windows, unchanged)
}
