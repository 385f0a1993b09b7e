package catalog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/event"
	"github.com/colophon-dev/colophon/pkg/model"
)

// The actions of the audit that are changes of a source; after actionSet follow the names
// of the fields.
const (
	actionAdd    = "source add"
	actionSet    = "source set "
	actionRemove = "source remove"
	fieldDivider = ", "
)

// UntoldSourceChanges returns the changes of sources that were made before a time and are
// not noted as told, the oldest first. Whoever tells them marks them by
// MarkSourceChangesTold.
func (db *DB) UntoldSourceChanges(ctx context.Context, before time.Time, p Page) ([]event.SourceChanged, error) {
	rows, err := db.pool.Query(ctx, `SELECT a.seq, a.target, a.action, coalesce(s.state, ''), a.who, a.why, a.at
		FROM audit a LEFT JOIN sources s ON s.source_id = a.target
		WHERE NOT a.published AND a.at < $1 ORDER BY a.seq LIMIT $2 OFFSET $3`, before, p.Limit, p.Offset)
	if err != nil {
		return nil, fmt.Errorf("changes of sources: %w", Classify(err))
	}
	changes, err := pgx.CollectRows(rows, scanSourceChange)
	if err != nil {
		return nil, fmt.Errorf("changes of sources: %w", Classify(err))
	}
	return changes, nil
}

func scanSourceChange(row pgx.CollectableRow) (event.SourceChanged, error) {
	var (
		c      event.SourceChanged
		action string
	)
	if err := row.Scan(&c.Seq, &c.SourceID, &action, &c.State, &c.Who, &c.Why, &c.At); err != nil {
		return c, err
	}
	c.At = c.At.UTC()
	switch action {
	case actionAdd:
		c.Change = event.SourceAdded
	case actionRemove:
		c.Change = event.SourceRemoved
	case actionState(model.SourceEnabled):
		c.Change = event.SourceEnabled
	case actionState(model.SourceDisabled):
		c.Change = event.SourceDisabled
	default: // also what a newer build has written
		c.Change = event.SourceSet
		if fields, ok := strings.CutPrefix(action, actionSet); ok {
			c.Fields = strings.Split(fields, fieldDivider)
		}
	}
	return c, nil
}

// actionState is the action of the audit that brings a source into a state.
func actionState(state model.SourceState) string { return "source " + string(state) }

// MarkSourceChangesTold notes that source.changed was published for these entries of the
// audit.
func (db *DB) MarkSourceChangesTold(ctx context.Context, seqs ...int64) error {
	if _, err := db.pool.Exec(ctx, `UPDATE audit SET published = true WHERE seq = ANY($1)`, seqs); err != nil {
		return fmt.Errorf("changes of sources that were told: %w", Classify(err))
	}
	return nil
}
