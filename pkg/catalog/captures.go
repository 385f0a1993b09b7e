package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const captureColumns = `source_id, request_id, request_digest, request, requested_at, url_canonical,
	coalesce(outcome, ''), reason, message, snapshot_id, document_id, retry_after, announced_at IS NOT NULL`

func scanCapture(row pgx.Row) (model.Capture, error) {
	var c model.Capture
	var retryAfter *time.Time
	err := row.Scan(&c.SourceID, &c.RequestID, &c.RequestDigest, &c.Request, &c.RequestedAt, &c.URLCanonical,
		&c.Outcome, &c.Reason, &c.Message, &c.SnapshotID, &c.DocumentID, &retryAfter, &c.Announced)
	if retryAfter != nil {
		c.RetryAfter = *retryAfter
	}
	return c, err
}

// Capture returns the row of a request, or ErrNotFound.
func (db *DB) Capture(ctx context.Context, sourceID, requestID string) (model.Capture, error) {
	c, err := scanCapture(db.pool.QueryRow(ctx,
		`SELECT `+captureColumns+` FROM captures WHERE source_id = $1 AND request_id = $2`, sourceID, requestID))
	if err != nil {
		return c, fmt.Errorf("request %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return c, nil
}

// AcceptCapture writes the row of a request and takes its lease. It returns the
// row as it stands, which is another's when the request was accepted before:
// the caller compares RequestDigest. held says that the caller has the lease
// and the row is open. A request that was rejected for the state of its source
// is open again, since that state is no property of the request.
func (db *DB) AcceptCapture(ctx context.Context, c model.Capture, owner string, lease time.Duration) (stands model.Capture, held bool, err error) {
	var requestedAt *time.Time
	if !c.RequestedAt.IsZero() {
		requestedAt = &c.RequestedAt
	}
	stands, err = scanCapture(db.pool.QueryRow(ctx, `INSERT INTO captures
		(source_id, request_id, request_digest, request, url_canonical, requested_at, lease_owner, lease_until)
		VALUES ($1, $2, $3, $4, $5, coalesce($6, now()), $7, now() + $8::interval)
		ON CONFLICT DO NOTHING RETURNING `+captureColumns,
		c.SourceID, c.RequestID, c.RequestDigest, []byte(c.Request), c.URLCanonical, requestedAt, owner, lease))
	if errors.Is(err, pgx.ErrNoRows) {
		stands, err = scanCapture(db.pool.QueryRow(ctx, `UPDATE captures
			SET lease_owner = $4, lease_until = now() + $5::interval, outcome = NULL, reason = '', message = '',
				decided_at = NULL, announced_at = NULL, progress_at = now()
			WHERE source_id = $1 AND request_id = $2 AND request_digest = $3
				AND (lease_until IS NULL OR lease_until < now())
				AND (outcome IS NULL OR reason = ANY($6)) RETURNING `+captureColumns,
			c.SourceID, c.RequestID, c.RequestDigest, owner, lease,
			[]string{string(fault.SourceUnknown), string(fault.SourceDisabled)}))
	}
	if errors.Is(err, pgx.ErrNoRows) {
		stands, err = db.Capture(ctx, c.SourceID, c.RequestID)
		return stands, false, err
	}
	if err != nil {
		return stands, false, fmt.Errorf("accepting request %s/%s: %w", c.SourceID, c.RequestID, Classify(err))
	}
	return stands, true, nil
}

// RenewCapture moves the end of a lease; false says that it was lost.
func (db *DB) RenewCapture(ctx context.Context, sourceID, requestID, owner string, lease time.Duration) (bool, error) {
	tag, err := db.pool.Exec(ctx, `UPDATE captures SET lease_until = now() + $4::interval, progress_at = now()
		WHERE source_id = $1 AND request_id = $2 AND lease_owner = $3`, sourceID, requestID, owner, lease)
	if err != nil {
		return false, fmt.Errorf("renewing the lease of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return tag.RowsAffected() == 1, nil
}

// ReleaseCapture gives a lease back with the work undone. retryAfter is kept
// for the outcome when it is positive: how long the other server asked to wait.
func (db *DB) ReleaseCapture(ctx context.Context, sourceID, requestID, owner string, retryAfter time.Duration) error {
	_, err := db.pool.Exec(ctx, `UPDATE captures SET lease_until = NULL, lease_owner = '',
			retry_after = CASE WHEN $4::interval > interval '0' THEN now() + $4::interval ELSE retry_after END
		WHERE source_id = $1 AND request_id = $2 AND lease_owner = $3`, sourceID, requestID, owner, retryAfter)
	if err != nil {
		return fmt.Errorf("releasing the lease of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return nil
}

// DecideCapture gives a request its outcome without a new snapshot and returns
// the row as it stands: the first decision is the one that counts.
func (db *DB) DecideCapture(ctx context.Context, c model.Capture) (model.Capture, error) {
	stands := c
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var err error
		if stands, err = lockCapture(ctx, tx, c); err != nil || stands.Outcome != "" {
			return err
		}
		stands, err = decideCapture(ctx, tx, c)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("deciding request %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return stands, nil
}

// RecordCapture does all that a stored snapshot changes, in one transaction:
// the document, the snapshot, the windows of the URLs that it was fetched from,
// and the outcome of the request, stored or unchanged. unchanged says of the
// document as it stands whether the snapshot's bytes need no processing. The
// request's row as it stands is returned; when it was decided before, nothing
// is written. c names the request; s is complete but for its slug.
func (db *DB) RecordCapture(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
	unchanged func(model.Standing) bool) (model.Capture, error) {
	var stands model.Capture
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var err error
		if stands, err = lockCapture(ctx, tx, c); err != nil || stands.Outcome != "" {
			return err
		}
		if s.Slug, err = lockDocument(ctx, tx, s); err != nil {
			return err
		}
		standing, err := standingOf(ctx, tx, s)
		if err != nil {
			return err
		}
		c.Outcome, c.SnapshotID, c.DocumentID = string(event.OutcomeStored), s.SnapshotID, s.DocumentID
		if unchanged(standing) {
			c.Outcome = string(event.OutcomeUnchanged)
		}
		if err := InsertSnapshot(ctx, tx, s, c.Outcome == string(event.OutcomeStored)); err != nil {
			return err
		}
		if c.Outcome == string(event.OutcomeStored) {
			if err := wakeNext(ctx, tx, s); err != nil {
				return err
			}
		}
		if err := updateDocument(ctx, tx, s); err != nil {
			return err
		}
		if err := putWindows(ctx, tx, s, windows); err != nil {
			return err
		}
		stands, err = decideCapture(ctx, tx, c)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("recording request %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return stands, nil
}

func lockCapture(ctx context.Context, tx pgx.Tx, c model.Capture) (model.Capture, error) {
	return scanCapture(tx.QueryRow(ctx, `SELECT `+captureColumns+` FROM captures
		WHERE source_id = $1 AND request_id = $2 FOR UPDATE`, c.SourceID, c.RequestID))
}

func decideCapture(ctx context.Context, tx pgx.Tx, c model.Capture) (model.Capture, error) {
	return scanCapture(tx.QueryRow(ctx, `UPDATE captures SET outcome = $3, reason = $4, message = $5, snapshot_id = $6,
			document_id = $7, lease_until = NULL, lease_owner = '', decided_at = now(), progress_at = now(),
			retry_after = CASE WHEN $4 = '' THEN NULL ELSE retry_after END
		WHERE source_id = $1 AND request_id = $2 RETURNING `+captureColumns,
		c.SourceID, c.RequestID, c.Outcome, c.Reason, c.Message, c.SnapshotID, c.DocumentID))
}

// CaptureAnnounced records that a request's outcome was published.
func (db *DB) CaptureAnnounced(ctx context.Context, sourceID, requestID string) error {
	_, err := db.pool.Exec(ctx, `UPDATE captures SET announced_at = now(), progress_at = now()
		WHERE source_id = $1 AND request_id = $2 AND outcome IS NOT NULL`, sourceID, requestID)
	if err != nil {
		return fmt.Errorf("marking request %s/%s as announced: %w", sourceID, requestID, Classify(err))
	}
	return nil
}
