package stage

import (
	"cmp"
	"context"
	"errors"

	"github.com/colophon-dev/colophon/pkg/digest"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/services/capturer/internal/dedup"
	"github.com/colophon-dev/colophon/services/capturer/internal/lease"
	"github.com/colophon-dev/colophon/services/capturer/internal/obtain"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/typing"
)

// fetchOnce fetches a URL unless that was done within its window, or is being
// done now by another request.
func (s *Stage) fetchOnce(ctx context.Context, j job) (done, error) {
	req := j.req
	window, held, err := s.Windows.LeaseWindow(ctx, req.SourceID, req.Canonical, req.RequestID, s.Lease)
	if err != nil {
		return done{}, err
	}
	if !held {
		return done{}, fault.Defer(s.Wait, errors.New("another request fetches the same URL"))
	}
	faultpoint.Reach("capture.window.leased")
	give := func(ctx context.Context) error {
		return s.Windows.ReleaseWindow(ctx, req.SourceID, req.Canonical, req.RequestID)
	}
	if j.begunSnapshot == "" && dedup.Fresh(window, j.source) {
		row := req.Row()
		row.Outcome, row.SnapshotID, row.DocumentID = string(event.OutcomeDuplicate), window.SnapshotID, window.DocumentID
		if row, err = s.Requests.DecideCapture(ctx, row); err != nil {
			return done{}, lease.Release(ctx, err, give)
		}
		faultpoint.Reach("capture.duplicate.decided")
		return done{row: row}, give(ctx)
	}
	renew := func(ctx context.Context) (bool, error) {
		return s.Windows.RenewWindow(ctx, req.SourceID, req.Canonical, req.RequestID, s.Lease)
	}
	var captured done
	err = s.Hold(ctx, renew, func(ctx context.Context) (failed error) {
		if j.begunSnapshot != "" {
			captured, failed = s.resumeContainer(ctx, j)
			return failed
		}
		known, failed := s.findKnown(ctx, j, window)
		if failed == nil {
			captured, failed = s.fetchURL(ctx, j, known)
		}
		return failed
	})
	if err != nil || captured.row.Outcome == string(event.OutcomeFailed) { // else what was recorded has ended the lease
		return captured, lease.Release(ctx, err, give)
	}
	return captured, nil
}

// findKnown returns what the last fetch of a URL has stored, under the source's rules of
// today, when it is current, today's programs have read it, and the names in it
// follow today's rules: its server may say that it has nothing newer. nil says that the
// URL is to be fetched whatever its server says.
func (s *Stage) findKnown(ctx context.Context, j job, w model.FetchWindow) (*model.Snapshot, error) {
	if w.SnapshotID == "" {
		return nil, nil
	}
	snap, err := s.Registry.Snapshot(ctx, w.SnapshotID)
	switch {
	case errors.Is(err, fault.ErrNoRow):
		return nil, nil
	case err != nil:
		return nil, err
	case snap.SourceRecordID != j.req.SourceRecordID:
		return nil, nil // it would be another document
	case snap.RedactionPolicyID != redact.PolicyID || snap.URLCanonicalizationVersion != digest.URLCanonVersion ||
		snap.RuleVersions["typing"] != typing.Version || snap.URLCanonical != "" && (snap.RuleVersions[model.RuleIDs] == model.IDs004) != s.Seed004IDs:
		return nil, nil
	}
	setSource(&snap, j.source)
	still, err := s.compareStanding(j.req, snap, dedup.Still)
	if err != nil {
		return nil, err
	}
	standing, err := s.Registry.Standing(ctx, snap.DocumentID)
	if err != nil || !still(standing) {
		return nil, err
	}
	return &snap, nil
}

// fetchURL fetches a URL and records what came. known is what the last fetch has stored, nil
// when that does not count.
func (s *Stage) fetchURL(ctx context.Context, j job, known *model.Snapshot) (done, error) {
	doc, err := s.Obtain.Fetch(ctx, j.req, j.source, known)
	switch {
	case err != nil:
		return done{}, err
	case doc.NotModified:
		return s.recordNotModified(ctx, j, *known, doc)
	}
	return s.recordDocument(ctx, j, doc)
}

// recordNotModified records that the server of a URL says at this time what it said when the
// known snapshot was taken: a capture of the same bytes, under the headers that came
// with them. Were nothing recorded, a capture that comes late and is dated between the
// two would take the place of what stands.
func (s *Stage) recordNotModified(ctx context.Context, j job, known model.Snapshot, doc *obtain.Document) (done, error) {
	req, snap := j.req, known
	snap.SnapshotID = digest.SnapshotID(req.SourceID, req.RequestID, known.ContentHash)
	snap.SnapshotGroupID, snap.RequestID, snap.Metadata = req.SnapshotGroupID, req.RequestID, req.Metadata
	snap.RedirectChain = doc.Chain
	snap.HTTPStatus, snap.FetchStatus = doc.Status, doc.FetchStatus()
	snap.RetrievedAt, snap.FetchToolVersion = retrievedAt(req, doc), doc.Tool
	snap.RobotsPolicyNotes = cmp.Or(req.RobotsPolicyNotes, redact.Today().Text(j.source.RobotsNotes))
	unchanged, err := s.decideUnchanged(req, snap)
	if err != nil {
		return done{}, err
	}
	row := req.Row()
	row.FetchStatus = snap.FetchStatus
	row, err = s.Requests.RecordCapture(ctx, row, snap, []string{req.Canonical, snap.URLCanonical}, unchanged)
	return done{row, &snap}, err
}
