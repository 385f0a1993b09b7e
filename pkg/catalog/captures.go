package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/fault"
	"github.com/colophon-dev/colophon/pkg/model"
)

const captureColumns = `source_id, request_id, request_digest, request, requested_at, url_canonical,
	coalesce(outcome, ''), reason, message, snapshot_id, document_id, retry_after, announced_at IS NOT NULL, fetch_status,
	container`

func scanCapture(row pgx.Row) (model.Capture, error) {
	var c model.Capture
	var retryAfter *time.Time
	err := row.Scan(&c.SourceID, &c.RequestID, &c.RequestDigest, &c.Request, &c.RequestedAt, &c.URLCanonical,
		&c.Outcome, &c.Reason, &c.Message, &c.SnapshotID, &c.DocumentID, &retryAfter, &c.Announced, &c.FetchStatus, &c.Container)
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
//
// A new row is not waited for on the disk: the next row that is, is behind it in
// the log, and until then the request is unacknowledged and comes again.
func (db *DB) AcceptCapture(ctx context.Context, c model.Capture, owner string, lease time.Duration) (stands model.Capture, held bool, err error) {
	var requestedAt *time.Time
	if !c.RequestedAt.IsZero() {
		requestedAt = &c.RequestedAt
	}
	stands, err = scanCapture(db.pool.QueryRow(ctx, `WITH accepted AS (INSERT INTO captures
		(source_id, request_id, request_digest, request, url_canonical, requested_at, lease_owner, lease_until)
		SELECT $1, $2, $3, $4, $5, coalesce($6, now()), $7, now() + $8::interval FROM `+unsynced+`
		ON CONFLICT DO NOTHING RETURNING *), bound AS (`+bindRequest().inserted(`accepted b`, ``)+`)
		SELECT `+captureColumns+` FROM accepted`,
		c.SourceID, c.RequestID, c.RequestDigest, []byte(c.Request), c.URLCanonical, requestedAt, owner, lease))
	if errors.Is(err, pgx.ErrNoRows) {
		stands, err = scanCapture(db.pool.QueryRow(ctx, `WITH opened AS (UPDATE captures
			SET lease_owner = $4, lease_until = now() + $5::interval, outcome = NULL, reason = '', message = '',
				decided_at = NULL, announced_at = NULL, progress_at = now()
			WHERE source_id = $1 AND request_id = $2 AND request_digest = $3
				AND (lease_until IS NULL OR lease_until < now())
				AND (outcome IS NULL OR reason = ANY($6)) RETURNING *), unbound AS (`+bindDecision().removed(`opened b`)+`)
			SELECT `+captureColumns+` FROM opened`,
			c.SourceID, c.RequestID, c.RequestDigest, owner, lease,
			forSource()))
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

// ReopenRefused takes back what was decided of requests for the state of their
// source alone: whoever sends them again wants to know what becomes of them now.
func (db *DB) ReopenRefused(ctx context.Context, sourceID string, requests []string) error {
	_, err := db.pool.Exec(ctx, `WITH opened AS (UPDATE captures SET outcome = NULL, reason = '', message = '', decided_at = NULL, announced_at = NULL,
			progress_at = now() WHERE source_id = $1 AND request_id = ANY($2) AND outcome = 'rejected' AND reason = ANY($3)
			AND (lease_until IS NULL OR lease_until < now()) RETURNING *) `+bindDecision().removed(`opened b`), sourceID, requests, forSource())
	if err != nil {
		return fmt.Errorf("requests of %s that were refused: %w", sourceID, Classify(err))
	}
	return nil
}

// forSource are the reasons that say something of a source and nothing of a request.
func forSource() []string { return []string{string(fault.SourceUnknown), string(fault.SourceDisabled)} }

// unsynced, selected from, lets the transaction of its statement commit without
// waiting for the disk. A crash of the server can lose what was committed so.
const unsynced = `(SELECT set_config('synchronous_commit', 'off', true)) AS unsynced`

// RenewCapture moves the end of a lease; false says that it was lost.
func (db *DB) RenewCapture(ctx context.Context, sourceID, requestID, owner string, lease time.Duration) (bool, error) {
	tag, err := db.pool.Exec(ctx, `UPDATE captures SET lease_until = now() + $4::interval, progress_at = now()
		WHERE source_id = $1 AND request_id = $2 AND lease_owner = $3`, sourceID, requestID, owner, lease)
	if err != nil {
		return false, fmt.Errorf("renewing the lease of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return tag.RowsAffected() == 1, nil
}

// ReleaseCapture gives a lease back with the work undone. What is kept for the
// outcome: retryAfter when it is positive, how long the other server asked to
// wait; fetchStatus when it is not empty.
func (db *DB) ReleaseCapture(ctx context.Context, sourceID, requestID, owner string, retryAfter time.Duration, fetchStatus string) error {
	_, err := db.pool.Exec(ctx, `UPDATE captures SET lease_until = NULL, lease_owner = '',
			retry_after = CASE WHEN $4::interval > interval '0' THEN now() + $4::interval ELSE retry_after END,
			fetch_status = CASE WHEN $5 <> '' THEN $5 ELSE fetch_status END
		WHERE source_id = $1 AND request_id = $2 AND lease_owner = $3`, sourceID, requestID, owner, retryAfter, fetchStatus)
	if err != nil {
		return fmt.Errorf("releasing the lease of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return nil
}

// DecideCapture gives a request its outcome without a new snapshot and returns
// the row as it stands: the first decision is the one that counts. A failed one
// that names a document is that of a container that was begun with.
func (db *DB) DecideCapture(ctx context.Context, c model.Capture) (model.Capture, error) {
	stands := c
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var err error
		if stands, err = scanCapture(tx.QueryRow(ctx, lockCapture, c.SourceID, c.RequestID)); err != nil || stands.Outcome != "" {
			return err
		}
		if stands, err = scanCapture(tx.QueryRow(ctx, decideCapture(), decided(c)...)); err != nil || c.Outcome != string(event.OutcomeFailed) {
			return err
		}
		_, err = tx.Exec(ctx, setStatus(), c.DocumentID)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("deciding request %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return stands, nil
}

// RecordCapture does all that a stored snapshot changes, in one transaction:
// the document, the snapshot, the windows of the URLs that it was fetched from,
// and the outcome of the request, stored or unchanged. unchanged says, given what
// stands before the snapshot in the order of its document's, whether it needs no
// processing. What the snapshot changes for the one after it is recorded too: see
// Woken. The
// request's row as it stands is returned; when it was decided before, nothing
// is written. c names the request; s is complete but for its slug.
//
// A container is recorded as it is; what is processed are its members, which
// are requests of their own: see RecordMember. One that cannot be read to its
// end comes with its outcome and its reason.
//
// What is recorded of a document may not be on the disk yet when RecordCapture
// returns: see KeepCapture.
//
// Under contracts#seed-ids a URL that is another document's is fault.ErrURLTaken.
func (db *DB) RecordCapture(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
	unchanged func(model.Standing) bool) (model.Capture, error) {
	return db.record(ctx, c, s, windows, unchanged, recording{})
}

// CaptureAtOnce is AcceptCapture and RecordCapture in one, for a request that brings
// its document with it, whose bytes are put meanwhile. When there is a row of the
// request already nothing is written, and first is false. The put has ended when
// CaptureAtOnce returns, and its error is returned unless there is another.
func (db *DB) CaptureAtOnce(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool,
	put func(ctx context.Context) error) (stands model.Capture, first bool, err error) {
	u := db.beginPut(ctx, put)
	defer u.end()
	stands, err = db.record(ctx, c, s, nil, unchanged, recording{first: true, put: u})
	if errors.Is(err, errDecided) {
		return stands, false, nil
	}
	return stands, err == nil, err
}

// BeginContainer records the snapshot of a container before its members, which
// name it, and notes it on the request's row, where there is one without an
// outcome: whoever takes the request up again goes on with these bytes. Nothing
// of a container itself is processed, so its document is done, unless a newer
// snapshot says otherwise.
func (db *DB) BeginContainer(ctx context.Context, c model.Capture, s model.Snapshot) error {
	err := db.pipelined(ctx, func(p *pipeline) error {
		p.queue(`UPDATE captures SET snapshot_id = $3, document_id = $4, progress_at = now()
			WHERE source_id = $1 AND request_id = $2 AND container = $5 AND outcome IS NULL`,
			c.SourceID, c.RequestID, s.SnapshotID, s.DocumentID, c.Container)
		claimURL(p, s)
		lockDocument(p, &s)
		n := askNeighbours(p, s.DocumentID, s.RetrievedAt, s.SnapshotID)
		if err := p.flush(ctx); err != nil {
			return err
		}
		if err := placeSnapshot(ctx, p, s, false, n); err != nil {
			return err
		}
		if err := p.write(ctx, "document "+s.DocumentID, 1, setStatus("last_ingested_at"), s.DocumentID); err != nil {
			return err
		}
		return updateDocument(ctx, p, s)
	})
	if err != nil {
		return fmt.Errorf("beginning with container %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return nil
}

// RecordMember does for a member of a container what RecordCapture does for a
// request. The member's row is written in the same transaction: nobody asked
// for it, so none must ever be open. When the row that stands is not one of this
// container's, which its Container tells, nothing is written.
func (db *DB) RecordMember(ctx context.Context, c model.Capture, s model.Snapshot, unchanged func(model.Standing) bool) (model.Capture, error) {
	return db.record(ctx, c, s, nil, unchanged, recording{member: true})
}

// DecideMember gives a member that has no snapshot its row and its outcome. A
// document that is named was seen: it is there still. A row that stands and is not
// one of this container's, which its Container tells, is left as it is.
func (db *DB) DecideMember(ctx context.Context, c model.Capture) (model.Capture, error) {
	stands := c
	err := db.pipelined(ctx, func(p *pipeline) error {
		p.queue(insertCapture(), captureRow(c)...)
		p.queue(`UPDATE documents SET last_checked_at = now(), last_seen_at = now() WHERE document_id = $1`, c.DocumentID)
		p.queue(decideMember(), append(decided(c), c.Container)...)
		p.ask(lockCapture, c.SourceID, c.RequestID).QueryRow(func(row pgx.Row) (err error) {
			stands, err = scanCapture(row)
			return err
		})
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("deciding member %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return stands, nil
}

// insertCapture returns the statement that adds a request's row, and binds it. It
// counts no row where there is one.
func insertCapture() string {
	return `WITH added AS (INSERT INTO captures (source_id, request_id, request_digest, request, url_canonical, requested_at, container)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING *) ` + bindRequest().inserted(`added b`, ``)
}

func captureRow(c model.Capture) []any {
	return []any{c.SourceID, c.RequestID, c.RequestDigest, []byte(c.Request), c.URLCanonical, c.RequestedAt, c.Container}
}

// Members counts the members of a container by their outcome.
func (db *DB) Members(ctx context.Context, sourceID, requestID string) (map[string]int, error) {
	rows, err := db.pool.Query(ctx, `SELECT outcome, count(*) FROM captures
		WHERE source_id = $1 AND container = $2 AND container <> '' AND outcome IS NOT NULL GROUP BY outcome`, sourceID, requestID)
	if err != nil {
		return nil, fmt.Errorf("members of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	counts := make(map[string]int)
	var outcome string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&outcome, &n}, func() error {
		counts[outcome] = n
		return nil
	}); err != nil {
		return nil, fmt.Errorf("members of %s/%s: %w", sourceID, requestID, Classify(err))
	}
	return counts, nil
}

// decideMember returns decideCapture for a row that may be decided already, or be
// another's.
func decideMember() string {
	return `WITH decided AS (UPDATE captures SET outcome = $3, reason = $4, message = $5, snapshot_id = $6, document_id = $7,
			fetch_status = $8, decided_at = now(), progress_at = now()
		WHERE source_id = $1 AND request_id = $2 AND container = $9 AND outcome IS NULL RETURNING *) ` +
		bindDecision().inserted(`decided`+ofDecision, ``)
}

// recording is whose capture is recorded: by default that of a request which has its
// row.
type recording struct {
	member bool     // of a container; it gets its row
	first  bool     // of a request without a row
	put    *putting // of its bytes, which are stored by default
}

// record returns errDecided of a new request that has a row.
func (db *DB) record(ctx context.Context, c model.Capture, s model.Snapshot, windows []string,
	unchanged func(model.Standing) bool, r recording) (model.Capture, error) {
	var stands model.Capture
	err := db.pipelined(ctx, func(p *pipeline) error {
		if !r.member && s.SnapshotKind != model.KindContainer {
			p.queue(unkept)
		}
		if r.member {
			p.queue(insertCapture(), captureRow(c)...)
		}
		if r.first {
			p.queue(insertCapture(), captureRow(c)...).Exec(func(done pgconn.CommandTag) error {
				if done.RowsAffected() == 0 {
					return errDecided
				}
				return nil
			})
		} else {
			p.queue(lockCapture, c.SourceID, c.RequestID).QueryRow(func(row pgx.Row) (err error) {
				if stands, err = scanCapture(row); err == nil && (stands.Outcome != "" || stands.Container != c.Container) {
					return errDecided
				}
				return err
			})
		}
		claimURL(p, s)
		lockDocument(p, &s)
		n := askNeighbours(p, s.DocumentID, s.RetrievedAt, s.SnapshotID)
		if err := p.flush(ctx); err != nil {
			return err
		}
		c.SnapshotID, c.DocumentID = s.SnapshotID, s.DocumentID
		if c.Outcome == "" {
			c.Outcome = string(event.OutcomeStored)
			if unchanged(n.standing) {
				c.Outcome = string(event.OutcomeUnchanged)
			}
		}
		process := c.Outcome == string(event.OutcomeStored) && s.SnapshotKind != model.KindContainer
		if err := placeSnapshot(ctx, p, s, process, n); err != nil {
			return err
		}
		if err := updateDocument(ctx, p, s); err != nil {
			return err
		}
		if err := putWindows(ctx, p, s, windows); err != nil {
			return err
		}
		p.ask(decideCapture(), decided(c)...).QueryRow(func(row pgx.Row) (err error) {
			stands, err = scanCapture(row)
			return err
		})
		if s.SnapshotKind == model.KindContainer { // which ends as its request does
			if err := p.write(ctx, "document "+s.DocumentID, 1, setStatus("last_ingested_at"), s.DocumentID); err != nil {
				return err
			}
		}
		if r.put == nil {
			return nil
		}
		return r.put.join(ctx, p)
	})
	if err != nil && (r.first || !errors.Is(err, errDecided)) {
		return c, fmt.Errorf("recording request %s/%s: %w", c.SourceID, c.RequestID, err)
	}
	return stands, nil
}

// errDecided says that a request has its outcome, or that its row is another's.
var errDecided = errors.New("decided before")

const lockCapture = `SELECT ` + captureColumns + ` FROM captures WHERE source_id = $1 AND request_id = $2 FOR UPDATE`

// decideCapture returns the statement that gives a request its outcome, binds it, and
// returns the row.
func decideCapture() string {
	return `WITH decided AS (UPDATE captures SET outcome = $3, reason = $4, message = $5, snapshot_id = $6,
			document_id = $7, lease_until = NULL, lease_owner = '', decided_at = now(), progress_at = now(),
			retry_after = CASE WHEN $4 = '' THEN NULL ELSE retry_after END,
			fetch_status = CASE WHEN $8 = '' THEN fetch_status ELSE $8 END
		WHERE source_id = $1 AND request_id = $2 RETURNING *),
		bound AS (` + bindDecision().inserted(`decided`+ofDecision, ``) + `)
		SELECT ` + captureColumns + ` FROM decided`
}

// decided returns the arguments of decideCapture.
func decided(c model.Capture) []any {
	return []any{c.SourceID, c.RequestID, c.Outcome, c.Reason, c.Message, c.SnapshotID, c.DocumentID, c.FetchStatus}
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
