package stage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
)

// announceRecorded announces a request that was just recorded.
func (s *Stage) announceRecorded(ctx context.Context, d done, emit stream.Emit) error {
	faultpoint.Reach("capture.recorded")
	return s.announce(ctx, d, emit)
}

// announce publishes what a decided request led to and then notes that it did.
func (s *Stage) announce(ctx context.Context, d done, emit stream.Emit) error {
	row := d.row
	container := row.Outcome == string(event.OutcomeFailed) && row.SnapshotID != "" // one that was not read to its end
	unsettled := container || row.Outcome == string(event.OutcomeUnchanged)         // it may be
	if row.Outcome == string(event.OutcomeStored) {
		snap := d.snapshot
		if snap == nil || snap.SnapshotID != row.SnapshotID {
			stored, err := s.Registry.Snapshot(ctx, row.SnapshotID)
			if err != nil {
				return err
			}
			snap = &stored
		}
		container = snap.SnapshotKind == model.KindContainer // its members are what is processed
		unsettled = container
		if !container {
			var err error
			if unsettled, err = s.announceStored(ctx, row, *snap, emit); err != nil {
				return err
			}
		}
	}
	if unsettled && row.DocumentID != "" {
		if err := s.announceUnsettled(ctx, row, emit); err != nil {
			return err
		}
	}
	return s.publishOutcome(ctx, row, container, emit)
}

// announceStored publishes that a snapshot is to be processed, and with it the one after it,
// when that was recorded only until this one came. unsettled says that what is
// current of the document is to be decided anew.
func (s *Stage) announceStored(ctx context.Context, row model.Capture, snap model.Snapshot, emit stream.Emit) (unsettled bool, err error) {
	var asked struct {
		Force bool `json:"force"`
	}
	if err := json.Unmarshal(row.Request, &asked); err != nil {
		return false, fmt.Errorf("request %s/%s: its row: %w", row.SourceID, row.RequestID, err)
	}
	if err := emit(ctx, storedOf(snap, asked.Force)); err != nil {
		return false, err
	}
	woken, unsettled, err := s.Registry.Woken(ctx, snap)
	if err != nil {
		return false, err
	}
	if woken != nil {
		if err := emit(ctx, storedOf(*woken, false)); err != nil {
			return false, err
		}
	}
	faultpoint.Reach("capture.snapshot.published")
	return unsettled, nil
}

// announceUnsettled lets the chunker decide what is current of a request's document,
// where the capture can have changed it with nothing made of it.
func (s *Stage) announceUnsettled(ctx context.Context, row model.Capture, emit stream.Emit) error {
	d, err := s.Registry.Unsettled(ctx, row.DocumentID)
	if err != nil || d == nil {
		return err
	}
	run, segments, _, err := s.Registry.RunParts(ctx, d.SnapshotID, d.ExtractionID)
	if err != nil {
		return err
	}
	again := event.OfRun(run, segments)
	again.Arrived = row.SnapshotID
	if err := emit(ctx, again); err != nil {
		return err
	}
	faultpoint.Reach("capture.unsettled.published")
	return nil
}

// publishOutcome publishes a request's outcome, for a container with those of its
// members in numbers.
func (s *Stage) publishOutcome(ctx context.Context, row model.Capture, container bool, emit stream.Emit) error {
	told := event.CaptureCompleted{
		RequestID: row.RequestID, SourceID: row.SourceID, Outcome: event.Outcome(row.Outcome),
		SnapshotID: row.SnapshotID, DocumentID: row.DocumentID, Reason: row.Reason, Message: row.Message, FetchStatus: row.FetchStatus,
	}
	if !row.RetryAfter.IsZero() {
		told.RetryAfter = &row.RetryAfter
	}
	if container {
		var err error
		if told.Members, err = s.Requests.Members(ctx, row.SourceID, row.RequestID); err != nil {
			return err
		}
	}
	if row.Container == "" { // members are kept when they are recorded
		if err := s.Requests.KeepCapture(ctx, row.SourceID, row.RequestID); err != nil {
			return err
		}
	}
	if err := emit(ctx, told); err != nil {
		return err
	}
	faultpoint.Reach("capture.outcome.published")
	return s.Requests.CaptureAnnounced(ctx, row.SourceID, row.RequestID)
}

func storedOf(s model.Snapshot, force bool) event.SnapshotStored {
	return event.SnapshotStored{
		SnapshotID: s.SnapshotID, SourceID: s.SourceID, DocumentID: s.DocumentID, ContentHash: s.ContentHash,
		ByteLength: s.ByteLength, SnapshotKind: s.SnapshotKind, FinalType: s.FinalType, Force: force,
	}
}
