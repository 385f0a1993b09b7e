package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/colophon-dev/colophon/pkg/catalog"
	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// maxRequest bounds a request_id in characters. That of a member of a container is longer
// than what a crawler may choose: it has the member's path in it.
const maxRequest = 2400

// notRecorded says what a request may be that has no row. A malformed one gets none, so
// that it can be mended and sent under the same id: to find its outcome here, all of a
// week's would have to be read.
const notRecorded = "it may wait in the queue; it may never have come; or it was malformed, which only its outcome on the bus " +
	"and the dead letters say: listen to capture.completed while you send it again, and look into `colophon dlq list`"

// RequestAnswer is the answer of /v1/requests/{source}/{id}: capture.completed as far
// as it can be said, and when what happened.
type RequestAnswer struct {
	RequestID  string        `json:"request_id"`
	SourceID   string        `json:"source_id"`
	Pending    bool          `json:"pending"`               // true: it was accepted and has no outcome yet
	Outcome    event.Outcome `json:"outcome,omitempty"`     // stored, unchanged, duplicate, rejected or failed; none while it is pending
	Reason     string        `json:"reason,omitempty"`      // why it was rejected or failed
	Message    string        `json:"message,omitempty"`     // the reason as a sentence
	SnapshotID string        `json:"snapshot_id,omitempty"` // what was stored, or what the request is a duplicate of
	DocumentID string        `json:"document_id,omitempty"`
	RetryAfter *time.Time    `json:"retry_after,omitempty"` // before this time asking again is of no use, as the other server says

	FetchStatus string `json:"fetch_status,omitempty"` // of what we fetched ourselves: ok, redirected, blocked or error

	Container string         `json:"container,omitempty"` // of a member: the request_id of its container
	Members   map[string]int `json:"members,omitempty"`   // of a container: how many members have which outcome, so far while it is pending

	RequestedAt model.Time `json:"requested_at"`           // ce-time of the request
	AcceptedAt  time.Time  `json:"accepted_at"`            // when it was taken from the queue: from then on it gets its outcome
	DecidedAt   *time.Time `json:"decided_at,omitempty"`   // when it got its outcome
	AnnouncedAt *time.Time `json:"announced_at,omitempty"` // when the outcome was published, the last time

	Request any `json:"request"` // what was asked for, redacted: capture.requested, in which inline content is replaced by the object of the bucket raw that it became
}

// request answers what became of a capture request: a crawler that has not heard it
// asks here.
func (a *API) request(w http.ResponseWriter, r *http.Request) error {
	source, id := r.PathValue("source"), r.PathValue("id")
	if err := checkText("source", source, maxValue); err != nil {
		return err
	}
	if err := checkText("id", id, maxRequest); err != nil {
		return err
	}
	q, err := a.Catalog.Requested(r.Context(), source, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("%w: %s", err, notRecorded)
	}
	if err != nil {
		return err
	}
	answer, err := answerOf(q)
	if err != nil {
		return err
	}
	return a.answer(w, answer)
}

func answerOf(q catalog.Requested) (RequestAnswer, error) {
	answer := RequestAnswer{
		RequestID: q.RequestID, SourceID: q.SourceID, Pending: true, FetchStatus: q.FetchStatus, Container: q.Container,
		Members: q.Members, RequestedAt: q.RequestedAt, AcceptedAt: q.AcceptedAt,
	}
	if err := json.Unmarshal(q.Request, &answer.Request); err != nil {
		return answer, fmt.Errorf("request %s/%s: its row: %w", q.SourceID, q.RequestID, err)
	}
	if !q.RetryAfter.IsZero() {
		answer.RetryAfter = &q.RetryAfter
	}
	if !q.Told() {
		return answer, nil
	}
	answer.Pending, answer.Outcome, answer.Reason, answer.Message = false, event.Outcome(q.Outcome), q.Reason, q.Message
	answer.SnapshotID, answer.DocumentID, answer.DecidedAt, answer.AnnouncedAt = q.SnapshotID, q.DocumentID, q.DecidedAt, q.AnnouncedAt
	return answer, nil
}
