package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/colophon-dev/colophon/pkg/model"
	"github.com/colophon-dev/colophon/pkg/redact"
)

// PutSource adds a source to the registry or replaces what the registry says of
// it, and writes to the audit which fields changed. The error of a source that is
// not valid names the field.
func (db *DB) PutSource(ctx context.Context, s model.Source) error {
	_, err := db.ChangeSource(ctx, s.SourceID, func(model.Source, error) (model.Source, error) { return s, nil })
	return err
}

// ChangeSource lets change make of a source what the registry is to say of it, and
// returns that. Nobody else changes the source meanwhile. Of one that is not
// registered change gets ErrNotFound; it may be called again when somebody else
// registers it at the same time. Its error ends the change and comes back as it is.
func (db *DB) ChangeSource(ctx context.Context, sourceID string, change func(before model.Source, missing error) (model.Source, error)) (model.Source, error) {
	for {
		after, written, err := db.changeSource(ctx, sourceID, change)
		if err != nil || written {
			return after, err
		}
	}
}

// sourceTexts lists what a person writes of a source in free words.
func sourceTexts(s *model.Source) []*string {
	texts := []*string{&s.Name, &s.Domain, &s.Territory, &s.Licence, &s.RobotsNotes}
	if l := s.HeaderLabels; l != nil {
		own := *l // the caller's may be shared
		s.HeaderLabels = &own
		texts = append(texts, &own.Type, &own.Status, &own.Date, &own.Source)
	}
	return texts
}

// changeSource is one try; written is false when another has registered the source
// first.
func (db *DB) changeSource(ctx context.Context, sourceID string, change func(model.Source, error) (model.Source, error)) (after model.Source, written bool, err error) {
	var refused error
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		before, missing := scanSource(tx.QueryRow(ctx, `SELECT state, record FROM sources WHERE source_id = $1 FOR UPDATE`, sourceID))
		if missing = Classify(missing); missing != nil && !errors.Is(missing, ErrNotFound) {
			return missing
		}
		if missing != nil {
			missing = fmt.Errorf("source %s: %w", sourceID, missing)
		}
		if after, refused = change(before, missing); refused != nil {
			return refused
		}
		for _, text := range sourceTexts(&after) {
			*text = redact.Text(*text, redact.Stored)
		}
		record, err := recordOf(after)
		if err != nil {
			refused = err
			return err
		}
		action, statement := actionAdd, `INSERT INTO sources (source_id, state, record) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
		if missing == nil {
			fields, err := changed(before, after)
			if written = len(fields) == 0; err != nil || written {
				return err
			}
			action = actionSet + strings.Join(fields, fieldDivider)
			statement = `UPDATE sources SET state = $2, record = $3, updated_at = now() WHERE source_id = $1`
		}
		done, err := tx.Exec(ctx, statement, sourceID, after.State, record)
		if written = err == nil && done.RowsAffected() == 1; !written {
			return err
		}
		return auditSource(ctx, tx, action, sourceID)
	})
	if refused != nil {
		return after, false, refused
	}
	if err != nil {
		return after, false, fmt.Errorf("source %s: %w", sourceID, err)
	}
	return after, written, nil
}

// RegisterSource adds a source unless there is one with its id, and returns
// what the registry says now.
func (db *DB) RegisterSource(ctx context.Context, s model.Source) (model.Source, error) {
	record, err := recordOf(s)
	if err != nil {
		return model.Source{}, err
	}
	err = db.Tx(ctx, func(tx pgx.Tx) error {
		added, err := tx.Exec(ctx, `INSERT INTO sources (source_id, state, record) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, s.SourceID, s.State, record)
		if err != nil || added.RowsAffected() == 0 {
			return err
		}
		return auditSource(Acting(ctx, "capturer", "its first request"), tx, actionAdd, s.SourceID)
	})
	if err != nil {
		return model.Source{}, fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	return db.Source(ctx, s.SourceID)
}

func recordOf(s model.Source) ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	record, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", s.SourceID, err)
	}
	return record, nil
}

// changed returns the names of the fields in which two records of a source
// differ, sorted.
func changed(before, after model.Source) ([]string, error) {
	var fields [2]map[string]json.RawMessage
	for i, s := range []model.Source{before, after} {
		record, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(record, &fields[i]); err != nil {
			return nil, err
		}
	}
	names := make(map[string]bool)
	for i := range fields {
		for name, value := range fields[i] {
			if !bytes.Equal(value, fields[1-i][name]) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
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
	err := db.Tx(ctx, func(tx pgx.Tx) error {
		var before model.SourceState
		if err := tx.QueryRow(ctx, `SELECT state FROM sources WHERE source_id = $1 FOR UPDATE`, sourceID).Scan(&before); err != nil || before == state {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE sources SET state = $2, updated_at = now() WHERE source_id = $1`, sourceID, state); err != nil {
			return err
		}
		return auditSource(ctx, tx, actionState(state), sourceID)
	})
	if err != nil {
		return fmt.Errorf("source %s: %w", sourceID, err)
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
		if _, err := tx.Exec(ctx, `DELETE FROM sources WHERE source_id = $1`, sourceID); err != nil {
			return err
		}
		return auditSource(ctx, tx, actionRemove, sourceID)
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
