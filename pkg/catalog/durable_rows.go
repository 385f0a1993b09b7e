package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/colophon-dev/colophon/pkg/fault"
)

// Rows that a next stage reads are committed, seen by all and published before they
// are on the disk (ADR 10): a commit that follows takes them there, since the log is
// written in order. A crash of the server before that loses them. So whoever has
// published them, or has found them, MUST call Keep… before it acknowledges what it
// was asked for: then either they are on the disk or it does its work again.

// unkept, queued in a transaction, lets it commit without waiting for the disk.
const unkept = `SELECT set_config('synchronous_commit', 'off', true)`

// ErrLost says that a row that was committed is not there: the server has crashed,
// or another has taken its place, before it was on the disk.
var ErrLost = errors.New("a row was lost before it was on the disk")

// KeepCapture waits until a decided request, with all that was recorded for it, is
// on the disk. One that was lost is ErrLost, as Unavailable.
func (db *DB) KeepCapture(ctx context.Context, sourceID, requestID string) error {
	return db.awaitDurable(ctx, "request "+sourceID+"/"+requestID,
		`SELECT 1 FROM captures WHERE source_id = $1 AND request_id = $2 AND outcome IS NOT NULL`, sourceID, requestID)
}

// KeepRun does for a run what KeepCapture does for a request.
func (db *DB) KeepRun(ctx context.Context, snapshotID, extractionID string) error {
	return db.awaitDurable(ctx, "run "+snapshotID+"/"+extractionID,
		`SELECT 1 FROM runs WHERE snapshot_id = $1 AND extraction_id = $2`, snapshotID, extractionID)
}

// KeepSegment does for the segment of a range at a redo what KeepCapture does for a
// request.
func (db *DB) KeepSegment(ctx context.Context, snapshotID, extractionID string, from, redo int) error {
	return db.awaitDurable(ctx, fmt.Sprintf("segment %d of %s", from, snapshotID),
		`SELECT 1 FROM ir_segments WHERE snapshot_id = $1 AND extraction_id = $2 AND from_page = $3 AND redo = $4`,
		snapshotID, extractionID, from, redo)
}

// awaitDurable writes an empty message to the log where question finds a row, and waits
// until it is on the disk, and with it all that was committed before.
func (db *DB) awaitDurable(ctx context.Context, what, question string, args ...any) error {
	done, err := db.pool.Exec(ctx, `SELECT pg_logical_emit_message(true, 'colophon', '') WHERE EXISTS (`+question+`)`, args...)
	if err == nil && done.RowsAffected() == 0 {
		err = fault.Unavailable(ErrLost)
	}
	if err != nil {
		return fmt.Errorf("keeping %s: %w", what, Classify(err))
	}
	return nil
}
