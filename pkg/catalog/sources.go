package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
)

// PutSource adds a source to the registry or replaces what the registry says of
// it. The error of a source that is not valid names the field.
func (db *DB) PutSource(ctx context.Context, s model.Source) error {
	return db.putSource(ctx, s, `ON CONFLICT (source_id) DO UPDATE
		SET state = excluded.state, record = excluded.record, updated_at = now()`)
}

// RegisterSource adds a source unless there is one with its id, and returns
// what the registry says now.
func (db *DB) RegisterSource(ctx context.Context, s model.Source) (model.Source, error) {
	if err := db.putSource(ctx, s, `ON CONFLICT DO NOTHING`); err != nil {
		return model.Source{}, err
	}
	return db.Source(ctx, s.SourceID)
}

func (db *DB) putSource(ctx context.Context, s model.Source, conflict string) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	record, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	_, err = db.pool.Exec(ctx, `INSERT INTO sources (source_id, state, record) VALUES ($1, $2, $3) `+conflict,
		s.SourceID, s.State, record)
	if err != nil {
		return fmt.Errorf("source %s: %w", s.SourceID, Classify(err))
	}
	return nil
}

// Source returns one source, or ErrNotFound.
func (db *DB) Source(ctx context.Context, sourceID string) (model.Source, error) {
	s, err := scanSource(db.pool.QueryRow(ctx, `SELECT state, record FROM sources WHERE source_id = $1`, sourceID))
	if err != nil {
		return model.Source{}, fmt.Errorf("source %s: %w", sourceID, Classify(err))
	}
	return s, nil
}

// Sources returns the registry, by source_id.
func (db *DB) Sources(ctx context.Context) ([]model.Source, error) {
	rows, err := db.pool.Query(ctx, `SELECT state, record FROM sources ORDER BY source_id`)
	if err != nil {
		return nil, fmt.Errorf("sources: %w", Classify(err))
	}
	sources, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (model.Source, error) { return scanSource(row) })
	if err != nil {
		return nil, fmt.Errorf("sources: %w", Classify(err))
	}
	return sources, nil
}

// SetSourceState enables or disables a source; ErrNotFound when there is none.
func (db *DB) SetSourceState(ctx context.Context, sourceID string, state model.SourceState) error {
	if state != model.SourceEnabled && state != model.SourceDisabled {
		return fmt.Errorf("source %s: state %q: enabled or disabled", sourceID, state)
	}
	tag, err := db.pool.Exec(ctx, `UPDATE sources SET state = $2, updated_at = now() WHERE source_id = $1`, sourceID, state)
	if err != nil {
		return fmt.Errorf("source %s: %w", sourceID, Classify(err))
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("source %s: %w", sourceID, ErrNotFound)
	}
	return nil
}

// RemoveSource takes a source out of the registry; ErrNotFound when there is
// none, ErrInUse when something was captured for it.
func (db *DB) RemoveSource(ctx context.Context, sourceID string) error {
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var used bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM captures c WHERE c.source_id = s.source_id)
				OR EXISTS (SELECT 1 FROM documents d WHERE d.source_id = s.source_id)
			FROM sources s WHERE s.source_id = $1 FOR UPDATE`, sourceID).Scan(&used); err != nil {
			return err
		}
		if used {
			return ErrInUse
		}
		_, err := tx.Exec(ctx, `DELETE FROM sources WHERE source_id = $1`, sourceID)
		return err
	})
	if err != nil {
		return fmt.Errorf("source %s: %w", sourceID, Classify(err))
	}
	return nil
}

// ErrInUse says that there are captures of a source.
var ErrInUse = errors.New("something was captured for it")

// scanSource reads a record; the state's column is the one that counts. What a
// record does not name, since it is older than the field, is the default.
func scanSource(row pgx.Row) (model.Source, error) {
	s := model.DefaultSource("")
	var state model.SourceState
	var record []byte
	if err := row.Scan(&state, &record); err != nil {
		return s, err
	}
	if err := json.Unmarshal(record, &s); err != nil {
		return s, fmt.Errorf("its record: %w", err)
	}
	s.State = state
	return s, nil
}
