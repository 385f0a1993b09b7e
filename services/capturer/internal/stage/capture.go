package stage

import (
	"context"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/container/warc"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
)

// captureRequest does the work of an accepted request, whose row then is decided.
func (s *Stage) captureRequest(ctx context.Context, j job) (done, error) {
	switch {
	case j.req.Fetches() && !j.req.Force:
		return s.fetchOnce(ctx, j)
	case j.begunSnapshot != "":
		return s.resumeContainer(ctx, j)
	case j.req.Fetches():
		return s.fetchURL(ctx, j, nil)
	}
	doc, err := s.Obtain.HandedOver(ctx, j.req, j.source)
	if err != nil {
		return done{}, err
	}
	return s.recordDocument(ctx, j, doc)
}

// captureAtOnce captures a document that came with its request, and of which nothing is to be
// asked, in one transaction. ok is false when it is to be captured step by step: the
// request was accepted before, or is refused, or its bytes are others than they are
// to be stored as, or a container.
func (s *Stage) captureAtOnce(ctx context.Context, req *request.Request, source model.Source) (captured done, ok bool, err error) {
	if req.At.IsZero() {
		return captured, false, nil
	}
	doc, err := s.Obtain.HandedOver(ctx, req, source)
	if err != nil {
		return captured, false, nil //nolint:nilerr // it says so again, under the request's row
	}
	defer doc.Close()
	snap, message, err := s.makeSnapshot(ctx, req, source, doc)
	if err != nil || doc.Wire != nil || snap.SnapshotKind == model.KindContainer {
		return captured, false, nil //nolint:nilerr // likewise
	}
	unchanged, err := s.decideUnchanged(req, snap)
	if err != nil {
		return captured, false, err
	}
	row := req.Row()
	row.Message = message
	row, ok, err = s.Requests.CaptureAtOnce(ctx, row, snap, unchanged, func(ctx context.Context) error { return s.putInline(ctx, req) })
	return done{row, &snap}, ok, err
}

// recordDocument stores a document, which it closes: objects first, then the rows.
func (s *Stage) recordDocument(ctx context.Context, j job, doc *obtain.Document) (done, error) {
	defer doc.Close()
	snap, message, err := s.makeSnapshot(ctx, j.req, j.source, doc)
	if err != nil {
		return done{}, err
	}
	if j.req.WARC != nil && snap.FinalType != model.TypeWARC {
		return done{}, fault.Permanent(fault.Malformed, fmt.Errorf("object %s: %w", j.req.WARC.Key, warc.ErrNoArchive))
	}
	// Inline content is there already.
	if err := s.Obtain.Put(ctx, doc.Content, j.req.SourceID, j.req.BytesHash, func() { faultpoint.Reach("capture.raw.put") }); err != nil {
		return done{}, err
	}
	return s.concludeCapture(ctx, j, snap, message, doc.Body)
}

// resumeContainer goes on with a container whose members an earlier handling has begun to
// record. It reads what is stored, since what it was made of may be another by
// now: that of a URL, or of a place in the inbox.
func (s *Stage) resumeContainer(ctx context.Context, j job) (done, error) {
	snap, err := s.Registry.Snapshot(ctx, j.begunSnapshot)
	if err != nil {
		return done{}, err
	}
	body, err := s.Obtain.Stored(ctx, snap)
	if err != nil {
		return done{}, err
	}
	defer func() { _ = body.Close() }()
	return s.concludeCapture(ctx, j, snap, "", body)
}

// concludeCapture decides a request whose bytes are stored: of a container it records
// the members first.
func (s *Stage) concludeCapture(ctx context.Context, j job, snap model.Snapshot, message string, body *spool.Content) (done, error) {
	unchanged, err := s.decideUnchanged(j.req, snap)
	if err != nil {
		return done{}, err
	}
	var windows []string
	row := j.req.Row()
	row.Message = message
	if j.req.Fetches() {
		windows = []string{j.req.Canonical, snap.URLCanonical}
		row.FetchStatus = snap.FetchStatus
	}
	if snap.SnapshotKind == model.KindContainer {
		if err := s.Requests.BeginContainer(ctx, row, snap); err != nil {
			return done{}, err
		}
		faultpoint.Reach("capture.container.begun")
		if row, err = s.unpackContainer(ctx, j, row, snap, body); err != nil {
			return done{}, err
		}
		if row.Outcome == string(event.OutcomeFailed) {
			windows = nil // nobody is told duplicate of a failure
		}
	}
	row, err = s.Requests.RecordCapture(ctx, row, snap, windows, unchanged)
	return done{row, &snap}, err
}
