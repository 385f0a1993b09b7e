package stage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/fetch"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// captured is a document's bytes and what its server or crawler said of them,
// redacted.
type captured struct {
	body      *spool.Content // after content decoding
	wire      *spool.Content // before it; nil when there was none to undo
	url       string         // "" when the document has none
	raw       string         // url as it came, from which its identity under older rules is made
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
func (s *Stage) capture(ctx context.Context, req *request, source model.Source, emit stream.Emit) (model.Capture, error) {
	switch {
	case fetches(req) && !req.Force:
		return s.captureOnce(ctx, req, source, emit)
	case fetches(req):
		return s.fetchAndRecord(ctx, req, source, nil, emit)
	case req.begun != "":
		return s.resume(ctx, req, source, emit)
	}
	return s.record(ctx, req, source, emit, func() (*captured, error) { return s.handedOver(ctx, req, source) })
}

// atOnce captures a document that came with its request, and of which nothing is to be
// asked, in one transaction. done is false when it is to be captured step by step: the
// request was accepted before, or is refused, or its bytes are others than they are
// to be stored as, or a container.
func (s *Stage) atOnce(ctx context.Context, req *request, source model.Source) (row model.Capture, done bool, err error) {
	if req.at.IsZero() {
		return row, false, nil
	}
	c, err := s.handedOver(ctx, req, source)
	if err != nil {
		return row, false, nil //nolint:nilerr // it says so again, under the request's row
	}
	defer c.Close()
	snap, err := s.snapshot(ctx, req, source, c)
	if err != nil || c.wire != nil || snap.SnapshotKind == model.KindContainer {
		return row, false, nil //nolint:nilerr // likewise
	}
	unchanged, err := s.unchanged(req, snap)
	if err != nil {
		return row, false, err
	}
	row = req.row()
	row.Message = req.message
	row, done, err = s.Requests.CaptureAtOnce(ctx, row, snap, unchanged, func(ctx context.Context) error { return s.putInline(ctx, req) })
	if done {
		req.recorded = &snap
	}
	return row, done, err
}

// handedOver reads what the crawler has put somewhere, or sent along.
func (s *Stage) handedOver(ctx context.Context, req *request, source model.Source) (*captured, error) {
	c := &captured{
		url: req.URL, raw: req.fetchURL, canonical: req.canonical, chain: req.RedirectChain, status: req.HTTPStatus,
		header: req.Headers, tool: req.FetchToolVersion,
	}
	body, err := s.bytesOf(ctx, req, source)
	if err != nil {
		return nil, err
	}
	if err := s.decode(c, body, source); err != nil {
		switch {
		case scratch.Failed(err):
			return nil, err
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
		if limit := min(event.MaxInline, source.MaxBytes); int64(len(req.inline)) > limit {
			return nil, tooLarge(limit)
		}
		return spool.Bytes(req.inline), nil
	}
	var body *spool.Content
	var err error
	object, limit := req.Object, source.MaxBytes
	if req.WARC != nil {
		object, limit = req.WARC, maxTotal*source.MaxBytes // its records are what is limited
	}
	if object.Bucket == bucketRaw {
		body, err = s.Objects.Raw(ctx, req.SourceID, "sha256:"+object.Key, limit)
	} else {
		body, err = s.Objects.Inbox(ctx, req.SourceID, object.Key, limit)
	}
	switch {
	case errors.Is(err, ErrForeignKey):
		return nil, fault.Permanent(fault.FetchRefused, fmt.Errorf("object %s: %w", object.Key, ErrForeignKey))
	case errors.Is(err, ErrNoObject):
		return nil, fault.Permanent(fault.FetchFailed, fmt.Errorf("object %s: %w", object.Key, ErrNoObject))
	case errors.Is(err, spool.ErrTooLarge):
		return nil, tooLarge(limit)
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
	case errors.Is(err, fetch.ErrEncoding) && slices.Contains(c.flags, FlagTruncated): // its end is missing
		c.body, kept = body, true
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

// record stores what get returns: objects first, then the rows.
func (s *Stage) record(ctx context.Context, req *request, source model.Source, emit stream.Emit, get func() (*captured, error)) (model.Capture, error) {
	c, err := get()
	if err != nil {
		return model.Capture{}, err
	}
	defer c.Close()
	snap, err := s.snapshot(ctx, req, source, c)
	if err != nil {
		return model.Capture{}, err
	}
	if req.WARC != nil && snap.FinalType != model.TypeWARC {
		return model.Capture{}, fault.Permanent(fault.Malformed, fmt.Errorf("object %s: %w", req.WARC.Key, warc.ErrNoArchive))
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
	return s.conclude(ctx, req, source, snap, c.body, emit)
}

// resume goes on with a container whose members an earlier handling has begun to
// record. It reads what is stored, since what it was made of may be another by
// now: that of a URL, or of a place in the inbox.
func (s *Stage) resume(ctx context.Context, req *request, source model.Source, emit stream.Emit) (model.Capture, error) {
	snap, err := s.Registry.Snapshot(ctx, req.begun)
	if err != nil {
		return model.Capture{}, err
	}
	body, err := s.Objects.Raw(ctx, req.SourceID, snap.ContentHash, math.MaxInt64)
	if err != nil {
		return model.Capture{}, err
	}
	defer func() { _ = body.Close() }()
	return s.conclude(ctx, req, source, snap, body, emit)
}

// conclude decides a request whose bytes are stored: of a container it records
// the members first.
func (s *Stage) conclude(ctx context.Context, req *request, source model.Source, snap model.Snapshot, body *spool.Content, emit stream.Emit) (model.Capture, error) {
	unchanged, err := s.unchanged(req, snap)
	if err != nil {
		return model.Capture{}, err
	}
	var windows []string
	row := req.row()
	row.Message = req.message
	if fetches(req) {
		windows = []string{req.canonical, snap.URLCanonical}
		row.FetchStatus = snap.FetchStatus
	}
	if snap.SnapshotKind == model.KindContainer {
		if err := s.Requests.BeginContainer(ctx, row, snap); err != nil {
			return model.Capture{}, err
		}
		faultpoint.Reach("capture.container.begun")
		if row, err = s.unpacked(ctx, req, row, source, snap, body, emit); err != nil {
			return model.Capture{}, err
		}
		if row.Outcome == string(event.OutcomeFailed) {
			windows = nil // nobody is told duplicate of a failure
		}
	}
	row, err = s.Requests.RecordCapture(ctx, row, snap, windows, unchanged)
	if err == nil {
		req.recorded = &snap
	}
	return row, err
}
