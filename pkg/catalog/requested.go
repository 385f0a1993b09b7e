package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/colophon-dev/colophon/pkg/model"
)

// Requested is the row of a request with what somebody asks who waits for its
// outcome.
type Requested struct {
	model.Capture
	AcceptedAt  time.Time
	DecidedAt   *time.Time     // nil while it has no outcome
	AnnouncedAt *time.Time     // nil until the outcome was published
	Members     map[string]int // of a container: how many members have which outcome so far; else empty
}

// Told reports whether the outcome may be told: it is on the disk, and a crash takes
// it back no more. That of a request is when it was announced, that of a member of a
// container from the start.
func (q Requested) Told() bool {
	return q.Outcome != "" && (q.AnnouncedAt != nil || q.Container != "")
}

// Requested returns what is known of a request, or of a member of a container, or
// ErrNotFound.
func (db *DB) Requested(ctx context.Context, sourceID, requestID string) (Requested, error) {
	var q Requested
	row := db.pool.QueryRow(ctx, `SELECT `+captureColumns+`, accepted_at, decided_at, announced_at FROM captures
		WHERE source_id = $1 AND request_id = $2`, sourceID, requestID)
	c, err := scanCapture(andRow{row, []any{&q.AcceptedAt, &q.DecidedAt, &q.AnnouncedAt}})
	if err != nil {
		return q, fmt.Errorf("request %s/%s: %w", sourceID, requestID, Classify(err))
	}
	q.Capture = c
	q.Members, err = db.Members(ctx, sourceID, requestID)
	return q, err
}
