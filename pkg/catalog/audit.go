package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/redact"
)

// actor is who acts, and why.
type actor struct{ who, why string }

type actorKey struct{}

// Acting returns a context in which what changes is written to the audit as done
// by who, for the reason why, which may be empty.
func Acting(ctx context.Context, who, why string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor{redact.Text(who, redact.Stored), redact.Text(why, redact.Stored)})
}

// auditSource writes who changed a source in the transaction that does it
// (contracts#audit); it is to be told (UntoldSourceChanges). Who is not named is the system
// itself.
func auditSource(ctx context.Context, tx pgx.Tx, action, target string) error {
	by, ok := ctx.Value(actorKey{}).(actor)
	if !ok {
		by.who = "colophon"
	}
	_, err := tx.Exec(ctx, `INSERT INTO audit (who, action, target, why, published) VALUES ($1, $2, $3, $4, false)`, by.who, action, target, by.why)
	return err
}

// Audited is one entry of the audit.
type Audited struct {
	At     time.Time `json:"at"`
	Who    string    `json:"who"`
	Action string    `json:"action"` // what was done: "source set name, territory"
	Target string    `json:"target"` // to what: a source_id
	Why    string    `json:"why,omitempty"`
}

// SourceAudit returns what was done to a source, the oldest first; also of one
// that was removed.
func (db *DB) SourceAudit(ctx context.Context, sourceID string) ([]Audited, error) {
	rows, err := db.pool.Query(ctx, `SELECT at, who, action, target, why FROM audit WHERE target = $1 AND action LIKE 'source %' ORDER BY seq`, sourceID)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", Classify(err))
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Audited])
	if err != nil {
		return nil, fmt.Errorf("audit: %w", Classify(err))
	}
	return entries, nil
}
