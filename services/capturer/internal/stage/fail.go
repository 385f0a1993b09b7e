package stage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/faultpoint"
	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/stream"
	"github.com/colophon-dev/colophon/services/capturer/internal/redact"
	"github.com/colophon-dev/colophon/services/capturer/internal/request"
)

// Fail gives a request its outcome: rejected or failed (contracts#rejected). A
// request that cannot be read has no row, only an outcome where its sender can
// be addressed; one whose id another request has leaves that one's row alone.
func (s *Stage) Fail(ctx context.Context, e event.Event, reason fault.Reason, sentence string, emit stream.Emit) error {
	req, err := request.Read(e, s.InboxBucket)
	if err != nil {
		return s.publishRefusal(ctx, e.SourceID, requestIDIn(e.Payload, e.MsgID, e.SourceID), reason, sentence, emit)
	}
	switch err := s.checkRepeated(ctx, req); {
	case fault.KindOf(err) == fault.KindPermanent:
		return s.publishRefusal(ctx, req.SourceID, req.RequestID, reason, sentence, emit)
	case err != nil:
		return err
	}
	row, _, err := s.Requests.AcceptCapture(ctx, req.Row(), rand.Text(), s.Lease)
	if err != nil {
		return err
	}
	if !req.Owns(row) {
		return s.publishRefusal(ctx, req.SourceID, req.RequestID, reason, sentence, emit)
	}
	row.Outcome, row.Reason, row.Message = string(outcomeOf(reason)), string(reason), redact.Sentence(sentence)
	if row, err = s.Requests.DecideCapture(ctx, row); err != nil {
		return err
	}
	faultpoint.Reach("capture.failure.decided")
	if req.Fetches() {
		if err := s.Windows.ReleaseWindow(ctx, req.SourceID, req.Canonical, req.RequestID); err != nil {
			return err
		}
		faultpoint.Reach("capture.failure.window.released")
	}
	return s.announce(ctx, done{row: row}, emit)
}

// Malformed tells the sender of a message that is no event, where it can be
// addressed (contracts#rejected).
func (s *Stage) Malformed(ctx context.Context, subject string, header map[string][]string, payload []byte, problem error, emit stream.Emit) error {
	var msgID string
	for _, name := range []string{event.HeaderMsgID, event.HeaderID} {
		for k, v := range header {
			if msgID == "" && len(v) > 0 && strings.EqualFold(k, name) {
				msgID = v[0]
			}
		}
	}
	sourceID := subject[strings.LastIndexByte(subject, '.')+1:]
	return s.publishRefusal(ctx, sourceID, requestIDIn(payload, msgID, sourceID), fault.Malformed, problem.Error(), emit)
}

// publishRefusal publishes an outcome for which there is no row, if there is an address.
func (s *Stage) publishRefusal(ctx context.Context, sourceID, requestID string, reason fault.Reason, sentence string, emit stream.Emit) error {
	if !model.ValidSourceID(sourceID) || requestID == "" {
		return nil
	}
	return emit(ctx, event.CaptureCompleted{
		RequestID: request.Addressable(requestID), SourceID: sourceID, Outcome: outcomeOf(reason), Reason: string(reason), Message: redact.Sentence(sentence),
	})
}

// requestIDIn returns the request_id of a payload that may be anything, else
// the one that its message id stands for.
func requestIDIn(payload []byte, msgID, sourceID string) string {
	var named struct {
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(payload, &named) == nil && named.RequestID != "" {
		return named.RequestID
	}
	return request.OfMessage(msgID, sourceID)
}

func outcomeOf(reason fault.Reason) event.Outcome {
	switch reason {
	case fault.Malformed, fault.SourceUnknown, fault.SourceDisabled, fault.RequestConflict, fault.FetchRefused, fault.TooLarge:
		return event.OutcomeRejected
	default:
		return event.OutcomeFailed
	}
}
