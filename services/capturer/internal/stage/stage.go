// Package stage is the capturer's stage: a request comes in, the bytes that it
// names are stored as they are with all that is known about them, and the
// crawler is told what became of it (contracts#outcomes, contracts#current).
package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/container"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/scratch"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/lease"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
	"github.com/colophon-dev/colophon/services/capturer/internal/spool"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// Requests is the record of what was asked for and what became of it.
type Requests interface {
	Turns
	Outcomes
	Members
}

// Turns say who works on a request.
type Turns interface {
	AcceptCapture(ctx context.Context, c model.Capture, owner string, lease time.Duration) (stands model.Capture, held bool, err error)
	RenewCapture(ctx context.Context, sourceID, requestID, owner string, lease time.Duration) (bool, error)
	ReleaseCapture(ctx context.Context, sourceID, requestID, owner string, retryAfter time.Duration, fetchStatus string) error
	Capture(ctx context.Context, sourceID, requestID string) (model.Capture, error)
}

// Outcomes are what became of requests.
type Outcomes interface {
	DecideCapture(ctx context.Context, c model.Capture) (model.Capture, error)
	RecordCapture(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
		unchanged func(model.Standing) bool) (model.Capture, error)
	CaptureAtOnce(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool,
		put func(ctx context.Context) error) (row model.Capture, first bool, err error)
	// KeepCapture waits until a decided request, and what was recorded for it, is on
	// the disk.
	KeepCapture(ctx context.Context, sourceID, requestID string) error
	CaptureAnnounced(ctx context.Context, sourceID, requestID string) error
}

// Members are what a container holds.
type Members interface {
	BeginContainer(ctx context.Context, c model.Capture, s model.Snapshot) error
	RecordMember(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool) (model.Capture, error)
	DecideMember(ctx context.Context, c model.Capture) (model.Capture, error)
	Members(ctx context.Context, sourceID, requestID string) (map[string]int, error)
}

// Windows is the record of what was fetched when.
type Windows interface {
	LeaseWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (w model.FetchWindow, held bool, err error)
	RenewWindow(ctx context.Context, sourceID, urlCanonical, owner string, lease time.Duration) (bool, error)
	ReleaseWindow(ctx context.Context, sourceID, urlCanonical, owner string) error
}

// Registry is what the stage reads of sources and snapshots.
type Registry interface {
	Sources
	Versions
}

// Sources are what requests are made for.
type Sources interface {
	Source(ctx context.Context, sourceID string) (model.Source, error)
	RegisterSource(ctx context.Context, s model.Source) (model.Source, error)
}

// Versions are the snapshots of documents, and which of them is current.
type Versions interface {
	Snapshot(ctx context.Context, snapshotID string) (model.Snapshot, error)
	// Woken returns the snapshot after one that is to be processed since that came, if
	// there is one, and whether what is current of the document is to be decided anew.
	Woken(ctx context.Context, s model.Snapshot) (next *model.Snapshot, unsettled bool, err error)
	// Unsettled returns a run of a document of which what is current is to be decided
	// anew; nil for any other.
	Unsettled(ctx context.Context, documentID string) (*model.Unsettled, error)
	RunParts(ctx context.Context, snapshotID, extractionID string) (model.Run, []model.SegmentRow, []int, error)
	Standing(ctx context.Context, documentID string) (model.Standing, error)
}

// Stage holds the capturer's parts. It alone commits rows and publishes events: what was
// asked says package request, the bytes come from package obtain, those of containers by
// package members.
type Stage struct {
	lease.Terms
	Requests     Requests
	Windows      Windows
	Registry     Registry
	Identities   Identities
	Obtain       *obtain.Obtainer
	Containers   container.Kinds
	Types        typing.Types // what documents are taken for
	Today        dedup.Versions
	InboxBucket  string        // the inbox's name in the object store
	Seed004IDs   bool          // documents with a URL get the ids of seeds#store
	AutoRegister bool          // an unknown source is registered with defaults
	Turn         time.Duration // how long a container keeps a worker, before it goes back to its queue
}

// job is an accepted request.
type job struct {
	req           *request.Request
	source        model.Source
	begunSnapshot string // the snapshot of the container whose members an earlier handling has begun to record; "" for none
	emit          stream.Emit
}

// done is what a request's handling has recorded.
type done struct {
	row      model.Capture
	snapshot *model.Snapshot // nil when none was
}

// Handle takes capture.requested. A request that was decided before is answered
// with its stored outcome again: its announcement may be what was lost.
func (s *Stage) Handle(ctx context.Context, e event.Event, emit stream.Emit) error {
	err := s.handleRequest(ctx, e, emit)
	switch {
	case !scratch.Failed(err):
		return err
	case s.Obtain.Spool.Room() != nil: // all have to wait until there is room again
		return fault.Unavailable(err)
	default: // there was none for this one, beside others
		return fault.Transient(err)
	}
}

