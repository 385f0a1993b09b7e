package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The attempts table counts, for a consumer and a message id, the failures of
// the work and the handlings that were started and have not ended
// (contracts#attempts). Only messages that did not succeed at their first delivery
// have a row. A last_error says that a handling is known to have ended.

// AttemptFailed counts a failure of the work, ends an open start, and returns
// how many failures there are now.
func (db *DB) AttemptFailed(ctx context.Context, consumer, messageID, text string) (failures int, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO attempts (consumer, message_id, failures, last_error) VALUES ($1, $2, 1, $3)
		ON CONFLICT (consumer, message_id) DO UPDATE
		SET failures = attempts.failures + 1, starts = 0, last_error = EXCLUDED.last_error, updated_at = now()
		RETURNING failures`, consumer, messageID, someText(text)).Scan(&failures)
	if err != nil {
		return 0, fmt.Errorf("counting a failure of %s: %w", consumer, Classify(err))
	}
	return failures, nil
}

// AttemptReturned ends an open start without counting a failure: the message
// was handed back, or its process was told to stop.
func (db *DB) AttemptReturned(ctx context.Context, consumer, messageID, text string) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO attempts (consumer, message_id, last_error) VALUES ($1, $2, $3)
		ON CONFLICT (consumer, message_id) DO UPDATE
		SET starts = 0, last_error = EXCLUDED.last_error, updated_at = now()`, consumer, messageID, someText(text))
	if err != nil {
		return fmt.Errorf("recording a return to %s: %w", consumer, Classify(err))
	}
	return nil
}

// AttemptSeen returns the starts that have not ended, and whether any handling
// of the message is known to have ended.
func (db *DB) AttemptSeen(ctx context.Context, consumer, messageID string) (starts int, returned bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT starts, last_error <> '' FROM attempts WHERE consumer = $1 AND message_id = $2`,
		consumer, messageID).Scan(&starts, &returned)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading the attempts of %s: %w", consumer, Classify(err))
	}
	return starts, returned, nil
}

// AttemptStarted commits that a handling starts and returns how many starts,
// this one among them, have not ended.
func (db *DB) AttemptStarted(ctx context.Context, consumer, messageID string) (starts int, err error) {
	err = db.pool.QueryRow(ctx, `
		INSERT INTO attempts (consumer, message_id, starts) VALUES ($1, $2, 1)
		ON CONFLICT (consumer, message_id) DO UPDATE
		SET starts = attempts.starts + 1, updated_at = now()
		RETURNING starts`, consumer, messageID).Scan(&starts)
	if err != nil {
		return 0, fmt.Errorf("recording a start of %s: %w", consumer, Classify(err))
	}
	return starts, nil
}

// ClearAttempts forgets a message that is settled.
func (db *DB) ClearAttempts(ctx context.Context, consumer, messageID string) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM attempts WHERE consumer = $1 AND message_id = $2`, consumer, messageID)
	if err != nil {
		return fmt.Errorf("clearing the attempts of %s: %w", consumer, Classify(err))
	}
	return nil
}

func someText(text string) string {
	if text == "" {
		return "no message"
	}
	return text
}