func (s *Stage) handleRequest(ctx context.Context, e event.Event, emit stream.Emit) error {
	req, err := request.Read(e, s.InboxBucket)
	if err != nil {
		return err
	}
	if err := s.checkRepeated(ctx, req); err != nil {
		return err
	}
	source, refused, err := s.findSource(ctx, req.SourceID)
	if err != nil {
		return err
	}
	if refused == nil && req.Bytes != nil && len(req.Bytes) <= event.MaxInline {
		captured, ok, err := s.captureAtOnce(ctx, req, source)
		switch {
		case err != nil:
			return err
		case ok:
			return s.announceRecorded(ctx, captured, emit)
		}
		// Before the row, so that the row alone is enough to do it all again.
		if err := s.putInline(ctx, req); err != nil {
			return err
		}
	}
	owner := rand.Text()
	row, held, err := s.acceptRequest(ctx, req, owner)
	switch {
	case err != nil:
		return err
	case !req.Owns(row):
		return fault.Permanent(fault.RequestConflict, fmt.Errorf("request_id %q was used for another request", req.RequestID))
	case row.Outcome != "":
		return s.announce(ctx, done{row: row}, emit)
	case !held:
		return s.Busy()
	}
	faultpoint.Reach("capture.accepted")
	if refused != nil {
		return s.releaseLease(ctx, req, owner, refused)
	}
	renew := func(ctx context.Context) (bool, error) {
		return s.Requests.RenewCapture(ctx, req.SourceID, req.RequestID, owner, s.Lease)
	}
	var captured done
	err = s.Hold(ctx, renew, func(ctx context.Context) (failed error) {
		captured, failed = s.captureRequest(ctx, job{req: req.Accepted(row), source: source, begunSnapshot: row.SnapshotID, emit: emit})
		return failed
	})
	if err != nil {
		return s.releaseLease(ctx, req, owner, err)
	}
	return s.announceRecorded(ctx, captured, emit)
}

// acceptRequest gives a request its row, and the lease of it. A request that was accepted under
// older rules is accepted again under what its row has of it.
func (s *Stage) acceptRequest(ctx context.Context, req *request.Request, owner string) (row model.Capture, held bool, err error) {
	row, held, err = s.Requests.AcceptCapture(ctx, req.Row(), owner, s.Lease)
	if err == nil && !held && row.RequestDigest != req.Row().RequestDigest && req.Owns(row) {
		return s.Requests.AcceptCapture(ctx, req.Accepted(row).Row(), owner, s.Lease)
	}
	return row, held, err
}

// releaseLease gives the lease of a request back, which failed with cause, and returns that.
func (s *Stage) releaseLease(ctx context.Context, req *request.Request, owner string, cause error) error {
	var failed obtain.FetchError
	errors.As(cause, &failed)
	return lease.Release(ctx, cause, func(ctx context.Context) error {
		return s.Requests.ReleaseCapture(ctx, req.SourceID, req.RequestID, owner, failed.RetryAfter, failed.Status)
	})
}

// checkRepeated checks that a request for a raw object is one that was accepted before:
// only its row is where inline content became one, and crawlers hand over what is
// in their inbox (contracts#inbox).
func (s *Stage) checkRepeated(ctx context.Context, req *request.Request) error {
	if req.Object == nil || req.Object.Bucket != request.BucketRaw || req.Bytes != nil {
		return nil
	}
	switch row, err := s.Requests.Capture(ctx, req.SourceID, req.RequestID); {
	case err != nil && !errors.Is(err, fault.ErrNoRow):
		return err
	case err != nil || !req.Owns(row):
		return fault.Permanent(fault.Malformed, errors.New("object: only the inbox bucket is read"))
	}
	return nil
}

// putInline stores the bytes that came with a request.
func (s *Stage) putInline(ctx context.Context, req *request.Request) error {
	err := s.Obtain.Objects.PutRaw(ctx, req.SourceID, spool.Bytes(req.Bytes))
	faultpoint.Reach("capture.inline.put")
	return err
}

// findSource returns the source of a request, or as refused why nothing is captured
// for it.
func (s *Stage) findSource(ctx context.Context, id string) (source model.Source, refused, err error) {
	source, err = s.Registry.Source(ctx, id)
	if errors.Is(err, fault.ErrNoRow) && s.AutoRegister {
		source, err = s.Registry.RegisterSource(ctx, model.DefaultSource(id))
		faultpoint.Reach("capture.source.registered")
	}
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return source, fault.Permanent(fault.SourceUnknown, fmt.Errorf("source %s is not registered", id)), nil
	case err != nil:
		return source, nil, err
	case source.State != model.SourceEnabled:
		return source, fault.Permanent(fault.SourceDisabled, fmt.Errorf("source %s is disabled", id)), nil
	}
	return source, nil, nil
}

// decideUnchanged returns what RecordCapture asks of what stands before a snapshot.
func (s *Stage) decideUnchanged(req *request.Request, snap model.Snapshot) (func(model.Standing) bool, error) {
	return s.compareStanding(req, snap, dedup.Unchanged)
}

func (s *Stage) compareStanding(req *request.Request, snap model.Snapshot, by func(model.Standing, string, dedup.Versions) bool) (func(model.Standing) bool, error) {
	reads, err := snap.ReadsDigest()
	if err != nil {
		return nil, err
	}
	return func(before model.Standing) bool { return !req.Force && by(before, reads, s.Today) }, nil
}
